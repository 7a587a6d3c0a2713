import pytest
from sqlalchemy.exc import OperationalError
from tests.service.conftest import answer_all, made_records, settings, state_of

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
