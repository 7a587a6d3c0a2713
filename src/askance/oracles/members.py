"""Classifiers of different kinds, each with the probabilities it gave to labels it had not seen.

Rows of numbers are given to a logistic regression, forests and boosted trees; wide sparse rows,
such as words, to logistic regressions and naive Bayes over features that are weighted by how rare
they are. Unlabelled rows teach what needs no label: centres, scales, frequencies.
"""

import functools
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.decomposition import TruncatedSVD
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import ComplementNB

from askance.oracles.linear import LinearState, linear_oracles
from askance.oracles.scorers import (
    LinearScorer,
    Scorer,
    TopicScorer,
    linear_scorer,
    of_length_1,
    parts_of,
)
from askance.oracles.trees import boosted_trees, random_trees
from askance.sparse import rows_of
from askance.types import Floats, Integers, Matrix

__all__ = ["DENSE", "WIDE", "KnownLabels", "Member", "given_to_truth"]

FOLDS = 3
"""Parts of the labels, each unseen by a member that is fitted to the others."""

BOOSTED_FOLDS = 2
"""The same for boosted trees, which take longest."""

TREES = 100
"""Trees of a forest."""

STAGES = 2
"""Boosted trees for each tree of a forest; they are small."""

ONLINE_RATE = 1.6
"""The learning rate of the online linear member, that of the passive learner's suggestion."""

TOPICS = 64
"""Directions in which wide rows are seen by the one member that looks at topics."""


class KnownLabels(NamedTuple):
    """The labels to learn from: rows, codes of classes, weights in fitting; a seed.

    ``importance`` is the weight by which members are judged, 1/P with an upper limit. ``order``
    numbers the labels of each class by chance, so that every part of it has them all.
    """

    X: Matrix
    codes: Integers
    weights: Floats
    importance: Floats
    order: Integers
    classes: int
    seed: int

    def part(self, chosen: NDArray[np.bool_]) -> "KnownLabels":
        """Some of them."""
        rows = np.flatnonzero(chosen)
        return self._replace(
            X=self.X[rows],
            codes=self.codes[rows],
            weights=self.weights[rows],
            importance=self.importance[rows],
            order=self.order[rows],
        )


class Member(NamedTuple):
    """A scorer, and the probabilities that it gave to labels before it had seen them."""

    scorer: Scorer
    unseen: Floats


def _unseen(
    sample: KnownLabels, fit: Callable[[KnownLabels], Scorer], folds: int = FOLDS
) -> Floats:
    """Probabilities of each label by a scorer that was fitted to the other folds."""
    found = np.full((len(sample.codes), sample.classes), 1.0 / sample.classes)
    for fold in range(folds):
        out = sample.order % folds == fold
        if out.any() and len(np.unique(sample.codes[~out])) > 1:
            scorer = fit(sample.part(~out))
            found[out] = scorer.probabilities(parts_of(sample.part(out).X))
    return found


def _logistic(sample: KnownLabels, points: Matrix) -> Member:
    """Standardised logistic regression, its penalty chosen by the labels of other folds."""
    centres, scales = _moments(points)

    def fit(part: KnownLabels, strength: float) -> LinearScorer:
        model = LogisticRegression(C=strength, max_iter=300, tol=1e-3)
        dense = (part.X.toarray() - centres) / scales
        model.fit(dense, part.codes, sample_weight=part.weights)
        return linear_scorer(model, centres, scales, part.classes)

    return _best(sample, [0.03, 0.3, 3.0], fit)


def _best(sample: KnownLabels, strengths: Sequence[float], fit: Callable[..., Scorer]) -> Member:
    """The member whose strength has the least log loss on labels of other folds."""
    tried = [_unseen(sample, functools.partial(fit, strength=one)) for one in strengths]
    losses = [-np.mean(np.log(given_to_truth(found, sample.codes))) for found in tried]
    best = int(np.argmin(losses))
    return Member(fit(sample, strengths[best]), tried[best])


def _random_forest(sample: KnownLabels, points: Matrix) -> Member:
    return _grown(sample, drawn=False)


def _extra_trees(sample: KnownLabels, points: Matrix) -> Member:
    return _grown(sample, drawn=True)


def _grown(sample: KnownLabels, *, drawn: bool) -> Member:
    """A forest, which has left out some labels for each of its trees."""
    X, targets, weights = sample.X, _one_hot(sample), sample.weights
    return Member(*random_trees(X, targets, weights, trees=TREES, seed=sample.seed, drawn=drawn))


def _boosting(sample: KnownLabels, points: Matrix) -> Member:
    def fit(part: KnownLabels) -> Scorer:
        trees = STAGES * TREES
        return boosted_trees(part.X, _one_hot(part), part.weights, trees=trees, seed=part.seed)

    return Member(fit(sample), _unseen(sample, fit, BOOSTED_FOLDS))


def _one_hot(sample: KnownLabels) -> Floats:
    targets: Floats = np.eye(sample.classes)[sample.codes]
    return targets


def _words_logistic(sample: KnownLabels, points: Matrix) -> Member:
    """Logistic regression over rows of length 1, rare features counting more."""
    factors = _rarity(points)

    def fit(part: KnownLabels, strength: float) -> LinearScorer:
        model = LogisticRegression(C=strength, max_iter=300, tol=1e-3)
        X, words = _scaled(part.X, factors), np.arange(len(factors))
        if part.classes > 2:
            # A word that no label has keeps the weight 0, but each class would pay for it.
            words = np.unique(X.indices)
            X = X[:, words]
        model.fit(X, part.codes, sample_weight=part.weights)
        plain = np.zeros(len(words)), np.ones(len(words))
        linear = linear_scorer(model, *plain, part.classes)
        weights = np.zeros((len(factors), part.classes))
        weights[words] = linear.weights
        return LinearScorer(weights, linear.intercepts, factors)

    return _best(sample, [3.0, 10.0, 30.0], fit)


