"""Forests and boosted trees over rows of numbers, grown by kernels from few labels.

scikit-learn grows the same trees. It takes about a millisecond of Python for each of them, which is
most of the time where a few hundred labels are fitted again and again.
"""

import math
from dataclasses import replace

import numpy as np

from askance.kernels.growing import boost, grow_forest
from askance.oracles.scorers import TreeScorer
from askance.types import Floats, Integers, Matrix

__all__ = ["boosted_trees", "random_trees"]

DRAWS = 8192
"""Random numbers for a tree; one that needs more takes them again."""

DEPTH = 3
"""Of boosted trees."""

RATE = 0.15
"""How far a boosted tree goes."""

PART = 0.7
"""The share of the labels that a boosted tree sees."""


def random_trees(
    X: Matrix, targets: Floats, weights: Floats, *, trees: int, seed: int, drawn: bool
) -> tuple[TreeScorer, Floats]:
    """A forest, and for each row the mean over those trees that were grown without it.

    ``targets`` has the share of each class for each row, and ``drawn`` says that thresholds are
    drawn, as extra trees have them. At each node as many features are tried as the root of their
    number.
    """
    n, classes = targets.shape
    rng = np.random.default_rng(seed)
    counts = np.zeros((trees, n))
    np.add.at(counts, (np.arange(trees)[:, None], rng.integers(n, size=(trees, n))), 1.0)
    limits = np.array([_tries(X), n, drawn], np.int64)
    grown, unseen = _room(trees, 2 * n - 1, X, classes, scores=False), np.empty((n, classes))
    end = grow_forest(
        *_ranked(X), targets, counts * weights, rng.random((trees, _needed(X, n))), limits,
        grown.roots, grown.columns, grown.thresholds, grown.rights, grown.leaves, unseen,
    )  # fmt: skip
    grown.leaves[:end] /= trees
    return _trimmed(grown, end), unseen


def boosted_trees(
    X: Matrix, targets: Floats, weights: Floats, *, trees: int, seed: int
) -> TreeScorer:
    """Trees each of which corrects the sum of those before it, over a part of the rows."""
    n, classes = targets.shape
    rng = np.random.default_rng(seed)
    seen = max(int(PART * n), 1)
    chance = rng.random((trees, n))
    parts = chance <= np.partition(chance, seen - 1, axis=1)[:, [seen - 1]]
    limits = np.array([_tries(X), DEPTH, 0], np.int64)
    grown = _room(trees, 2 ** (DEPTH + 1) - 1, X, classes, scores=True)
    draws = rng.random((trees, _needed(X, 2**DEPTH)))
    end = boost(
        *_ranked(X), targets, parts * weights, draws, limits, RATE,
        grown.roots, grown.columns, grown.thresholds, grown.rights, grown.leaves,
    )  # fmt: skip
    return _trimmed(grown, end)


def _tries(X: Matrix) -> int:
    width: int = X.shape[1]
    return max(math.isqrt(width), 1)


def _needed(X: Matrix, leaves: int) -> int:
    """Enough for a tree with so many leaves, unless most features are the same everywhere."""
    return min(4 * leaves * _tries(X), DRAWS)


def _room(trees: int, most: int, X: Matrix, classes: int, *, scores: bool) -> TreeScorer:
    """Trees to be: room for so many nodes of each."""
    size = trees * most
    return TreeScorer(
        np.empty(trees, np.int64),
        np.empty(size, np.int64),
        np.empty(size),
        np.empty(size, np.int64),
        np.empty((size, classes)),
        X.shape[1],
        scores,
    )


def _trimmed(grown: TreeScorer, end: int) -> TreeScorer:
    """Without the room that no node took."""
    return replace(
        grown,
        columns=grown.columns[:end].copy(),
        thresholds=grown.thresholds[:end].copy(),
        rights=grown.rights[:end].copy(),
        leaves=grown.leaves[:end].copy(),
    )


def _ranked(X: Matrix) -> tuple[Integers, Floats]:
    """For each feature the ranks of the rows, and the values that have these ranks."""
    dense = np.ascontiguousarray(X.toarray().astype(np.float32).T)
    order = np.argsort(dense, axis=1)
    values = np.take_along_axis(dense, order, axis=1)
    steps = np.zeros(dense.shape, np.int64)
    np.cumsum(values[:, 1:] > values[:, :-1], axis=1, out=steps[:, 1:])
    ranks = np.empty_like(steps)
    np.put_along_axis(ranks, order, steps, axis=1)
    found = np.zeros(dense.shape)
    np.put_along_axis(found, steps, values, axis=1)
    return ranks, found
