import pytest
from tests.service.conftest import answer_all, made_records, settings

from askance.errors import InvalidParameter, UnknownQuestion


@pytest.mark.parametrize("key", ["", "a" * 101])
def test_ids_of_answers_are_checked(session, key):
    stream = session.create(settings())
    session.offer(stream, made_records(1))
    with pytest.raises(InvalidParameter, match="the id of an answer"):
        session.answer(stream, "ann", 0, "ham", key=key)


def test_the_opinion_is_hidden_unless_the_stream_shows_it(session):
    for shown, expected in ((False, None), (True, "ham")):
        stream = session.create(settings(opinion=shown))
        session.offer(stream, made_records(1))
        assert session.lease(stream, "ann")[0].opinion == expected


def test_each_question_is_charged_once(session):
    stream = session.create(settings(total=6))
    session.offer(stream, made_records(20))
    for number in range(3):
        for _ in range(2):
            session.answer(stream, "ann", number, "ham", key=f"k{number}")
    session.undo(stream, "ann")
    session.answer(stream, "ann", 2, "spam", key="again")
    assert session.status(stream).left == 0
    assert session.stream(stream).learner._ledger.bought == 6
    assert answer_all(session, stream) == 3


def test_a_lease_ends_with_the_answer(session):
    stream = session.create(settings(overlap=2))
    session.offer(stream, made_records(1))
    for person in ("ann", "bob"):
        assert [q.number for q in session.lease(stream, person)] == [0]
    assert session.lease(stream, "eve") == []
    session.answer(stream, "ann", 0, None, key="skip")
    assert session.status(stream).withdrawn == 1


def test_an_undo_by_its_id_is_done_once(session):
    stream = session.create(settings())
    session.offer(stream, made_records(4))
    for number in (0, 1):
        session.answer(stream, "ann", number, "ham", key=f"k{number}")
    assert session.undo(stream, "ann", "k0").number == 0
    assert session.undo(stream, "ann", "k0") is None
    assert session.status(stream).answered == 1
    for person, key in (("bob", "k1"), ("ann", "k7")):
        with pytest.raises(UnknownQuestion, match="no answer of yours has the id"):
            session.undo(stream, person, key)
    assert session.status(stream).answered == 1
