"""What ``auto`` decides for many rows at once, as arrays."""

from typing import NamedTuple

from askance.learners.outcomes import Outcomes
from askance.learners.pacing import Pace
from askance.types import Bools, Floats, Integers

__all__ = ["Verdicts", "verdicts_of"]


class Verdicts(NamedTuple):
    """What is decided for rows, an array for each part of it that a Decision has."""

    predicted: Integers
    probability: Floats
    queried: Bools
    uniform: Bools

    def at(self, places: Integers) -> "Verdicts":
        """Those of some of the rows."""
        return Verdicts(
            self.predicted[places],
            self.probability[places],
            self.queried[places],
            self.uniform[places],
        )


def verdicts_of(
    shares: Floats, margins: Floats, pace: Pace, coins: Floats, outcomes: Outcomes
) -> Verdicts:
    """Decide for rows with these probabilities of the classes, and margins.

    >>> import numpy as np
    >>> pace = Pace(0.5, 1.0, 0.3, 0.1, 0.1)
    >>> shares, margins, coins = np.array([[0.4, 0.6]]), np.array([0.2]), np.array([0.2])
    >>> verdicts = verdicts_of(shares, margins, pace, coins, Outcomes())
    >>> verdicts.predicted.tolist(), verdicts.probability.tolist(), verdicts.queried.tolist()
    ([1], [1.0], [True])
    """
    P = pace.probabilities(margins)
    return Verdicts(outcomes.best(outcomes.worth(shares)), P, coins < P, coins < pace.uniform)
