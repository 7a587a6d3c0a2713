"""``askance evaluate``: judge any classifier by a sample of labels."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table
from rich.text import Text

from askance.cli.choices import ALGORITHMS
from askance.cli.options import (
    OutputOptions,
    choice,
    flat,
    open_console,
    refuse_existing,
    say,
    say_json,
)
from askance.terminal.visible import visible

if TYPE_CHECKING:
    from askance.evaluation.predicted import Said
    from askance.evaluation.stored_sample import StoredSample
    from askance.evaluation.verdict import Verdict
    from askance.types import Interval

__all__ = ["evaluate"]

MOST_SHOWN = 8
"""Classes up to which a confusion table fits a window."""


@dataclass
class JudgedOptions:
    """What is judged."""

    model: Annotated[
        Path | None, typer.Option(metavar="MODEL", help="Judge this model of askance.")
    ] = None
    predictions: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Judge the predictions of this .csv, .tsv or .parquet file, by the ids of their "
            "records; they may come from anything that these labels have not taught.",
        ),
    ] = None
    column: Annotated[str, typer.Option(metavar="COL", help="Column of the predictions.")] = (
        "prediction"
    )
    id: Annotated[str, typer.Option(metavar="COL", help="Column of the ids beside them.")] = "id"

    @property
    def name(self) -> str:
        """The file, for people."""
        return (self.model or self.predictions or Path()).name

    def said(self, sample: "StoredSample") -> "Said":
        """What it predicts for the labels of a sample."""
        from askance.evaluation.predicted import predicted_by_file, predicted_by_model
        from askance.live import ActiveLearner

        if self.predictions is not None:
            return predicted_by_file(sample, self.predictions, self.column, self.id)
        return predicted_by_model(sample, ActiveLearner.load(str(self.model)))


@flat
def evaluate(
    sample: Annotated[
        Path,
        typer.Argument(
            metavar="SAMPLE", help="Labels with weights, as `run`, `label` or `export` wrote them."
        ),
    ],
    *,
    judge: JudgedOptions,
    out: OutputOptions,
    positive: Annotated[
        str | None,
        typer.Option(
            metavar="VALUE", help="Label of the positive class; needed unless it is plain."
        ),
    ] = None,
    costs: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Table of what each prediction, by columns, costs for each label, by rows.",
        ),
    ] = None,
    level: Annotated[
        float, typer.Option(min=0.5, max=0.9999, help="Level of the intervals.")
    ] = 0.95,
    algorithm: Annotated[
        str | None,
        choice(ALGORITHMS, "Algorithm that has asked, where an earlier version has not said so"),
    ] = None,
) -> None:
    """Judge a classifier by labels that have not taught it: its error and more, with intervals.

    The sample holds labels that were asked for with known probabilities, so it judges any
    classifier, whoever made it. The interval of the error holds whenever you look, and however
    often you do; the others hold if you look once, at a time that was fixed beforehand. A model
    that was taught by these labels is refused, unless some of them were held out from it.

    Example: `askance evaluate queried.csv --predictions mine.csv --column spam`
    """
    from askance.evaluation.costs import read_costs
    from askance.evaluation.stored_sample import read_sample
    from askance.evaluation.verdict import judged

    if (judge.model is None) == (judge.predictions is None):
        raise typer.BadParameter("choose what to judge: --model or --predictions.")
    folder = out.folder(str(sample), "evaluate")
    refuse_existing([folder / f"error.{kind}" for kind in ("png", "svg")], force=out.force)
    labels = read_sample(sample, algorithm)
    told = None if costs is None else read_costs(costs)
    found = judged(labels, judge.said(labels), positive=positive, costs=told, alpha=1.0 - level)
    files = _drawn(found, labels, judge.name, folder)
    if out.as_json:
        say_json({"sample": str(sample), **found.as_json(), "files": files})
    else:
        _show(found, files)


def _drawn(found: "Verdict", sample: "StoredSample", name: str, folder: Path) -> list[str]:
    from askance.plots.figure import Look, draw_band, save_plot

    if found.narrowing is None:
        return []
    look = Look(
        f"{visible(name)}: error",
        f"Labels asked for by {visible(sample.algorithm)} among {found.n:,} examples; the interval "
        f"holds whenever you look, with {found.anytime[0].level:.0%}.",
        measure="error",
    )
    return [str(path) for path in save_plot(draw_band(found.narrowing, look), folder, "error")]


def _show(found: "Verdict", files: list[str]) -> None:
    from askance.estimate import sentence

    say(f"Judged by {found.labels:,} labels that were asked for among {found.n:,} examples:")
    say(sentence(found.anytime[0]))
    console = open_console()
    console.print(_measures([*found.anytime, *found.fixed]))
    if len(found.classes) <= MOST_SHOWN:
        console.print(confusion_view(found.classes, found.n, found.confusion))
    if found.unanswered:
        say(
            f"Note: {found.unanswered:,} questions have no answer. What holds whenever you look "
            "allows for the worst of them, the rest takes them for questions never asked."
        )
    if found.narrowing is None:
        say("Note: the sample does not say when these labels came, so there is no picture.")
    if files:
        say(f"Wrote {', '.join(files)}.")


def _measures(found: "list[Interval]") -> Table:
    table = Table("", "about", "at least", "at most", "holds")
    for column in table.columns[1:4]:
        column.justify = "right"
    for one in found:
        cells = (_shown(value, one.of) for value in one[:3])
        when = "whenever you look" if one.holds == "at any time" else one.holds
        table.add_row(Text(visible(one.of)), *cells, when)
    return table


def _shown(value: float, of: str) -> str:
    if math.isnan(value):
        return "?"
    return f"{value:.4g}" if of == "cost" else f"{value:.1%}"


def confusion_view(
    classes: Sequence[str], n: int, confusion: "Sequence[Sequence[Interval]]"
) -> Table:
    """How many of n examples have each label and each prediction, as a table."""
    title = f"Of {n:,} examples, about (at least - at most)"
    # Else a title is broken to the width of a narrow table.
    table = Table(title=title, title_justify="left", min_width=len(title))
    for name in ("label", *(f"predicted {name}" for name in classes)):
        table.add_column(Text(visible(name)), justify="right")
    for name, row in zip(classes, confusion, strict=True):
        cells = (f"{one.estimate:,.0f} ({one.low:,.0f}-{one.high:,.0f})" for one in row)
        table.add_row(Text(visible(name)), *cells)
    return table
