"""Rows and matrices: what a person holds in hand becomes a Row, many rows a SciPy CSR array.

Every matrix in the package is a ``scipy.sparse.csr_array``, and rows are taken from it here.
"""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import scipy.sparse
from scipy.sparse import csr_array, vstack

from askance.errors import InvalidRow
from askance.types import Floats, Integers, Matrix, Row

__all__ = [
    "as_row",
    "column",
    "dense",
    "empty",
    "from_dense",
    "from_parts",
    "from_rows",
    "narrowed",
    "resized",
    "row_at",
    "rows_of",
    "stacked",
]


def as_row(x: object, n_features: int | None = None) -> Row:
    """Make a row of a dense vector, a sparse row, a mapping or a pair (indices, values).

    Zeros are left out and indices sorted; what is not one finite number per distinct feature is an
    error, and so is a vector that has not ``n_features`` entries, where that number is given. A Row
    is handed on as it is: the oracle that meets it checks it.

    >>> as_row([0.0, 2.5, 0.0, 1.0]).indices.tolist()
    [1, 3]
    >>> as_row({3: 1.0, 1: 2.5}).values.tolist()
    [2.5, 1.0]
    >>> as_row(([7, 2], [1.0, 4.0])).indices.tolist()
    [2, 7]
    """
    if isinstance(x, Row):
        return x
    if isinstance(x, Mapping):
        return _checked(list(x.keys()), list(x.values()))
    if scipy.sparse.issparse(x):
        return _sparse_row(x, n_features)
    if isinstance(x, tuple) and len(x) == 2 and all(np.ndim(part) == 1 for part in x):
        return _checked(*x)
    return _dense_row(x, n_features)


def rows_of(X: object, *, wide: bool = False) -> Iterator[Row]:
    """Walk over the rows of a sparse matrix or a dense 2-D array, without copies.

    Only a dense row that holds zeros is copied, because a row holds none; and if the rows shall be
    ``wide``, int64 and float64, the types for which the learners' steps are compiled.

    >>> [row.indices.tolist() for row in rows_of(np.array([[1.0, 0.0], [2.0, 3.0]]))]
    [[0], [0, 1]]
    """
    if scipy.sparse.issparse(X):
        return _sparse_rows(X, wide)
    return _dense_rows(_numbers(X, "examples", 2), wide)


def _sparse_rows(X: Any, wide: bool = False) -> Iterator[Row]:
    # First of all: SciPy's compiled code reads wherever a wrong index points.
    _check_structure(X)
    # A new object over the same arrays, because it does not know what the old one claims about the
    # order of its indices: that is looked up again.
    matrix = csr_array(X) if X.format != "csr" or X.ndim != 2 else _native(X)
    if not matrix.has_canonical_format or not matrix.data.all():
        matrix = matrix.copy()
        matrix.sum_duplicates()
        matrix.eliminate_zeros()
    _check_finite(matrix.data, matrix.indices)
    columns, values = matrix.indices, _floats(matrix.data)
    if wide:
        columns, values = columns.astype(np.int64), values.astype(np.float64)
    for start, stop in itertools.pairwise(matrix.indptr.tolist()):
        yield Row(columns[start:stop], values[start:stop])


def _native(X: Any) -> Matrix:
    return from_parts(_whole(X.indptr), _whole(X.indices), _floats(X.data), X.shape[1])


def _check_structure(X: Any) -> None:
    """Raise unless the places of a matrix's entries lie inside of it."""
    shape = X.shape if X.ndim == 2 else (1, *X.shape)
    if X.format in ("csr", "csc"):
        lines, length = shape if X.format == "csr" else shape[::-1]
        _check_pointers(X.indptr, lines, min(len(X.indices), len(X.data)))
        _check_inside(X.indices[: X.indptr[-1]], length)
    elif X.format == "coo":
        for places, length in zip(X.coords, X.shape, strict=True):
            _check_inside(places, length)


def _check_pointers(indptr: Integers, lines: int, entries: int) -> None:
    increases = (
        len(indptr) == lines + 1
        and indptr[0] == 0
        and bool((indptr[1:] >= indptr[:-1]).all())
        and indptr[-1] <= entries
    )
    if not increases:
        raise InvalidRow(
            f"indptr must have {lines + 1} numbers that grow from 0 to at most {entries}, got "
            f"{len(indptr)} from {indptr.min(initial=0)} to {indptr.max(initial=0)}"
        )


