"""How many labels may be bought: in all, or per so many examples."""

from collections import deque
from dataclasses import dataclass
from itertools import pairwise

from askance.errors import InvalidParameter
from askance.types import State
from askance.validation import require_whole, saved_part, saved_whole

__all__ = ["Budget", "Ledger"]


LARGEST = 2**53
"""Labels that a budget may have: beyond it floats no longer count one by one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """A label budget: a total, a rate, or both.

    Parameters
    ----------
    total
        Labels in all.
    labels, per
        At most ``labels`` among any ``per`` examples in a row.

    Examples
    --------
    >>> Budget(total=500)
    Budget(total=500, labels=None, per=None)
    >>> Budget(labels=20, per=1000)
    Budget(total=None, labels=20, per=1000)
    >>> Budget(labels=20)
    Traceback (most recent call last):
    askance.errors.InvalidParameter: a rate needs labels and per, got labels=20 and per=None
    """

    total: int | None = None
    labels: int | None = None
    per: int | None = None

    def __post_init__(self) -> None:
        if (self.labels is None) != (self.per is None):
            raise InvalidParameter(
                f"a rate needs labels and per, got labels={self.labels} and per={self.per}"
            )
        for name in ("total", "labels", "per"):
            value = getattr(self, name)
            if value is not None:
                require_whole(1, **{name: value})
                if value > LARGEST:
                    raise InvalidParameter(f"{name} must be at most 2 ** 53, got {value}")


class Ledger:
    """What was bought under a budget, by the number of the example.

    >>> ledger = Ledger(Budget(labels=1, per=3))
    >>> ledger.buy(0)
    >>> [ledger.is_open(example) for example in (1, 2, 3)]
    [False, False, True]
    """

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self.bought = 0
        self._recent: deque[int] = deque()

    def is_open(self, example: int) -> bool:
        """Whether a label may be bought for this example."""
        if self.budget.total is not None and self.bought >= self.budget.total:
            return False
        if self.budget.labels is None or self.budget.per is None:
            return True
        while self._recent and self._recent[0] <= example - self.budget.per:
            self._recent.popleft()
        return len(self._recent) < self.budget.labels

    def buy(self, example: int) -> None:
        self.bought += 1
        if self.budget.per is not None:
            self._recent.append(example)

    def refund(self, example: int) -> None:
        self.bought -= 1
        if example in self._recent:
            self._recent.remove(example)

    def get_state(self) -> State:
        return {"bought": self.bought, "recent": list(self._recent)}

    def set_state(self, state: State, bought: set[int] | frozenset[int]) -> None:
        """Take over what was bought: the numbers of those examples are given."""
        if saved_whole(state, "bought") != len(bought):
            raise InvalidParameter(
                f"a saved ledger must have bought {len(bought)} labels, got {state['bought']}"
            )
        recent = saved_part(state, "recent", list)
        most = self.budget.labels or 0
        rising = all(before < after for before, after in pairwise(recent))
        if not (rising and len(recent) <= most and bought.issuperset(recent)):
            raise InvalidParameter(
                f"saved recent must be at most {most} numbers of bought labels, in their order"
            )
        self.bought, self._recent = len(bought), deque(recent)
