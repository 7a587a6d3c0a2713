import threading
from concurrent.futures import Executor, ThreadPoolExecutor

import pytest
import sqlalchemy as sa
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

from askance.service import offering
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


class Away:
    """A database that goes away and comes back."""

    def __init__(self, engine) -> None:
        self.is_away = False
        sa.event.listen(engine, "before_cursor_execute", self.refuse)

    def refuse(self, *given) -> None:
        if self.is_away:
            raise OperationalError("select", {}, Exception("the server closed the connection"))


def test_an_answer_given_while_the_database_is_away_counts_when_it_is_sent_again(session):
    stream = session.create(settings())
    session.offer(stream, made_records(4))
    first, second = session.lease(stream, "ann")
    session.log.mend(stream)
    away = Away(session.log.engine)
    away.is_away = True
    for _ in range(2):
        with pytest.raises((NotWritten, OperationalError)):
            session.answer(stream, "ann", first.number, "spam", key="k1")
        # Nothing that is not on the disk is told either.
        with pytest.raises(NotWritten):
            session.history(stream, "ann")
    away.is_away = False
    assert session.status(stream).answered == 0
    assert session.answer(stream, "ann", first.number, "spam", key="k1").counts
    assert session.answer(stream, "ann", second.number, "ham", key="k2").counts
    assert session.status(stream).answered == 2
    positions = [event.position for event in session.log.read(stream)]
    assert positions == list(range(1, len(positions) + 1))
    assert state_of(folded(session, stream).learner) == state_of(session.stream(stream).learner)


def test_a_retry_between_a_failed_commit_and_its_waiter_is_not_refused(session, monkeypatch):
    stream = session.create(settings())
    session.offer(stream, made_records(2))
    question = session.lease(stream, "ann")[0]
    session.log.mend(stream)
    opened = session.stream(stream)
    with monkeypatch.context() as broken:
        full = OperationalError("insert", {}, Exception("the disk is full"))
        broken.setattr(session.log, "_failure", lambda jobs: full)
        # The first try, whose waiter has not come to it.
        broken.setattr(opened, "wait", lambda futures: [one.exception() for one in futures])
        session.answer(stream, "ann", question.number, "spam", key="k1")
    assert session.answer(stream, "ann", question.number, "spam", key="k1").counts
    assert session.log.find(stream, ["a:k1"])


def test_what_cannot_be_applied_leaves_nothing_behind(session, monkeypatch):
    stream = session.create(settings())
    session.offer(stream, made_records(2))
    question = session.lease(stream, "ann")[0]
    with monkeypatch.context() as broken:
        broken.setattr(Fold, "_tell", lambda *given: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            session.answer(stream, "ann", question.number, "spam", key="k1")
    assert session.status(stream).answered == 0
    assert session.answer(stream, "ann", question.number, "spam", key="k1").counts


def test_a_question_is_not_shown_before_it_is_on_the_disk(session, monkeypatch):
    """Else its number could be that of another example when it is answered."""
    stream = session.create(settings())
    session.offer(stream, made_records(1))
    opened, tried = session.stream(stream), threading.Event()
    full = OperationalError("insert", {}, Exception("the disk is full"))

    def fails(jobs):
        tried.wait()
        return full

    with monkeypatch.context() as broken, ThreadPoolExecutor(2) as others:
        broken.setattr(session.log, "_failure", fails)
        offered = others.submit(session.offer, stream, [("lost", {"x": 1.0})])
        while 1 not in opened.books.open:
            offered.done()
        leased = others.submit(session.lease, stream, "ann")
        while not opened.leases.of("ann", opened.clock()):
            leased.done()
        tried.set()
        for future in (offered, leased):
            with pytest.raises(NotWritten):
                future.result()
    session.offer(stream, [("other", {"x": 1.0})])
    assert [question.id for question in session.lease(stream, "ann")] == ["0", "other"]


def test_examples_that_are_decided_in_part_leave_nothing_behind(session, monkeypatch):
    stream = session.create(settings(per_hour=100))
    opened, apply = session.stream(stream), Fold.apply_offers
    session.offer(stream, made_records(1))

    def fails(fold, new, rows):
        if new[0].number == 2:
            raise ZeroDivisionError
        apply(fold, new, rows)

    with monkeypatch.context() as broken:
        broken.setattr(Fold, "apply_offers", fails)
        with pytest.raises(ZeroDivisionError):
            session.offer(stream, made_records(3, start=10))
    assert session.status(stream).seen == 1
    session.offer(stream, made_records(3, start=10))
    positions = [event.position for event in session.log.read(stream)]
    assert positions == list(range(1, len(positions) + 1))
    assert state_of(folded(session, stream).learner) == state_of(opened.learner)


def test_rows_of_a_map_that_was_not_written_are_not_offered(session, monkeypatch):
    stream = session.create(settings())
    opened, decide = session.stream(stream), offering._decide

    def fails(*given):
        opened._torn = True
        return decide(*given)

    monkeypatch.setattr(offering, "_decide", fails)
    with pytest.raises(NotWritten):
        session.offer(stream, made_records(offering.CHUNK + 1))


def test_leases_live_on_after_a_restart(session):
    stream = session.create(settings())
    session.offer(stream, made_records(4))
    mine = [q.number for q in session.lease(stream, "ann")]
    session.log.mend(stream)
    session._streams.pop(stream)
    assert [q.number for q in session.lease(stream, "ann")] == mine
    assert {q.number for q in session.lease(stream, "bob")}.isdisjoint(mine)


def test_after_a_restart_a_question_is_not_shown_to_two(session, clock):
    stream = session.create(settings())
    session.offer(stream, made_records(1))
    assert len(session.lease(stream, "ann")) == 1
    clock.turn(200)
    assert len(session.lease(stream, "bob")) == 1
    session.log.mend(stream)
    session._streams.pop(stream)
    assert len(session.lease(stream, "bob")) == 1
    assert session.lease(stream, "ann") == []


def test_after_a_restart_those_who_have_answered_hold_nothing(session):
    stream = session.create(settings(overlap=2))
    session.offer(stream, made_records(1))
    number = session.lease(stream, "ann")[0].number
    session.lease(stream, "bob")
    session.answer(stream, "bob", number, "ham", key="k")
    session.log.mend(stream)
    session._streams.pop(stream)
    assert len(session.lease(stream, "ann")) == 1
    assert session.lease(stream, "cleo") == []


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
