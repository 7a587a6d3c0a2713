"""Scorers against the classifiers of scikit-learn that they were made from."""

import numpy as np
import pytest
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression

from askance.oracles.scorers import boosted_scorer, forest_scorer, linear_scorer, parts_of
from askance.sparse import from_dense


@pytest.fixture
def three():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 4)).astype(np.float32)
    return X, (X[:, 0] > 0).astype(int) + (X[:, 1] > 0.5)


def test_three_classes_are_scored_as_scikit_learn_scores_them(three):
    X, y = three
    parts = parts_of(from_dense(X))
    forest = RandomForestClassifier(5, random_state=0).fit(X, y)
    boosted = GradientBoostingClassifier(n_estimators=5, init="zero", random_state=0).fit(X, y)
    linear = LogisticRegression().fit(X, y)
    plain = np.zeros(4), np.ones(4)
    for found, twin in (
        (forest_scorer(forest, 4, 3), forest),
        (boosted_scorer(boosted, 4, 3), boosted),
        (linear_scorer(linear, *plain, 3), linear),
    ):
        np.testing.assert_allclose(found.probabilities(parts), twin.predict_proba(X), atol=1e-6)


def test_a_class_that_did_not_occur_has_probability_0(three):
    X, y = three
    X, y = X[y != 1], y[y != 1]
    parts = parts_of(from_dense(X))
    forest = RandomForestClassifier(5, random_state=0).fit(X, y)
    linear = LogisticRegression().fit(X, y)
    for found in (forest_scorer(forest, 4, 3), linear_scorer(linear, np.zeros(4), np.ones(4), 3)):
        shares = found.probabilities(parts)
        assert (shares[:, 1] == 0).all()
        np.testing.assert_allclose(shares.sum(axis=1), 1.0)
