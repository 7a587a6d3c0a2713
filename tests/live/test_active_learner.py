"""Ask and tell: late labels, errors without consequences, budgets, threads, files."""

import copy
import dataclasses
import logging
import math
import pickle
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.naive_bayes import GaussianNB

import askance
from askance.checks.comparing import same
from askance.checks.made_examples import Example, make_stream
from askance.data.features import FeatureMap
from askance.data.features.indexers import Hashing
from askance.data.features.records import Record
from askance.errors import (
    BadRecord,
    FileUnreadable,
    InvalidLabel,
    InvalidParameter,
    InvalidRow,
    LabelConflict,
    UnknownQuestion,
)
from askance.estimate import ProgressiveError
from askance.learners.passive import Passive
from askance.live import ActiveLearner, Question
from askance.live.budget import Budget
from askance.live.coins import AHEAD
from askance.live.questions import FEWEST, RECENT
from askance.storage.states import read_state, write_state
from askance.types import Decision, Label, Row, State

STREAM = make_stream(seed=8, n_features=4, length=60)
ALGORITHMS: dict[str, dict[str, Any]] = {
    "passive": {},
    "margin": {},
    "iwal0": {"c0": 0.02},
    "iwal1": {"c0": 0.05},
    "oracular_iwal0": {"c0": 0.05},
    "oracular_iwal1": {"c0": 0.3},
    "online_active_cover": {"c0": 0.1, "cover_size": 2},
}
LEARNERS = ALGORITHMS | {"auto": {"estimator": GaussianNB(), "rate": 0.3, "lag": 2}}


def make(name: str = "iwal1", **settings: Any) -> ActiveLearner:
    return ActiveLearner(name, **({"n_features": 4, "random_state": 1} | LEARNERS[name] | settings))


def snapshot(live: ActiveLearner) -> bytes:
    """Everything that a file holds of it."""
    with tempfile.TemporaryDirectory() as folder:
        live.save(Path(folder) / "live")
        return (Path(folder) / "live").read_bytes()


