"""Active Cover: query where good classifiers disagree, as rarely as their variance allows.

Paper: ``alg:main``.
"""

import logging
from dataclasses import dataclass
from typing import NamedTuple, Unpack

import numpy as np

from askance.errors import InvalidParameter
from askance.learners.constants import Constants, EpochTerms
from askance.learners.coordinate_ascent import Problem, Solution, solve
from askance.learners.epoch_fits import Block, EpochFit, Opener, Opening
from askance.learners.epochs import EpochLearner, EpochSettings
from askance.learners.region import (
    KnownRegion,
    OneCallRegion,
    Region,
    chosen_region,
    make_region,
    spread,
)
from askance.protocols import BatchOracle
from askance.types import Integers, Matrix
from askance.validation import require_whole

__all__ = ["ActiveCover", "Audit"]

_LOG = logging.getLogger("askance")
_ROUNDS = 3


@dataclass(frozen=True, slots=True)
class Audit:
    """How often the fast rule and the one-call test differed in one ``epoch``, on some ``points``.

    ``only_one_call`` of them were inside by the test alone, ``only_known`` by the rule alone.
    """

    epoch: int
    points: int
    only_one_call: int
    only_known: int


class ActiveCover(EpochLearner):
    """Algorithm 1 of the paper, whole, with any ERM oracle.

    Parameters
    ----------
    oracle
        Minimises weighted error; exact oracles make the theorems hold.
    constants
        ``Constants.practical(...)`` or ``Constants.theory(...)``.
    region
        How to test for disagreement: ``"exact"`` (the oracle answers for all points at once; the
        default where it can), ``"one-call"`` (one call to the oracle for each point; the default
        elsewhere, with a warning in the log when the calls become many), ``"known"`` (the fast
        rule, for expensive oracles).
    probes
        For ``"known"``: at how many sampled points the one-call test is asked in each epoch.
    known_from
        For ``"known"``: below this many examples oracle calls are cheap and the few points known
        say little, so the one-call test is used.
    audit
        For ``"known"``: at how many sampled points the two rules are compared in each epoch.
    max_iterations
        Where the solver gives up.
    **settings
        ``schedule``, ``unlabeled``, ``fresh``, ``horizon`` and ``n_features``.
        See :class:`~askance.learners.epochs.EpochLearner`. Only ``fresh=True`` keeps the
        independence that ``thm:optprob-unlabeled`` asks for.

    Examples
    --------
    >>> from askance.sparse import from_dense
    >>> from askance.oracles.thresholds import ThresholdOracle
    >>> constants = Constants.practical(c0=0.1, alpha=1.0, beta_scale=10**0.5)
    >>> learner = ActiveCover(ThresholdOracle(), constants)
    >>> rng = np.random.default_rng(0)
    >>> while learner.k < 3 * 2**9:
    ...     x = rng.random((learner.remaining, 1))
    ...     decisions = learner.decide_many(from_dense(x), rng.random(len(x)))
    ...     y = [(1 if v > 0.3 else -1) if d.queried else None for v, d in zip(x[:, 0], decisions)]
    ...     learner.learn_many(from_dense(x), decisions, y)
    >>> abs(learner.classifier.cut - 0.3) < 0.01, sum(e.queries for e in learner.epochs) < 300
    (True, True)
    """

    def __init__(
        self,
        oracle: BatchOracle,
        constants: Constants,
        *,
        region: str | None = None,
        probes: int = 32,
        known_from: int = 96,
        audit: int = 0,
        max_iterations: int = 20_000,
        **settings: Unpack[EpochSettings],
    ) -> None:
        require_whole(probes=probes, known_from=known_from, audit=audit)
        require_whole(1, max_iterations=max_iterations)
        self.constants = constants
        self.region = chosen_region(oracle, region)
        self.probes = probes
        self.known_from = known_from
        self.audit = audit
        self.max_iterations = max_iterations
        self.audits: list[Audit] = []
        super().__init__(oracle, **settings)

    @property
    def solution(self) -> Solution:
        """The solution of (OP) that serves now; there is none in the first epoch."""
        opening = self._open()
        if not isinstance(opening, _CoverOpening):
            raise InvalidParameter("there is no solution of (OP) in the first epoch")
        return opening.solution

    def _opener(self) -> Opener:
        return _CoverOpener(
            self.oracle,
            self.constants,
            self.region,
            self.probes,
            self.known_from,
            self.audit,
            self.max_iterations,
        )

    def _enter(self, opening: Opening) -> None:
        if isinstance(opening, _CoverOpening) and opening.audit is not None:
            self.audits.append(opening.audit)


