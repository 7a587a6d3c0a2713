"""Lanes of classes: the weight after which another class wins is found by learning it."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askance.kernels import linear
from askance.kernels.classes import (
    best_two,
    lane_sensitivity,
    learn_cost,
    least_winning_weight,
    least_winning_weight_of_costs,
    overtaking_weight,
    push_between,
)
from askance.kernels.logistic import gradient_squared, logistic_step, revert
from askance.types import Floats

margins = st.floats(-30.0, 30.0)
sensitivities = st.floats(1e-6, 1e3)


@given(a=margins, b=margins)
def test_a_push_takes_an_agreement_there(a: float, b: float) -> None:
    a, b = min(a, b), max(a, b)
    assert a + logistic_step(a, push_between(a, b)) == pytest.approx(b, abs=1e-9)


@given(f=st.floats(0.0, 1000.0), s=sensitivities)
def test_of_two_mirrored_lanes_it_is_the_weight_that_reverts(f: float, s: float) -> None:
    """Bit by bit: a learner of two classes is that of one margin."""
    assert overtaking_weight(-f, f, s, s) == linear.reverting_weight(revert(f), s)
    assert linear.reverting_weight(revert(f), s) == linear.flip_weight(f, s)


@given(below=margins, above=margins, up=sensitivities, down=sensitivities)
def test_after_the_overtaking_weight_two_margins_are_equal(
    below: float, above: float, up: float, down: float
) -> None:
    below, above = min(below, above), max(below, above)
    w = overtaking_weight(below, above, up, down)
    risen = below + logistic_step(below, w * up)
    fallen = above - logistic_step(-above, w * down)
    assert risen == pytest.approx(fallen, abs=1e-6)


def test_a_lane_that_cannot_move_is_met_where_it_is() -> None:
    falling, rising = push_between(-2.0, 1.0), push_between(-1.0, 2.0)
    assert overtaking_weight(-1.0, 2.0, 0.0, 0.5) == pytest.approx(falling / 0.5, rel=1e-12)
    assert overtaking_weight(-1.0, 2.0, 0.5, 0.0) == pytest.approx(rising / 0.5, rel=1e-12)
    assert overtaking_weight(-1.0, 2.0, 0.0, 0.0) == math.inf


def moved(f: Floats, up: Floats, down: Floats, k: int, w: float) -> list[float]:
    """The margins after an example of class k."""
    return [
        float(f[j] + logistic_step(f[j], w * up[j]))
        if j == k
        else float(f[j] - logistic_step(-f[j], w * down[j]))
        for j in range(len(f))
    ]


@given(
    f=st.lists(st.floats(-8.0, 8.0), min_size=2, max_size=6),
    seed=st.integers(0, 10**6),
)
def test_the_least_winning_weight_is_where_the_first_class_wins(f: list[float], seed: int) -> None:
    """A little more of it lets one class win, a little less none."""
    rng = np.random.default_rng(seed)
    start, (up, down) = np.array(f), np.exp(rng.normal(size=(2, len(f))))
    best, _ = best_two(start, 1.0)
    least = least_winning_weight(start, up, down)
    others = [k for k in range(len(f)) if k != best]

    def winners(w: float) -> list[int]:
        return [k for k in others if np.argmax(moved(start, up, down, k, w)) == k]

    assert not winners(least * (1 - 1e-6) - 1e-12)
    assert winners(least * (1 + 1e-6) + 1e-6)


def test_costs_and_margins_have_the_same_best() -> None:
    assert best_two(np.array([0.5, 0.25, 0.25]), -1.0) == (1, 0.0)
    assert best_two(np.array([0.5, 0.25, 0.25]), 1.0) == (0, 0.25)


def test_the_least_winning_weight_of_costs_by_hand() -> None:
    costs, matrix = np.array([0.1, 0.4, 0.6]), 1.0 - np.eye(3)
    s = np.full(3, 0.25)
    # Class 1 needs ln(1.3) / (2 s); class 2 must overtake both and needs ln(1.5) / (2 s).
    assert least_winning_weight_of_costs(costs, s, matrix) == pytest.approx(2 * math.log(1.3))
    matrix[1, 0] = 0.0
    assert least_winning_weight_of_costs(costs, s, matrix) == pytest.approx(2 * math.log(1.5))


ROW = np.array([0, 2]), np.array([2.0, 1.0]), np.array([0.5, 1.0])


def arrays() -> tuple[Floats, Floats, Floats, Floats]:
    return np.zeros((3, 2)), np.zeros((3, 2)), np.zeros(2), np.zeros(2)


def test_gradient_sums_of_costs_know_no_cost() -> None:
    """So two lanes that learned other costs have the same sensitivity to the last bit."""
    weights, sums, norms, totals = arrays()
    for lane, target in ((0, 0.0), (1, 1.0)):
        for weight in (1.0, 2.5):
            learn_cost(*ROW, weights, sums, norms, totals, lane, target, weight, 0.5, 0)
    assert sums[:, 0].tolist() == sums[:, 1].tolist() == [3.5 * 4.0, 0.0, 3.5 * 1.0]
    one, two = (
        lane_sensitivity(*ROW, sums, norms, totals, lane, 1.0, 1.0, 0.5, 0) for lane in (0, 1)
    )
    assert one == two > 0.0
    # By hand: 0.5 sqrt(T/N) (x z / sqrt(G) + ...), this example counted.
    moved_by = 2.0 * 0.5 / math.sqrt(18.0) + 1.0 / math.sqrt(4.5)
    assert one == pytest.approx(0.5 * math.sqrt(4.5 / (4.5 * 1.25)) * moved_by, rel=1e-14)


def test_weight_0_teaches_no_cost() -> None:
    state = arrays()
    assert learn_cost(*ROW, *state, 0, 1.0, 0.0, 0.5, 0) == 0.0
    assert all(not array.any() for array in state)


def test_the_sensitivity_of_a_lane_is_that_of_its_oracle() -> None:
    weights, sums, norms, totals = arrays()
    linear.learn(*ROW, weights, sums, norms, totals, 0, 1.0, 2.0, 0.5, 0)
    f = linear.margin(ROW[0], ROW[2], weights, 0)
    slope = gradient_squared(-abs(f))
    found = lane_sensitivity(*ROW, sums, norms, totals, 0, slope, 3.0, 0.5, 0)
    assert found == linear.sensitivity(*ROW, weights, sums, norms, totals, 0, 3.0, 0.5, 0)
