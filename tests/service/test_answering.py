import threading
from concurrent.futures import ThreadPoolExecutor, wait

import pytest
from tests.service.conftest import (
    answer_all,
    made_records,
    quick_auto,
    quick_epochs,
    refit_done,
    settings,
)

from askance.errors import InvalidParameter, LabelConflict, UnknownQuestion


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


def test_only_an_id_that_was_used_is_looked_for(session, monkeypatch):
    stream = session.create(settings())
    session.offer(stream, made_records(3))
    opened, looked_for = session.stream(stream), []
    find = session.log.find
    monkeypatch.setattr(session.log, "find", lambda s, k: looked_for.extend(k) or find(s, k))
    receipts = [session.answer(stream, "ann", n, "ham", key=f"k{n}") for n in (0, 1)]
    assert not looked_for
    # Also after a restart, when memory has been read from the log.
    for again in range(2):
        assert session.answer(stream, "ann", 0, "ham", key="k0") == receipts[0]
        assert len(looked_for) == again + 1
        with pytest.raises(LabelConflict, match="another answer has this id"):
            session.answer(stream, "ann", 2, "ham", key=f"k{again}")
        looked_for.pop()
        session.log.mend(stream)
        session._streams.pop(stream)
    assert session.stream(stream) is not opened


def test_a_retry_is_told_no_sooner_than_the_first_try(session, monkeypatch):
    """What is acknowledged is on the disk, whoever asks, and however often."""
    stream = session.create(settings())
    session.offer(stream, made_records(2))
    session.log.mend(stream)
    commit, held, go = session.log._commit, threading.Event(), threading.Event()

    def slowly(jobs):
        held.set()
        assert go.wait(30)
        commit(jobs)

    monkeypatch.setattr(session.log, "_commit", slowly)
    with ThreadPoolExecutor(4) as pool:
        answers = [pool.submit(session.answer, stream, "ann", 0, "ham", key="k") for _ in "ab"]
        offers = [pool.submit(session.offer, stream, [("new", {"x": 1.0})]) for _ in "ab"]
        assert held.wait(30)
        assert not wait([*answers, *offers], 0.5).done
        go.set()
        assert answers[0].result() == answers[1].result()
        assert sorted(told.result()[0].new for told in offers) == [False, True]


@pytest.mark.parametrize("learner", ["auto", "batch_iwal"])
def test_a_tie_that_is_broken_in_the_past_is_fitted_again(session, learner):
    chosen = {"auto": quick_auto, "batch_iwal": lambda **c: quick_epochs("batch_iwal", **c)}
    stream = session.create(chosen[learner](overlap=2))
    session.offer(stream, made_records(30))
    opened = session.stream(stream)
    *others, tied = list(opened.books.open)
    first = session.answer(stream, "ann", tied, "ham", key="first")
    session.answer(stream, "bob", tied, "spam", key="second")
    for number in others:
        for person in ("ann", "bob"):
            label = ("ham", "spam")[number % 2]
            session.answer(stream, person, number, label, key=f"{person}{number}")
    refit_done(session, stream)
    session.change(stream, "ann", tied, first.position, "spam")
    assert not opened.fold.is_clean
    refit_done(session, stream)
    assert opened.fold.is_clean


@pytest.mark.parametrize("key", ["", "k" * 101, "a\0b", "\ud800"])
def test_the_id_of_an_answer_is_checked_before_anything_is_written(session, key):
    stream = session.create(settings())
    session.offer(stream, made_records(2))
    position = session.stream(stream).fold.position
    with pytest.raises(InvalidParameter, match="the id of an answer must be text of 1 to 100"):
        session.answer(stream, "ann", 0, "ham", key=key)
    assert session.stream(stream).fold.position == position
