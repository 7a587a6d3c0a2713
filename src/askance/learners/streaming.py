"""What the streaming learners have in common: the clock, the error estimate and one way to learn.

Each algorithm adds its own ``decide``.
"""

import math
from abc import ABC, abstractmethod

from askance.kernels.formulas import importance_weight
from askance.protocols import OnlineOracle
from askance.types import Decision, Label, Row, State
from askance.validation import check_label, saved_number, saved_whole

__all__ = ["StreamingLearner", "sample_entry"]


class StreamingLearner(ABC):
    """A learner around one online ERM oracle; subclasses add ``decide``.

    ``k`` is the number of examples learned, each counting 1 whatever its weight; the mean error is
    e = L/k, where L sums the weight of the examples whose prediction, as decided, differs from the
    target.
    """

    def __init__(self, erm: OnlineOracle) -> None:
        self.erm = erm
        self.k = 0
        self.error_sum = 0.0

    @property
    def mean_error(self) -> float:
        return self.error_sum / self.k if self.k else 0.0

    def predict(self, x: Row) -> Label:
        return self.erm.predict(x)

    @abstractmethod
    def decide(self, x: Row, coin: float) -> Decision:
        """Whether to ask for the label of x, given a uniform coin; changes nothing."""

    def decided(
        self,
        predicted: Label,
        inside: bool,
        probability: float,
        coin: float,
        *,
        threshold: float = math.inf,
        floor: float = 0.0,
    ) -> Decision:
        """The decision that a query probability and a coin make after k examples."""
        queried = bool(coin < probability)
        return Decision(predicted, inside, probability, queried, self.k, threshold, floor)

    def learn(self, x: Row, decision: Decision, label: Label | None) -> None:
        """Let the ERM learn what the decision and the label make of the example."""
        check_label(decision, label)
        target, weight = self.target(decision, label)
        self.erm.observe(x)
        self.erm.learn(x, target, weight)
        if decision.predicted != target:
            self.error_sum += weight
        self.k += 1

    def target(self, decision: Decision, label: Label | None) -> tuple[Label, float]:
        """Y* and W: what the sample holds of an example."""
        return sample_entry(decision, label)

    def get_state(self) -> State:
        return {"k": self.k, "error_sum": self.error_sum, "erm": self.erm.get_state()}

    def set_state(self, state: State) -> None:
        k, error_sum = saved_whole(state, "k"), saved_number(state, "error_sum")
        self.erm.set_state(state["erm"])
        self.k, self.error_sum = k, error_sum


def sample_entry(decision: Decision, label: Label | None) -> tuple[Label, float]:
    """Y* and W: what the sample holds of an example.

    Its label with weight 1/P if it was queried, the predicted label with weight 1 outside the
    region, and otherwise weight 0, which only keeps the count. Paper: ``alg:cover``, ``alg:main``.

    >>> sample_entry(Decision(1, True, 0.25, True, 3, 0.1, 0.2), -1)
    (-1, 4.0)
    """
    if not decision.in_disagreement:
        return decision.predicted, 1.0
    weight = importance_weight(decision.probability, decision.queried)
    return (1, weight) if label is None else (label, weight)
