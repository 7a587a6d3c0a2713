"""Online logistic regression: what an importance weight means, rates and rows."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from askance.kernels import linear, logistic

RATES = [linear.ADAPTIVE, linear.CONSTANT, linear.DECAYING]


@pytest.mark.parametrize(
    ("indices", "values", "fault"),
    [
        ([0, 2, 4], [1.0, -2.0, 3.0], -1),
        ([], [], -1),
        ([0, 2, 2], [1.0, 1.0, 1.0], 2),
        ([2, 1], [1.0, 1.0], 1),
        ([0, 5], [1.0, 1.0], 1),
        ([-1], [1.0], 0),
        ([0, 1], [1.0, math.nan], 1),
        ([0, 1], [math.inf, 1.0], 0),
        ([0], [-1.1e15], 0),
        ([0], [1e15], -1),
    ],
)
def test_row_fault(indices: list[int], values: list[float], fault: int) -> None:
    found = linear.row_fault(np.array(indices, dtype=np.int64), np.array(values), 5)
    assert found == fault


def test_rate_factor_by_hand() -> None:
    assert linear.rate_factor(linear.ADAPTIVE, 16.0, 4.0) == 0.5
    assert linear.rate_factor(linear.DECAYING, 16.0, 4.0) == 0.5
    assert linear.rate_factor(linear.DECAYING, 16.0, 9.0) == pytest.approx(1 / 3)
    assert linear.rate_factor(linear.CONSTANT, 16.0, 4.0) == 1.0


def test_a_feature_without_gradient_has_no_rate() -> None:
    row = np.array([0, 1]), np.array([1.0, 2.0])
    gradients, weights = np.array([[0.0], [4.0]]), np.zeros((2, 1))
    assert linear.movement(*row, row[1], gradients, 0, 0.0) == 2.0
    linear.apply_step(*row, weights, gradients, 0, 3.0)
    assert weights.tolist() == [[0.0], [3.0]]


class Lane:
    """The arrays of one lane, filled at random, and a row."""

    def __init__(self, seed: int, size: int, dtype: str, spread: float) -> None:
        generator = np.random.default_rng(seed)
        self.indices = np.sort(generator.permutation(size + 3)[:size])
        self.values = generator.normal(size=size).astype(dtype)
        self.weights = (spread * generator.normal(size=(size + 3, 1))).astype(dtype)
        self.gradients = generator.exponential(size=(size + 3, 1)).astype(dtype)
        scales = np.abs(generator.normal(size=size + 3)).astype(dtype)
        linear.observe(self.indices, self.values, scales)
        self.scaled = np.empty_like(self.values)
        linear.scale_row(self.indices, self.values, scales, self.scaled)
        self.norms, self.totals = generator.exponential(size=(2, 1)) + 0.1

    def margin(self) -> float:
        return linear.margin(self.indices, self.scaled, self.weights, 0)

    def learn(self, target: float, weight: float, rates: int, rate: float = 0.4) -> None:
        linear.learn(
            self.indices, self.values, self.scaled, self.weights, self.gradients,
            self.norms, self.totals, 0, target, weight, rate, rates,
        )  # fmt: skip

    def sensitivity(self, weight: float, rates: int) -> float:
        return linear.sensitivity(
            self.indices, self.values, self.scaled, self.weights, self.gradients,
            self.norms, self.totals, 0, weight, 0.4, rates,
        )  # fmt: skip

    def exact_flip_weight(self, rates: int, rate: float) -> float:
        return linear.exact_flip_weight(
            self.indices, self.values, self.scaled, self.weights, self.gradients,
            self.norms, self.totals, 0, rate, rates,
        )  # fmt: skip


seeds = st.integers(0, 2**32 - 1)


@pytest.mark.parametrize(("dtype", "tolerance"), [("float64", 1e-9), ("float32", 1e-5)])
@pytest.mark.parametrize("rates", RATES)
@given(seed=seeds, size=st.integers(1, 12), spread=st.floats(0.0, 4.0))
def test_flip_weight_brings_the_margin_to_zero(
    dtype: str, tolerance: float, rates: int, seed: int, size: int, spread: float
) -> None:
    """At the rates that a unit-weight update with the opposite label would find."""
    lane = Lane(seed, size, dtype, spread)
    f = lane.margin()
    weight = linear.flip_weight(f, lane.sensitivity(1.0, rates))
    target = -1.0 if f > 0 else 1.0
    lane.norms[0] += linear.squared_norm(lane.scaled)
    lane.totals[0] += 1.0
    if rates == linear.ADAPTIVE:
        amount = logistic.gradient_squared(target * f)
        linear.add_gradient(lane.indices, lane.values, lane.gradients, 0, amount)
    factor = linear.rate_factor(rates, lane.norms[0], lane.totals[0])
    moved = factor * linear.movement(lane.indices, lane.values, lane.scaled, lane.gradients, 0, 0.0)
    step = logistic.logistic_step(target * f, 0.4 * weight * moved)
    update = target * step / moved * factor
    linear.apply_step(lane.indices, lane.values, lane.weights, lane.gradients, 0, update)
    assert abs(lane.margin()) < tolerance * max(1.0, abs(f))


@pytest.mark.parametrize(("dtype", "tolerance"), [("float64", 1e-9), ("float32", 1e-4)])
@pytest.mark.parametrize("rates", RATES)
@given(
    seed=seeds,
    size=st.integers(1, 12),
    spread=st.floats(0.1, 4.0),
    learned=st.floats(1e-3, 1e5),
    rate=st.floats(0.01, 30.0),
)
def test_the_exact_flip_weight_is_where_the_sign_changes(
    *, dtype: str, tolerance: float, rates: int, seed: int, size: int, spread: float,
    learned: float, rate: float,
) -> None:  # fmt: skip
    """Learned into a copy: a little less keeps the sign, a little more changes it."""
    lanes = [Lane(seed, size, dtype, spread) for _ in range(3)]
    for lane in lanes:
        # A lane that has learned much or little, from rows of any size.
        for sums in (lane.gradients, lane.norms, lane.totals):
            sums *= learned
    plain, less, more = lanes
    f = plain.margin()
    assume(abs(f) > 0.01)
    target = -1.0 if f > 0 else 1.0
    weight = plain.exact_flip_weight(rates, rate)
    less.learn(target, weight * (1 - tolerance), rates, rate)
    more.learn(target, weight * (1 + tolerance), rates, rate)
    assert less.margin() * f > 0 > more.margin() * f


def test_a_margin_of_zero_flips_for_nothing_and_what_cannot_move_never_does() -> None:
    lane = Lane(0, 3, "float64", 0.0)
    assert lane.exact_flip_weight(linear.ADAPTIVE, 0.4) == 0.0
    lane.weights[:] = 1.0
    lane.values[:] = 0.0
    assert lane.exact_flip_weight(linear.ADAPTIVE, 0.4) == math.inf


@pytest.mark.parametrize("rates", RATES)
@given(seed=seeds, size=st.integers(1, 12), a=st.floats(1e-9, 1e9), b=st.floats(1e-9, 1e9))
def test_more_weight_pushes_further(rates: int, seed: int, size: int, a: float, b: float) -> None:
    """So that the exact flip weight is the only one."""
    lane = Lane(seed, size, "float64", 1.0)
    low, high = sorted([a, b])
    assume(high > 1.001 * low)
    pushed = [weight * lane.sensitivity(weight, rates) for weight in (low, high)]
    assert pushed[0] < pushed[1]


@given(seeds, st.integers(1, 12), st.floats(1e-6, 1e4), st.floats(1e-6, 1e4))
def test_with_fixed_rates_two_weights_are_one(seed: int, size: int, a: float, b: float) -> None:
    apart, together = (Lane(seed, size, "float64", 1.0) for _ in range(2))
    apart.learn(1.0, a, linear.CONSTANT)
    apart.learn(1.0, b, linear.CONSTANT)
    together.learn(1.0, a + b, linear.CONSTANT)
    assert apart.margin() == pytest.approx(together.margin(), rel=1e-9, abs=1e-9)
    np.testing.assert_allclose(apart.weights, together.weights, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("rates", RATES)
@given(seed=seeds, size=st.integers(1, 8), target=st.sampled_from([-1.0, 1.0]))
def test_weight_zero_changes_no_bit(rates: int, seed: int, size: int, target: float) -> None:
    lane, untouched = (Lane(seed, size, "float32", 1.0) for _ in range(2))
    lane.learn(target, 0.0, rates)
    for name in ("weights", "gradients", "norms", "totals"):
        np.testing.assert_array_equal(getattr(lane, name), getattr(untouched, name))


@given(seeds, st.integers(1, 8), st.floats(0.01, 100.0), st.sampled_from([-1.0, 1.0]))
def test_adaptive_step_against_its_definition(
    seed: int, size: int, weight: float, target: float
) -> None:
    """Gradient sums first, then a' + e^a' = a + e^a + rate times weight times movement."""
    lane = Lane(seed, size, "float64", 1.0)
    f, x, z, at = lane.margin(), lane.values, lane.scaled, lane.indices
    before = lane.weights[at, 0].copy()
    slope = 1 / (1 + math.exp(target * f))
    sums = lane.gradients[at, 0] + weight * slope**2 * x**2
    norm, total = lane.norms[0] + weight * np.sum(z * z), lane.totals[0] + weight
    rates = x * math.sqrt(total / norm) / np.sqrt(sums)
    assume(float(z @ rates) > 1e-9)
    lane.learn(target, weight, linear.ADAPTIVE)
    a, after = target * f, target * lane.margin()
    pushed = after + math.exp(after) - a - math.exp(a)
    assert pushed == pytest.approx(0.4 * weight * float(z @ rates), rel=1e-9, abs=1e-9)
    moved = lane.weights[at, 0] - before
    np.testing.assert_allclose(moved * rates[0], moved[0] * rates, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(lane.gradients[at, 0], sums, rtol=1e-12)
    assert lane.norms[0] == pytest.approx(norm, rel=1e-12)
    assert lane.totals[0] == pytest.approx(total, rel=1e-12)
