"""Sum up runs: quartiles of the error at label budgets."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from askance.types import Floats, Integers, Interval, Run

__all__ = ["Band", "Curve", "cost_text", "label_budgets", "sum_up"]


class Band(NamedTuple):
    """An estimate between its bounds, after so many labels each."""

    labels: Integers
    estimate: Floats
    low: Floats
    high: Floats


@dataclass(frozen=True, slots=True)
class Curve:
    """Error against labels of one algorithm, over permutations.

    ``lower``, ``median`` and ``upper`` are quartiles of the error at ``budgets``, where a
    permutation that stopped asking counts with its final error. ``asked`` is the median number of
    labels asked in all, ``final`` the median error at the end of the stream. ``judged`` is what the
    labels of the first permutation say by themselves, if it was looked for and can be known.
    """

    name: str
    budgets: tuple[int, ...]
    lower: Floats
    median: Floats
    upper: Floats
    asked: float
    final: float
    judged: Interval | None = None

    def reached(self, budget: int) -> bool:
        """Whether at least half of the permutations asked that many labels."""
        return budget <= self.asked

    def labels_to_reach(self, error: float) -> int | None:
        """The smallest budget whose median error is at most ``error``."""
        pairs = zip(self.budgets, self.median.tolist(), strict=True)
        return next((b for b, e in pairs if e <= error and self.reached(b)), None)

    def as_json(self) -> dict[str, Any]:
        """All of it in plain values."""
        return {
            "name": self.name,
            "budgets": list(self.budgets),
            "lower": self.lower.tolist(),
            "median": self.median.tolist(),
            "upper": self.upper.tolist(),
            "labels": self.asked,
            "error": self.final,
            "judged": None if self.judged is None else self.judged._asdict(),
        }


def cost_text(cost: float, digits: int = 3) -> str:
    """A cost with a few digits, and all of those before the point.

    >>> cost_text(0.2933), cost_text(1.05, 2), cost_text(12345.6)
    ('0.293', '1.1', '12,346')
    """
    return f"{cost:.{digits}g}" if abs(cost) < 10**digits - 0.5 else f"{cost:,.0f}"


def sum_up(name: str, runs: Sequence[Run]) -> Curve:
    """Quartiles over the runs of one algorithm, all measured at the same budgets.

    >>> from askance.types import ResultRow
    >>> run = Run((ResultRow(10, 10, 40, 0.2, True),), 90, 30, 0.1, "stream over")
    >>> curve = sum_up("one run", [run])
    >>> curve.budgets, curve.median.tolist(), curve.asked, curve.final
    ((10,), [0.2], 30.0, 0.1)
    """
    errors = np.array([[*(row.error for row in run.rows), run.error] for run in runs])
    lower, median, upper = np.quantile(errors, [0.25, 0.5, 0.75], axis=0)
    return Curve(
        name=name,
        budgets=tuple(row.budget for row in runs[0].rows),
        lower=lower[:-1],
        median=median[:-1],
        upper=upper[:-1],
        asked=float(np.median([run.queries for run in runs])),
        final=float(median[-1]),
    )


def label_budgets(last: int) -> tuple[int, ...]:
    """Budgets at which an error is looked at: 10, doubling, up to the last.

    >>> label_budgets(100), label_budgets(7)
    ((10, 20, 40, 80, 100), (7,))
    """
    doubling = (10 * 2**q for q in range(last.bit_length()))
    return (*(budget for budget in doubling if budget < last), last)
