"""IWAL and Oracular CAL over batch oracles, in epochs: what Active Cover is compared with.

Paper: ``sec:exp_setup``, ``eq:iwal0_threshold``, ``eq:iwal_threshold``.
"""

from dataclasses import dataclass
from typing import NamedTuple, Unpack

import numpy as np

from askance.kernels.formulas import iwal_aggressive_term, iwal_slow_term
from askance.kernels.optimization import iwal_probabilities
from askance.learners.epoch_fits import Block, EpochFit, Opener
from askance.learners.epochs import EpochLearner, EpochSettings
from askance.learners.region import KnownRegion, Region, chosen_region, make_region
from askance.protocols import BatchOracle
from askance.types import Integers, Matrix
from askance.validation import (
    require_at_least_one,
    require_positive,
    require_switch,
    require_whole,
)

__all__ = ["BatchIWAL"]


class BatchIWAL(EpochLearner):
    """Query by the error difference G between the ERM and the best classifier that differs.

    Parameters
    ----------
    oracle
        Minimises weighted error.
    c0
        C_0, the size of the threshold.
    c1, c2
        Constants of the equation for the probability, as for the online IWAL.
    error_dependent
        The threshold of IWAL1, which shrinks with the ERM's error, instead of that of IWAL0.
    oracular
        Above the threshold use the prediction as label (Oracular CAL) instead of querying with a
        falling probability (IWAL).
    region, probes, **settings
        As for Active Cover.

    Examples
    --------
    >>> from askance.oracles.thresholds import ThresholdOracle
    >>> learner = BatchIWAL(ThresholdOracle(), c0=0.1, oracular=True)
    >>> learner.remaining
    3
    """

    def __init__(
        self,
        oracle: BatchOracle,
        *,
        c0: float,
        c1: float = 1.0,
        c2: float = 1.0,
        error_dependent: bool = False,
        oracular: bool = False,
        region: str | None = None,
        probes: int = 32,
        **settings: Unpack[EpochSettings],
    ) -> None:
        require_positive(c0=c0)
        require_at_least_one(c1=c1, c2=c2)
        require_whole(probes=probes)
        require_switch(error_dependent=error_dependent, oracular=oracular)
        self.c0, self.c1, self.c2 = c0, c1, c2
        self.error_dependent = error_dependent
        self.oracular = oracular
        self.region = chosen_region(oracle, region)
        self.probes = probes
        super().__init__(oracle, **settings)

    def _opener(self) -> Opener:
        constants = (self.c0, self.c1, self.c2)
        switches = (self.error_dependent, self.oracular)
        return _GapOpener(self.oracle, *constants, *switches, self.region, self.probes)


class _GapOpening(NamedTuple):
    """A region that tells G, and the two terms of the threshold."""

    a: float
    b: float
    c1: float
    c2: float
    oracular: bool
    region: Region

    @property
    def threshold(self) -> float:
        """Up to which G is asked about for sure."""
        return self.a + self.b

    @property
    def floor(self) -> float:
        """P has no floor."""
        return 0.0

    def block(self, X: Matrix, predicted: Integers) -> Block:
        """Region and query probabilities of points, given the ERM's predictions."""
        gaps = self.region.flip_regrets(X, predicted)
        if self.oracular:
            inside = gaps <= self.threshold
            return Block(predicted, inside, inside.astype(float))
        # Nothing is learned from predictions, so all points count as inside, as in IWAL0.
        probability = iwal_probabilities(gaps, self.a, self.b, self.c1, self.c2)
        return Block(predicted, np.ones(len(predicted), bool), probability)


@dataclass(frozen=True)
class _GapOpener:
    """How :class:`BatchIWAL` opens an epoch, by its parameters alone."""

    oracle: BatchOracle
    c0: float
    c1: float
    c2: float
    error_dependent: bool
    oracular: bool
    region: str
    probes: int

    def __call__(self, fit: EpochFit, points: Matrix, epoch: int) -> _GapOpening:
        """The terms of the threshold, and the region."""
        sample = fit.sample
        error = fit.error if self.error_dependent else 1.0
        a = iwal_slow_term(error, float(sample.offered), self.c0)
        b = iwal_aggressive_term(float(sample.offered), self.c0)
        # IWAL needs the difference itself, however large.
        radius = a + b if self.oracular else 1 + float(sample.weights.sum())
        region = make_region(self.region, self.oracle, sample, fit.error, radius)
        if isinstance(region, KnownRegion):
            predicted = fit.erm.predict_many(points)
            region.probe_spread(self.oracle, points, predicted, self.probes)
        return _GapOpening(a, b, self.c1, self.c2, self.oracular, region)
