"""Several classifiers of different kinds as one: what turns a few labels into probabilities.

Rows of numbers are given to a logistic regression, a forest, extremely randomised trees and
boosted trees; wide sparse rows, such as words, to a logistic regression and naive Bayes over
features that are weighted by how rare they are. Each member is judged by log loss on labels that it
has not seen, and they are mixed by convex weights. Unlabelled rows teach
what needs no label: centres, scales, frequencies, and which features occur at all.
"""

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.special import softmax
from sklearn.decomposition import TruncatedSVD
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import ComplementNB

from askance.kernels.scoring import scale_rows, sum_leaves, sum_products
from askance.oracles.estimator import ConstantClassifier, library_versions
from askance.sparse import from_rows, resized, stacked
from askance.types import Floats, Integers, Label, Matrix, Row

__all__ = ["DENSE", "WIDE", "MixtureClassifier", "MixtureOracle"]

WIDEST_DENSE = 1000
"""Features up to which rows are taken for numbers; beyond, for words."""

FOLDS = 5
"""Parts of the labels, each unseen by a member that is fitted to the others."""

TREES = 100
"""Trees of each kind."""

TOPICS = 64
"""Directions in which wide rows are seen by the one member that looks at topics."""

_CODES: NDArray[np.int8] = np.array([-1, 1], np.int8)

_Parts = tuple[Integers, Integers, Floats]
"""Row starts, indices and values of a CSR matrix."""


class _Labelled(NamedTuple):
    """The labels to learn from: rows, codes of classes, weights in fitting, folds; a seed.

    ``importance`` is the weight by which members are judged, 1/P with an upper limit.
    """

    X: Matrix
    codes: Integers
    weights: Floats
    importance: Floats
    folds: Integers
    classes: int
    seed: int

    def part(self, chosen: NDArray[np.bool_]) -> "_Labelled":
        """Some of them."""
        rows = np.flatnonzero(chosen)
        return self._replace(
            X=self.X[rows],
            codes=self.codes[rows],
            weights=self.weights[rows],
            importance=self.importance[rows],
            folds=self.folds[rows],
        )


class _Scorer(Protocol):
    """Something that has learned to give each class a probability."""

    def probabilities(self, parts: _Parts) -> Floats: ...


class _Member(NamedTuple):
    """A scorer, and the probabilities that it gave to labels before it had seen them."""

    scorer: _Scorer
    unseen: Floats


# ------------------------------------------------------------------ what members are made of


@dataclass(frozen=True, slots=True)
class _Linear:
    """The softmax of linear scores; rows are first scaled by ``factors`` to length 1, if any.

    ``counts`` says that signs, which hashing gives to words, do not matter.
    """

    weights: Floats
    intercepts: Floats
    factors: Floats | None = None
    counts: bool = False

    def probabilities(self, parts: _Parts) -> Floats:
        indptr, indices, values = parts
        if self.factors is not None:
            values = _of_length_1(parts, self.factors)
        if self.counts:
            values = abs(values)
        sums = np.tile(self.intercepts, (len(indptr) - 1, 1))
        sum_products(indptr, indices, values, self.weights, sums)
        return _softmax(sums)


@dataclass(frozen=True, slots=True)
class _Topics:
    """The softmax of linear scores of a row's coordinates along some directions, of length 1."""

    directions: Floats
    factors: Floats
    weights: Floats
    intercepts: Floats

    def coordinates(self, parts: _Parts) -> Floats:
        indptr, indices, _ = parts
        found = np.zeros((len(indptr) - 1, self.directions.shape[1]))
        sum_products(indptr, indices, _of_length_1(parts, self.factors), self.directions, found)
        lengths = np.sqrt((found * found).sum(axis=1, keepdims=True))
        coordinates: Floats = found / np.where(lengths > 0, lengths, 1.0)
        return coordinates

    def probabilities(self, parts: _Parts) -> Floats:
        # Sums of products, not a matrix product, whose bits depend on how many rows there are.
        scores = (self.coordinates(parts)[:, :, None] * self.weights).sum(axis=1)
        return _softmax(scores + self.intercepts)


