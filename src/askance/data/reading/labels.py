"""A user's own labels -> the package's, at the edge.

A missing label is 0. Two classes are -1 and +1; more are 1, 2, 3 and so on, in their order.
"""

import contextlib
from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from askance.data.features.columns import Words
from askance.errors import InvalidLabel
from askance.types import Integers
from askance.validation import shown

__all__ = [
    "MOST_CLASSES",
    "AnyLabels",
    "ClassReader",
    "LabelColumn",
    "LabelReader",
    "Labels",
    "in_order",
    "label_text",
    "says_yes",
]

MOST_CLASSES = 1000
"""Classes that labels may have; more are rather numbers that are to be predicted."""

_POSITIVE = frozenset({"1", "true", "yes", "y", "t", "+", "positive"})
_NEGATIVE = frozenset({"-1", "0", "false", "no", "n", "f", "-", "negative"})


Labels = Sequence[object] | NDArray[np.float64] | Words
"""A column of labels: values, numbers with NaN for a missing one, or strings."""


def label_text(value: object) -> str | None:
    """Write a label one way: 1, 1.0 and "+1" are "1", True is "true", missing is None.

    >>> [label_text(value) for value in (1.0, "+1", True, " spam ", None, float("nan"))]
    ['1', '1', 'true', 'spam', None, None]
    >>> label_text("1000001.0"), label_text(2**63 + 1), label_text(0.1)
    ('1000001', '9223372036854775809', '0.1')
    """
    if value is None:
        return None
    text = str(value).strip()
    if isinstance(value, bool | np.bool_):
        return text.lower()
    # Whole numbers are often ids of classes, and two of them must never become one.
    with contextlib.suppress(ValueError):
        return str(int(text))
    try:
        number = float(text)
    except ValueError:
        return text or None
    if number.is_integer():
        return str(int(number))
    return None if np.isnan(number) else repr(number)


def says_yes(text: str) -> bool | None:
    """Whether a label speaks for itself as the positive one, or as the negative one; None if not.

    >>> says_yes("Y"), says_yes("false"), says_yes("spam")
    (True, False, None)
    """
    word = text.lower()
    return None if word not in _POSITIVE | _NEGATIVE else word in _POSITIVE


def in_order(names: Sequence[str]) -> list[str]:
    """Names of classes sorted, numbers by their size.

    >>> in_order(["10", "9", "b", "a"])
    ['9', '10', 'a', 'b']
    """

    def place(name: str) -> tuple[bool, float, str]:
        try:
            return False, float(name), name
        except ValueError:
            return True, 0.0, name

    return sorted(names, key=place)


class LabelColumn(Protocol):
    """Converts the labels of a file, batch after batch."""

    def read(self, labels: Labels, first: int = 1) -> Integers: ...


class LabelReader:
    """Learns which two labels a stream has, and refuses a third.

    ``positive`` names the label of the class +1, and any one other label is then the class -1;
    without it, the labels must be words that speak for themselves, like 1 and -1, 1 and 0, yes and
    no.

    >>> LabelReader("spam").read(["spam", "ham", None]).tolist()
    [1, -1, 0]
    >>> LabelReader("1").read([1, 2]).tolist()
    [1, -1]
    >>> LabelReader().read(["0", "1"]).tolist()
    [-1, 1]
    """

    def __init__(self, positive: str | None = None) -> None:
        self._positive = label_text(positive)
        self._chosen = self._positive is not None
        self._negative: str | None = None

    @property
    def classes(self) -> tuple[str, str]:
        """The labels of -1 and +1 as far as they are known.

        >>> reader = LabelReader("spam")
        >>> _ = reader.read(["ham"])
        >>> reader.classes, LabelReader().classes
        (('ham', 'spam'), ('-1', '+1'))
        """
        return self._negative or "-1", self._positive or "+1"

    def read(self, labels: Labels, first: int = 1) -> NDArray[np.int8]:
        """Convert labels, 0 for a missing one; ``first`` is the first one's row, for messages."""
        return _converted(labels, first, self.label).astype(np.int8)

    def label(self, text: str, row: int) -> int:
        """-1 or +1 for a label as :func:`label_text` writes it, first met in a row."""
        if text == self._positive:
            return 1
        if self._negative is None and (self._chosen or text.lower() in _NEGATIVE):
            self._negative = text
        if text == self._negative:
            return -1
        if self._positive is None and text.lower() in _POSITIVE:
            self._positive = text
            return 1
        raise InvalidLabel(self._refusal(text, row))

    def _refusal(self, text: str, row: int) -> str:
        if self._positive is not None and self._negative is not None:
            two = f"{self._positive!r} and {self._negative!r}"
            more = "" if self._chosen else ": say which classes there are (--classes)"
            return f"row {row:,} has the label {text!r}, a third value beside {two}{more}"
        same = self._positive if text.lower() in _POSITIVE else self._negative
        if same is not None and text.lower() in _POSITIVE | _NEGATIVE:
            return f"row {row:,} has the label {text!r}, a second spelling beside {same!r}"
        return (
            f"row {row:,} has the label {text!r}, where 1, yes or true, and -1, 0, no or false, "
            "would speak for themselves: say which label is positive (--positive)"
        )


