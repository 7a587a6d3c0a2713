"""Rows and matrices that nobody can learn from are refused, in one sentence."""

import numpy as np

from askance.errors import InvalidRow
from askance.types import Matrix, Row

__all__ = ["check_matrix", "check_row"]


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

    >>> from askance.kernels.matrices import from_dense
    >>> check_matrix(from_dense(np.ones((1, 3))), n_features=2)
    Traceback (most recent call last):
    askance.errors.InvalidRow: a matrix must have at most 2 columns, got 3
    """
    if not np.isfinite(X.data).all():
        raise InvalidRow("features must be finite, got nan or inf")
    if n_features is not None and X.shape[1] > n_features:
        raise InvalidRow(f"a matrix must have at most {n_features} columns, got {X.shape[1]}")