@dataclass(frozen=True, slots=True)
class _Trees:
    """Sums over the leaves of trees, which are probabilities or go through a softmax."""

    roots: Integers
    columns: Integers
    thresholds: Floats
    rights: Integers
    leaves: Floats
    width: int
    scores: bool

    def probabilities(self, parts: _Parts) -> Floats:
        indptr, indices, values = parts
        sums = np.zeros((len(indptr) - 1, self.leaves.shape[1]))
        sum_leaves(
            indptr, indices, values, self.roots, self.columns, self.thresholds, self.rights,
            self.leaves, np.zeros(self.width, np.float32), sums,
        )  # fmt: skip
        return _softmax(sums) if self.scores else sums


def _softmax(sums: Floats) -> Floats:
    shares: Floats = softmax(sums, axis=1)
    return shares


def _packed(trees: Sequence[Any], leaves: Sequence[Floats], width: int, *, scores: bool) -> _Trees:
    """Trees of scikit-learn as five arrays; its left child always follows its parent."""
    starts = np.cumsum([0, *(tree.node_count for tree in trees)])
    inner = [tree.children_left >= 0 for tree in trees]
    return _Trees(
        roots=starts[:-1].astype(np.int64),
        columns=np.concatenate(
            [np.where(kept, tree.feature, -1) for tree, kept in zip(trees, inner, strict=True)]
        ).astype(np.int64),
        thresholds=np.concatenate([tree.threshold for tree in trees]),
        rights=np.concatenate(
            [tree.children_right + start for tree, start in zip(trees, starts[:-1], strict=True)]
        ).astype(np.int64),
        leaves=np.ascontiguousarray(np.concatenate(leaves)),
        width=width,
        scores=scores,
    )


def _spread(values: Floats, codes: Integers, classes: int) -> Floats:
    """Columns for the classes that occur, among those for all of them."""
    wide = np.zeros((len(values), classes))
    wide[:, codes] = values
    return wide


def _forest(fitted: Any, width: int, classes: int) -> _Trees:
    trees = [one.tree_ for one in fitted.estimators_]
    leaves = []
    for tree in trees:
        counts = tree.value[:, 0, :]
        shares = counts / (counts.sum(axis=1, keepdims=True) * len(trees))
        leaves.append(_spread(shares, fitted.classes_, classes))
    return _packed(trees, leaves, width, scores=False)


def _boosted(fitted: Any, width: int, classes: int) -> _Trees:
    trees, leaves = [], []
    stages = fitted.estimators_
    for stage in stages:
        for column, one in enumerate(stage):
            # Two classes share one tree, which speaks for the second.
            code = fitted.classes_[1 if len(stage) == 1 else column]
            values = fitted.learning_rate * one.tree_.value[:, 0, :]
            trees.append(one.tree_)
            leaves.append(_spread(values, np.array([code]), classes))
    return _packed(trees, leaves, width, scores=True)


# ------------------------------------------------------------------ members


def _unseen(sample: _Labelled, fit: Callable[[_Labelled], _Scorer]) -> Floats:
    """Probabilities of each label by a scorer that was fitted to the other folds."""
    found = np.full((len(sample.codes), sample.classes), 1.0 / sample.classes)
    for fold in range(FOLDS):
        out = sample.folds == fold
        if out.any() and len(np.unique(sample.codes[~out])) > 1:
            scorer = fit(sample.part(~out))
            found[out] = scorer.probabilities(_parts(sample.part(out).X))
    return found


def _logistic(sample: _Labelled, points: Matrix) -> _Member:
    """Standardised logistic regression, its penalty chosen by the labels of other folds."""
    centres, scales = _moments(points)

    def fit(part: _Labelled, strength: float) -> _Linear:
        model = LogisticRegression(C=strength, max_iter=300, tol=1e-3)
        dense = (part.X.toarray() - centres) / scales
        model.fit(dense, part.codes, sample_weight=part.weights)
        return _linear(model, centres, scales, part.classes)

    return _best(sample, [0.03, 0.3, 3.0], fit)


