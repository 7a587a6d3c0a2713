"""Costs: each formula by hand, the range by its equation, and by what learning does to it."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askance.kernels.costs import (
    cost_radius,
    cost_reach,
    find_ranges,
    mark_wanted,
    overtaking_weight_of_costs,
    range_limit,
    squared_step,
)

shares = st.floats(0.0, 1.0)


def test_radius_and_limit_by_hand() -> None:
    assert cost_radius(26.0, 1.0, 0.1) == cost_radius(26.0, 2.0, 0.1) == 0.1 * math.log(26.0)
    assert cost_radius(3.0, 101.0, 0.5) == pytest.approx(0.5 * math.log(300.0), rel=1e-15)
    assert (range_limit(1.0, 0.5), range_limit(100.0, 2.0)) == (0.5, 0.2)


@given(gap=st.floats(-10.0, 10.0), first=st.floats(0.0, 5.0), second=st.floats(0.0, 5.0))
def test_two_steps_are_one_of_both_weights(gap: float, first: float, second: float) -> None:
    """What makes it importance-weight aware, at a fixed rate."""
    step = squared_step(gap, first)
    both = step + squared_step(gap - step, second)
    assert both == pytest.approx(squared_step(gap, first + second), rel=1e-12, abs=1e-15)
    assert abs(both) <= abs(gap)


def test_a_small_step_is_a_gradient_step() -> None:
    assert squared_step(0.5, 1e-9) == pytest.approx(2 * 0.5 * 1e-9, rel=1e-8)


@given(room=st.floats(1e-6, 1.0), share=shares)
def test_the_reach_solves_its_equation(room: float, share: float) -> None:
    u = share * room
    allowed = u * u * (2.0 * room - u)
    assert cost_reach(room, allowed) == pytest.approx(u, rel=1e-9, abs=1e-12)


@given(room=shares, small=st.floats(0.0, 2.0), large=st.floats(0.0, 2.0))
def test_the_reach_rises_to_the_room(room: float, small: float, large: float) -> None:
    small, large = min(small, large), max(small, large)
    assert 0.0 <= cost_reach(room, small) <= cost_reach(room, large) * (1 + 1e-12) <= 1.0 + 1e-12
    assert cost_reach(room, room * room * room) == room


def test_ranges_hold_the_clipped_cost_and_stay_within_0_and_1() -> None:
    costs = np.array([-0.5, 0.0, 0.3, 1.0, 7.0])
    low, high = np.zeros(5), np.zeros(5)
    find_ranges(costs, np.full(5, 0.2), 0.1, low, high)
    clipped = costs.clip(0.0, 1.0)
    assert (low.min(), high.max()) == (0.0, 1.0)
    assert ((low <= clipped) & (clipped <= high)).all()
    assert (low[0], high[4]) == (0.0, 1.0)
    assert high[0] == cost_reach(1.0, 0.2 * 0.1)
    assert low[2] == 0.3 - cost_reach(0.3, 0.2 * 0.1)
    find_ranges(costs, np.zeros(5), math.inf, low, high)
    assert (low.tolist(), high.tolist()) == ([0.0] * 5, [1.0] * 5)


@pytest.mark.parametrize(
    ("low", "high", "limit", "count", "wanted"),
    [
        ([0.0, 0.0], [1.0, 1.0], 0.5, 2, [True, True]),
        ([0.0, 0.6], [0.5, 1.0], 0.1, 1, [False, False]),
        ([0.0, 0.5], [0.5, 1.0], 0.1, 2, [True, True]),  # a tie stays in the race
        ([0.2, 0.1, 0.5], [0.3, 0.6, 1.0], 0.4, 2, [False, True, False]),  # the last is out
        ([0.2, 0.1, 0.0], [0.3, 0.5, 1.0], 1.0, 3, [False, False, False]),  # not above the limit
    ],
)
def test_what_is_wanted(
    low: list[float], high: list[float], limit: float, count: int, wanted: list[bool]
) -> None:
    marked = np.ones(len(low), bool)
    assert mark_wanted(np.array(low), np.array(high), limit, marked) == count
    assert marked.tolist() == wanted


@given(ahead=st.floats(1e-3, 2.0), price=st.floats(1e-3, 1.0), s=st.floats(1e-3, 1.0))
def test_after_the_overtaking_weight_two_costs_are_equal(
    ahead: float, price: float, s: float
) -> None:
    w = overtaking_weight_of_costs(ahead, price, s)
    mine, rival = ahead, 0.0
    mine += squared_step(0.0 - mine, w * s)
    rival += squared_step(price - rival, w * s)
    assert mine == pytest.approx(rival, rel=1e-9, abs=1e-12)