def _check_inside(places: Integers, length: int) -> None:
    if not len(places):
        return
    first, last = int(places.min()), int(places.max())
    if first < 0 or last >= length:
        raise InvalidRow(f"indices must lie from 0 to {length - 1}, got {first} to {last}")


def _dense_rows(X: Floats, wide: bool) -> Iterator[Row]:
    columns = np.arange(X.shape[1])
    X = X.astype(np.float64, copy=False) if wide else X
    for x in X:
        _check_finite(x, columns)
        yield _without_zeros(columns, x)


def _sparse_row(x: Any, n_features: int | None) -> Row:
    if x.ndim == 2 and x.shape[0] != 1:
        raise InvalidRow(f"a sparse row must have shape (1, d), got {x.shape}")
    _check_length(x.shape[-1], n_features)
    _check_structure(x)
    return next(_sparse_rows(x if x.ndim == 2 else x.reshape(1, -1)))


def _check_length(length: int, n_features: int | None) -> None:
    if n_features is not None and length != n_features:
        raise InvalidRow(f"an example must have {n_features} features, got {length}")


def _dense_row(x: object, n_features: int | None) -> Row:
    values = _numbers(x, "a row", 1)
    _check_length(len(values), n_features)
    columns = np.arange(len(values))
    _check_finite(values, columns)
    return _without_zeros(columns, values)


def _checked(indices: Any, values: Any) -> Row:
    """Check, sort and strip an explicit pair."""
    columns = np.asarray(indices)
    numbers = _numbers(values, "a row", 1)
    if columns.ndim != 1 or len(columns) != len(numbers):
        raise InvalidRow(f"a row needs one index per value, got {columns.size} and {numbers.size}")
    if not len(columns):
        return Row(columns.astype(np.int64), numbers)
    if columns.dtype.kind not in "iu":
        raise InvalidRow(f"feature indices must be whole numbers, got {columns.tolist()[0]!r}")
    columns = _whole(columns)
    if (np.diff(columns) <= 0).any():
        order = np.argsort(columns, kind="stable")
        columns, numbers = columns[order], numbers[order]
    _check_indices(columns)
    _check_finite(numbers, columns)
    return _without_zeros(columns, numbers)


def _check_indices(columns: Integers) -> None:
    if columns[0] < 0:
        raise InvalidRow(f"feature indices must be 0 or more, got {columns[0]}")
    repeated = np.flatnonzero(np.diff(columns) == 0)
    if len(repeated):
        raise InvalidRow(f"feature {columns[repeated[0]]} occurs twice in one row")


def _check_finite(values: Floats, columns: Integers) -> None:
    bad = np.flatnonzero(~np.isfinite(values))
    if len(bad):
        raise InvalidRow(
            f"feature {columns[bad[0]]} is {values[bad[0]]}, a finite number was expected"
        )


def _without_zeros(columns: Integers, values: Floats) -> Row:
    if values.all():
        return Row(columns, values)
    kept = np.flatnonzero(values)
    return Row(columns[kept], values[kept])


def _numbers(x: object, what: str, dimensions: int) -> Floats:
    try:
        array = np.asarray(x)
    except ValueError as error:
        raise InvalidRow(f"{what} must be numbers, got lists of unequal lengths") from error
    if array.ndim != dimensions:
        raise InvalidRow(f"{what} must have {dimensions} dimension(s), got {array.ndim}")
    if array.size and array.dtype.kind not in "biuf":
        raise InvalidRow(f"{what} must be numbers, got {array.ravel().tolist()[0]!r}")
    return _floats(array)


def _floats(array: Any) -> Floats:
    """Keep float32 and float64 as they are; all other numbers become float64."""
    kept = array.dtype in (np.float32, np.float64)
    floats: Floats = array if kept else array.astype(np.float64)
    return floats


def _whole(array: Any) -> Integers:
    """Keep int32 and int64 as they are; all other whole numbers become int64.

    Differences of unsigned numbers are never negative, and kernels take no foreign byte order.
    """
    kept = array.dtype in (np.int32, np.int64)
    whole: Integers = array if kept else array.astype(np.int64)
    return whole