def _best(sample: _Labelled, strengths: Sequence[float], fit: Callable[..., _Scorer]) -> _Member:
    """The member whose strength has the least log loss on labels of other folds."""
    tried = [_unseen(sample, functools.partial(fit, strength=one)) for one in strengths]
    losses = [-np.mean(np.log(_given(found, sample.codes))) for found in tried]
    best = int(np.argmin(losses))
    return _Member(fit(sample, strengths[best]), tried[best])


def _linear(model: Any, centres: Floats, scales: Floats, classes: int) -> _Linear:
    """A linear model of scikit-learn over the features as they come."""
    weights, intercepts = np.zeros((len(centres), classes)), np.full(classes, -np.inf)
    rows, constants = model.coef_, model.intercept_
    if len(rows) == 1:
        rows, constants = np.vstack([0 * rows, rows]), np.array([0.0, *constants])
    for code, row, constant in zip(model.classes_, rows, constants, strict=True):
        weights[:, code] = row / scales
        intercepts[code] = constant - float(np.sum(centres * weights[:, code]))
    return _Linear(weights, intercepts)


def _random_forest(sample: _Labelled, points: Matrix) -> _Member:
    return _grown(RandomForestClassifier, sample)


def _extra_trees(sample: _Labelled, points: Matrix) -> _Member:
    return _grown(ExtraTreesClassifier, sample)


def _grown(kind: Any, sample: _Labelled) -> _Member:
    """A forest, which has left out some labels for each of its trees."""
    model = kind(TREES, bootstrap=True, random_state=sample.seed)
    dense = sample.X.toarray().astype(np.float32)
    model.fit(dense, sample.codes, sample_weight=sample.weights)
    width, classes = sample.X.shape[1], sample.classes
    seen_by = _forest(model, width, classes)
    return _Member(seen_by, _out_of_bag(model, dense, seen_by, sample))


def _out_of_bag(model: Any, dense: Floats, forest: _Trees, sample: _Labelled) -> Floats:
    """For each label the mean over those trees that were grown without it."""
    found = np.zeros((len(dense), sample.classes))
    count = np.zeros((len(dense), 1))
    rows = np.arange(len(dense))
    for one, chosen, root in zip(
        model.estimators_, model.estimators_samples_, forest.roots, strict=True
    ):
        out = np.setdiff1d(rows, chosen)
        leaves = one.tree_.apply(dense[out]) + root
        found[out] += forest.leaves[leaves] * len(forest.roots)
        count[out] += 1
    return np.where(count > 0, found / np.maximum(count, 1), 1.0 / sample.classes)


def _boosting(sample: _Labelled, points: Matrix) -> _Member:
    def fit(part: _Labelled) -> _Scorer:
        model = GradientBoostingClassifier(
            n_estimators=TREES,
            max_features="sqrt",
            subsample=0.7,
            init="zero",
            random_state=part.seed,
        )
        dense = part.X.toarray().astype(np.float32)
        model.fit(dense, part.codes, sample_weight=part.weights)
        return _boosted(model, part.X.shape[1], part.classes)

    return _Member(fit(sample), _unseen(sample, fit))


def _words_logistic(sample: _Labelled, points: Matrix) -> _Member:
    """Logistic regression over rows of length 1, rare features counting more."""
    factors = _rarity(points)

    def fit(part: _Labelled, strength: float) -> _Linear:
        model = LogisticRegression(C=strength, max_iter=300, tol=1e-3)
        model.fit(_scaled(part.X, factors), part.codes, sample_weight=part.weights)
        plain = np.zeros(len(factors)), np.ones(len(factors))
        linear = _linear(model, *plain, part.classes)
        return _Linear(linear.weights, linear.intercepts, factors)

    return _best(sample, [3.0, 10.0, 30.0], fit)


