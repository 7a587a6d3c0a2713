"""Each member against scikit-learn, or against the learner that it is made of."""

import numpy as np
import pytest
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import ComplementNB

from askance.oracles import members, mixture
from askance.oracles.members import DENSE, WIDE, KnownLabels
from askance.presets import make_learner
from askance.sparse import from_dense, rows_of

N = 100


@pytest.mark.parametrize(
    ("name", "kind"),
    [("forest", RandomForestClassifier), ("extra trees", ExtraTreesClassifier)],
)
def test_forests_are_those_of_scikit_learn(numbers, name, kind, alone):
    X, y = numbers
    twin = kind(members.TREES, bootstrap=True, random_state=0).fit(
        X[:N].astype("f4"), y[:N], sample_weight=np.ones(N)
    )
    np.testing.assert_allclose(alone(X, y, name), twin.predict_proba(X[N:]), atol=1e-12)


def test_unseen_probabilities_are_those_of_the_trees_that_left_a_label_out(numbers):
    X, y = numbers
    codes = (y[:N] > 0).astype(int)
    twin = RandomForestClassifier(members.TREES, oob_score=True, random_state=3)
    twin.fit(X[:N].astype("f4"), codes, sample_weight=np.ones(N))
    sample = KnownLabels(
        from_dense(X[:N]), codes, np.ones(N), np.ones(N), mixture._order(codes, 3), 2, 3
    )
    found = members._random_forest(sample, from_dense(X)).unseen
    np.testing.assert_allclose(found, twin.oob_decision_function_)


def test_boosted_trees_are_those_of_scikit_learn(numbers, alone):
    X, y = numbers
    twin = GradientBoostingClassifier(
        n_estimators=members.TREES, max_features="sqrt", subsample=0.7, init="zero", random_state=0
    ).fit(X[:N].astype("f4"), y[:N], sample_weight=np.ones(N))
    np.testing.assert_allclose(
        alone(X, y, "boosted trees"), twin.predict_proba(X[N:].astype("f4")), atol=1e-9
    )


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
