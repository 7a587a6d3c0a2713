"""Labels now, late, twice or never: what is taken, and errors without consequences."""

import math
from typing import Any

import numpy as np
import pytest
from tests.live.conftest import STREAM, answer_all, ask_all, first_wanted, logged, make, snapshot

from askance.errors import (
    InvalidLabel,
    LabelConflict,
    UnknownQuestion,
)
from askance.live import ActiveLearner


def test_what_was_decided_stays_as_decided() -> None:
    live, learner = logged("online_active_cover")
    decisions = {}
    for i, step in enumerate(STREAM):
        decisions[i] = learner.inner.decide(step.row, np.random.default_rng(1).random(i + 1)[i])
        live.ask(step.row)
    late = live.pending()
    assert len(late) > 3
    for id in reversed(late):
        live.tell(id, STREAM[id].label)
        assert learner.log[-1][1] == decisions[id]
    assert learner.k == len(STREAM)


def test_a_pending_question_enters_the_clock_when_it_is_learned() -> None:
    live = make("passive")
    first, second = live.ask(STREAM[0].row), live.ask(STREAM[1].row)
    assert live.stats().learned == 0
    live.tell(second, 1)
    assert live.stats().learned == 1
    live.tell(first.id, 1)
    assert live.stats().learned == 2


def test_answering_twice(refused: Any) -> None:
    live = make()
    question = first_wanted(live)
    live.tell(question, 1)
    before = snapshot(live)
    with refused(
        LabelConflict, f"question {question.id} was answered +1, cannot be answered again"
    ):
        live.tell(question, 1)
    with refused(
        LabelConflict, f"question {question.id} was answered +1, cannot be answered as -1"
    ):
        live.tell(question.id, -1)
    with refused(LabelConflict, f"question {question.id} was answered +1"):
        live.withdraw(question)
    assert snapshot(live) == before


@pytest.mark.parametrize(
    ("id", "expected"),
    [
        (60, "60 examples were offered so far"),
        (10**9, "60 examples were offered so far"),
        (-1, "60 examples were offered so far"),
        ("7", "expected a whole number"),
        (None, "expected a whole number"),
        (2.5, "expected a whole number"),
    ],
)
def test_unknown_questions(id: Any, expected: str, refused: Any) -> None:
    live = make()
    ask_all(live, STREAM)
    before = snapshot(live)
    for call in (lambda: live.tell(id, 1), lambda: live.withdraw(id)):
        with refused(UnknownQuestion, f"no question has the id {id!r}, {expected}"):
            call()
    assert snapshot(live) == before


def test_a_question_that_wanted_no_label(refused: Any) -> None:
    live = make()
    unwanted = next(question for question in answer_all(live, STREAM) if not question.wanted)
    before = snapshot(live)
    with refused(LabelConflict, f"question {unwanted.id} wanted no label, so none can be answered"):
        live.tell(unwanted, 1)
    assert snapshot(live) == before


def test_a_question_that_was_withdrawn(refused: Any) -> None:
    live = make()
    question = first_wanted(live)
    live.withdraw(question)
    before = snapshot(live)
    for call in (lambda: live.tell(question, 1), lambda: live.withdraw(question.id)):
        with refused(LabelConflict, f"question {question.id} was withdrawn"):
            call()
    assert snapshot(live) == before


@pytest.mark.parametrize("label", [2, 0, True, None, "spam", math.nan])
def test_bad_labels(label: Any, refused: Any) -> None:
    live = make()
    question = first_wanted(live)
    before = snapshot(live)
    with refused(InvalidLabel, f"a label must be -1 or +1, got {label!r}"):
        live.tell(question, label)
    assert snapshot(live) == before


@pytest.mark.parametrize("label", [np.True_, True, 2, "1", None, np.array([1])])
def test_what_is_no_label(label: Any, refused: Any) -> None:
    live = ActiveLearner("passive", n_features=1)
    question = live.ask([1.0])
    with refused(InvalidLabel, "a label must be -1 or +1, got"):
        live.tell(question, label)
    live.tell(question, np.int8(1))


def test_of_a_batch_with_a_fault_nothing_is_taken(refused: Any) -> None:
    live = make("passive")
    ask_all(live, STREAM[:5])
    before = snapshot(live)
    with refused(UnknownQuestion, "no question has the id 9"):
        live.tell_many([(0, 1), (1, -1), (9, 1)])
    with refused(LabelConflict, "question 2 was answered +1, cannot be answered as -1"):
        live.tell_many([(2, 1), (2, -1)])
    with refused(InvalidLabel, "got 5"):
        live.tell_many([(3, 1), (4, 5)])
    assert snapshot(live) == before
    live.tell_many([(0, 1), (4, -1)])
    assert live.pending() == [1, 2, 3]


def test_a_withdrawn_question_is_learned_as_not_queried() -> None:
    live, learner = logged("online_active_cover")
    question = live.ask(STREAM[0].row)
    live.withdraw(question)
    _, decision, label = learner.log[0]
    assert (decision.queried, decision.probability, label) == (False, 1.0, None)
    assert (live.stats().withdrawn, live.stats().learned, live.stats().mean_error) == (1, 1, 0.0)
    assert learner.target(decision, None)[1] == 0.0
