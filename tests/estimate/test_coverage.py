"""Whole trajectories: how often an interval is wrong at any time, and what fails that test.

Worlds are known, so the true error is. Runs stand side by side in arrays. A run is wrong if the
true error is outside its interval after any example, asked about or not. The share of such runs
must be at most alpha, by a binomial test at a level of 1 in 1,000; and it is not ten times smaller
than alpha everywhere, for then the intervals would be too wide. Shares are printed
(``pytest -m slow -rP``).
"""

import functools
import os
from typing import NamedTuple

import numpy as np
import pytest
from scipy.stats import binomtest
from sklearn.naive_bayes import GaussianNB

from askance.estimate import FixedError, ProgressiveError
from askance.estimate.capital import (
    BETS_ABOVE,
    BETS_BELOW,
    GUESSES,
    SHARES_ABOVE,
    FixedCapital,
    allowed_guess,
    log_average,
)
from askance.estimate.held_out import CurrentError, spent_level
from askance.live import ActiveLearner, Budget
from askance.presets import make_learner
from askance.simulate import run_blocks
from askance.sparse import from_dense

ALPHA = 0.1
SIZES = [pytest.param(200, id="short"), pytest.param(2000, id="whole", marks=pytest.mark.slow)]
sizes = pytest.mark.parametrize("runs", SIZES)
needs_speed = pytest.mark.skipif(
    os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"),
    reason="so many runs need compiled code",
)


def holds(wrong) -> bool:
    """The coverage test."""
    return binomtest(int(np.sum(wrong)), len(wrong), ALPHA, "greater").pvalue > 1e-3


def fails(wrong) -> bool:
    """The same test, failed beyond any doubt."""
    return binomtest(int(np.sum(wrong)), len(wrong), ALPHA, "greater").pvalue < 1e-9


def report(*what):
    """The last is whether each run was wrong."""
    print(*what[:-1], f"{np.mean(what[-1]):.2%} of {len(what[-1])}", sep=", ")  # noqa: T201


class Seen(NamedTuple):
    """Arrays [example, run]: P, whether asked, the loss, the true error then.

    ``there`` tells whether the example came at all, since runs may end early.
    """

    P: np.ndarray
    asked: np.ndarray
    loss: np.ndarray
    error: np.ndarray
    there: np.ndarray

    def blocks(self, size=50):
        for start in range(0, len(self.P), size):
            yield Seen(*(one[start : start + size] for one in self))


# ----------------------------------------------------------------------------------- verdicts


class AtTheTruth(FixedError):
    """Its capitals are kept at one mean only, the true one, which may differ between runs."""

    def __init__(self, error, **settings):
        self.true = np.reshape(error, (-1, 1, 1, 1))
        super().__init__(**settings)

    def _sides(self, below, above):
        return (
            FixedCapital(self.true, below, BETS_BELOW),
            FixedCapital(1 - self.true, above, BETS_ABOVE, SHARES_ABOVE),
        )


def added(side, values, seen, guess=None, times=1.0):
    """What a block adds to the wealth of each run; ``times`` is what wrong variants do to bets."""
    guess = np.broadcast_to(side.guess if guess is None else guess, seen.P.shape)
    idle = allowed_guess(guess[..., None], seen.P[..., None], side.capital.shifts) / GUESSES
    asked, unasked = side.gains(values, seen.P, guess), side.capital.gains(idle)
    extra = (1,) * (asked.ndim - seen.P.ndim)
    is_asked, counts = (np.reshape(one, one.shape + extra) for one in (seen.asked, seen.there))
    return np.where(is_asked, asked, unasked) * counts * times


def fixed_is_wrong(seen, error, *, alpha=ALPHA, floor=None, guess=None, bet=None, since=0):
    """Of which runs the interval misses the ``error`` at any time ``since``, and on which side."""
    sequence = AtTheTruth(error, alpha=alpha, floor=floor)
    runs = seen.P.shape[1]
    sides = []
    for side, value in ((sequence._below, lambda x: x), (sequence._above, lambda x: 1 - x)):
        wealth, wrong, at = side.wealth, np.zeros(runs, bool), 0
        for block in seen.blocks():
            times = 1.0 if bet is None else bet(block).reshape(*block.P.shape, 1, 1, 1)
            given = None if guess is None else guess(side, block)
            steps = added(side, value(block.loss), block, given, times)
            path = wealth + np.cumsum(steps, axis=0)
            wealth = path[-1]
            rich = log_average(path)[..., 0] >= np.log(2 / alpha)
            wrong |= rich[max(since - at, 0) :].any(axis=0)
            at += len(rich)
        sides.append(wrong)
    return np.array(sides)


