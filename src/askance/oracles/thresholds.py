"""Exact empirical risk minimisation over thresholds and axis-parallel stumps, O(n log n) each."""

from dataclasses import dataclass

import numpy as np

from askance.oracles.finite import lowest_minimiser
from askance.sparse import column
from askance.types import Floats, Integers, Label, Matrix, Row
from askance.validation import require_whole

__all__ = ["StumpOracle", "Threshold", "ThresholdOracle"]


@dataclass(frozen=True, slots=True)
class Threshold:
    """Says ``side`` where the ``feature`` exceeds ``cut`` and ``-side`` elsewhere.

    >>> Threshold(feature=0, cut=0.5, side=1).predict(Row(np.array([0]), np.array([0.7])))
    1
    """

    feature: int
    cut: float
    side: int

    def predict(self, x: Row) -> Label:
        at = int(np.searchsorted(x.indices, self.feature))
        present = at < len(x.indices) and x.indices[at] == self.feature
        value = float(x.values[at]) if present else 0.0
        return self.side if value > self.cut else -self.side

    def predict_many(self, X: Matrix) -> Integers:
        above = column(X, self.feature) > self.cut
        return np.where(above, self.side, -self.side).astype(np.int8)


class ThresholdOracle:
    """Exact ERM over thresholds on one feature.

    Of equally good ones it returns that with the lowest cut, +1 above before -1 above.

    Parameters
    ----------
    feature
        Index of the feature.
    both_sides
        Whether the class holds, beside "+1 above the cut", also "-1 above the cut".

    Examples
    --------
    >>> from askance.sparse import from_dense
    >>> X = from_dense(np.array([[1.0], [2.0], [4.0]]))
    >>> ThresholdOracle().fit(X, np.array([-1, -1, 1]), np.ones(3))
    Threshold(feature=0, cut=3.0, side=1)
    """

    def __init__(self, feature: int = 0, *, both_sides: bool = False) -> None:
        require_whole(feature=feature)
        self.feature = feature
        self.sides = (1, -1) if both_sides else (1,)

    def fit(self, X: Matrix, targets: Integers, weights: Floats) -> Threshold:
        _, best = self.best(X, targets, weights)
        return best

    def best(self, X: Matrix, targets: Integers, weights: Floats) -> tuple[float, Threshold]:
        """The least weighted error, as a sum, and the threshold that has it."""
        values, totals = _error_by_cut(column(X, self.feature), targets, weights)
        errors = np.stack([_oriented(totals, weights, side) for side in self.sides], axis=1)
        at = lowest_minimiser(errors.ravel(), weights)
        cut, side = divmod(at, len(self.sides))
        found = Threshold(self.feature, _cut_value(values, cut), self.sides[side])
        return float(errors.ravel()[at]), found

    def constrained_errors(
        self, X: Matrix, targets: Integers, weights: Floats, points: Matrix, sides: Integers
    ) -> Floats:
        values, totals = _error_by_cut(column(X, self.feature), targets, weights)
        wanted = column(points, self.feature)
        # A point strictly between two values may fall on either side of a cut between them.
        first = np.searchsorted(values, wanted, side="left")
        last = np.searchsorted(values, wanted, side="right")
        least = np.full(len(wanted), np.inf)
        for side in self.sides:
            errors = _oriented(totals, weights, side)
            above = np.minimum.accumulate(errors)[first]
            below = np.minimum.accumulate(errors[::-1])[::-1][last]
            least = np.minimum(least, np.where(np.asarray(sides) == side, above, below))
        return least


class StumpOracle:
    """Exact ERM over axis-parallel stumps: a threshold on any one feature, either way round.

    Of equally good ones it returns that on the lowest feature, of ``n_features``.

    Examples
    --------
    >>> from askance.sparse import from_dense
    >>> X = from_dense(np.array([[1.0, 5.0], [1.0, 7.0]]))
    >>> StumpOracle(2).fit(X, np.array([1, -1]), np.ones(2))
    Threshold(feature=1, cut=6.0, side=-1)
    """

    def __init__(self, n_features: int) -> None:
        require_whole(1, n_features=n_features)
        self._parts = [ThresholdOracle(j, both_sides=True) for j in range(n_features)]

    def fit(self, X: Matrix, targets: Integers, weights: Floats) -> Threshold:
        found = [part.best(X, targets, weights) for part in self._parts]
        return found[lowest_minimiser(np.array([error for error, _ in found]), weights)][1]

    def constrained_errors(
        self, X: Matrix, targets: Integers, weights: Floats, points: Matrix, sides: Integers
    ) -> Floats:
        parts = [p.constrained_errors(X, targets, weights, points, sides) for p in self._parts]
        least: Floats = np.minimum.reduce(parts)
        return least


def _error_by_cut(values: Floats, targets: Integers, weights: Floats) -> tuple[Floats, Floats]:
    """Distinct values, and the error of "+1 above" for a cut below each and above the last."""
    weights = np.asarray(weights, dtype=np.float64)
    kept = weights > 0
    distinct, group = np.unique(values[kept], return_inverse=True)
    weights, targets = weights[kept], np.asarray(targets)[kept]
    # Moving the cut above a group turns its +1 examples into mistakes and mends its -1 ones.
    changes = np.bincount(group, weights=weights * targets, minlength=len(distinct))
    start = float(weights[targets < 0].sum())
    return distinct, np.concatenate([[start], start + np.cumsum(changes)])


def _oriented(totals: Floats, weights: Floats, side: int) -> Floats:
    return totals if side > 0 else np.sum(weights) - totals


def _cut_value(values: Floats, cut: int) -> float:
    """Midway between the neighbours; below the lowest and above the highest, infinite."""
    if cut == 0:
        return -np.inf
    if cut == len(values):
        return np.inf
    low, high = float(values[cut - 1]), float(values[cut])
    middle = low + (high - low) / 2
    # Between neighbouring floats the middle rounds to one of them: the lower still separates.
    return middle if middle < high else low
