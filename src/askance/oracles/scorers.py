"""What members of a mixture have learned, as plain arrays that kernels score rows by.

A row's probabilities never depend on the rows beside it, so one row alone gets the same bits.
"""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from scipy.special import softmax

from askance.kernels.scoring import scale_rows, sum_leaves, sum_products
from askance.types import Floats, Integers, Matrix

__all__ = [
    "LinearScorer",
    "Parts",
    "Scorer",
    "TopicScorer",
    "TreeScorer",
    "linear_scorer",
    "of_length_1",
    "parts_of",
]

Parts = tuple[Integers, Integers, Floats]
"""Row starts, indices and values of a CSR matrix."""

TOGETHER = 256
"""Rows that fall through a tree one after the other."""


class Scorer(Protocol):
    """Something that has learned to give each class a probability."""

    def probabilities(self, parts: Parts) -> Floats: ...


@dataclass(frozen=True, slots=True)
class LinearScorer:
    """The softmax of linear scores; rows are first scaled by ``factors`` to length 1, if any.

    ``counts`` says that signs, which hashing gives to words, do not matter.
    """

    weights: Floats
    intercepts: Floats
    factors: Floats | None = None
    counts: bool = False

    def probabilities(self, parts: Parts) -> Floats:
        indptr, indices, values = parts
        if self.factors is not None:
            values = of_length_1(parts, self.factors)
        if self.counts:
            values = abs(values)
        sums = np.tile(self.intercepts, (len(indptr) - 1, 1))
        sum_products(indptr, indices, values, self.weights, sums)
        return _softmax(sums)


@dataclass(frozen=True, slots=True)
class TopicScorer:
    """The softmax of linear scores of a row's coordinates along some directions, of length 1."""

    directions: Floats
    factors: Floats
    weights: Floats
    intercepts: Floats

    def coordinates(self, parts: Parts) -> Floats:
        indptr, indices, _ = parts
        found = np.zeros((len(indptr) - 1, self.directions.shape[1]))
        sum_products(indptr, indices, of_length_1(parts, self.factors), self.directions, found)
        lengths = np.sqrt((found * found).sum(axis=1, keepdims=True))
        coordinates: Floats = found / np.where(lengths > 0, lengths, 1.0)
        return coordinates

    def probabilities(self, parts: Parts) -> Floats:
        # Sums of products, not a matrix product, whose bits depend on how many rows there are.
        scores = (self.coordinates(parts)[:, :, None] * self.weights).sum(axis=1)
        return _softmax(scores + self.intercepts)


@dataclass(frozen=True, slots=True)
class TreeScorer:
    """Sums over the leaves of trees, which are probabilities or go through a softmax."""

    roots: Integers
    columns: Integers
    thresholds: Floats
    rights: Integers
    leaves: Floats
    width: int
    scores: bool

    def probabilities(self, parts: Parts) -> Floats:
        indptr, indices, values = parts
        rows = len(indptr) - 1
        sums = np.zeros((rows, self.leaves.shape[1]))
        room = np.zeros((min(max(rows, 1), TOGETHER), self.width), np.float32)
        sum_leaves(
            indptr, indices, values, self.roots, self.columns, self.thresholds, self.rights,
            self.leaves, room, sums,
        )  # fmt: skip
        return _softmax(sums) if self.scores else sums


def _softmax(sums: Floats) -> Floats:
    shares: Floats = softmax(sums, axis=1)
    return shares


def linear_scorer(model: Any, centres: Floats, scales: Floats, classes: int) -> LinearScorer:
    """A linear model of scikit-learn over the features as they come."""
    weights, intercepts = np.zeros((len(centres), classes)), np.full(classes, -np.inf)
    rows, constants = model.coef_, model.intercept_
    if len(rows) == 1:
        rows, constants = np.vstack([0 * rows, rows]), np.array([0.0, *constants])
    for code, row, constant in zip(model.classes_, rows, constants, strict=True):
        weights[:, code] = row / scales
        intercepts[code] = constant - float(np.sum(centres * weights[:, code]))
    return LinearScorer(weights, intercepts)


def of_length_1(parts: Parts, factors: Floats) -> Floats:
    """The values of rows that are scaled by factors, then to length 1."""
    scaled = np.empty(len(parts[2]))
    scale_rows(*parts, factors, scaled)
    return scaled


def parts_of(X: Matrix) -> Parts:
    """One type of each array, so that a kernel is compiled once."""
    return (
        X.indptr.astype(np.int64, copy=False),
        X.indices.astype(np.int64, copy=False),
        X.data.astype(np.float64, copy=False),
    )
