"""Margin-based selective sampling: what people use today, as the honest baseline."""

from askance.kernels.formulas import margin_probability
from askance.learners.streaming import StreamingLearner
from askance.protocols import OnlineOracle
from askance.types import Decision, Label, Row
from askance.validation import check_coin, require_positive

__all__ = ["MarginSampling"]


class MarginSampling(StreamingLearner):
    """Ask with probability b/(b + abs(f)); learn what was asked with weight 1.

    The probability is kept in the decision, so the labels can be reweighted afterwards, but the
    classifier itself is trained on a biased sample, as everywhere in practice.

    Parameters
    ----------
    erm
        The online oracle that learns.
    b
        The margin at which every second label is asked.

    Examples
    --------
    >>> import askance
    >>> learner = askance.make_learner("margin", n_features=1, b=0.5)
    >>> learner.decide(askance.as_row([1.0]), coin=0.3).probability  # no margin yet
    1.0
    """

    def __init__(self, erm: OnlineOracle, *, b: float = 0.1) -> None:
        require_positive(b=b)
        super().__init__(erm)
        self.b = b

    def decide(self, x: Row, coin: float) -> Decision:
        check_coin(coin)
        f = self.erm.margin(x)
        return self.decided(self.label_of(x, f), True, margin_probability(f, self.b), coin)

    def target(self, decision: Decision, label: Label | None) -> tuple[Label, float]:
        """The label with weight 1, or nothing."""
        return (1, 0.0) if label is None else (label, 1.0)
