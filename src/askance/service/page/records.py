"""A record as a page shows it: pictures first, then text to read, then short fields."""

import itertools
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from askance.service.page.pictures import is_inline_picture, is_picture

__all__ = ["RecordView", "ShownField", "ShownPicture", "in_short", "record_view"]

LONG, WORDS = 60, 4
"""Characters, or words, from which on a value is text to read."""

VERY_LONG = 3000
"""Characters from which on a text scrolls within itself."""

LONGEST = 100_000
"""Characters of a value that are shown."""

MOST_FIELDS = 1000
"""Fields of a record that are shown."""

FEW = 12
"""Short fields beside a picture or a text that are not folded away."""

TINY = 4000
"""Characters of an inline picture so small that its pixels are drawn as squares."""


class ShownField(NamedTuple):
    """A named value, as text."""

    name: str
    value: str

    @property
    def is_very_long(self) -> bool:
        """Whether it scrolls within itself."""
        return len(self.value) > VERY_LONG


class ShownPicture(NamedTuple):
    """A picture of a record."""

    name: str
    source: str

    @property
    def is_tiny(self) -> bool:
        """Whether it has so few pixels that each should be seen."""
        return is_inline_picture(self.source) and len(self.source) < TINY


class RecordView(NamedTuple):
    """What of a record is shown; ``short`` fields are folded away if others say more.

    So many fields are ``left_out``, of a record that has too many.
    """

    pictures: list[ShownPicture]
    long: list[ShownField]
    short: list[ShownField]
    is_gone: bool = False
    left_out: int = 0

    @property
    def is_folded(self) -> bool:
        """Whether the short fields are folded away."""
        return len(self.short) > FEW and bool(self.pictures or self.long)


def record_view(record: Mapping[str, Any] | None, hosts: Sequence[str] = ()) -> RecordView:
    r"""Lay a record out; None is one that was erased.

    >>> shown = record_view({"size": 3.0, "mail": "Dear friend,\nyou have won", "paid": None})
    >>> shown.long
    [ShownField(name='mail', value='Dear friend,\nyou have won')]
    >>> [(field.name, field.value) for field in shown.short]
    [('size', '3'), ('paid', '(missing)')]
    """
    if record is None:
        return RecordView([], [], [], is_gone=True)
    shown = RecordView([], [], [])
    fields = _flattened(record)
    for name, value in itertools.islice(fields, MOST_FIELDS):
        if is_picture(value, hosts):
            shown.pictures.append(ShownPicture(name, value))
            continue
        text = _text(value)
        is_long = len(text) > LONG or "\n" in text or len(text.split()) >= WORDS
        (shown.long if is_long else shown.short).append(ShownField(name, text))
    return shown._replace(left_out=sum(1 for _ in fields))


def in_short(shown: RecordView, most: int = 80) -> str:
    """A line that tells a record from others.

    >>> in_short(record_view({"size": 3, "colour": "red"}))
    'size 3, colour red'
    """
    line = (
        shown.long[0].value if shown.long else ", ".join(f"{f.name} {f.value}" for f in shown.short)
    )
    line = " ".join(line[: 4 * most].split())
    return line if len(line) <= most else line[: most - 1] + "…"


def _flattened(record: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in record.items():
        if isinstance(value, Mapping) and prefix.count(".") < 8:
            yield from _flattened(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value


def _text(value: Any) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "(missing)"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.6g}"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}… ({len(text):,} characters)"
