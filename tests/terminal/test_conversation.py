"""Here without a terminal; tests/cli/test_label.py has it in a real one."""

import io
import sys

import pytest
from rich.console import Console

from askance.labelling.session import Session
from askance.terminal.conversation import converse, keyboard


@pytest.fixture
def held(mail, begun):
    def hold(answers):
        session, output = Session(begun("a"), mail), io.StringIO()
        ended_by = converse(session, "mail.csv", Console(file=output), io.StringIO(answers))
        return session, output.getvalue(), ended_by

    return hold


def test_without_a_terminal_answers_come_line_by_line_and_pages_are_plain(held):
    session, shown, ended_by = held("y\nno\n")
    assert [given.answer for given in session.journal.answers] == ["yes", "no"]
    assert "\x1b" not in shown
    assert "mail.csv" in shown
    assert ended_by is None


def test_standard_input_is_the_keyboard_unless_it_is_the_data(monkeypatch):
    typed = io.StringIO("y\n")
    monkeypatch.setattr(sys, "stdin", typed)
    with keyboard(input_is_data=False) as stream:
        assert stream is typed