def progressive_is_wrong(seen, *, floor=None):
    """The same for the mean of the errors as they were."""
    sequence = ProgressiveError(alpha=ALPHA, floor=floor)
    sides = []
    for side, value in ((sequence._below, lambda x: x), (sequence._above, lambda x: 1 - x)):
        wealth, n, total, wrong = side.wealth, 0, 0.0, np.zeros(seen.P.shape[1], bool)
        for block in seen.blocks():
            path = wealth + np.cumsum(added(side, value(block.loss), block), axis=0)
            count = n + np.cumsum(block.there, axis=0)
            sums = total + np.cumsum(value(block.error) * block.there, axis=0)
            bound = side.bound(path, count, ALPHA)
            wrong |= (bound > sums / count + 1e-9).any(axis=0)
            wealth, n, total = path[-1], count[-1], sums[-1]
        sides.append(wrong)
    return np.array(sides)


# ----------------------------------------------------------------------------------- made streams

# Groups of examples: their shares, P, and how much of the error is there.
GROUPS = np.array([0.7, 0.2, 0.1])
ASKED = np.array([0.01, 0.1, 1.0])
SKEW = np.array([0.4, 1.6, 4.0])


def made(runs, error, n, *, asked=ASKED, skew=SKEW, change=0.0, seed=0):
    """A classifier that errs where P is large; with ``change`` it is worse at the beginning."""
    generator = np.random.default_rng([seed, int(1e4 * error), n])
    group = generator.choice(3, (n, runs), p=GROUPS)
    wrong = np.minimum(error * skew / (GROUPS @ skew), 0.95)
    now = 1 + change * np.exp(-np.arange(n)[:, None] / 200)
    loss = generator.random((n, runs)) < np.minimum(wrong[group] * now, 1)
    true = (GROUPS * np.minimum(wrong * now[..., None], 1)).sum(axis=-1)
    P = asked[group]
    return Seen(
        P,
        generator.random((n, runs)) < P,
        loss.astype(float),
        np.broadcast_to(true, (n, runs)),
        np.ones((n, runs), bool),
    )


@functools.cache
def shares_of_made(runs):
    """The share of wrong runs for each estimator, error and knowledge of the floor."""
    n = 1000 if runs < 1000 else 3000
    found = {}
    for error in (0.005, 0.05, 0.2, 0.4):
        skew = SKEW if error < 0.2 else np.array([0.7, 1.2, 2.0])
        for floor in (None, 0.01):
            seen = made(runs, error, n, skew=skew)
            wrong = fixed_is_wrong(seen, float(seen.error[0, 0]), floor=floor).any(axis=0)
            found["fixed", error, floor] = wrong
            seen = made(runs, error / 2, n, skew=skew, change=1.0)
            found["progressive", error, floor] = progressive_is_wrong(seen, floor=floor).any(axis=0)
    return found


@sizes
def test_intervals_hold_at_all_times_where_p_goes_down_to_a_hundredth(runs):
    for what, wrong in shares_of_made(runs).items():
        report(*what, wrong)
        assert holds(wrong), (what, wrong.mean())


@sizes
def test_intervals_are_not_ten_times_too_careful(runs):
    for kind in ("fixed", "progressive"):
        shares = [wrong.mean() for what, wrong in shares_of_made(runs).items() if what[0] == kind]
        assert max(shares) > ALPHA / 10, kind


def test_what_is_judged_is_what_people_see():
    """The arrays above say of a run what its sequences say, one example after the other."""
    seen = made(4, 0.2, 300, asked=np.array([0.2, 0.5, 1.0]))
    true = float(seen.error[0, 0])
    found = []
    # A wrong truth, so that runs are wrong at some time.
    for shift, floor in ((0.07, None), (-0.06, 0.2), (0.0, 0.2)):
        judged = fixed_is_wrong(seen, true + shift, floor=floor)
        moved = seen._replace(error=seen.error + shift)
        progressive = progressive_is_wrong(moved, floor=floor)
        for kind, verdict in ((FixedError, judged), (ProgressiveError, progressive)):
            for run in range(4):
                sequence = kind(alpha=ALPHA, floor=floor)
                wrong, almost = np.zeros(2, bool), np.zeros(2, bool)
                for P, asked, loss, error, _ in zip(*(one[:, run] for one in moved), strict=True):
                    if asked:
                        sequence.add(loss, P)
                    else:
                        sequence.skip(probability=P)
                    _, low, high, *_ = sequence.interval()
                    wrong |= [low > error + 1e-9, high < error - 1e-9]
                    almost |= [low > error - 2e-3, high < error + 2e-3]
                assert (wrong <= verdict[:, run]).all()
                assert (verdict[:, run] <= almost).all()
        found.append(judged.any())
    assert found == [True, True, False]


