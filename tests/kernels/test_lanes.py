"""Sweeps over many lanes against the same arithmetic for one lane at a time."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askance.kernels import lanes, linear


def make(seed: int, n: int, count: int, dtype: str) -> tuple[lanes.RowBuffer, lanes.Lanes]:
    rng = np.random.default_rng(seed)
    row = lanes.RowBuffer(
        rng.permutation(n), rng.normal(size=n).astype(dtype), rng.uniform(-1, 1, n).astype(dtype)
    )
    by_lane = [rng.uniform(1, 5, count) for _ in range(3)]
    state = lanes.Lanes(
        rng.normal(size=(n, count)).astype(dtype),
        rng.exponential(size=(n, count)).astype(dtype),
        np.ones(n, dtype),
        *by_lane,
    )
    return row, state


@given(st.integers(0, 99), st.integers(1, 9), st.integers(1, 40), st.sampled_from(["f4", "f8"]))
def test_a_lane_does_not_depend_on_its_company(seed: int, n: int, count: int, dtype: str) -> None:
    row, state = make(seed, n, count, dtype)
    margins = np.zeros(count, dtype)
    lanes.sweep_margins(row, n, state.weights, margins)
    parts = np.random.default_rng(seed).exponential(size=count).astype(dtype)
    rates, moved = np.zeros((n, count), dtype), np.zeros(count, dtype)
    lanes.sweep_rates(row, n, state.gradients, parts, rates, moved)
    first = np.zeros(1, dtype)
    lanes.sweep_movements(row, n, state.gradients, parts[:1], first)
    assert first[0] == moved[0]
    for lane in range(count):
        alone = linear.margin(row.indices, row.scaled, state.weights, lane)
        assert alone == margins[lane]
        assert moved[lane] == linear.movement(*row, state.gradients, lane, float(parts[lane]))


def test_the_constant_feature_is_the_last_entry() -> None:
    row = lanes.RowBuffer(np.zeros(3, np.int64), np.zeros(3), np.zeros(3))
    scales = np.array([0.0, 4.0, 0.0])
    n = lanes.load_row(np.array([9, 1]), np.array([9.0, 2.0]), 1, 2, scales, row)
    assert (n, row.indices[:2].tolist(), row.scaled[:2].tolist()) == (2, [1, 2], [0.5, 1.0])


@pytest.mark.parametrize(("value", "tiny"), [(1e-13, True), (0.0, False), (-1e-11, False)])
def test_tiny_values_are_noticed(value: float, tiny: bool) -> None:
    row = lanes.RowBuffer(np.arange(2), np.array([1.0, value]), np.ones(2))
    assert lanes.has_tiny(row, 2) == tiny
