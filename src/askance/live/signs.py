"""A learner of two classes by codes, for people who say -1 and +1."""

from typing import Any

from askance.learners.streaming import StreamingLearner
from askance.types import Decision, Floats, Integers, Label, Matrix, Row, State
from askance.validation import check_label

__all__ = ["InSigns", "in_signs"]


def in_signs(learner: Any) -> Any:
    """The same learner, unless it has two classes by codes: then one whose labels are -1 and +1.

    >>> import askance
    >>> coal = askance.make_learner("coal", n_features=1)
    >>> coal.n_classes, in_signs(coal).predict(askance.as_row([1.0]))
    (2, -1)
    """
    two = isinstance(learner, StreamingLearner) and learner.n_classes == 2
    return InSigns(learner) if two else learner


class InSigns:
    """The code 0 is -1 and the code 1 is +1; all else is as the learner ``coded`` has it."""

    n_classes = None
    has_costs = True

    def __init__(self, coded: StreamingLearner) -> None:
        self.coded = coded
        self.n_features: int | None = getattr(getattr(coded.erm, "state", None), "n_features", None)

    @property
    def k(self) -> int:
        return self.coded.k

    @property
    def mean_error(self) -> float:
        return self.coded.mean_error

    def predict(self, x: Row) -> Label:
        return 2 * self.coded.predict(x) - 1

    def predict_many(self, X: Matrix) -> Integers:
        """One prediction, -1 or +1, for each row of a CSR array."""
        return 2 * self.coded.predict_many(X) - 1

    def scores(self, X: Matrix) -> Floats:
        """What speaks for -1 and for +1, for each row of a CSR array."""
        return self.coded.scores(X)

    def probabilities(self, X: Matrix) -> Floats:
        """The probabilities of -1 and +1, for each row of a CSR array."""
        return self.coded.probabilities(X)

    def decide(self, x: Row, coin: float) -> Decision:
        decision = self.coded.decide(x, coin)
        return decision._replace(predicted=2 * decision.predicted - 1)

    def learn(self, x: Row, decision: Decision, label: Label | None) -> None:
        check_label(decision, label)
        coded = decision._replace(predicted=int(decision.predicted > 0))
        self.coded.learn(x, coded, None if label is None else int(label > 0))

    def get_state(self) -> State:
        return self.coded.get_state()

    def set_state(self, state: State) -> None:
        self.coded.set_state(state)
