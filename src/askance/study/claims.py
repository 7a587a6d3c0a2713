"""The sentences of the paper's results, one by one, beside what is found here."""

import math
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from askance.study.blocks import percent
from askance.study.metrics import first
from askance.study.results import Results
from askance.study.summary import (
    PAPER,
    Choice,
    Gains,
    gain_of,
    label_of,
    median_curves,
    winners,
)
from askance.types import Floats

__all__ = ["FIFTH", "Claim", "CurveClaim", "TableClaim", "claims"]

FIFTH = 4
"""Place of the budget by whose error the paper divides, 160 labels, counted from 0."""

_IWAL = ("iwal0", "iwal1")
_ORACULAR = ("oracular_iwal0", "oracular_iwal1")
_COVER = ("online_active_cover",)
_ACTIVE = _IWAL + _ORACULAR + _COVER
_EVERY = (*_ACTIVE, "passive")

_ALMOST = 0.01
"""Gains that differ by less are called almost the same."""
_SIMILAR = 0.05
"""Curves that differ by less are called similar."""


class Claim(NamedTuple):
    """A sentence of the paper, whether it holds here, and the figures that say so."""

    text: str
    verdict: str
    found: str


def claims(results: Results, gains: Gains) -> list[Claim]:
    """All claims that can be checked: none unless the paper's six algorithms took part.

    Paper: ``sec:exp_results``, ``appendix:hyper-parameters``.
    """
    if not set(PAPER) <= set(gains):
        return []
    found = [*_of_the_table(gains), *_of_the_curves(results), _of_similar_ends(results)]
    return [*found, _of_permutations(results), _of_ranges(results)]


def _verdict(holds: bool) -> str:
    return "holds" if holds else "does not hold"


Values = dict[str, Floats]
"""By algorithm: one figure, or one for each resample."""


def _others_below(values: Values, tops: tuple[str, ...], among: tuple[str, ...] = _EVERY) -> Any:
    rest = [values[name] for name in among if name not in tops]
    return np.min([values[name] for name in tops], axis=0) > np.max(rest, axis=0)


class TableClaim(NamedTuple):
    """A sentence about the summary: a test of every algorithm's gain, and those that are shown."""

    text: str
    choice: Choice
    test: Callable[[Values], Any]
    shown: tuple[str, ...]


_TABLE = (
    TableClaim(
        "With settings for each data set OAC gains most",
        "per_data", lambda v: _others_below(v, _COVER), _EVERY,
    ),
    TableClaim(
        f"ORA0 gains almost the same (within {_ALMOST})",
        "per_data",
        lambda v: abs(v["online_active_cover"] - v["oracular_iwal0"]) < _ALMOST,
        ("online_active_cover", "oracular_iwal0"),
    ),
    TableClaim(
        "and the other active algorithms less than both",
        "per_data",
        lambda v: _others_below(v, ("online_active_cover", "oracular_iwal0"), _ACTIVE),
        _ACTIVE,
    ),
    TableClaim(
        f"With one setting for all data sets passive learning gains about 0.07 (within {_ALMOST})",
        "fixed", lambda v: abs(v["passive"] - 0.07) < _ALMOST, ("passive",),
    ),
    TableClaim(
        "ORA0 gains most with one setting",
        "fixed", lambda v: _others_below(v, ("oracular_iwal0",)), _EVERY,
    ),
    TableClaim(
        "IWAL0 and ORA1 gain more than 0.08 with one setting",
        "fixed", lambda v: np.minimum(v["iwal0"], v["oracular_iwal1"]) > 0.08,
        ("iwal0", "oracular_iwal1"),
    ),
    TableClaim(
        "IWAL1 and OAC gain more than passive learning with one setting, if slightly",
        "fixed",
        lambda v: np.minimum(v["iwal1"], v["online_active_cover"]) > v["passive"],
        ("iwal1", "online_active_cover", "passive"),
    ),
)  # fmt: skip


def _of_the_table(gains: Gains) -> Iterator[Claim]:
    for text, choice, test, shown in _TABLE:
        one = {name: found[choice] for name, found in gains.items()}
        holds = test({name: np.array(gain.value) for name, gain in one.items()})
        kept = percent(np.mean(test({name: gain.kept for name, gain in one.items()})))
        anew = percent(np.mean(test({name: gain.anew for name, gain in one.items()})))
        values = ", ".join(f"{label_of(name)} {one[name].value:.4f}" for name in shown)
        found = f"{values}; in {kept} of resamples with settings kept, {anew} if chosen anew"
        if len(one["passive"].halves):
            halves = percent(np.mean(test({name: gain.halves for name, gain in one.items()})))
            found += f"; on {halves} of other halves"
        yield Claim(text, _verdict(holds), found)


