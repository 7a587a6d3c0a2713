"""Every check of a row, label, coin, weight or parameter that comes from outside."""

import math

import numpy as np

from askance.errors import InvalidLabel, InvalidParameter, InvalidRow, LabelConflict, LabelMissing
from askance.types import Decision, Label, Matrix, Row

__all__ = [
    "check_coin",
    "check_label",
    "check_matrix",
    "check_row",
    "require_label",
    "require_positive",
]


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
