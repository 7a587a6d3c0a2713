"""The document that a benchmark leaves: rows of ratios, and the tables behind them."""

import datetime
import os
import platform
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

__all__ = ["Circumstances", "Ratio", "Section", "document", "machine", "renewed"]

QUIET = 0.5
"""Load of others that leaves the figures as they are."""

HEAD = ["work", "ratio", "net ratio", "at least", "holds", "worst at"]
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


class Circumstances(NamedTuple):
    """What a run met with: the load before it, the load in it, and the seconds that parts took."""

    before: float
    during: list[float]
    seconds: dict[str, float]
    quick: bool

    @property
    def is_busy(self) -> bool:
        """Whether others were running: the run itself makes a load of one."""
        return self.before > QUIET or max(self.during) > 1.0 + QUIET

    def __str__(self) -> str:
        low, high = min(self.during), max(self.during)
        load = (
            f"The load average was {self.before:.1f} before the run and between {low:.1f} and "
            f"{high:.1f} in it, of which the run itself makes 1"
        )
        worth = "the machine was quiet"
        if self.is_busy:
            worth = "others were running beside it, and the figures are rough"
        if self.quick:
            worth += (
                "; streams were cut to a tenth and the grid to a twentieth, so the page shows its "
                "form, and its figures mean nothing"
            )
        parts = ", ".join(f"{name} {seconds:.0f}" for name, seconds in self.seconds.items())
        minutes = sum(self.seconds.values()) / 60
        return f"{load}: {worth}. It took {minutes:.1f} minutes; in seconds: {parts}."


def _today() -> str:
    return datetime.datetime.now(datetime.UTC).date().isoformat()


def document(
    ratios: Sequence[Ratio], sections: Sequence[Section], met: Circumstances, command: str
) -> str:
    """The whole page in Markdown."""
    short = [row for row in ratios if row.holds is False]
    verdict = "Every ratio reaches what is asked of it." if ratios else ""
    if short:
        named = "".join(f"\n- {row.work}: {row.ratio:.2f}, not {row.least:g}" for row in short)
        verdict = f"What falls short, and further down where the time goes:\n{named}"
    intro = f"""# Benchmarks

Written by `{command}` on {_today()}. {machine()}.

{met}

Ratio: the peer's time over ours, same data, one core, one run at a time, the sides taking turns.
Times are wall-clock seconds, the best of several runs; in brackets how much longer the worst took.
Vowpal Wabbit runs its own driver over its cache file, and parsing it counts; ours runs from a
prepared file, and loading and checking it counts. Compilation does not: it is kept on disk. The net
ratio leaves out on both sides what only reads.

{verdict}"""
    parts = [intro, _table(HEAD, [row.cells() for row in ratios])] if ratios else [intro]
    return "\n\n".join([*parts, *(str(section) for section in sections)]) + "\n"


def renewed(
    page: str,
    ratios: Sequence[Ratio],
    sections: Sequence[Section],
    met: Circumstances,
    command: str,
) -> str:
    """A page with some of its parts measured again; what is new to it comes last.

    The page says which parts are of another run than the rest, and what that run met with.
    """
    intro, *old = page.rstrip("\n").split("\n\n## ")
    before, bar, table = intro.partition(f"| {' | '.join(HEAD)} |\n")
    rule, *lines = table.splitlines()
    rows = {line.split(" | ")[0]: line for line in lines}
    for ratio in ratios:
        cells = ratio.cells()
        rows[f"| {cells[0]}"] = f"| {' | '.join(cells)} |"
    found = {text.partition("\n")[0]: f"## {text}" for text in old}
    found |= {section.title: str(section) for section in sections}
    titles = ", ".join(section.title for section in sections)
    note = f"Measured again by `{command}` on {_today()}: {titles}. {met}"
    # One note for each set of parts: the newest run of them counts.
    kept = [text for text in before.rstrip("\n").split("\n\n") if f": {titles}. " not in text]
    kept.insert(-1, note)
    short = [row.work for row in ratios if row.holds is False]
    if short:
        raise ValueError(f"what falls short must be said in the page: {', '.join(short)}")
    return "\n\n".join([*kept, "\n".join([bar + rule, *rows.values()]), *found.values()]) + "\n"
