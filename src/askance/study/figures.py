"""The paper's figures from our results, with matplotlib: SVG and PNG."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from askance.plots.palette import COLOURS, GREY, MARKERS
from askance.storage.files import write_atomically
from askance.study import metrics
from askance.study.results import Results
from askance.study.summary import Choice, by_cover_size, errors_of, gain_of, label_of, names_of
from askance.types import Floats

__all__ = ["Style", "draw_cover_sizes", "draw_errors", "draw_gains", "save", "style_of"]


class Style(NamedTuple):
    """Of one contestant in all figures."""

    color: str
    marker: str
    dash: str


_STYLES = {
    "online_active_cover": Style(COLOURS[1], "o", "-"),
    "iwal0": Style(COLOURS[0], "s", "-"),
    "iwal1": Style(COLOURS[4], "D", "-"),
    "oracular_iwal0": Style(COLOURS[2], "^", "-"),
    "oracular_iwal1": Style(COLOURS[5], "v", "--"),
    "margin": Style(COLOURS[3], "P", "-"),
    "passive": Style(GREY, "X", ":"),
    # Beyond the paper; these two colours are those of what has no lane for each class.
    "auto": Style(COLOURS[0], "*", "-"),
    "coal": Style(COLOURS[2], "h", "--"),
}
_QUARTILES = ("online_active_cover", "oracular_iwal0", "passive")
_RC: Any = {
    "svg.fonttype": "none",
    "svg.hashsalt": "askance",
    # A dollar in a name is a dollar.
    "text.parse_math": False,
    "font.size": 9,
    "xtick.labelsize": 7.5,
    "ytick.labelsize": 7.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.alpha": 0.3,
    "legend.frameon": False,
}


def style_of(name: str, place: int) -> Style:
    """A contestant's colour and marker: the same in every report for those of the paper.

    >>> style_of("passive", 3) == style_of("passive", 0), style_of("mine", 1).marker
    (True, 's')
    """
    cycled = (some[place % len(some)] for some in (COLOURS, MARKERS, ("-", "--", "-.", ":")))
    return _STYLES.get(name, Style(*cycled))


def save(figure: Figure, folder: Path, name: str) -> Path:
    """Write a figure as SVG and PNG; the path of the SVG."""
    folder.mkdir(parents=True, exist_ok=True)
    with mpl.rc_context(_RC):
        for kind, extra in (("svg", {"metadata": {"Date": None}}), ("png", {"dpi": 130})):
            with write_atomically(folder / f"{name}.{kind}") as file:
                figure.savefig(file, format=kind, **extra)
    return folder / f"{name}.svg"


def _curve_style(name: str, place: int) -> dict[str, Any]:
    """Broken lines and smaller, hollow markers over others: curves that coincide are all seen."""
    style = style_of(name, place)
    return {
        "label": label_of(name),
        "color": style.color,
        "marker": style.marker,
        "markersize": max(8.0 - 0.8 * place, 3.0),
        "fillstyle": "none",
        "linestyle": style.dash,
        "linewidth": 1.4,
        "markeredgewidth": 1.0,
    }


def _labels_axis(axes: Axes, budgets: Sequence[int]) -> None:
    axes.set_xscale("log", base=2)
    shown = budgets if len(budgets) <= 6 else budgets[::2]
    axes.set_xticks(shown, [str(b) for b in shown])
    axes.minorticks_off()


def draw_gains(results: Results, choice: Choice, divisor: int | None) -> Figure:
    """Relative improvement against labels: median, first permutation, quartiles.

    Paper: ``fig:rel-err-gain``, ``fig:rel-err-gain-per-data``.
    """
    names = names_of(results.study)
    budgets = results.study.budgets
    middle = metrics.quartile(0.5)
    with mpl.rc_context(_RC):
        figure = Figure(figsize=(9.6, 3.6), layout="constrained")
        panels = figure.subplots(1, 3)
        for axes, statistic in zip(panels, (middle, metrics.first), strict=False):
            for place, name in enumerate(names):
                curve = gain_of(results, name, choice, divisor, statistic)
                axes.plot(budgets, curve, **_curve_style(name, place))
        _draw_quartiles(panels[2], results, choice, divisor)
        titles = ("median over permutations", "the first permutation", "three quartiles")
        for axes, title in zip(panels, titles, strict=True):
            axes.axhline(0.0, color="black", linewidth=0.8)
            axes.set_title(title, fontsize=9)
            _labels_axis(axes, budgets)
            axes.set_xlabel("labels")
        panels[0].set_ylabel("relative gain in test error")
        handles = panels[0].get_legend_handles_labels()
        figure.legend(*handles, loc="outside upper center", ncols=7)
    return figure


def _draw_quartiles(axes: Axes, results: Results, choice: Choice, divisor: int | None) -> None:
    """Medians with bars from the first to the third quartile, side by side at each budget."""
    names = names_of(results.study)
    some = [name for name in names if name in _QUARTILES] or names[:4]
    for beside, name in enumerate(some):
        low, mid, high = (
            gain_of(results, name, choice, divisor, metrics.quartile(q)) for q in (0.25, 0.5, 0.75)
        )
        at = np.array(results.study.budgets) * 1.09 ** (beside - (len(some) - 1) / 2)
        style = _curve_style(name, names.index(name))
        # A mean over data sets of lower quartiles is below that of medians, but for rounding.
        bars = np.maximum([mid - low, high - mid], 0.0)
        axes.errorbar(at, mid, yerr=bars, elinewidth=0.9, capsize=1.5, **style)


def draw_errors(
    results: Results,
    choice: Choice,
    datasets: Sequence[str],
    names: Sequence[str],
    measure: str = "test error",
) -> Figure:
    """Median test error against labels, one panel for each data set.

    Paper: ``fig:test-err-examples``, ``fig:err_vs_query_medium``.
    """
    columns = 2 if len(datasets) == 4 else min(3, len(datasets))
    rows = -(-len(datasets) // columns)
    every = names_of(results.study)
    with mpl.rc_context(_RC):
        width = 3.0 * max(columns, 2) + 0.3
        figure = Figure(figsize=(width, 2.1 * rows + 0.8), layout="constrained")
        figure.get_layout_engine().set(h_pad=0.08)  # type: ignore[union-attr, call-arg]
        panels = figure.subplots(rows, columns, squeeze=False).ravel().tolist()
        for axes in panels[len(datasets) :]:
            axes.remove()
        for place, (axes, dataset) in enumerate(zip(panels, datasets, strict=False)):
            for name, curve in _errors(results, choice, dataset, names):
                axes.plot(results.study.budgets, curve, **_curve_style(name, every.index(name)))
            axes.set_title(dataset, fontsize=9)
            _labels_axis(axes, results.study.budgets)
            if place % columns == 0:
                axes.set_ylabel(measure)
            if place + columns >= len(datasets):
                axes.set_xlabel("labels")
        handles = panels[0].get_legend_handles_labels()
        figure.legend(*handles, loc="outside upper center", ncols=7 if columns == 3 else 4)
    return figure


def _errors(
    results: Results, choice: Choice, dataset: str, names: Sequence[str]
) -> list[tuple[str, Floats]]:
    d = [curves.dataset for curves in results.curves].index(dataset)
    return [(name, np.median(errors_of(results, name, choice)[d], axis=0)) for name in names]


def draw_cover_sizes(results: Results, name: str) -> Figure:
    """Gain and time against the size of the cover."""
    sizes, per_data, fixed, seconds = zip(*by_cover_size(results, name), strict=True)
    with mpl.rc_context(_RC):
        figure = Figure(figsize=(7, 2.9), layout="constrained")
        gain, spent = figure.subplots(1, 2)
        gain.plot(sizes, per_data, "o-", color=COLOURS[1], label="setting for each data set")
        gain.plot(sizes, fixed, "s--", color=COLOURS[0], label="one setting for all")
        gain.set_ylabel("relative gain in area")
        gain.set_ylim(min(0.0, *fixed), 1.35 * max(*per_data, 0.01))
        gain.legend(loc="upper left", fontsize=8)
        spent.plot(sizes, seconds, "o-", color=GREY)
        spent.set_ylabel("seconds for one run")
        spent.set_ylim(bottom=0)
        for axes in (gain, spent):
            axes.set_xscale("log", base=2)
            axes.set_xticks(sizes, [str(size) for size in sizes])
            axes.minorticks_off()
            axes.set_xlabel("cover size")
    return figure
