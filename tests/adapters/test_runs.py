"""Runs over matrices: the same as row by row, within the budget."""

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from askance.adapters.runs import Asked, EpochRun, StreamRun, budget_of
from askance.errors import InvalidParameter
from askance.learners.active_cover import ActiveCover
from askance.learners.constants import Constants
from askance.live import ActiveLearner
from askance.live.budget import Budget
from askance.oracles.thresholds import ThresholdOracle
from askance.sparse import from_dense, row_at

N = 120


def noisy_line(seed: int) -> tuple[object, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = rng.random((N, 1))
    return from_dense(x), np.where((x[:, 0] > 0.4) != (rng.random(N) < 0.1), 1, -1)


def cover() -> ActiveCover:
    return ActiveCover(ThresholdOracle(), Constants.practical(c0=0.1, alpha=1.0, beta_scale=3.0))


def blocks(cuts: set[int]) -> Iterator[slice]:
    ends = sorted(cuts | {0, N})
    yield from map(slice, ends, ends[1:])


def epochs_row_by_row(X: object, y: np.ndarray, seed: int, budget: int | None) -> ActiveCover:
    learner, labels = cover(), 0
    for i, coin in enumerate(np.random.default_rng(seed).random(N).tolist()):
        if labels == budget:
            break
        decision = learner.decide(row_at(X, i), coin)
        learner.learn(row_at(X, i), decision, int(y[i]) if decision.queried else None)
        labels += decision.queried
    return learner


@given(seed=st.integers(0, 20), budget=st.none() | st.integers(1, 40))
@settings(deadline=None, max_examples=15)
def test_an_epoch_run_is_the_row_by_row_run(seed: int, budget: int | None) -> None:
    X, y = noisy_line(seed)
    run = EpochRun(cover(), np.random.default_rng(seed), budget)
    looked_at: list[int] = []
    asked = Asked()
    run.show(X, lambda i: (looked_at.append(i), int(y[i]))[1], asked)
    expected = epochs_row_by_row(X, y, seed, budget)
    assert run.learner.refit().cut == expected.refit().cut
    assert asked.offered == run.learner.k == expected.k
    assert asked.rows == looked_at
    assert budget is None or len(looked_at) <= budget
    assert budget is None or (len(looked_at) == budget) or asked.offered == N
    assert min(asked.weights) >= 1.0


@given(cuts=st.sets(st.integers(1, N - 1), max_size=4))
@settings(deadline=None, max_examples=15)
def test_in_parts_or_whole_is_the_same(cuts: set[int]) -> None:
    X, y = noisy_line(3)
    for make in (
        lambda: EpochRun(cover(), np.random.default_rng(5), 30),
        lambda: StreamRun(ActiveLearner("iwal1", n_features=1, budget=Budget(total=30), c0=0.1)),
    ):
        whole, rows, weights = make(), [], []
        asked = Asked()
        whole.show(X, lambda i: int(y[i]), asked)
        parts = make()
        for part in blocks(cuts):
            shown = Asked()
            parts.show(X[part], lambda i, start=part.start: int(y[start + i]), shown)
            rows += [part.start + i for i in shown.rows]
            weights += shown.weights
        assert rows == asked.rows
        assert weights == asked.weights
        assert parts.learner.predict(row_at(X, 0)) == whole.learner.predict(row_at(X, 0))


def test_a_stream_run_stops_at_the_budget() -> None:
    X, y = noisy_line(0)
    run = StreamRun(ActiveLearner("passive", n_features=1, budget=Budget(total=7)))
    asked, none = Asked(), Asked()
    run.show(X, lambda i: int(y[i]), asked)
    assert asked.rows == list(range(7))
    assert asked.offered == 7
    run.show(X, lambda i: pytest.fail("a label was asked for"), none)
    assert none == Asked()


@pytest.mark.parametrize("bad", [0, -3, 2.5, True, "many"])
def test_a_budget_that_is_none_is_named(bad: object) -> None:
    with pytest.raises(InvalidParameter, match="label_budget must be a positive whole number"):
        budget_of(bad)
