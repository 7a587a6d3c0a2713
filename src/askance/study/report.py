"""A store -> a page: the paper's table and figures from our results, with what is missing."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from askance.data.catalog import CATALOG
from askance.errors import FileUnreadable
from askance.files import write_atomically
from askance.study import figures, page
from askance.study.design import read_study
from askance.study.metrics import median_gains
from askance.study.results import Results, collect
from askance.study.store import Store
from askance.study.summary import (
    Choice,
    Gain,
    best_columns,
    by_cover_size,
    claims,
    label_of,
    summary,
    winners,
)

__all__ = ["holes", "write_report"]

Gains = dict[str, dict[Choice, Gain]]

_CHOICES: tuple[tuple[Choice, str], ...] = (
    ("fixed", "one setting for all data sets"),
    ("per_data", "the best setting for each data set"),
)
_MEASURES: tuple[tuple[Choice, str], ...] = (("per_data", "AUC-GAIN*"), ("fixed", "AUC-GAIN"))
_HEADS = ("algorithm", "ours", "from", "to", "to the letter", "paper")
_EXAMPLES = ("online_active_cover", "oracular_iwal0", "passive")


def write_report(store: Store, output: Path) -> Path:
    """Write ``index.html``, the figures and ``summary.md`` into a folder."""
    study = read_study(store.study_path)
    results = collect(study, store.table())
    if not results.curves:
        raise FileUnreadable(f"{store.folder} holds no data set with a whole permutation yet")
    output.mkdir(parents=True, exist_ok=True)
    gains = summary(results)
    parts = [*_face(results), *_summary(gains), *_gains(results, output)]
    parts += [*_errors(results, output), *_cover(results, output), *_winners(results)]
    parts += [*_queries(results), *_time(results)]
    with write_atomically(output / "index.html") as file:
        file.write(page.document(f"Study {study.name}", parts).encode())
    with write_atomically(output / "summary.md") as file:
        file.write("\n".join(_markdown(results, gains)).encode())
    return output / "index.html"


def _markdown(results: Results, gains: Gains) -> Iterator[str]:
    """The summary and what it rests on, for pages that quote it."""
    yield f"# Study {results.study.name}: summary\n"
    yield from (f"{sentence}\n" for sentence in holes(results))
    for choice, title in _MEASURES:
        yield f"{title}, {dict(_CHOICES)[choice]}:\n"
        yield from page.markdown(_HEADS, ((label_of(n), *g[choice]) for n, g in gains.items()))
    yield "What it rests on, with seconds of one core over all settings and permutations:\n"
    yield from page.markdown(
        ("data set", "permutations", "seconds"),
        ((c.dataset, len(c.permutations), f"{c.seconds.sum():.0f}") for c in results.curves),
    )


def holes(results: Results) -> list[str]:
    """One sentence for each thing that the study asks for and the store has not."""
    wanted = _wanted(results)
    here = {curves.dataset: curves for curves in results.curves}
    away = [name for name in wanted if name not in here]
    found = []
    if away:
        found.append(f"{len(away)} data sets have no whole permutation: {', '.join(away)}.")
    short = [c for c in results.curves if len(c.permutations) < results.study.permutations]
    if short:
        counts = ", ".join(f"{c.dataset} {len(c.permutations)}" for c in short)
        found.append(f"Fewer than {results.study.permutations} permutations are whole: {counts}.")
    if results.partial:
        cells = sum(results.partial.values())
        found.append(f"{cells} runs of permutations that are not whole are left out.")
    return found


def _wanted(results: Results) -> list[str]:
    names: list[str] = []
    for origin in results.study.origins:
        every = origin.kind == "catalog" and origin.name == "all"
        names += list(CATALOG) if every else [origin.name]
    return names


def _face(results: Results) -> Iterator[str]:
    runs = sum(c.errors.shape[0] * c.errors.shape[1] for c in results.curves)
    yield page.paragraph(
        f"{len(results.curves)} data sets, {len(results.study.settings())} settings of "
        f"{len(results.study.contestants)} algorithms, {runs} runs. Gains are relative to "
        f"{results.study.base[0]} with {results.study.base[1]}."
    )
    missing = holes(results)
    if missing:
        yield page.paragraph("This report has holes. " + " ".join(missing), "holes")


def _summary(gains: Gains) -> Iterator[str]:
    yield page.section("Summary")
    yield page.paragraph(
        "Relative gain in the area under test error against log labels. The area is over the "
        "whole range of budgets, where a budget that was not reached has the error of the final "
        "classifier. 'To the letter' is the paper's formula as printed, under which an algorithm "
        "gains up to 1 by asking nothing. Intervals hold 90% of resamples of data sets and "
        "permutations; the best setting is chosen anew in each."
    )
    for choice, title in _MEASURES:
        rows = [(label_of(name), *found[choice]) for name, found in gains.items()]
        yield f"<h3>{title}: {dict(_CHOICES)[choice]}</h3>"
        yield page.table(_HEADS, rows)


def _gains(results: Results, output: Path) -> Iterator[str]:
    yield page.section("Relative gain against labels")
    yield page.switches(label_of(c.name) for c in results.study.contestants)
    budgets = results.study.budgets
    # The fifth budget, 160 labels in the paper.
    fifth = min(4, len(budgets) - 1)
    for choice, title in _CHOICES:
        for divisor, name, below in (
            (None, f"gains-{choice}", "the base's error at the same budget"),
            (fifth, f"gains-{choice}-as-printed", f"the base's error at {budgets[fifth]} labels"),
        ):
            path = figures.save(figures.draw_gains(results, choice, divisor), output, name)
            caption = f"Relative gain in test error with {title}, divided by {below}."
            yield page.figure(path, f"{caption} Mean over data sets.")
    yield from _claims(results)


def _claims(results: Results) -> Iterator[str]:
    curves = {choice: figures.median_curves(results, choice, None) for choice, _ in _CHOICES}
    found = claims(results, curves)
    if found:
        yield page.section("The text's claims")
        rows = [(c.text, c.verdict, f"{c.holds} of {c.budgets}") for c in found]
        yield page.table(("claim", "verdict", "at budgets"), rows)


def _errors(results: Results, output: Path) -> Iterator[str]:
    names = [c.name for c in results.study.contestants]
    some = [name for name in _EXAMPLES if name in names] or names
    yield page.section("Test error")
    path = figures.save(
        figures.draw_errors(results, "per_data", _two_examples(results, some[0]), some),
        output,
        "errors-examples",
    )
    yield page.figure(
        path,
        f"Median test error on two sets: where {label_of(some[0])} gains most, and its median set.",
        "small",
    )
    every = [curves.dataset for curves in results.curves]
    for choice, title in _CHOICES:
        drawn = figures.draw_errors(results, choice, every, names)
        path = figures.save(drawn, output, f"errors-{choice}")
        yield page.figure(path, f"Median test error on every data set with {title}.")


def _two_examples(results: Results, name: str) -> list[str]:
    best = median_gains(results.gains(name)).max(axis=1)
    order = np.argsort(-best, kind="stable").tolist()
    chosen = dict.fromkeys([order[0], order[len(order) // 2]])
    return [results.curves[d].dataset for d in chosen]


def _cover(results: Results, output: Path) -> Iterator[str]:
    name = "online_active_cover"
    names = [c.name for c in results.study.contestants]
    if name not in names or len(by_cover_size(results, name)) < 2:
        return
    yield page.section("The size of the cover")
    path = figures.save(figures.draw_cover_sizes(results, name), output, "cover-size")
    yield page.figure(path, "Gain and time of OAC by the size of its cover.", "small")
    heads = ("cover size", "AUC-GAIN*", "AUC-GAIN", "seconds for one run")
    yield page.table(heads, by_cover_size(results, name))


def _winners(results: Results) -> Iterator[str]:
    yield page.section("Which settings won")
    yield page.paragraph(
        "The best value for all data sets, and on how many data sets the best setting lies inside "
        "its range."
    )
    heads = ("algorithm", "parameter", "best for all", "smallest", "largest", "inside", "of")
    rows = [
        (label_of(w.name), w.parameter, *(f"{v:.4g}" for v in (w.fixed, w.smallest, w.largest)),
         w.inside, w.data_sets)
        for w in winners(results)
    ]  # fmt: skip
    yield page.table(heads, rows)


def _queries(results: Results) -> Iterator[str]:
    yield page.section("Labels asked")
    names = [c.name for c in results.study.contestants]
    for choice, title in _CHOICES:
        columns = {name: best_columns(results, name, choice) for name in names}
        rows = [
            (c.dataset, *(int(np.median(c.queries[:, columns[name][d], -1])) for name in names))
            for d, c in enumerate(results.curves)
        ]
        yield page.paragraph(f"Median over permutations, with {title}:")
        yield page.table(("data set", *map(label_of, names)), rows)


def _time(results: Results) -> Iterator[str]:
    yield page.section("Time spent")
    yield page.paragraph("Seconds of one core, over all settings and permutations.")
    names = [c.name for c in results.study.contestants]
    rows = [
        (c.dataset, len(c.permutations), round(float(c.seconds.sum()), 1),
         *(round(float(c.seconds[:, results.columns(name)].sum()), 1) for name in names))
        for c in results.curves
    ]  # fmt: skip
    yield page.table(
        ("data set", "permutations", "all", *map(label_of, names)),
        [tuple(f"{v:.1f}" if isinstance(v, float) else v for v in row) for row in rows],
    )
