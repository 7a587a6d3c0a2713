"""With which probability to ask, so that a label budget lasts for a whole stream.

A small part of the budget is spent uniformly. The rest goes to the examples with the smallest
margins, at a rate that is set anew now and then.
"""

import math
from typing import NamedTuple

import numpy as np

from askance.errors import InvalidParameter
from askance.types import Floats, State
from askance.validation import require_positive, require_whole, saved_array, saved_number

__all__ = [
    "Pace",
    "Prospect",
    "all_alike",
    "check_shares",
    "checked_plan",
    "focused",
    "prospect",
    "saved_floor",
    "saved_pace",
    "sure",
    "until_change",
]

STEP = 256
"""Examples after which the rate is set anew, at the latest."""

ABOVE = 2.0
"""An edge above every margin."""


def check_shares(**shares: float) -> None:
    """Raise for the first share that is not above 0 and at most 1."""
    require_positive(**shares)
    for name, share in shares.items():
        if share > 1:
            raise InvalidParameter(f"{name} must be at most 1, got {share}")


def checked_plan(budget: int | None, horizon: int | None) -> tuple[int | None, int | None]:
    """Labels and examples in all, as far as they are known: whole numbers from 1 on."""
    for name, count in {"budget": budget, "horizon": horizon}.items():
        if count is not None:
            require_whole(1, **{name: count})
    return budget, horizon


class Pace(NamedTuple):
    """P until the next change: ``inside`` below the ``edge``, ``tied`` at it, else ``least``.

    ``uniform`` is the probability with which every example is asked about, whatever its margin.
    """

    edge: float
    inside: float
    tied: float
    least: float
    uniform: float

    def probabilities(self, margins: Floats) -> Floats:
        """P of examples with these margins.

        >>> Pace(0.5, 1.0, 0.3, 0.1, 0.1).probabilities(np.array([0.2, 0.5, 0.9])).tolist()
        [1.0, 0.3, 0.1]
        """
        P = np.where(margins < self.edge, self.inside, self.least)
        P[margins == self.edge] = self.tied
        return P


class Prospect(NamedTuple):
    """The rate of the whole stream, and labels and examples that are left."""

    whole: float
    left: float
    coming: float


def prospect(
    budget: int | None, horizon: int | None, rate: float, *, offered: int, asked: int
) -> Prospect:
    """What is left of a budget for so many examples, or of a rate where they are unknown.

    >>> prospect(100, 1000, 0.5, offered=400, asked=70)
    Prospect(whole=0.1, left=30, coming=600)
    """
    if budget is not None and horizon is not None:
        rate = min(budget / horizon, 1.0)
        if offered < horizon:
            return Prospect(rate, max(budget - asked, 0), horizon - offered)
    # Without an end, or beyond it: so many that chance does not count.
    return Prospect(rate, rate * 1e9, 1e9)


def until_change(offered: int, horizon: int | None) -> int:
    """How many examples, at least one, until the rate is set anew.

    Towards the end that is more often, or the last labels would stay unspent by chance.

    >>> [until_change(offered, 1000) for offered in (0, 232, 936, 999)]
    [40, 64, 4, 1]
    """
    if horizon is None or offered >= horizon:
        return STEP - offered % STEP
    after = horizon - offered - 1
    # A power of two that is at most an eighth of what comes, so that no step begins within another.
    step = min(STEP, 1 << max((after // 8).bit_length() - 1, 0))
    return 1 + after % step


def sure(uniform: float) -> Pace:
    """Ask about everything."""
    return Pace(ABOVE, 1.0, 1.0, 1.0, uniform)


def all_alike(ahead: Prospect, uniform: float) -> Pace:
    """Spend what is left on all examples alike.

    >>> all_alike(Prospect(0.1, 30, 600), 0.01).probabilities(np.array([0.2, 0.9])).tolist()
    [0.05, 0.05]
    """
    # The last label is not given up while one may be bought.
    rate = min(max(ahead.left, 1) / ahead.coming, 1.0)
    rate = max(rate, uniform)
    return Pace(-1.0, rate, rate, rate, uniform)


def focused(ahead: Prospect, uniform: float, margins: Floats, focus: float) -> Pace:
    """Spend what the uniform share leaves among the share of examples with the smallest margins.

    ``margins`` are those of recent examples, and ``focus`` is the share, which is larger only where
    there are more labels than that.
    """
    chance = uniform * ahead.coming
    spare = (ahead.left - chance - 2 * math.sqrt(chance)) / ahead.coming
    rate = min(max(spare, 0.0), 1.0)
    margins = np.sort(margins)
    width = max(rate, focus)
    edge = margins[min(int(width * len(margins)), len(margins) - 1)]
    below, upto = np.searchsorted(margins, edge), np.searchsorted(margins, edge, "right")
    share = min(float(width * len(margins) - below) / float(upto - below), 1.0)
    inside = max(rate / width, uniform) if width else 1.0
    return Pace(float(edge), inside, max(share * inside, uniform), uniform, uniform)


def saved_pace(state: State) -> Pace:
    """A pace from a file, checked."""
    edge, *shares = saved_array(state, "pace", "f", length=len(Pace._fields)).tolist()
    if not (-1 <= edge <= ABOVE and all(0 < share <= 1 for share in shares)):
        raise InvalidParameter(f"a saved pace must be an edge and four shares, got {state['pace']}")
    return Pace(edge, *shares)


def saved_floor(state: State) -> float | None:
    """What no P was to be below, from a file; None where an earlier version has not kept it."""
    if state.get("floor") is None:
        return None
    return saved_number(state, "floor", least=math.ulp(0.0), most=1.0)
