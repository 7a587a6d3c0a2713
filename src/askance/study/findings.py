"""What a report finds in its own numbers: beside the paper, taken literally, test by test."""

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np

from askance.study import metrics
from askance.study.blocks import Block, TableBlock, Text
from askance.study.results import Results
from askance.study.summary import Choice, Gains, best_columns, label_of, names_of
from askance.types import Floats

__all__ = [
    "INTERVALS",
    "MEASURES",
    "agreement",
    "beside_paper",
    "by_data_set",
    "gains_table",
    "literal_area",
    "other_half",
    "places",
    "variants",
]

MEASURES: dict[Choice, str] = {"per_data": "AUC-GAIN*", "fixed": "AUC-GAIN"}

INTERVALS = (
    "Two intervals, each of 90% of resamples of data sets and permutations, answer two questions. "
    "'Kept': how sure is the gain of this very setting? Every resample uses the setting that all "
    "results chose. 'Anew': what would the whole procedure give on other data, its choice of a "
    "setting included? Each resample chooses its own best setting and is judged by the very data "
    "that chose it, which flatters algorithms with many settings."
)
"""What the two intervals of a gain mean, in plain words."""

_ENDS = ("kept, from", "kept, to", "anew, from", "anew, to")


def gains_table(results: Results, gains: Gains, choice: Choice) -> TableBlock:
    """A measure of every contestant, with both intervals."""
    printed = any(found[choice].paper is not None for found in gains.values())
    heads = ("algorithm", "ours", *_ENDS, "settings", "literal", *(["paper"] if printed else []))
    rows = []
    for name, found in gains.items():
        gain = found[choice]
        ends = (*metrics.interval(gain.kept), *metrics.interval(gain.anew))
        row = (label_of(name), gain.value, *ends, len(results.columns(name)), gain.literal)
        rows.append((*row, gain.paper) if printed else row)
    return TableBlock(heads, rows)


def other_half(gains: Gains) -> Iterator[Block]:
    """What one setting gains on data sets that had no say in choosing it."""
    draws = {name: found["fixed"].halves for name, found in gains.items()}
    times = len(next(iter(draws.values()))) // 2
    if not times:
        return
    yield Text(
        f"In both intervals a setting is judged by data that chose it. Here it is not: {times} "
        "times the data sets are parted at random into two halves, the same ones for every "
        "algorithm, and each half chooses the setting that the other half judges. So much can one "
        "setting be expected to gain on other data sets like these, or more, since all of them "
        "together choose better than half of them."
    )
    heads = ["algorithm", "on all sets, which chose it", "on other halves, mean", "90% from", "to"]
    rows: list[list[object]] = [
        [label_of(name), gains[name]["fixed"].value, float(some.mean()), *metrics.interval(some)]
        for name, some in draws.items()
    ]
    if "passive" in draws:
        passive = draws["passive"]
        above = [label_of(name) for name, some in draws.items() if some.mean() > passive.mean()]
        below = [label_of(name) for name, some in draws.items() if some.mean() < passive.mean()]
        yield Text(
            "More than tuned passive learning gain on other halves, on average: "
            f"{', '.join(above) or 'none'}. Less: {', '.join(below) or 'none'}."
        )
        heads.append("share above passive")
        for row, (name, some) in zip(rows, draws.items(), strict=True):
            row.append(None if name == "passive" else float(np.mean(some > passive)))
    yield TableBlock(heads, rows)


def places(values: Sequence[float]) -> list[int]:
    """Place of each value, the largest first; equals share the better place.

    >>> places([0.2, 0.5, 0.2, 0.1])
    [2, 1, 2, 4]
    """
    return [1 + sum(other > value for other in values) for value in values]


def agreement(ours: Sequence[float], theirs: Sequence[float]) -> tuple[int, int]:
    """How many pairs stand in the same order in both, and of how many.

    >>> agreement([3.0, 2.0, 1.0], [3.0, 1.0, 2.0])
    (2, 3)
    """
    pairs = list(combinations(range(len(ours)), 2))
    same = sum((ours[i] - ours[j]) * (theirs[i] - theirs[j]) > 0 for i, j in pairs)
    return same, len(pairs)


