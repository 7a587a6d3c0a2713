"""The solver of (OP) at work: ``thm:opt_converge`` and ``thm:optprob-unlabeled`` measured."""

from typing import NamedTuple

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, minimize

from askance.kernels.optimization import modified_objective
from askance.learners.active_cover import ActiveCover
from askance.learners.constants import Constants
from askance.learners.coordinate_ascent import Problem, solve
from askance.learners.epoch_records import EpochRecord
from askance.learners.region import ExactRegion
from askance.oracles.finite import VoteOracle
from askance.oracles.thresholds import ThresholdOracle
from askance.protocols import ExactOracle
from askance.sparse import from_dense
from askance.theory.contestants import BETA_SCALE
from askance.theory.domain import threshold_domain
from askance.theory.instances import threshold_stream, trace_of
from askance.types import Floats, Matrix

__all__ = ["SampleLine", "SolverRun", "ToleranceLine", "iteration_bound", "optimum", "solver_run"]

_CUT, _OMEGA = 0.5, 0.5
_LENGTH = 3 * 2**9
_TOLERANCES = (0.3, 0.1, 0.03, 0.01, 0.003, 0.001)
_SAMPLES = (30, 100, 300, 1000, 3000, 10_000)
_TOLERANCE = 0.03
_POINTS, _NOISE, _SHORT = 100, 0.15, 3 * 2**8
_CONSTANTS = Constants.practical(c0=1.0, alpha=1.0, beta_scale=BETA_SCALE)


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
    """A solution on ``u`` points, judged in the world that they were drawn from.

    ``violation`` is the largest over the class, ``excess`` the objective less the optimum f*;
    beside each stands what ``thm:optprob-unlabeled`` allows.
    """

    u: float
    tolerance: float
    violation: float
    violation_allowed: float
    excess: float
    excess_allowed: float
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


def optimum(problem: Problem, oracle: VoteOracle) -> float:
    """f*, the optimal value of (OP), by a convex solver that knows nothing of ``alg:coord``.

    In 1/P the constraints are linear. Paper: ``eq:op_value``.
    """
    constraints = [problem.constraint(vote)[1] for vote in oracle.classifiers]
    binding = [constraint for constraint in constraints if len(constraint.disagrees)]
    spent = np.zeros((len(binding), len(problem.predicted)))
    for row, constraint in zip(spent, binding, strict=True):
        row[constraint.disagrees] = 1 / problem.count
    found = minimize(
        lambda inverse: (np.sum(inverse / (inverse - 1)), -((inverse - 1) ** -2.0)),
        # Feasible: P = 1/(2 alpha^2) satisfies every constraint.
        np.full(spent.shape[1], min(2 * problem.limits.alpha**2, 1 / problem.limits.floor)),
        jac=True,
        method="SLSQP",
        bounds=Bounds(1 + 1e-9, 1 / problem.limits.floor),
        constraints=[LinearConstraint(spent, -np.inf, [c.bound for c in binding])],
        options={"maxiter": 1000, "ftol": 1e-12},
    )
    return float(found.fun + problem.count - spent.shape[1]) / problem.count


def solver_run(seed: int) -> SolverRun:
    """One epoch's (OP), solved to several tolerances, and on several samples from a finite world.

    The first class holds every threshold under Tsybakov noise, the second those on a grid; both
    either way round.
    """
    rng = np.random.default_rng([3, seed])
    oracle = ThresholdOracle(both_sides=True)
    learner = ActiveCover(oracle, _CONSTANTS)
    trace_of(learner, threshold_stream(_LENGTH, _CUT, _OMEGA, rng), rng.random(_LENGTH))
    trace = solve(_problem(learner, _points(3000, rng)), oracle, tolerance=0.001, reuse=False)
    return SolverRun(
        seed=seed,
        records=learner.epochs,
        dual=[step.dual for step in trace.steps],
        violation=[step.violation for step in trace.steps],
        tolerances=[_by_tolerance(learner, epsilon, rng) for epsilon in _TOLERANCES],
        samples=_by_samples(rng),
    )


def _points(u: int, rng: np.random.Generator) -> Matrix:
    return from_dense(rng.random((u, 1)))


def _problem(learner: ActiveCover, points: Matrix, relaxed: float = 0.0) -> Problem:
    sample = learner.sample
    error = sample.error(learner.classifier)
    limits = learner.constants.terms(error, sample.offered).limits
    predicted = learner.predict_many(points)
    assert isinstance(learner.oracle, ExactOracle)
    region = ExactRegion(learner.oracle, sample, error, learner.threshold)
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


def _by_samples(rng: np.random.Generator) -> list[SampleLine]:
    """(OP) on samples of a finite world, so that constraints, objective and optimum are exact."""
    domain = threshold_domain(_POINTS, _NOISE, both_sides=True)
    learner = ActiveCover(domain.oracle, _CONSTANTS)
    trace_of(learner, domain.stream(_SHORT, rng), rng.random(_SHORT))
    world = _problem(learner, domain.points)
    best = optimum(world, domain.oracle)
    floor, share = world.limits.floor, world.region_share
    lines = []
    for u in _SAMPLES:
        drawn = domain.points[rng.integers(_POINTS, size=u)]
        sampled = _problem(learner, drawn, relaxed=_TOLERANCE)
        solution = solve(sampled, learner.oracle, tolerance=_TOLERANCE)
        probability = solution.cover.probability(world.points, world.predicted)
        objective = modified_objective(probability, 0.0, world.count)
        lines.append(
            SampleLine(
                u=u,
                tolerance=_TOLERANCE,
                violation=_largest_violation(world, learner, probability),
                violation_allowed=2.5 * _TOLERANCE,
                excess=objective - best,
                excess_allowed=8 * floor * share + (2 + 4 * floor) * _TOLERANCE,
                classifiers=len(solution.cover.classifiers),
            )
        )
    return lines


def _largest_violation(problem: Problem, learner: ActiveCover, probability: Floats) -> float:
    """The largest violation, over the whole class, of probabilities found elsewhere."""
    worst = problem.most_violated(learner.oracle, probability)
    _, constraint = problem.constraint(worst)
    spent = float(np.sum(1 / probability[constraint.disagrees])) / problem.count
    return spent - constraint.bound
