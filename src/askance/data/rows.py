"""Anything that holds the features of one example, as a Row."""

import itertools
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from scipy import sparse

from askance.errors import InvalidRow
from askance.types import Row

__all__ = ["as_row", "rows_of"]


def as_row(x: Any) -> Row:
    """Turn a Row, a dense vector, a sparse row, a mapping or a pair (indices, values) into a Row.

    Zeros of a dense vector are left out; a mapping goes from index to value.

    >>> as_row([0.0, 2.5]).indices.tolist()
    [1]
    >>> as_row({7: 1.0, 3: 2.0}).indices.tolist()
    [3, 7]
    """
    if isinstance(x, Row):
        return x
    if isinstance(x, Mapping):
        order = sorted(x)
        return _row(order, [x[i] for i in order])
    if sparse.issparse(x):
        row = x.tocsr()
        if row.ndim == 2 and row.shape[0] != 1:
            raise InvalidRow(f"a sparse example must be one row, got shape {row.shape}")
        row.sort_indices()
        return _row(row.indices, row.data)
    if isinstance(x, tuple):
        if len(x) != 2:
            raise InvalidRow(f"a tuple must be the pair (indices, values), got {len(x)} parts")
        return _row(*x)
    dense = _reals(x)
    indices = np.flatnonzero(dense)
    return Row(indices, dense[indices])


def rows_of(X: Any) -> Iterator[Row]:
    """The rows of a dense or sparse matrix, without copying a sparse one.

    >>> [row.indices.tolist() for row in rows_of([[0.0, 1.0], [2.0, 3.0]])]
    [[1], [0, 1]]
    """
    if not sparse.issparse(X):
        for dense in np.asarray(X):
            yield as_row(dense)
        return
    matrix = X.tocsr()
    if not matrix.has_sorted_indices:
        matrix = matrix.sorted_indices()
    for start, stop in itertools.pairwise(matrix.indptr.tolist()):
        yield Row(matrix.indices[start:stop], matrix.data[start:stop])


def _row(indices: Any, values: Any) -> Row:
    found = np.asarray(indices)
    return Row(found if found.size else found.astype(np.int64), _reals(values))


def _reals(values: Any) -> np.ndarray[Any, np.dtype[Any]]:
    try:
        found = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidRow(f"feature values must be real numbers, got {values!r}") from error
    if found.ndim != 1:
        raise InvalidRow(f"an example must have one dimension, got {found.ndim}")
    return found
