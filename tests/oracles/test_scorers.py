"""Linear scorers against the classifiers of scikit-learn that they were made from."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from askance.oracles.scorers import linear_scorer, parts_of
from askance.sparse import from_dense


@pytest.fixture
def three():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 4)).astype(np.float32)
    return X, (X[:, 0] > 0).astype(int) + (X[:, 1] > 0.5)


def test_three_classes_are_scored_as_scikit_learn_scores_them(three):
    X, y = three
    linear = LogisticRegression().fit(X, y)
    found = linear_scorer(linear, np.zeros(4), np.ones(4), 3).probabilities(parts_of(from_dense(X)))
    np.testing.assert_allclose(found, linear.predict_proba(X), atol=1e-6)


def test_a_class_that_did_not_occur_has_probability_0(three):
    X, y = three
    X, y = X[y != 1], y[y != 1]
    linear = LogisticRegression().fit(X, y)
    scorer = linear_scorer(linear, np.zeros(4), np.ones(4), 3)
    shares = scorer.probabilities(parts_of(from_dense(X)))
    assert (shares[:, 1] == 0).all()
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
