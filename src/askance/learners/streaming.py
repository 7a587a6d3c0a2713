"""What the streaming learners have in common: the clock, the error estimate and one way to learn.

Each algorithm adds its own ``decide``.
"""

import math
from abc import ABC, abstractmethod

import numpy as np

from askance.errors import InvalidLabel, InvalidParameter, LabelConflict, LabelMissing
from askance.kernels.formulas import importance_weight
from askance.protocols import OnlineOracle
from askance.types import Decision, Label, Row, State

__all__ = [
    "StreamingLearner",
    "check_coin",
    "check_label",
    "require_label",
    "require_positive",
    "sample_entry",
]


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
        self.erm.set_state(state["erm"])
        self.k, self.error_sum = int(state["k"]), float(state["error_sum"])


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


def check_coin(coin: float) -> None:
    """Raise unless the coin lies in [0, 1).

    >>> check_coin(1.0)
    Traceback (most recent call last):
    askance.errors.InvalidParameter: a coin must lie in [0, 1), got 1.0
    """
    if not 0.0 <= coin < 1.0:
        raise InvalidParameter(f"a coin must lie in [0, 1), got {coin}")


def check_label(decision: Decision, label: Label | None) -> None:
    """Raise unless a queried example has its label, and any other none.

    >>> check_label(Decision(1, True, 0.5, False, 3, 0.1, 0.2), 1)
    Traceback (most recent call last):
    askance.errors.LabelConflict: no label was asked for, got 1, expected None
    """
    if not decision.queried:
        if label is not None:
            raise LabelConflict(f"no label was asked for, got {label!r}, expected None")
    elif label is None:
        raise LabelMissing("a label was asked for, got None, expected -1 or +1")
    else:
        require_label(label)


def require_label(label: object) -> Label:
    """Return a label as -1 or +1, or raise; booleans are no labels.

    >>> require_label(2)
    Traceback (most recent call last):
    askance.errors.InvalidLabel: a label must be -1 or +1, got 2
    """
    if type(label) is int or (
        isinstance(label, int | float | np.integer | np.floating) and not isinstance(label, bool)
    ):
        if label == 1:
            return 1
        if label == -1:
            return -1
    raise InvalidLabel(f"a label must be -1 or +1, got {label!r}")


def require_positive(**parameters: object) -> None:
    """Raise for the first parameter that is not positive and finite.

    >>> require_positive(c0=-1.0)
    Traceback (most recent call last):
    askance.errors.InvalidParameter: c0 must be positive and finite, got -1.0
    """
    for name, value in parameters.items():
        if not (isinstance(value, int | float) and value > 0 and math.isfinite(value)):
            raise InvalidParameter(f"{name} must be positive and finite, got {value!r}")
