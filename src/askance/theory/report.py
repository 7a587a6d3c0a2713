"""Results on disk: one JSON file for each experiment, and the tables of a document filled in."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from askance.errors import FileUnreadable
from askance.storage.files import write_atomically
from askance.theory.epoch_tables import EpochLine
from askance.types import State

__all__ = [
    "Experiment",
    "cell_text",
    "fill_tables",
    "load_result",
    "markdown_table",
    "rows",
    "save_result",
    "write_text",
]

_DIGITS = 4
# What four digits would round to 1000 or more.
_WHOLE_FROM = 999.95


@dataclass(frozen=True)
class Experiment:
    """What an experiment found.

    Parameters
    ----------
    table
        One named tuple for each line.
    by_epoch
        What Active Cover did in every epoch; it is for the screen and not for the file.
    figure
        The numbers that are drawn, as a file holds them; None if nothing is.
    more
        Further tables by name.
    """

    table: list[Any]
    by_epoch: list[EpochLine] = field(default_factory=list)
    figure: State | None = None
    more: dict[str, list[Any]] = field(default_factory=dict)

    def state(self) -> State:
        """What a file holds."""
        tables = {"table": self.table, **self.more}
        drawn = {} if self.figure is None else {"figure": self.figure}
        return {name: rows(lines) for name, lines in tables.items()} | drawn


def rows(lines: Sequence[Any]) -> list[State]:
    """The lines of a table, which are named tuples, as a file holds them."""
    return [line._asdict() for line in lines]


def save_result(result: State, path: Path) -> None:
    """Write a result, with six significant digits."""
    write_text(path, json.dumps(_rounded(result), indent=1) + "\n")


def load_result(path: Path) -> State:
    """Read a result back."""
    try:
        result: State = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as cause:
        raise FileUnreadable(f"{path.name} must be a JSON result, got: {cause}") from cause
    return result


def write_text(path: Path, text: str) -> None:
    """Write a whole file or nothing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with write_atomically(path) as file:
        file.write(text.encode())


def markdown_table(lines: list[State]) -> str:
    """A table with a column for each key.

    >>> print(markdown_table([{"name": "a", "value": 0.123456}]))
    | name | value |
    |---|---|
    | a | 0.1235 |
    """
    names = list(lines[0])
    head = ["| " + " | ".join(name.replace("_", " ") for name in names) + " |"]
    rule = ["|" + "---|" * len(names)]
    body = ["| " + " | ".join(cell_text(line[name]) for name in names) + " |" for line in lines]
    return "\n".join(head + rule + body)


def fill_tables(document: str, name: str, result: State) -> str:
    """Put the result's tables between the document's markers, ``<!-- name.table -->`` and so on.

    >>> text = "<!-- a.table -->" + chr(10) + "<!-- end -->"
    >>> print(fill_tables(text, "a", {"table": [{"n": 1}]}))
    <!-- a.table -->
    | n |
    |---|
    | 1 |
    <!-- end -->
    """
    for key, lines in result.items():
        if key == "figure":
            continue
        start, end = f"<!-- {name}.{key} -->", "<!-- end -->"
        before, found, after = document.partition(start)
        if found:
            _, _, rest = after.partition(end)
            document = f"{before}{start}\n{markdown_table(lines)}\n{end}{rest}"
    return document


def cell_text(value: object) -> str:
    """A cell: from 1,000 on whole numbers with commas, below four digits.

    >>> cell_text(99_998.4), cell_text(1001), cell_text(0.123456), cell_text(20.0), cell_text("a")
    ('99,998', '1,001', '0.1235', '20', 'a')
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    whole = float(value).is_integer() or abs(value) >= _WHOLE_FROM
    return f"{value:,.0f}" if whole else f"{value:.{_DIGITS}g}"


def _rounded(value: object) -> object:
    if isinstance(value, dict):
        return {key: _rounded(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(item) for item in value]
    return float(f"{value:.6g}") if isinstance(value, float) else value
