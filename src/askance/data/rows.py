"""Anything that a person may hold in hand -> Row."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import scipy.sparse

from askance.data.dataset import Csr, Dataset
from askance.errors import InvalidRow
from askance.types import Floats, Integers, Row

__all__ = ["as_row", "rows_of"]


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


def rows_of(X: object) -> Iterator[Row]:
    """Walk over the rows of a data set, a sparse matrix or a dense 2-D array, without copies.

    Only a dense row that holds zeros is copied, because a row holds none.

    >>> [row.indices.tolist() for row in rows_of(np.array([[1.0, 0.0], [2.0, 3.0]]))]
    [[0], [0, 1]]
    """
    if isinstance(X, Dataset):
        return X.csr.rows()
    if scipy.sparse.issparse(X):
        return _sparse_rows(X)
    return _dense_rows(_numbers(X, "examples", 2))


def _sparse_rows(X: Any) -> Iterator[Row]:
    matrix = scipy.sparse.csr_array(X)
    if not matrix.has_canonical_format or not matrix.data.all():
        matrix = matrix.copy()
        matrix.sum_duplicates()
        matrix.eliminate_zeros()
    _check_finite(matrix.data, matrix.indices)
    return Csr(matrix.indptr, matrix.indices, _floats(matrix.data)).rows()


def _dense_rows(X: Floats) -> Iterator[Row]:
    columns = np.arange(X.shape[1])
    for x in X:
        _check_finite(x, columns)
        yield _without_zeros(columns, x)


def _sparse_row(x: Any, n_features: int | None) -> Row:
    if x.ndim == 2 and x.shape[0] != 1:
        raise InvalidRow(f"a sparse row must have shape (1, d), got {x.shape}")
    _check_length(x.shape[-1], n_features)
    return next(_sparse_rows(x.reshape(1, -1)))


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
