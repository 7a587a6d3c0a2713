"""The mixture: each member against scikit-learn, the weights against brute force."""

import itertools

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

from askance.oracles import mixture
from askance.oracles.mixture import DENSE, WIDE, MixtureClassifier, MixtureOracle
from askance.sparse import from_dense, row_at

N = 100


@pytest.fixture(scope="module")
def numbers():
    """Rows of numbers on unlike scales, with labels that need more than a line."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2 * N, 6)) * [1, 100, 0.01, 1, 1, 1] + [0, 5, 3, 0, 0, 0]
    y = np.where(X[:, 0] + X[:, 3] * X[:, 4] > 0, 1, -1).astype(np.int8)
    return X, y


@pytest.fixture(scope="module")
def words():
    """Counts of 3,000 words, some of which go with a class."""
    rng = np.random.default_rng(1)
    y = np.where(rng.random(2 * N) < 0.4, 1, -1).astype(np.int8)
    rates = np.full((2 * N, 3000), 0.005)
    rates[y > 0, :40] = 0.15
    return rng.poisson(rates).astype(float), y


def fitted(X, y, **options):
    oracle = MixtureOracle(n_features=X.shape[1], **options)
    return oracle.fit(from_dense(X[:N]), y[:N], np.ones(N), from_dense(X[N:]))


def alone(X, y, name):
    found = fitted(X, y, members=[name])
    assert list(found.weights) == [name]
    return found.probabilities(from_dense(X[N:]))


@pytest.mark.parametrize(
    ("name", "kind"),
    [("forest", RandomForestClassifier), ("extra trees", ExtraTreesClassifier)],
)
def test_forests_are_those_of_scikit_learn(numbers, name, kind):
    X, y = numbers
    twin = kind(mixture.TREES, bootstrap=True, random_state=0).fit(
        X[:N].astype("f4"), y[:N], sample_weight=np.ones(N)
    )
    np.testing.assert_allclose(alone(X, y, name), twin.predict_proba(X[N:]), atol=1e-12)


def test_unseen_probabilities_are_those_of_the_trees_that_left_a_label_out(numbers):
    X, y = numbers
    codes = (y[:N] > 0).astype(int)
    twin = RandomForestClassifier(mixture.TREES, oob_score=True, random_state=3)
    twin.fit(X[:N].astype("f4"), codes, sample_weight=np.ones(N))
    sample = mixture._Labelled(
        from_dense(X[:N]), codes, np.ones(N), np.ones(N), mixture._folds(codes, 3), 2, 3
    )
    found = mixture._random_forest(sample, from_dense(X)).unseen
    np.testing.assert_allclose(found, twin.oob_decision_function_)


def test_boosted_trees_are_those_of_scikit_learn(numbers):
    X, y = numbers
    twin = GradientBoostingClassifier(
        n_estimators=mixture.TREES, max_features="sqrt", subsample=0.7, init="zero", random_state=0
    ).fit(X[:N].astype("f4"), y[:N], sample_weight=np.ones(N))
    np.testing.assert_allclose(
        alone(X, y, "boosted trees"), twin.predict_proba(X[N:].astype("f4")), atol=1e-9
    )


def test_logistic_regression_is_standardised_by_all_rows(numbers):
    X, y = numbers
    scaled = (X - X.mean(axis=0)) / np.maximum(X.std(axis=0), 0.1 * abs(X).max(axis=0))
    twins = [
        LogisticRegression(C=c, max_iter=300, tol=1e-3).fit(scaled[:N], y[:N])
        for c in (0.03, 0.3, 3.0)
    ]
    found = alone(X, y, "logistic regression")
    gaps = [abs(found - twin.predict_proba(scaled[N:])).max() for twin in twins]
    assert min(gaps) < 1e-6


def test_words_are_weighted_by_their_rarity_among_all_rows(words):
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


def test_the_signs_that_hashing_gives_to_words_do_not_matter(words):
    X, y = words
    signs = np.where(np.arange(X.shape[1]) % 3, 1.0, -1.0)
    name = "naive Bayes of words"
    signed = fitted(X * signs, y, members=[name]).probabilities(from_dense(X[N:] * signs))
    assert (signed == alone(X, y, name)).all()


def test_votes_have_the_least_log_loss():
    rng = np.random.default_rng(4)
    given = [rng.uniform(0.3, 0.9, 200), rng.uniform(0.2, 1.0, 200), rng.uniform(0.5, 0.8, 200)]
    weights = rng.uniform(1, 5, 200)
    votes = mixture._votes(given, weights, prior=0.0)

    def loss(votes):
        return -np.sum(weights * np.log(sum(v * g for v, g in zip(votes, given, strict=True))))

    grid = [
        (a, b, 1 - a - b)
        for a, b in itertools.product(np.linspace(0, 1, 41), repeat=2)
        if a + b <= 1
    ]
    best = min(map(loss, grid))
    assert loss(votes) <= best + 0.05 * abs(best - loss((1 / 3, 1 / 3, 1 / 3)))


def test_a_member_that_earns_nothing_is_dropped():
    good, bad = np.full(300, 0.9), np.full(300, 0.3)
    assert mixture._votes([good, bad], np.ones(300)).tolist() == [1.0, 0.0]


@pytest.mark.parametrize("made", ["numbers", "words"])
def test_one_row_alone_has_the_same_bits(made, request):
    X, y = request.getfixturevalue(made)
    found, rows = fitted(X, y), from_dense(X[N:])
    together = found.probabilities(rows)
    np.testing.assert_allclose(together.sum(axis=1), 1.0)
    for i in range(20):
        assert (found.probabilities(rows[[i]]) == together[i]).all()
        assert found.predict(row_at(rows, i)) == found.predict_many(rows)[i]


def test_equal_seeds_give_equal_bits_and_others_do_not(numbers):
    X, y = numbers
    rows = from_dense(X)
    one, again, other = (fitted(X, y, seed=seed).probabilities(rows) for seed in (0, 0, 1))
    assert (one == again).all()
    assert (one != other).any()


def test_columns_that_nobody_has_seen_do_not_matter(numbers):
    X, y = numbers
    wide = np.zeros((2 * N, 20))
    wide[:, :12:2] = X
    found = MixtureOracle(n_features=20).fit(
        from_dense(wide[:N]), y[:N], np.ones(N), from_dense(wide[N:])
    )
    assert isinstance(found, MixtureClassifier)
    assert (
        found.probabilities(from_dense(wide)) == fitted(X, y).probabilities(from_dense(X))
    ).all()
    wide[:, 1] = 1e6
    assert (
        found.probabilities(from_dense(wide)) == fitted(X, y).probabilities(from_dense(X))
    ).all()


def test_one_class_is_all_that_one_class_teaches(numbers):
    X, _ = numbers
    oracle = MixtureOracle(n_features=6)
    rows = from_dense(X[:5])
    for targets, expected in ([1] * 5, [0.0, 1.0]), ([-1] * 5, [1.0, 0.0]):
        found = oracle.fit(rows, np.array(targets), np.ones(5), rows)
        assert found.probabilities(rows).tolist() == [expected] * 5


def test_two_labels_are_enough(numbers):
    X, y = numbers
    pair = [int(np.argmax(y > 0)), int(np.argmax(y < 0))]
    oracle = MixtureOracle(n_features=6)
    found = oracle.fit(from_dense(X[pair]), y[pair], np.ones(2), from_dense(X))
    assert np.isfinite(found.probabilities(from_dense(X))).all()


def test_the_weights_that_judge_are_clipped():
    assert mixture._clipped(np.array([2.0, 4.0, 600.0]), 10.0).tolist() == [1.0, 2.0, 10.0]


def test_every_member_has_a_family():
    assert not set(DENSE) & set(WIDE)
