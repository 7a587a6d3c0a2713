"""A store -> a page: the paper's table and figures from our results, with what is missing."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from askance.errors import FileUnreadable
from askance.storage.files import write_atomically
from askance.study import figures, findings, interactive, page
from askance.study.blocks import Block, Drawing, Heading, Live, TableBlock, Text, markdown
from askance.study.claims import FIFTH, claims
from askance.study.design import read_study
from askance.study.metrics import median_gains
from askance.study.results import Results, collect, holes, parts
from askance.study.store import Store
from askance.study.summary import (
    Choice,
    Gains,
    best_columns,
    by_cover_size,
    label_of,
    names_of,
    summary,
    winners,
)

__all__ = ["write_report"]

_CHOICES: dict[Choice, str] = {
    "fixed": "one setting for all data sets",
    "per_data": "the best setting for each data set",
}
_EXAMPLES = ("online_active_cover", "oracular_iwal0", "passive")
_LARGE = 100_000
"""Examples up to which a data set is drawn among the small ones, as in the paper's appendix."""


def write_report(store: Store, output: Path) -> Path:
    """Write ``index.html``, the same as ``summary.md`` and the figures into a folder."""
    study = read_study(store.study_path)
    results = collect(study, store.table())
    if not results.curves:
        raise FileUnreadable(f"{store.folder} holds no data set with a complete permutation yet")
    output.mkdir(parents=True, exist_ok=True)
    blocks = list(_blocks(results, output))
    with write_atomically(output / "index.html") as file:
        file.write(page.document(blocks).encode())
    with write_atomically(output / "summary.md") as file:
        file.write(markdown(blocks).encode())
    return output / "index.html"


def _blocks(results: Results, output: Path) -> Iterator[Block]:
    gains = summary(results)
    yield from _face(results)
    yield from _summary(results, gains)
    yield from _claims(results, gains)
    yield from _gains(results, output)
    yield from _errors(results, output)
    yield from _cover(results, output)
    yield from _winners(results)
    yield from _queries(results)
    yield from _time(results)


def _face(results: Results) -> Iterator[Block]:
    study = results.study
    runs = sum(c.errors.shape[0] * c.errors.shape[1] for c in results.curves)
    spent = sum(float(c.seconds.sum()) for c in results.curves)
    yield Heading(f"Study {study.name}", 1)
    yield Text(
        f"{len(results.curves)} data sets, {len(study.settings()):,} settings of "
        f"{len(study.contestants)} algorithms, {runs:,} runs, which took {_duration(spent)} of one "
        f"core. Gains are relative to {label_of(study.base[0])} with {study.base[1]}."
    )
    missing = holes(results) + parts(results)
    if missing:
        yield Text("This report is incomplete. " + " ".join(missing), warns=True)
    else:
        yield Text("Every permutation of every data set of the study is in it.")


def _duration(seconds: float) -> str:
    """A time that people can read.

    >>> _duration(45.2), _duration(5400)
    ('45 seconds', '1.5 hours')
    """
    if seconds < 120:
        return f"{seconds:.0f} seconds"
    return f"{seconds / 60:.0f} minutes" if seconds < 5400 else f"{seconds / 3600:.1f} hours"


def _summary(results: Results, gains: Gains) -> Iterator[Block]:
    yield Heading("Summary")
    yield Text(
        "Relative gain in the area under test error against log labels. The area is over the "
        "whole range of budgets, where a budget that was not reached has the error of the final "
        "classifier; 'literal' is the paper's formula as printed."
    )
    yield Text(findings.INTERVALS)
    for choice, title in findings.MEASURES.items():
        yield Heading(f"{title}: {_CHOICES[choice]}", 3)
        yield findings.gains_table(results, gains, choice)
    other = list(findings.other_half(gains))
    if other:
        yield from (Heading("One setting on data sets that did not choose it", 3), *other)
    pairs = list(findings.variants(results, gains))
    if pairs:
        yield from (Heading("Variants of one algorithm"), *pairs)
    beside = list(findings.beside_paper(gains))
    if beside:
        yield from (Heading("Beside the paper's table"), *beside)
    yield Heading("The literal area")
    yield from findings.literal_area(results)


def _claims(results: Results, gains: Gains) -> Iterator[Block]:
    found = claims(results, gains)
    if found:
        yield Heading("The text's claims")
        yield Text(
            "The sentences of the paper's results, one by one. Curves are those of its figures, as "
            "printed. A claim about the table also has the share of resamples in which it holds, "
            "with settings kept and chosen anew, and if it is about one setting the share of other "
            "halves. A share near a half says that it cannot be told from noise."
        )
        yield TableBlock(("here", "claim", "found"), [(c.verdict, c.text, c.found) for c in found])


def _gains(results: Results, output: Path) -> Iterator[Block]:
    yield Heading("Relative gain against labels")
    budgets = results.study.budgets
    fifth = min(FIFTH, len(budgets) - 1)
    divisors = {f"at {budgets[fifth]} labels, as printed": fifth, "at the same budget": None}
    item = interactive.gain_explorer(results, _CHOICES, divisors)
    yield Live(item, "Relative gain in test error, mean over data sets.")
    for choice, title in _CHOICES.items():
        for (below, divisor), suffix in zip(divisors.items(), ("-as-printed", ""), strict=True):
            drawn = figures.draw_gains(results, choice, divisor)
            path = figures.save(drawn, output, f"gains-{choice}{suffix}")
            yield Drawing(
                path,
                f"Relative gain in test error with {title}, divided by the base's error {below}. "
                "Mean over data sets. Each panel has its own scale.",
            )


