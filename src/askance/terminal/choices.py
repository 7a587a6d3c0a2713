"""Which key gives which answer, and which name a few typed letters mean."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from askance.errors import InvalidParameter
from askance.labelling.journal import Reply, reply_of

__all__ = ["Choices", "KeyChoice", "matching", "parse_classes"]

DIGITS = "1234567890"
"""Keys of classes that nobody chose keys for."""

_COMMANDS = {"skip": "s-.", "undo": "u<,", "quit": "q^", "search": "/", "help": "?"}
"""What else a key may do, with the keys for it: the first that no class has taken."""


class KeyChoice(NamedTuple):
    """A key, the name of the class that it stands for, and what the journal keeps of it."""

    key: str
    name: str
    reply: Reply


@dataclass(frozen=True, slots=True)
class Choices:
    """The keys of a labelling.

    Parameters
    ----------
    classes
        Their names.
    keys
        One for each of them, if somebody chose them.

    Examples
    --------
    >>> choices = Choices(("ham", "spam", "ads"), ("h", "s", "a"))
    >>> [choice.key for choice in choices.of()], choices.commands["skip"]
    (['h', 's', 'a'], '-')
    """

    classes: tuple[str, ...]
    keys: tuple[str, ...] = ()

    @property
    def commands(self) -> dict[str, str]:
        """The keys of what is no class."""
        taken = {choice.key for choice in self.of()}
        free = {name: [key for key in keys if key not in taken] for name, keys in _COMMANDS.items()}
        return {name: keys[0] for name, keys in free.items() if keys}

    @property
    def searches(self) -> bool:
        """Whether a class can be found by typing: where there are more than two."""
        return len(self.classes) > 2

    def of(self, ranked: Sequence[int] | None = None) -> list[KeyChoice]:
        """The classes in an order, that of their ranks, each with its key.

        Up to ten have a key of their own, which they keep. Of more, the first ten have digits.
        """
        order = range(len(self.classes)) if ranked is None else ranked
        if len(self.classes) == 2:
            keys: Sequence[str] = self.keys or ("n", "y")
            return [self._choice(code, keys[code]) for code in (1, 0)]
        if self.keys or len(self.classes) <= len(DIGITS):
            keys = self.keys or DIGITS
            return [self._choice(code, keys[code]) for code in order if code < len(keys)]
        return [self._choice(code, key) for code, key in zip(order, DIGITS, strict=False)]

    def _choice(self, code: int, key: str) -> KeyChoice:
        return KeyChoice(key, self.classes[code], reply_of(code, self.classes))

    def words(self) -> dict[str, str]:
        """What a line may say in place of a key.

        >>> Choices(("no", "yes")).words()["yes"]
        'y'
        """
        if len(self.classes) == 2 and not self.keys:
            return {"yes": "y", "no": "n", **self.commands}
        if len(self.classes) == 2:
            return self.commands | {choice.name.lower(): choice.key for choice in self.of()}
        # Of more classes the key depends on the question, so names stay names.
        return self.commands


def matching(typed: str, names: Sequence[str]) -> list[str]:
    """Names that begin with what was typed, then those that have it somewhere.

    >>> matching("am", ["spam", "ham", "amber"])
    ['amber', 'spam', 'ham']
    """
    wanted = typed.lower()
    found = [name for name in names if wanted in name.lower()]
    return sorted(found, key=lambda name: not name.lower().startswith(wanted))


def parse_classes(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names of classes and their keys, from what stands behind ``--classes``.

    >>> parse_classes("spam=s,ham=h,other=o")
    (('spam', 'ham', 'other'), ('s', 'h', 'o'))
    >>> parse_classes("red, green, blue")
    (('red', 'green', 'blue'), ())
    """
    parts = [part.rpartition("=") if "=" in part else (part, "", "") for part in text.split(",")]
    names = tuple(name.strip() for name, _, _ in parts)
    keys = tuple(key.strip().lower() for _, _, key in parts)
    if len(names) < 2 or not all(names) or len(set(names)) < len(names):
        raise InvalidParameter(f"classes must be two or more different names, got {text!r}")
    if not any(keys):
        return names, ()
    good = all(len(key) == 1 and key.isprintable() and key not in " ?/" for key in keys)
    if not good or len(set(keys)) < len(keys):
        raise InvalidParameter(f"each class must have a different key of its own, got {text!r}")
    return names, keys
