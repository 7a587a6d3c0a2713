"""Many classes: the page of ``studies/classes.toml``, made from its results.

``python -m benchmarks.classes`` exports the store ``stores/classes``, if it is there, to
``docs/results/classes``, and writes the tables and the pictures there from what is committed.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from askance.storage.files import write_atomically
from askance.study.blocks import Block, Drawing, Heading, TableBlock, Text, markdown
from askance.study.design import read_study
from askance.study.figures import draw_errors, save
from askance.study.results import Curves, Results, collect, holes
from askance.study.store import Store, export_results, read_results
from askance.study.summary import names_of

__all__ = ["FOLDER", "page", "read"]

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "docs" / "results" / "classes"
STUDY = ROOT / "studies" / "classes.toml"
BASE = "passive"

ENOUGH = 0.99
"""The share of a budget that counts as all of it: auto may end with a label or two left."""


def read(folder: Path = FOLDER) -> Results:
    """What is committed."""
    return collect(read_study(STUDY), read_results(folder))


def page(results: Results, folder: Path) -> Iterator[Block]:
    """All tables with the sentences around them; the pictures are drawn into a folder."""
    yield Heading("Many classes", 1)
    counts = ", ".join(f"{c.dataset} {len(c.permutations)}" for c in results.curves)
    yield Text(f"Permutations: {counts}.")
    if lacks := holes(results):
        yield Text(" ".join(lacks), warns=True)
    yield from _kind(results, folder, "error", [c for c in results.curves if not _has_costs(c)])
    yield from _kind(results, folder, "cost", [c for c in results.curves if _has_costs(c)])
    yield from _asked(results)


def _has_costs(curves: Curves) -> bool:
    return curves.dataset.endswith("-costs")


def _kind(results: Results, folder: Path, what: str, sets: Sequence[Curves]) -> Iterator[Block]:
    """Errors or costs of some sets: a picture, less than passive learning, and each set."""
    if not sets:
        return
    names = names_of(results.study)
    budgets = [f"{budget:,} labels" for budget in results.study.budgets]
    yield Heading(f"{what.capitalize()} against labels")
    drawn = draw_errors(results, "fixed", [c.dataset for c in sets], names, f"test {what}")
    caption = f"Median test {what} against labels. Each panel has its own scale."
    yield Drawing(save(drawn, folder, f"{what}s"), caption)
    yield Text(
        f"1 - {what}/{what} of passive learning, both means over permutations, mean over the "
        f"{len(sets)} sets; in brackets on how many of them it has the lowest {what} of all."
    )
    means = {name: np.array([_of(results, c, name).mean(axis=0) for c in sets]) for name in names}
    least = np.min(list(means.values()), axis=0)
    rows: list[list[object]] = []
    for name, mean in means.items():
        less, first = (1.0 - mean / means[BASE]).mean(axis=0), (mean == least).sum(axis=0)
        pairs = zip(less.tolist(), first.tolist(), strict=True)
        rows.append([name, *(f"{round(100 * gain):+d}% ({lowest})" for gain, lowest in pairs)])
    yield TableBlock(["contestant", *budgets], rows)
    scale = "percent" if what == "error" else "thousandths of the largest"
    yield Text(
        f"On each set, in {scale}: mean over permutations, in brackets its standard deviation."
    )
    rows = [
        [c.dataset, f"{budget:,}", *(_cell(_of(results, c, name)[:, q], what) for name in names)]
        for c in sets
        for q, budget in enumerate(results.study.budgets)
    ]
    yield TableBlock(["data set", "labels", *names], rows)


def _of(results: Results, curves: Curves, name: str) -> np.ndarray:
    """Errors or costs of a contestant, by permutation and budget."""
    (column,) = results.columns(name)
    return curves.errors[:, column]


def _cell(values: np.ndarray, what: str) -> str:
    form = (lambda x: f"{100 * x:.1f}") if what == "error" else (lambda x: f"{1000 * x:.3g}")
    return form(values.mean()) + (f" ({form(values.std(ddof=1))})" if len(values) > 1 else "")


def _asked(results: Results) -> Iterator[Block]:
    """Who left labels over."""
    names, last = names_of(results.study), results.study.budgets[-1]
    rows = []
    for c in results.curves:
        asked = [float(c.queries[:, results.columns(name)[0], -1].mean()) for name in names]
        if min(asked) < ENOUGH * last:
            rows.append([c.dataset, *(f"{count:,.0f}" for count in asked)])
    yield Heading("Labels asked")
    if not rows:
        yield Text(
            f"Every contestant has asked for at least {ENOUGH:.0%} of the {last:,} labels on every "
            "set, mean over permutations."
        )
        return
    yield Text(
        f"Sets on which some contestant asked for less than {ENOUGH:.0%} of the {last:,} labels "
        "that it might have had, mean over permutations. Its error at a budget that it did not "
        "reach is that at the end of the stream."
    )
    yield TableBlock(["data set", *names], rows)


def main() -> None:
    """Export the store, and write the page."""
    store = Store("stores/classes")
    if store.study_path.is_file():
        export_results(store, FOLDER)
    report = FOLDER / "report"
    report.mkdir(parents=True, exist_ok=True)
    with write_atomically(report / "summary.md") as file:
        file.write(markdown(list(page(read(), report))).encode())


if __name__ == "__main__":
    main()
