from itertools import pairwise

import pytest

from askance.theory.solver import iteration_bound, solver_run


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
