"""The mixture: the weights of its members against brute force, and what it leaves out."""

import itertools

import numpy as np
import pytest

from askance.oracles import mixture
from askance.oracles.mixture import MixtureClassifier, MixtureOracle
from askance.sparse import from_dense, row_at

N = 100


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
def test_one_row_alone_has_the_same_bits(made, request, fitted):
    X, y = request.getfixturevalue(made)
    found, rows = fitted(X, y), from_dense(X[N:])
    together = found.probabilities(rows)
    np.testing.assert_allclose(together.sum(axis=1), 1.0)
    for i in range(20):
        assert (found.probabilities(rows[[i]]) == together[i]).all()
        assert found.predict(row_at(rows, i)) == found.predict_many(rows)[i]


def test_equal_seeds_give_equal_bits_and_others_do_not(numbers, fitted):
    X, y = numbers
    rows = from_dense(X)
    one, again, other = (fitted(X, y, seed=seed).probabilities(rows) for seed in (0, 0, 1))
    assert (one == again).all()
    assert (one != other).any()


def test_columns_that_nobody_has_seen_do_not_matter(numbers, fitted):
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


def test_texts_of_few_words_say_too_little_and_numbers_never(words, numbers, fitted):
    """Few are those of which half the rows have more."""
    X, y = words
    found = fitted(X, y)
    counts = (X > 0).sum(axis=1)
    assert (found.is_faint(from_dense(X)) == (counts < np.median(counts))).all()
    assert 0.3 < found.is_faint(from_dense(X)).mean() < 0.6
    X, y = numbers
    assert not fitted(X, y).is_faint(from_dense(0 * X)).any()
