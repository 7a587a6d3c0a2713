"""Figures from the experiments' numbers, in colours and markers that all readers can tell."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from askance.plots.palette import COLOURS, MARKERS
from askance.storage.files import write_atomically
from askance.types import State

__all__ = [
    "DRAW",
    "draw_guarantees",
    "draw_hard",
    "draw_labels",
    "draw_real_data",
    "draw_realizable",
    "draw_solver",
    "draw_tsybakov",
]


@contextmanager
def _sheet(path: Path, columns: int) -> Iterator[Sequence[Axes]]:
    """A row of axes, saved atomically as an SVG that is the same for the same numbers."""
    style: dict[Any, Any] = {"svg.hashsalt": "askance", "svg.fonttype": "none", "font.size": 9}
    with mpl.rc_context(style):
        figure = Figure(figsize=(4.2 * columns, 3.4), layout="constrained")
        axes = figure.subplots(1, columns, squeeze=False)[0]
        yield axes
        for ax in axes:
            ax.grid(alpha=0.3)
            if ax.get_legend_handles_labels()[0]:
                ax.legend(fontsize=7)
        path.parent.mkdir(parents=True, exist_ok=True)
        with write_atomically(path) as file:
            figure.savefig(file, format="svg", metadata={"Date": None, "Creator": None})


def _line(ax: Axes, x: Sequence[float], y: Sequence[float], index: int, label: str) -> None:
    ax.plot(
        x,
        y,
        label=label,
        color=COLOURS[index % len(COLOURS)],
        marker=MARKERS[index % len(MARKERS)],
        # Hollow and of different sizes: curves that coincide are still all seen.
        markersize=max(9 - 1.2 * index, 3),
        fillstyle="none",
        linewidth=1.2,
    )


def _name(ax: Axes, title: str, x: str, y: str, scale: str = "log") -> None:
    ax.set(title=title, xlabel=x, ylabel=y, xscale=scale, yscale=scale)


def draw_hard(figure: State, path: Path) -> None:
    """Queries against n for each class size, with the floor."""
    with _sheet(path, len(figure["panels"])) as axes:
        for ax, panel in zip(axes, figure["panels"], strict=True):
            for index, (name, queries) in enumerate(panel["queries"].items()):
                _line(ax, panel["n"], queries, index, f"{name} ({panel['slopes'][name]:.2f})")
            _line(ax, panel["n"], panel["floor"], 6, "P at its floor in the region")
            _name(ax, f"|H| = {panel['size']} (fitted slope)", "examples", "labels asked")


def draw_realizable(figure: State, path: Path) -> None:
    """Queries against n on noiseless thresholds, on both scales."""
    with _sheet(path, 2) as axes:
        for index, (name, queries) in enumerate(figure["queries"].items()):
            _line(axes[0], figure["n"], queries, index, name)
        _name(axes[0], "Noiseless thresholds", "examples", "labels asked")
        for index, name in enumerate(("Active Cover", "Oracular CAL 1")):
            _line(axes[1], figure["n"], figure["queries"][name], 4 * index, name)
        axes[1].set(title="The same, linear in log n", xlabel="examples", ylabel="labels asked")
        axes[1].set_xscale("log")


def draw_tsybakov(figure: State, path: Path) -> None:
    """Regret and queries against n for each noise exponent."""
    with _sheet(path, 2) as axes:
        for index, panel in enumerate(figure["panels"]):
            label = f"omega = {panel['omega']:.3g}"
            _line(axes[0], panel["n"], panel["regret"], index, label)
            _line(axes[1], panel["n"], panel["queries"], index, label)
        _name(axes[0], "Regret of the ERM", "examples", "regret")
        _name(axes[1], "Labels", "examples", "labels asked")


def draw_solver(figure: State, path: Path) -> None:
    """Dual and violation per step, steps by tolerance, violation on fresh data by sample size."""
    with _sheet(path, 3) as axes:
        steps = range(1, len(figure["gap"]) + 1)
        _line(axes[0], steps, figure["gap"], 0, "best dual - dual")
        _line(axes[0], steps, figure["violation"], 1, "largest violation")
        _name(axes[0], "One run of the solver", "step", "value")
        for index, name in enumerate(("bound", "iterations", "iterations_reusing")):
            _line(axes[1], figure["tolerance"], figure[name], index, name.replace("_", ", "))
        _line(axes[1], figure["tolerance"], figure["calls_reusing"], 3, "oracle calls, reusing")
        _name(axes[1], "Steps to a tolerance", "tolerance", "count")
        _line(axes[2], figure["u"], figure["fresh_violation"], 0, "largest violation (mean)")
        _line(axes[2], figure["u"], figure["fresh_allowed"], 6, "2.5 epsilon")
        _name(axes[2], "Violation on fresh data", "sample for (OP)", "violation")


def draw_guarantees(figure: State, path: Path) -> None:
    """The share of good classifiers, the regret bound and the bias, by epoch."""
    with _sheet(path, 3) as axes:
        for index, (kind, panel) in enumerate(figure["panels"].items()):
            _line(axes[0], panel["n"], panel["good_share"], index, kind)
            _line(axes[1], panel["n"], panel["bound"], index, kind)
            _line(axes[2], panel["n"], panel["bias"], index, kind)
        _name(axes[0], "|A| / |H|", "examples", "share")
        _name(axes[1], "Bound on regret", "examples", "16 gamma Delta*")
        axes[2].set(title="Favourable bias, mean", xlabel="examples", xscale="log", ylabel="bias")


def draw_labels(figure: State, path: Path) -> None:
    """Queries beside the terms of the label bound, by noise."""
    with _sheet(path, 1) as axes:
        for index, name in enumerate(("bound", "leading", "queries")):
            _line(axes[0], figure["noise"], figure[name], index, name)
        _name(axes[0], "Labels beside thm:label", "noise", "labels asked", "linear")


def draw_real_data(figure: State, path: Path) -> None:
    """Test error against labels, Active Cover beside passive, one panel for each oracle and set."""
    with _sheet(path, len(figure["panels"])) as axes:
        for ax, panel in zip(axes, figure["panels"], strict=True):
            for index, name in enumerate(("passive", "active")):
                curve = panel[name]
                _line(ax, curve["labels"], curve["error"], index, name)
            title = f"{panel['dataset']}, {panel['oracle']}"
            ax.set(title=title, xlabel="labels", ylabel="test error", xscale="log")


DRAW = {
    "hard": draw_hard,
    "realizable": draw_realizable,
    "tsybakov": draw_tsybakov,
    "solver": draw_solver,
    "guarantees": draw_guarantees,
    "labels": draw_labels,
    "real_data": draw_real_data,
}
"""Experiment to the function that draws its ``figure`` numbers into a file."""
