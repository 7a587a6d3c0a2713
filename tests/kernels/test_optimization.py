"""The arithmetic of (OP) against numerical derivatives and a bounded scalar search."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from askance.kernels.optimization import (
    coordinate_step,
    dual_objective,
    iwal_probabilities,
    modified_objective,
    query_odds,
    query_probabilities,
    rescaling,
)

masses = st.lists(st.floats(0, 5), min_size=1, max_size=6).map(np.array)
floors = st.floats(0.01, 0.5)


@given(masses, floors)
@settings(deadline=None)  # the first call compiles
def test_the_probability_minimises_the_lagrangian_at_every_point(
    mass: np.ndarray, floor: float
) -> None:
    for weight, p in zip(mass, query_probabilities(mass, floor), strict=True):
        found = minimize_scalar(
            lambda v, w=weight: 1 / (1 - v) + ((2 * floor) ** 2 + w) / v,
            bounds=(1e-9, 1 - 1e-9),
            method="bounded",
            options={"xatol": 1e-10},
        )
        assert p == pytest.approx(found.x, abs=1e-5)
        q = query_odds(np.array([weight]), floor)[0]
        assert found.fun == pytest.approx((1 + q) ** 2, rel=1e-8)


@given(masses, floors, st.floats(0, 30), st.integers(0, 5))
def test_the_rescaling_maximises_the_dual_on_the_ray(
    mass: np.ndarray, floor: float, charge: float, outside: int
) -> None:
    count = len(mass) + outside

    def dual(s: float) -> float:
        return dual_objective(s * mass, floor, count, s * charge)

    scale = rescaling(mass, floor, count, charge)
    assert 0 <= scale <= 1
    best = max(dual(s) for s in np.linspace(0, 1, 201))
    assert dual(scale) >= best - 1e-9 * max(1, abs(best))


@given(masses, floors, st.integers(0, 5))
@settings(deadline=None)
def test_dual_and_primal_meet_without_constraints(
    mass: np.ndarray, floor: float, outside: int
) -> None:
    zero = np.zeros(len(mass))
    count = len(mass) + outside
    primal = modified_objective(query_probabilities(zero, floor), floor, count)
    assert dual_objective(zero, floor, count, 0.0) == pytest.approx(primal)


def test_the_step_by_hand() -> None:
    # E[I / q^3] = (1 + 8) / 3 = 3, so the step is 2 * 0.6 / 3.
    assert coordinate_step(0.6, np.array([1.0, 0.5]), count=3) == pytest.approx(0.4)


def test_iwal_probabilities_join_on_at_the_threshold() -> None:
    a, b = 0.1, 0.02
    gaps = np.array([0.0, a + b, a + b + 1e-9, 1.0, np.inf])
    found = iwal_probabilities(gaps, a, b, 1.0, 1.0)
    assert found[:2].tolist() == [1.0, 1.0]
    assert found[2] == pytest.approx(1.0, abs=1e-6)
    z = found[3] ** -0.5
    assert b * z**2 + a * z == pytest.approx(1.0)
    assert found[4] == 0.0
