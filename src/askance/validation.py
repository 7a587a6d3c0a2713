"""Every check of a row, label, coin, weight or parameter that comes from outside."""

import math
import reprlib
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from askance.errors import InvalidLabel, InvalidParameter, InvalidRow, LabelConflict, LabelMissing
from askance.types import Decision, Floats, Integers, Label, Matrix, Row, State

__all__ = [
    "check_block",
    "check_coin",
    "check_finite",
    "check_inside",
    "check_label",
    "check_loss",
    "check_matrix",
    "check_probability",
    "check_row",
    "check_share",
    "check_structure",
    "check_weights",
    "is_encodable",
    "require_at_least_one",
    "require_codes",
    "require_coins",
    "require_csr",
    "require_indptr",
    "require_label",
    "require_labels",
    "require_native",
    "require_parts",
    "require_positive",
    "require_switch",
    "require_whole",
    "saved_array",
    "saved_number",
    "saved_part",
    "saved_whole",
    "shown",
]

MOST = 2**53
"""The largest whole number that a file may hold as a count: beyond it floats lose them."""


_WHOLE = (np.dtype(np.int32), np.dtype(np.int64))
_REAL = (np.dtype(np.float32), np.dtype(np.float64))


def check_coin(coin: float) -> None:
    """Raise unless the coin lies in [0, 1).

    >>> check_coin(1.0)
    Traceback (most recent call last):
    askance.errors.InvalidParameter: a coin must lie in [0, 1), got 1.0
    """
    if not 0.0 <= coin < 1.0:
        raise InvalidParameter(f"a coin must lie in [0, 1), got {coin}")


def check_probability(probability: float) -> None:
    """Raise unless a probability with which a label is asked is above 0 and at most 1.

    >>> check_probability(0.0)
    Traceback (most recent call last):
    askance.errors.InvalidParameter: a probability must be above 0 and at most 1, got 0.0
    """
    if not 0.0 < probability <= 1.0:
        raise InvalidParameter(f"a probability must be above 0 and at most 1, got {probability}")


def check_loss(loss: float) -> None:
    """Raise unless a loss lies in [0, 1].

    >>> check_loss(2.0)
    Traceback (most recent call last):
    askance.errors.InvalidParameter: a loss must lie in [0, 1], got 2.0
    """
    if not 0.0 <= loss <= 1.0:
        raise InvalidParameter(f"a loss must lie in [0, 1], got {loss}")


def check_share(**shares: float) -> None:
    """Raise for the first share that is not above 0 and below 1.

    >>> check_share(alpha=5.0)
    Traceback (most recent call last):
    askance.errors.InvalidParameter: alpha must lie between 0 and 1, got 5.0
    """
    for name, share in shares.items():
        if not 0.0 < share < 1.0:
            raise InvalidParameter(f"{name} must lie between 0 and 1, got {share}")


def check_weights(weights: Floats, n: int) -> None:
    """Raise unless there are weights of at least 1, and n examples among which they were asked.

    >>> check_weights(np.array([2.0]), n=0)
    Traceback (most recent call last):
    askance.errors.InvalidParameter: n must be a whole number from 1 on, got 0
    """
    values = np.asarray(weights)
    if values.ndim != 1 or not values.size:
        raise InvalidParameter(f"a sample must hold labels, got weights of shape {values.shape}")
    if not (np.isfinite(values) & (values >= 1)).all():
        wrong = values[~(values >= 1) | np.isinf(values)][0]
        raise InvalidParameter(f"weights must be finite and at least 1, got {wrong}")
    require_whole(values.size, n=n)


