"""The document that a benchmark leaves: rows of ratios, and the tables behind them."""

import datetime
import os
import platform
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

__all__ = ["Ratio", "Section", "document", "machine"]

NAMES = ("numpy", "numba", "vowpalwabbit", "scikit-activeml", "river")


class Ratio(NamedTuple):
    """How many times a peer's time is ours, and what was promised."""

    work: str
    ratio: float
    net: float | None
    least: float | None
    where: str = ""

    @property
    def holds(self) -> bool | None:
        """Whether the promise is kept; None if none was made."""
        return None if self.least is None else self.ratio >= self.least

    def cells(self) -> list[str]:
        """The row of the first table."""
        least = "" if self.least is None else f"{self.least:g}"
        holds = {True: "yes", False: "**no**", None: ""}[self.holds]
        net = "" if self.net is None else f"{self.net:.1f}"
        return [self.work, f"{self.ratio:.1f}", net, least, holds, self.where]


class Section(NamedTuple):
    """A heading, sentences, and a table under them."""

    title: str
    text: str
    head: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()

    def __str__(self) -> str:
        parts = [f"## {self.title}", self.text]
        if self.rows:
            parts.append(_table(self.head, self.rows))
        return "\n\n".join(part for part in parts if part)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def machine() -> str:
    """The processor, its cores, and the versions of all that was timed."""
    model = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        named = [line for line in info.read_text().splitlines() if line.startswith("model name")]
        model = named[0].partition(":")[2].strip() if named else model
    versions = []
    for name in NAMES:
        try:
            versions.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            continue
    python = f"Python {platform.python_version()}"
    return f"{model}, {os.cpu_count()} cores, {platform.system()}; {', '.join([python, *versions])}"


def document(ratios: Sequence[Ratio], sections: Sequence[Section], command: str) -> str:
    """The whole page in Markdown."""
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    short = [row for row in ratios if row.holds is False]
    verdict = "Everything reaches what is asked of it."
    if short:
        named = "; ".join(f"{row.work}: {row.ratio:.2f}, not {row.least:g}" for row in short)
        verdict = f"What falls short: {named}."
    intro = f"""# Benchmarks

Written by `{command}` on {today}. {machine()}.

Ratio: the peer's time over ours, same data, one core, one run at a time, the sides taking turns.
Times are wall-clock seconds, the best of several runs; in brackets how much longer the worst took.
Vowpal Wabbit runs its own driver over its cache file, and parsing it counts; ours runs from a
prepared file, and loading and checking it counts. Compilation does not: it is kept on disk. The net
ratio leaves out on both sides what only reads.

The system's load at the end of the run was {os.getloadavg()[2]:.1f}; above 1, others were running
beside it, and the figures are rough.

{verdict}"""
    head = ["work", "ratio", "net ratio", "at least", "holds", "worst at"]
    parts = [intro, _table(head, [row.cells() for row in ratios])] if ratios else [intro]
    return "\n\n".join([*parts, *(str(section) for section in sections)]) + "\n"