class _CoverOpening(NamedTuple):
    """A region and the solution of (OP) on it."""

    threshold: float
    floor: float
    region: Region
    solution: Solution
    audit: Audit | None

    def block(self, X: Matrix, predicted: Integers) -> Block:
        """Region and query probabilities of points, given the ERM's predictions."""
        inside = np.isfinite(self.region.flip_regrets(X, predicted))
        probability = np.zeros(len(predicted))
        at = np.flatnonzero(inside)
        probability[at] = self.solution.cover.probability(X[at], predicted[at])
        return Block(predicted, inside, probability)


@dataclass(frozen=True)
class _CoverOpener:
    """How Active Cover opens an epoch, by its parameters alone."""

    oracle: BatchOracle
    constants: Constants
    region: str
    probes: int
    known_from: int
    audit: int
    max_iterations: int

    def __call__(self, fit: EpochFit, points: Matrix, epoch: int) -> _CoverOpening:
        """The region of the epoch, and (OP) solved on its points."""
        terms = self.constants.terms(fit.error, fit.sample.offered)
        predicted = fit.erm.predict_many(points)
        kind = self.region
        if kind == "known" and fit.sample.offered < self.known_from:
            kind = "one-call"
        region = make_region(kind, self.oracle, fit.sample, fit.error, terms.threshold)
        audit = None
        if isinstance(region, KnownRegion):
            solution = self._solve_known(region, fit, points, predicted, terms)
            audit = self._audit(region, fit, points, predicted, epoch)
        else:
            solution = self._solve(region, fit, points, predicted, terms)
        return _CoverOpening(terms.threshold, terms.limits.floor, region, solution, audit)

    def _solve(
        self, region: Region, fit: EpochFit, points: Matrix, predicted: Integers, terms: EpochTerms
    ) -> Solution:
        """(OP) on the sample, its constraints relaxed by the tolerance as the paper does."""
        inside = np.flatnonzero(np.isfinite(region.flip_regrets(points, predicted)))
        limits = terms.limits._replace(slack=terms.limits.slack + terms.tolerance)
        problem = Problem(
            points=points[inside],
            predicted=predicted[inside],
            count=points.shape[0],
            sample=fit.sample,
            erm=fit.erm,
            limits=limits,
        )
        return solve(
            problem, self.oracle, tolerance=terms.tolerance, max_iterations=self.max_iterations
        )

    def _solve_known(
        self,
        region: KnownRegion,
        fit: EpochFit,
        points: Matrix,
        predicted: Integers,
        terms: EpochTerms,
    ) -> Solution:
        """Solve, add what was found to what is known, and again while the region grows."""
        region.probe_spread(self.oracle, points, predicted, self.probes)
        for _ in range(_ROUNDS):
            size = np.isfinite(region.flip_regrets(points, predicted)).sum()
            solution = self._solve(region, fit, points, predicted, terms)
            for classifier in solution.cover.classifiers:
                region.add(classifier)
            if np.isfinite(region.flip_regrets(points, predicted)).sum() == size:
                break
        return solution

    def _audit(
        self, region: KnownRegion, fit: EpochFit, points: Matrix, predicted: Integers, epoch: int
    ) -> Audit | None:
        if not self.audit:
            return None
        chosen = spread(points.shape[0], self.audit)
        asked, said = points[chosen], predicted[chosen]
        slow = OneCallRegion(self.oracle, fit.sample, fit.error, region.radius)
        by_call = np.isfinite(slow.flip_regrets(asked, said))
        by_rule = np.isfinite(region.flip_regrets(asked, said))
        only_call, only_rule = by_call & ~by_rule, by_rule & ~by_call
        audit = Audit(epoch, len(chosen), int(only_call.sum()), int(only_rule.sum()))
        _LOG.info("epoch %d: region tests differ, %s", epoch, audit)
        return audit