def check_label(decision: Decision, label: Label | None, n_classes: int | None = None) -> None:
    """Raise unless a queried example has its label, and any other none.

    A label is -1 or +1, or of so many classes the code.

    >>> check_label(Decision(1, True, 0.5, False, 3, 0.1, 0.2), 1)
    Traceback (most recent call last):
    askance.errors.LabelConflict: no label was asked for, got 1, expected None
    """
    if not decision.queried:
        if label is not None:
            raise LabelConflict(f"no label was asked for, got {label!r}, expected None")
    elif label is None:
        raise LabelMissing(f"a label was asked for, got None, expected {_expected(n_classes)}")
    else:
        require_label(label, n_classes)


def check_block(
    X: Matrix,
    n_features: int | None,
    decisions: Sequence[Decision],
    labels: Sequence[Label | None],
    n_classes: int | None = None,
) -> None:
    """Raise unless a matrix has a decision for each row, and each decision the label it wants.

    >>> check_block(csr_array(np.ones((1, 3))), 3, [], [])
    Traceback (most recent call last):
    askance.errors.InvalidRow: decisions for 0 rows came with 1 rows
    """
    check_matrix(X, n_features)
    for decision, label in zip(decisions, labels, strict=True):
        check_label(decision, label, n_classes)
    if X.shape[0] != len(decisions):
        raise InvalidRow(f"decisions for {len(decisions)} rows came with {X.shape[0]} rows")


def require_label(label: object, n_classes: int | None = None) -> Label:
    """Return a label as -1 or +1, or raise; booleans are no labels.

    With ``n_classes`` it is a code from 0 to below that.

    >>> require_label(2)
    Traceback (most recent call last):
    askance.errors.InvalidLabel: a label must be -1 or +1, got 2
    >>> require_label(2.0, n_classes=3)
    2
    """
    if type(label) is int or (
        isinstance(label, int | float | np.integer | np.floating) and not isinstance(label, bool)
    ):
        if n_classes is not None:
            if 0 <= label < n_classes and label == int(label):
                return int(label)
        elif label == 1:
            return 1
        elif label == -1:
            return -1
    raise InvalidLabel(f"a label must be {_expected(n_classes)}, got {label!r}")


def _expected(n_classes: int | None) -> str:
    return "-1 or +1" if n_classes is None else f"a code from 0 to {n_classes - 1}"


_LARGEST = sys.float_info.max
"""What is compared with it may be any whole number; to make some of them floats would fail."""


def require_positive(**parameters: object) -> None:
    """Raise for the first parameter that is not positive and finite.

    >>> require_positive(c0=-1.0)
    Traceback (most recent call last):
    askance.errors.InvalidParameter: c0 must be positive and finite, got -1.0
    """
    for name, value in parameters.items():
        if not (isinstance(value, int | float) and 0 < value <= _LARGEST):
            raise InvalidParameter(f"{name} must be positive and finite, got {shown(value)}")


def require_at_least_one(**parameters: object) -> None:
    """Raise for the first parameter that is not a finite number of at least 1.

    >>> require_at_least_one(alpha=0.5)
    Traceback (most recent call last):
    askance.errors.InvalidParameter: alpha must be at least 1 and finite, got 0.5
    """
    for name, value in parameters.items():
        if not (isinstance(value, int | float) and 1 <= value <= _LARGEST):
            raise InvalidParameter(f"{name} must be at least 1 and finite, got {shown(value)}")


def require_switch(**parameters: object) -> None:
    """Raise for the first parameter that is neither True nor False.

    >>> require_switch(oracular="no")
    Traceback (most recent call last):
    askance.errors.InvalidParameter: oracular must be True or False, got 'no'
    """
    for name, value in parameters.items():
        if not isinstance(value, bool):
            raise InvalidParameter(f"{name} must be True or False, got {shown(value)}")