class ClassReader:
    """Numbers the classes of a stream from 1 on.

    ``classes`` that are known come first, in their order. If they are ``all`` of them, any other is
    refused; else it is taken for one more class.

    >>> reader = ClassReader(["ham", "spam", "ads"])
    >>> reader.read(["spam", None, "phish"]).tolist(), reader.classes
    ([2, 0, 4], ('ham', 'spam', 'ads', 'phish'))
    >>> ClassReader(["ham", "spam", "ads"], all=True).read(["phish"])
    Traceback (most recent call last):
    askance.errors.InvalidLabel: row 1 has the label 'phish', not one of ham, spam, ads
    """

    def __init__(self, classes: Sequence[str] = (), *, all: bool = False) -> None:
        self._all = all
        self._codes = {label_text(name) or name: i for i, name in enumerate(classes, start=1)}
        self.rows: list[int] = [0] * len(self._codes)

    @property
    def classes(self) -> tuple[str, ...]:
        """Their names, as far as they are known."""
        return tuple(self._codes)

    def read(self, labels: Labels, first: int = 1) -> Integers:
        """Convert labels, 0 for a missing one; ``first`` is the first one's row, for messages."""
        return _converted(labels, first, self.label)

    def label(self, text: str, row: int) -> int:
        """The number of a class as :func:`label_text` writes it, first met in a row."""
        if text not in self._codes:
            if self._all:
                known = shown(", ".join(self._codes))[1:-1]
                raise InvalidLabel(f"row {row:,} has the label {text!r}, not one of {known}")
            if len(self._codes) == MOST_CLASSES:
                raise InvalidLabel(
                    f"row {row:,} has the label {text!r}, after {MOST_CLASSES:,} others: "
                    "classes were expected, and numbers to be predicted are none"
                )
            self.rows.append(row)
        return self._codes.setdefault(text, len(self._codes) + 1)


class AnyLabels:
    """Labels of which it is not known yet whether they are of two classes or more.

    They are numbered as they come. :meth:`settle` then decides by those so far: three or more are
    classes, unless they are several spellings of yes and no; what comes later may add classes
    there, and is refused where there are two. ``positive`` says that there are two, ``classes``
    names them all, or if it is empty takes whatever comes.

    >>> labels = AnyLabels()
    >>> codes = labels.read(["pear", "apple", "fig", None])
    >>> labels.settle()
    >>> labels.meant(codes).tolist(), labels.classes
    ([3, 1, 2, 0], ('apple', 'fig', 'pear'))
    """

    def __init__(self, positive: str | None = None, classes: Sequence[str] | None = None) -> None:
        self._met = ClassReader()
        self._positive = positive
        self._meaning: LabelReader | ClassReader | None = None
        if classes is not None and len(classes) != 2:
            self._meaning = ClassReader(classes, all=bool(classes))
        elif classes is not None:
            negative, self._positive = classes
            self._meaning = LabelReader(self._positive)
            self._meaning.label(label_text(negative) or negative, 0)
        elif positive is not None:
            self._meaning = LabelReader(positive)

    @property
    def classes(self) -> tuple[str, ...]:
        """The names of the classes, as far as they are known."""
        return (self._meaning or LabelReader()).classes

    def read(self, labels: Labels, first: int = 1) -> Integers:
        """Number labels as they come, for :meth:`meant`."""
        return self._met.read(labels, first)

    def settle(self) -> None:
        """Decide by what was read so far, unless it is decided."""
        if self._meaning is None:
            met = self._met.classes
            words = all(text.lower() in _POSITIVE | _NEGATIVE for text in met)
            several = len(met) > 2 and not words
            self._meaning = ClassReader(in_order(met)) if several else LabelReader()

    def meant(self, codes: Integers) -> Integers:
        """The labels of what was read, once it is settled."""
        meaning = self._meaning or LabelReader()
        pairs = zip(self._met.classes, self._met.rows, strict=True)
        labels = np.array([0, *(meaning.label(*pair) for pair in pairs)], np.int32)[codes]
        return labels.astype(np.int8) if isinstance(meaning, LabelReader) else labels


def _converted(labels: Labels, first: int, label: Callable[[str, int], int]) -> Integers:
    """What ``label`` makes of each different text and the row in which it is first met."""
    words = labels if isinstance(labels, Words) else _coded(labels)
    _, rows = np.unique(words.codes, return_index=True)
    found = np.zeros(len(words.values) + 1, dtype=np.int32)
    for row in np.sort(rows).tolist():
        code = words.codes[row]
        text = label_text(words.values[code]) if code >= 0 else None
        if text is not None:
            found[code] = label(text, first + row)
    return found[words.codes]


def _coded(labels: Sequence[object] | NDArray[np.float64]) -> Words:
    if isinstance(labels, np.ndarray):
        numbers, places = np.unique(labels, return_inverse=True)
        places[np.isnan(labels)] = -1
        return Words(places.astype(np.int32), [str(number) for number in numbers.tolist()])
    values: dict[str, int] = {}
    texts = map(label_text, labels)
    codes = [-1 if text is None else values.setdefault(text, len(values)) for text in texts]
    return Words(np.array(codes, dtype=np.int32), list(values))