def _topics_logistic(sample: _Labelled, points: Matrix) -> _Member:
    """Logistic regression over the directions in which all rows differ most.

    Words that occur together teach each other, so it needs few labels.
    """
    factors = _rarity(points)
    most = min(TOPICS, min(points.shape) - 1)
    svd = TruncatedSVD(most, n_iter=2, random_state=sample.seed).fit(_scaled(points, factors))
    directions = np.ascontiguousarray(svd.components_.T)

    def fit(part: _Labelled, strength: float) -> _Topics:
        topics = _Topics(
            directions, factors, np.zeros((most, part.classes)), np.zeros(part.classes)
        )
        model = LogisticRegression(C=strength, max_iter=300, tol=1e-3)
        model.fit(topics.coordinates(_parts(part.X)), part.codes, sample_weight=part.weights)
        linear = _linear(model, np.zeros(most), np.ones(most), part.classes)
        return replace(topics, weights=linear.weights, intercepts=linear.intercepts)

    return _best(sample, [1.0, 10.0, 100.0], fit)


def _words_bayes(sample: _Labelled, points: Matrix) -> _Member:
    """Complement naive Bayes over the same features.

    It counts how often a word occurs in a class, so unlike the others it must be told how much each
    label stands for.
    """
    factors = _rarity(points)

    def fit(part: _Labelled, strength: float) -> _Linear:
        model = ComplementNB(alpha=0.3)
        model.fit(abs(_scaled(part.X, factors)), part.codes, sample_weight=part.importance)
        weights = np.zeros((len(factors), part.classes))
        weights[:, model.classes_] = strength * model.feature_log_prob_.T
        return _Linear(weights, np.zeros(part.classes), factors, counts=True)

    return _best(sample, [0.5, 1.0, 2.0, 4.0], fit)


_Recipe = Callable[[_Labelled, Matrix], _Member]

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
    scaled = _of_length_1(_parts(X), factors)
    return csr_array((scaled, X.indices.astype(np.int32), X.indptr.astype(np.int32)), X.shape)


def _of_length_1(parts: _Parts, factors: Floats) -> Floats:
    """The values of rows that are scaled by factors, then to length 1."""
    scaled = np.empty(len(parts[2]))
    scale_rows(*parts, factors, scaled)
    return scaled


def _parts(X: Matrix) -> _Parts:
    """One type of each array, so that a kernel is compiled once."""
    return (
        X.indptr.astype(np.int64, copy=False),
        X.indices.astype(np.int64, copy=False),
        X.data.astype(np.float64, copy=False),
    )


# ------------------------------------------------------------------ the mixture


@dataclass(frozen=True, slots=True)
class MixtureClassifier:
    """The members that earn their place, mixed.

    ``weights`` has the names of the members with their convex weights, ``scorers`` what they have
    learned, and ``places`` the column of each feature among those that were seen, or -1.
    """

    weights: dict[str, float]
    scorers: tuple[_Scorer, ...]
    places: Integers

    def probabilities(self, X: Matrix) -> Floats:
        """The probability of each class, in their order, for each row of a CSR array."""
        parts = self._narrow(X)
        mixed = np.zeros((X.shape[0], 2))
        for weight, scorer in zip(self.weights.values(), self.scorers, strict=True):
            mixed += weight * scorer.probabilities(parts)
        return mixed

    def _narrow(self, X: Matrix) -> _Parts:
        indptr, indices, values = _parts(X)
        columns = self.places[indices]
        known = columns >= 0
        if known.all():
            return indptr, columns, values
        before = np.concatenate([[0], np.cumsum(known)])
        return before[indptr], columns[known], values[known]

    def predict_many(self, X: Matrix) -> Integers:
        predicted: Integers = _CODES[np.argmax(self.probabilities(X), axis=1)]
        return predicted

    def predict(self, x: Row) -> Label:
        return int(self.predict_many(from_rows([x]))[0])


