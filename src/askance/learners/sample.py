"""Z-tilde: every example offered so far, with its target and its weight."""

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from askance.errors import InvalidParameter
from askance.protocols import BatchClassifier
from askance.sparse import empty, stacked
from askance.types import Bools, Floats, Integers, Matrix, State
from askance.validation import (
    check_inside,
    require_indptr,
    require_native,
    saved_array,
    saved_part,
    saved_whole,
)

__all__ = ["Sample", "Snapshot", "matrix_from_state", "matrix_state"]

_WIDEST = 2**31 - 1
"""The most features that a matrix may have: its indices must fit into 32 bits."""


class Snapshot(NamedTuple):
    """Z-tilde when an epoch closed: the examples that carry weight, and how many were offered."""

    X: Matrix
    targets: Integers
    weights: Floats
    offered: int

    def error(self, classifier: BatchClassifier) -> float:
        """err(h, Z-tilde)."""
        wrong = classifier.predict_many(self.X) != self.targets
        return float(np.sum(self.weights[wrong])) / self.offered if self.offered else 0.0


class Sample:
    """Grows by blocks of examples, which are joined when they are asked for."""

    def __init__(self) -> None:
        self._blocks: list[Matrix] = []
        self._targets: list[Integers] = []
        self._weights: list[Floats] = []

    def append(
        self, X: Matrix, targets: Integers, weights: Floats, outside: Bools | None = None
    ) -> None:
        """Add a block of examples, whatever their weights and whether ``outside`` the region."""
        self._blocks.append(X)
        self._targets.append(np.asarray(targets, dtype=np.int8))
        self._weights.append(np.asarray(weights, dtype=np.float64))

    def joined(self) -> tuple[Matrix, Integers, Floats]:
        """Every example, in the order in which they were learned."""
        if len(self._blocks) != 1:
            self._blocks = [stacked(self._blocks) if self._blocks else empty()]
            self._targets = [np.concatenate([np.zeros(0, np.int8), *self._targets])]
            self._weights = [np.concatenate([np.zeros(0), *self._weights])]
        return self._blocks[0], self._targets[0], self._weights[0]

    def snapshot(self, offered: int) -> Snapshot:
        """The first ``offered`` examples, less those of weight zero."""
        X, targets, weights = self.joined()
        kept = np.flatnonzero(weights[:offered] > 0)
        return Snapshot(X[kept], targets[kept], weights[kept], offered)

    def note(self, offered: int) -> None:
        """Note that an epoch will begin with so many; here nothing need be kept for that."""

    def begin(self, offered: int) -> Snapshot:
        """The snapshot that an epoch begins with."""
        return self.snapshot(offered)

    def newest(self, offered: int, count: int) -> Matrix:
        """The last ``count`` points of the first ``offered``."""
        X, _, _ = self.joined()
        return X[max(offered - count, 0) : offered]

    def get_state(self) -> State:
        X, targets, weights = self.joined()
        return {"X": matrix_state(X), "targets": targets.copy(), "weights": weights.copy()}

    def set_state(self, state: State, count: int, n_features: int | None) -> None:
        """Take over ``count`` examples of at most ``n_features`` features."""
        X = matrix_from_state(saved_part(state, "X", dict), n_features)
        if X.shape[0] != count:
            raise InvalidParameter(f"a saved sample must have {count} rows, got {X.shape[0]}")
        targets = saved_array(state, "targets", "i", length=count)
        weights = saved_array(state, "weights", "f", length=count)
        if not np.isin(targets, (-1, 1)).all():
            raise InvalidParameter("saved targets must be -1 or +1, got something else")
        if count and weights.min() < 0:
            raise InvalidParameter(f"saved weights must not be negative, got {weights.min()}")
        self._blocks = [X]
        self._targets = [np.array(targets, dtype=np.int8)]
        self._weights = [np.array(weights, dtype=np.float64)]


def matrix_state(X: Matrix) -> State:
    """A CSR array as plain arrays."""
    return {
        "values": X.data.copy(),
        "indices": X.indices.astype(np.int64),
        "indptr": X.indptr.astype(np.int64),
        "width": int(X.shape[1]),
    }


def matrix_from_state(state: State, n_features: int | None = None) -> Matrix:
    """The CSR array of :func:`matrix_state`, checked, because kernels trust it.

    ``n_features`` is its largest width, if that is known.

    >>> parts = {"values": np.ones(1), "indices": np.array([7]), "indptr": np.array([0, 1])}
    >>> matrix_from_state(parts | {"width": 3})
    Traceback (most recent call last):
    askance.errors.InvalidRow: saved indices must lie in 0..2, got 7
    """
    width = saved_whole(state, "width", _WIDEST if n_features is None else max(n_features, 1))
    indices = saved_array(state, "indices", "iu")
    values = saved_array(state, "values", "fiub", length=len(indices))
    indptr = saved_array(state, "indptr", "iu")
    rows = max(len(indptr) - 1, 0)
    starts = require_indptr(indptr, rows, len(indices))
    check_inside(indices, width, "saved indices")
    kept = np.array(require_native(indices, "iu", "saved indices"))
    return csr_array((np.array(values), kept, starts), shape=(rows, width))
