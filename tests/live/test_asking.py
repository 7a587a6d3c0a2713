"""What a question says, what is refused, and what waits: the books of an example."""

import math
from typing import Any

import numpy as np
import pytest
from tests.live.conftest import LEARNERS, STREAM, ask_all, first_wanted, logged, make, snapshot

from askance.checks.comparing import same
from askance.errors import (
    InvalidRow,
)
from askance.live import ActiveLearner
from askance.live.budget import Budget
from askance.live.coins import AHEAD
from askance.types import Row


@pytest.mark.parametrize("name", LEARNERS)
def test_a_question_says_what_was_decided(name: str) -> None:
    live, learner = logged(name)
    coins = np.random.default_rng(1).random(len(STREAM)).tolist()
    reasons = set()
    for i, step in enumerate(STREAM):
        expected = learner.inner.decide(step.row, coins[i])
        question = live.ask(step.row)
        assert question.id == i
        assert question.wanted == expected.queried
        assert question.probability == expected.probability
        assert question.predicted == expected.predicted == live.predict(step.row)
        reasons.add(question.reason)
        if question.wanted:
            assert question.reason is None
            assert question.weight == 1 / question.probability
            live.tell(question, step.label)
        else:
            assert question.reason == ("coin" if expected.in_disagreement else "outside")
            assert question.weight == 0.0
        assert learner.k == i + 1
    assert None in reasons
    assert learner.coins == coins


def test_any_form_of_example_will_do() -> None:
    forms = [[0.0, 2.0, 0.0, 0.0], {1: 2.0}, (np.array([1]), np.array([2.0])), np.eye(4)[1] * 2]
    questions = [make().ask(form) for form in forms]
    assert len(set(questions)) == 1


def test_a_pending_row_is_kept_as_it_was() -> None:
    values = np.array([1.0, 2.0, 3.0, 4.0])
    live, learner = logged("passive")
    question = live.ask((np.arange(4), values))
    values[:] = 99.0
    live.tell(question, 1)
    assert learner.log[0][0].values.tolist() == [1.0, 2.0, 3.0, 4.0]


@pytest.mark.parametrize(
    ("x", "found"),
    [
        ([math.nan, 0.0, 0.0, 0.0], "nan"),
        ([0.0, math.inf, 0.0, 0.0], "inf"),
        ([0.0, 0.0, 0.0, 0.0, 1.0], "got 5"),
        ({7: 1.0}, "got 7"),
        (([1, 1], [1.0, 2.0]), "1"),
        (([0, 1], [1.0]), "got"),
        (["spam"] * 4, "spam"),
        ([[1.0, 2.0]], "got 2"),
        (3.5, "got 0"),
    ],
    ids=["nan", "inf", "dimension", "index", "repeat", "lengths", "text", "matrix", "scalar"],
)
@pytest.mark.parametrize("budget", [None, Budget(total=1)], ids=["open", "spent"])
def test_bad_rows_use_up_nothing(x: Any, found: str, budget: Budget | None, refused: Any) -> None:
    live = make("passive", budget=budget)
    live.ask(STREAM[0].row)
    before = snapshot(live)
    with refused(InvalidRow, found):
        live.ask(x)
    with refused(InvalidRow, found):
        live.predict(x)
    assert snapshot(live) == before


@pytest.mark.parametrize("kind", [np.float16, np.longdouble])
def test_every_kind_of_float_is_taken(kind: Any) -> None:
    values = np.array([1.0, 0.5], kind)
    live, twin = (ActiveLearner("iwal1", n_features=2) for _ in range(2))
    for x, other in ((values, [1.0, 0.5]), (Row(np.arange(2), values), [1.0, 0.5])):
        assert live.ask(x) == twin.ask(other)


def test_a_total_stops_asking_and_a_withdrawal_refunds_it() -> None:
    live = make("passive", budget=Budget(total=3))
    wanted = [question.wanted for question in ask_all(live, STREAM[:5])]
    assert wanted == [True, True, True, False, False]
    live.withdraw(1)
    assert live.ask(STREAM[5].row).wanted
    assert not live.ask(STREAM[6].row).wanted
    assert live.stats().asked == 4


def test_a_rate_holds_over_every_window() -> None:
    live = make("passive", budget=Budget(labels=2, per=5))
    wanted = [question.wanted for question in ask_all(live, STREAM[:12])]
    assert wanted == [True, True, False, False, False] * 2 + [True, True]
    live.withdraw(11)
    assert live.ask(STREAM[12].row).wanted


@pytest.mark.parametrize("name", LEARNERS)
def test_refused_examples_leave_no_trace_but_their_count(name: str) -> None:
    """The learner's state and clock stand still; coins go on, one for each example."""
    live, learner = logged(name, budget=Budget(total=1))
    live.tell(first_wanted(live), 1)
    before, learned, coins = snapshot(live), learner.k, len(learner.coins)
    state = learner.get_state()
    stats = live.stats()
    question = live.ask(STREAM[3].row)
    assert (question.wanted, question.reason) == (False, "budget")
    assert (question.probability, question.weight) == (0.0, 0.0)
    assert question.predicted == live.predict(STREAM[3].row)
    assert same(learner.get_state(), state)
    assert (learner.k, len(learner.coins)) == (learned, coins)
    assert live.stats().refused == stats.refused + 1
    assert live.stats().query_rate == stats.query_rate
    assert live.stats().mean_error == stats.mean_error
    assert snapshot(live) != before


def test_coins_belong_to_examples_also_past_refused_ones() -> None:
    live, learner = logged("iwal0", budget=Budget(labels=1, per=7), random_state=5)
    coins = np.random.default_rng(5).random(len(STREAM)).tolist()
    seen = [coins[i] for i, q in enumerate(ask_all(live, STREAM)) if q.reason != "budget"]
    assert learner.coins == seen
    assert len(seen) < len(coins)


def test_what_waits_to_be_judged_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("askance.live.asking.AT_ONCE", 100)
    live, kept = make("iwal1"), []
    for step in STREAM * 3:
        question = live.ask(step.row)
        if question.wanted:
            live.tell(question, step.label)
        kept.append(len(live._questions.unjudged))
    assert 100 < max(kept) < 100 + 2 * AHEAD
