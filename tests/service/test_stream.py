import threading
from concurrent.futures import Executor, ThreadPoolExecutor

import pytest
from sqlalchemy.exc import OperationalError
from tests.service.conftest import (
    REFITTING,
    answer_all,
    folded,
    made_records,
    refit_done,
    settings,
    state_of,
)

from askance.errors import FileUnreadable
from askance.service.fold import Fold
from askance.service.replay import check_stream
from askance.service.session import Session
from askance.service.stream import NotWritten


def test_what_cannot_be_written_did_not_happen(session, monkeypatch):
    stream = session.create(settings())
    session.offer(stream, made_records(10))
    answer_all(session, stream, most=3)
    opened = session.stream(stream)
    session.log.mend(stream)
    before = state_of(opened.learner)
    with monkeypatch.context() as broken:
        full = OperationalError("insert", {}, Exception("the disk is full"))
        broken.setattr(session.log, "_failure", lambda jobs: full)
        with pytest.raises(NotWritten, match="so it did not happen"):
            session.offer(stream, made_records(5, start=50))
        with pytest.raises(NotWritten, match="so it did not happen"):
            session.answer(stream, "ann", next(iter(opened.books.open)), "ham", key="lost")
    assert state_of(opened.learner) == before
    assert session.status(stream).seen == 10
    number = next(iter(opened.books.open))
    assert session.answer(stream, "ann", number, "ham", key="lost").counts
    assert session.offer(stream, made_records(1, start=50))[0].new


def test_a_stream_that_cannot_be_read_anew_stays_as_it_was(session, monkeypatch):
    stream = session.create(settings())
    session.offer(stream, made_records(10))
    opened = session.stream(stream)
    fold, before = opened.fold, state_of(opened.learner)

    def fails(fold):
        raise FileUnreadable("the log is torn")

    with monkeypatch.context() as broken:
        broken.setattr(Fold, "restore", fails)
        with pytest.raises(FileUnreadable, match="torn"):
            opened._open()
    assert opened.fold is fold
    assert opened.books is fold.books
    assert state_of(opened.learner) == before


def test_leases_live_on_after_a_restart(session):
    stream = session.create(settings())
    session.offer(stream, made_records(4))
    mine = [q.number for q in session.lease(stream, "ann")]
    session.log.mend(stream)
    session._streams.pop(stream)
    assert [q.number for q in session.lease(stream, "ann")] == mine
    assert {q.number for q in session.lease(stream, "bob")}.isdisjoint(mine)


def test_a_quick_retry_is_noticed_before_its_commit(session):
    stream = session.create(settings())
    session.offer(stream, made_records(2))
    opened = session.stream(stream)
    with opened.lock:
        event = opened.event("answered", number=0, actor="ann", key="a:k", data={"label": "ham"})
        future = opened.happen(event)
        assert opened.find(["a:k"])["a:k"] == event
    future.result()
    assert opened.find(["a:k"])["a:k"] == event


def test_a_new_question_can_be_shown_before_its_commit(session, monkeypatch):
    stream = session.create(settings())
    session.offer(stream, made_records(1))
    opened = session.stream(stream)
    waiting: list[list] = []
    put = session.log._jobs.put
    with monkeypatch.context() as held_up:
        held_up.setattr(session.log, "_jobs", FakeQueue(waiting.append))
        held_up.setattr(opened, "wait", lambda futures: None)
        session.offer(stream, [("new", {"x": 1.0})])
        shown = session.lease(stream, "ann")
    assert [question.id for question in shown] == ["0", "new"]
    for job in waiting:
        put(job)
    session.log.mend(stream)
    assert [question.id for question in session.lease(stream, "ann")] == ["0", "new"]


class FakeQueue:
    def __init__(self, put):
        self.put = put


class HeldRefits(Executor):
    """Fits in a thread, but not before it is let go."""

    closed = False

    def __init__(self):
        self.go, self.begun, self.pool = threading.Event(), threading.Event(), ThreadPoolExecutor(1)

    def submit(self, function, /, *arguments):
        def held():
            self.begun.set()
            assert self.go.wait(60)
            return function(*arguments)

        return self.pool.submit(held)

    def shutdown(self, wait=True, *, cancel_futures=False):
        self.closed = True
        self.go.set()
        self.pool.shutdown(cancel_futures=cancel_futures)


@pytest.mark.parametrize("name", REFITTING)
def test_nobody_waits_for_a_fit(engine, clock, name):
    refits = HeldRefits()
    session = Session(engine, clock, refits)
    stream = session.create(REFITTING[name]())
    session.offer(stream, made_records(60))
    answer_all(session, stream, most=30)
    assert refits.begun.wait(60)
    # Were any of this made to wait for the fit, it would hang.
    session.offer(stream, made_records(20, seed=1, start=60))
    assert answer_all(session, stream) > 0
    assert session.undo(stream, "ann") is not None
    entry = session.history(stream, "ann", 500)[-1]
    session.change(stream, "ann", entry.number, entry.vote.position, "ham")
    assert session.predict(stream, [{"x": 0.5}])
    status = session.status(stream)
    assert (status.fitted, status.refitting) == (0, True)
    refits.go.set()
    refit_done(session, stream)
    assert session.status(stream).fitted > 0
    assert state_of(folded(session, stream).learner) == state_of(session.stream(stream).learner)
    session.log.mend(stream)
    report = check_stream(session.log, stream)
    assert (report.differences, report.checked) == ([], 80)
    session.close()


@pytest.mark.parametrize("name", REFITTING)
def test_a_stream_that_was_killed_while_it_fitted_goes_on(engine, clock, name):
    refits = HeldRefits()
    session = Session(engine, clock, refits)
    stream = session.create(REFITTING[name]())
    session.offer(stream, made_records(60))
    answer_all(session, stream, most=30)
    assert refits.begun.wait(60)
    opened = session.stream(stream)
    session.log.mend(stream)
    before = state_of(opened.learner)
    # What the dead process would have fitted never comes.
    session._streams.pop(stream)
    opened.fold.learner = None
    again = session.stream(stream)
    assert state_of(again.learner) == before
    assert again.refitting.coming is not None
    refits.go.set()
    refit_done(session, stream)
    assert session.status(stream).fitted > 0
    session.close()


@pytest.mark.parametrize("name", REFITTING)
def test_nothing_is_fitted_in_a_decision(session, monkeypatch, name):
    stream = session.create(REFITTING[name]())
    session.offer(stream, made_records(40))
    answer_all(session, stream)
    refit_done(session, stream)
    assert session.status(stream).fitted > 0
    # Fits are made in another process, which has its own.
    monkeypatch.setattr(type(session.stream(stream).refitting.oracle), "fit", None)
    session.offer(stream, made_records(40, seed=1, start=40))
    answer_all(session, stream)
    refit_done(session, stream)
    assert session.status(stream).seen == 80
