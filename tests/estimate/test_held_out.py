"""The current classifier: levels that add up, and a sequence of its own for each refit."""

import math

import numpy as np
import pytest

from askance.errors import InvalidParameter
from askance.estimate import CurrentError, FixedError
from askance.estimate.held_out import spent_level


def test_the_levels_add_up_to_alpha():
    total = math.fsum(spent_level(0.1, j) for j in range(1, 10_001))
    assert 0.0999 < total < 0.1


def trial(n=2000, seed=0):
    generator = np.random.default_rng(seed)
    P = np.where(generator.random(n) < 0.5, 0.2, 0.9)
    losses = (generator.random((n, 3)) < [0.3, 0.2, 0.1]).astype(float)
    return P, generator.random(n) < P, losses


@pytest.mark.parametrize("between", [True, False])
@pytest.mark.parametrize("floor", [0.2, None])
def test_each_refit_is_judged_by_all_that_was_held_out(floor, between):
    P, asked, losses = trial()
    begun = [100, 300, 700]
    current, refits = CurrentError(alpha=0.1, floor=floor, between=between), 0
    assert current.interval()[1:3] == (0.0, 1.0)
    for i in range(len(P)):
        if i in begun:
            known = np.flatnonzero(asked[:i])
            current.refit(losses[known, refits].tolist(), P[known].tolist())
            refits += 1
        if asked[i]:
            current.add(losses[i, max(refits - 1, 0)], P[i])
        else:
            current.skip(probability=P[i])
    # The third classifier, from the first example on, at a level of its own.
    expected = FixedError(alpha=0.1 / 12, floor=floor)
    for i in range(len(P) if between else begun[-1]):
        if asked[i]:
            expected.add(losses[i, 2], P[i])
        else:
            expected.skip(probability=P[i])
    found = current.interval()
    assert current.refits == 3
    assert np.allclose(found[:3], expected.interval()[:3], atol=1e-12)
    assert found.level == 0.9
    assert found.of == "error of the current classifier"


def test_a_late_label_counts_for_the_classifier_of_today():
    late, early = (CurrentError(floor=0.5) for _ in range(2))
    late.refit([], [])
    for _ in range(100):
        late.add(None, 0.5)
        for one in (late, early):
            one.skip(3)
    late.refit([None] * 100, [0.5] * 100)
    early.refit([], [])
    early.refit([float(i % 3 == 0) for i in range(100)], [0.5] * 100)
    assert late.interval().high > early.interval().high + 0.1
    for i in range(100):
        late.fill(float(i % 3 == 0), 0.5)
    assert np.allclose(late.interval()[:3], early.interval()[:3], atol=1e-9)


def test_a_lower_floor_is_that_from_the_next_refit_on():
    current, expected = CurrentError(alpha=0.1, floor=0.5), FixedError(alpha=0.05, floor=0.1)
    current.skip(700)
    current.lower(0.1)
    current.skip(300, probability=0.1)
    current.refit([0.0] * 50, [0.1] * 50)
    expected.skip(1000)
    for _ in range(50):
        expected.add(0.0, 0.1)
    assert current.interval()[:3] == expected.interval()[:3]


@pytest.mark.parametrize("refits", [0, 2])
def test_a_state_brings_all_of_it_back(refits):
    current, other = CurrentError(floor=0.2), CurrentError(floor=0.9)
    for j in range(refits):
        current.refit([0.0] * j, [0.5] * j)
    current.skip(30)
    current.add(1.0, 0.5)
    other.set_state(current.get_state())
    for one in (current, other):
        one.add(None, 0.2)
        one.refit([1.0, None], [0.5, 0.2])
    assert other.interval() == current.interval()
    assert other.refits == refits + 1


def test_bad_input(refused):
    with refused(InvalidParameter, "alpha must lie between 0 and 1, got 0"):
        CurrentError(alpha=0)
    current = CurrentError(floor=0.5)
    current.refit([], [])
    with refused(InvalidParameter, "a probability must be above 0 and at most 1, got 2"):
        current.add(1.0, 2.0)
    with refused(InvalidParameter, "a probability must not be below the floor 0.5, got 0.1"):
        current.add(1.0, 0.1)
    with refused(InvalidParameter, "count must be a whole number from 0 on, got -1"):
        current.skip(-1)
    with refused(InvalidParameter, "none is missing"):
        current.fill(1.0, 0.5)
