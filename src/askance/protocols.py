"""What the parts of askance expect of each other.

A learner is *handed* its oracles, so anything that has these methods will do. ``askance.checks``
holds an executable suite for each protocol.
"""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from askance.types import Decision, Floats, Integers, Label, Row, State

__all__ = ["BatchOracle", "Classifier", "LabelSource", "Learner", "OnlineOracle"]


@runtime_checkable
class Classifier(Protocol):
    """h: one prediction, exactly -1 or +1."""

    def predict(self, x: Row) -> Label: ...


@runtime_checkable
class OnlineOracle(Classifier, Protocol):
    """A stateful, importance-weighted minimiser: O_t of ``alg:cover``.

    ``learning_rate`` is read by the margin form of the disagreement test only.
    """

    @property
    def learning_rate(self) -> float: ...

    def observe(self, x: Row) -> None:
        """Take note of the features' scales; called once for each example that is learned."""

    def margin(self, x: Row) -> float:
        """The real-valued score whose sign is the prediction (0 counts as -1)."""

    def learn(self, x: Row, target: Label, weight: float) -> float:
        """One importance-weighted example; weight 0 changes nothing. Returns the new margin."""

    def flip_weight(self, x: Row) -> float:
        """The weight of an opposite-label example that would bring the margin to zero."""

    def get_state(self) -> State: ...

    def set_state(self, state: State) -> None: ...


@runtime_checkable
class BatchOracle(Protocol):
    """Empirical risk minimisation on a weighted sample: ``fit`` returns a new classifier.

    The order of ``rows`` carries no meaning; rows of weight 0 change nothing.
    """

    def fit(self, rows: Sequence[Row], targets: Integers, weights: Floats) -> Classifier: ...


@runtime_checkable
class Learner(Protocol):
    """The three verbs of every algorithm.

    ``decide`` changes nothing; ``learn`` is the only mutation, and is called for every example,
    labelled or not. The coin is uniform on [0, 1) and belongs to the caller.
    """

    @property
    def k(self) -> int:
        """Examples learned so far."""

    @property
    def mean_error(self) -> float:
        """The progressive error estimate e."""

    def predict(self, x: Row) -> Label: ...

    def decide(self, x: Row, coin: float) -> Decision: ...

    def learn(self, x: Row, decision: Decision, label: Label | None) -> None: ...

    def get_state(self) -> State: ...

    def set_state(self, state: State) -> None: ...


class LabelSource(Protocol):
    """Where the label of the i-th example of a stream comes from."""

    def ask(self, i: int) -> Label: ...
