"""Every check of a row, label, coin, weight or parameter that comes from outside."""

import math
import reprlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from askance.errors import InvalidLabel, InvalidParameter, InvalidRow, LabelConflict, LabelMissing
from askance.types import Decision, Label, Matrix, Row, State

__all__ = [
    "check_coin",
    "check_label",
    "check_matrix",
    "check_row",
    "require_at_least_one",
    "require_label",
    "require_positive",
    "saved_array",
    "saved_number",
    "saved_part",
    "saved_whole",
    "shown",
]

MOST = 2**53
"""The largest whole number that a file may hold as a count: beyond it floats lose them."""


def check_coin(coin: float) -> None:
    """Raise unless the coin lies in [0, 1).

    >>> check_coin(1.0)
    Traceback (most recent call last):
    askance.errors.InvalidParameter: a coin must lie in [0, 1), got 1.0
    """
    if not 0.0 <= coin < 1.0:
        raise InvalidParameter(f"a coin must lie in [0, 1), got {coin}")


def check_label(decision: Decision, label: Label | None) -> None:
    """Raise unless a queried example has its label, and any other none.

    >>> check_label(Decision(1, True, 0.5, False, 3, 0.1, 0.2), 1)
    Traceback (most recent call last):
    askance.errors.LabelConflict: no label was asked for, got 1, expected None
    """
    if not decision.queried:
        if label is not None:
            raise LabelConflict(f"no label was asked for, got {label!r}, expected None")
    elif label is None:
        raise LabelMissing("a label was asked for, got None, expected -1 or +1")
    else:
        require_label(label)


def require_label(label: object) -> Label:
    """Return a label as -1 or +1, or raise; booleans are no labels.

    >>> require_label(2)
    Traceback (most recent call last):
    askance.errors.InvalidLabel: a label must be -1 or +1, got 2
    """
    if type(label) is int or (
        isinstance(label, int | float | np.integer | np.floating) and not isinstance(label, bool)
    ):
        if label == 1:
            return 1
        if label == -1:
            return -1
    raise InvalidLabel(f"a label must be -1 or +1, got {label!r}")


def require_positive(**parameters: object) -> None:
    """Raise for the first parameter that is not positive and finite.

    >>> require_positive(c0=-1.0)
    Traceback (most recent call last):
    askance.errors.InvalidParameter: c0 must be positive and finite, got -1.0
    """
    for name, value in parameters.items():
        if not (isinstance(value, int | float) and value > 0 and math.isfinite(value)):
            raise InvalidParameter(f"{name} must be positive and finite, got {value!r}")


def require_at_least_one(**parameters: object) -> None:
    """Raise for the first parameter that is not a finite number of at least 1.

    >>> require_at_least_one(alpha=0.5)
    Traceback (most recent call last):
    askance.errors.InvalidParameter: alpha must be at least 1 and finite, got 0.5
    """
    for name, value in parameters.items():
        if not (isinstance(value, int | float) and 1 <= value < math.inf):
            raise InvalidParameter(f"{name} must be at least 1 and finite, got {value!r}")


def shown(value: object) -> str:
    """A value as an error message has it, however long it is.

    >>> shown("a" * 10**6)
    "'aaaaaaaaaaaa...aaaaaaaaaaaaa'"
    """
    return reprlib.repr(value)


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


def saved_whole(state: State, name: str, most: int = MOST) -> int:
    """A whole number of a saved state, from 0 to ``most``.

    >>> saved_whole({"k": 2.5}, "k", most=9)
    Traceback (most recent call last):
    askance.errors.InvalidParameter: a saved k must be a whole number from 0 to 9, got 2.5
    """
    value = state[name]
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not (whole and 0 <= value <= most):
        raise InvalidParameter(
            f"a saved {name} must be a whole number from 0 to {most}, got {shown(value)}"
        )
    return int(value)


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
    askance.errors.InvalidRow: feature indices must lie from 0 to 1, got 2 to 2
    """
    indices, values = np.asarray(x.indices), np.asarray(x.values)
    if indices.shape != values.shape or indices.ndim != 1:
        raise InvalidRow(f"a row must pair {indices.size} indices with values, got {values.size}")
    if not np.isfinite(values).all():
        raise InvalidRow("features must be finite, got nan or inf")
    if not indices.size:
        return
    if np.any(np.diff(indices) <= 0):
        raise InvalidRow("feature indices must increase strictly, got repeated or unsorted ones")
    last = np.inf if n_features is None else n_features - 1
    if indices[0] < 0 or indices[-1] > last:
        raise InvalidRow(
            f"feature indices must lie from 0 to {last}, got {indices[0]} to {indices[-1]}"
        )


def check_matrix(X: Matrix, n_features: int | None) -> None:
    """Raise unless the matrix is finite and no wider than the features.

    >>> from askance.sparse import from_dense
    >>> check_matrix(from_dense(np.ones((1, 3))), n_features=2)
    Traceback (most recent call last):
    askance.errors.InvalidRow: a matrix must have at most 2 columns, got 3
    """
    if not np.isfinite(X.data).all():
        raise InvalidRow("features must be finite, got nan or inf")
    if n_features is not None and X.shape[1] > n_features:
        raise InvalidRow(f"a matrix must have at most {n_features} columns, got {X.shape[1]}")
