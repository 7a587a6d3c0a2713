"""The journal of a labelling: how it began and every answer, a line each, on the disk at once.

Lines are only added. The first is an object with the ``settings``; each other is an answer, an
``undo`` of the last answer, or a new ``budget`` and the number of the example before which it came.
A last line that is not whole was being written when the process died, and is dropped.
"""

import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from askance.errors import FileUnreadable
from askance.storage.files import write_atomically
from askance.types import Label

__all__ = [
    "GivenAnswer",
    "Journal",
    "NewBudget",
    "Reply",
    "class_of",
    "label_of_reply",
    "reply_of",
]

VERSION = 3
"""Raised when an older askance could no longer follow what this one writes."""

_FIRST_OF_CLASSES = 3
"""The version of a labelling with more than two classes; others are still written as before."""

Reply = str
"""What a person may say to a question: ``yes``, ``no``, ``skip``, or ``is`` and a class."""

_SIGNS = {"no": -1, "yes": 1}
_IS = "is "


def reply_of(code: int, classes: Sequence[str]) -> Reply:
    """The reply that names one of some classes.

    >>> reply_of(1, ["ham", "spam"]), reply_of(1, ["ham", "spam", "ads"])
    ('yes', 'is spam')
    """
    return ("no", "yes")[code] if len(classes) == 2 else _IS + classes[code]


def class_of(reply: Reply) -> str | None:
    """The class that a reply names, where there are more than two.

    >>> class_of("is spam"), class_of("skip")
    ('spam', None)
    """
    return reply[len(_IS) :] if reply.startswith(_IS) else None


def label_of_reply(reply: Reply, classes: Sequence[str]) -> Label | None:
    """The label that a reply stands for; a skip has none.

    >>> label_of_reply("no", ["ham", "spam"]), label_of_reply("is ads", ["ham", "spam", "ads"])
    (-1, 2)
    """
    name = class_of(reply)
    return _SIGNS.get(reply) if name is None else list(classes).index(name)


class GivenAnswer(NamedTuple):
    """An answer as it stands in the journal.

    Parameters
    ----------
    example
        The number of the example, from 0.
    id
        The id of its record.
    answer
        ``"yes"``, ``"no"``, ``"skip"``, or ``"is"`` and the name of a class.
    probability
        The probability with which it was asked for.
    check
        A checksum of all that was read and answered up to here.
    """

    example: int
    id: str
    answer: Reply
    probability: float
    check: str


class NewBudget(NamedTuple):
    """A label budget that holds from some example on.

    Parameters
    ----------
    budget
        How many labels may be given in all.
    example
        The number of the example before which it came.
    horizon
        How many examples the file had, if that was counted.
    answers
        How many answers had been given.
    """

    budget: int
    example: int
    horizon: int | None
    answers: int


