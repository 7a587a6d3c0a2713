"""Draw the curves of the demo: medians with quartile bands, labelled where they end."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, NullLocator, PercentFormatter
from sklearn.isotonic import IsotonicRegression

from askance.demo.runs import Curve, Size, describe
from askance.errors import InvalidParameter
from askance.files import write_atomically
from askance.palette import COLOURS, GREY, MARKERS
from askance.types import Floats

__all__ = ["draw", "save", "spread"]


class _Style(NamedTuple):
    color: str
    marker: str


# Passive learning, what the others are measured against, is the last of the four.
_STYLES = tuple(map(_Style, (*COLOURS[:3], GREY), MARKERS))

_GAP = 0.105
"""Smallest distance between two labels, as a share of the axis."""


def draw(curves: Sequence[Curve], size: Size) -> Figure:
    """Test error against labels, both on logarithmic axes."""
    figure = Figure(figsize=(9, 5.4), layout="constrained")
    axes = figure.add_subplot()
    title = "How far does a label go?"
    figure.suptitle(title, x=0.065, ha="left", fontsize=15, fontweight="bold")
    subtitle = f"{describe(size)}\nMedian with quartiles; a curve ends with its stream."
    axes.set_title(subtitle, loc="left", fontsize=9.5, color="#555555", pad=10)
    _dress(axes, curves)
    for curve, style in zip(curves, _STYLES, strict=False):
        _draw_curve(axes, curve, style)
    _label_ends(axes, curves)
    return figure


def save(figure: Figure, folder: Path, name: str) -> list[Path]:
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


def _dress(axes: Axes, curves: Sequence[Curve]) -> None:
    """Axes, grid and limits."""
    budgets = curves[0].budgets
    axes.set_xscale("log", base=2)
    axes.set_yscale("log", base=2)
    axes.set_xlim(budgets[0] * 0.93, 1.1 * max(curve.asked for curve in curves))
    axes.set_ylim(
        0.8 * min(curve.lower.min() for curve in curves),
        1.05 * max(curve.upper.max() for curve in curves),
    )
    axes.xaxis.set_major_locator(FixedLocator([10 * 2**q for q in range(11)]))
    axes.yaxis.set_major_locator(FixedLocator([0.01, 0.02, 0.03, 0.05, 0.1, 0.2, 0.3, 0.5]))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    axes.set_xlabel("labels asked")
    axes.set_ylabel("test error")
    axes.grid(True, color="#E6E6E6", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.tick_params(length=0)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)


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


def _label_ends(axes: Axes, curves: Sequence[Curve]) -> None:
    """Name each curve to the right of the plot, in the order of their ends, with thin leaders."""
    low, high = np.log(axes.get_ylim())
    ends = (np.log([curve.final for curve in curves]) - low) / (high - low)
    heights = spread(ends, _GAP)
    heights += max(0.0, _GAP / 2 - heights.min())
    for curve, style, height in zip(curves, _STYLES, heights.tolist(), strict=False):
        axes.annotate(
            f"{curve.name}\n{curve.final:.1%} with {curve.asked:.0f} labels",
            xy=(curve.asked, curve.final),
            xytext=(1.03, height),
            textcoords="axes fraction",
            va="center",
            fontsize=9.5,
            color=style.color,
            arrowprops={"arrowstyle": "-", "relpos": (0, 0.5), "color": style.color, "alpha": 0.5},
        )


def spread(heights: Floats, gap: float) -> Floats:
    """Move heights apart, keeping their order and their mean, until none are closer than the gap.

    >>> spread(np.array([0.5, 0.1, 0.5]), 0.2).round(12).tolist()
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
