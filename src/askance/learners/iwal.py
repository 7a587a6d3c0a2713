"""Importance-weighted active learning and its Oracular variants: one loop, two switches."""

from typing import ClassVar

from askance.kernels.formulas import (
    iwal_aggressive_term,
    iwal_probability,
    iwal_slow_term,
)
from askance.learners.disagreement import Disagreement, check_disagreement, error_gap
from askance.learners.streaming import StreamingLearner
from askance.protocols import OnlineOracle
from askance.types import Decision, Row
from askance.validation import check_coin, require_at_least_one, require_positive

__all__ = ["IWAL0", "IWAL1", "OracularIWAL0", "OracularIWAL1"]


class IWAL0(StreamingLearner):
    """Always ask while flipping the prediction is cheap, and less and less often beyond.

    For the k-th example the error gap is G = flip weight / (k - 1); the query probability is 1
    for k = 1 and for G <= A + B, and falls with G beyond. An example that is not queried has
    weight 0; the others weigh 1/P, so the sample stays unbiased.

    Paper: ``sec:exp_setup``, ``eq:iwal0_threshold``; Beygelzimer et al. (2010), Algorithm 1.

    Parameters
    ----------
    erm
        The online oracle that learns.
    c0
        C_0: larger asks more.
    c1, c2
        Constants of the equation for the probability: 1 by default; its analysis takes
        5 + 2 sqrt(2) and 5. They are not a rescaling of ``c0``.
    disagreement
        ``"sensitivity"``, ``"margin"`` or ``"exact"``, see :mod:`askance.learners.disagreement`.

    Examples
    --------
    >>> import askance
    >>> learner = askance.make_learner("iwal0", n_features=1, c0=0.1)
    >>> x = askance.as_row([1.0])
    >>> learner.learn(x, learner.decide(x, coin=0.9), +1)
    >>> learner.decide(x, coin=0.9).k
    1
    """

    error_dependent: ClassVar[bool] = False
    oracular: ClassVar[bool] = False

    def __init__(
        self,
        erm: OnlineOracle,
        *,
        c0: float = 0.1,
        c1: float = 1.0,
        c2: float = 1.0,
        disagreement: Disagreement = "sensitivity",
    ) -> None:
        require_positive(c0=c0)
        require_at_least_one(c1=c1, c2=c2)
        check_disagreement(disagreement, erm)
        super().__init__(erm)
        self.c0, self.c1, self.c2 = c0, c1, c2
        self.disagreement: Disagreement = disagreement

    def decide(self, x: Row, coin: float) -> Decision:
        check_coin(coin)
        f = self.erm.margin(x)
        if self.k == 0:
            return self.decided(self.label_of(x, f), True, 1.0, coin)
        gap = error_gap(self.erm, x, f, self.k, self.disagreement)
        error = self.mean_error if self.error_dependent else 1.0
        a = iwal_slow_term(error, float(self.k), self.c0)
        b = iwal_aggressive_term(float(self.k), self.c0)
        in_disagreement = not self.oracular or gap <= a + b
        probability = iwal_probability(gap, a, b, self.c1, self.c2)
        if self.oracular:
            probability = 1.0 if in_disagreement else 0.0
        return self.decided(
            self.label_of(x, f), in_disagreement, probability, coin, threshold=a + b
        )


class IWAL1(IWAL0):
    """IWAL with a threshold that shrinks with the error estimate.

    Paper: ``sec:exp_setup``, ``eq:iwal_threshold``. Parameters as :class:`IWAL0`.

    Examples
    --------
    >>> import askance
    >>> askance.make_learner("iwal1", n_features=1).decide(askance.as_row([1.0]), 0.5).queried
    True
    """

    error_dependent = True


class OracularIWAL0(IWAL0):
    """Ask below IWAL0's threshold, and learn the predicted label with weight 1 above it.

    The mean error counts both kinds, and is no longer unbiased. Paper: ``sec:exp_setup``,
    ``eq:iwal0_threshold``.

    Parameters
    ----------
    erm
        The online oracle that learns.
    c0
        C_0: larger asks more. Too small a value lets the learner trust its first guesses for ever.
    disagreement
        ``"sensitivity"``, ``"margin"`` or ``"exact"``, see :mod:`askance.learners.disagreement`.

    Examples
    --------
    >>> import askance
    >>> learner = askance.make_learner("oracular_iwal0", n_features=1)
    >>> learner.decide(askance.as_row([1.0]), 0.5).queried
    True
    """

    oracular = True

    def __init__(
        self,
        erm: OnlineOracle,
        *,
        c0: float = 1.0,
        disagreement: Disagreement = "sensitivity",
    ) -> None:
        super().__init__(erm, c0=c0, disagreement=disagreement)


class OracularIWAL1(OracularIWAL0):
    """Ask below IWAL1's threshold, and learn the predicted label with weight 1 above it.

    Paper: ``sec:exp_setup``, ``eq:iwal_threshold``.

    Examples
    --------
    >>> import askance
    >>> learner = askance.make_learner("oracular_iwal1", n_features=1)
    >>> learner.decide(askance.as_row([1.0]), 0.5).queried
    True
    """

    error_dependent = True
