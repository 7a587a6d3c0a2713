"""A labelling and the person in front of it: which keyboard, which screen, and how it ends."""

import contextlib
import logging
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

from rich.console import Console

from askance.errors import FileUnreadable
from askance.labelling.session import Session
from askance.terminal.choices import Choices
from askance.terminal.dialogue import Dialogue
from askance.terminal.interrupts import Interrupts
from askance.terminal.keys import TerminalKeys, line_keys
from askance.terminal.pages import Layout
from askance.terminal.screen import PlainScreen, TerminalScreen

__all__ = ["converse", "keyboard"]

_SILENCE = logging.NullHandler()
_TERMINAL = "CONIN$" if sys.platform == "win32" else "/dev/tty"


@contextlib.contextmanager
def keyboard(*, input_is_data: bool) -> Iterator[TextIO]:
    """Standard input, or the terminal itself where standard input is what is labelled."""
    if not input_is_data:
        yield sys.stdin
        return
    with contextlib.ExitStack() as stack:
        try:
            terminal = stack.enter_context(Path(_TERMINAL).open())
        except OSError:
            raise FileUnreadable(
                "standard input is what is labelled, and there is no terminal to answer from"
            ) from None
        yield terminal


def converse(session: Session, name: str, console: Console, stream: TextIO) -> int | None:
    """Ask and take answers until it ends; give the signal that ended it, if one did.

    Parameters
    ----------
    session
        What is labelled.
    name
        Of the file, for the page.
    console
        Where pages go: one at a time to a terminal, else one after the other.
    stream
        Where keys come from: single ones from a terminal, else a line for each answer.
    """
    layout = Layout(name, session.settings.classes, console.encoding)
    note = _beware_of_ids(session)
    if not (console.is_terminal and not console.is_dumb_terminal and stream.isatty()):
        with Interrupts() as interrupts:
            choices = Choices(session.learner.classes, session.settings.keys)
            plain, keys = PlainScreen(console, layout), line_keys(stream, choices.words())
            Dialogue(session, keys, plain, interrupts, patient=False, message=note).run()
        return interrupts.received
    # The page shows the learner's warning; the log would write across it.
    logging.getLogger("askance").addHandler(_SILENCE)
    with (
        # Outermost: a signal must not end the process before the terminal is given back.
        Interrupts(lambda: _suspend(read, screen)) as interrupts,
        TerminalKeys(stream.fileno()).taken() as read,
        TerminalScreen(console, layout).opened() as screen,
    ):
        Dialogue(session, read, screen, interrupts, message=note).run()
    return interrupts.received


def _suspend(keys: TerminalKeys, screen: TerminalScreen) -> None:
    """Give the terminal back to the shell, stop, and take it again when told to continue."""
    with keys.released(), screen.left():
        os.kill(os.getpid(), signal.SIGSTOP)


def _beware_of_ids(session: Session) -> str:
    """Say that ids are learned from, as long as no answer is lost by starting again."""
    names = [] if session.journal.answers else session.likely_ids()
    if not names:
        return ""
    return (
        f"{names[0]} looks like an id, but is learned from: to leave it out, quit and start again "
        "with --id or --ignore and another --session."
    )
