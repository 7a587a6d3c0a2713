"""What a report says in numbers: the summary table, the winners, the text's claims."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from askance.study import metrics
from askance.study.results import Results
from askance.types import Floats

__all__ = [
    "LABELS",
    "PAPER",
    "Choice",
    "Claim",
    "Gain",
    "Winner",
    "best_columns",
    "by_cover_size",
    "claims",
    "errors_of",
    "label_of",
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
"""Short names for people."""

Choice = str
"""How settings are chosen: ``"fixed"`` for all data sets, or ``"per_data"``."""


def label_of(name: str) -> str:
    """A contestant's short name; its own where a study gave it one.

    >>> label_of("online_active_cover"), label_of("mine")
    ('OAC', 'mine')
    """
    return LABELS.get(name, name)


class Gain(NamedTuple):
    """One figure of the summary: over the whole range, its interval, to the letter, printed."""

    value: float
    low: float
    high: float
    literal: float
    paper: float | None


def summary(results: Results, *, repeats: int = 200) -> dict[str, dict[Choice, Gain]]:
    """AUC-GAIN* (``per_data``) and AUC-GAIN (``fixed``) of every contestant.

    Paper: ``tbl:summary``.
    """
    found: dict[str, dict[Choice, Gain]] = {}
    for contestant in results.study.contestants:
        ours = results.gains(contestant.name)
        literal = results.gains(contestant.name, literal=True)
        printed = PAPER.get(contestant.name, (None, None))
        found[contestant.name] = {
            choice: Gain(
                measure(ours),
                *metrics.bootstrap(ours, measure, repeats=repeats),
                measure(literal),
                value,
            )
            for choice, measure, value in zip(
                ("per_data", "fixed"),
                (metrics.auc_gain_per_data, metrics.auc_gain),
                printed,
                strict=True,
            )
        }
    return found


def best_columns(results: Results, name: str, choice: Choice) -> list[int]:
    """Column of the chosen setting for each data set: p* everywhere, or p*_d."""
    gains = results.gains(name)
    if choice == "fixed":
        best = [metrics.best_fixed(gains)] * len(gains)
    else:
        best = metrics.best_per_data(gains)
    columns = results.columns(name)
    return [columns[p] for p in best]


def errors_of(results: Results, name: str, choice: Choice) -> list[Floats]:
    """Errors ``[permutation, budget]`` of the chosen setting, by data set."""
    columns = best_columns(results, name, choice)
    return [c.errors[:, p] for c, p in zip(results.curves, columns, strict=True)]


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
    for contestant in results.study.contestants:
        grid = [json.loads(setting) for setting in contestant.settings]
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


def by_cover_size(results: Results, name: str) -> list[tuple[int, float, float, float]]:
    """Cover size, AUC-GAIN* and AUC-GAIN with it, and mean seconds of a run."""
    contestant = next(c for c in results.study.contestants if c.name == name)
    sizes = [json.loads(setting).get("cover_size") for setting in contestant.settings]
    gains, columns = results.gains(name), np.array(results.columns(name))
    lines = []
    for size in sorted({size for size in sizes if size is not None}):
        some = [p for p, other in enumerate(sizes) if other == size]
        part = [gain[:, some] for gain in gains]
        seconds = np.mean([c.seconds[:, columns[some]].mean() for c in results.curves])
        lines.append(
            (size, metrics.auc_gain_per_data(part), metrics.auc_gain(part), float(seconds))
        )
    return lines


class Claim(NamedTuple):
    """A sentence of the paper, at how many of its budgets it holds, and our curves there."""

    text: str
    holds: int
    budgets: int

    @property
    def verdict(self) -> str:
        """Whether it holds at all of them, at some, or at none."""
        if self.holds == self.budgets:
            return "holds"
        return "does not hold" if self.holds == 0 else "holds in part"


_IWAL = ("iwal0", "iwal1")
_ORACULAR = ("oracular_iwal0", "oracular_iwal1")
_COVER = ("online_active_cover",)

Test = Callable[[Floats, Floats], Any]


def _worst_below_worst(ours: Floats, others: Floats) -> Any:
    return ours.max(axis=0) < others.min(axis=0)


def _best_above_best(ours: Floats, others: Floats) -> Any:
    return ours.max(axis=0) > others.max(axis=0)


def _best_below_best(ours: Floats, others: Floats) -> Any:
    return ours.max(axis=0) < others.max(axis=0)


_CLAIMS: tuple[
    tuple[str, Choice, tuple[str, ...], tuple[str, ...], Test, tuple[int, int]], ...
] = (
    (
        "With fixed settings the two IWAL algorithms start off badly: "
        "both below OAC and the oracular variants, up to 40 labels",
        "fixed", _IWAL, _COVER + _ORACULAR, _worst_below_worst, (0, 40),
    ),
    (
        "With fixed settings IWAL outperforms the others after 100 or so labels",
        "fixed", _IWAL, _COVER + _ORACULAR, _best_above_best, (100, 10**9),
    ),
    (
        "With fixed settings OAC is better than the oracular variants until 320 labels",
        "fixed", _COVER, _ORACULAR, _best_above_best, (0, 320),
    ),
    (
        "and worse afterwards",
        "fixed", _COVER, _ORACULAR, _best_below_best, (321, 10**9),
    ),
    (
        "With settings for each data set OAC is the best of all up to 80 labels",
        "per_data", _COVER, _IWAL + _ORACULAR + ("passive",), _best_above_best, (0, 80),
    ),
)  # fmt: skip


def claims(results: Results, curves: dict[Choice, dict[str, Floats]]) -> list[Claim]:
    """The text's claims about the relative-gain curves, checked at each budget they speak of.

    Paper: ``sec:exp_results``.
    """
    budgets = np.asarray(results.study.budgets)
    found = []
    for text, choice, ours, others, test, (low, high) in _CLAIMS:
        known = curves[choice]
        if not all(name in known for name in ours + others):
            continue
        at = (budgets >= low) & (budgets <= high)
        holds = test(_stacked(known, ours)[:, at], _stacked(known, others)[:, at])
        if at.any():
            found.append(Claim(text, int(holds.sum()), int(at.sum())))
    return found


def _stacked(known: dict[str, Floats], names: Sequence[str]) -> Floats:
    return np.array([known[name] for name in names])
