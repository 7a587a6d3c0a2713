from itertools import pairwise

import numpy as np
import pytest

from askance.learners.active_cover import ActiveCover
from askance.learners.constants import Constants
from askance.oracles.thresholds import ThresholdOracle
from askance.theory.instances import threshold_stream, trace_of
from askance.theory.solver import _points, _problem, iteration_bound, solver_run


def test_the_solver_keeps_its_bounds_and_needs_far_less() -> None:
    run = solver_run(seed=0)
    assert all(b >= a - 1e-12 for a, b in pairwise(run.dual))
    assert run.violation[-1] <= 0.001 < run.violation[0]
    for line in run.tolerances:
        assert line.iterations <= line.bound
        assert line.norm <= line.norm_bound
        assert line.calls_reusing <= line.iterations + 1
    large = run.samples[-1]
    assert large.violation <= 2.5 * large.tolerance
    assert run.samples[0].violation > large.violation


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
