"""The solver of (OP) at work: ``thm:opt_converge`` and ``thm:optprob-unlabeled`` measured."""

from typing import NamedTuple

import numpy as np

from askance.learners.active_cover import ActiveCover
from askance.learners.constants import Constants
from askance.learners.coordinate_ascent import Problem, Solution, solve
from askance.learners.epoch_records import EpochRecord
from askance.learners.region import ExactRegion
from askance.oracles.thresholds import ThresholdOracle
from askance.sparse import from_dense
from askance.theory.contestants import BETA_SCALE
from askance.theory.instances import threshold_stream, trace_of
from askance.types import Matrix

__all__ = ["SampleLine", "SolverRun", "ToleranceLine", "iteration_bound", "solver_run"]

_CUT, _OMEGA = 0.5, 0.5
_LENGTH = 3 * 2**9
_TOLERANCES = (0.3, 0.1, 0.03, 0.01, 0.003, 0.001)
_SAMPLES = (30, 100, 300, 1000, 3000, 10_000)
_FRESH = 100_000
_TOLERANCE = 0.03


class ToleranceLine(NamedTuple):
    """The solver at one tolerance, beside its bounds; averaged over seeds, counts are means."""

    tolerance: float
    iterations: float
    iterations_reusing: float
    calls_reusing: float
    bound: float
    norm: float
    norm_bound: float


class SampleLine(NamedTuple):
    """A solution on ``u`` points: its largest violation on fresh ones."""

    u: float
    tolerance: float
    violation: float
    classifiers: float


class SolverRun(NamedTuple):
    """One seed; ``dual`` and ``violation`` are by step."""

    seed: int
    records: list[EpochRecord]
    dual: list[float]
    violation: list[float]
    tolerances: list[ToleranceLine]
    samples: list[SampleLine]


def iteration_bound(share: float, floor: float, tolerance: float) -> float:
    """How many steps ``alg:coord`` can need at most. Paper: ``thm:opt_converge``.

    >>> iteration_bound(share=0.5, floor=0.25, tolerance=1.0)
    4.0
    """
    return share / (8 * floor**3 * tolerance**2)


def solver_run(seed: int) -> SolverRun:
    """One epoch's (OP) under Tsybakov noise, solved to several tolerances and on several samples.

    The class holds every threshold, either way round, so the most violated constraint on the large
    fresh sample is found exactly too.
    """
    rng = np.random.default_rng([3, seed])
    oracle = ThresholdOracle(both_sides=True)
    constants = Constants.practical(c0=1.0, alpha=1.0, beta_scale=BETA_SCALE)
    learner = ActiveCover(oracle, constants)
    trace_of(learner, threshold_stream(_LENGTH, _CUT, _OMEGA, rng), rng.random(_LENGTH))
    trace = solve(_problem(learner, _points(3000, rng)), oracle, tolerance=0.001, reuse=False)
    return SolverRun(
        seed=seed,
        records=learner.epochs,
        dual=[step.dual for step in trace.steps],
        violation=[step.violation for step in trace.steps],
        tolerances=[_by_tolerance(learner, epsilon, rng) for epsilon in _TOLERANCES],
        samples=[_by_sample(learner, u, rng) for u in _SAMPLES],
    )


def _points(u: int, rng: np.random.Generator) -> Matrix:
    return from_dense(rng.random((u, 1)))


def _problem(learner: ActiveCover, points: Matrix, relaxed: float = 0.0) -> Problem:
    sample = learner.sample
    error = sample.error(learner.classifier)
    limits = learner.constants.terms(error, sample.offered).limits
    predicted = learner.predict_many(points)
    region = ExactRegion(ThresholdOracle(both_sides=True), sample, error, learner.threshold)
    inside = np.flatnonzero(np.isfinite(region.flip_regrets(points, predicted)))
    return Problem(
        points=points[inside],
        predicted=predicted[inside],
        count=points.shape[0],
        sample=sample,
        erm=learner.classifier,
        limits=limits._replace(slack=limits.slack + relaxed),
    )


def _by_tolerance(learner: ActiveCover, epsilon: float, rng: np.random.Generator) -> ToleranceLine:
    problem = _problem(learner, _points(3000, rng))
    oracle = learner.oracle
    literal, reusing = (solve(problem, oracle, tolerance=epsilon, reuse=r) for r in (False, True))
    return ToleranceLine(
        tolerance=epsilon,
        iterations=literal.iterations,
        iterations_reusing=reusing.iterations,
        calls_reusing=sum(step.called_oracle for step in reusing.steps),
        bound=iteration_bound(problem.region_share, problem.limits.floor, epsilon),
        norm=float(literal.cover.multipliers.sum()),
        norm_bound=problem.region_share / epsilon,
    )


def _by_sample(learner: ActiveCover, u: int, rng: np.random.Generator) -> SampleLine:
    problem = _problem(learner, _points(u, rng), relaxed=_TOLERANCE)
    solution = solve(problem, learner.oracle, tolerance=_TOLERANCE)
    fresh = _problem(learner, _points(_FRESH, rng))
    return SampleLine(
        u=u,
        tolerance=_TOLERANCE,
        violation=_largest_violation(fresh, learner, solution),
        classifiers=len(solution.cover.classifiers),
    )


def _largest_violation(problem: Problem, learner: ActiveCover, solution: Solution) -> float:
    """The largest violation, over the whole class, of a solution on another sample."""
    probability = solution.cover.probability(problem.points, problem.predicted)
    worst = problem.most_violated(learner.oracle, probability)
    _, constraint = problem.constraint(worst)
    spent = float(np.sum(1 / probability[constraint.disagrees])) / problem.count
    return spent - constraint.bound
