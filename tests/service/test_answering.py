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
    state_of,
)

from askance.errors import InvalidParameter, LabelConflict, UnknownQuestion
from askance.service.fold import Fold
from askance.service.replay import check_stream


def test_the_opinion_is_hidden_unless_the_stream_shows_it(session):
    for shown in (False, True):
        stream = session.create(settings(opinion=shown))
        session.offer(stream, [(str(i), {"x": 1.0}) for i in range(3)])
        assert session.lease(stream, "ann")[0].opinion is None, "it has learned nothing"
        for number, label in enumerate(["spam", "spam"]):
            session.answer(stream, "bob", number, label, key=str(number))
            # As it sees it now, not when the example came.
            opinion = session.lease(stream, "ann")[0].opinion
            assert opinion == ("spam" if shown else None)


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


@pytest.mark.parametrize("learner", [settings, quick_auto], ids=["online", "auto"])
@pytest.mark.parametrize("way", ["change", "undo", "withdrawn"])
def test_a_question_that_was_given_up_is_taken_up_again_while_the_budget_has_room(
    session, learner, way
):
    stream = session.create(learner(total=2))
    session.offer(stream, made_records(1))
    if way == "withdrawn":
        session.withdraw(stream, 0, "ann")
        at = session.stream(stream).fold.position
    else:
        at = session.answer(stream, "ann", 0, None, key="skip").position

    def take_up():
        if way == "undo":
            session.undo(stream, "ann", "skip")
        else:
            session.change(stream, "ann", 0, at, "ham")

    session.offer(stream, made_records(40, start=1))
    assert answer_all(session, stream) == 2
    before = session.stream(stream).fold.position
    with pytest.raises(LabelConflict, match="the budget of 2 labels was spent on others"):
        take_up()
    assert session.stream(stream).fold.position == before, "nothing happened"
    assert (session.status(stream).answered, session.status(stream).left) == (2, 0)
    # One of the others is given up: there is room now.
    session.change(stream, "ann", *last_answer(session, stream), None)
    assert session.status(stream).left == 1
    take_up()
    if way == "undo":
        assert session.status(stream).waiting == 1
        session.answer(stream, "ann", 0, "ham", key="after all")
    assert (session.status(stream).answered, session.status(stream).left) == (2, 0)
    check_log(session, stream, bought=2)


def check_log(session, stream, bought):
    """The state is that of the log, which holds no decision that could not have been made."""
    refit_done(session, stream)
    session.log.mend(stream)
    anew = Fold(session.log, stream, cached=False)
    anew.restore()
    assert state_of(anew.learner) == state_of(session.stream(stream).learner)
    assert anew.learner._ledger.bought == bought
    assert check_stream(session.log, stream).differences == []


def last_answer(session, stream):
    """The number and the position of ann's last answer."""
    last = session.history(stream, "ann")[0]
    return last.number, last.vote.position


def test_a_skip_beside_others_is_changed_though_the_budget_is_spent(session):
    """A question that stays given up, or was never, costs nothing more."""
    stream = session.create(settings(total=2, overlap=2, skips=2))
    session.offer(stream, made_records(3))
    first = session.answer(stream, "ann", 0, None, key="1")
    assert session.status(stream).left == 0
    session.change(stream, "ann", 0, first.position, "ham")
    session.change(stream, "ann", 0, first.position, None)
    session.answer(stream, "bob", 0, None, key="2")
    late = session.answer(stream, "eve", 0, "ham", key="3")
    session.offer(stream, made_records(2, start=3))
    assert session.status(stream).left == 0
    assert not session.change(stream, "eve", 0, late.position, "spam").counts


def test_books_of_an_earlier_version_that_were_overdrawn_have_nothing_left(session):
    stream = session.create(settings(total=1))
    session.offer(stream, made_records(1))
    at = session.answer(stream, "ann", 0, None, key="skip").position
    session.offer(stream, made_records(1, start=1))
    answer_all(session, stream)
    opened = session.stream(stream)
    data = {"answer": at, "label": "ham", "since": at, "refit": False}
    with opened.lock:
        opened.happen(opened.event("changed", number=0, actor="ann", data=data))
    status = session.status(stream)
    assert (status.answered, status.left) == (2, 0)
    assert status.reason == "The budget of 1 labels is spent."


def test_an_undo_by_its_id_leaves_what_was_erased(session):
    stream = session.create(settings())
    session.offer(stream, made_records(2))
    session.answer(stream, "ann", 0, "ham", key="k")
    session.erase(stream, "0", "root")
    at = session.stream(stream).fold.position
    assert session.undo(stream, "ann", "k") is None
    assert session.stream(stream).fold.position == at


def test_a_late_retry_of_an_answer_that_was_undone_changes_nothing(session):
    stream = session.create(settings())
    session.offer(stream, made_records(1))
    receipt = session.answer(stream, "ann", 0, "ham", key="k")
    session.undo(stream, "ann", "k")
    assert session.answer(stream, "ann", 0, "ham", key="k") == receipt
    assert (session.status(stream).answered, session.status(stream).waiting) == (0, 1)
