"""Each member against scikit-learn, or against the learner that it is made of."""

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import ComplementNB

from askance.oracles import members, mixture
from askance.oracles.members import DENSE, WIDE, KnownLabels
from askance.oracles.scorers import parts_of
from askance.oracles.trees import boosted_trees, random_trees
from askance.presets import make_learner
from askance.sparse import from_dense, rows_of

N = 100


@pytest.mark.parametrize(("name", "drawn"), [("forest", False), ("extra trees", True)])
def test_forests_are_of_random_trees(numbers, name, drawn, alone):
    X, y = numbers
    forest, unseen = random_trees(
        from_dense(X[:N]), targets_of(y), np.ones(N), trees=members.TREES, seed=0, drawn=drawn
    )
    assert (alone(X, y, name) == forest.probabilities(parts_of(from_dense(X[N:])))).all()
    found = DENSE[name](sample_of(X, y), from_dense(X))
    assert (found.unseen == unseen).all()


def test_boosted_trees_are_judged_by_folds(numbers, alone):
    X, y = numbers
    options = {"trees": members.STAGES * members.TREES, "seed": 0}
    rows, targets, ones = from_dense(X[:N]), targets_of(y), np.ones(N)
    whole = boosted_trees(rows, targets, ones, **options)
    found = alone(X, y, "boosted trees")
    assert (found == whole.probabilities(parts_of(from_dense(X[N:])))).all()
    sample = sample_of(X, y)
    unseen = DENSE["boosted trees"](sample, from_dense(X)).unseen
    out = sample.order % members.BOOSTED_FOLDS == 1
    kept = np.flatnonzero(~out)
    others = boosted_trees(rows[kept], targets[kept], ones[kept], **options)
    expected = others.probabilities(parts_of(rows[np.flatnonzero(out)]))
    np.testing.assert_allclose(unseen[out], expected)


def targets_of(y):
    return np.eye(2)[(y[:N] > 0).astype(int)]


def sample_of(X, y):
    codes = (y[:N] > 0).astype(int)
    ones, order = np.ones(N), mixture._order(codes, 0)
    return KnownLabels(from_dense(X[:N]), codes, ones, ones, order, 2, 0)


def test_logistic_regression_is_standardised_by_all_rows(numbers, alone):
    X, y = numbers
    scaled = (X - X.mean(axis=0)) / np.maximum(X.std(axis=0), 0.1 * abs(X).max(axis=0))
    twins = [
        LogisticRegression(C=c, max_iter=300, tol=1e-3).fit(scaled[:N], y[:N])
        for c in (0.03, 0.3, 3.0)
    ]
    found = alone(X, y, "logistic regression")
    gaps = [abs(found - twin.predict_proba(scaled[N:])).max() for twin in twins]
    assert min(gaps) < 1e-6


def test_words_are_weighted_by_their_rarity_among_all_rows(words, fitted, alone):
    X, y = words
    assert set(fitted(X, y).weights) <= set(WIDE)
    seen = X.sum(axis=0) > 0
    scaled = TfidfTransformer(smooth_idf=True).fit(X[:, seen]).transform(X[:, seen])
    twins = [
        LogisticRegression(C=c, max_iter=300, tol=1e-3).fit(scaled[:N], y[:N]) for c in (3, 10, 30)
    ]
    found = alone(X, y, "logistic regression of words")
    gaps = [abs(found - twin.predict_proba(scaled[N:])).max() for twin in twins]
    assert min(gaps) < 1e-3
    bayes = ComplementNB(alpha=0.3).fit(scaled[:N], y[:N])
    found = alone(X, y, "naive Bayes of words")
    assert (found.argmax(axis=1) == (bayes.predict(scaled[N:]) > 0)).all()


def test_words_that_no_label_has_say_nothing_of_several_classes(words, fitted):
    """The fit leaves them out; scikit-learn's, which does not, gives them weights of zero."""
    X, y = words
    codes = np.where(y > 0, 2, np.arange(2 * N) % 2)
    seen = X.sum(axis=0) > 0
    taught = (X[:N] > 0).any(axis=0)[seen]
    assert 0 < taught.sum() < len(taught)
    scaled = TfidfTransformer(smooth_idf=True).fit(X[:, seen]).transform(X[:, seen])
    twins = [
        LogisticRegression(C=c, max_iter=300, tol=1e-3).fit(scaled[:N], codes[:N])
        for c in (3, 10, 30)
    ]
    name = "logistic regression of words"
    found = fitted(X, codes, members=[name], coded=True)
    given = found.probabilities(from_dense(X[N:]))
    gaps = [abs(given - twin.predict_proba(scaled[N:])).max() for twin in twins]
    assert min(gaps) < 1e-3
    assert (found.scorers[0].weights[~taught] == 0).all()


def test_the_signs_that_hashing_gives_to_words_do_not_matter(words, fitted, alone):
    X, y = words
    signs = np.where(np.arange(X.shape[1]) % 3, 1.0, -1.0)
    name = "naive Bayes of words"
    signed = fitted(X * signs, y, members=[name]).probabilities(from_dense(X[N:] * signs))
    assert (signed == alone(X, y, name)).all()


def test_every_member_has_a_family():
    assert not set(DENSE) & set(WIDE)


def test_the_online_member_is_the_passive_learner(words, alone):
    X, y = words
    # Counts above those that were learned from are not on the line.
    X = np.minimum(X, 1)
    seen = X.sum(axis=0) > 0
    rows = from_dense(X[:, seen])
    learner = make_learner("passive", n_features=int(seen.sum()))
    for x, label in zip(rows_of(rows[:N]), y[:N].tolist(), strict=True):
        learner.learn(x, learner.decide(x, 0.0), label)
    margins = learner.erm.margins(rows[N:])
    found = alone(X, y, "online linear")
    logits = np.log(found[:, 1] / found[:, 0])
    assert min(abs(logits - strength * margins).max() for strength in (1, 3)) < 1e-4
