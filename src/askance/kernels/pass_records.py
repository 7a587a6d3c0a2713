"""What a pass keeps for each setting of a grid.

A setting is one learner with its parameters. Its ERM is lane s, and the members of its cover are
the lanes from ``first[s]`` to ``first[s + 1]``.
"""

from typing import NamedTuple

import numpy as np

from askance.types import Floats, Integers

__all__ = ["COVER", "FIRST", "IWAL", "MARGIN", "PASSIVE", "Decisions", "Grid", "Progress", "Stream"]

PASSIVE, MARGIN, IWAL, COVER = 0, 1, 2, 3

FIRST = 3.0
"""The labels of the first three examples are always asked by the cover."""


class Grid(NamedTuple):
    """Parameters by setting, and ``first``: where the lanes of each cover begin, and the end."""

    kinds: Integers
    oracular: np.ndarray[tuple[int], np.dtype[np.bool_]]
    error_dependent: np.ndarray[tuple[int], np.dtype[np.bool_]]
    by_margin: np.ndarray[tuple[int], np.dtype[np.bool_]]
    c0: Floats
    c1: Floats
    c2: Floats
    b: Floats
    alpha: Floats
    beta2: Floats
    first: Integers


class Progress(NamedTuple):
    """What settings have counted, and the multipliers of their cover members by lane."""

    k: Floats
    error_sums: Floats
    queries: Integers
    done: np.ndarray[tuple[int], np.dtype[np.bool_]]
    numerators: Floats
    denominators: Floats
    multipliers: Floats


class Decisions(NamedTuple):
    """The fields of a Decision by setting."""

    predicted: Floats
    inside: np.ndarray[tuple[int], np.dtype[np.bool_]]
    probability: Floats
    queried: np.ndarray[tuple[int], np.dtype[np.bool_]]
    k: Floats
    threshold: Floats
    floor: Floats


class Stream(NamedTuple):
    """Rows in CSR form with their labels; for the training stream also one coin a row.

    Every index was seen to lie below ``n_features``.
    """

    indptr: Integers
    indices: Integers
    values: Floats
    labels: Integers
    coins: Floats
    n_features: int
