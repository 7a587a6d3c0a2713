"""The cover's arithmetic against the costs of both labels, written out."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askance.kernels.cover import (
    cost_gap,
    denominator_step,
    multiplier,
    numerator_step,
    regret_weight,
)

labels = st.sampled_from([-1, 1])
positives = st.floats(1e-3, 1e3)


def test_regret_weight_by_hand() -> None:
    assert regret_weight(beta2=3.0, k=5.0, threshold=0.5) == 15.0


@given(
    regret=positives,
    predicted=labels,
    target=labels,
    weight=st.floats(0.0, 50.0),
    inside=st.booleans(),
    alpha=st.floats(1.0, 4.0),
    p=st.floats(0.01, 0.99),
)
def test_cost_gap_is_the_difference_of_the_two_costs(
    *,
    regret: float,
    predicted: int,
    target: int,
    weight: float,
    inside: bool,
    alpha: float,
    p: float,
) -> None:
    """Both costs of ``eq:cover_cost``, label by label."""
    cost = {}
    for y in (-1, 1):
        cost[y] = regret * weight * (y != target)
        cost[y] += (2 * alpha**2 - 1 / p) * (inside and y != predicted)
    found = cost_gap(regret, predicted == target, weight, inside, alpha, p)
    assert found == pytest.approx(cost[predicted] - cost[-predicted], rel=1e-12, abs=1e-12)


@given(positives, st.floats(-100.0, 100.0), st.booleans())
def test_numerator_never_goes_below_zero(numerator: float, gap: float, disagrees: bool) -> None:
    found = numerator_step(numerator, gap, disagrees)
    if not disagrees:
        assert found == numerator
    elif numerator + 2 * gap < 0:
        assert found == 0.0
    else:
        assert found == numerator + 2 * gap


@given(positives, st.floats(0.01, 10.0))
def test_denominator_grows_by_the_inverse_cube_of_q(denominator: float, q: float) -> None:
    assert denominator_step(denominator, q * q, False) == denominator
    grown = denominator_step(denominator, q * q, True)
    assert grown == pytest.approx(denominator + q**-3, rel=1e-12)


def test_multiplier_of_nothing_is_nothing() -> None:
    assert multiplier(0.0, 0.0) == 0.0
    assert multiplier(0.0, 4.0) == 0.0
    assert multiplier(6.0, 4.0) == 1.5
    assert multiplier(1.0, 0.0) == math.inf
