import signal

import pytest

from askance.labelling.session import Session
from askance.terminal.dialogue import Dialogue
from askance.terminal.interrupts import Interrupts
from askance.terminal.keys import END, OTHER, RESIZED


class Pages:
    """Keeps what it is shown."""

    def __init__(self):
        self.pages = []

    def show(self, page):
        self.pages.append(page)


@pytest.fixture
def held(mail, begun):
    """Hold a dialogue with these keys; what was shown, and the session."""

    def hold(keys, name="a", budget=None, **options):
        folder = begun(name, algorithm="passive", parameters={})
        session, pages, pressed = Session(folder, mail), Pages(), iter(keys)
        if budget:
            session.set_budget(budget)
        with Interrupts() as interrupts:
            Dialogue(session, lambda: next(pressed), pages, interrupts, **options).run()
        assert next(pressed, None) is None
        return pages.pages, session

    return hold


def answers(session):
    return [given.answer for given in session.journal.answers]


def test_keys_answer_undo_and_quit(held):
    pages, session = held(["y", "N", "s", "u", "n", "q"])
    assert answers(session) == ["yes", "no", "no"]
    ids = [page.asked.record.id for page in pages]
    assert ids == ["1", "2", "3", "4", "3", "4"]
    assert [page.message for page in pages] == [
        "",
        "Saved: record 1 is yes.",
        "Saved: record 2 is no.",
        "Saved: record 3 was skipped.",
        "Undone: record 3 was skipped.",
        "Saved: record 3 is no.",
    ]


@pytest.mark.parametrize("key", ["q", "\x03", "\x04", END])
def test_every_way_out(held, key):
    _, session = held(["y", key])
    assert answers(session) == ["yes"]


def test_other_keys_change_nothing(held):
    pages, session = held(["x", OTHER, "u", "\x1b", "q"])
    assert answers(session) == []
    assert "'x' does nothing" in pages[1].message
    assert "That key does nothing" in pages[2].message
    assert "no answer to undo" in pages[3].message


def test_space_turns_the_page_until_the_next_record(held):
    pages, _ = held([" ", " ", RESIZED, "y", "q"])
    assert [page.scroll for page in pages] == [0, 1, 2, 2, 0]


def test_help_is_shown_until_a_key(held):
    pages, session = held(["?", "y", "y", "q"])
    assert [page.help for page in pages] == [False, True, False, False]
    assert answers(session) == ["yes"]


def test_a_person_can_undo_the_last_label_of_the_budget(held):
    pages, session = held(["y", "y", "n", "u", "n", "q"], budget=2)
    assert [page.ended for page in pages] == [None, None, "budget", "budget", None, "budget"]
    assert answers(session) == ["yes", "no"]


def test_without_a_person_the_end_is_the_end(held):
    _, session = held(["y", "y", "n"], budget=2, patient=False)
    assert answers(session) == ["yes", "yes"]


def test_a_signal_while_waiting_is_a_way_out(mail, begun):
    session = Session(begun("a"), mail)

    def interrupted():
        signal.raise_signal(signal.SIGTERM)
        return "y"

    with Interrupts() as interrupts:
        Dialogue(session, interrupted, Pages(), interrupts).run()
    assert answers(session) == []
    assert interrupts.received == signal.SIGTERM


def test_a_signal_while_searching_is_a_way_out(mail, begun):
    session, pages = Session(begun("a"), mail), Pages()
    with Interrupts() as interrupts:
        signal.raise_signal(signal.SIGINT)
        Dialogue(session, lambda: pytest.fail("nobody should be asked"), pages, interrupts).run()
    assert pages.pages == []


def test_a_long_search_says_so(tmp_path, begun, mail):
    """A learner that is sure of itself reads thousands of records without a question."""
    with mail.open("a") as file:
        file.writelines(["ann,5,win win win\n"] * 9000)
    session, pages = Session(begun("a", parameters={"c0": 1e-9}), mail), Pages()
    keys = iter(lambda: "y" if session.ended is None else "q", None)
    with Interrupts() as interrupts:
        Dialogue(session, lambda: next(keys), pages, interrupts).run()
    assert any(page.asked is None and page.ended is None for page in pages.pages)