# ----------------------------------------------------------------------------------- wrong ones


EVEN = np.ones(3)
OFTEN = np.array([0.1, 0.3, 1.0])


@pytest.mark.parametrize("floor", [None, 0.1])
def test_weights_of_one_over_the_root_fail(floor):
    seen = made(200, 0.3, 2000, asked=OFTEN, skew=EVEN)
    assert holds(fixed_is_wrong(seen, 0.3, floor=floor).any(axis=0))
    rooted = seen._replace(P=np.sqrt(seen.P))
    assert fails(fixed_is_wrong(rooted, 0.3, floor=floor).any(axis=0))
    assert fails(progressive_is_wrong(rooted, floor=floor).any(axis=0))


def test_bets_that_look_at_p_fail():
    """They bet where errors are frequent."""
    seen = made(200, 0.05, 2000)
    found = fixed_is_wrong(seen, 0.05, bet=lambda block: block.P > 0.5)
    assert fails(found[0])


@pytest.mark.parametrize("looks_at", ["label", "coin"])
def test_guesses_that_look_at_the_label_or_the_coin_fail(looks_at):
    def peek(side, block):
        values = block.loss if side.guess == 0 else 1 - block.loss
        better = values if looks_at == "label" else 0.5 * side.guess
        return np.where(block.asked, better, side.guess)

    seen = made(200, 0.3, 2000, asked=OFTEN, skew=EVEN)
    found = fixed_is_wrong(seen, 0.3, floor=0.1, guess=peek)
    assert fails(found[1])
    # Other guesses than the usual ones do no harm.
    blind = fixed_is_wrong(seen, 0.3, floor=0.1, guess=lambda side, block: 0.3 * block.P)
    assert holds(blind.any(axis=0))


@pytest.mark.parametrize("error", [0.05, 0.4])
def test_stopping_at_the_best_moment_with_an_interval_for_a_fixed_time_fails(error):
    """The normal interval, from 30 labels on: right at the end, wrong at some time."""
    seen = made(400, error, 3000, asked=np.array([0.3, 0.5, 1.0]), skew=np.array([0.7, 1.2, 2.0]))
    true = float(seen.error[0, 0])
    terms = np.where(seen.asked, seen.loss / seen.P, 0.0)
    n = np.arange(1, 3001)[:, None]
    mean = np.cumsum(terms, axis=0) / n
    spread = np.sqrt((np.cumsum(terms**2, axis=0) / n - mean**2) / n)
    wrong = np.abs(mean - true) > 1.645 * spread
    wrong &= np.cumsum(seen.asked, axis=0) >= 30
    assert holds(wrong[-1])
    assert fails(wrong.any(axis=0))


# ----------------------------------------------------------------------------------- refits

POINTS, SHARE = 400, 0.5
DOUBLED = (100, 200, 400, 800, 1600, 3200)


def refitted(runs, n, *, learns_held_out=False, refits=DOUBLED, seed=0):
    """A classifier that knows points by heart, refitted now and then.

    Gives for each refit when it was, what was held out until the next one, and the true errors.
    """
    generator = np.random.default_rng(seed)
    positive = np.where(np.arange(POINTS) % 2 == 0, 0.7, 0.3)
    votes, every = np.zeros((runs, POINTS)), np.arange(runs)
    columns, fits = [], [(0, np.where(generator.random((runs, POINTS)) < 0.5, 1, -1))]
    for i in range(n):
        x = generator.integers(POINTS, size=runs)
        label = np.where(generator.random(runs) < positive[x], 1, -1)
        P = np.where(np.abs(votes[every, x]) < 2, 0.8, 0.3)
        held, asked = generator.random(runs) < SHARE, generator.random(runs) < P
        learned = asked & (learns_held_out | ~held)
        votes[every[learned], x[learned]] += label[learned]
        columns.append((x, label, P, held, asked))
        if i + 1 in refits:
            fits.append((i + 1, np.where(votes > 0, 1, np.where(votes < 0, -1, fits[-1][1]))))
    x, label, P, held, asked = (np.array(column) for column in zip(*columns, strict=True))
    ends = [begin for begin, _ in fits[1:]] + [n]
    for (begin, serving), end in zip(fits, ends, strict=True):
        error = np.where(serving > 0, 1 - positive, positive).mean(axis=1)
        loss = (serving[every, x[:end]] != label[:end]).astype(float)
        errors = np.broadcast_to(error, loss.shape)
        yield begin, Seen(P[:end], asked[:end], loss, errors, held[:end]), error


