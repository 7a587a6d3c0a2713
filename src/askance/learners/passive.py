"""Passive: ask for every label."""

from askance.learners.streaming import StreamingLearner
from askance.types import Decision, Row
from askance.validation import check_coin

__all__ = ["Passive"]


class Passive(StreamingLearner):
    """Ask for every label: the baseline of ``sec:exp_setup``.

    Parameters
    ----------
    erm
        The online oracle that learns.

    Examples
    --------
    >>> import askance
    >>> learner = askance.make_learner("passive", n_features=2)
    >>> x = askance.as_row([1.0, 0.0])
    >>> decision = learner.decide(x, coin=0.99)
    >>> decision.queried, decision.probability
    (True, 1.0)
    >>> learner.learn(x, decision, +1)
    >>> learner.predict(x)
    1
    """

    floor = 1.0
    """What no query probability is below."""

    def decide(self, x: Row, coin: float) -> Decision:
        check_coin(coin)
        return self.decided(self.erm.predict(x), True, 1.0, coin, floor=1.0)
