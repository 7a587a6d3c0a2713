"""The answers that a page offers, each with a key where there is one for it."""

from collections.abc import Sequence
from typing import NamedTuple

__all__ = ["COMMANDS", "KeyedChoice", "choices"]

COMMANDS = "sugh"
"""Keys that skip, undo, and open the guidelines and the history."""

_KEYS = "1234567890" + "".join(c for c in "abcdefghijklmnopqrstuvwxyz" if c not in COMMANDS)


class KeyedChoice(NamedTuple):
    """A class, and the key that answers with it."""

    name: str
    key: str | None


def choices(classes: Sequence[str]) -> list[KeyedChoice]:
    """Give keys to classes: to one that is a key its own, to others those that are left.

    >>> [choice.key for choice in choices(["ham", "spam", "2"])]
    ['1', '3', '2']
    >>> [choice.key for choice in choices(["0", "1", "x"])]
    ['0', '1', 'x']
    """
    own = {name: name.lower() for name in classes if len(name) == 1 and name.lower() in _KEYS}
    if len(set(own.values())) < len(own):
        own = {}
    left = iter([key for key in _KEYS if key not in own.values()])
    return [KeyedChoice(name, own.get(name) or next(left, None)) for name in classes]
