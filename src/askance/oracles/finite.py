"""Exact empirical risk minimisation over an explicit finite class."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from askance.errors import InvalidParameter
from askance.protocols import BatchClassifier
from askance.sparse import column, from_rows, resized
from askance.types import Floats, Integers, Label, Matrix, Row
from askance.validation import check_structure, require_whole

__all__ = ["FiniteOracle", "Vote", "VoteOracle", "lowest_minimiser"]

# Sums of equal weights in different orders differ in their last bits and must still tie.
_TIE = 1e-12
_CHUNK = 4096


def lowest_minimiser(errors: Floats, weights: Floats) -> int:
    """Index of the least of the ``errors`` on a sample of these ``weights``; of ties the lowest.

    >>> lowest_minimiser(np.array([0.5, 0.3, 0.1 + 0.2]), np.ones(2))
    1
    """
    slack = _TIE * max(float(np.sum(weights)), 1.0)
    return int(np.argmax(errors <= errors.min() + slack))


class FiniteOracle:
    """Exact ERM over a list of classifiers; ties go to the lowest index.

    Parameters
    ----------
    classifiers
        The class H: anything with ``predict`` and ``predict_many``.

    Examples
    --------
    >>> from askance.sparse import from_dense
    >>> from askance.oracles.thresholds import Threshold
    >>> oracle = FiniteOracle([Threshold(0, t, 1) for t in (0.0, 1.0, 2.0)])
    >>> X = from_dense(np.array([[0.5], [1.5]]))
    >>> oracle.fit(X, np.array([-1, 1]), np.ones(2)).cut
    1.0
    """

    def __init__(self, classifiers: Sequence[BatchClassifier]) -> None:
        if not classifiers:
            raise InvalidParameter("classifiers must hold at least one classifier, got none")
        self.classifiers = list(classifiers)

    def votes(self, X: Matrix) -> Integers:
        """Predictions of every classifier, -1 or +1: a row for each example."""
        columns = [classifier.predict_many(X) for classifier in self.classifiers]
        return np.stack(columns, axis=1)

    def errors(self, X: Matrix, targets: Integers, weights: Floats) -> Floats:
        """Weighted error of every classifier, as a sum."""
        signed = np.asarray(weights, dtype=np.float64) * targets
        totals: Floats = (np.sum(weights) - signed @ self.votes(X)) / 2
        return totals

    def fit(self, X: Matrix, targets: Integers, weights: Floats) -> BatchClassifier:
        return self.classifiers[lowest_minimiser(self.errors(X, targets, weights), weights)]

    def constrained_errors(
        self, X: Matrix, targets: Integers, weights: Floats, points: Matrix, sides: Integers
    ) -> Floats:
        check_structure(points)
        errors = self.errors(X, targets, weights)
        least = np.full(points.shape[0], np.inf)
        for start in range(0, points.shape[0], _CHUNK):
            block = slice(start, start + _CHUNK)
            agree = self.votes(points[block]) == np.asarray(sides)[block, None]
            least[block] = np.where(agree, errors, np.inf).min(axis=1)
        return least


@dataclass(frozen=True, slots=True)
class Vote:
    """Member ``index`` of the class of a :class:`VoteOracle`."""

    index: int

    def predict(self, x: Row) -> Label:
        return int(self.predict_many(from_rows([x]))[0])

    def predict_many(self, X: Matrix) -> Integers:
        dissents, common = column(X, self.index + 1) != 0, column(X, 0)
        return np.where(dissents, -common, common).astype(np.int8)


class VoteOracle:
    """Exact ERM over a finite class whose votes the examples carry with them.

    Feature 0 of an example is the common vote, -1 or +1; feature j + 1 is non-zero where classifier
    j dissents. A large class that mostly agrees, as in ``sec:example``, costs a few numbers per
    example.

    Parameters
    ----------
    size
        How many classifiers there are.

    Examples
    --------
    >>> from askance.sparse import from_dense
    >>> X = from_dense(np.array([[1.0, 0.0, 1.0], [-1.0, 1.0, 0.0]]))
    >>> VoteOracle(2).fit(X, np.array([-1, -1]), np.ones(2)).index
    1
    """

    def __init__(self, size: int) -> None:
        require_whole(1, size=size)
        self.classifiers = [Vote(index) for index in range(size)]

    def errors(self, X: Matrix, targets: Integers, weights: Floats) -> Floats:
        """Weighted error of every classifier, as a sum."""
        signed = np.asarray(weights, dtype=np.float64) * targets * column(X, 0)
        # A dissent turns a gain of w y v into a loss of the same size.
        dissent = resized(X, len(self.classifiers) + 1).T @ signed
        common = float(np.sum(weights) - np.sum(signed)) / 2
        totals: Floats = common + dissent[1:]
        return totals

    def fit(self, X: Matrix, targets: Integers, weights: Floats) -> Vote:
        return self.classifiers[lowest_minimiser(self.errors(X, targets, weights), weights)]

    def constrained_errors(
        self, X: Matrix, targets: Integers, weights: Floats, points: Matrix, sides: Integers
    ) -> Floats:
        errors = self.errors(X, targets, weights)
        points = resized(points, len(errors) + 1)
        with_dissenters = np.asarray(sides) != column(points, 0)
        least = _least_among_others(errors, points)
        least[with_dissenters] = _least_among_dissenters(errors, points[with_dissenters])
        return least


def _least_among_dissenters(errors: Floats, points: Matrix) -> Floats:
    by_feature = np.concatenate([[np.inf], errors])
    values = np.append(by_feature[points.indices], np.inf)
    # Each row holds its common vote, so no row is empty and reduceat needs no special case.
    least: Floats = np.minimum.reduceat(values, points.indptr[:-1])
    return least


def _least_among_others(errors: Floats, points: Matrix) -> Floats:
    """Try classifiers from the best on: few are needed before every point has one of them."""
    least = np.full(points.shape[0], np.inf)
    unanswered = np.ones(points.shape[0], dtype=bool)
    by_column = points.tocsc()
    for index in np.argsort(errors, kind="stable"):
        span = slice(by_column.indptr[index + 1], by_column.indptr[index + 2])
        answered = unanswered.copy()
        answered[by_column.indices[span]] = False
        least[answered] = errors[index]
        unanswered &= ~answered
        if not unanswered.any():
            break
    return least
