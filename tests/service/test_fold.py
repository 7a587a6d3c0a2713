"""The fold: state equals replay, whatever happened and from wherever it starts."""

import random
import threading

import numpy as np
import pytest
from tests.service.conftest import (
    REFITTING,
    answer_all,
    folded,
    made_records,
    plain,
    quick_auto,
    quick_epochs,
    refit_done,
    settings,
    state_of,
    truth,
)

from askance.errors import FileUnreadable
from askance.live import ActiveLearner
from askance.service.fold import Fold, decision_of, matrix_of
from askance.service.schema import snapshots
from askance.types import Event, Row


class Walk:
    """Everything that people and programs do, in a random order."""

    def __init__(self, session, stream, seed):
        self.session, self.stream, self.draw = session, stream, random.Random(seed)
        self.count = self.step = 0

    def run(self, steps):
        names = ("offer", "answer", "answer", "answer", "undo", "change", "erase")
        self.offer()
        for self.step in range(1, steps):
            getattr(self, self.draw.choice(names))()
            if self.step % 10 == 5:
                self.session.stream(self.stream).snapshot()

    def offer(self):
        records = made_records(12, seed=self.step, start=self.count)
        self.session.offer(self.stream, records)
        self.count += 12

    def answer(self):
        for question in self.session.lease(self.stream, "ann"):
            label = self.draw.choice([truth(question.record)] * 5 + [None])
            key = f"{self.step}-{question.id}"
            self.session.answer(self.stream, "ann", question.number, label, key=key)

    def undo(self):
        self.session.undo(self.stream, "ann")

    def change(self):
        entries = [e for e in self.session.history(self.stream, "ann", 200) if e.record]
        if entries:
            entry, label = self.draw.choice(entries), self.draw.choice(["ham", "spam", None])
            self.session.change(self.stream, "ann", entry.number, entry.vote.position, label)

    def erase(self):
        if self.draw.random() < 0.3:
            self.session.erase(self.stream, str(self.draw.randrange(self.count)), "root")


@pytest.mark.parametrize("seed", range(4))
def test_state_equals_replay_for_an_online_learner(session, engine, seed):
    stream = session.create(settings(skips=2))
    Walk(session, stream, seed).run(60)
    live = session.stream(stream)
    assert state_of(folded(session, stream).learner) == state_of(live.learner)
    with engine.begin() as connection:
        connection.execute(snapshots.delete())
    again = folded(session, stream)
    assert state_of(again.learner) == state_of(live.learner)
    assert again.books.labels == live.books.labels
    assert again.books.open == live.books.open


@pytest.mark.parametrize("name", REFITTING)
@pytest.mark.parametrize("seed", [0, 1])
def test_state_equals_replay_for_those_that_refit(session, engine, name, seed):
    stream = session.create(REFITTING[name]())
    Walk(session, stream, seed).run(50)
    refit_done(session, stream)
    live = session.stream(stream)
    assert live.refitting.fitted
    assert state_of(folded(session, stream).learner) == state_of(live.learner)
    with engine.begin() as connection:
        connection.execute(snapshots.delete())
    assert state_of(folded(session, stream).learner) == state_of(live.learner)


@pytest.mark.parametrize("name", REFITTING)
def test_only_the_last_refit_is_fitted_again(session, engine, monkeypatch, name):
    stream = session.create(REFITTING[name]())
    for start in range(0, 160, 20):
        session.offer(stream, made_records(20, seed=start, start=start))
        answer_all(session, stream)
        refit_done(session, stream)
    refits = [e for e in session.log.read(stream) if e.kind == "refitted"]
    assert len(refits) > 2
    with engine.begin() as connection:
        connection.execute(snapshots.delete())
    fitted = []
    kind = type(session.stream(stream).refitting)
    serve = kind.serve
    monkeypatch.setattr(
        kind,
        "serve",
        lambda one, known=None, facts=None: (fitted.append(known), serve(one, known, facts)),
    )
    live = session.stream(stream)
    assert state_of(folded(session, stream).learner) == state_of(live.learner)
    # auto passes a refit by with a classifier that is none.
    assert [known for known in fitted if known is None or known[0] is not None] == [None]


def test_a_refit_that_begins_where_another_served_is_noted(session):
    stream = session.create(quick_epochs("batch_iwal"))
    opened = session.stream(stream)
    with opened.lock:
        # Nothing serves before all of it was learned, so the next one is due at once.
        session.offer(stream, made_records(30))
        answer_all(session, stream)
        first = opened.refitting.coming[1]
    first.result(60)
    while opened.fold.served_at == 0:
        threading.Event().wait(0.005)
    with opened.lock:
        assert opened.fold.begun_at >= opened.fold.served_at > 0
    refit_done(session, stream)
    served = [e for e in session.log.read(stream) if e.kind == "refitted"]
    assert served[1].data["used"] == served[0].position
    assert opened.refitting.epoch_start == 30


def first_refit(session, name):
    """A stream whose first refit has served, as soon as it could."""
    chosen = quick_auto(rate=1.0) if name == "auto" else REFITTING[name]()
    stream = session.create(chosen)
    for i in range(25):
        session.offer(stream, made_records(1, seed=i, start=i))
        answer_all(session, stream)
        refit_done(session, stream)
        if session.stream(stream).fold.served_at:
            return stream, i + 1
    raise AssertionError("nothing was fitted")