def current_is_wrong(refits, floor):
    wrong = 0
    for j, (begin, seen, error) in enumerate(refits, 1):
        level = spent_level(ALPHA, j)
        wrong |= fixed_is_wrong(seen, error, alpha=level, floor=floor, since=begin).any(axis=0)
    return wrong


@sizes
@pytest.mark.parametrize("floor", [None, 0.3])
def test_the_current_classifier_at_all_times_and_of_all_refits(runs, floor):
    n = 900 if runs < 1000 else 3300
    wrong = current_is_wrong(refitted(runs, n), floor)
    report("refitted", floor, wrong)
    assert holds(wrong)


@sizes
@pytest.mark.parametrize("floor", [None, 0.3])
def test_one_that_stays_is_not_judged_ten_times_too_carefully(runs, floor):
    """It has half of the level; each that follows has less, and is wrong less often."""
    wrong = current_is_wrong(refitted(runs, 3300, refits=()), floor)
    report("never refitted", floor, wrong)
    assert wrong.mean() > spent_level(ALPHA, 1) / 10


def test_learning_what_was_held_out_fails():
    assert fails(current_is_wrong(refitted(200, 900, learns_held_out=True), None))


def test_the_levels_are_those_of_the_sequence():
    current = CurrentError(alpha=ALPHA)
    for j in range(1, 5):
        current.refit([], [])
        assert current._sequence.alpha == spent_level(ALPHA, j)


# ----------------------------------------------------------------------------------- learners

SIDE = np.linspace(-1.0, 1.0, 8)
GRID = np.array([(a, b, 1.0) for a in SIDE for b in SIDE])
MATRIX = from_dense(GRID)
TRUE = np.where(GRID.sum(axis=1) > 1.0, 1, -1)
SHIFTED = np.where(GRID[:, 0] > 0.2, 1, -1)
NOISE = (0.005, 0.1, 0.4)
LENGTH = 300

LEARNERS = {
    "passive": {},
    "iwal0": {"c0": 0.005},
    "iwal1": {"c0": 0.005},
    "margin": {"b": 0.02},
    "auto": {"budget": 60, "horizon": LENGTH, "uniform_share": 0.05},
    "online_active_cover": {"c0": 0.005, "audit": 0.04},
}


def error_on(predicted, noise):
    """The true error of predictions of the points, exactly."""
    return float(np.mean(np.where(predicted == TRUE, noise, 1 - noise)))


def streamed(name, seed, noise, points, labels):
    """P, asked, predicted and true errors, one example after the other."""
    live = ActiveLearner(name, n_features=3, random_state=seed, **LEARNERS[name])
    learned = True
    for i, (point, label) in enumerate(zip(points.tolist(), labels.tolist(), strict=True)):
        # Only a label changes the classifier, once the largest value of each feature was seen.
        if learned or i < 60:
            error = error_on(np.where(live.margins(MATRIX) > 0, 1, -1), noise)
        question = live.ask(GRID[point])
        learned = question.wanted
        yield question.probability, learned, question.predicted, error
        if learned:
            live.tell(question, label)


def in_blocks(seed, noise, points, labels):
    """The same for `auto`, with a cheap estimator."""
    learner = make_learner("auto", n_features=3, estimator=GaussianNB(), **LEARNERS["auto"])
    rows, now = [], [error_on(learner.predict_many(MATRIX), noise)]

    def note(decisions):
        rows.extend((one.probability, one.queried, one.predicted, now[0]) for one in decisions)
        now[0] = error_on(learner.predict_many(MATRIX), noise)

    coins = np.random.default_rng([seed, 2]).random(len(points))
    budget = LEARNERS["auto"]["budget"]
    label_of = labels.tolist().__getitem__
    run_blocks(learner, MATRIX[points], coins, label_of, limit=budget, on_block=note)
    return rows