class Journal:
    """What was answered so far.

    Parameters
    ----------
    path
        A journal that was begun.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "journal.jsonl"
    >>> Journal.begin(path, {"seed": 7})
    >>> journal = Journal(path)
    >>> journal.answer(GivenAnswer(0, "ann", "yes", 1.0, "a5"))
    >>> journal.answer(GivenAnswer(3, "bob", "no", 0.5, "0c"))
    >>> journal.undo()
    >>> [given.id for given in Journal(path).answers], Journal(path).settings
    (['ann'], {'seed': 7})
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self.answers: list[GivenAnswer] = []
        self.budgets: list[NewBudget] = []
        try:
            content = self.path.read_bytes()
        except OSError as error:
            raise FileUnreadable(f"{path} cannot be read: {error.strerror}") from error
        whole = content.rpartition(b"\n")[0]
        lines = self._parsed(whole)
        self._length = len(whole) + 1
        self.settings = self._settings(next(lines, None))
        for line in lines:
            self._follow(line)

    @classmethod
    def begin(cls, path: str | os.PathLike[str], settings: dict[str, Any]) -> None:
        """Write a journal without answers."""
        several = len(settings.get("classes", ())) > 2 or "keys" in settings
        version = _FIRST_OF_CLASSES if several else _FIRST_OF_CLASSES - 1
        first = {"format": "askance labelling", "version": version, "settings": settings}
        with write_atomically(path) as file:
            file.write(_line(first))

    @property
    def budget(self) -> int | None:
        """How many labels may be given in all, if somebody said so."""
        return self.budgets[-1].budget if self.budgets else None

    def answer(self, given: GivenAnswer) -> None:
        """Add an answer."""
        self._add(given._asdict())
        self.answers.append(given)

    def undo(self) -> None:
        """Add that the last answer does not hold."""
        self._add({"undo": self.answers[-1].example})
        self._take_back()

    def set_budget(
        self, budget: int, example: int | None = None, horizon: int | None = None
    ) -> None:
        """Add how many labels may be given in all, from before an ``example`` on."""
        example = self._next_example() if example is None else example
        self._add({"budget": budget, "example": example, "horizon": horizon})
        self._change(budget, example, horizon)

    def _next_example(self) -> int:
        return self.answers[-1].example + 1 if self.answers else 0

    def _take_back(self) -> None:
        """Drop the last answer; a budget that came later now follows the one before."""
        self.answers.pop()
        given, example = len(self.answers), self._next_example()
        self.budgets = [
            one if one.answers <= given else one._replace(answers=given, example=example)
            for one in self.budgets
        ]

    def _change(self, budget: int, example: int, horizon: int | None) -> None:
        """Take a new budget; one that was to come later never does."""
        new = NewBudget(budget, example, horizon, len(self.answers))
        earlier = [
            one for one in self.budgets if (one.answers, one.example) <= (new.answers, example)
        ]
        self.budgets = [*earlier, new]

    def _add(self, line: dict[str, Any]) -> None:
        content = _line(line)
        try:
            # From where the last whole line ends: what died or did not fit is written over.
            with self.path.open("r+b") as file:
                file.seek(self._length)
                file.truncate()
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(self.path)) from error
        self._length += len(content)

    def _parsed(self, content: bytes) -> Iterator[dict[str, Any]]:
        for number, line in enumerate(content.splitlines(), start=1):
            try:
                value = json.loads(line)
            except (ValueError, RecursionError):
                value = None
            if not isinstance(value, dict):
                raise FileUnreadable(f"line {number} of {self.path} is damaged")
            yield value

    def _settings(self, first: dict[str, Any] | None) -> dict[str, Any]:
        if first is None or first.get("format") != "askance labelling":
            raise FileUnreadable(f"{self.path} is not a journal of askance")
        version, settings = first.get("version"), first.get("settings")
        if not (isinstance(version, int) and isinstance(settings, dict)):
            raise FileUnreadable(f"line 1 of {self.path} is damaged")
        if version > VERSION:
            raise FileUnreadable(
                f"{self.path} has version {version}, newer than {VERSION}, the newest that this "
                "askance reads"
            )
        return settings

    def _follow(self, line: dict[str, Any]) -> None:
        try:
            if "undo" in line:
                self._take_back()
            elif "budget" in line:
                # Those of earlier versions came with nothing else.
                plan = {"example": self._next_example(), "horizon": None} | line
                self._change(*_checked_budget(**plan))
            else:
                self.answers.append(_checked(GivenAnswer(**line)))
        except (IndexError, TypeError, ValueError) as error:
            shown = str(line)[:100]
            raise FileUnreadable(f"{self.path} has a line that does not fit: {shown}") from error


def _checked_budget(budget: int, example: int, horizon: int | None) -> tuple[int, int, int | None]:
    """Raise unless a budget can have been set."""
    for count, least in ((budget, 1), (example, 0), (1 if horizon is None else horizon, 1)):
        if type(count) is not int or count < least:
            raise ValueError
    return budget, example, horizon


def _checked(given: GivenAnswer) -> GivenAnswer:
    """Raise unless an answer can have been given."""
    example, id, answer, probability, check = given
    texts = isinstance(id, str) and isinstance(check, str) and isinstance(answer, str)
    if not (type(example) is int and texts):
        raise TypeError
    known = answer in (*_SIGNS, "skip") or class_of(answer)
    if not known or not 0.0 < float(probability) <= 1.0:
        raise ValueError
    return given


def _line(value: dict[str, Any]) -> bytes:
    return json.dumps(value).encode() + b"\n"
