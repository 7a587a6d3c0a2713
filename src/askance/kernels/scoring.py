"""Scores of many rows by what a classifier has learned: leaves of trees and linear weights.

A row's score never depends on the rows beside it, so one row alone gets the same bits.
"""

import math

from askance.kernels._jit import kernel
from askance.types import Floats, Integers

__all__ = ["scale_rows", "sum_leaves", "sum_products"]


@kernel
def sum_leaves(
    indptr: Integers,
    indices: Integers,
    values: Floats,
    roots: Integers,
    columns: Integers,
    thresholds: Floats,
    rights: Integers,
    leaves: Floats,
    room: Floats,
    sums: Floats,
) -> None:
    """Add to ``sums`` what the leaves hold into which each row of a CSR matrix falls.

    Node i asks whether the row's feature ``columns[i]`` is at most ``thresholds[i]``. If so, node
    i + 1 is next, else node ``rights[i]``; a node with the column -1 is a leaf. ``room`` holds a
    zero for each feature of some rows, and is left so.
    """
    n = len(indptr) - 1
    for start in range(0, n, len(room)):
        count = min(len(room), n - start)
        # Trees jump between features, so rows are spread out first, in the single precision in
        # which they were grown.
        for i in range(count):
            for at in range(indptr[start + i], indptr[start + i + 1]):
                room[i, indices[at]] = values[at]
        # Tree by tree, so that its nodes stay near while all these rows fall through it.
        for root in roots:
            for i in range(count):
                node = root
                while columns[node] >= 0:
                    node = node + 1 if room[i, columns[node]] <= thresholds[node] else rights[node]
                for label in range(leaves.shape[1]):
                    sums[start + i, label] += leaves[node, label]
        for i in range(count):
            for at in range(indptr[start + i], indptr[start + i + 1]):
                room[i, indices[at]] = 0.0


@kernel
def sum_products(
    indptr: Integers, indices: Integers, values: Floats, weights: Floats, sums: Floats
) -> None:
    """Add to ``sums`` the product of each row of a CSR matrix and each column of ``weights``."""
    for i in range(len(indptr) - 1):
        for at in range(indptr[i], indptr[i + 1]):
            for label in range(weights.shape[1]):
                sums[i, label] += values[at] * weights[indices[at], label]


@kernel
def scale_rows(
    indptr: Integers, indices: Integers, values: Floats, factors: Floats, scaled: Floats
) -> None:
    """Write to ``scaled`` the values times their features' factors, each row of length 1."""
    for i in range(len(indptr) - 1):
        squares = 0.0
        for at in range(indptr[i], indptr[i + 1]):
            scaled[at] = values[at] * factors[indices[at]]
            squares += scaled[at] * scaled[at]
        if squares > 0.0:
            length = math.sqrt(squares)
            for at in range(indptr[i], indptr[i + 1]):
                scaled[at] /= length
