"""A value -> named numbers: the one rule of how features are named.

=========================  ===========================  =======================================
value                      features                     example
=========================  ===========================  =======================================
number, boolean            the column                   ``age`` 39
string                     column=value                 ``job=clerk`` 1
string in a text column    column^token, n-grams too    ``body^good`` 2, ``body^good_news`` 1
list of strings            column=value, each           ``tags=red`` 1, ``tags=blue`` 1
list of numbers            column^place                 ``vector^0`` 0.5
mapping (a namespace)      column^key, then as above    ``user^age`` 39, ``user^job=clerk`` 1
missing                    none
=========================  ===========================  =======================================
"""

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from askance.data.text.vwtext import within
from askance.errors import BadRecord, InvalidParameter

__all__ = ["Feature", "Leaf", "Naming", "category", "kind_of", "leaves"]

_WORD = re.compile(r"\w+")

Feature = tuple[str, float]

Leaf = tuple[str, float | str, bool]
"""A number or a string of a record, as its name, itself, and whether it stands in a namespace."""


@dataclass(frozen=True, slots=True)
class Naming:
    """Which columns of strings are text, and how long their n-grams are.

    >>> [name for name, _ in Naming(frozenset({"body"}), 2).features("body", "Good news, good")]
    ['body^good', 'body^news', 'body^good', 'body^good_news', 'body^news_good']
    """

    text: frozenset[str] = frozenset()
    ngrams: int = 1

    def __post_init__(self) -> None:
        if self.ngrams < 1:
            raise InvalidParameter(f"ngrams must be 1 or more, got {self.ngrams}")

    def features(self, name: str, value: Any) -> Iterator[Feature]:
        """Give the features of a column's value."""
        for leaf, item, _ in leaves(name, value):
            if not isinstance(item, str):
                yield leaf, item
            elif leaf in self.text:
                yield from self.words(leaf, item)
            else:
                yield category(leaf, item), 1.0

    def words(self, name: str, text: str) -> Iterator[Feature]:
        """Give the features of a text: its words, and runs of them."""
        words = _WORD.findall(text.lower())
        for length in range(1, min(self.ngrams, len(words)) + 1):
            for start in range(len(words) - length + 1):
                yield within(name, "_".join(words[start : start + length])), 1.0


def leaves(name: str, value: Any, in_namespace: bool = False) -> Iterator[Leaf]:
    """Give the numbers and strings that a column's value is made of.

    >>> [leaf for leaf, _, _ in leaves("user", {"age": 39, "towns": ["Rome", "Oslo"]})]
    ['user^age', 'user^towns', 'user^towns']
    """
    kind = kind_of(name, value)
    if kind == "number":
        yield name, _float(name, value), in_namespace
    elif kind == "string":
        yield name, value, in_namespace
    elif kind == "list":
        for place, item in enumerate(value):
            inner = name if isinstance(item, str) else within(name, str(place))
            yield from leaves(inner, item, in_namespace)
    elif kind == "mapping":
        for key, item in value.items():
            yield from leaves(within(name, str(key)), item, True)


def category(name: str, value: str) -> str:
    """Name the feature of a string.

    >>> category("job", "clerk")
    'job=clerk'
    """
    return f"{name}={value}"


def _float(name: str, value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        raise BadRecord(
            f"column {name!r} has a whole number with {value.bit_length():,} bits, a finite number "
            "was expected"
        ) from None


def kind_of(name: str, value: Any) -> str | None:
    """Tell number, string, list and mapping apart; None is missing.

    >>> kind_of("age", 39), kind_of("job", "clerk"), kind_of("age", float("nan"))
    ('number', 'string', None)
    """
    if value is None or (isinstance(value, float | np.floating) and math.isnan(value)):
        return None
    if isinstance(value, str):
        return "string"
    if isinstance(value, Real | np.bool_):
        return "number"
    if isinstance(value, list | tuple | np.ndarray):
        return "list"
    if isinstance(value, Mapping):
        return "mapping"
    raise BadRecord(
        f"column {name!r} has a value of type {type(value).__name__}, expected a number, a "
        "boolean, a string, a list or a mapping"
    )
