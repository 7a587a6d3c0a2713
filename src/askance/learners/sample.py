"""Z-tilde: every example offered so far, with its target and its weight."""

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from askance.protocols import BatchClassifier
from askance.sparse import empty, stacked
from askance.types import Floats, Integers, Matrix, State

__all__ = ["Sample", "Snapshot", "matrix_from_state", "matrix_state"]


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

    def append(self, X: Matrix, targets: Integers, weights: Floats) -> None:
        """Add a block of examples, whatever their weights."""
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

    def newest(self, offered: int, count: int) -> Matrix:
        """The last ``count`` points of the first ``offered``."""
        X, _, _ = self.joined()
        return X[max(offered - count, 0) : offered]

    def get_state(self) -> State:
        X, targets, weights = self.joined()
        return {"X": matrix_state(X), "targets": targets.copy(), "weights": weights.copy()}

    def set_state(self, state: State) -> None:
        self._blocks = [matrix_from_state(state["X"])]
        self._targets = [np.array(state["targets"], dtype=np.int8)]
        self._weights = [np.array(state["weights"], dtype=np.float64)]


def matrix_state(X: Matrix) -> State:
    """A CSR array as plain arrays."""
    return {
        "values": X.data.copy(),
        "indices": X.indices.astype(np.int64),
        "indptr": X.indptr.astype(np.int64),
        "width": int(X.shape[1]),
    }


def matrix_from_state(state: State) -> Matrix:
    """The CSR array of :func:`matrix_state`."""
    shape = (len(state["indptr"]) - 1, state["width"])
    parts = (np.array(state["values"]), np.array(state["indices"]), np.array(state["indptr"]))
    return csr_array(parts, shape=shape)
