"""What the streaming learners have in common: the clock, the error estimate and one way to learn.

Each algorithm adds its own ``decide``.
"""

import math
from abc import ABC, abstractmethod

import numpy as np

from askance.errors import InvalidParameter
from askance.kernels.formulas import importance_weight, sign
from askance.protocols import ClassOracle, OnlineOracle
from askance.sparse import rows_of
from askance.types import Decision, Floats, Integers, Label, Matrix, Row, State
from askance.validation import check_label, saved_number, saved_whole

__all__ = ["StreamingLearner", "sample_entry"]


class StreamingLearner(ABC):
    """A learner around one online ERM oracle; subclasses add ``decide``.

    ``k`` is the number of examples learned, each counting 1 whatever its weight; the mean error is
    e = L/k, where L sums the weight of the examples whose prediction, as decided, differs from the
    target, times what the mistake costs.

    Labels are -1 and +1. Over the lanes of a :class:`~askance.protocols.ClassOracle` they are codes
    from 0 on, and ``n_classes`` says how many there are.
    """

    def __init__(self, erm: OnlineOracle) -> None:
        self.erm = erm
        self.k = 0
        self.error_sum = 0.0
        # Asked once: to look for all methods of a protocol takes longer than to learn a row.
        self._lanes = erm if isinstance(erm, ClassOracle) else None

    @property
    def n_classes(self) -> int | None:
        """How many classes there are, if labels are their codes; None if they are -1 and +1."""
        return None if self._lanes is None else self._lanes.n_classes

    @property
    def lanes(self) -> ClassOracle:
        """The oracle of a learner that has a lane for each class."""
        if self._lanes is None:
            raise InvalidParameter(
                "a learner of labels -1 and +1 has one score for both, make it with n_classes= of "
                "3 or more"
            )
        return self._lanes

    def add_class(self) -> None:
        """Make room for one more class, which starts as what is none of the others."""
        self.lanes.add_class()

    def margins(self, x: Row) -> Floats:
        """A score of each class, the highest that of the prediction."""
        margins = self.lanes.margins(x)
        return -margins if self.lanes.is_squared else margins

    def scores(self, X: Matrix) -> Floats:
        """:meth:`margins` of each row of a CSR array."""
        return self.lanes.scores(X)

    def probabilities(self, X: Matrix) -> Floats:
        """What each class is given, of 1 in all, for each row of a CSR array."""
        return self.lanes.probabilities(X)

    def predict_many(self, X: Matrix) -> Integers:
        """The prediction for each row of a CSR array."""
        if self._lanes is None:
            return np.array([self.predict(row) for row in rows_of(X)], np.int64)
        best: Integers = np.argmax(self.scores(X), axis=1)
        return best

    @property
    def mean_error(self) -> float:
        return self.error_sum / self.k if self.k else 0.0

    def predict(self, x: Row) -> Label:
        return self.erm.predict(x)

    def label_of(self, x: Row, f: float) -> Label:
        """The prediction for x, whose margin is f."""
        return sign(f) if self._lanes is None else self._lanes.predict(x)

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
        check_label(decision, label, self.n_classes)
        target, weight = self.target(decision, label)
        self.erm.observe(x)
        self.erm.learn(x, target, weight)
        self.count(decision.predicted, target, weight)

    def count(self, predicted: Label, target: Label, weight: float) -> None:
        """Count an example that was learned."""
        if predicted != target:
            price = 1.0 if self._lanes is None else self._lanes.price(target, predicted)
            self.error_sum += weight * price
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