def _topics_logistic(sample: KnownLabels, points: Matrix) -> Member:
    """Logistic regression over the directions in which all rows differ most.

    Words that occur together teach each other, so it needs few labels.
    """
    factors = _rarity(points)
    most = min(TOPICS, min(points.shape) - 1)
    svd = TruncatedSVD(most, n_iter=2, random_state=sample.seed).fit(_scaled(points, factors))
    directions = np.ascontiguousarray(svd.components_.T)

    def fit(part: KnownLabels, strength: float) -> TopicScorer:
        topics = TopicScorer(
            directions, factors, np.zeros((most, part.classes)), np.zeros(part.classes)
        )
        model = LogisticRegression(C=strength, max_iter=300, tol=1e-3)
        model.fit(topics.coordinates(parts_of(part.X)), part.codes, sample_weight=part.weights)
        linear = linear_scorer(model, np.zeros(most), np.ones(most), part.classes)
        return replace(topics, weights=linear.weights, intercepts=linear.intercepts)

    return _best(sample, [1.0, 10.0, 100.0], fit)


def _words_bayes(sample: KnownLabels, points: Matrix) -> Member:
    """Complement naive Bayes over the same features.

    It counts how often a word occurs in a class, so unlike the others it must be told how much each
    label stands for.
    """
    factors = _rarity(points)

    def fit(part: KnownLabels, strength: float) -> LinearScorer:
        model = ComplementNB(alpha=0.3)
        model.fit(abs(_scaled(part.X, factors)), part.codes, sample_weight=part.importance)
        weights = np.zeros((len(factors), part.classes))
        weights[:, model.classes_] = strength * model.feature_log_prob_.T
        intercepts = np.full(part.classes, -np.inf)
        intercepts[model.classes_] = 0.0
        return LinearScorer(weights, intercepts, factors, counts=True)

    return _best(sample, [0.5, 1.0, 2.0, 4.0], fit)


def _online(sample: KnownLabels, points: Matrix) -> Member:
    """The paper's online linear classifier, after one pass over the labels in their order."""
    # Two classes share one lane, which speaks for the second; of more, each has its own.
    first = 1 if sample.classes == 2 else 0

    def fit(part: KnownLabels, strength: float) -> LinearScorer:
        lanes = part.classes - first
        oracles = linear_oracles(
            LinearState(n_features=part.X.shape[1], learning_rate=ONLINE_RATE, lanes=lanes)
        )
        for x, code, weight in zip(
            rows_of(part.X), part.codes.tolist(), part.weights.tolist(), strict=True
        ):
            oracles[0].observe(x)
            for lane, oracle in enumerate(oracles, start=first):
                oracle.learn(x, 1 if code == lane else -1, weight)
        weights = np.zeros((part.X.shape[1], part.classes))
        intercepts = np.zeros(part.classes)
        for lane, oracle in enumerate(oracles, start=first):
            coefficients, constant = oracle.coefficients()
            weights[:, lane], intercepts[lane] = strength * coefficients, strength * constant
        return LinearScorer(weights, intercepts)

    return _best(sample, [1.0, 3.0], fit)


_Recipe = Callable[[KnownLabels, Matrix], Member]

DENSE: dict[str, _Recipe] = {
    "logistic regression": _logistic,
    "forest": _random_forest,
    "extra trees": _extra_trees,
    "boosted trees": _boosting,
}
"""Members for rows of numbers."""

WIDE: dict[str, _Recipe] = {
    "logistic regression of words": _words_logistic,
    "logistic regression of topics": _topics_logistic,
    "naive Bayes of words": _words_bayes,
    "online linear": _online,
}
"""Members for wide sparse rows."""


# ------------------------------------------------------------------ what unlabelled rows show


def _moments(points: Matrix) -> tuple[Floats, Floats]:
    """Centre and scale of each feature; a rare one is not blown up beyond ten times."""
    n = points.shape[0]
    centres = np.asarray(points.sum(axis=0)).ravel() / n
    squares = np.asarray(points.multiply(points).sum(axis=0)).ravel() / n
    scales = np.sqrt(np.maximum(squares - centres**2, 0.0))
    largest = np.asarray(abs(points).max(axis=0).toarray()).ravel()
    scales = np.maximum(scales, 0.1 * largest)
    return centres, np.where(scales > 0, scales, 1.0)


def _rarity(points: Matrix) -> Floats:
    """Inverse document frequency: log((1 + n)/(1 + n_j)) + 1."""
    n = points.shape[0]
    having = np.bincount(points.indices, minlength=points.shape[1])
    rarity: Floats = np.log((1.0 + n) / (1.0 + having)) + 1.0
    return rarity


def _scaled(X: Matrix, factors: Floats) -> Matrix:
    scaled = of_length_1(parts_of(X), factors)
    return csr_array((scaled, X.indices.astype(np.int32), X.indptr.astype(np.int32)), X.shape)


def given_to_truth(found: Floats, codes: Integers) -> Floats:
    """The probability that was given to what turned out true, a little off the ends."""
    smooth = 0.02
    given: Floats = (1 - smooth) * found[np.arange(len(codes)), codes] + smooth / found.shape[1]
    return given