def _errors(results: Results, output: Path) -> Iterator[Block]:
    names = names_of(results.study)
    some = [name for name in _EXAMPLES if name in names] or names
    yield Heading("Test error")
    drawn = figures.draw_errors(results, "per_data", _two_examples(results, some[0]), some)
    yield Drawing(
        figures.save(drawn, output, "errors-examples"),
        f"Median test error on two sets with {_CHOICES['per_data']}: where {label_of(some[0])} "
        "gains most, and its median set. Scales do not start at 0.",
        narrow=True,
    )
    item = interactive.error_explorer(results, _CHOICES)
    yield Live(item, "Test error on one data set.")
    for choice, title in _CHOICES.items():
        for size, described, datasets in _by_size(results):
            drawn = figures.draw_errors(results, choice, datasets, names)
            path = figures.save(drawn, output, f"errors-{choice}-{size}")
            yield Drawing(
                path,
                f"Median test error with {title}, on {described}. Each has its own scale, which "
                "does not start at 0.",
                narrow=len(datasets) < 3,
            )
    for choice, title in _CHOICES.items():
        yield Text(f"Gain in area on each data set, median over permutations, with {title}:")
        yield findings.by_data_set(results, choice)


class _SizeGroup(NamedTuple):
    """Data sets that are drawn together."""

    size: str
    described: str
    datasets: list[str]


def _by_size(results: Results) -> Iterator[_SizeGroup]:
    """Data sets by size, as the paper's appendix parts them; one that is here in part is small."""
    large = [c.dataset for c in results.curves if (c.examples or 0) > _LARGE]
    small = [c.dataset for c in results.curves if c.dataset not in large]
    if not large:
        yield _SizeGroup("small", "every data set", small)
        return
    if small:
        yield _SizeGroup("small", f"data sets with at most {_LARGE:,} examples", small)
    yield _SizeGroup("large", f"data sets with more than {_LARGE:,} examples", large)


def _two_examples(results: Results, name: str) -> list[str]:
    best = median_gains(results.gains(name)).max(axis=1)
    order = np.argsort(-best, kind="stable").tolist()
    chosen = dict.fromkeys([order[0], order[len(order) // 2]])
    return [results.curves[d].dataset for d in chosen]


def _cover(results: Results, output: Path) -> Iterator[Block]:
    name = "online_active_cover"
    names = names_of(results.study)
    if name not in names or len(by_cover_size(results, name)) < 2:
        return
    yield Heading("The size of the cover")
    path = figures.save(figures.draw_cover_sizes(results, name), output, "cover-size")
    yield Drawing(path, "Gain and time of OAC by the size of its cover.", narrow=True)
    heads = ("cover size", "AUC-GAIN*", "AUC-GAIN", "seconds for one run")
    yield TableBlock(heads, by_cover_size(results, name))


def _winners(results: Results) -> Iterator[Block]:
    yield Heading("Which settings won")
    yield Text(
        "The best value for all data sets, and on how many data sets the best setting lies inside "
        "its range."
    )
    heads = ("algorithm", "parameter", "best for all", "smallest", "largest", "inside", "of")
    rows = [
        (label_of(w.name), w.parameter, *map(_short, (w.fixed, w.smallest, w.largest)),
         w.inside, w.data_sets)
        for w in winners(results)
    ]  # fmt: skip
    yield TableBlock(heads, rows)


def _short(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, int | float) else str(value)


def _queries(results: Results) -> Iterator[Block]:
    yield Heading("Labels asked")
    names = names_of(results.study)
    for choice, title in _CHOICES.items():
        columns = {name: best_columns(results, name, choice) for name in names}
        rows = [
            (c.dataset, *(int(np.median(c.queries[:, columns[name][d], -1])) for name in names))
            for d, c in enumerate(results.curves)
        ]
        yield Text(
            f"Within the largest budget of {results.study.budgets[-1]:,}, median over "
            f"permutations, with {title}:"
        )
        yield TableBlock(("data set", *map(label_of, names)), rows)


def _time(results: Results) -> Iterator[Block]:
    yield Heading("Time spent")
    yield Text(
        "Seconds of one core, over all settings and permutations. A first run also compiles, which "
        "is then in its time."
    )
    names = names_of(results.study)
    spent = {
        c.dataset: [float(c.seconds.sum())]
        + [float(c.seconds[:, results.columns(name)].sum()) for name in names]
        for c in results.curves
    }
    whole = [len(c.permutations) for c in results.curves]
    lines = [*zip(spent, whole, spent.values(), strict=True)]
    lines.append(
        ("in all", sum(whole), [sum(column) for column in zip(*spent.values(), strict=True)])
    )
    rows = [(name, count, *(f"{value:.1f}" for value in values)) for name, count, values in lines]
    yield TableBlock(("data set", "permutations", "all", *map(label_of, names)), rows)
