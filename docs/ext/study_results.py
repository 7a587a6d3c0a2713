"""What the committed results of the study say about choosing an algorithm, found at build time.

No figure of ``choosing.md`` is written by hand, so that new results change the page by themselves.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from askance.study.design import read_study
from askance.study.metrics import best_fixed
from askance.study.results import Results, collect
from askance.study.store import Store
from askance.study.summary import Gain, median_curves, summary

__all__ = ["WEIGHTED", "leader", "load", "markdown", "setup", "share"]

FOLDER = Path(__file__).parents[1] / "results/nips2015"

WEIGHTED = ("iwal0", "iwal1", "passive")
"""Algorithms that rest on weighted labels which stand for the whole stream."""

_SHOWN = (40, 160, 640, 2560)

Gains = dict[str, dict[str, Gain]]


def load(folder: Path = FOLDER) -> Results:
    """The results as they are now."""
    store = Store(folder)
    return collect(read_study(store.study_path), store.table())


def markdown(results: Results) -> str:
    """Tables and sentences."""
    gains = summary(results)
    return "\n\n".join([*_face(results), *_advice(gains), *_table(results, gains), *_at(results)])


def leader(gains: Gains, among: tuple[str, ...] | None = None) -> str:
    """Who gains most with one setting for all data sets."""
    return max(among or gains, key=lambda name: gains[name]["fixed"].value)


def _face(results: Results) -> Iterator[str]:
    permutations = [len(curves.permutations) for curves in results.curves]
    yield (
        f"{len(results.curves)} of the paper's data sets, {sum(permutations)} permutations in all, "
        f"{len(results.study.settings()):,} settings of {len(results.study.contestants)} "
        "algorithms. [The summary](results/nips2015/report/summary.md) says what is missing."
    )


def share(gains: Gains, name: str, among: tuple[str, ...] | None = None) -> float:
    """In what share of the resamples, which are the same for all, an algorithm gains most."""
    most = np.max([gains[other]["fixed"].draws for other in among or gains], axis=0)
    return float(np.mean(gains[name]["fixed"].draws >= most))


def _advice(gains: Gains) -> Iterator[str]:
    first, unbiased = leader(gains), leader(gains, WEIGHTED)
    best = gains[first]["fixed"]
    yield (
        f"- **The least error for the labels:** `{first}`, which gains {best.value:.1%} "
        f"({best.low:.1%} to {best.high:.1%}), the most in {share(gains, first):.0%} of resamples "
        "of the data sets and permutations.\n"
        f"- **Labels to train other models on:** `{unbiased}`, which gains "
        f"{gains[unbiased]['fixed'].value:.1%}, the most of those that rest on labels with weights "
        f"that stand for the whole stream ({', '.join(f'`{n}`' for n in WEIGHTED)}); it leads in "
        f"{share(gains, unbiased, WEIGHTED):.0%} of resamples.\n"
        f"- **Tuning alone:** `passive` with its best learning rate gains "
        f"{gains['passive']['fixed'].value:.1%}. What an algorithm gains beyond that is its own."
    )


def _table(results: Results, gains: Gains) -> Iterator[str]:
    rows = ["| algorithm | one setting | 90% interval | each its own | the setting for all |"]
    rows.append("|---|---:|---:|---:|---|")
    for name in sorted(gains, key=lambda n: -gains[n]["fixed"].value):
        one, own = gains[name]["fixed"], gains[name]["per_data"]
        rows.append(
            f"| `{name}` | {one.value:.1%} | {one.low:.1%} to {one.high:.1%} | {own.value:.1%} | "
            f"{_setting(results, name)} |"
        )
    yield "\n".join(rows)


def _setting(results: Results, name: str) -> str:
    contestant = next(c for c in results.study.contestants if c.name == name)
    chosen = json.loads(contestant.settings[best_fixed(results.gains(name))])
    varied = {k for s in contestant.settings for k, v in json.loads(s).items() if v != chosen[k]}
    return ", ".join(f"`{key}={chosen[key]:g}`" for key in sorted(varied))


def _at(results: Results) -> Iterator[str]:
    """Who leads at some budgets, by relative gain in test error."""
    curves = median_curves(results, "fixed", None)
    names, budgets = list(curves), results.study.budgets
    lines = []
    for budget in _SHOWN:
        gains = np.array([curves[name][budgets.index(budget)] for name in names])
        order = np.argsort(-gains, kind="stable").tolist()[:3]
        shown = ", ".join(f"`{names[i]}` {gains[i]:.1%}" for i in order)
        lines.append(f"| {budget:,} | {shown} |")
    yield "The three that gain most in test error at some budgets, with one setting each:"
    yield "\n".join(["| labels | gain in test error |", "|---:|---|", *lines])


class StudyResults(SphinxDirective):
    """``{study-results}``: what the committed results say."""

    def run(self) -> list[Any]:
        """The parsed tables and sentences."""
        for path in sorted(FOLDER.glob("*.parquet")):
            self.env.note_dependency(str(path))
        nodes: list[Any] = self.parse_text_to_nodes(markdown(load()))
        return nodes


def setup(sphinx: Sphinx) -> dict[str, bool]:
    """Register the directive."""
    sphinx.add_directive("study-results", StudyResults)
    return {"parallel_read_safe": True}