def _all_below(ours: Floats, others: Floats) -> Any:
    return ours.max(axis=0) < others.min(axis=0)


def _all_above(ours: Floats, others: Floats) -> Any:
    return _all_below(others, ours)


Test = Callable[[Floats, Floats], Any]


class CurveClaim(NamedTuple):
    """A sentence about the curves: some algorithms against others, from a budget to a budget."""

    text: str
    choice: Choice
    ours: tuple[str, ...]
    others: tuple[str, ...]
    test: Test
    low: float
    high: float


_CURVES = (
    CurveClaim(
        "With one setting for all data sets the two IWAL algorithms start off badly: "
        "both below OAC and the oracular ones, up to 40 labels",
        "fixed", _IWAL, _COVER + _ORACULAR, _all_below, 0, 40,
    ),
    CurveClaim(
        "but both outperform OAC, the oracular ones and passive learning after 100 or so labels",
        "fixed", _IWAL, (*_COVER, *_ORACULAR, "passive"), _all_above, 100, math.inf,
    ),
    CurveClaim(
        "OAC is better than both oracular ones until a few hundred labels (320)",
        "fixed", _COVER, _ORACULAR, _all_above, 0, 320,
    ),
    CurveClaim(
        "and worse than both afterwards",
        "fixed", _COVER, _ORACULAR, _all_below, 321, math.inf,
    ),
    CurveClaim(
        "With settings for each data set OAC is the best of all at few labels (up to 80)",
        "per_data", _COVER, (*_IWAL, *_ORACULAR, "passive"), _all_above, 0, 80,
    ),
)  # fmt: skip


def _of_the_curves(results: Results) -> Iterator[Claim]:
    """At how many of the budgets that a claim speaks of it holds, by the figure as printed."""
    budgets = np.asarray(results.study.budgets)
    printed = min(FIFTH, len(budgets) - 1)
    for text, choice, ours, others, test, low, high in _CURVES:
        at = (budgets >= low) & (budgets <= high)
        if not at.any():
            continue
        counts = []
        for divisor in (printed, None):
            known = median_curves(results, choice, divisor)
            sides = [np.array([known[name][at] for name in some]) for some in (ours, others)]
            counts.append(int(test(*sides).sum()))
        found = (
            f"at {counts[0]} of {at.sum()} budgets; at {counts[1]} if divided by the base's error "
            "at the same budget"
        )
        yield Claim(text, _graded(counts[0], int(at.sum())), found)


def _graded(holds: int, of: int) -> str:
    return "holds in part" if 0 < holds < of else _verdict(holds == of)


def _of_similar_ends(results: Results) -> Claim:
    budgets = np.asarray(results.study.budgets)
    at = budgets >= min(640, budgets[-1])
    known = median_curves(results, "per_data", min(FIFTH, len(budgets) - 1))
    spread = np.ptp([known[name][at] for name in _ACTIVE], axis=0)
    close = spread < _SIMILAR
    return Claim(
        "after a few hundred labels (640) all active algorithms perform quite similarly "
        f"(within {_SIMILAR})",
        _graded(int(close.sum()), len(close)),
        f"at {close.sum()} of {len(close)} budgets; they differ by up to {spread.max():.3f}",
    )


def _of_permutations(results: Results) -> Claim:
    """How far the first permutation's curve is from the median's."""
    divisor = min(FIFTH, len(results.study.budgets) - 1)
    median = median_curves(results, "fixed", divisor)
    away = {
        name: float(np.nanmean(abs(gain_of(results, name, "fixed", divisor, first) - median[name])))
        for name in _ACTIVE
    }
    order = sorted(away, key=lambda name: -away[name])
    named = {*_ORACULAR, "iwal1"}
    return Claim(
        "The variation by permutation is large especially for ORA0, ORA1 and IWAL1",
        _graded(len(named & set(order[:3])), 3),
        "mean distance of the first permutation from the median: "
        + ", ".join(f"{label_of(name)} {away[name]:.3f}" for name in order),
    )


def _of_ranges(results: Results) -> Claim:
    found = [w for w in winners(results) if w.name in PAPER]
    inside, of = sum(w.inside for w in found), sum(w.data_sets for w in found)
    return Claim(
        "Good hyper-parameters often lie in the interior of their ranges",
        _verdict(2 * inside > of),
        f"{inside} of {of} best values for a data set do",
    )
