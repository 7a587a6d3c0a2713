"""Sequences: late labels, runs, guesses and floors, one by one or all at once."""

import itertools
import math

import numpy as np
import pytest

from askance.errors import InvalidParameter
from askance.estimate import FixedError, ProgressiveError, error_trajectory
from askance.estimate.capital import BETS_ABOVE, SHARES_ABOVE
from askance.types import Interval

BOTH = pytest.mark.parametrize("kind", [FixedError, ProgressiveError])


def some_stream(seed=0, n=3000, floor=0.05):
    """P, whether asked, and losses: errors are where P is large."""
    generator = np.random.default_rng(seed)
    P = np.where(generator.random(n) < 0.1, 0.6, floor)
    loss = (generator.random(n) < np.where(P > 0.5, 0.3, 0.03)).astype(float)
    return P, generator.random(n) < P, loss


def fed(sequence, stream, order=None, **guesses):
    """A sequence that has seen a stream, each example with its own P."""
    P, asked, loss = stream
    for i in range(len(P)) if order is None else order:
        given = {name: float(values[i]) for name, values in guesses.items()}
        if asked[i]:
            sequence.add(loss[i], P[i], **given)
        else:
            sequence.skip(probability=P[i], **given)
    return sequence


def close(one: Interval, other: Interval) -> bool:
    return np.allclose(one[:4], other[:4], atol=1e-9) and one[4:] == other[4:]


@BOTH
def test_an_interval_says_what_it_is(kind):
    found = fed(kind(alpha=0.1, floor=0.05), stream := some_stream()).interval()
    P, asked, loss = stream
    assert found.level == 0.9
    assert found.holds == "at any time"
    assert math.isclose(found.estimate, np.sum((loss / P)[asked]) / len(P))
    assert 0 < found.low < 0.057 < found.high < 0.2
    assert ("so far" in found.of) == (kind is ProgressiveError)


@BOTH
def test_runs_are_powers_and_order_does_not_matter(kind):
    P, asked, loss = stream = some_stream()
    expected = fed(kind(floor=0.05), stream).interval()
    order = np.random.default_rng(1).permutation(len(P))
    assert close(fed(kind(floor=0.05), stream, order).interval(), expected)
    runs = kind(floor=0.05)
    for is_asked, run in itertools.groupby(range(len(P)), asked.__getitem__):
        for i in list(run):
            if is_asked:
                runs.add(loss[i], P[i])
    many = fed(kind(floor=0.05), [one[asked] for one in stream])
    many.skip_many(P[~asked])
    assert close(many.interval(), expected)
    # With a floor nobody needs to know how they would have been asked about.
    runs.skip(int(np.sum(~asked)))
    assert close(runs.interval(), expected)


@BOTH
def test_a_trajectory_is_what_one_would_have_seen(kind):
    P, asked, loss = some_stream(n=8000)
    places = np.flatnonzero(asked)
    low, high = error_trajectory(loss[places], P[places], places, floor=0.05, alpha=0.1, of=kind)
    sequence, before = kind(alpha=0.1, floor=0.05), -1
    for j, i in enumerate(places.tolist()):
        sequence.skip(i - before - 1)
        sequence.add(loss[i], P[i])
        before = i
        if j % 97 == 0 or j > len(places) - 3:
            found = sequence.interval()
            assert np.allclose([low[j], high[j]], found[1:3], atol=1e-9)
    assert len(places) > 800


@BOTH
@pytest.mark.parametrize("floor", [None, 0.05])
def test_a_trajectory_knows_what_a_table_tells_of_examples_between(kind, floor):
    """The smallest P since the label before, and questions without an answer."""
    generator = np.random.default_rng(3)
    P = generator.uniform(0.02, 0.9, 900)
    loss = (generator.random(900) < 0.2).astype(float)
    asked = generator.random(900) < P
    answered = asked & (generator.random(900) < 0.9)
    sequence = kind(alpha=0.1, floor=floor)
    # The floor was planned, but P has fallen below it.
    sequence.floor = None
    places, least, unanswered, seen, gap = [], [], [], [], []
    for i in range(900):
        if not answered[i]:
            gap.append(i)
            continue
        idle = [P[j] for j in gap if not asked[j]]
        least.append(min(idle, default=1.0))
        unanswered.append(tuple(P[j] for j in gap if asked[j]))
        places.append(i)
        sequence.skip(len(idle), probability=least[-1])
        for one in unanswered[-1]:
            sequence.add(None, one)
        sequence.add(loss[i], P[i])
        seen.append(sequence.interval()[1:3])
        gap = []
    given = {"floor": floor, "alpha": 0.1, "of": kind, "least": np.array(least)}
    table = loss[places], P[places], np.array(places)
    low, high = error_trajectory(*table, **given, unanswered=unanswered)
    low_seen, high_seen = np.array(seen).T
    fine = low_seen < high_seen
    assert np.allclose(low[fine], low_seen[fine], atol=1e-9)
    assert np.allclose(high[fine], high_seen[fine], atol=1e-9)
    # A question without an answer says less than none that was asked.
    assert (error_trajectory(*table, **given)[1] <= high + 1e-12).all()


