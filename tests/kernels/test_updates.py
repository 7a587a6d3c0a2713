"""Where an update is known to lead before it is made, and what it does."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askance.kernels import lanes, logistic, updates

numbers = st.floats(-4.0, 4.0)


@pytest.mark.parametrize(("value", "tiny"), [(1e-13, True), (0.0, False), (-1e-11, False)])
def test_tiny_values_are_noticed(value: float, tiny: bool) -> None:
    row = lanes.RowBuffer(np.arange(2), np.array([1.0, value]), np.ones(2), np.zeros(2))
    assert updates.has_tiny(row, 2) == tiny


@given(st.lists(st.tuples(st.sampled_from([-1.0, 1.0]), numbers, st.floats(0.0, 9.0)), min_size=1))
def test_a_doubt_is_whatever_the_step_itself_does_not_confirm(
    drawn: list[tuple[float, float, float]],
) -> None:
    targets, margins, pushes = (np.array(column) for column in zip(*drawn, strict=True))
    reverts = np.array([logistic.revert(f) for f in margins])
    reached = np.array(
        [t * (t * f + logistic.logistic_step(t * f, p)) * t > 0.0 for t, f, p in drawn]
    )
    for expected in (0.0, 1.0):
        doubts = np.zeros(len(drawn))
        guesses = np.full(len(drawn), expected)
        updates.find_doubts(targets, margins, pushes, reverts, guesses, doubts)
        wrong = reached != (expected == 1.0)
        # Whoever agrees already is never expected to leave, so only the others are asked about.
        opposed = targets * margins <= 0.0
        far = np.abs(pushes - reverts) > 1e-6 * reverts
        asked = (opposed | (expected == 1.0)) & far
        assert np.array_equal(doubts[asked] == 1.0, wrong[asked])
        assert (doubts[wrong & (opposed | (expected == 1.0))] == 1.0).all()
    updates.find_doubts(targets, margins, pushes, reverts, np.full(len(drawn), updates.ANY), doubts)
    assert not doubts.any()


@given(st.lists(numbers, max_size=40), numbers)
def test_any_number_counts(given_numbers: list[float], least: float) -> None:
    found = updates.any_from(least, np.array(given_numbers, float))
    assert bool(found) == any(number >= least for number in given_numbers)
