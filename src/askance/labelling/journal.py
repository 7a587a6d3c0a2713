"""The journal of a labelling: how it began and every answer, a line each, on the disk at once.

Lines are only added. The first is an object with the ``settings``; each other is an answer, an
``undo`` of the last answer, or a new ``budget``. A last line that is not whole was being written
when the process died, and is dropped.
"""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, NamedTuple

from askance.errors import FileUnreadable
from askance.storage.files import write_atomically

__all__ = ["Answer", "Given", "Journal"]

VERSION = 1

Answer = Literal["yes", "no", "skip"]


class Given(NamedTuple):
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
        With which it was asked for.
    check
        A checksum of all that was read and answered up to here.
    """

    example: int
    id: str
    answer: Answer
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
    >>> journal.answer(Given(0, "ann", "yes", 1.0, "a5"))
    >>> journal.answer(Given(3, "bob", "no", 0.5, "0c"))
    >>> journal.undo()
    >>> [given.id for given in Journal(path).answers], Journal(path).settings
    (['ann'], {'seed': 7})
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self.answers: list[Given] = []
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

    def answer(self, given: Given) -> None:
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
            except ValueError:
                value = None
            if not isinstance(value, dict):
                raise FileUnreadable(f"line {number} of {self.path} is damaged")
            yield value

    def _settings(self, first: dict[str, Any] | None) -> dict[str, Any]:
        if first is None or first.get("format") != "askance labelling":
            raise FileUnreadable(f"{self.path} is not a journal of askance")
        if first["version"] > VERSION:
            raise FileUnreadable(
                f"{self.path} has version {first['version']}, newer than {VERSION}, "
                "the newest that this askance reads"
            )
        settings: dict[str, Any] = first["settings"]
        return settings

    def _follow(self, line: dict[str, Any]) -> None:
        try:
            if "undo" in line:
                self.answers.pop()
            elif "budget" in line:
                self.budget = int(line["budget"])
            else:
                self.answers.append(Given(**line))
        except (IndexError, TypeError, ValueError) as error:
            raise FileUnreadable(f"{self.path} holds a line that does not fit: {line}") from error


def _line(value: dict[str, Any]) -> bytes:
    return json.dumps(value).encode() + b"\n"
