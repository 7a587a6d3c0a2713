from itertools import pairwise

import numpy as np
import pytest

from askance.kernels.optimization import modified_objective
from askance.learners.active_cover import ActiveCover
from askance.learners.constants import Constants
from askance.learners.coordinate_ascent import solve
from askance.oracles.thresholds import ThresholdOracle
from askance.theory.domain import threshold_domain
from askance.theory.instances import threshold_stream, trace_of
from askance.theory.solver import (
    _by_samples,
    _points,
    _problem,
    iteration_bound,
    optimum,
    solver_run,
)


def test_the_solver_keeps_its_bounds_and_needs_far_less() -> None:
    run = solver_run(seed=0)
    assert all(b >= a - 1e-12 for a, b in pairwise(run.dual))
    assert run.violation[-1] <= 0.001 < run.violation[0]
    for line in run.tolerances:
        assert line.iterations <= line.bound
        assert line.norm <= line.norm_bound
        assert line.calls_reusing <= line.iterations + 1


def test_solutions_on_samples_keep_both_halves_of_the_theorem() -> None:
    lines = _by_samples(np.random.default_rng(0))
    large = lines[-1]
    assert large.u == 10_000
    assert large.violation <= large.violation_allowed == pytest.approx(0.075)
    # A hundred points are too few for the theorem.
    assert lines[1].violation > large.violation_allowed
    # Constraints relaxed by 2 epsilon may leave the objective a little below the optimum.
    assert -0.05 < large.excess <= large.excess_allowed < 0.25


@pytest.mark.parametrize("seed", range(4))
def test_the_optimum_lies_between_the_dual_and_what_is_feasible(seed: int) -> None:
    domain = threshold_domain(40, 0.15, both_sides=True)
    constants = Constants.practical(c0=1.0, alpha=1.0, beta_scale=10**0.5)
    learner = ActiveCover(domain.oracle, constants)
    rng = np.random.default_rng(seed)
    trace_of(learner, domain.stream(384, rng), rng.random(384))
    problem = _problem(learner, domain.points)
    best = optimum(problem, domain.oracle)
    exact = solve(problem, domain.oracle, tolerance=1e-6)
    floor, share = problem.limits.floor, problem.region_share
    assert 0 < share < 1
    # The dual bounds the objective with its barrier, which adds at most 4 P_min Pr(D).
    assert exact.dual - 4 * floor * share - 1e-6 <= best
    # A little more of P at every point satisfies every constraint.
    feasible = modified_objective(np.minimum(1.001 * exact.probability, 0.999), 0.0, 40)
    assert best <= feasible
    assert feasible - best <= 4 * floor * share
    sure = modified_objective(np.full(len(problem.predicted), 0.5), 0.0, 40)
    assert sure - best > 8 * floor * share


def test_the_bound_by_hand() -> None:
    assert iteration_bound(share=1.0, floor=0.5, tolerance=0.1) == pytest.approx(100)


def test_the_constraints_of_a_smaller_sample_are_relaxed() -> None:
    """By the tolerance, and by nothing else."""
    rng = np.random.default_rng(0)
    oracle = ThresholdOracle(both_sides=True)
    learner = ActiveCover(oracle, Constants.practical(c0=1.0, alpha=1.0, beta_scale=3.0))
    trace_of(learner, threshold_stream(24, 0.5, 0.5, rng), rng.random(24))
    points = _points(50, rng)
    plain, relaxed = _problem(learner, points), _problem(learner, points, relaxed=0.25)
    probability = np.full(len(plain.predicted), 0.25)
    worst = plain.most_violated(oracle, probability)
    bounds = [problem.constraint(worst)[1].bound for problem in (plain, relaxed)]
    assert bounds[1] == pytest.approx(bounds[0] + 0.25, abs=1e-12)
