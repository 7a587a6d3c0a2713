"""Trees against scikit-learn where nothing is drawn, and against brute force."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from askance.kernels import growing
from askance.kernels.growing import boost, grow_forest, grow_tree, leaf_of

N, D = 300, 4


def ranked(X):
    """Ranks of each column's values, and these values."""
    pairs = [np.unique(column, return_inverse=True) for column in X.T]
    values = np.zeros(X.T.shape)
    for row, (found, _) in zip(values, pairs, strict=True):
        row[: len(found)] = found
    return np.array([inverse for _, inverse in pairs]), values


def room(trees, n, classes):
    size = trees * 2 * n
    return (
        np.empty(size, np.int64), np.empty(size), np.empty(size, np.int64),
        np.empty((size, classes)),
    )  # fmt: skip


def grown(X, targets, weights, *, tries=None, depth=3, drawn=0, draws=None):
    """A tree over all rows, as what it gives to rows."""
    nodes = room(1, len(X), targets.shape[1])
    limits = np.array([tries or X.shape[1], depth, drawn], np.int64)
    draws = np.linspace(0.05, 0.95, 50) if draws is None else draws
    end = grow_tree(*ranked(X), targets, weights, np.arange(len(X)), draws, limits, 0, *nodes)
    columns, thresholds, rights, leaves = (part[:end] for part in nodes)

    def given_to(rows):
        ranks, values = ranked(rows)
        at = [leaf_of(i, 0, ranks, values, columns, thresholds, rights) for i in range(len(rows))]
        return leaves[at]

    return given_to, columns, thresholds


@pytest.fixture
def numbers():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, D)).astype(np.float32).astype(float)
    X[:, 1] = np.round(X[:, 1])
    return X, rng.uniform(0.5, 2, N), rng


def test_classes_are_split_as_scikit_learn_splits_them(numbers):
    X, weights, rng = numbers
    y = (X[:, 0] + 0.3 * rng.normal(size=N) > 0).astype(int) + (X[:, 1] > 0)
    given_to, _, _ = grown(X, np.eye(3)[y], weights)
    twin = DecisionTreeClassifier(max_depth=3).fit(X, y, sample_weight=weights)
    fresh = rng.normal(size=(200, D)).astype(np.float32).astype(float)
    np.testing.assert_allclose(given_to(fresh), twin.predict_proba(fresh), atol=1e-12)


def test_residuals_are_split_as_scikit_learn_splits_them(numbers):
    X, weights, rng = numbers
    y = np.sin(3 * X[:, 0]) + X[:, 2] + 0.1 * rng.normal(size=N)
    given_to, _, _ = grown(X, y[:, None], weights)
    twin = DecisionTreeRegressor(max_depth=3).fit(X, y, sample_weight=weights)
    fresh = rng.normal(size=(200, D)).astype(np.float32).astype(float)
    np.testing.assert_allclose(given_to(fresh)[:, 0], twin.predict(fresh), atol=1e-9)


def test_boosted_trees_are_those_of_scikit_learn_where_nothing_is_drawn(numbers):
    X, weights, rng = numbers
    y = (X[:, 0] * X[:, 2] + 0.3 * rng.normal(size=N) > 0).astype(int)
    trees, nodes, roots = 12, room(12, N, 2), np.empty(12, np.int64)
    limits = np.array([D, 3, 0], np.int64)
    draws = np.full((trees, 9), 0.5)
    table = ranked(X)
    boost(*table, np.eye(2)[y], np.tile(weights, (trees, 1)), draws, limits, 0.1, roots, *nodes)
    columns, thresholds, rights, leaves = nodes
    scores = np.zeros((N, 2))
    for root in roots:
        at = [leaf_of(i, root, *table, columns, thresholds, rights) for i in range(N)]
        scores += leaves[at]
    twin = GradientBoostingClassifier(n_estimators=trees, init="zero").fit(X, y, weights)
    np.testing.assert_allclose(
        1 / (1 + np.exp(scores[:, 0] - scores[:, 1])), twin.predict_proba(X)[:, 1], atol=1e-9
    )


def gain_of(y, weights, left):
    """Sum over the two sides of squared sums over mass."""
    sides = [(weights[side], y[side]) for side in (left, ~left)]
    return sum(((w[:, None] * t).sum(axis=0) ** 2).sum() / w.sum() for w, t in sides)