@BOTH
def test_what_is_kept_does_not_grow_with_the_labels(kind):
    """So an interval costs the same after 10 labels and after 10,000."""

    def size(sequence):
        sides = sequence._below, sequence._above
        return [(side.wealth.size, side.idle.size) for side in sides]

    small, large = (fed(kind(), some_stream(n=n)) for n in (50, 5000))
    assert size(small) == size(large)
    for i in range(5000):
        large.skip(probability=0.3 + i * 1e-4 % 0.5)
        large.add(0.0, 0.5)
        assert len(large._idle) < 1001
        assert len(large._asked) < kind.block


@BOTH
def test_looking_changes_nothing(kind):
    P, asked, loss = some_stream(n=500)
    looked, blind = kind(), kind()
    for i in range(len(P)):
        for sequence in (looked, blind):
            if asked[i]:
                sequence.add(loss[i] if i % 3 else None, P[i])
            else:
                sequence.skip(probability=P[i])
        looked.interval()
    assert looked.interval() == blind.interval()


@BOTH
def test_a_saved_sequence_goes_on(kind, refused):
    stream = some_stream(n=700)
    whole = fed(kind(alpha=0.1), stream)
    first = fed(kind(alpha=0.1), [one[:300] for one in stream])
    first.add(None, 0.5)
    state = first.get_state()
    second = kind(alpha=0.1)
    second.set_state(state)
    assert second.interval() == first.interval()
    fed(second, [one[300:] for one in stream])
    second.fill(1.0, 0.5)
    whole.add(1.0, 0.5)
    assert close(second.interval(), whole.interval())
    for part, bad in (
        ("counts", [5, 6, 0]),
        ("counts", [5, -1, 0]),
        ("sums", [1.0, math.nan, 0.0]),
        ("asked", np.zeros(6 * kind.block)),
        ("wealth", [np.zeros(3)] * 2),
        ("idle", [np.zeros(3, int)] * 2),
    ):
        with refused(InvalidParameter, "saved"):
            kind(alpha=0.1).set_state({**state, part: bad})


@BOTH
def test_missing_labels_count_for_the_worst_until_they_come(kind):
    P, asked, loss = some_stream()
    places = np.flatnonzero(asked)
    late = set(places[::5].tolist())
    answers = [loss, 1 - loss, 0 * loss, 0 * loss + 1]
    waiting = kind(floor=0.05)
    complete = [kind(floor=0.05) for _ in answers]
    for i in range(len(P)):
        if not asked[i]:
            waiting.skip()
            for one in complete:
                one.skip()
            continue
        waiting.add(None if i in late else loss[i], P[i])
        for one, answer in zip(complete, answers, strict=True):
            one.add(answer[i] if i in late else loss[i], P[i])
    now = waiting.interval()
    assert waiting.missing == len(late)
    assert waiting.labels == len(places) - len(late)
    for one in complete:
        assert now.low <= one.interval().low + 1e-12
        assert now.high >= one.interval().high - 1e-12
    # All right is the lowest that it could become, all wrong the highest.
    assert math.isclose(now.low, complete[2].interval().low, abs_tol=1e-9)
    assert math.isclose(now.high, complete[3].interval().high, abs_tol=1e-9)
    for i in sorted(late, reverse=True):
        waiting.fill(loss[i], P[i])
    assert close(waiting.interval(), complete[0].interval())


@BOTH
def test_the_estimate_takes_missing_labels_to_be_like_the_others(kind):
    sequence = kind(floor=0.5)
    for i in range(100):
        sequence.add(float(i % 10 == 0), 0.5)
        sequence.add(None, 0.5)
        sequence.skip(2)
    assert math.isclose(sequence.interval().estimate, 0.1)


@BOTH
def test_without_a_floor_the_bound_is_a_little_wider_and_far_from_naive(kind):
    stream = some_stream(n=6000)
    with_floor = fed(kind(floor=0.05), stream).interval()
    without = fed(kind(), stream).interval()
    naive = kind()
    P, asked, loss = stream
    naive.skip(int(np.sum(~asked)), right=0.0)
    for i in np.flatnonzero(asked):
        naive.add(loss[i], P[i], right=0.0)
    assert without.low == with_floor.low
    assert with_floor.high < without.high < with_floor.high + 0.03
    assert naive.interval().high > 2 * without.high


