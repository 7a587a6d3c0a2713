"""Counting, measuring and buying, by rows and by blocks, until nothing is left."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import askance
from askance.checks.made_examples import make_stream
from askance.engine.drivers import Verbs
from askance.errors import InvalidLabel, InvalidRow
from askance.learners.active_cover import ActiveCover
from askance.learners.constants import Constants
from askance.live import ActiveLearner
from askance.live.budget import Budget
from askance.oracles.thresholds import ThresholdOracle
from askance.simulate import Seat, run_blocks, run_readable, run_rows, simulate
from askance.simulate.loop import Deciding, Tally, walk_blocks, walk_rows
from askance.sparse import from_dense, row_at
from askance.types import Decision, Label, ResultRow, Row, Run

N = 120
STREAM = make_stream(seed=4, n_features=4, length=80)


def noisy_line(seed: int) -> tuple[object, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = rng.random((N, 1))
    return from_dense(x), np.where((x[:, 0] > 0.4) != (rng.random(N) < 0.1), 1, -1)


def cover(c0: float = 0.1) -> ActiveCover:
    return ActiveCover(ThresholdOracle(), Constants.practical(c0=c0, alpha=1.0, beta_scale=3.0))


def queried(count: int) -> list[Decision]:
    """Decisions of which every other is a query."""
    return [Decision(1, True, 0.5, i % 2 == 1, i, 0.1, 0.1) for i in range(2 * count)]


# ---------------------------------------------------------------------- counting


def test_a_tally_measures_when_a_budget_is_reached_and_at_the_end() -> None:
    errors = iter([0.5, 0.25])
    tally = Tally([1, 3, 9], error=lambda: next(errors), to_the_end=True)
    for bought in (0, 1, 0, 1):
        tally.count(bought)
    assert tally.close() == Run(
        (
            ResultRow(1, 1, 2, 0.5, True),
            ResultRow(3, 2, 4, 0.25, False),
            ResultRow(9, 2, 4, 0.25, False),
        ),
        4,
        2,
        0.25,
        "stream over",
    )


def test_what_was_measured_at_the_end_is_not_measured_again() -> None:
    measured: list[float] = []
    tally = Tally([2], error=lambda: measured.append(0.1) or 0.1)
    tally.count(1)
    tally.count(1)
    run = tally.close()
    assert (run.error, run.ended, len(measured)) == (0.1, "last budget reached", 1)


def test_nothing_measured_is_not_a_number() -> None:
    run = Tally(limit=0).close()
    assert math.isnan(run.error)
    assert (run.rows, run.examples, run.ended) == ((), 0, "budget spent")
    assert math.isnan(Tally(progressive=True).close().error)


@pytest.mark.parametrize(
    ("budgets", "limit", "kept"),
    [((), None, 20), ((), 3, 6), ((2, 9), None, 4), ((4,), 3, 6), ((3,), 4, 6), ((10,), 10, 20)],
)
def test_a_block_ends_with_the_last_label_or_the_next_budget(
    budgets: tuple[int, ...], limit: int | None, kept: int
) -> None:
    assert len(Tally(budgets, limit=limit).affordable(queried(10))) == kept
    later = Tally(budgets, limit=limit)
    later.count(1)
    assert len(later.affordable(queried(10))) == (kept - 2 if budgets or limit else 20)


# ---------------------------------------------------------------------- rows and blocks


def by_rows(learner, X, y, coins, limit):
    bought: list[int] = []
    seat = Seat(learner, coins.tolist(), limit=limit, on_query=lambda i, _: bought.append(i))
    examples = [(row_at(X, i), i) for i in range(X.shape[0])]
    return run_rows([seat], examples, lambda i: int(y[i]))[0], bought


@given(seed=st.integers(0, 20), limit=st.none() | st.integers(1, 40))
@settings(deadline=None, max_examples=15)
def test_by_blocks_is_by_rows(seed: int, limit: int | None) -> None:
    X, y = noisy_line(seed)
    coins = np.random.default_rng(seed).random(N)
    plain, learner = cover(), cover()
    expected, bought = by_rows(plain, X, y, coins, limit)
    looked_at: list[int] = []
    taken: list[tuple[int, float]] = []
    blocks: list[Decision] = []
    run = run_blocks(
        learner, X, coins, lambda i: (looked_at.append(i), int(y[i]))[1],
        limit=limit, on_query=lambda *pair: taken.append(pair), on_block=blocks.extend,
    )  # fmt: skip
    assert (run.examples, run.queries, run.ended) == (
        expected.examples, expected.queries, expected.ended,
    )  # fmt: skip
    assert looked_at == bought == [i for i, _ in taken]
    assert run.ended == ("stream over" if run.queries != limit else "budget spent")
    assert learner.refit().cut == plain.refit().cut
    assert learner.k == plain.k == len(blocks) == run.examples
    assert [p for _, p in taken] == [d.probability for d in blocks if d.queried]


@given(
    seed=st.integers(0, 20),
    budgets=st.sets(st.integers(1, 60), min_size=1, max_size=4).map(sorted),
    to_the_end=st.booleans(),
)
@settings(deadline=None, max_examples=15)
def test_errors_by_blocks_are_those_by_rows(
    seed: int, budgets: list[int], to_the_end: bool
) -> None:
    X, y = noisy_line(seed)
    pairs = [(row_at(X, i), int(y[i])) for i in range(N)]
    coins = np.random.default_rng(seed).random(N).tolist()
    runs = [
        go(cover(), pairs, coins, pairs[:50], budgets=budgets, to_the_end=to_the_end)
        for go in (simulate, run_readable)
    ]
    assert runs[0] == runs[1]


@given(cuts=st.sets(st.integers(1, N - 1), max_size=4))
@settings(deadline=None, max_examples=10)
def test_in_parts_or_whole_is_the_same(cuts: set[int]) -> None:
    X, y = noisy_line(3)
    coins = np.random.default_rng(5).random(N)
    whole, parts, left = cover(), cover(), 30
    run_blocks(whole, X, coins, lambda i: int(y[i]), limit=30)
    ends = sorted(cuts | {0, N})
    for part in map(slice, ends, ends[1:]):
        label_of = y[part].__getitem__
        left -= run_blocks(parts, X[part], coins[part], label_of, limit=left).queries
    assert parts.k == whole.k
    assert parts.refit().cut == whole.refit().cut


def test_an_active_learner_stops_at_its_own_budget_also_the_second_time() -> None:
    live = ActiveLearner("passive", n_features=4, budget=Budget(total=7))
    examples = [(step.row, step.label) for step in STREAM]
    (run,) = run_rows([Seat(live)], examples[:5], lambda label: label)
    assert (run.queries, run.ended) == (5, "stream over")
    (run,) = run_rows([Seat(live)], examples[5:], lambda label: label)
    assert (run.examples, run.queries, run.ended) == (2, 2, "budget spent")
    (run,) = run_rows([Seat(live)], examples, lambda label: pytest.fail("a label was bought"))
    assert run.examples == 0
    assert live.stats().seen == 7


def test_a_rate_refuses_some_examples_and_ends_nothing() -> None:
    live = ActiveLearner("passive", n_features=4, budget=Budget(labels=1, per=4))
    examples = [(step.row, step.label) for step in STREAM]
    (run,) = run_rows([Seat(live)], examples, lambda label: label)
    assert (run.examples, run.queries, run.ended) == (80, 20, "stream over")


def test_the_stream_is_read_once_for_all() -> None:
    read: list[int] = []

    def examples():
        for i, step in enumerate(STREAM):
            read.append(i)
            yield step.row, step.label

    learners = [askance.make_learner("passive", n_features=4) for _ in range(2)]
    seats = [
        Seat(learner, (step.coin for step in STREAM), limit=limit)
        for learner, limit in zip(learners, (5, 9), strict=True)
    ]
    first, second = run_rows(seats, examples(), lambda label: label)
    assert read == list(range(9))
    assert (first.queries, second.queries) == (5, 9)
    assert [learner.k for learner in learners] == [5, 9]


# ---------------------------------------------------------------------- a source that fails


class Lost(Exception):
    pass


def failing(labels: list[Label], after: int) -> Callable[[int], Label]:
    """Gives so many labels and no more."""
    given: list[int] = []

    def label_of(i: int) -> Label:
        if len(given) == after:
            raise Lost
        given.append(i)
        return labels[i]

    return label_of


def test_blocks_learn_what_was_bought_before_a_label_failed() -> None:
    X, y = noisy_line(1)
    coins = np.random.default_rng(1).random(N)
    learner, counts, bought = cover(), [], []
    with pytest.raises(Lost):
        run_blocks(
            learner, X, coins, failing(y.tolist(), 7),
            on_query=lambda i, _: bought.append(i),
            progress=lambda *pair: counts.append(pair),
        )  # fmt: skip
    plain = cover()
    run, expected = by_rows(plain, X[: learner.k], y, coins, None)
    assert run.queries == 7
    assert bought == expected
    assert counts[-1] == (learner.k, 7)
    assert learner.refit().cut == plain.refit().cut


def test_an_active_learner_withdraws_the_question_whose_label_failed() -> None:
    live, counts, bought = ActiveLearner("passive", n_features=4), [], []
    examples = [(step.row, i) for i, step in enumerate(STREAM)]
    label_of = failing([step.label for step in STREAM], 5)
    with pytest.raises(Lost):
        run_rows(
            [Seat(live, on_query=lambda i, p: bought.append((i, p)))], examples, label_of,
            progress=lambda *pair: counts.append(pair),
        )  # fmt: skip
    assert bought == [(i, 1.0) for i in range(5)]
    assert counts[-1] == (6, 5)
    stats = live.stats()
    assert (stats.answered, stats.pending, stats.withdrawn) == (5, 0, 1)


def test_a_learner_is_as_before_the_example_whose_label_failed() -> None:
    learner = askance.make_learner("passive", n_features=4)
    tally = Tally()
    label_of = failing([step.label for step in STREAM], 5)
    place = Deciding(tally, label_of, None, Verbs(learner), (step.coin for step in STREAM))
    with pytest.raises(Lost):
        walk_rows([place], [(step.row, i) for i, step in enumerate(STREAM)])
    assert learner.k == tally.examples == tally.queries == 5


@pytest.mark.parametrize("label", [0, 2, True, None, "1"])
def test_a_source_must_give_labels(label: object) -> None:
    X, _ = noisy_line(0)
    learner = cover()
    with pytest.raises(InvalidLabel):
        walk_blocks(learner, X, np.zeros(N), lambda i: 1 if i < 2 else label, Tally())
    assert learner.k == 2


def test_a_row_that_is_none_is_refused_in_a_block_too() -> None:
    bad = Row(np.array([1, 0]), np.ones(2))
    examples = [(row_at(from_dense(np.ones((1, 2))), 0), 1), (bad, 1)]
    with pytest.raises(InvalidRow, match="must increase"):
        simulate(cover(), examples, [0.5, 0.5], examples[:1])