@functools.cache
def of_learner(name, noise, runs):
    """What many runs of a learner saw of a fixed classifier, and of its own."""
    width = LENGTH, runs
    P, asked, there = np.ones(width), np.zeros(width, bool), np.zeros(width, bool)
    own, fixed, errors = np.zeros(width), np.zeros(width), np.zeros(width)
    judged = SHIFTED if noise > 0.01 else TRUE
    for run in range(runs):
        generator = np.random.default_rng([run, 1])
        points = generator.integers(len(GRID), size=LENGTH)
        labels = np.where(generator.random(LENGTH) < noise, -1, 1) * TRUE[points]
        given = run, noise, points, labels
        rows = list(in_blocks(*given) if name == "auto" else streamed(name, *given))
        k = len(rows)
        P[:k, run], asked[:k, run], predicted, errors[:k, run] = np.array(rows).T
        there[:k, run] = True
        own[:k, run] = predicted != labels[:k]
        fixed[:, run] = judged[points] != labels
    learned = Seen(P, asked, own, errors, there)
    return learned, learned._replace(loss=fixed), error_on(judged, noise)


LEAST = {"passive": 1.0, "auto": 0.01}
"""Floors that are known beforehand."""

FEWER = [pytest.param(40, id="short"), pytest.param(700, id="whole", marks=pytest.mark.slow)]
"""At each of three levels of noise."""


@needs_speed
@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("runs", FEWER)
def test_intervals_hold_on_the_samples_of_learners(name, runs):
    shares, smallest = [], 1.0
    for noise in NOISE:
        learned, judged, error = of_learner(name, noise, runs)
        for floor in {None, LEAST.get(name)}:
            wrong = fixed_is_wrong(judged, error, floor=floor).any(axis=0)
            assert holds(wrong), (noise, "fixed", wrong.mean())
            own = progressive_is_wrong(learned, floor=floor).any(axis=0)
            assert holds(own), (noise, "progressive", own.mean())
            report(name, noise, floor, "fixed", wrong)
            report(name, noise, floor, "progressive", own)
            shares += [wrong.mean(), own.mean()]
        smallest = min(smallest, judged.P[judged.there].min())
        # Otherwise nothing would have been tested.
        assert judged.asked.mean() > 0.02
        assert 0.004 < error < 0.5
    if runs >= 700:
        assert max(shares) > ALPHA / 10
    if name != "passive":
        assert smallest < 0.05


ASKING_MORE = {
    **LEARNERS,
    "iwal1": {"c0": 0.05},
    "margin": {"b": 0.3},
    "auto": {"estimator": GaussianNB(), "horizon": LENGTH, "budget": Budget(total=120)},
    "online_active_cover": {"c0": 0.2, "audit": 0.1},
}
"""A classifier is judged once it was made of 20 labels."""


def current_verdicts(name, seed, noise):
    """Whether each interval of the current classifier misses its true error.

    One looks after every example that was held out, and after every refit.
    """
    live = ActiveLearner(name, n_features=3, random_state=seed, hold_out=0.4, **ASKING_MORE[name])
    judging = live._judging
    generator = np.random.default_rng([seed, 1])
    points = generator.integers(len(GRID), size=LENGTH)
    labels = np.where(generator.random(LENGTH) < noise, -1, 1) * TRUE[points]
    error, before, verdicts = 0.0, None, []
    for point, label in zip(points.tolist(), labels.tolist(), strict=True):
        question = live.ask(GRID[point])
        if question.wanted:
            live.tell(question, label)
        refits = judging.error.refits
        if before is None or refits != before[1]:
            error = error_on(judging.predictions(MATRIX), noise)
        if before != (before := (judging.examples, refits)):
            current = judging.interval()
            if current is not None:
                verdicts.append(not current.low <= error <= current.high)
    return verdicts


@needs_speed
@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize(
    "runs", [pytest.param(10, id="short"), pytest.param(700, id="whole", marks=pytest.mark.slow)]
)
def test_the_current_classifier_of_learners(name, runs):
    for noise in NOISE:
        verdicts = [current_verdicts(name, seed, noise) for seed in range(runs)]
        wrong = [any(one) for one in verdicts]
        report(name, noise, "current", wrong)
        assert binomtest(sum(wrong), runs, 0.05, "greater").pvalue > 1e-3, noise
        # Otherwise nothing would have been tested.
        assert np.mean([len(one) for one in verdicts]) > 40
