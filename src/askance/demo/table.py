"""The table of the demo, for a terminal."""

from collections.abc import Sequence

from rich.table import Table

from askance.demo.runs import Curve

__all__ = ["TARGET", "table"]

TARGET = 0.04
"""One in twenty-five: an error that every contestant reaches well before its end."""


def table(curves: Sequence[Curve]) -> Table:
    """Median test error with quartiles at doubling label budgets, and how each run ended."""
    result = Table(title="Test error in %: median (quartiles)", title_justify="left")
    for name in ("labels", *(curve.name for curve in curves)):
        result.add_column(name, justify="right")
    for i, budget in enumerate(curves[0].budgets):
        if i % 2 == 0 and any(curve.reached(budget) for curve in curves):
            result.add_row(str(budget), *(_cell(curve, i) for curve in curves))
    result.add_section()
    result.add_row("at the end", *(f"{100 * curve.final:.1f}" for curve in curves))
    result.add_row("labels asked", *(f"{curve.asked:.0f}" for curve in curves))
    needed = (curve.labels_to_reach(TARGET) for curve in curves)
    result.add_row(
        f"labels for {100 * TARGET:g}", *("never" if n is None else str(n) for n in needed)
    )
    return result


def _cell(curve: Curve, i: int) -> str:
    if not curve.reached(curve.budgets[i]):
        return "-"
    lower, median, upper = (_short(part[i]) for part in (curve.lower, curve.median, curve.upper))
    return f"{median} ({lower}-{upper})"


def _short(share: float) -> str:
    """Percent with two digits: 80 columns must do."""
    return f"{100 * share:.0f}" if share >= 0.0995 else f"{100 * share:.1f}"
