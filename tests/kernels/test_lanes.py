"""Sweeps over many lanes against the same arithmetic for one lane at a time."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from askance.kernels import lanes, linear


def make(seed: int, n: int, count: int, dtype: str) -> tuple[lanes.RowBuffer, lanes.Lanes]:
    rng = np.random.default_rng(seed)
    values, scaled = rng.normal(size=n).astype(dtype), rng.uniform(-1, 1, n).astype(dtype)
    row = lanes.RowBuffer(rng.permutation(n), values, scaled, np.zeros(n, dtype))
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
    lanes.sweep_rates(row, n, state.gradients, parts, moved, rates, 0, count)
    first = np.zeros(1, dtype)
    lanes.sweep_movements(row, n, state.gradients, parts[:1], first)
    assert first[0] == moved[0]
    for lane in range(count):
        alone = linear.margin(row.indices, row.scaled, state.weights, lane)
        assert alone == margins[lane]
        assert moved[lane] == lanes.lane_movement(row, n, state.gradients, lane, parts[lane])
        assert moved[lane] == linear.movement(*row[:3], state.gradients, lane, float(parts[lane]))


def test_the_constant_feature_is_the_last_entry() -> None:
    row = lanes.RowBuffer(np.zeros(3, np.int64), *np.zeros((3, 3)))
    scales = np.array([0.0, 4.0, 0.0])
    n = lanes.load_row(np.array([9, 1]), np.array([9.0, 2.0]), 1, 2, scales, row)
    assert (n, row.indices[:2].tolist(), row.scaled[:2].tolist()) == (2, [1, 2], [0.5, 1.0])
