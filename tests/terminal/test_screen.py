import io

import pytest
from rich.console import Console

from askance.data.features.records import Record
from askance.labelling.session import OpenQuestion, Standing
from askance.live import Question
from askance.terminal.pages import Layout, Page
from askance.terminal.screen import PlainScreen, TerminalScreen

STANDING = Standing(1, 4, 0, 3, (0,), 0.0, None)
ASKED = OpenQuestion(Question(2, True, None, 1.0, 1.0, 1), Record("3", None, {"size": 5.0}))
LAYOUT = Layout("mail.csv", ("ham", "[red]spam"))


def printed(screen, page, **console):
    output = io.StringIO()
    screen(Console(file=output, width=60, height=20, **console), LAYOUT).show(page)
    return output.getvalue()


def test_plain_output_has_no_codes():
    text = printed(PlainScreen, Page(STANDING, ASKED))
    assert "\x1b" not in text
    assert "size  5" in text
    assert "[red]spam" in text


def test_plain_output_is_silent_while_it_reads_on():
    assert printed(PlainScreen, Page(STANDING)) == ""


def test_a_terminal_is_cleared_and_filled_without_scrolling():
    text = printed(TerminalScreen, Page(STANDING, ASKED), force_terminal=True)
    assert "\x1b[2J" in text
    assert text.count("\n") == 19
    assert not text.endswith("\n")


def test_a_terminal_gets_its_first_screen_and_cursor_back_for_a_while(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    output = io.StringIO()
    screen = TerminalScreen(Console(file=output, force_terminal=True), LAYOUT)
    taken, given = "\x1b[?1049h\x1b[H\x1b[?25l", "\x1b[?1049l\x1b[?25h"
    with screen.opened():
        assert output.getvalue() == taken
        with screen.left():
            assert output.getvalue() == taken + given
    assert output.getvalue() == taken + given + taken + given


@pytest.mark.parametrize("color", [True, False])
def test_no_color_is_honoured(monkeypatch, color):
    monkeypatch.setenv("TERM", "xterm-256color")
    if not color:
        monkeypatch.setenv("NO_COLOR", "1")
    text = printed(TerminalScreen, Page(STANDING, ASKED), force_terminal=True)
    assert ("\x1b[32m" in text) is color