@settings(max_examples=60)
@given(st.integers(0, 10**6), st.integers(2, 12), st.integers(2, 60))
def test_the_first_split_is_the_best_of_all(seed, n, most):
    """By brute force over every feature and threshold, few ranks or many."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, most, size=(n, 3)).astype(float)
    y, weights = np.eye(2)[rng.integers(0, 2, n)], rng.uniform(0.5, 2, n)
    _, columns, thresholds = grown(X, y, weights, depth=1)
    splits = [X[:, j] <= at for j in range(3) for at in np.unique(X[:, j])[:-1]]
    if columns[0] < 0:
        assert not splits or len(np.unique(y, axis=0)) == 1
        return
    best = max(gain_of(y, weights, left) for left in splits)
    chosen = X[:, columns[0]] <= thresholds[0]
    assert gain_of(y, weights, chosen) == pytest.approx(best)


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.integers(2, 40))
def test_examples_counted_by_rank_or_sorted_give_the_same_split(seed, n):
    rng = np.random.default_rng(seed)
    rows, ranks = rng.permutation(n), rng.integers(0, n, n)
    ranks[0], ranks[1] = 0, n - 1
    weights, targets, values = (
        rng.uniform(0.5, 2, n),
        rng.normal(size=(n, 2)),
        np.sort(rng.random(n)),
    )
    total, left = (weights[:, None] * targets).sum(axis=0), np.empty(2)
    found = []
    for way in ("ranks", "sorted"):
        places, masses, sums = np.empty(n, np.int64), np.empty(n), np.empty((n, 2))
        if way == "ranks":
            growing._by_rank(rows, weights, targets, ranks, 0, n, places, masses, sums)
        else:
            growing._sorted(rows, weights, targets, ranks, places, masses, sums)
        found.append(growing._search(values, n, places, masses, sums, total, weights.sum(), left))
    assert found[0] == pytest.approx(found[1])


def test_drawn_thresholds_lie_between_the_values_of_a_node(numbers):
    """Each is where its draw says, and both sides have examples."""
    X, weights, _ = numbers
    y = np.eye(2)[(X[:, 0] > 0).astype(int)]
    for draw in (0.0, 0.3, 0.999999):
        # With the first draw the first feature is taken, with the second its threshold drawn.
        _, columns, thresholds = grown(
            X, y, weights, tries=1, depth=1, drawn=1, draws=np.array([0.0, draw])
        )
        low, high = X[:, columns[0]].min(), X[:, columns[0]].max()
        assert thresholds[0] == pytest.approx(low + draw * (high - low))
        assert 0 < (X[:, columns[0]] <= thresholds[0]).sum() < N


def test_rows_of_one_kind_are_a_leaf():
    X = np.ones((5, 2))
    given_to, columns, _ = grown(X, np.eye(2)[[0, 1, 1, 0, 1]], np.ones(5), depth=9)
    assert columns.tolist() == [-1]
    np.testing.assert_allclose(given_to(X)[0], [0.4, 0.6])


def test_labels_of_a_forest_are_judged_by_trees_that_have_not_seen_them(numbers):
    X, _, rng = numbers
    y, trees = np.eye(2)[(X[:, 0] > 0).astype(int)], 6
    weights = (rng.random((trees, N)) < 0.5).astype(float)
    weights[:, 7] = 1.0
    table, nodes, roots = ranked(X), room(trees, N, 2), np.empty(trees, np.int64)
    draws, unseen = rng.random((trees, 999)), np.empty((N, 2))
    limits = np.array([2, N, 0], np.int64)
    grow_forest(*table, y, weights, draws, limits, roots, *nodes, unseen)
    columns, thresholds, rights, leaves = nodes
    for i in range(N):
        others = [
            leaves[leaf_of(i, root, *table, columns, thresholds, rights)]
            for root, seen in zip(roots, weights[:, i], strict=True)
            if not seen
        ]
        expected = np.mean(others, axis=0) if others else [0.5, 0.5]
        np.testing.assert_allclose(unseen[i], expected)
    # What a tree has seen, it knows by heart.
    for i in np.flatnonzero(weights[0]):
        at = leaf_of(i, roots[0], *table, columns, thresholds, rights)
        assert (leaves[at] == y[i]).all()
