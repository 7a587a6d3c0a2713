"""Rows to a sparse matrix and back: batch oracles see whole samples as one CSR array."""

from collections.abc import Sequence

import numpy as np
from scipy.sparse import csr_array, vstack

from askance.types import Floats, Matrix, Row

__all__ = ["column", "dense", "empty", "from_dense", "from_rows", "resized", "row_at", "stacked"]


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
