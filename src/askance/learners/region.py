"""Which points lie in the disagreement region: DIS(A_m) asked of an ERM oracle.

Each region answers one question for many points: how small is the empirical regret of a classifier
that flips the ERM's prediction there, as far as it is within the radius? The region is where the
answer is finite.
"""

import logging
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from askance.errors import InvalidParameter
from askance.learners.sample import Snapshot
from askance.protocols import BatchClassifier, BatchOracle, ExactOracle
from askance.sparse import stacked
from askance.types import Floats, Integers, Label, Matrix

__all__ = [
    "ExactRegion",
    "KnownRegion",
    "OneCallRegion",
    "Region",
    "chosen_region",
    "flipping_classifier",
    "make_region",
    "spread",
]

_LOG = logging.getLogger("askance")
# A tie counts as flipped: this share of the sample's size, in weight, tips it.
TIE = 1e-9
_SCALES = (1.0, 2.0, 4.0, 8.0)
_MANY_CALLS = 1000
REGIONS = ("exact", "known", "one-call")


class Region(Protocol):
    """The common question."""

    def flip_regrets(self, X: Matrix, predicted: Integers) -> Floats:
        """Least known regret of a classifier that differs from ``predicted`` at each point.

        Infinite where it exceeds the radius.
        """


@dataclass(eq=False)
class ExactRegion:
    """The constrained ERM at every point, in one computation: what exact oracles offer.

    Paper: ``sec:optimization`` (h', the best classifier with h(x) != h_m(x)).
    """

    oracle: ExactOracle
    sample: Snapshot
    erm_error: float
    radius: float

    def flip_regrets(self, X: Matrix, predicted: Integers) -> Floats:
        sample = self.sample
        if not X.shape[0]:
            return np.zeros(0)
        errors = self.oracle.constrained_errors(
            sample.X, sample.targets, sample.weights, X, -predicted
        )
        regrets = errors / sample.offered - self.erm_error
        return np.where(regrets <= self.radius + TIE, np.maximum(regrets, 0.0), np.inf)


def flipping_classifier(
    oracle: BatchOracle, sample: Snapshot, x: Matrix, predicted: Label, radius: float
) -> BatchClassifier | None:
    """One call: ERM on Z-tilde and x with the opposite label, at weight tau times the radius.

    Returns the result if it flips x. Paper: ``sec:optimization``.
    """
    weight = sample.offered * (radius + TIE)
    found = oracle.fit(
        stacked([sample.X, x]),
        np.append(sample.targets, -predicted),
        np.append(sample.weights, weight),
    )
    return found if int(found.predict_many(x)[0]) != predicted else None


@dataclass(eq=False)
class OneCallRegion:
    """One call to the oracle for each point: right for any oracle, and slow."""

    oracle: BatchOracle
    sample: Snapshot
    erm_error: float
    radius: float
    _calls: int = field(default=0, init=False)

    def flip_regrets(self, X: Matrix, predicted: Integers) -> Floats:
        self._count_calls(X.shape[0])
        regrets = np.full(X.shape[0], np.inf)
        for i in range(X.shape[0]):
            found = flipping_classifier(
                self.oracle, self.sample, X[[i]], int(predicted[i]), self.radius
            )
            if found is not None:
                regrets[i] = max(self.sample.error(found) - self.erm_error, 0.0)
        return regrets

    def _count_calls(self, wanted: int) -> None:
        """Warn, before the first call that makes them many in this epoch."""
        before, self._calls = self._calls, self._calls + wanted
        if before <= _MANY_CALLS < self._calls:
            _LOG.warning(
                "the one-call test of disagreement is about to fit the oracle %d times on %d"
                ' examples in this epoch so far; region="known" is the fast alternative',
                *(self._calls, self.sample.X.shape[0] + 1),
            )


@dataclass(eq=False)
class KnownRegion:
    """The fast rule: a point is inside if a classifier known to be within the radius flips it.

    What is known: the answers of the one-call test at a few probes, classifiers that flip as many
    points as they can at once, and whatever the solver of (OP) found. Never larger than the region
    of an exact oracle; how much smaller is measured.
    """

    sample: Snapshot
    erm_error: float
    radius: float
    known: list[tuple[BatchClassifier, float]] = field(default_factory=list, init=False)

    def add(self, classifier: BatchClassifier) -> None:
        """Remember the classifier if it is within the radius."""
        regret = self.sample.error(classifier) - self.erm_error
        if regret <= self.radius + TIE:
            self.known.append((classifier, max(regret, 0.0)))

    def probe(self, oracle: BatchOracle, X: Matrix, predicted: Integers) -> None:
        """Ask the one-call test at these points, and remember what flips them."""
        for i in range(X.shape[0]):
            found = flipping_classifier(oracle, self.sample, X[[i]], int(predicted[i]), self.radius)
            if found is not None:
                self.add(found)

    def probe_spread(self, oracle: BatchOracle, X: Matrix, predicted: Integers, count: int) -> None:
        """Ask at so many of these points one by one, and at all of them together."""
        chosen = spread(X.shape[0], count)
        self.probe(oracle, X[chosen], predicted[chosen])
        self.probe_together(oracle, X, predicted)

    def probe_together(self, oracle: BatchOracle, X: Matrix, predicted: Integers) -> None:
        """Ask for classifiers that flip many points at once, and remember those within the radius.

        Flip all points, those predicted +1 or those predicted -1, at several total weights about
        that of the one-call test: the larger it is, the more is flipped, and the more regret paid.
        """
        sample = self.sample
        joined = stacked([sample.X, X])
        targets = np.concatenate([sample.targets, -predicted])
        for chosen in (predicted != 0, predicted > 0, predicted < 0):
            for scale in _SCALES if chosen.any() else ():
                weight = scale * sample.offered * (self.radius + TIE) / chosen.sum()
                weights = np.concatenate([sample.weights, weight * chosen])
                self.add(oracle.fit(joined, targets, weights))

    def flip_regrets(self, X: Matrix, predicted: Integers) -> Floats:
        regrets = np.full(X.shape[0], np.inf)
        for classifier, regret in self.known:
            differs = classifier.predict_many(X) != predicted
            regrets[differs] = np.minimum(regrets[differs], regret)
        return regrets


def make_region(
    kind: str, oracle: BatchOracle, sample: Snapshot, erm_error: float, radius: float
) -> Region:
    """The region of the given kind."""
    if kind == "known":
        return KnownRegion(sample, erm_error, radius)
    if kind == "exact" and isinstance(oracle, ExactOracle):
        return ExactRegion(oracle, sample, erm_error, radius)
    return OneCallRegion(oracle, sample, erm_error, radius)


def chosen_region(oracle: BatchOracle, region: str | None) -> str:
    """The kind asked for if the oracle can serve it; by default the best that it can."""
    exact = isinstance(oracle, ExactOracle)
    chosen = region or ("exact" if exact else "one-call")
    if chosen not in REGIONS:
        raise InvalidParameter(f"region must be one of {', '.join(REGIONS)}, got {chosen!r}")
    if chosen == "exact" and not exact:
        raise InvalidParameter("region 'exact' needs an oracle with constrained_errors, got none")
    return chosen


def spread(n: int, count: int) -> Integers:
    """At most ``count`` indices, evenly spread over n: points come in random order already."""
    return np.unique(np.linspace(0, n - 1, min(n, count)).astype(int)) if n else np.zeros(0, int)
