"""A small world that can be enumerated: every expectation in the paper, computed exactly."""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from askance.learners.epochs import EpochLearner
from askance.oracles.finite import Vote, VoteOracle
from askance.theory.instances import Instance, certainty
from askance.types import Bools, Floats, Integers, Matrix

__all__ = ["Domain", "threshold_domain"]


@dataclass(frozen=True)
class Domain:
    """Finitely many equally likely points and finitely many classifiers.

    Parameters
    ----------
    votes
        (points, classifiers): every prediction.
    positive
        Pr(Y = +1) at each point.
    """

    votes: Integers
    positive: Floats

    @property
    def points(self) -> Matrix:
        """The points, in the layout of :class:`~askance.oracles.finite.VoteOracle`."""
        common = np.ones((len(self.votes), 1))
        return csr_array(np.hstack([common, (self.votes < 0).astype(float)]))

    @property
    def oracle(self) -> VoteOracle:
        return VoteOracle(self.votes.shape[1])

    def errors(self, weights: Bools | Floats | None = None) -> Floats:
        """err(h) of every classifier; with weights of the points, or the region that counts."""
        wrong = np.where(self.votes > 0, 1 - self.positive[:, None], self.positive[:, None])
        kept = wrong if weights is None else wrong * weights[:, None]
        errors: Floats = kept.mean(axis=0)
        return errors

    @property
    def best(self) -> int:
        """h*."""
        return int(np.argmin(self.errors()))

    def stream(self, n: int, rng: np.random.Generator) -> Instance:
        at = rng.integers(len(self.votes), size=n)
        labels = np.where(rng.random(n) < self.positive[at], 1, -1)
        return Instance(self.points[at], labels, self.best)

    def disagreement(self, good: Bools) -> Bools:
        """DIS(A) at every point."""
        chosen = self.votes[:, good]
        differs: Bools = chosen.min(axis=1) != chosen.max(axis=1)
        return differs

    def disagreement_coefficient(self) -> float:
        """The coefficient theta. Paper: ``eqn:dis-coeff``."""
        distance = (self.votes != self.votes[:, [self.best]]).mean(axis=0)
        ratios = [
            self.disagreement(distance <= radius).mean() / radius
            for radius in np.unique(distance[distance > 0])
        ]
        return float(max(ratios))

    def tsybakov_factor(self, omega: float) -> float:
        """The least zeta for which ``eqn:tsybakov`` holds with this exponent."""
        errors = self.errors()
        regrets = errors - errors[self.best]
        distance = (self.votes != self.votes[:, [self.best]]).mean(axis=0)
        differs = distance > 0
        return float(np.max(distance[differs] / regrets[differs] ** omega))

    @staticmethod
    def index(learner: EpochLearner) -> int:
        """Which classifier the learner's ERM is."""
        assert isinstance(learner.classifier, Vote)
        return learner.classifier.index


def threshold_domain(
    points: int, noise: float = 0.0, *, omega: float | None = None, both_sides: bool = False
) -> Domain:
    """Thresholds on a grid, the best in the middle.

    Labels are flipped at a constant rate, or by Tsybakov noise of exponent ``omega``.

    >>> threshold_domain(10, 0.1).disagreement_coefficient()
    2.0
    """
    grid = np.arange(points)
    votes = np.where(grid[:, None] >= np.arange(points + 1), 1, -1)
    if both_sides:
        votes = np.hstack([votes, -votes])
    flipped = np.full(points, noise)
    if omega is not None:
        flipped = (1 - certainty(np.abs((grid + 0.5) / points - 0.5), omega)) / 2
    positive = np.where(grid >= points // 2, 1 - flipped, flipped)
    return Domain(votes, positive)
