"""A record as lines of text: names and values side by side, text wrapped, numbers aligned."""

import functools
import itertools
from collections.abc import Iterator, Mapping
from typing import Any

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.text import Text

from askance.data.features.records import Fields
from askance.data.text.vwtext import within
from askance.terminal.visible import either, visible
from askance.types import Row

__all__ = ["number_text", "record_lines", "wrapped"]

LONGEST = 20_000
"""Characters of a value that are shown."""

MOST_FIELDS = 1000
"""Fields of a record that are shown: nobody reads more, and drawing them takes seconds."""

WIDEST = 100
"""Columns of the screen that a value may take: longer lines are hard to read."""

NARROW = 36
"""Columns of the screen below which names stand above their values."""

_INDENT = 2


def record_lines(fields: Fields, width: int, encoding: str = "utf-8") -> list[Text]:
    """Lay the fields of a record out on lines of at most ``width`` columns.

    >>> fields = {"size": 3.5, "subject": "win a car now", "paid": 1200.0, "from": None}
    >>> for line in record_lines(fields, 40):
    ...     line.plain
    'size        3.5'
    'subject  win a car now'
    'paid     1200'
    'from     (missing)'
    """
    every = _flattened(fields)
    first = itertools.islice(every, MOST_FIELDS)
    named = [(visible(name, encoding), value) for name, value in first]
    lines = _laid_out(named, width, encoding)
    if left := sum(1 for _ in every):
        lines.append(Text(f"and {left:,} more", style="dim"))
    return lines


def _laid_out(named: list[tuple[str, Any]], width: int, encoding: str) -> list[Text]:
    if not named:
        return [Text("(empty)", style="dim")]
    point = max(
        (len(number_text(v).partition(".")[0]) for _, v in named if _is_number(v)), default=0
    )
    shown = [(name, _value(value, min(point, 12), encoding)) for name, value in named]
    if width < NARROW:
        return [line for name, value in shown for line in _stacked(name, value, width)]
    names = min(max(cell_len(name) for name, _ in shown), width // 3)
    cut = either("…", "~", encoding)
    return [
        line
        for name, value in shown
        for line in _beside(_cut(name, names, cut), value, names, width)
    ]


def _flattened(fields: Fields) -> Iterator[tuple[str, Any]]:
    """Names and values; those of a namespace are named as its features are."""
    if isinstance(fields, Row):
        for index, value in zip(fields.indices.tolist(), fields.values.tolist(), strict=True):
            yield str(index), value
        return
    for name, value in fields.items():
        if isinstance(value, Mapping):
            yield from ((within(name, inner), item) for inner, item in _flattened(value))
        else:
            yield name, value


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def number_text(value: float) -> str:
    """A number as a person would write it.

    >>> number_text(3.0), number_text(0.1), number_text(1e300)
    ('3', '0.1', '1e+300')
    """
    return f"{value:.0f}" if float(value).is_integer() and abs(value) < 1e15 else repr(value)


def _value(value: Any, point: int, encoding: str) -> Text:
    if value is None:
        return Text("(missing)", style="dim")
    if _is_number(value):
        number = number_text(value)
        return Text(" " * (point - len(number.partition(".")[0])) + number)
    if isinstance(value, list | tuple):
        value = ", ".join(map(str, value))
    text = str(value)
    shown = Text(visible(text[:LONGEST], encoding))
    if len(text) > LONGEST:
        shown.append(f"\n... {len(text) - LONGEST:,} more characters", style="dim")
    return shown if text else Text("(empty)", style="dim")


def wrapped(text: Text, width: int) -> list[Text]:
    """Break a text into lines, between words where that can be.

    >>> [line.plain for line in wrapped(Text("one two three"), 8)]
    ['one two ', 'three']
    """
    return list(text.wrap(_console(), width, overflow="fold")) or [text]


@functools.cache
def _console() -> Console:
    """A console that is never printed to: wrapping asks it only how to break lines."""
    return Console()


def _stacked(name: str, value: Text, width: int) -> Iterator[Text]:
    short = Text.assemble((name, "bold"), " " * _INDENT, value)
    if short.cell_len <= width and "\n" not in short.plain:
        yield short
        return
    yield from wrapped(Text(name, style="bold"), width)
    for line in wrapped(value, max(1, min(width - _INDENT, WIDEST))):
        yield Text.assemble(" " * _INDENT, line)


def _beside(name: str, value: Text, names: int, width: int) -> Iterator[Text]:
    for line in wrapped(value, min(width - names - _INDENT, WIDEST)):
        yield Text.assemble((set_cell_size(name, names + _INDENT), "bold"), line)
        name = ""


def _cut(name: str, width: int, mark: str) -> str:
    one_line = name.replace("\n", " ")
    if cell_len(one_line) <= width:
        return one_line
    return set_cell_size(one_line, width - 1) + mark