class MixtureOracle:
    """Fits the mixture to labels, and to rows without labels.

    Parameters
    ----------
    n_features
        Number of features of a row.
    seed
        Of trees and folds.
    members
        Names from :data:`DENSE` and :data:`WIDE`; by default all.
    fit_clip
        The largest weight that a label may have in fitting, where the least is 1.
    vote_clip
        The same for the weights by which members are judged.
    """

    def __init__(
        self,
        *,
        n_features: int,
        seed: int = 0,
        members: Sequence[str] | None = None,
        fit_clip: float = 1.0,
        vote_clip: float = 10.0,
    ) -> None:
        self.n_features = n_features
        self.seed = seed
        self.members = members
        self.fit_clip = fit_clip
        self.vote_clip = vote_clip

    @property
    def versions(self) -> dict[str, str]:
        return library_versions()

    def fit(
        self, X: Matrix, targets: Integers, importance: Floats, unlabeled: Matrix
    ) -> MixtureClassifier | ConstantClassifier:
        """Fit to labels with importance weights 1/P, and to ``unlabeled`` rows."""
        if len(targets) == 0 or targets.min() == targets.max():
            return ConstantClassifier(int(targets[0]) if len(targets) else -1)
        points = stacked([resized(X, self.n_features), resized(unlabeled, self.n_features)])
        seen = np.unique(points.indices)
        places = np.full(self.n_features, -1)
        places[seen] = np.arange(len(seen))
        codes = np.searchsorted(_CODES, targets)
        sample = _Labelled(
            X=_renamed(points[: X.shape[0]], places, len(seen)),
            codes=codes,
            weights=_clipped(importance, self.fit_clip),
            importance=_clipped(importance, self.vote_clip),
            folds=_folds(codes, self.seed),
            classes=2,
            seed=self.seed,
        )
        points = _renamed(points, places, len(seen))
        recipes = DENSE if len(seen) <= WIDEST_DENSE else WIDE
        members = {
            name: recipe(sample, points)
            for name, recipe in recipes.items()
            if self.members is None or name in self.members
        }
        votes = _votes([_given(one.unseen, codes) for one in members.values()], sample.importance)
        chosen = {
            name: vote for name, vote in zip(members, votes.tolist(), strict=True) if vote > 0
        }
        return MixtureClassifier(chosen, tuple(members[name].scorer for name in chosen), places)


def _renamed(X: Matrix, places: Integers, width: int) -> Matrix:
    return csr_array((X.data, places[X.indices], X.indptr), shape=(X.shape[0], width))


def _clipped(importance: Floats, most: float) -> Floats:
    weights: Floats = np.minimum(importance / importance.min(), most)
    return weights


def _folds(codes: Integers, seed: int) -> Integers:
    """A fold for each label, so that each class is spread over all of them."""
    folds = np.empty(len(codes), np.int64)
    rng = np.random.default_rng(seed)
    for code in np.unique(codes):
        rows = np.flatnonzero(codes == code)
        folds[rng.permutation(rows)] = np.arange(len(rows)) % FOLDS
    return folds


def _given(found: Floats, codes: Integers) -> Floats:
    """The probability that was given to what turned out true, a little off the ends."""
    smooth = 0.02
    given: Floats = (1 - smooth) * found[np.arange(len(codes)), codes] + smooth / found.shape[1]
    return given


def _votes(given: Sequence[Floats], weights: Floats, prior: float = 2.0) -> Floats:
    """Convex weights of the least log loss, by expectation maximisation from equal ones.

    ``prior`` labels are counted for each member beforehand; those that earn less than a twentieth
    are dropped.
    """
    likelihoods = np.column_stack(given)
    weights = weights * (len(weights) / weights.sum())
    votes = np.full(likelihoods.shape[1], 1.0 / likelihoods.shape[1])
    for _ in range(200):
        shares = likelihoods * votes
        shares /= shares.sum(axis=1, keepdims=True)
        earned = weights @ shares + prior
        votes = earned / earned.sum()
    votes = np.where(votes < 0.05, 0.0, votes)
    kept: Floats = votes / votes.sum()
    return kept