def is_encodable(text: str) -> bool:
    r"""Whether a text has whole characters only, as UTF-8 asks for.

    >>> is_encodable("caf\u00e9"), is_encodable("\ud800")
    (True, False)
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def shown(value: object) -> str:
    """A value as an error message has it, however long it is.

    >>> shown("a" * 10**6)
    "'aaaaaaaaaaaa...aaaaaaaaaaaaa'"
    """
    try:
        return reprlib.repr(value)
    except ValueError:
        # Python refuses to write out such numbers.
        return "a number of thousands of digits"


def saved_part(state: State, name: str, kind: type) -> Any:
    """A part of a saved state that must be of a kind: a dictionary, a list, a string, a boolean.

    >>> saved_part({"cover": 3}, "cover", list)
    Traceback (most recent call last):
    askance.errors.InvalidParameter: a saved cover must be a list, got 3
    """
    value = state[name]
    if type(value) is not kind:
        raise InvalidParameter(f"a saved {name} must be a {kind.__name__}, got {shown(value)}")
    return value


def require_whole(least: int = 0, most: int | None = None, /, **parameters: object) -> None:
    """Raise for the first parameter that is not a whole number from ``least`` on, to ``most``.

    >>> require_whole(1, probes=2.5)
    Traceback (most recent call last):
    askance.errors.InvalidParameter: probes must be a whole number from 1 on, got 2.5
    """
    for name, value in parameters.items():
        if not (
            isinstance(value, int | np.integer)
            and not isinstance(value, bool)
            and least <= value
            and (most is None or value <= most)
        ):
            end = "on" if most is None else f"to {most}"
            raise InvalidParameter(
                f"{name} must be a whole number from {least} {end}, got {shown(value)}"
            )


def saved_whole(state: State, name: str, most: int = MOST) -> int:
    """A whole number of a saved state, from 0 to ``most``.

    >>> saved_whole({"k": 2.5}, "k", most=9)
    Traceback (most recent call last):
    askance.errors.InvalidParameter: a saved k must be a whole number from 0 to 9, got 2.5
    """
    require_whole(0, most, **{f"a saved {name}": state[name]})
    return int(state[name])


def saved_number(state: State, name: str, least: float = 0.0, most: float = math.inf) -> float:
    """A finite number of a saved state, from ``least`` to ``most``.

    >>> saved_number({"coin": float("nan")}, "coin", most=1.0)
    Traceback (most recent call last):
    askance.errors.InvalidParameter: a saved coin must be finite, from 0.0 to 1.0, got nan
    """
    value = state[name]
    number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    if not (number and least <= value <= most and math.isfinite(value)):
        raise InvalidParameter(
            f"a saved {name} must be finite, from {least} to {most}, got {shown(value)}"
        )
    return float(value)


def saved_array(state: State, name: str, kinds: str, length: int | None = None) -> NDArray[Any]:
    """An array of one dimension of a saved state, finite, of numpy's ``kinds`` and a ``length``.

    >>> saved_array({"weights": np.zeros(3)}, "weights", "f", length=2)
    Traceback (most recent call last):
    askance.errors.InvalidParameter: saved weights must be 2 entries of kind f, got (3,) of float64
    """
    value = state[name]
    if not isinstance(value, np.ndarray):
        raise InvalidParameter(f"saved {name} must be an array, got {shown(value)}")
    fits = value.ndim == 1 and length in (None, len(value))
    # An array of nothing has lost its kind.
    if not (fits and (value.dtype.kind in kinds or not value.size)):
        many = "" if length is None else f"{length} "
        raise InvalidParameter(
            f"saved {name} must be {many}entries of kind {kinds}, "
            f"got {value.shape} of {value.dtype}"
        )
    if not np.isfinite(value).all():
        raise InvalidParameter(f"saved {name} must be finite, got nan or inf")
    return value


def check_row(x: Row, n_features: int | None) -> None:
    """Raise unless the indices increase, fit the features and pair with finite values.

    >>> check_row(Row(np.array([2]), np.array([1.0])), n_features=2)
    Traceback (most recent call last):
    askance.errors.InvalidRow: feature indices must lie in 0..1, got 2
    """
    indices, values = np.asarray(x.indices), np.asarray(x.values)
    if indices.shape != values.shape or indices.ndim != 1:
        raise InvalidRow(f"a row needs one index per value, got {indices.size} and {values.size}")
    if not indices.size:
        return
    if indices.dtype.kind not in "iu":
        raise InvalidRow(f"feature indices must be whole numbers, got {indices.tolist()[0]!r}")
    if values.dtype.kind not in "fiub":
        raise InvalidRow(f"a row must be numbers, got {values.tolist()[0]!r}")
    falls = indices[1:] <= indices[:-1]
    if falls.any():
        at = int(np.argmax(falls))
        before, after = indices[at : at + 2].tolist()
        if before == after:
            raise InvalidRow(f"feature {after} occurs twice in one row")
        raise InvalidRow(f"feature indices must increase, got {after} after {before}")
    if indices[0] < 0 or (n_features is not None and indices[-1] >= n_features):
        check_inside(indices, n_features)
    check_finite(values, indices)


def check_inside(indices: Integers, length: int | None, name: str = "feature indices") -> None:
    """Raise unless all indices lie from 0 to below a length, if there is one.

    >>> check_inside(np.array([2, -1]), length=None)
    Traceback (most recent call last):
    askance.errors.InvalidRow: feature indices must be 0 or more, got -1
    """
    if not len(indices):
        return
    first, last = indices.min(), indices.max()
    if length is None:
        if first < 0:
            raise InvalidRow(f"{name} must be 0 or more, got {first}")
    elif first < 0 or last >= length:
        raise InvalidRow(f"{name} must lie in 0..{length - 1}, got {first if first < 0 else last}")


def check_finite(values: Floats, indices: Integers) -> None:
    """Raise for the first value that is not finite, by the index of its feature.

    >>> check_finite(np.array([1.0, np.inf]), np.array([3, 7]))
    Traceback (most recent call last):
    askance.errors.InvalidRow: feature 7 is inf, a finite number was expected
    """
    good = np.isfinite(values)
    if not good.all():
        at = int(np.argmin(good))
        raise InvalidRow(f"feature {indices[at]} is {values[at]}, a finite number was expected")


def check_structure(X: Any) -> None:
    """Raise unless the places of a sparse matrix's entries lie inside of it.

    SciPy's compiled code looks at no bounds, and anybody can set the arrays and flags of a matrix:
    so this comes before whatever else is done with one.

    >>> X = csr_array(np.eye(2))
    >>> X.indices[1] = 10**8
    >>> check_structure(X)
    Traceback (most recent call last):
    askance.errors.InvalidRow: feature indices must lie in 0..1, got 100000000
    """
    if X.format in ("csr", "csc"):
        require_parts(X)
    elif X.format == "coo":
        for places, length in zip(X.coords, X.shape, strict=True):
            check_inside(places, length, "indices")


def check_matrix(X: Matrix, n_features: int | None) -> None:
    """Raise unless a CSR array is whole, finite and no wider than the features.

    >>> check_matrix(csr_array(np.ones((1, 3))), n_features=2)
    Traceback (most recent call last):
    askance.errors.InvalidRow: a matrix must have at most 2 columns, got 3
    """
    _check_csr(X)
    if n_features is not None and X.shape[1] > n_features:
        raise InvalidRow(f"a matrix must have at most {n_features} columns, got {X.shape[1]}")
    _, indices, values = require_parts(X)
    check_finite(values, indices)


def _check_csr(X: Any) -> None:
    if getattr(X, "format", None) != "csr" or X.ndim != 2:
        raise InvalidRow(f"examples must come as a CSR array, got {type(X).__name__}")


def require_native(array: object, kinds: str, name: str) -> Any:
    """Return an array of one dimension as compiled code takes it, or raise.

    Byte order, precision and memory layout may be any; what comes back is contiguous and of a
    native int32, int64, float32 or float64. An integer beyond int64 comes back negative, so an
    index that was too large stays one that is refused.

    >>> require_native(np.array([1, 2], ">i2"), "iu", "indices").dtype.name
    'int64'
    >>> require_native(["a"], "iu", "indices")
    Traceback (most recent call last):
    askance.errors.InvalidRow: indices must be numbers in one dimension, got dtype <U1 of shape (1,)
    """
    try:
        found = np.asarray(array)
    except ValueError:
        raise InvalidRow(f"{name} must be numbers in one dimension, got a ragged list") from None
    if found.ndim != 1 or (found.size and found.dtype.kind not in kinds):
        raise InvalidRow(
            f"{name} must be numbers in one dimension, got dtype {found.dtype} "
            f"of shape {found.shape}"
        )
    kept = _REAL if "f" in kinds else _WHOLE
    if found.dtype not in kept:
        return found.astype(kept[-1])
    # A copy for what is misaligned too: compiled loops may read several numbers at once.
    return found if found.flags.c_contiguous and found.flags.aligned else found.copy()


def require_indptr(indptr: object, rows: int, entries: int) -> Integers:
    """Return the row starts of a CSR matrix as int64, or raise unless they can be ones.

    >>> require_indptr([0, 2, 1], rows=2, entries=1)
    Traceback (most recent call last):
    askance.errors.InvalidRow: row starts must never fall, got 1 after 2
    """
    found: Integers = require_native(indptr, "iu", "row starts").astype(np.int64, copy=False)
    if len(found) != rows + 1:
        raise InvalidRow(f"{rows} rows must have {rows + 1} row starts, got {len(found)}")
    falls = np.flatnonzero(found[1:] < found[:-1])
    if len(falls):
        at = int(falls[0])
        raise InvalidRow(f"row starts must never fall, got {found[at + 1]} after {found[at]}")
    if found[0] != 0 or found[-1] != entries:
        raise InvalidRow(
            f"row starts must run from 0 to {entries}, the number of entries, "
            f"got {found[0]} to {found[-1]}"
        )
    return found


def require_labels(labels: object, n_classes: int | None = None) -> Integers:
    """Return labels -1 and +1 as int8, or raise for the first that is neither.

    With ``n_classes`` they are codes from 0 to below that, as int64.

    >>> require_labels([1, 255])
    Traceback (most recent call last):
    askance.errors.InvalidLabel: a label must be -1 or +1, got 255 in row 1
    >>> require_labels([0, 2], n_classes=3).tolist()
    [0, 2]
    """
    found, expected = np.asarray(labels), _expected(n_classes)
    if found.ndim != 1 or (found.size and found.dtype.kind not in "iuf"):
        plural = "-1 or +1" if n_classes is None else "codes"
        raise InvalidLabel(
            f"labels must be {plural} in one dimension, got dtype {found.dtype} "
            f"of shape {found.shape}"
        )
    if n_classes is None:
        bad = np.flatnonzero((found != 1) & (found != -1))
    else:
        bad = np.flatnonzero(~((found >= 0) & (found < n_classes) & (found == np.floor(found))))
    if len(bad):
        row = int(bad[0])
        raise InvalidLabel(f"a label must be {expected}, got {found[row]} in row {row}")
    return np.ascontiguousarray(found, np.int8 if n_classes is None else np.int64)


def require_codes(labels: object, n_classes: int) -> Integers:
    """Return the codes of so many classes as int64, or raise for the first that is none.

    >>> require_codes([0, 3], n_classes=3)
    Traceback (most recent call last):
    askance.errors.InvalidLabel: a label must be a code from 0 to 2, got 3 in row 1
    """
    found = np.asarray(labels)
    if found.ndim != 1 or (found.size and found.dtype.kind not in "iu"):
        raise InvalidLabel(
            f"labels must be codes in one dimension, got dtype {found.dtype} of shape {found.shape}"
        )
    bad = np.flatnonzero((found < 0) | (found >= n_classes))
    if len(bad):
        row = int(bad[0])
        raise InvalidLabel(
            f"a label must be a code from 0 to {n_classes - 1}, got {found[row]} in row {row}"
        )
    return np.ascontiguousarray(found, np.int64)


def require_coins(coins: object, rows: int) -> Floats:
    """Return coins as float64: none, or one in [0, 1) a row; else raise.

    >>> require_coins([0.5, 1.0], rows=2)
    Traceback (most recent call last):
    askance.errors.InvalidParameter: a coin must lie in [0, 1), got 1.0 in row 1
    """
    found = np.asarray(coins)
    if found.ndim != 1 or (found.size and found.dtype.kind not in "iuf"):
        raise InvalidParameter(
            f"coins must be numbers in one dimension, got dtype {found.dtype} "
            f"of shape {found.shape}"
        )
    if len(found) not in (0, rows):
        raise InvalidParameter(f"{rows} rows must have as many coins or none, got {len(found)}")
    bad = np.flatnonzero(~((found >= 0.0) & (found < 1.0)))
    if len(bad):
        row = int(bad[0])
        raise InvalidParameter(f"a coin must lie in [0, 1), got {found[row]} in row {row}")
    return np.ascontiguousarray(found, np.float64)


def require_parts(X: Any) -> tuple[Integers, Integers, Floats]:
    """Return row starts, indices and values of a CSR array as compiled code takes them, or raise.

    A CSC array has those of its columns. What SciPy allows after the last entry is left out.

    >>> starts, indices, values = require_parts(csr_array(np.eye(2, dtype=np.int8)))
    >>> starts.tolist(), indices.tolist(), values.tolist()
    ([0, 1, 2], [0, 1], [1.0, 1.0])
    """
    shape = X.shape if X.ndim == 2 else (1, *X.shape)
    lines, length = shape if X.format == "csr" else shape[::-1]
    starts = require_native(X.indptr, "iu", "row starts")
    indices = require_native(X.indices, "iu", "feature indices")
    values = require_native(X.data, "fiub", "feature values")
    entries = int(starts[-1]) if len(starts) else 0
    if not 0 <= entries <= min(len(indices), len(values)):
        raise InvalidRow(
            f"a matrix of {entries} entries must hold as many, "
            f"got {len(indices)} indices and {len(values)} values"
        )
    starts = require_indptr(starts, lines, entries)
    if len(indices) > entries or len(values) > entries:
        indices, values = indices[:entries], values[:entries]
    check_inside(indices, length)
    return starts, indices, values


def require_csr(X: Matrix, n_features: int) -> Matrix:
    """Return a CSR array that compiled code may walk, with sorted indices and no repeats; or raise.

    Nothing that the matrix says of itself is believed: SciPy lets anybody set its flags.

    >>> X = csr_array((np.ones(1), np.array([5]), np.array([0, 1])), shape=(1, 9))
    >>> require_csr(X, n_features=9) is X
    True
    >>> X.indices[0] = -5
    >>> require_csr(X, n_features=9)
    Traceback (most recent call last):
    askance.errors.InvalidRow: feature indices must lie in 0..8, got -5
    """
    _check_csr(X)
    if X.shape[1] != n_features:
        raise InvalidRow(f"examples must have {n_features} features, got {X.shape[1]}")
    starts, indices, values = require_parts(X)
    entries = len(indices)
    rises = np.ones(entries + 1, bool)
    np.greater(indices[1:], indices[:-1], out=rises[1:-1])
    rises[starts] = True
    known = X.data is values and X.indices is indices
    if rises.all():
        return X if known else csr_array((values, indices, starts), shape=X.shape)
    if known and X.has_canonical_format:
        at = int(np.flatnonzero(~rises)[0])
        raise InvalidRow(
            "feature indices must increase without repeats in a matrix that says they do, "
            f"got {indices[at]} after {indices[at - 1]}"
        )
    summed = csr_array((values.copy(), indices.copy(), starts), shape=X.shape)
    summed.sum_duplicates()
    return summed
