"""The paper's figures from our results, with matplotlib: SVG and PNG."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from askance.files import write_atomically
from askance.study import metrics
from askance.study.results import Results
from askance.study.summary import Choice, by_cover_size, errors_of, label_of
from askance.types import Floats

__all__ = ["draw_cover_sizes", "draw_errors", "draw_gains", "median_curves", "save"]

_COLOURS = {
    "online_active_cover": "#d62728",
    "iwal0": "#1f77b4",
    "iwal1": "#17becf",
    "oracular_iwal0": "#2ca02c",
    "oracular_iwal1": "#98b83b",
    "passive": "#555555",
    "margin": "#9467bd",
}
_MARKERS = dict(zip(_COLOURS, "osDv^xP", strict=True))
_QUARTILES = ("online_active_cover", "oracular_iwal0", "passive")
_STYLE: Any = {
    "svg.fonttype": "none",
    "svg.hashsalt": "askance",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.alpha": 0.3,
}


def save(figure: Figure, folder: Path, name: str) -> Path:
    """Write a figure as SVG and PNG; the path of the SVG."""
    folder.mkdir(parents=True, exist_ok=True)
    with mpl.rc_context(_STYLE):
        for kind, extra in (("svg", {"metadata": {"Date": None}}), ("png", {"dpi": 130})):
            with write_atomically(folder / f"{name}.{kind}") as file:
                figure.savefig(file, format=kind, **extra)
    return folder / f"{name}.svg"


def _line(axes: Axes, name: str, place: int, xs: Sequence[float], ys: Floats) -> Any:
    (line,) = axes.plot(
        xs,
        ys,
        label=label_of(name),
        color=_COLOURS.get(name, f"C{place}"),
        marker=_MARKERS.get(name, "o"),
        markersize=3.5,
        linewidth=1.3,
    )
    line.set_gid(_gid(axes, name, "line"))
    return line


def _gid(axes: Axes, name: str, part: str) -> str:
    """A name in the SVG by which the page's switches find a curve."""
    return f"curve--{label_of(name)}--{part}{axes.get_figure().axes.index(axes)}"  # type: ignore[union-attr]


def _labels_axis(axes: Axes, budgets: Sequence[int]) -> None:
    axes.set_xscale("log", base=2)
    shown = budgets[::2]
    axes.set_xticks(shown, [f"{b:,}" for b in shown], rotation=45, ha="right")
    axes.minorticks_off()
    axes.set_xlabel("labels")


def median_curves(results: Results, choice: Choice, divisor: int | None) -> dict[str, Floats]:
    """Relative gain at each budget of every contestant, median over permutations."""
    return {
        c.name: _gain(results, c.name, choice, divisor, metrics.quartile(0.5))
        for c in results.study.contestants
    }


def _gain(
    results: Results, name: str, choice: Choice, divisor: int | None, statistic: metrics.Statistic
) -> Floats:
    base = [curves.errors[:, 0] for curves in results.curves]
    return metrics.gain_curve(base, errors_of(results, name, choice), statistic, divisor)


def _first(values: Floats) -> Floats:
    first: Floats = values[0]
    return first


def draw_gains(results: Results, choice: Choice, divisor: int | None) -> Figure:
    """Relative improvement against labels: median, first permutation, quartiles.

    Paper: ``fig:rel-err-gain``, ``fig:rel-err-gain-per-data``.
    """
    names = [c.name for c in results.study.contestants]
    budgets = results.study.budgets
    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=(11, 3.8), layout="constrained")
        median, first, quartiles = figure.subplots(1, 3, sharey=True)
        for place, name in enumerate(names):
            middle = _gain(results, name, choice, divisor, metrics.quartile(0.5))
            _line(median, name, place, budgets, middle)
            _line(first, name, place, budgets, _gain(results, name, choice, divisor, _first))
            if name in _QUARTILES:
                ends = [
                    _gain(results, name, choice, divisor, metrics.quartile(q)) for q in (0.25, 0.75)
                ]
                line = _line(quartiles, name, place, budgets, middle)
                quartiles.fill_between(
                    budgets, *ends, color=line.get_color(), alpha=0.15, linewidth=0,
                    gid=_gid(quartiles, name, "band"),
                )  # fmt: skip
        for axes, title in (
            (median, "median over permutations"),
            (first, "the first permutation"),
            (quartiles, "three quartiles over permutations"),
        ):
            axes.axhline(0.0, color="black", linewidth=0.8)
            axes.set_title(title, fontsize=9)
            _labels_axis(axes, budgets)
        median.set_ylabel("relative gain in test error")
        figure.legend(*median.get_legend_handles_labels(), loc="outside lower center", ncols=7)
    return figure


def draw_errors(
    results: Results, choice: Choice, datasets: Sequence[str], names: Sequence[str]
) -> Figure:
    """Median test error against labels, one panel for each data set.

    Paper: ``fig:test-err-examples``.
    """
    columns = min(4, len(datasets))
    rows = -(-len(datasets) // columns)
    with mpl.rc_context(_STYLE):
        size = (2.9 * columns + 0.3, 2.5 * rows + 0.7)
        figure = Figure(figsize=size, layout="constrained")
        panels = figure.subplots(rows, columns, squeeze=False).ravel()
        for axes in panels[len(datasets) :]:
            axes.remove()
        errors = {name: errors_of(results, name, choice) for name in names}
        known = [curves.dataset for curves in results.curves]
        for axes, dataset in zip(panels, datasets, strict=False):
            d = known.index(dataset)
            for place, name in enumerate(names):
                middle = np.median(errors[name][d], axis=0)
                _line(axes, name, place, results.study.budgets, middle)
            axes.set_title(dataset, fontsize=9)
            axes.set_ylim(bottom=0)
            _labels_axis(axes, results.study.budgets)
        panels[0].set_ylabel("test error")
        handles = panels[0].get_legend_handles_labels()
        figure.legend(*handles, loc="outside lower center", ncols=min(7, 2 * columns))
    return figure


def draw_cover_sizes(results: Results, name: str) -> Figure:
    """Gain and time against the size of the cover."""
    sizes, per_data, fixed, seconds = zip(*by_cover_size(results, name), strict=True)
    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=(7, 2.9), layout="constrained")
        gain, spent = figure.subplots(1, 2)
        gain.plot(sizes, per_data, "o-", label="setting for each data set")
        gain.plot(sizes, fixed, "s--", label="one setting for all")
        gain.legend(fontsize=8)
        gain.set_ylabel("relative gain in area")
        gain.set_ylim(bottom=min(0.0, *fixed))
        spent.plot(sizes, seconds, "o-", color="#555555")
        spent.set_ylabel("seconds for one run")
        spent.set_ylim(bottom=0)
        for axes in (gain, spent):
            axes.set_xscale("log", base=2)
            axes.set_xticks(sizes, [str(size) for size in sizes])
            axes.minorticks_off()
            axes.set_xlabel("cover size")
    return figure
