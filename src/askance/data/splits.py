"""Permutations, coins and the 80/20 split, each from a seed that is made of its own content.

A seed depends on the data set and the permutation, never on an algorithm or a setting: so every
algorithm meets the same examples with the same coins, and comparisons are paired.
"""

import hashlib

import numpy as np
from numpy.typing import NDArray

from askance.types import Integers

__all__ = ["MOST_PERMUTATIONS", "coins", "permutation", "seed_for", "train_test"]

MOST_PERMUTATIONS = 1000
"""Permutations of a study or a comparison; the paper has 9, and a typo a thousand times too
large would run for days before anyone noticed."""


def seed_for(purpose: str, *parts: object) -> int:
    """Give the seed of a purpose: blake2b of its parts joined by ``|``, 64 bits of it.

    >>> seed_for("permutation", "adult", 3)
    11045379332041472161
    >>> seed_for("coins", "adult", 3) == seed_for("permutation", "adult", 3)
    False
    """
    text = "|".join(str(part) for part in (purpose, *parts))
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")


def permutation(dataset: str, j: int, n: int) -> NDArray[np.int64]:
    """Order the ``n`` examples of a data set for its ``j``-th repetition.

    >>> sorted(permutation("adult", 3, 5).tolist())
    [0, 1, 2, 3, 4]
    """
    return np.random.default_rng(seed_for("permutation", dataset, j)).permutation(n)


def coins(dataset: str, j: int, n: int) -> NDArray[np.float64]:
    """Draw one uniform number on [0, 1) per example, whether it will be needed or not.

    The first coins do not depend on ``n``:

    >>> bool((coins("adult", 3, 5) == coins("adult", 3, 9)[:5]).all())
    True
    """
    return np.random.default_rng(seed_for("coins", dataset, j)).random(n)


def train_test(order: Integers) -> tuple[Integers, Integers]:
    """Cut an order in two: the first 80% to learn from, the last 20% to test on.

    >>> [part.tolist() for part in train_test(np.arange(6))]
    [[0, 1, 2, 3], [4, 5]]
    """
    cut = len(order) * 4 // 5
    return order[:cut], order[cut:]
