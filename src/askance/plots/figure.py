"""Draw curves: medians with quartile bands, labelled where they end."""

import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, NullLocator, PercentFormatter
from sklearn.isotonic import IsotonicRegression

from askance.errors import InvalidParameter
from askance.plots.curve import Band, Curve, cost_text
from askance.plots.palette import COLOURS, GREY, MARKERS
from askance.storage.files import write_atomically
from askance.types import Floats

__all__ = ["Look", "draw", "draw_band", "save_plot", "spread_apart"]


class _Style(NamedTuple):
    color: str
    marker: str


_STYLES = tuple(map(_Style, COLOURS[:-1], (marker for marker in MARKERS if marker != "D")))
_PASSIVE = _Style(GREY, "D")

_GAP = 0.105
"""Smallest distance between two labels, as a share of the axis."""


class Look(NamedTuple):
    """What stands around the curves.

    A ``measure`` that is an error is shown in percent. ``logarithmic`` is for errors that are never
    zero; ``reference`` is an error to draw a line at, with its name.
    """

    title: str
    subtitle: str
    measure: str = "test error"
    logarithmic: bool = False
    reference: tuple[float, str] | None = None


_POINTS = 500
"""Points of a line that are drawn, at most."""


def draw(curves: Sequence[Curve], look: Look) -> Figure:
    """Error against labels, on a logarithmic axis of labels."""
    figure, axes = _titled(look)
    _dress(axes, curves, look)
    styles = _styles(curves)
    for curve, style in zip(curves, styles, strict=True):
        _draw_curve(axes, curve, style)
    _label_ends(axes, curves, styles, look)
    return figure


def _titled(look: Look) -> tuple[Figure, Axes]:
    figure = Figure(figsize=(9, 5.4), layout="constrained")
    axes = figure.add_subplot()
    # A file may be called $x$, which is no formula.
    figure.suptitle(
        look.title, x=0.065, ha="left", fontsize=15, fontweight="bold", parse_math=False
    )
    axes.set_title(
        look.subtitle, loc="left", fontsize=9.5, color="#555555", pad=10, parse_math=False
    )
    return figure, axes


def draw_band(band: Band, look: Look) -> Figure:
    """An estimate within its interval, which narrows as labels come."""
    figure, axes = _titled(look)
    count = len(band.labels)
    shown = np.unique(np.linspace(min(9, count - 1), count - 1, _POINTS).astype(int))
    labels, estimate, low, high = (values[shown] for values in band)
    color = COLOURS[0]
    axes.fill_between(labels, low, high, color=color, alpha=0.13, linewidth=0)
    for bound in (low, high):
        axes.plot(labels, bound, color=color, linewidth=1)
    axes.plot(labels, estimate, color=color, linewidth=2)
    # What the first labels leave open would hide what the last ones say.
    top = min(1.0, 3.0 * float(high[-1]))
    bottom = -0.02 * top
    axes.set_xlim(labels[0], max(labels[-1], labels[0] + 1))
    axes.set_ylim(bottom, top)
    axes.yaxis.set_major_formatter(PercentFormatter(1.0))
    _frame(axes, look)
    names = "at most", "about", "at least"
    values = [float(one[-1]) for one in (high, estimate, low)]
    heights = spread_apart((np.array(values) - bottom) / (top - bottom), _GAP / 2)
    for name, value, height in zip(names, values, heights.tolist(), strict=True):
        axes.annotate(
            f"{name} {value:.1%}",
            xy=(1.02, height),
            xycoords="axes fraction",
            va="center",
            fontsize=9.5,
            color=color,
        )
    return figure


def _styles(curves: Sequence[Curve]) -> list[_Style]:
    """Grey for passive, the palette in order for the others."""
    others = itertools.cycle(_STYLES)
    return [_PASSIVE if curve.name == "passive" else next(others) for curve in curves]


def save_plot(figure: Figure, folder: Path, name: str) -> list[Path]:
    """Write the figure as PNG and SVG; the same figure gives the same bytes."""
    paths = [folder / f"{name}.{format}" for format in ("png", "svg")]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for path in paths:
            metadata = {"Date": None} if path.suffix == ".svg" else None
            with write_atomically(path) as file, mpl.rc_context({"svg.hashsalt": name}):
                figure.savefig(file, format=path.suffix[1:], dpi=150, metadata=metadata)
    except OSError as error:
        raise InvalidParameter(
            f"output must be a folder that can be written to, got {folder}: {error.strerror}"
        ) from error
    return paths


