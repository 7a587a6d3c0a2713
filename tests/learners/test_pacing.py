"""The pace: P against what is left, in closed form."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askance.learners.pacing import Prospect, all_alike, focused, prospect, sure, until_change

EVEN = (np.arange(2000) + 0.5) / 2000
"""Margins of which each share is as large as it should be."""


@given(st.integers(1, 900), st.integers(901, 30_000), st.floats(0.001, 1.0))
def test_the_labels_that_are_left_are_spent_on_what_comes(left, coming, focus):
    """The mean of P is what is left over what comes, but for what chance may take."""
    whole = left / coming
    uniform = 0.1 * whole
    pace = focused(Prospect(whole, left, coming), uniform, EVEN, focus)
    P = pace.probabilities(EVEN)
    kept_back = 2 * np.sqrt(uniform * coming)
    rate = max(left - uniform * coming - kept_back, 0) / coming
    width = max(rate, focus)
    # Inside, the uniform share is part of what is asked.
    expected = width * max(rate / width, uniform) + (1 - width) * uniform
    assert P.mean() == pytest.approx(expected, abs=2 / 2000)
    assert P.min() >= uniform
    assert P.max() <= 1


@given(st.floats(0, 900), st.integers(1, 30_000), st.floats(0.001, 1.0))
def test_where_all_are_alike_the_uniform_rate_is_a_floor(left, coming, uniform):
    pace = all_alike(Prospect(0.1, left, coming), uniform)
    P = pace.probabilities(EVEN)
    assert set(P.tolist()) == {P[0]}
    assert P[0] == pytest.approx(max(min(max(left, 1) / coming, 1), uniform))
    assert pace.uniform == uniform


def test_at_first_all_are_asked():
    assert (sure(0.01).probabilities(EVEN) == 1).all()


def test_what_is_left_of_a_plan_or_of_a_rate():
    assert prospect(100, 1000, 0.5, offered=400, asked=120) == Prospect(0.1, 0, 600)
    beyond = prospect(100, 1000, 0.5, offered=1000, asked=90)
    assert beyond.left / beyond.coming == pytest.approx(0.1)
    unknown = prospect(None, 1000, 0.5, offered=0, asked=0)
    assert unknown.left / unknown.coming == pytest.approx(0.5)


@pytest.mark.parametrize("horizon", [None, 1, 7, 1000, 5000])
def test_steps_end_at_the_same_examples_wherever_they_are_begun(horizon):
    """Blocks and rows then see the same rates; the end is one of them."""
    whole, at = [], 0
    while at < 6000:
        step = until_change(at, horizon)
        assert 1 <= step <= 256
        assert [until_change(at + i, horizon) for i in range(step)] == [*range(step, 0, -1)]
        if horizon is not None and at < horizon:
            assert step <= max((horizon - at) / 7, 1)
        at += step
        whole.append(at)
    assert horizon is None or horizon in whole