class Logged:
    """A learner that keeps the coins it saw and a log of what it learned, and never asks twice."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner
        self.coins: list[float] = []
        self.log: list[tuple[Row, Decision, Label | None]] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    def decide(self, x: Row, coin: float) -> Decision:
        self.coins.append(coin)
        decision: Decision = self.inner.decide(x, coin)
        return decision

    def learn(self, x: Row, decision: Decision, label: Label | None) -> None:
        self.log.append((x, decision, label))
        self.inner.learn(x, decision, label)


def logged(name: str = "iwal1", **settings: Any) -> tuple[ActiveLearner, Logged]:
    learner = Logged(askance.make_learner(name, n_features=4, **LEARNERS[name]))
    return ActiveLearner(learner, **({"random_state": 1} | settings)), learner


def ask_all(live: ActiveLearner, stream: list[Example]) -> list[Question]:
    return [live.ask(step.row) for step in stream]


def answer_all(live: ActiveLearner, stream: list[Example]) -> list[Question]:
    """Each label at once."""
    questions = []
    for step in stream:
        questions.append(live.ask(step.row))
        if questions[-1].wanted:
            live.tell(questions[-1], step.label)
    return questions


def first_wanted(live: ActiveLearner) -> Question:
    return next(question for question in ask_all(live, STREAM) if question.wanted)


# What a question says


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


# Compiled steps


@pytest.mark.parametrize("name", ALGORITHMS)
@given(
    cut=st.integers(0, len(STREAM)),
    seed=st.integers(0, 2**32 - 1),
    dtype=st.sampled_from(["float32", "float64"]),
)
@settings(max_examples=8)
def test_compiled_steps_are_the_readable_verbs(name: str, cut: int, seed: int, dtype: str) -> None:
    """Late labels, withdrawals, a budget, a file in the middle: the same questions and states."""
    budget = Budget(total=40, labels=9, per=12)
    compiled = make(name, random_state=seed, budget=budget, dtype=dtype)
    readable = ActiveLearner(
        Logged(askance.make_learner(name, n_features=4, dtype=dtype, **ALGORITHMS[name])),
        random_state=seed,
        budget=budget,
    )
    assert _advance(compiled, 0, cut) == _advance(readable, 0, cut)
    with tempfile.TemporaryDirectory() as folder:
        compiled.save(Path(folder) / "compiled")
        compiled = ActiveLearner.load(Path(folder) / "compiled")
        readable.save(Path(folder) / "readable")
        again = Logged(askance.make_learner(name, n_features=4, dtype=dtype, **ALGORITHMS[name]))
        readable = ActiveLearner.load(Path(folder) / "readable", learner=again)
    assert _advance(compiled, cut, len(STREAM)) == _advance(readable, cut, len(STREAM))
    assert same(compiled.learner.get_state(), readable.learner.get_state())
    assert compiled.stats() == readable.stats()
    for step in STREAM:
        assert compiled.predict(step.row) == readable.predict(step.row)


def test_a_learner_restored_from_outside_is_followed() -> None:
    live, other = make("online_active_cover"), make("online_active_cover")
    answer_all(live, STREAM[:30])
    live.learner.set_state(other.learner.get_state())
    assert [live.predict(step.row) for step in STREAM] == [-1] * len(STREAM)
    assert live.stats().learned == 0


@pytest.mark.parametrize("asked", [0, 1, AHEAD - 1, AHEAD, 3 * AHEAD + 5])
def test_coins_drawn_ahead_are_not_in_the_file(asked: int, tmp_path: Path) -> None:
    live = make("passive", random_state=9)
    for _ in range(asked):
        live.ask(STREAM[0].row)
    live.save(tmp_path / "live")
    state = read_state(tmp_path / "live", "active learner")
    generator = np.random.default_rng(9)
    coins = generator.random(asked + 1)
    assert state["coin"] == coins[-1]
    assert state["generator"] == generator.bit_generator.state


# Late labels


@pytest.mark.parametrize("name", ALGORITHMS)
@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=10)
def test_replaying_the_log_of_a_live_run_gives_the_same_bits(name: str, seed: int) -> None:
    """Labels come late, out of order, in batches, or never."""
    live, learner = logged(name, random_state=seed)
    generator = np.random.default_rng(seed)
    for step in STREAM:
        live.ask(step.row)
        waiting = live.pending()
        if generator.random() < 0.3 and waiting:
            chosen = generator.permutation(waiting)[:3].tolist()
            live.tell_many([(id, STREAM[id].label) for id in chosen])
        elif generator.random() < 0.1 and waiting:
            live.withdraw(waiting[0])
    replayed = askance.make_learner(name, n_features=4, **ALGORITHMS[name])
    for row, decision, label in learner.log:
        replayed.learn(row, decision, label)
    assert same(replayed.get_state(), learner.get_state())
    assert learner.k == len(STREAM) - len(live.pending())


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


# Errors, one sentence each, without consequences


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


def test_parameters_of_an_own_learner_are_refused(refused: Any) -> None:
    with refused(InvalidParameter, "parameters go with the name of an algorithm, got c0"):
        ActiveLearner(askance.make_learner("iwal1", n_features=4), c0=0.5)


# Withdrawals and budgets


def test_a_withdrawn_question_is_learned_as_not_queried() -> None:
    live, learner = logged("online_active_cover")
    question = live.ask(STREAM[0].row)
    live.withdraw(question)
    _, decision, label = learner.log[0]
    assert (decision.queried, decision.probability, label) == (False, 1.0, None)
    assert (live.stats().withdrawn, live.stats().learned, live.stats().mean_error) == (1, 1, 0.0)
    assert learner.target(decision, None)[1] == 0.0


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


# Stats


def test_the_error_is_that_of_every_prediction_before_its_label(tmp_path: Path) -> None:
    live, expected = make("iwal1", c0=0.05), ProgressiveError()
    assert live.stats().error is None
    questions = []
    for i, step in enumerate(STREAM):
        question = live.ask(step.row)
        if not question.wanted:
            expected.skip(probability=question.probability)
            continue
        questions.append((question, step.label))
        if i % 2 == 0:
            live.tell(question, step.label)
            wrong = float(question.predicted != step.label)
            expected.add(wrong, question.probability)
        else:
            expected.add(None, question.probability)
    late = [(question, label) for question, label in questions if question.id in live.pending()]
    for question, _ in late[::3]:
        live.withdraw(question)
    assert expected.missing > 10
    assert expected.labels + expected.missing < expected.n
    found = live.stats().error
    assert found is not None
    assert found == pytest.approx(expected.interval(), abs=1e-9)
    live.save(tmp_path / "half")
    again = ActiveLearner.load(tmp_path / "half")
    assert again.stats().error == found
    for question, label in late[1::3]:
        again.tell(question, label)
        expected.fill(float(question.predicted != label), question.probability)
    found = again.stats().error
    assert found is not None
    assert found == pytest.approx(expected.interval(), abs=1e-9)


@pytest.mark.parametrize("name", ["iwal1", "margin"])
def test_looking_at_the_error_changes_no_bit(name: str) -> None:
    looked, blind = make(name), make(name)
    for i, step in enumerate(STREAM):
        for live in (looked, blind):
            question = live.ask(step.row)
            if question.wanted and i % 3:
                live.tell(question, step.label)
        looked.stats()
    assert same(looked._questions.get_state(), blind._questions.get_state())


def test_what_waits_to_be_judged_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("askance.live.active_learner.AT_ONCE", 100)
    live, kept = make("iwal1"), []
    for step in STREAM * 3:
        question = live.ask(step.row)
        if question.wanted:
            live.tell(question, step.label)
        kept.append(len(live._questions.unjudged))
    assert 100 < max(kept) < 100 + 2 * AHEAD


def test_predictions_are_not_judged_where_nothing_is_asked() -> None:
    live = make("oracular_iwal1", c0=0.01)
    for step in STREAM:
        question = live.ask(step.row)
        if question.wanted:
            live.tell(question, step.label)
            assert question.probability == 1.0
    assert live.stats().predicted_share > 0
    assert live.stats().error is None


def test_stats_by_hand() -> None:
    live = make("passive", budget=Budget(total=4))
    assert live.stats().query_rate == live.stats().predicted_share == 0.0
    questions = ask_all(live, STREAM[:6])
    live.tell(questions[0], -questions[0].predicted)
    live.tell(questions[1], questions[1].predicted)
    live.withdraw(2)
    stats = live.stats()
    assert (stats.seen, stats.learned, stats.refused) == (6, 3, 2)
    assert (stats.asked, stats.answered, stats.pending, stats.withdrawn) == (4, 2, 1, 1)
    assert stats.query_rate == 1.0
    assert stats.predicted_share == 0.0
    assert stats.mean_error == 1 / 3
    assert stats.warning is None


def test_the_share_learned_from_predictions() -> None:
    live, learner = logged("oracular_iwal0")
    answer_all(live, STREAM)
    outside = sum(not decision.in_disagreement for _, decision, _ in learner.log)
    assert 0 < outside < 60
    assert live.stats().predicted_share == outside / 60
    assert live.stats().query_rate == (60 - outside) / 60


class Guesser:
    """Learns its own guesses for ever, save for every n-th example."""

    def __init__(self, every: int) -> None:
        self.k, self.mean_error, self.every = 0, 0.0, every

    def predict(self, x: Row) -> Label:
        return 1

    def decide(self, x: Row, coin: float) -> Decision:
        asks = self.k % self.every == 1
        return Decision(1, asks, float(asks), asks, self.k, 0.0, 0.0)

    def learn(self, x: Row, decision: Decision, label: Label | None) -> None:
        self.k += 1

    def get_state(self) -> State:
        return {"k": self.k}

    def set_state(self, state: State) -> None:
        self.k = state["k"]


@pytest.mark.parametrize(("every", "collapsed"), [(10**6, True), (60, True), (20, False)])
def test_a_collapse_is_noticed(
    every: int, collapsed: bool, caplog: pytest.LogCaptureFixture
) -> None:
    live = ActiveLearner(Guesser(every))
    with caplog.at_level(logging.WARNING, logger="askance"):
        for i in range(FEWEST):
            assert live.stats().warning is None
            question = live.ask([1.0])
            if question.wanted:
                live.tell(question, 1)
            assert not caplog.records or i == FEWEST - 1
    warning = live.stats().warning
    assert bool(caplog.records) == collapsed
    if collapsed:
        assert warning is not None
        assert "own predictions" in warning
        assert "\n" not in warning
        assert caplog.records[0].getMessage() == warning
        assert caplog.records[0].name == "askance"
    else:
        assert warning is None


# Threads


def test_two_threads_ask_and_tell() -> None:
    live = make("margin")
    asked: list[list[int]] = [[], []]
    failures: list[BaseException] = []

    def work(part: int) -> None:
        try:
            for step in STREAM * 5:
                question = live.ask(step.row)
                asked[part].append(question.id)
                if question.wanted:
                    live.tell(question, step.label)
        except BaseException as failure:
            failures.append(failure)

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=work, args=(part,)) for part in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(before)
    assert failures == []
    assert sorted(asked[0] + asked[1]) == list(range(600))
    stats = live.stats()
    assert (stats.seen, stats.learned, stats.pending) == (600, 600, 0)
    assert stats.asked == stats.answered


# Files


@pytest.mark.parametrize("name", LEARNERS)
@given(cut=st.integers(0, len(STREAM)), seed=st.integers(0, 2**32 - 1))
@settings(max_examples=8)
def test_saving_at_any_point_gives_the_same_future(name: str, cut: int, seed: int) -> None:
    """Some questions are pending, some withdrawn, some refused when the file is written."""
    live = make(name, random_state=seed, budget=Budget(total=40, labels=9, per=12))
    _advance(live, 0, cut)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "live"
        live.save(path)
        loaded = ActiveLearner.load(path)
    assert loaded.stats() == live.stats()
    assert loaded.pending() == live.pending()
    assert _advance(live, cut, len(STREAM)) == _advance(loaded, cut, len(STREAM))
    assert snapshot(live) == snapshot(loaded)


def _advance(live: ActiveLearner, start: int, stop: int) -> list[Question]:
    questions = []
    for i in range(start, stop):
        questions.append(live.ask(STREAM[i].row))
        waiting = live.pending()
        if i % 3 == 2 and waiting:
            live.tell(waiting[-1], STREAM[waiting[-1]].label)
        if i % 11 == 10 and waiting[:-1]:
            live.withdraw(waiting[0])
    return questions


def test_answers_and_withdrawals_are_remembered(tmp_path: Path, refused: Any) -> None:
    live = make("passive")
    ask_all(live, STREAM[:3])
    live.tell(0, -1)
    live.withdraw(1)
    live.save(tmp_path / "live")
    loaded = ActiveLearner.load(tmp_path / "live")
    with refused(LabelConflict, "question 0 was answered -1, cannot be answered as +1"):
        loaded.tell(0, 1)
    with refused(LabelConflict, "question 1 was withdrawn"):
        loaded.tell(1, 1)
    loaded.tell(2, 1)
    assert loaded.stats().learned == 3


PEOPLE = [{"age": 39, "job": "clerk"}, {"age": 50, "job": "baker"}]


@pytest.mark.parametrize(
    "features", [FeatureMap.fit(PEOPLE), FeatureMap(Hashing(bits=6), text=["job"], ngrams=2)]
)
def test_the_feature_map_is_saved_with_the_learner(
    tmp_path: Path, refused: Any, features: FeatureMap
) -> None:
    live = ActiveLearner("passive", features=features)
    for person, label in zip(PEOPLE, (1, -1), strict=True):
        live.tell(live.ask(Record("id", None, person)), label)
    live.save(tmp_path / "live")
    loaded = ActiveLearner.load(tmp_path / "live")
    assert loaded.features is not None
    assert loaded.features.get_state() == features.get_state()
    assert [loaded.predict(person) for person in PEOPLE] == [1, -1]
    row = features.encode(PEOPLE[1])
    assert loaded.ask(PEOPLE[1]) == live.ask(row)
    assert [loaded.features.name_of(int(j)) for j in row.indices] == [
        features.name_of(int(j)) for j in row.indices
    ]
    before = loaded.stats()
    with refused(BadRecord, "has a string in column 'age', where a number was expected"):
        loaded.ask({"age": "old"})
    assert loaded.stats() == before


def test_without_a_feature_map_none_is_saved(tmp_path: Path) -> None:
    make().save(tmp_path / "live")
    assert ActiveLearner.load(tmp_path / "live").features is None


def test_a_collapse_is_remembered(tmp_path: Path) -> None:
    live = ActiveLearner(Guesser(10**6))
    answer_all(live, STREAM[:1] * (RECENT + 1))
    live.save(tmp_path / "live")
    loaded = ActiveLearner.load(tmp_path / "live", learner=Guesser(10**6))
    assert live.stats().warning is not None
    assert loaded.stats() == live.stats()


def test_an_own_learner_must_be_handed_in(tmp_path: Path, refused: Any) -> None:
    live = ActiveLearner(askance.make_learner("passive", n_features=4))
    live.ask([1.0, 0.0, 0.0, 1.0])
    live.tell(live.ask([0.0, 2.0, 0.0, 1.0]), 1)
    live.save(tmp_path / "live")
    with refused(InvalidParameter, "holds a Passive, got a MarginSampling"):
        ActiveLearner.load(tmp_path / "live", learner=askance.make_learner("margin", n_features=4))
    with refused(InvalidParameter, "holds a learner of your own: pass it as learner="):
        ActiveLearner.load(tmp_path / "live")
    own = askance.make_learner("passive", n_features=4)
    loaded = ActiveLearner.load(tmp_path / "live", learner=own)
    assert loaded.learner is own
    assert loaded.pending() == live.pending()
    other = askance.make_learner("passive", n_features=5)
    with refused(InvalidParameter, "saved weights must have 6 entries"):
        ActiveLearner.load(tmp_path / "live", learner=other)


def test_files_that_cannot_be_loaded(tmp_path: Path, refused: Any) -> None:
    path = tmp_path / "live"
    make().save(path)
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])
    with refused(FileUnreadable, "is damaged or was not saved by askance"):
        ActiveLearner.load(path)
    write_state(path, "something else", {})
    with refused(FileUnreadable, "holds 'something else', expected 'active learner'"):
        ActiveLearner.load(path)
    with refused(FileUnreadable, "does not exist"):
        ActiveLearner.load(tmp_path / "nothing")


@pytest.mark.parametrize("missing", ["preset", "learner", "budget", "coin", "pending", "counts"])
def test_a_file_that_lacks_something(tmp_path: Path, refused: Any, missing: str) -> None:
    path = tmp_path / "live"
    make().save(path)
    state = read_state(path, "active learner")
    del state[missing]
    write_state(path, "active learner", state)
    with refused(FileUnreadable, "is not a complete saved learner", missing):
        ActiveLearner.load(path)


def test_the_file_is_replaced_only_when_it_is_whole(tmp_path: Path) -> None:
    live = ActiveLearner(askance.make_learner("passive", n_features=1))
    path = tmp_path / "live"
    live.save(path)
    before = path.read_bytes()
    live.learner.k = object()  # type: ignore[misc,assignment]
    with pytest.raises(TypeError):
        live.save(path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("budget", [5, "x", {"total": 3}])
def test_a_budget_is_a_budget(budget: Any, refused: Any) -> None:
    with refused(InvalidParameter, "budget must be a Budget or None, got"):
        ActiveLearner("passive", n_features=1, budget=budget)


@pytest.mark.parametrize("kind", [np.float16, np.longdouble])
def test_every_kind_of_float_is_taken(kind: Any) -> None:
    values = np.array([1.0, 0.5], kind)
    live, twin = (ActiveLearner("iwal1", n_features=2) for _ in range(2))
    for x, other in ((values, [1.0, 0.5]), (Row(np.arange(2), values), [1.0, 0.5])):
        assert live.ask(x) == twin.ask(other)


@pytest.mark.parametrize("label", [np.True_, True, 2, "1", None, np.array([1])])
def test_what_is_no_label(label: Any, refused: Any) -> None:
    live = ActiveLearner("passive", n_features=1)
    question = live.ask([1.0])
    with refused(InvalidLabel, "a label must be -1 or +1, got"):
        live.tell(question, label)
    live.tell(question, np.int8(1))


def test_a_learner_of_ones_own_knows_its_dimension(refused: Any) -> None:
    live = ActiveLearner(askance.make_learner("iwal1", n_features=4))
    with refused(InvalidRow, "an example must have 4 features, got 2"):
        live.ask([1.0, 0.0])


# The labels afterwards


@pytest.mark.parametrize("name", LEARNERS)
def test_the_weighted_sample_is_what_was_answered(name: str, tmp_path: Path) -> None:
    live = make(name, budget=Budget(total=30))
    answered = {}
    for i, step in enumerate(STREAM):
        question = live.ask(step.row)
        if question.wanted and len(live.pending()) > 2:
            live.tell(question, step.label)
            answered[i] = question.weight
    waiting = live.pending()
    live.withdraw(waiting[0])
    live.tell(waiting[-1], STREAM[waiting[-1]].label)
    sample = live.weighted_sample()
    assert sample.ids.tolist() == sorted([*answered, waiting[-1]])
    assert sample.n == live.stats().seen - live.stats().refused
    assert sample.X.shape == (len(sample.ids), 4)
    for i, id in enumerate(sample.ids.tolist()):
        step = STREAM[id]
        assert sample.y[i] == step.label
        assert sample.weight[i] == answered.get(id, sample.weight[i])
        assert sample.X[[i]].indices.tolist() == step.row.indices.tolist()
        assert sample.X[[i]].data.tolist() == step.row.values.tolist()
    live.save(tmp_path / "live")
    again = ActiveLearner.load(tmp_path / "live").weighted_sample()
    assert same([*sample[1:], sample.X.toarray()], [*again[1:], again.X.toarray()])


def test_before_the_first_answer_the_sample_is_empty() -> None:
    X, y, weight, n, ids = make().weighted_sample()
    assert (X.shape, len(y), len(weight), n, len(ids)) == ((0, 4), 0, 0, 0, 0)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("rates", ["adaptive", "constant", "decaying"])
def test_many_margins_are_those_of_each_row(rates: str, dtype: str) -> None:
    live = make("margin", rates=rates, dtype=dtype)
    answer_all(live, STREAM)
    # Beyond what was seen, too.
    X = np.random.default_rng(0).normal(size=(50, 4)) * [0.1, 1.0, 10.0, 0.0]
    each = [live.margin(x) for x in X]
    rounding = 1e-6 if dtype == "float32" else 1e-15
    assert np.allclose(live.margins(csr_array(X)), each, rtol=rounding, atol=rounding)
    assert live.margins(X).tolist() == live.margins(csr_array(X)).tolist()
    assert [1 if f > 0 else -1 for f in each] == [live.predict(x) for x in X]
    assert [live.probability(x) for x in X] == pytest.approx([1 / (1 + math.exp(-f)) for f in each])


def test_margins_of_an_oracle_of_ones_own(scripted: Any) -> None:
    live = ActiveLearner(Passive(scripted(margin=-2.0)))
    assert live.margin([1.0]) == -2.0
    assert live.margins(np.ones((3, 1))).tolist() == [-2.0] * 3


def test_a_learner_without_margins_says_so(refused: Any) -> None:
    live = ActiveLearner(Guesser(2))
    for call in (live.margin, live.probability, live.margins):
        with refused(InvalidParameter, "a Guesser gives no margins, only predictions"):
            call([1.0])


def test_margins_of_bad_rows(refused: Any) -> None:
    live = make()
    with refused(InvalidRow, "examples must have 4 features, got 3"):
        live.margins(np.ones((2, 3)))
    with refused(InvalidRow, "must be finite", "got nan at index 2"):
        live.margins(np.array([[1.0, 0, 0, 0], [0, 0, np.nan, 0]]))
    repeated = csr_array((np.ones(2), np.array([1, 1]), np.array([0, 2])), shape=(1, 4))
    assert live.margins(repeated).tolist() == [live.margin([0, 2.0, 0, 0])]


def test_names_and_reading_are_saved(tmp_path: Path, refused: Any) -> None:
    reading = {"format": "csv", "label": "kind", "strings": ["zip"]}
    live = make(classes=("ham", "spam"), reading=reading)
    live.save(tmp_path / "live")
    loaded = ActiveLearner.load(tmp_path / "live")
    assert (loaded.classes, loaded.reading) == (("ham", "spam"), reading)
    assert (make().classes, make().reading) == (("-1", "+1"), {})
    for wrong in (("a", "a"), ("a",), ("a", 1), "ab", None):
        with refused(InvalidParameter, "classes must be two or more different names, got"):
            make(classes=wrong)


def test_a_file_of_version_2_goes_on(tmp_path: Path) -> None:
    """30 examples of the stream, by a preset that names no parameter, from before its defaults."""
    old = ActiveLearner.load(Path(__file__).parents[1] / "golden" / "version2.askance")
    twin = make("iwal1", budget=Budget(total=40), random_state=0, c0=0.1, learning_rate=0.4)
    for i, step in enumerate(STREAM[:30]):
        question = twin.ask(step.row)
        if question.wanted and i % 3 == 0:
            twin.tell(question, step.label)
    twin.withdraw(twin.pending()[0])
    # What it passed over is not known, so its predictions are not judged.
    assert old.stats() == dataclasses.replace(twin.stats(), error=None)
    assert old.pending() == twin.pending()
    assert old.preset == twin.preset
    old.save(tmp_path / "again")
    old = ActiveLearner.load(tmp_path / "again")
    assert _advance(old, 30, 60) == _advance(twin, 30, 60)
    assert same(old.learner.get_state(), twin.learner.get_state())


def test_a_file_of_version_3_predicts_as_it_did_without_scales(tmp_path: Path) -> None:
    """40 records of mail, learned before there were scales, and its margins of then."""
    old = ActiveLearner.load(Path(__file__).parents[1] / "golden" / "version3.askance")
    old.save(tmp_path / "again")
    for live in (old, ActiveLearner.load(tmp_path / "again")):
        assert live.features is not None
        assert live.features.scales is None
        for size, body, tag, margin in (
            (52, "win lunch", "a", 0.2532525360584259),
            (5, "cash", "b", 1.9839529991149902),
            (90.5, "now", "a", -1.487023949623108),
        ):
            assert live.margin({"size": size, "body": body, "tag": tag}) == margin


def test_scales_are_saved_with_the_learner(tmp_path: Path) -> None:
    people = [{"age": 30 + i % 20, "fee": 7 * (i % 3 == 0)} for i in range(60)]
    features = FeatureMap().learn_scales(people[:40])
    live = ActiveLearner("iwal1", features=features)
    for i, person in enumerate(people[:30]):
        question = live.ask(person)
        if question.wanted:
            live.tell(question, 1 if i % 20 > 9 else -1)
    live.save(tmp_path / "live")
    again = ActiveLearner.load(tmp_path / "live")
    for person in people[30:]:
        assert again.margin(person) == live.margin(person)
        assert again.ask(person) == live.ask(person)
    for one in (live, again):
        one.save(tmp_path / f"{one is live}")
    assert (tmp_path / "True").read_bytes() == (tmp_path / "False").read_bytes()


@pytest.mark.parametrize(
    "duplicate", [copy.deepcopy, lambda live: pickle.loads(pickle.dumps(live))]
)
def test_a_copy_goes_on_alone(duplicate: Any) -> None:
    live = make("online_active_cover", budget=Budget(total=40))
    _advance(live, 0, 30)
    twin = duplicate(live)
    assert _advance(live, 30, 50) == _advance(twin, 30, 50)
    assert same(live.learner.get_state(), twin.learner.get_state())
    before = twin.stats()
    _advance(live, 50, 60)
    assert twin.stats() == before


# --- what will be decided, and what was


@pytest.mark.parametrize("name", ["auto", "online_active_cover", "iwal1", "margin", "passive"])
@pytest.mark.parametrize("budget", [None, Budget(total=25), Budget(labels=5, per=20)])
def test_recalling_what_was_foretold_is_asking(name, budget):
    options = {"n_features": 2, "random_state": 3, "budget": budget}
    if name == "auto":
        options |= {"rate": 0.5, "members": ["logistic regression"]}
    asked, recalled = (ActiveLearner(name, **options) for _ in range(2))
    X = np.random.default_rng(4).random((120, 2))
    labels = np.where(X.sum(axis=1) > 1, 1, -1).tolist()
    for x, label in zip(X, labels, strict=True):
        question = asked.ask(x)
        if question.wanted:
            asked.tell(question, label)
    start = 0
    while start < len(X):
        # A window forgets what lies behind it whenever it is looked at.
        before = _everything(recalled) | {"ledger": None}
        told = recalled.foretell(X[start:])
        assert _everything(recalled) | {"ledger": None} == before, "it changes nothing"
        decisions = [decision for _, decision in told]
        # A label comes before the next decision, as above.
        wanted = (i + 1 for i, d in enumerate(decisions) if d is not None and d.queried)
        stop = next(wanted, len(decisions))
        assert all((d is None or d.queried == (coin < d.probability)) for coin, d in told)
        recalled.recall(X[start : start + stop], decisions[:stop])
        start += stop
        for id in recalled.pending():
            recalled.tell(id, labels[id])
    assert recalled.seen == len(X)
    assert _everything(recalled) == _everything(asked)


def _everything(learner):
    def plain(value):
        if isinstance(value, np.ndarray):
            return value.dtype.kind, value.tolist()
        if isinstance(value, dict):
            return {key: plain(item) for key, item in value.items()}
        return [plain(item) for item in value] if isinstance(value, list | tuple) else value

    return plain(learner._get_state())


def test_nothing_is_foretold_of_no_rows():
    assert ActiveLearner("iwal1", n_features=2).foretell(np.zeros((0, 2))) == []