@pytest.mark.parametrize("name", REFITTING)
@pytest.mark.parametrize("some", [True, False])
def test_a_stream_can_be_opened_after_an_erasure(session, name, some):
    stream, count = first_refit(session, name)
    opened = session.stream(stream)
    with opened.lock:
        for number in range(1 if some else count):
            session.erase(stream, str(number), "root")
        again = folded(session, stream)
        assert state_of(again.learner) == state_of(opened.learner)
        assert again.refitting.k == (count - 1 if some else 0)
        X = matrix_of([Row(np.array([0]), np.ones(1, np.float32))], again.learner.n_features)
        assert again.learner.predict_many(X).shape == (1,)
        assert again.learner.foretell(X)[0][1].k == opened.learner.foretell(X)[0][1].k


@pytest.mark.parametrize("name", REFITTING)
def test_a_model_has_nothing_of_what_was_erased_even_before_the_next_fit(session, tmp_path, name):
    stream, _ = first_refit(session, name)
    opened = session.stream(stream)
    with opened.lock:
        numbers = [opened.find([key])[key].number for key in ("x:1", "x:2")]
        held = opened.contents(numbers)
        erased, other = (held[number].row for number in numbers)
        session.erase(stream, "1", "root")
        path = tmp_path / "model.askance"
        path.write_bytes(session.model(stream))
    kept = np.concatenate(list(_arrays(ActiveLearner.load(path)._get_state())))
    # A town is 1 or -1 in all records.
    assert not np.isin(erased.values[np.abs(erased.values) != 1], kept).any()
    assert np.isin(other.values, kept).all()


def _arrays(value):
    if isinstance(value, np.ndarray):
        yield value.ravel()
    elif isinstance(value, dict | list | tuple):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _arrays(part)


@pytest.mark.parametrize("older", [False, True])
def test_an_answer_can_be_undone_just_after_a_refit(session, older):
    """Its classifier goes on to serve, and is judged by the labels that it was fitted to."""
    stream, _ = first_refit(session, "auto")
    opened = session.stream(stream)
    before = opened.learner.stats().crossfit
    assert before is not None
    votes = [entry.vote for entry in session.history(stream, most=1000)]
    person = votes[0].actor
    undone = session.undo(stream, person)
    if older:
        session.change(stream, person, *_oldest(session, stream), None)
    assert undone is not None
    status = session.status(stream)
    assert status.answered == len(votes) - 1 - older
    assert opened.learner.stats().crossfit == before
    assert session.answer(stream, person, undone.number, "ham", key="again").counts
    session.log.mend(stream)
    assert state_of(folded(session, stream).learner) == state_of(opened.learner)


def _oldest(session, stream):
    entry = session.history(stream, most=1000)[-1]
    return entry.number, entry.vote.position


@pytest.mark.parametrize("name", ["oracular_cal", "batch_iwal"])
def test_the_same_epoch_serves_after_an_erasure_and_a_restart(session, name):
    stream = session.create(REFITTING[name]())
    opened, count = session.stream(stream), 0
    while opened.refitting is None or opened.refitting.epoch_start < 24:
        session.offer(stream, made_records(1, seed=count, start=count))
        answer_all(session, stream)
        refit_done(session, stream)
        count += 1
    with opened.lock:
        session.erase(stream, "4", "root")
        again = folded(session, stream)
        assert again.refitting.sample.offered == opened.refitting.epoch_start == 23
        assert again.refitting.epoch == opened.refitting.epoch
    refit_done(session, stream)
    assert state_of(folded(session, stream).learner) == state_of(opened.learner)


@pytest.mark.parametrize("name", ["auto", "batch_iwal"])
def test_no_two_examples_have_one_k_after_an_erasure(session, tmp_path, name):
    stream = session.create(quick_auto(rate=1.0) if name == "auto" else REFITTING[name]())
    session.offer(stream, made_records(4))
    answer_all(session, stream, most=4)
    for number in ("0", "1"):
        session.erase(stream, number, "root")
    session.offer(stream, made_records(3, seed=2, start=10))
    session.undo(stream, "ann")
    offered = [e for e in session.log.read(stream) if e.kind == "offered"]
    assert [decision_of(event).k for event in offered] == list(range(7))
    learner = session.stream(stream).refitting
    pending = session.stream(stream).learner.pending()
    assert learner.k + len(pending) == 5
    (tmp_path / "model").write_bytes(session.model(stream))
    saved = ActiveLearner.load(tmp_path / "model")
    assert saved.pending() == pending
    assert plain(saved.learner.get_state()) == plain(learner.get_state())


def test_a_log_begins_with_a_creation(session):
    with pytest.raises(FileUnreadable, match="does not begin with its creation"):
        Fold(session.log, "none")
    session.log.append("odd", [Event(1, "offered", 0.0)]).result()
    with pytest.raises(FileUnreadable, match="does not begin with its creation"):
        Fold(session.log, "odd")
