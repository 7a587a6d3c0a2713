"""The journal of a labelling: how it began and every answer, a line each, on the disk at once.

Lines are only added. The first is an object with the ``settings``; each other is an answer, an
``undo`` of the last answer, or a new ``budget``. A last line that is not whole was being written
when the process died, and is dropped.
"""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

from askance.errors import FileUnreadable
from askance.storage.files import write_atomically

__all__ = ["SIGNS", "GivenAnswer", "Journal", "Reply"]

VERSION = 2
"""Raised when an older askance could no longer follow what this one writes."""

Reply = Literal["yes", "no", "skip"]
"""What a person may say to a question."""

_REPLIES = get_args(Reply)

SIGNS = {"yes": 1, "no": -1}
"""The labels that replies stand for; a skip has none."""


class GivenAnswer(NamedTuple):
    """An answer as it stands in the journal.

    Parameters
    ----------
    example
        The number of the example, from 0.
    id
        The id of its record.
    answer
        ``"yes"``, ``"no"`` or ``"skip"``.
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
        self.budget: int | None = None
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
        first = {"format": "askance labelling", "version": VERSION, "settings": settings}
        with write_atomically(path) as file:
            file.write(_line(first))

    def answer(self, given: GivenAnswer) -> None:
        """Add an answer."""
        self._add(given._asdict())
        self.answers.append(given)

    def undo(self) -> None:
        """Add that the last answer does not hold."""
        self._add({"undo": self.answers[-1].example})
        self.answers.pop()

    def set_budget(self, budget: int) -> None:
        """Add how many labels may be given in all from now on."""
        self._add({"budget": budget})
        self.budget = budget

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
                self.answers.pop()
            elif "budget" in line:
                self.budget = int(line["budget"])
            else:
                self.answers.append(_checked(GivenAnswer(**line)))
        except (IndexError, TypeError, ValueError) as error:
            shown = str(line)[:100]
            raise FileUnreadable(f"{self.path} has a line that does not fit: {shown}") from error


def _checked(given: GivenAnswer) -> GivenAnswer:
    """Raise unless an answer can have been given."""
    example, id, answer, probability, check = given
    if not (type(example) is int and isinstance(id, str) and isinstance(check, str)):
        raise TypeError
    if answer not in _REPLIES or not 0.0 < float(probability) <= 1.0:
        raise ValueError
    return given


def _line(value: dict[str, Any]) -> bytes:
    return json.dumps(value).encode() + b"\n"
