"""The guard of ``auto``: spend more labels uniformly where the focused ones have done harm.

The second half of the uniform labels is predicted by a classifier that was fitted to their first
half, and was predicted as decided. A sign test compares the two.
"""

import math

import numpy as np

from askance.learners.label_store import LabelStore
from askance.types import Bools, Floats, Integers, Matrix

__all__ = ["guarded_share", "held_by_guard", "sample_of_guard"]

FEWEST = 10
"""Labels that the guard's classifier is fitted to, at least."""

MOST_UNIFORM = 0.5
"""What the guard may raise the uniform share to."""

LEVEL = 0.05
"""The level of the guard's test."""


def sample_of_guard(
    labelled: LabelStore, labels: int, share: float
) -> tuple[Matrix, Integers, Floats] | None:
    """What the guard's classifier is fitted to, of the first ``labels``; None if it wants none."""
    first, _ = _halves(labelled, labels)
    if len(first) < FEWEST or share >= MOST_UNIFORM:
        return None
    sample = labelled.sample(first)
    return sample if len(set(sample[1].tolist())) > 1 else None


def held_by_guard(labelled: LabelStore, labels: int) -> Integers:
    """Numbers of the labels, among the first so many, by which the guard judges."""
    return _halves(labelled, labels)[1]


def _halves(labelled: LabelStore, labels: int) -> tuple[Integers, Integers]:
    """The two halves of the uniform ones among the first labels."""
    chosen = labelled.uniform()
    chosen = chosen[chosen < labels]
    half = len(chosen) // 2
    return chosen[:half], chosen[half:]


def guarded_share(share: float, right: Bools, was_right: Bools) -> float:
    """The uniform share from here on, given where the guard's classifier and the decisions erred.

    >>> wrong = np.zeros(9, bool)
    >>> guarded_share(0.1, ~wrong, wrong), guarded_share(0.1, wrong, ~wrong)
    (0.2, 0.1)
    """
    worse, better = int(np.sum(right & ~was_right)), int(np.sum(was_right & ~right))
    return min(2 * share, MOST_UNIFORM) if _sign_test(worse, better) < LEVEL else share


def _sign_test(worse: int, better: int) -> float:
    """The chance of so many or more among as many tosses of a fair coin.

    >>> _sign_test(3, 0)
    0.125
    """
    n = worse + better
    return float(sum(math.comb(n, i) for i in range(worse, n + 1)) / 2**n)
