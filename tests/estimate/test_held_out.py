"""The current classifier: levels that add up, weights 1/(h P), a new start at each refit."""

import math

import numpy as np
import pytest

from askance.errors import InvalidParameter
from askance.estimate import CurrentError, FixedError
from askance.estimate.held_out import spent_level


def test_the_levels_add_up_to_alpha():
    total = math.fsum(spent_level(0.1, j) for j in range(1, 10_001))
    assert 0.0999 < total < 0.1


@pytest.mark.parametrize("floor", [0.2, None])
def test_it_is_the_error_on_what_was_held_out_since_the_refit(floor):
    generator = np.random.default_rng(0)
    n, share = 2000, 0.4
    P = np.where(generator.random(n) < 0.5, 0.2, 0.9)
    coins, losses = generator.random(n), (generator.random(n) < 0.1).astype(float)
    current = CurrentError(share=share, alpha=0.1, floor=floor)
    begun = 700
    for i in range(n):
        if i in (300, begun):
            current.refit()
        if current.is_held_out(coins[i], P[i]):
            current.add(losses[i], P[i])
        else:
            current.skip(probability=P[i])
    # The third classifier, from its first example on, at a level of its own.
    expected = FixedError(alpha=0.1 / 12, floor=None if floor is None else share * floor)
    held = coins < share * P
    for i in range(begun, n):
        if held[i]:
            expected.add(losses[i], share * P[i])
        else:
            expected.skip(probability=share * P[i])
    found = current.interval()
    assert current.refits == 3
    assert found[:3] == expected.interval()[:3]
    assert found.level == 0.9
    assert found.of == "error of the current classifier"
    weights = np.where(held, losses / (share * P), 0)[begun:]
    assert math.isclose(found.estimate, weights.mean())


def test_a_late_label_of_this_refit():
    late, early = (CurrentError(share=0.5, floor=0.5) for _ in range(2))
    for i in range(100):
        late.add(None if i % 3 else 1.0, 0.5)
        early.add(0.0 if i % 3 else 1.0, 0.5)
        for one in (late, early):
            one.skip(3)
    assert late.interval().high > early.interval().high
    for i in range(100):
        if i % 3:
            late.fill(0.0, 0.5)
    assert np.allclose(late.interval()[:3], early.interval()[:3], atol=1e-9)


def test_bad_input(refused):
    with refused(InvalidParameter, "a probability must be above 0 and at most 1, got 0"):
        CurrentError(share=0)
    with refused(InvalidParameter, "alpha must lie between 0 and 1, got 0"):
        CurrentError(share=0.1, alpha=0)
    current = CurrentError(share=0.1, floor=0.5)
    with refused(InvalidParameter, "a probability must be above 0 and at most 1, got 2"):
        current.add(1.0, 2.0)
    with refused(InvalidParameter, "count must be a whole number from 0 on, got -1"):
        current.skip(-1)
    current.refit()
    with refused(InvalidParameter, "none is missing"):
        current.fill(1.0, 0.5)