def test_the_example_of_the_issue():
    """300 paced labels, error 5%: naive terms give an upper bound that is no use."""
    found, naive, blind = [], [], []
    for seed in range(10):
        generator = np.random.default_rng(seed)
        P = np.where(generator.random(6000) < 0.1, 0.455, 0.005)
        loss = generator.random(6000) < np.where(P > 0.1, 0.3, 0.0222)
        asked = generator.random(6000) < P
        for kept, right, floor in ((found, 1.0, 0.005), (naive, 0.0, 0.005), (blind, 0.0, None)):
            sequence = FixedError(floor=floor)
            sequence.skip(int(np.sum(~asked)), right=right)
            for i in np.flatnonzero(asked):
                sequence.add(float(loss[i]), P[i], right=right)
            kept.append(sequence.interval().high)
    assert np.median(found) < 0.33
    assert np.median(naive) > 0.5
    assert np.median(blind) > 0.5


@BOTH
def test_good_guesses_narrow_the_interval(kind):
    """A classifier that knows where it errs, asked about everywhere alike."""
    generator = np.random.default_rng(3)
    n = 20_000
    P = np.full(n, 0.05)
    wrong = np.where(generator.random(n) < 0.3, 0.95, 0.02)
    loss = (generator.random(n) < wrong).astype(float)
    stream = P, generator.random(n) < P, loss
    plain = fed(kind(floor=0.05), stream).interval()
    guessed = kind(floor=0.05, guessing=True)
    good = fed(guessed, stream, wrong=wrong, right=1 - wrong).interval()
    assert good.low < 0.299 < good.high
    assert good.high - good.low < 0.75 * (plain.high - plain.low)


def test_a_guess_for_one_side_only():
    """Each side has its own; without `guessing` the lower bound needs no P at all."""
    stream = some_stream()
    P = stream[0]
    sides = fed(FixedError(guessing=True), stream, wrong=0 * P + 0.1, right=0 * P + 1)
    assert sides.interval().low > 0
    one_sided = fed(FixedError(), stream, right=0 * P).interval()
    assert one_sided.low == fed(FixedError(), stream).interval().low
    assert one_sided.high > 1.8 * fed(FixedError(), stream).interval().high


@pytest.mark.parametrize("alpha", [0.01, 0.1])
def test_no_mistake_among_200_labels_by_hand(alpha):
    """Half of alpha is spent on each side."""
    n = 200
    fixed, progressive = (
        FixedError(alpha=alpha, floor=1.0),
        ProgressiveError(alpha=alpha, floor=1.0),
    )
    for _ in range(n):
        fixed.add(0.0, 1.0)
        progressive.add(0.0, 1.0)
    e = fixed.interval().high
    assert math.isclose(SHARES_ABOVE @ (1 + BETS_ABOVE * e / (1 - e)) ** n, 2 / alpha, rel_tol=0.02)
    e = progressive.interval().high
    assert math.isclose(SHARES_ABOVE @ np.exp(BETS_ABOVE * n * e), 2 / alpha, rel_tol=1e-6)


@BOTH
def test_before_the_first_label(kind):
    sequence = kind(floor=0.1)
    assert np.isnan(sequence.interval().estimate)
    assert sequence.interval()[1:3] == (0.0, 1.0)
    sequence.skip(5)
    assert sequence.interval()[1:3] == (0.0, 1.0)


def test_bounds_that_cross_are_put_in_order():
    """Labels that no error can explain: only if P is not what it is said to be."""
    sequence = FixedError(floor=0.01)
    for _ in range(30):
        sequence.add(1.0, 0.02)
    sequence.skip(10_000)
    found = sequence.interval()
    assert found.low <= found.high


@BOTH
def test_bad_input(kind, refused):
    with refused(InvalidParameter, "alpha must lie between 0 and 1, got 5"):
        kind(alpha=5)
    with refused(InvalidParameter, "a probability must be above 0 and at most 1, got 0"):
        kind(floor=0)
    sequence = kind(floor=0.1)
    for probability in (0.0, 1.5, math.nan):
        with refused(InvalidParameter, "a probability must be above 0", str(probability)):
            sequence.add(1.0, probability)
    with refused(InvalidParameter, "below the floor 0.1, got 0.05"):
        sequence.skip(probability=0.05)
    for some in ([0.5, 0.05], [0.5, 1.5], [0.0]):
        with refused(InvalidParameter, "a probability must", str(some[-1])):
            sequence.skip_many(np.array(some))
    for loss in (2.0, -1.0, math.nan):
        with refused(InvalidParameter, "a loss must lie in [0, 1]", str(loss)):
            sequence.add(loss, 0.5)
    with refused(InvalidParameter, "none is missing"):
        sequence.fill(1.0, 0.5)
    with refused(InvalidParameter, "probability", "floor"):
        kind().skip()
    assert sequence.n == sequence.labels == 0
    one = np.ones(1)
    for loss, P in ((2 * one, one), (one, 2 * one), (one, one * 0.01)):
        with refused(InvalidParameter):
            error_trajectory(loss, P, np.arange(1), floor=0.1, of=kind)
