"""Questions and keys: the loop between a labelling and a person."""

from askance.labelling.journal import Reply
from askance.labelling.session import OpenQuestion, Session
from askance.terminal.interrupts import Interrupts
from askance.terminal.keys import END, OTHER, RESIZED, Reader
from askance.terminal.pages import Page
from askance.terminal.screen import Screen

__all__ = ["Dialogue"]

LONG = 2048
"""Examples without a question after which a page says that the search continues."""

_ANSWERS: dict[str, Reply] = {"y": "yes", "n": "no", "s": "skip"}
_LEAVE = ("q", "\x03", "\x04", END)
"""Quit, Ctrl-C and Ctrl-D where they come as keys, and the end of what is typed."""


class Dialogue:
    """Shows questions and takes keys until someone quits or nothing is left to ask.

    Parameters
    ----------
    session, read, screen, interrupts
        What is labelled, by which keys, shown where, and ended by what.
    patient
        Whether a person sits there: keys that mean nothing at the end are then ignored.
    message
        Shown with the first question.
    """

    def __init__(
        self,
        session: Session,
        read: Reader,
        screen: Screen,
        interrupts: Interrupts,
        *,
        patient: bool = True,
        message: str = "",
    ) -> None:
        self._session, self._read, self._screen = session, read, screen
        self._interrupts, self._patient = interrupts, patient
        self._asked: OpenQuestion | None = None
        self._message = message
        self._scroll = 0
        self._since = session.standing().seen

    def run(self) -> None:
        """Run until it ends; every answer is saved by then."""
        while True:
            self._asked = self._session.next(self._searching)
            if self._asked is None and self._session.ended is None:
                return
            self._since = self._session.standing().seen
            self._show(help=False)
            if self._patient:
                self._session.read_ahead()
            key = self._key()
            if key in _LEAVE or not self._obey(key):
                return

    def _obey(self, key: str) -> bool:
        """Do what a key means; False if it ends the dialogue."""
        self._message, before = "", self._message
        self._scroll, scroll = 0, self._scroll
        if key == "u":
            self._undo()
        elif self._session.ended is not None:
            return self._patient and key not in ("\r", "\n")
        elif key in _ANSWERS:
            self._answer(_ANSWERS[key])
        elif key == "?":
            self._show(help=True)
            return self._key() != END if self._patient else True
        elif key == " ":
            self._scroll = scroll + 1
        elif key == RESIZED:
            self._message, self._scroll = before, scroll
        else:
            shown = "That key" if key == OTHER else repr(key[:20])
            self._message = f"{shown} does nothing here: ? explains the keys."
        return True

    def _answer(self, answer: Reply) -> None:
        self._session.answer(answer)
        given = self._session.journal.answers[-1]
        self._message = f"Saved: record {given.id} {self._said(answer)}."

    def _said(self, answer: str) -> str:
        negative, positive = self._session.settings.classes
        return {"yes": f"is {positive}", "no": f"is {negative}", "skip": "was skipped"}[answer]

    def _undo(self) -> None:
        undone = self._session.undo()
        self._message = "There is no answer to undo."
        if undone is not None:
            self._message = f"Undone: record {undone.id} {self._said(undone.answer)}."

    def _show(self, *, help: bool) -> None:
        standing, ended = self._session.standing(), self._session.ended
        self._screen.show(Page(standing, self._asked, ended, self._message, self._scroll, help))

    def _key(self) -> str:
        try:
            with self._interrupts.waiting():
                return self._read().lower()
        except KeyboardInterrupt:
            return END

    def _searching(self, seen: int) -> bool:
        if seen - self._since >= LONG:
            self._since = seen
            self._screen.show(Page(self._session.standing(), message=self._message))
        self._interrupts.pause()
        return self._interrupts.received is None
