"""What the committed results of the study say about choosing an algorithm, found at build time.

No figure of ``choosing.md`` is written by hand, so that new results change the page by themselves.
"""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from askance.study.blocks import percent
from askance.study.design import read_study
from askance.study.metrics import best_fixed, interval
from askance.study.results import Results, collect, holes, parts
from askance.study.store import Store
from askance.study.summary import Gain, median_curves, summary

__all__ = ["WEIGHTED", "Lead", "lead", "leader", "load", "markdown", "setup"]

FOLDER = Path(__file__).parents[1] / "results/nips2015"

WEIGHTED = ("iwal0", "iwal1", "passive")
"""Algorithms that rest on weighted labels which stand for the whole stream."""

_CLEAR = 0.9
"""The share from which on a leader is called one."""

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


def leader(gains: Gains, among: Sequence[str] = ()) -> str:
    """Who gains most with one setting on data sets that did not choose it."""
    return max(among or gains, key=lambda name: _elsewhere(gains, name))


def _elsewhere(gains: Gains, name: str) -> float:
    return float(gains[name]["fixed"].halves.mean())


def _face(results: Results) -> Iterator[str]:
    permutations = [len(curves.permutations) for curves in results.curves]
    yield " ".join([
        f"{len(results.curves)} of the paper's data sets, {sum(permutations)} permutations in all, "
        f"{len(results.study.settings()):,} settings of {len(results.study.contestants)} "
        "algorithms.",
        *holes(results), *parts(results),
    ])  # fmt: skip


class Lead(NamedTuple):
    """How often an algorithm gains most: on other halves, and in resamples of both kinds."""

    halves: float
    kept: float
    anew: float


def lead(gains: Gains, name: str, among: Sequence[str] = ()) -> Lead:
    """An algorithm against others, draw by draw, for the draws are the same for all."""
    one, every = gains[name]["fixed"], [gains[other]["fixed"] for other in among or gains]
    return Lead(
        float(np.mean(one.halves >= np.max([gain.halves for gain in every], axis=0))),
        float(np.mean(one.kept >= np.max([gain.kept for gain in every], axis=0))),
        float(np.mean(one.anew >= np.max([gain.anew for gain in every], axis=0))),
    )


def _how_often(found: Lead) -> str:
    halves, kept, anew = map(percent, found)
    return (
        f"on {halves} of such halves, in {kept} of resamples with the chosen settings kept, and in "
        f"{anew} with settings chosen anew"
    )


def _advice(gains: Gains) -> Iterator[str]:
    first, unbiased = leader(gains), leader(gains, WEIGHTED)
    ahead = lead(gains, unbiased, WEIGHTED)
    others = ", ".join(f"`{n}` {_range(gains, n)}" for n in WEIGHTED if n != unbiased)
    more = [f"`{n}`" for n in gains if _elsewhere(gains, n) > _elsewhere(gains, "passive")]
    yield (
        f"- **The least error for the labels:** `{first}`, which gains {_range(gains, first)} on "
        "halves of the data sets that did not choose its setting. It gains the most "
        f"{_how_often(lead(gains, first))}.\n"
        "- **Labels to train other models on:** of the algorithms that rest on labels with weights "
        f"that stand for the whole stream, `{unbiased}` gains {_range(gains, unbiased)} on such "
        f"halves, {others}. `{unbiased}` gains the most {_how_often(ahead)}"
        f"{'' if min(ahead) > _CLEAR else ': the results do not say which is best'}.\n"
        "- **Tuning alone:** `passive` with its best learning rate gains "
        f"{_range(gains, 'passive')} on such halves. More on average: {', '.join(more) or 'none'}."
    )


def _range(gains: Gains, name: str) -> str:
    low, high = interval(gains[name]["fixed"].halves)
    return f"{_elsewhere(gains, name):.1%} ({low:.1%} to {high:.1%})"


def _table(results: Results, gains: Gains) -> Iterator[str]:
    rows = ["| algorithm | on other halves | one setting | each its own | the setting for all |"]
    rows.append("|---|---:|---:|---:|---|")
    for name in sorted(gains, key=lambda n: -_elsewhere(gains, n)):
        one, own = gains[name]["fixed"], gains[name]["per_data"]
        low, high = interval(one.kept)
        rows.append(
            f"| `{name}` | {_range(gains, name)} | {one.value:.1%} ({low:.1%} to {high:.1%}) | "
            f"{own.value:.1%} | {_setting(results, name)} |"
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
