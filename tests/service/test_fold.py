"""The fold: state equals replay, whatever happened and from wherever it starts."""

import random

import pytest
from tests.service.conftest import (
    folded,
    made_records,
    quick_auto,
    refit_done,
    settings,
    state_of,
    truth,
)

from askance.errors import FileUnreadable
from askance.service.fold import Fold
from askance.service.schema import snapshots
from askance.types import Event


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


@pytest.mark.parametrize("seed", [0, 1])
def test_state_equals_replay_for_auto(session, engine, seed):
    stream = session.create(quick_auto(rate=0.6))
    Walk(session, stream, seed).run(50)
    refit_done(session, stream)
    live = session.stream(stream)
    assert live.auto.served.labels
    assert state_of(folded(session, stream).learner) == state_of(live.learner)
    with engine.begin() as connection:
        connection.execute(snapshots.delete())
    assert state_of(folded(session, stream).learner) == state_of(live.learner)


def test_a_log_begins_with_a_creation(session):
    with pytest.raises(FileUnreadable, match="does not begin with its creation"):
        Fold(session.log, "none")
    session.log.append("odd", [Event(1, "offered", 0.0)]).result()
    with pytest.raises(FileUnreadable, match="does not begin with its creation"):
        Fold(session.log, "odd")
