"""Ask and tell: compiled steps, stats, threads, files, the labels afterwards."""

import copy
import dataclasses
import logging
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
from tests.live.conftest import (
    ALGORITHMS,
    LEARNERS,
    STREAM,
    Guesser,
    Logged,
    answer_all,
    ask_all,
    logged,
    make,
    snapshot,
)

import askance
from askance.checks.comparing import same
from askance.data.features import FeatureMap
from askance.data.features.indexers import Hashing
from askance.data.features.records import Record
from askance.errors import (
    BadRecord,
    FileUnreadable,
    InvalidParameter,
    InvalidRow,
    LabelConflict,
)
from askance.estimate import ProgressiveError
from askance.live import ActiveLearner, Question
from askance.live.budget import Budget
from askance.live.coins import AHEAD
from askance.live.questions import FEWEST, RECENT
from askance.storage.states import read_state, write_state

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


# A log


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


# Parameters


def test_parameters_of_an_own_learner_are_refused(refused: Any) -> None:
    with refused(InvalidParameter, "parameters go with the name of an algorithm, got c0"):
        ActiveLearner(askance.make_learner("iwal1", n_features=4), c0=0.5)


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
