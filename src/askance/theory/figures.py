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
    "draw_deviations",
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
    """Queries against n for each epsilon, and Active Cover's local slopes."""
    with _sheet(path, len(figure["panels"]) + 1) as axes:
        *panels, last = axes
        for ax, panel in zip(panels, figure["panels"], strict=True):
            for index, (name, queries) in enumerate(panel["queries"].items()):
                _line(ax, panel["n"], queries, index, name)
            _line(ax, panel["n"], panel["inside"], 6, "Active Cover's regions with P = 1")
            title = f"epsilon = {panel['epsilon']:.3g}, |H| = {panel['size']}"
            _name(ax, title, "examples", "labels asked")
            # Room for the legend below Active Cover's curve.
            ax.set_ylim(bottom=0.5)
        for index, curve in enumerate(figure["slopes"]):
            _line(last, curve["n"], curve["slope"], index, f"epsilon = {curve['epsilon']:.3g}")
        predicted = figure["slopes"][0]
        _line(last, predicted["n"], predicted["predicted_slope"], 6, "P at its floor everywhere")
        last.axhline(0.5, color="grey", linewidth=0.8, linestyle="dotted")
        last.set(title="Active Cover's local slopes", xlabel="examples", ylabel="slope")
        last.set_xscale("log")


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
    """Dual and violation per step, steps by tolerance, violation and excess by sample size."""
    with _sheet(path, 4) as axes:
        steps = range(1, len(figure["gap"]) + 1)
        _line(axes[0], steps, figure["gap"], 0, "best dual - dual")
        _line(axes[0], steps, figure["step_violation"], 1, "largest violation")
        _name(axes[0], "One run of the solver", "step", "value")
        for index, name in enumerate(("bound", "iterations", "iterations_reusing")):
            _line(axes[1], figure["tolerance"], figure[name], index, name.replace("_", ", "))
        _line(axes[1], figure["tolerance"], figure["calls_reusing"], 3, "oracle calls, reusing")
        _name(axes[1], "Steps to a tolerance", "tolerance", "count")
        for ax, name in ((axes[2], "violation"), (axes[3], "excess")):
            _line(ax, figure["u"], figure[name], 0, f"{name} (mean)")
            _line(ax, figure["u"], figure[f"{name}_allowed"], 6, "allowed by the theorem")
            ax.set(title=f"{name.capitalize()} in the world", xlabel="sample for (OP)")
            ax.set(ylabel=name, xscale="log")


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


def draw_deviations(figure: State, path: Path) -> None:
    """Both sides of some inequalities where they are closest, against n."""
    with _sheet(path, len(figure["panels"])) as axes:
        for ax, (claim, worlds) in zip(axes, figure["panels"].items(), strict=True):
            for index, (world, lines) in enumerate(worlds.items()):
                n = [line["n"] for line in lines]
                for offset, side in enumerate(("deviation", "bound")):
                    values = [line[side] for line in lines]
                    _line(ax, n, values, 2 * index + offset, f"{side}, {world}")
            ax.axhline(lines[0]["trivial"], color="grey", linestyle="dotted")
            left = "largest regret in A" if claim == "eqn:regret" else "deviation"
            _name(ax, claim, "examples", left)


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
    "deviations": draw_deviations,
    "labels": draw_labels,
    "real_data": draw_real_data,
}
"""Experiment to the function that draws its ``figure`` numbers into a file."""
