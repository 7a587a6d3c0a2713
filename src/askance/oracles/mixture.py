"""Several classifiers of different kinds as one: what turns a few labels into probabilities.

Each member is judged by log loss on labels that it has not seen, and they are mixed by convex
weights. Features that never occurred are left out.
"""

import contextlib
import functools
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn import config_context
from threadpoolctl import ThreadpoolController

from askance.oracles.estimator import ConstantClassifier, library_versions
from askance.oracles.members import DENSE, WIDE, KnownLabels, given_to_truth
from askance.oracles.scorers import Parts, Scorer, parts_of
from askance.sparse import from_rows, resized, stacked
from askance.types import Floats, Integers, Label, Matrix, Row

__all__ = ["MixtureClassifier", "MixtureOracle"]

WIDEST_DENSE = 1000
"""Features up to which rows are taken for numbers; beyond, for words."""


@dataclass(frozen=True, slots=True)
class MixtureClassifier:
    """The members that earn their place, mixed.

    ``weights`` has the names of the members with their convex weights, ``scorers`` what they have
    learned, and ``places`` the column of each feature among those that were seen, or -1. ``labels``
    are those of the classes, and ``unseen`` the probabilities of the rows it was fitted to, by
    members that were not. Rows with fewer than ``enough`` features say too little.
    """

    weights: dict[str, float]
    scorers: tuple[Scorer, ...]
    places: Integers
    labels: Integers
    unseen: Floats
    enough: float

    def probabilities(self, X: Matrix) -> Floats:
        """The probability of each class, in their order, for each row of a CSR array."""
        parts = self._narrow(X)
        mixed = np.zeros((X.shape[0], len(self.labels)))
        for weight, scorer in zip(self.weights.values(), self.scorers, strict=True):
            mixed += weight * scorer.probabilities(parts)
        return mixed

    def _narrow(self, X: Matrix) -> Parts:
        indptr, indices, values = parts_of(X)
        columns = self.places[indices]
        known = columns >= 0
        if known.all():
            return indptr, columns, values
        before = np.concatenate([[0], np.cumsum(known)])
        return before[indptr], columns[known], values[known]

    def is_faint(self, X: Matrix) -> NDArray[np.bool_]:
        """Whether a row says too little for its label to teach much, for each row of X."""
        faint: NDArray[np.bool_] = np.diff(X.indptr) < self.enough
        return faint

    def predict_many(self, X: Matrix) -> Integers:
        predicted: Integers = self.labels[np.argmax(self.probabilities(X), axis=1)]
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
        Names from :data:`~askance.oracles.members.DENSE` and
        :data:`~askance.oracles.members.WIDE`; by default all.
    fit_clip
        The largest weight that a label may have in fitting, where the least is 1.
    vote_clip
        The same for the weights by which members are judged.
    coded
        Whether labels are codes of classes, and not -1 and +1.
    """

    def __init__(
        self,
        *,
        n_features: int,
        seed: int = 0,
        members: Sequence[str] | None = None,
        fit_clip: float = 1.0,
        vote_clip: float = 10.0,
        coded: bool = False,
    ) -> None:
        self.n_features = n_features
        self.seed = seed
        self.members = members
        self.fit_clip = fit_clip
        self.vote_clip = vote_clip
        self.coded = coded

    @property
    def versions(self) -> dict[str, str]:
        return library_versions()

    def fit(
        self, X: Matrix, targets: Integers, importance: Floats, unlabeled: Matrix
    ) -> MixtureClassifier | ConstantClassifier:
        """Fit to labels with importance weights 1/P, and to ``unlabeled`` rows."""
        if len(targets) == 0 or targets.min() == targets.max():
            nothing = 0 if self.coded else -1
            label = int(targets[0]) if len(targets) else nothing
            return ConstantClassifier(label, coded=self.coded)
        points = stacked([resized(X, self.n_features), resized(unlabeled, self.n_features)])
        seen = np.unique(points.indices)
        places = np.full(self.n_features, -1)
        places[seen] = np.arange(len(seen))
        labels, codes = np.unique(targets, return_inverse=True)
        sample = KnownLabels(
            X=_renamed(points[: X.shape[0]], places, len(seen)),
            codes=codes,
            weights=_clipped(importance, self.fit_clip),
            importance=_clipped(importance, self.vote_clip),
            order=_order(codes, self.seed),
            classes=len(labels),
            seed=self.seed,
        )
        points = _renamed(points, places, len(seen))
        recipes = DENSE if len(seen) <= WIDEST_DENSE else WIDE
        # What reaches here is checked, and need not be checked again for each fold.
        # Small fits are slower on several threads, and their sums have other bits.
        with (
            config_context(assume_finite=True, skip_parameter_validation=True),
            _threads().limit(limits=1),
            _quiet(len(labels)),
        ):
            members = {
                name: recipe(sample, points)
                for name, recipe in recipes.items()
                if self.members is None or name in self.members
            }
        votes = _votes(
            [given_to_truth(one.unseen, codes) for one in members.values()], sample.importance
        )
        chosen = {
            name: vote for name, vote in zip(members, votes.tolist(), strict=True) if vote > 0
        }
        unseen = np.sum([vote * members[name].unseen for name, vote in chosen.items()], axis=0)
        scorers = tuple(members[name].scorer for name in chosen)
        # A text of a few words is near every margin because nothing is known of it, and its label
        # tells about a few words only. Numbers are all there in each row.
        enough = float(np.median(np.diff(points.indptr))) if recipes is WIDE else 0.0
        return MixtureClassifier(chosen, scorers, places, labels, unseen, enough)


@functools.cache
def _threads() -> ThreadpoolController:
    """Of the libraries that are loaded by now; to look for them takes as long as a small fit."""
    return ThreadpoolController()


@contextlib.contextmanager
def _quiet(classes: int) -> Iterator[None]:
    """Without the warning that classes with a label or two each may be numbers to predict."""
    if classes <= 2:
        yield
        return
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The number of unique classes", UserWarning)
        yield


def _renamed(X: Matrix, places: Integers, width: int) -> Matrix:
    return csr_array((X.data, places[X.indices], X.indptr), shape=(X.shape[0], width))


def _clipped(importance: Floats, most: float) -> Floats:
    weights: Floats = np.minimum(importance / importance.min(), most)
    return weights


def _order(codes: Integers, seed: int) -> Integers:
    """Numbers of the labels of each class, in an order of chance."""
    order = np.empty(len(codes), np.int64)
    rng = np.random.default_rng(seed)
    for code in np.unique(codes):
        rows = np.flatnonzero(codes == code)
        order[rng.permutation(rows)] = np.arange(len(rows))
    return order


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
