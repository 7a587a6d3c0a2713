"""A user's own labels -> -1 and +1, at the edge."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from askance.data.features.columns import Words
from askance.errors import InvalidLabel

__all__ = ["LabelReader", "Labels", "label_text"]

_POSITIVE = frozenset({"1", "true", "yes", "y", "t", "+", "positive"})
_NEGATIVE = frozenset({"-1", "0", "false", "no", "n", "f", "-", "negative"})


Labels = Sequence[object] | NDArray[np.float64] | Words
"""A column of labels: values, numbers with NaN for a missing one, or strings."""


def label_text(value: object) -> str | None:
    """Write a label one way: 1, 1.0 and "+1" are "1", True is "true", missing is None.

    >>> [label_text(value) for value in (1.0, "+1", True, " spam ", None, float("nan"))]
    ['1', '1', 'true', 'spam', None, None]
    """
    if value is None:
        return None
    text = str(value).strip()
    if isinstance(value, bool | np.bool_):
        return text.lower()
    try:
        number = float(text)
    except ValueError:
        return text or None
    return None if np.isnan(number) else f"{number:g}"


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
        words = labels if isinstance(labels, Words) else _coded(labels)
        _, rows = np.unique(words.codes, return_index=True)
        signs = np.zeros(len(words.values) + 1, dtype=np.int8)
        for row in np.sort(rows).tolist():
            code = words.codes[row]
            if code >= 0:
                signs[code] = self._sign(label_text(words.values[code]), first + row)
        return signs[words.codes]

    def _sign(self, text: str | None, row: int) -> int:
        if text is None:
            return 0
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
            return f"row {row:,} has the label {text!r}, a third value beside {two}"
        same = self._positive if text.lower() in _POSITIVE else self._negative
        if same is not None and text.lower() in _POSITIVE | _NEGATIVE:
            return f"row {row:,} has the label {text!r}, a second spelling beside {same!r}"
        return (
            f"row {row:,} has the label {text!r}, where 1, yes or true, and -1, 0, no or false, "
            "would speak for themselves: say which label is positive (--positive)"
        )


def _coded(labels: Sequence[object] | NDArray[np.float64]) -> Words:
    if isinstance(labels, np.ndarray):
        numbers, places = np.unique(labels, return_inverse=True)
        places[np.isnan(labels)] = -1
        return Words(places.astype(np.int32), [str(number) for number in numbers.tolist()])
    values: dict[str, int] = {}
    texts = map(label_text, labels)
    codes = [-1 if text is None else values.setdefault(text, len(values)) for text in texts]
    return Words(np.array(codes, dtype=np.int32), list(values))
