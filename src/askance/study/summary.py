"""What a report says in numbers: the summary table, the curves, the winners."""

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from askance.study import metrics
from askance.study.design import GridLearner, Study
from askance.study.results import Results
from askance.types import Floats

__all__ = [
    "LABELS",
    "PAPER",
    "Choice",
    "CoverLine",
    "Gain",
    "Gains",
    "Winner",
    "best_columns",
    "by_cover_size",
    "errors_of",
    "gain_of",
    "label_of",
    "median_curves",
    "names_of",
    "summary",
    "winners",
]

PAPER = {
    "online_active_cover": (0.1611, 0.0722),
    "iwal0": (0.1466, 0.0863),
    "iwal1": (0.1552, 0.0755),
    "oracular_iwal0": (0.1586, 0.0945),
    "oracular_iwal1": (0.1549, 0.0807),
    "passive": (0.0950, 0.0718),
}
"""AUC-GAIN* and AUC-GAIN as printed in ``tbl:summary``."""

LABELS = {
    "online_active_cover": "OAC",
    "iwal0": "IWAL0",
    "iwal1": "IWAL1",
    "oracular_iwal0": "ORA0",
    "oracular_iwal1": "ORA1",
    "passive": "passive",
    "margin": "margin",
}
"""Short names for people, in the order of the paper's table; what is beyond it follows."""

Choice = Literal["fixed", "per_data"]
"""How settings are chosen: ``"fixed"`` for all data sets, or ``"per_data"``."""


def label_of(name: str) -> str:
    """A contestant's short name; its own where a study gave it one.

    >>> label_of("online_active_cover"), label_of("mine")
    ('OAC', 'mine')
    """
    return LABELS.get(name, name)


def names_of(study: Study) -> list[str]:
    """A study's contestants as reports list them: the paper's as it does, then the others."""
    known = list(LABELS)
    names = [contestant.name for contestant in study.contestants]
    return sorted(names, key=lambda name: known.index(name) if name in known else len(known))


class Gain(NamedTuple):
    """One figure of the summary: over the whole range, literal, printed, and how sure it is.

    ``kept`` and ``anew`` are its values on resamples, with the chosen setting kept and with the
    best one chosen anew in each; ``halves`` those of one setting on data sets that did not choose
    it, empty where each has its own. All are the same draws for every contestant.
    """

    value: float
    literal: float
    paper: float | None
    kept: Floats
    anew: Floats
    halves: Floats


Gains = dict[str, dict[Choice, Gain]]
"""By contestant and choice."""


def summary(results: Results, *, repeats: int = 200) -> Gains:
    """AUC-GAIN* (``per_data``) and AUC-GAIN (``fixed``) of every contestant.

    Paper: ``tbl:summary``.
    """
    return {name: _gains(results, name, repeats) for name in names_of(results.study)}


def _gains(results: Results, name: str, repeats: int) -> dict[Choice, Gain]:
    ours, literal = results.gains(name), results.gains(name, literal=True)
    measures: dict[Choice, Callable[[Sequence[Floats]], float]] = {
        "per_data": metrics.auc_gain_per_data,
        "fixed": metrics.auc_gain,
    }
    found: dict[Choice, Gain] = {}
    for (choice, measure), paper in zip(
        measures.items(), PAPER.get(name, (None, None)), strict=True
    ):
        one = metrics.keeping(ours, _chosen(ours, choice))
        kept, anew = (metrics.resamples(some, measure, repeats=repeats) for some in (one, ours))
        halves = metrics.halves(ours) if choice == "fixed" else np.array([])
        found[choice] = Gain(measure(ours), measure(literal), paper, kept, anew, halves)
    return found


def _chosen(gains: Sequence[Floats], choice: Choice) -> list[int]:
    """The setting for each data set: p* everywhere, or p*_d."""
    if choice == "per_data":
        return metrics.best_per_data(gains)
    return [metrics.best_fixed(gains)] * len(gains)


@functools.lru_cache(maxsize=64)
def best_columns(results: Results, name: str, choice: Choice) -> tuple[int, ...]:
    """Column of the chosen setting for each data set."""
    columns = results.columns(name)
    return tuple(columns[p] for p in _chosen(results.gains(name), choice))


def errors_of(results: Results, name: str, choice: Choice) -> list[Floats]:
    """Errors ``[permutation, budget]`` of the chosen setting, by data set."""
    columns = best_columns(results, name, choice)
    return [c.errors[:, p] for c, p in zip(results.curves, columns, strict=True)]


def gain_of(
    results: Results, name: str, choice: Choice, divisor: int | None, statistic: metrics.Statistic
) -> Floats:
    """Relative gain in test error at each budget with the chosen setting, mean over data sets."""
    base = [curves.errors[:, 0] for curves in results.curves]
    return metrics.gain_curve(base, errors_of(results, name, choice), statistic, divisor)


def median_curves(results: Results, choice: Choice, divisor: int | None) -> dict[str, Floats]:
    """Relative gain at each budget of every contestant, median over permutations."""
    return {
        name: gain_of(results, name, choice, divisor, metrics.quartile(0.5))
        for name in names_of(results.study)
    }


@dataclass(frozen=True, slots=True)
class Winner:
    """A chosen parameter: how often it lies inside its range, and p*'s value."""

    name: str
    parameter: str
    fixed: Any
    smallest: Any
    largest: Any
    inside: int
    data_sets: int


def winners(results: Results) -> list[Winner]:
    """Say for each contestant and varied parameter who won, and whether inside its range."""
    found = []
    for name in names_of(results.study):
        contestant = _contestant(results, name)
        grid = contestant.grid
        gains = results.gains(contestant.name)
        fixed, per_data = metrics.best_fixed(gains), metrics.best_per_data(gains)
        for parameter in grid[0]:
            values = sorted({point[parameter] for point in grid})
            if len(values) == 1:
                continue
            chosen = [grid[p][parameter] for p in per_data]
            found.append(
                Winner(
                    contestant.name,
                    parameter,
                    grid[fixed][parameter],
                    values[0],
                    values[-1],
                    sum(values[0] < value < values[-1] for value in chosen),
                    len(chosen),
                )
            )
    return found


def _contestant(results: Results, name: str) -> GridLearner:
    return next(c for c in results.study.contestants if c.name == name)


class CoverLine(NamedTuple):
    """A size of the cover: AUC-GAIN*, AUC-GAIN, and seconds of a run."""

    size: int
    per_data: float
    fixed: float
    seconds: float


def by_cover_size(results: Results, name: str) -> list[CoverLine]:
    """What each size of the cover gains and costs.

    Seconds are medians on a data set, for a first run also compiles, and their mean over data sets.
    """
    contestant = _contestant(results, name)
    sizes = [point.get("cover_size") for point in contestant.grid]
    gains, columns = results.gains(name), np.array(results.columns(name))
    lines = []
    for size in sorted({size for size in sizes if size is not None}):
        some = [p for p, other in enumerate(sizes) if other == size]
        part = [gain[:, some] for gain in gains]
        seconds = np.mean([np.median(c.seconds[:, columns[some]]) for c in results.curves])
        gained = metrics.auc_gain_per_data(part), metrics.auc_gain(part)
        lines.append(CoverLine(size, *gained, float(seconds)))
    return lines
