"""The fields of a TOML table, each checked as it is taken: a wrong one is one sentence.

The sentence names the file, the table and the key, so that the line is easy to find.
"""

import reprlib
import sys
from collections.abc import Sequence
from typing import Any, TypeGuard

from askance.errors import InvalidParameter

__all__ = ["LONGEST_NAME", "NAME_RULE", "Fields", "is_number", "named_well", "shown"]

LONGEST_NAME = 200
"""Bytes of a name in UTF-8. Names become files, and file systems end at 255 with an ending."""

NAME_RULE = (
    f"printable text of 1 to {LONGEST_NAME} bytes without / and \\ that starts with neither a dot "
    "nor 'part-'"
)

_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = 50
_SHORT.maxlist = _SHORT.maxdict = 4
_SHORT.maxlevel = 2
_LONGEST_QUOTE = 80


def shown(value: object) -> str:
    r"""A value as a message quotes it: short, and with nothing that a terminal obeys.

    >>> shown(True), shown("a\x1b[31m"), shown([1, 2, 3, 4, 5])
    ('true', "'a\\x1b[31m'", '[1, 2, 3, 4, ...]')
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    try:
        # Python refuses to write out numbers of thousands of digits.
        text = str(value) if type(value) is int else _SHORT.repr(value)
    except ValueError:
        return "a number of thousands of digits"
    return text if len(text) <= _LONGEST_QUOTE else f"{text[:_LONGEST_QUOTE]}..."


def named_well(name: str) -> bool:
    r"""Whether a name may become a file, a folder, and a word in a table.

    >>> named_well("OAC, margin"), named_well("../x"), named_well("a\x1b[0m"), named_well("part-1")
    (True, False, False, False)
    """
    return (
        bool(name.strip())
        and name.isprintable()
        and len(name.encode()) <= LONGEST_NAME
        and not any(sign in name for sign in "/\\")
        # A store's parts have such names, and are merged and removed.
        and not name.lower().startswith((".", "part-"))
    )


def is_number(value: object) -> TypeGuard[float]:
    """Whether a value is a number that a float can hold; true and false are none.

    >>> is_number(3), is_number(True), is_number(float("nan")), is_number(10**400)
    (True, False, False, False)
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return abs(value) <= sys.float_info.max


class Fields:
    """A table of a TOML file, and where it stands.

    >>> Fields({"permutations": True}, "my.toml").whole("permutations", 1, 1000)
    Traceback (most recent call last):
    askance.errors.InvalidParameter: my.toml: permutations must be a whole number from 1 to 1000, \
got true
    """

    def __init__(self, table: dict[str, Any], place: str) -> None:
        self.table, self.place = table, place

    def __contains__(self, key: str) -> bool:
        return key in self.table

    def wrong(self, sentence: str) -> InvalidParameter:
        """An error that says where."""
        return InvalidParameter(f"{self.place}: {sentence}")

    def must(self, key: str, wanted: str, found: object) -> InvalidParameter:
        """An error about one key."""
        return self.wrong(f"{key} must be {wanted}, got {shown(found)}")

    def only(self, known: Sequence[str]) -> None:
        """Raise for a key that is not known."""
        for key in self.table:
            if key not in known:
                raise self.wrong(
                    f"{shown(key)} is not a key here, expected {', '.join(sorted(known))}"
                )

    def whole(self, key: str, low: int, high: int) -> int:
        """A whole number in a range; true and false are no numbers."""
        found = self.table[key]
        if type(found) is not int or not low <= found <= high:
            raise self.must(key, f"a whole number from {low} to {high}", found)
        return found

    def number(self, key: str) -> float:
        """A finite number."""
        found = self.table[key]
        if not is_number(found):
            raise self.must(key, "a finite number", found)
        return float(found)

    def text(self, key: str) -> str:
        """Text that is not empty."""
        found = self.table[key]
        if not (isinstance(found, str) and found):
            raise self.must(key, "text", found)
        return found

    def name(self, key: str, default: str) -> str:
        """A name that may become a file."""
        found = self.table.get(key, default)
        if not (isinstance(found, str) and named_well(found)):
            raise self.must(key, NAME_RULE, found)
        return found

    def texts(self, key: str) -> list[str]:
        """One text, or a list of them."""
        found = self.table[key]
        texts = [found] if isinstance(found, str) else found
        if not (isinstance(texts, list) and texts and all(isinstance(t, str) and t for t in texts)):
            raise self.must(key, "text or a list of texts", found)
        return texts

    def table_of(self, key: str) -> "Fields":
        """A table inside this one."""
        found = self.table[key]
        if not isinstance(found, dict):
            raise self.must(key, "a table", found)
        return Fields(found, f"{self.place}: [{key}]")

    def tables(self, key: str) -> list["Fields"]:
        """The tables of a list, counted from 1."""
        found = self.table.get(key)
        if not (isinstance(found, list) and found and all(isinstance(t, dict) for t in found)):
            got = "none" if found is None else shown(found)
            raise self.wrong(f"a study needs one or more tables [[{key}]], got {got}")
        return [Fields(t, f"{self.place}: [[{key}]] {i}") for i, t in enumerate(found, 1)]