def beside_paper(gains: Gains) -> Iterator[Block]:
    """Where our figures agree with the printed ones: by interval, and by order."""
    names = [name for name, found in gains.items() if found["fixed"].paper is not None]
    if len(names) < 2:
        return
    yield Text(
        "A printed figure is the best of many settings by the data that chose it, so the interval "
        "to hold it against is that of settings chosen anew."
    )
    for choice, title in MEASURES.items():
        some = [gains[name][choice] for name in names]
        ours, literal = [g.value for g in some], [g.literal for g in some]
        paper = [g.paper or 0.0 for g in some]
        anew = [_inside(p, g.anew) for g, p in zip(some, paper, strict=True)]
        kept = [_inside(p, g.kept) for g, p in zip(some, paper, strict=True)]
        same, of = agreement(ours, paper)
        yield Text(
            f"{title}: the printed figure lies inside our interval for {sum(anew)} of "
            f"{len(names)} algorithms where settings are chosen anew, for {sum(kept)} where they "
            f"are kept. {same} of {of} pairs of algorithms stand in the printed order; by the "
            f"literal area {agreement(literal, paper)[0]} do. "
            f"{_best(names, paper)} is first in print, {_best(names, ours)} here. "
            + _moved(names, places(ours), places(paper))
        )
        inside = map(_yes, anew), map(_yes, kept)
        columns = (ours, paper, *inside, places(ours), places(paper), places(literal))
        yield TableBlock(
            ("algorithm", "ours", "paper", "inside, anew", "inside, kept", "place", "in the paper",
             "by the literal area"),
            [(label_of(name), *row) for name, *row in zip(names, *columns, strict=True)],
        )  # fmt: skip


def _moved(names: Sequence[str], ours: Sequence[int], paper: Sequence[int]) -> str:
    """Who stands higher or lower than in print."""
    found = []
    for word, sign in (("Higher", 1), ("Lower", -1)):
        some = [
            f"{label_of(name)} ({here}, not {there})"
            for name, here, there in zip(names, ours, paper, strict=True)
            if sign * (there - here) > 0
        ]
        found.append(f"{word} than in print: {', '.join(some) or 'none'}.")
    return " ".join(found)


def _best(names: Sequence[str], values: Sequence[float]) -> str:
    return label_of(names[int(np.argmax(values))])


def _inside(value: float, draws: Floats) -> bool:
    low, high = metrics.interval(draws)
    return low <= value <= high


def _yes(value: bool) -> str:
    return "yes" if value else "no"


def literal_area(results: Results) -> Iterator[Block]:
    """What the literal area chooses on each data set, and what those choices are worth."""
    rows = []
    for name in names_of(results.study):
        literal = results.gains(name, literal=True)
        honest = metrics.median_gains(results.gains(name))
        chosen, columns = metrics.best_per_data(literal), results.columns(name)
        asked = [
            np.median(curves.queries[:, columns[p], -1])
            for curves, p in zip(results.curves, chosen, strict=True)
        ]
        worth = float(np.mean([honest[d, p] for d, p in enumerate(chosen)]))
        value = metrics.auc_gain_per_data(literal)
        rows.append((label_of(name), value, int(np.median(asked)), worth))
    high = [name for name, value, _, _ in rows if value > 0.9]
    yield Text(
        "Read literally, the paper's formula adds no area for a budget that is never reached. "
        f"With settings chosen by that area for each data set, {len(high)} of {len(rows)} "
        f"algorithms gain more than 0.9{_listed(high)}. How many labels those settings ask on the "
        "median data set, and what they gain over the whole range of budgets:"
    )
    yield TableBlock(("algorithm", "literal gain", "labels asked", "gain over the range"), rows)


def _listed(names: Sequence[str]) -> str:
    return f" ({'; '.join(names)})" if names else ""


def variants(results: Results, gains: Gains) -> Iterator[Block]:
    """Contestants that are the same algorithm, beside each other, draw by draw."""
    rows = []
    for one, two in combinations(results.study.contestants, 2):
        if one.algorithm != two.algorithm:
            continue
        best = [metrics.median_gains(results.gains(c.name)).max(axis=1) for c in (one, two)]
        more = f"{int((best[0] > best[1]).sum())} of {len(best[0])}"
        for choice, title in MEASURES.items():
            first, second = gains[one.name][choice], gains[two.name][choice]
            kept, anew = (
                metrics.interval(a - b)
                for a, b in ((first.kept, second.kept), (first.anew, second.anew))
            )
            ends = (*kept, *anew)
            told = one.name if min(ends) > 0.0 else two.name if max(ends) < 0.0 else "noise"
            names = (f"{label_of(one.name)} - {label_of(two.name)}", title)
            rows.append((*names, first.value - second.value, *ends, more, told))
    if rows:
        yield Text(
            "The difference of their gains, with both intervals over the same resamples for the "
            "two, and on how many data sets the first gains more with the best setting for each. "
            "One is called better if neither interval holds 0:"
        )
        heads = ("pair", "measure", "difference", *_ENDS, "first is better on", "better")
        yield TableBlock(heads, rows)


def by_data_set(results: Results, choice: Choice) -> TableBlock:
    """Gain in area of every contestant on every data set, median over permutations."""
    names = names_of(results.study)
    rows: list[list[object]] = [[curves.dataset] for curves in results.curves]
    for name in names:
        columns, known = results.columns(name), metrics.median_gains(results.gains(name))
        for d, column in enumerate(best_columns(results, name, choice)):
            rows[d].append(float(known[d, columns.index(column)]))
    return TableBlock(("data set", *map(label_of, names)), rows)