def empty() -> Matrix:
    """No examples."""
    return csr_array((0, 1), dtype=np.float64)


def from_rows(rows: Sequence[Row]) -> Matrix:
    """One matrix row for each row of features.

    >>> from_rows([Row(np.array([0, 2]), np.array([1.0, 5.0]))]).toarray().tolist()
    [[1.0, 0.0, 5.0]]
    """
    if not rows:
        return empty()
    indices = np.concatenate([np.asarray(row.indices, dtype=np.int64) for row in rows])
    values = np.concatenate([np.asarray(row.values, dtype=np.float64) for row in rows])
    indptr = np.concatenate([[0], np.cumsum([len(row.indices) for row in rows])])
    width = int(indices.max()) + 1 if len(indices) else 1
    return csr_array((values, indices, indptr), shape=(len(rows), width))


def from_parts(indptr: Integers, indices: Integers, values: Floats, width: int) -> Matrix:
    """A matrix over these arrays: row i has the entries ``indptr[i]`` to ``indptr[i + 1]``.

    Given 64-bit numbers in ``indptr``, SciPy would copy 32-bit indices to 64 bits, at twice the
    memory and another compilation of every kernel: so ``indptr`` is narrowed where it can be.

    >>> two = from_parts(np.array([0, 1, 3]), np.array([2, 0, 1], np.int32), np.ones(3), width=3)
    >>> two.toarray().tolist(), two.indices.dtype.name
    ([[0.0, 0.0, 1.0], [1.0, 1.0, 0.0]], 'int32')
    """
    small = indices.dtype == np.int32 and indptr[-1] <= np.iinfo(np.int32).max
    ends = indptr.astype(np.int32 if small else np.int64, copy=False)
    return csr_array((values, indices, ends), shape=(len(indptr) - 1, width))


def from_dense(X: Floats) -> Matrix:
    """A CSR array of a dense one.

    >>> from_dense(np.array([[0.0, 2.0]])).nnz
    1
    """
    return csr_array(np.atleast_2d(np.asarray(X, dtype=np.float64)))


def row_at(X: Matrix, i: int) -> Row:
    """The i-th example.

    >>> row_at(from_dense(np.array([[0.0, 2.0]])), 0).indices.tolist()
    [1]
    """
    span = slice(X.indptr[i], X.indptr[i + 1])
    return Row(X.indices[span], X.data[span])


def resized(X: Matrix, width: int) -> Matrix:
    """The same examples with exactly ``width`` columns: missing ones are zero, others are cut.

    >>> resized(from_dense(np.array([[1.0]])), 3).shape
    (1, 3)
    """
    if X.shape[1] == width:
        return X
    if X.shape[1] > width:
        return X[:, :width]
    return csr_array((X.data, X.indices, X.indptr), shape=(X.shape[0], width))


def narrowed(X: Matrix) -> Matrix:
    """The same examples with columns for the features that occur only, in the same order.

    >>> narrowed(from_dense(np.array([[0.0, 2.0, 0.0, 5.0]]))).toarray().tolist()
    [[2.0, 5.0]]
    """
    used, places = np.unique(X.indices, return_inverse=True)
    return from_parts(X.indptr, places.astype(X.indices.dtype), X.data, len(used))


def stacked(parts: Sequence[Matrix]) -> Matrix:
    """The examples of several matrices, one under the other.

    >>> stacked([from_dense(np.eye(2)), from_dense(np.ones((1, 3)))]).shape
    (3, 3)
    """
    width = max((part.shape[1] for part in parts), default=1)
    kept = [resized(part, width) for part in parts if part.shape[0]]
    if not kept:
        return resized(empty(), width)
    return kept[0] if len(kept) == 1 else csr_array(vstack(kept, format="csr"))


def column(X: Matrix, j: int) -> Floats:
    """Feature ``j`` of every example, zero where it is missing.

    >>> column(from_dense(np.array([[1.0], [3.0]])), 0).tolist()
    [1.0, 3.0]
    """
    if j >= X.shape[1] or not X.shape[0]:
        return np.zeros(X.shape[0])
    values: Floats = X[:, [j]].toarray().ravel()
    return values


def dense(X: Matrix, width: int) -> Floats:
    """A dense array with exactly ``width`` columns."""
    array: Floats = resized(X, width).toarray()
    return array
