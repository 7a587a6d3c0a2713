"""Sweeps written as vector instructions against the same sweeps in plain Python."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askance.kernels import _vectors
from askance.kernels._jit import kernel

# numba takes the width from the code: a number that is handed over would not do.


@kernel
def four(begin: int, n: int, row: Any, state: Any, by_lane: Any, rates: Any) -> None:
    (indices, values, scaled), (weights, gradients) = row, state
    margins, moved, moved_only, parts, updates = by_lane
    _vectors.sum_margins(4, begin, n, indices, scaled, weights, margins)
    _vectors.sum_rates(4, begin, n, indices, values, scaled, gradients, parts, moved, rates)
    _vectors.sum_rates(4, begin, n, indices, values, scaled, gradients, parts, moved_only, None)
    _vectors.add_updates(4, begin, n, indices, values, gradients, weights, parts, updates, rates)


@kernel
def sixteen(begin: int, n: int, row: Any, state: Any, by_lane: Any, rates: Any) -> None:
    (indices, values, scaled), (weights, gradients) = row, state
    margins, moved, moved_only, parts, updates = by_lane
    _vectors.sum_margins(16, begin, n, indices, scaled, weights, margins)
    _vectors.sum_rates(16, begin, n, indices, values, scaled, gradients, parts, moved, rates)
    _vectors.sum_rates(16, begin, n, indices, values, scaled, gradients, parts, moved_only, None)
    _vectors.add_updates(16, begin, n, indices, values, gradients, weights, parts, updates, rates)


def plainly(width: int, begin: int, n: int, row: Any, state: Any, rest: Any) -> None:
    (indices, values, scaled), (weights, gradients) = row, state
    (margins, moved, moved_only, parts, updates), rates = rest
    at = width, begin, n, indices
    _vectors.plain_margins(*at, scaled, weights, margins)
    _vectors.plain_rates(*at, values, scaled, gradients, parts, moved, rates)
    _vectors.plain_rates(*at, values, scaled, gradients, parts, moved_only, None)
    _vectors.plain_updates(*at, values, gradients, weights, parts, updates, rates)


@pytest.mark.parametrize("width", [4, 16])
@given(st.integers(0, 10**6), st.integers(0, 9), st.integers(0, 5), st.sampled_from(["f4", "f8"]))
def test_both_give_the_same_bits_and_leave_other_lanes_alone(
    width: int, seed: int, n: int, begin: int, dtype: str
) -> None:
    rng = np.random.default_rng(seed)
    lanes = begin + width + int(rng.integers(4))
    row = rng.permutation(9)[:n], *rng.normal(size=(2, n)).astype(dtype)
    # Some features have no gradient yet, and some lanes add none.
    sums = (rng.exponential(size=(9, lanes)) * rng.integers(0, 2, (9, lanes))).astype(dtype)
    state = rng.normal(size=(9, lanes)).astype(dtype), sums
    parts = (rng.exponential(size=lanes) * rng.integers(0, 2, lanes)).astype(dtype)
    by_lane = (
        *rng.normal(size=(3, lanes)).astype(dtype),
        parts,
        rng.normal(size=lanes).astype(dtype),
    )
    rates = rng.normal(size=(n, lanes)).astype(dtype)
    found, meant = (
        (tuple(a.copy() for a in state), tuple(a.copy() for a in by_lane), rates.copy())
        for _ in range(2)
    )
    {4: four, 16: sixteen}[width](begin, n, row, *found)
    plainly(width, begin, n, row, meant[0], meant[1:])
    for one, other in zip(
        (*found[0], *found[1], found[2]), (*meant[0], *meant[1], meant[2]), strict=True
    ):
        assert one.tobytes() == other.tobytes()
    assert np.array_equal(found[1][1][begin : begin + width], found[1][2][begin : begin + width])
    outside = np.r_[0:begin, begin + width : lanes]
    assert np.array_equal(found[0][0][:, outside], state[0][:, outside])
