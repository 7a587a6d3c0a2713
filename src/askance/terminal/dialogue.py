"""Questions and keys: the loop between a labelling and a person."""

from askance.labelling.journal import Reply, class_of, reply_of
from askance.labelling.session import OpenQuestion, Session
from askance.terminal.choices import Choices, KeyChoice, matching
from askance.terminal.interrupts import Interrupts
from askance.terminal.keys import END, OTHER, RESIZED, Reader
from askance.terminal.pages import Page
from askance.terminal.screen import Screen

__all__ = ["Dialogue"]

LONG = 2048
"""Examples without a question after which a page says that the search continues."""

_LEAVE = ("\x03", "\x04", END)
"""Ctrl-C and Ctrl-D where they come as keys, and the end of what is typed."""

_ERASE = ("\x7f", "\x08")


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
            if key in _LEAVE or key == self._commands["quit"] or not self._obey(key):
                return

    def _obey(self, key: str) -> bool:
        """Do what a key means; False if it ends the dialogue."""
        self._message, before = "", self._message
        self._scroll, scroll = 0, self._scroll
        if key == self._commands["undo"]:
            self._undo()
        elif self._session.ended is not None:
            return self._patient and key not in ("\r", "\n")
        elif (answer := self._replied(key)) is not None:
            self._answer(answer)
        elif key == self._commands.get("search") and self._patient:
            self._search()
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

    def _replied(self, key: str) -> Reply | None:
        """What a key answers; a line may add a class, with a plus before its name."""
        if not self._patient and self._keys.searches and key[:1] == "+" and key[1:].strip():
            return f"is {key[1:].strip()}"
        return self._answers().get(key)

    def _answers(self) -> dict[str, Reply]:
        """What keys answer here; in lines, a class may also be named."""
        found = {choice.key: choice.reply for choice in self._choices()}
        found[self._commands["skip"]] = "skip"
        if not self._patient and self._keys.searches:
            names = self._session.learner.classes
            found |= {name.lower(): reply_of(i, names) for i, name in enumerate(names)}
        return found

    def _choices(self) -> list[KeyChoice]:
        return self._keys.of(self._session.ranked())

    @property
    def _keys(self) -> Choices:
        """Classes may have been added, or an added one undone."""
        return Choices(self._session.learner.classes, self._session.settings.keys)

    @property
    def _commands(self) -> dict[str, str]:
        commands = self._keys.commands
        if not (self._keys.searches and self._patient):
            del commands["search"]
        return commands

    def _search(self) -> None:
        """Look for a class by typing; Enter takes the first that fits, or adds it."""
        typed, names = "", self._session.learner.classes
        while True:
            found = tuple(matching(typed, [names[code] for code in self._session.ranked()]))
            self._show(help=False, typed=typed, found=found)
            key = self._typed()
            if key in ("\r", "\n"):
                break
            if key in _ERASE:
                typed = typed[:-1]
            elif key == OTHER or key in _LEAVE:
                return
            elif key != RESIZED:
                typed += key
        name = found[0] if found else typed.strip()
        if name:
            self._answer(f"is {name}")

    def _answer(self, answer: Reply) -> None:
        name = class_of(answer)
        known = name is None or name in self._session.learner.classes
        if not known and self._session.settings.has_costs:
            self._message = "No class can be added: the costs have none of it."
            return
        self._session.answer(answer)
        given = self._session.journal.answers[-1]
        self._message = f"Saved: record {given.id} {self._said(answer)}."

    def _said(self, answer: Reply) -> str:
        if class_of(answer) is not None:
            return answer
        names = dict(zip(("no", "yes"), self._session.settings.classes, strict=False))
        return "was skipped" if answer == "skip" else f"is {names[answer]}"

    def _undo(self) -> None:
        undone = self._session.undo()
        self._message = "There is no answer to undo."
        if undone is not None:
            self._message = f"Undone: record {undone.id} {self._said(undone.answer)}."

    def _show(self, *, help: bool, typed: str | None = None, found: tuple[str, ...] = ()) -> None:
        choices = tuple((choice.key, choice.name) for choice in self._choices())
        self._screen.show(
            Page(
                standing=self._session.standing(),
                asked=self._asked,
                ended=self._session.ended,
                message=self._message,
                scroll=self._scroll,
                help=help,
                choices=choices,
                commands=self._commands,
                typed=typed,
                found=found,
            )
        )

    def _key(self) -> str:
        key = self._typed()
        return key.lower() if len(key) == 1 or not key.startswith("+") else key

    def _typed(self) -> str:
        try:
            with self._interrupts.waiting():
                return self._read()
        except KeyboardInterrupt:
            return END

    def _searching(self, seen: int) -> bool:
        if seen - self._since >= LONG:
            self._since = seen
            page = Page(self._session.standing(), message=self._message)
            self._screen.show(page._replace(commands=self._commands))
        self._interrupts.pause()
        return self._interrupts.received is None