def _dress(axes: Axes, curves: Sequence[Curve], look: Look) -> None:
    """Axes, grid and limits."""
    budgets = curves[0].budgets
    axes.set_xscale("log", base=2)
    axes.set_xlim(budgets[0] * 0.93, 1.1 * max(*(curve.asked for curve in curves), budgets[0]))
    doubling = [10 * 2**q for q in range(11)]
    ticks = doubling if budgets[0] in doubling else list(budgets)
    axes.xaxis.set_major_locator(FixedLocator(ticks))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    _dress_errors(axes, curves, look)
    _frame(axes, look)


def _frame(axes: Axes, look: Look) -> None:
    """Names of the axes, and a grid."""
    axes.set_xlabel("labels asked")
    axes.set_ylabel(look.measure)
    axes.grid(True, color="#E6E6E6", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.tick_params(length=0)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)


def _dress_errors(axes: Axes, curves: Sequence[Curve], look: Look) -> None:
    low = min(curve.lower.min() for curve in curves)
    # A stream may end worse than it was at any budget, if it is sorted.
    high = max(max(curve.upper.max(), curve.final) for curve in curves)
    if look.logarithmic:
        axes.set_yscale("log", base=2)
        axes.set_ylim(0.8 * low, 1.05 * high)
        axes.yaxis.set_major_locator(FixedLocator([0.01, 0.02, 0.03, 0.05, 0.1, 0.2, 0.3, 0.5]))
        axes.yaxis.set_minor_locator(NullLocator())
        axes.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
        return
    # A little below zero, so that no marker is cut.
    axes.set_ylim(-0.02 * max(high, 0.01), 1.05 * max(high, 0.01))
    if look.measure.endswith("error"):
        axes.yaxis.set_major_formatter(PercentFormatter(1.0))
    if look.reference is not None:
        error, name = look.reference
        axes.axhline(error, color="#4D4D4D", linewidth=1, linestyle=(0, (4, 3)))
        axes.annotate(
            name,
            xy=(0.01, error),
            xycoords=("axes fraction", "data"),
            xytext=(0, 3),
            textcoords="offset points",
            fontsize=8.5,
            color="#4D4D4D",
        )


def _draw_curve(axes: Axes, curve: Curve, style: _Style) -> None:
    """The median with its band, up to the budget that half of the runs reached, and its end."""
    inside = np.array([curve.reached(budget) for budget in curve.budgets])
    labels = np.array(curve.budgets)[inside]
    axes.fill_between(
        labels, curve.lower[inside], curve.upper[inside], color=style.color, alpha=0.13, linewidth=0
    )
    x = np.append(labels, curve.asked)
    y = np.append(curve.median[inside], curve.final)
    axes.plot(x, y, color=style.color, linewidth=2)
    common: dict[str, Any] = {"color": style.color, "linestyle": "", "marker": style.marker}
    axes.plot(x[:-1], y[:-1], markersize=5, **common)
    axes.plot(x[-1:], y[-1:], markersize=11, markeredgecolor="white", zorder=4, **common)


def _label_ends(axes: Axes, curves: Sequence[Curve], styles: Sequence[_Style], look: Look) -> None:
    """Name each curve to the right of the plot, in the order of their ends, with thin leaders."""
    to_axes = axes.transData + axes.transAxes.inverted()
    ends = to_axes.transform([(curve.asked, curve.final) for curve in curves])[:, 1]
    heights = spread_apart(ends, _GAP)
    heights += max(0.0, _GAP / 2 - heights.min())
    form = "{:.1%}".format if look.measure.endswith("error") else cost_text
    for curve, style, height in zip(curves, styles, heights.tolist(), strict=True):
        axes.annotate(
            f"{curve.name}\n{form(curve.final)} with {curve.asked:.0f} labels",
            xy=(curve.asked, curve.final),
            xytext=(1.03, height),
            textcoords="axes fraction",
            va="center",
            fontsize=9.5,
            color=style.color,
            arrowprops={"arrowstyle": "-", "relpos": (0, 0.5), "color": style.color, "alpha": 0.5},
        )


def spread_apart(heights: Floats, gap: float) -> Floats:
    """Move heights apart, keeping their order and their mean, until none are closer than the gap.

    >>> spread_apart(np.array([0.5, 0.1, 0.5]), 0.2).round(12).tolist()
    [0.4, 0.1, 0.6]
    """
    order = np.argsort(heights, kind="stable")
    sorted_heights = heights[order]
    steps = gap * np.arange(len(heights))
    # The nearest heights that keep the gaps: isotonic, by pooling neighbours that would cross.
    placed = IsotonicRegression().fit_transform(np.arange(len(heights)), sorted_heights - steps)
    result = np.empty_like(heights)
    result[order] = placed + steps
    return result
