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
from askance.validation import (
    check_finite,
    check_row,
    check_structure,
    require_native,
    require_parts,
)

__all__ = [
    "as_matrix",
    "as_row",
    "canonical_csr",
    "column",
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
    matrix = canonical_csr(X)
    columns, values = matrix.indices, matrix.data
    check_finite(values, columns)
    if wide:
        columns, values = columns.astype(np.int64), values.astype(np.float64)
    for start, stop in itertools.pairwise(matrix.indptr.tolist()):
        yield Row(columns[start:stop], values[start:stop])


def as_matrix(X: Any) -> Matrix:
    """Whatever holds one example per row as a CSR array with whole arrays of numbers.

    >>> as_matrix([[0.0, 2.0]]).toarray().tolist()
    [[0.0, 2.0]]
    >>> as_matrix([["a"]])
    Traceback (most recent call last):
    askance.errors.InvalidRow: examples must be numbers, got 'a'
    """
    if not scipy.sparse.issparse(X):
        return csr_array(_numbers(X, "examples", 2))
    if X.ndim != 2:
        raise InvalidRow(f"examples must have 2 dimension(s), got {X.ndim}")
    if X.format == "csr":
        # A new object over the same arrays, because it does not know what the old one claims about
        # the order of its indices: that is looked up again.
        return from_parts(*require_parts(X), X.shape[-1])
    check_structure(X)
    matrix = csr_array(X)
    matrix.data = require_native(matrix.data, "fiub", "feature values")
    return matrix


def canonical_csr(X: Any) -> Matrix:
    """A sparse matrix or dense array as CSR, without repeated, unsorted or zero entries.

    Its arrays are shared where nothing has to be changed.

    >>> X = csr_array((np.array([1.0, 2.0]), np.array([1, 1]), np.array([0, 2])), shape=(1, 3))
    >>> canonical_csr(X).data.tolist()
    [3.0]
    """
    matrix = as_matrix(X)
    if not (matrix.has_canonical_format and matrix.data.all()):
        matrix = matrix.copy()
        matrix.sum_duplicates()
        matrix.eliminate_zeros()
    return matrix


def _dense_rows(X: Floats, wide: bool) -> Iterator[Row]:
    columns = np.arange(X.shape[1])
    X = X.astype(np.float64, copy=False) if wide else X
    for x in X:
        check_finite(x, columns)
        yield _without_zeros(columns, x)


def _sparse_row(x: Any, n_features: int | None) -> Row:
    if x.ndim == 2 and x.shape[0] != 1:
        raise InvalidRow(f"a sparse row must have shape (1, d), got {x.shape}")
    _check_length(x.shape[-1], n_features)
    if x.ndim == 2:
        return next(_sparse_rows(x))
    check_structure(x)
    return next(_sparse_rows(x.reshape(1, -1)))


def _check_length(length: int, n_features: int | None) -> None:
    if n_features is not None and length != n_features:
        raise InvalidRow(f"an example must have {n_features} features, got {length}")


def _dense_row(x: object, n_features: int | None) -> Row:
    values = _numbers(x, "a row", 1)
    _check_length(len(values), n_features)
    columns = np.arange(len(values))
    check_finite(values, columns)
    return _without_zeros(columns, values)


def _checked(indices: Any, values: Any) -> Row:
    """Check, sort and strip an explicit pair."""
    columns, numbers = np.asarray(indices), _numbers(values, "a row", 1)
    if columns.dtype.kind in "iu" and columns.shape == numbers.shape:
        columns = require_native(columns, "iu", "feature indices")
        if (columns[1:] < columns[:-1]).any():
            order = np.argsort(columns, kind="stable")
            columns, numbers = columns[order], numbers[order]
    check_row(Row(columns, numbers), None)
    if not len(columns):
        return Row(columns.astype(np.int64), numbers)
    return _without_zeros(columns, numbers)


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
    return array if array.dtype in (np.float32, np.float64) else array.astype(np.float64)


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
    check_structure(X)
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
    check_structure(X)
    if j >= X.shape[1] or not X.shape[0]:
        return np.zeros(X.shape[0])
    values: Floats = X[:, j : j + 1].toarray().ravel()
    return values
