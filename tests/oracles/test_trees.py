"""Forests and boosted trees beside those of scikit-learn, over seeds."""

import numpy as np
import pytest
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    RandomForestClassifier,
)

from askance.oracles.scorers import parts_of
from askance.oracles.trees import boosted_trees, random_trees
from askance.sparse import from_dense

TREES = 30


def made(seed, n=150, classes=2):
    """Labels that need several features; some are wrong."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n + 400, 9)).astype(np.float32)
    X[:, 3] = X[:, 3] > 0
    y = (X[:, 0] * X[:, 3] + X[:, 1] > 0).astype(int) + (classes - 2) * (X[:, 2] > 0.5)
    wrong = rng.random(len(y)) < 0.1
    y[wrong] = rng.integers(0, classes, wrong.sum())
    return X[:n], y[:n], X[n:], y[n:]


def ours(kind, X, y, seed, classes=2):
    parts, targets, weights = from_dense(X), np.eye(classes)[y], np.ones(len(y))
    if kind is GradientBoostingClassifier:
        return boosted_trees(parts, targets, weights, trees=TREES, seed=seed)
    drawn = kind is ExtraTreesClassifier
    return random_trees(parts, targets, weights, trees=TREES, seed=seed, drawn=drawn)[0]


def theirs(kind, X, y, seed):
    options = {"n_estimators": TREES, "random_state": seed, "max_features": "sqrt"}
    if kind is GradientBoostingClassifier:
        return kind(subsample=0.7, init="zero", **options).fit(X, y)
    return kind(bootstrap=True, **options).fit(X, y)


def log_loss(shares, y):
    return -np.mean(np.log(0.98 * shares[np.arange(len(y)), y] + 0.01))


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize(
    "kind", [RandomForestClassifier, ExtraTreesClassifier, GradientBoostingClassifier]
)
def test_they_are_as_good_as_those_of_scikit_learn(kind, classes):
    """Means over seeds of the log loss on other rows, which differ by less than chance allows."""
    gaps = []
    for seed in range(12):
        X, y, others, truth = made(seed, classes=classes)
        found = ours(kind, X, y, seed, classes).probabilities(parts_of(from_dense(others)))
        np.testing.assert_allclose(found.sum(axis=1), 1.0)
        twin = theirs(kind, X, y, seed).predict_proba(others)
        gaps.append(log_loss(found, truth) - log_loss(twin, truth))
    assert abs(np.mean(gaps)) < 4 * np.std(gaps) / np.sqrt(len(gaps)) + 0.01


def test_the_same_seed_gives_the_same_bits_and_another_does_not():
    X, y, others, _ = made(0)
    for kind in (RandomForestClassifier, GradientBoostingClassifier):
        one, same, other = (
            ours(kind, X, y, seed).probabilities(parts_of(from_dense(others))) for seed in (1, 1, 2)
        )
        assert (one == same).all()
        assert (one != other).any()


def test_labels_are_judged_as_others_are():
    """Out of bag the loss is about that on other rows, where in the bag it is far less."""
    X, y, others, truth = made(0, n=400)
    targets = np.eye(2)[y]
    scorer, unseen = random_trees(
        from_dense(X), targets, np.ones(400), trees=100, seed=0, drawn=False
    )
    seen = scorer.probabilities(parts_of(from_dense(X)))
    fresh = scorer.probabilities(parts_of(from_dense(others)))
    assert log_loss(unseen, y) == pytest.approx(log_loss(fresh, truth), abs=0.08)
    assert log_loss(seen, y) < 0.5 * log_loss(unseen, y)


def test_a_class_that_did_not_occur_has_probability_0():
    X, y, others, _ = made(0)
    shares = ours(RandomForestClassifier, X, 2 * y, 0, 3).probabilities(
        parts_of(from_dense(others))
    )
    assert (shares[:, 1] == 0).all()


def test_weights_count_as_so_many_labels():
    """A few heavy labels are believed, where light ones are outvoted."""
    X = np.array([[0.0]] * 12 + [[1.0]] * 3)
    y = np.array([0] * 8 + [1] * 7)
    for weight, expected in ((1.0, 0), (50.0, 1)):
        weights = np.where(X[:, 0] + y == 1, weight, 1.0)
        targets = np.eye(2)[y]
        forest, _ = random_trees(from_dense(X), targets, weights, trees=50, seed=0, drawn=False)
        boosted = boosted_trees(from_dense(X), targets, weights, trees=50, seed=0)
        for scorer in (forest, boosted):
            assert scorer.probabilities(parts_of(from_dense(X)))[0].argmax() == expected
