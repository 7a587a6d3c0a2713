"""Curves as a table, for a terminal."""

from collections.abc import Sequence

from rich.table import Table

from askance.plots.curve import Curve, cost_text

__all__ = ["percentage", "table"]


def table(
    curves: Sequence[Curve],
    target: float | None = None,
    step: int = 1,
    measure: str = "test error",
) -> Table:
    """Median error with quartiles at every ``step``-th label budget, and how each run ended.

    With a target, the labels too that each needed for that error, and the error that labels told by
    themselves, where they did, with its bounds. A ``measure`` that is an error is shown in percent.
    """
    share = measure.endswith("error")
    title = f"{measure.capitalize()}{' in %' if share else ''}: median (quartiles)"
    result = Table(title=title, title_justify="left")
    for name in ("labels", *(curve.name for curve in curves)):
        # Blanks, where a long name can be broken.
        result.add_column(name.replace("_", " ").replace(",", ", "), justify="right")
    for i, budget in list(enumerate(curves[0].budgets))[::step]:
        if any(curve.reached(budget) for curve in curves):
            result.add_row(str(budget), *(_cell(curve, i, share) for curve in curves))
    result.add_section()
    ends = (f"{100 * one.final:.1f}" if share else cost_text(one.final) for one in curves)
    result.add_row("at the end", *ends)
    result.add_row("labels asked", *(f"{curve.asked:.0f}" for curve in curves))
    if target is not None:
        needed = (curve.labels_to_reach(target) for curve in curves)
        result.add_row(
            f"labels for {100 * target:g}", *("never" if n is None else str(n) for n in needed)
        )
    if any(curve.judged for curve in curves):
        result.add_row("by labels, %", *(_judged(curve) for curve in curves))
    return result


def _judged(curve: Curve) -> str:
    if curve.judged is None:
        return "-"
    about, low, high = map(percentage, curve.judged[:3])
    return f"{about} ({low}-{high})"


def _cell(curve: Curve, i: int, share: bool) -> str:
    if not curve.reached(curve.budgets[i]):
        return "-"
    quartiles = (curve.lower, curve.median, curve.upper)
    if share:
        lower, median, upper = (percentage(part[i]) for part in quartiles)
        return f"{median} ({lower}-{upper})"
    lower, median, upper = (cost_text(part[i], 2) for part in quartiles)
    # Costs are longer than percentages, so they need blanks where they can be broken.
    return f"{median} ({lower} - {upper})"


def percentage(share: float) -> str:
    """Percent with two digits: 80 columns must do.

    >>> percentage(0.0123), percentage(0.123)
    ('1.2', '12')
    """
    return f"{100 * share:.0f}" if share >= 0.0995 else f"{100 * share:.1f}"
