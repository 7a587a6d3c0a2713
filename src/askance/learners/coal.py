"""COAL: regress the cost of each class, and ask where the best one is open and the costs are too.

Krishnamurthy, Agarwal, Huang, Daume and Langford, "Active learning for cost-sensitive
classification" (2017), by its online approximation.
"""

from collections.abc import Mapping
from typing import ClassVar, NamedTuple

import numpy as np

from askance.errors import InvalidLabel, InvalidParameter
from askance.kernels.classes import best_two
from askance.kernels.costs import cost_radius, find_ranges, mark_wanted, range_limit
from askance.learners.streaming import StreamingLearner
from askance.protocols import ClassOracle
from askance.types import Bools, Decision, Floats, Label, Row
from askance.validation import (
    check_coin,
    require_label,
    require_positive,
    require_switch,
)

__all__ = ["Coal", "CostRanges"]


class CostRanges(NamedTuple):
    """What is known of the costs of one example, by class.

    Parameters
    ----------
    costs
        As predicted, of 0 for the least and 1 for the largest.
    low, high
        Between which good regressors lie.
    wanted
        Whose cost is to be asked.
    open
        How many classes may still be the best.
    """

    costs: Floats
    low: Floats
    high: Floats
    wanted: Bools
    open: int


class Coal(StreamingLearner):
    r"""Ask while several classes may be the best, and the cost of one of them is not known well.

    At example t, the range of each cost holds the predictions of all regressors whose squared error
    is within :math:`\Delta_t = c_0 \ln(K \max(t - 1, 1))` of the best. Classes stay in the race
    whose lowest cost is not above the least of the highest. If they are several, and the range of
    one of them exceeds :math:`\eta_t = c_1 / \sqrt t`, the label is asked. It reveals the costs of
    all classes, and teaches all of them.

    COAL asks with probability 0 or 1: its region is where it asks, and outside it learns nothing.
    So what it bought is no unbiased sample, and no weight mends that; ``audit=`` of
    :class:`~askance.live.active_learner.ActiveLearner` does, which asks about a share of the rest.

    Parameters
    ----------
    erm
        An oracle of squared loss with a lane for each class.
    c0
        Larger asks more.
    c1
        Smaller asks more: the range of a cost that counts as large.
    per_cost
        Whether single costs may be learned by :meth:`learn_costs`.

    Examples
    --------
    >>> import askance
    >>> learner = askance.make_learner("coal", n_features=2, n_classes=3)
    >>> x = askance.as_row([1.0, 0.0])
    >>> decision = learner.decide(x, coin=0.5)
    >>> decision.queried, decision.predicted
    (True, 0)
    >>> learner.learn(x, decision, 2)
    >>> learner.predict(x)
    2
    """

    learns_guesses: ClassVar[bool] = False

    def __init__(
        self, erm: ClassOracle, *, c0: float = 0.1, c1: float = 0.5, per_cost: bool = False
    ) -> None:
        require_positive(c0=c0, c1=c1)
        require_switch(per_cost=per_cost)
        if not (isinstance(erm, ClassOracle) and erm.is_squared):
            raise InvalidParameter(
                f"coal needs an oracle of squared loss with a lane for each class, "
                f"got {type(erm).__name__}"
            )
        super().__init__(erm)
        self.c0, self.c1, self.per_cost = c0, c1, per_cost

    def ranges(self, x: Row) -> CostRanges:
        """What is known of the costs of an example, and what would be asked about it."""
        costs, sensitivities = self.lanes.margins(x), self.lanes.sensitivities(x)
        low, high, wanted = np.zeros(len(costs)), np.zeros(len(costs)), np.zeros(len(costs), bool)
        t = self.k + 1.0
        radius = cost_radius(float(len(costs)), t, self.c0) if self.k else np.inf
        find_ranges(costs, sensitivities, radius, low, high)
        count = mark_wanted(low, high, range_limit(t, self.c1), wanted)
        return CostRanges(costs, low, high, wanted, count)

    def decide(self, x: Row, coin: float) -> Decision:
        check_coin(coin)
        found = self.ranges(x)
        predicted, _ = best_two(found.costs, -1.0)
        asks = bool(found.wanted.any())
        limit = range_limit(self.k + 1.0, self.c1)
        return self.decided(predicted, asks, 1.0 if asks else 0.0, coin, threshold=limit)

    def target(self, decision: Decision, label: Label | None) -> tuple[Label, float]:
        """The label with weight 1, or nothing."""
        return (1, 0.0) if label is None else (label, 1.0)

    def wanted_costs(self, x: Row) -> list[Label]:
        """The classes whose costs a question about x would ask, if single costs are priced."""
        return [int(y) for y in np.flatnonzero(self.ranges(x).wanted)]

    def learn_costs(self, x: Row, decision: Decision, costs: Mapping[Label, float]) -> None:
        """Learn some ``costs`` of a queried example, by class, each from 0 to 1.

        >>> import askance
        >>> learner = askance.make_learner("coal", n_features=1, n_classes=3, per_cost=True)
        >>> x = askance.as_row([1.0])
        >>> decision = learner.decide(x, coin=0.5)
        >>> learner.wanted_costs(x)
        [0, 1, 2]
        >>> learner.learn_costs(x, decision, {0: 1.0, 1: 0.25})
        >>> learner.predict(x)
        2
        """
        if not (self.per_cost and decision.queried):
            raise InvalidParameter(
                "single costs are learned with per_cost=True, of examples that were queried, got "
                f"per_cost={self.per_cost} and queried={decision.queried}"
            )
        targets = np.zeros(self.lanes.n_classes + 1)
        weights = np.zeros_like(targets)
        for y, cost in costs.items():
            if not 0.0 <= cost <= 1.0:
                raise InvalidLabel(f"a cost must lie from 0 to 1, got {cost!r}")
            targets[require_label(y, self.lanes.n_classes)] = cost
            weights[y] = 1.0
        self.erm.observe(x)
        self.lanes.learn_lanes(x, targets, weights)
        # A cost that is not known counts as no mistake.
        self.error_sum += float(costs.get(decision.predicted, 0.0))
        self.k += 1
