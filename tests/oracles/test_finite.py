"""The finite oracles against plain enumeration."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from askance.errors import InvalidParameter
from askance.oracles.finite import FiniteOracle, VoteOracle
from askance.oracles.thresholds import Threshold
from askance.sparse import from_dense, row_at

seeds = st.integers(0, 2**32 - 1)


def votes_matrix(table: np.ndarray, common: np.ndarray) -> csr_array:
    dissents = (table != common[:, None]).astype(float)
    return csr_array(np.column_stack([common.astype(float), dissents]))


def problem(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    n, size = rng.integers(1, 12), rng.integers(1, 9)
    table = rng.choice([-1, 1], size=(n, size))
    weights = rng.choice([0.0, 0.1, 0.3, 1.0, 7.0], size=n)
    return table, rng.choice([-1, 1], size=n), rng.choice([-1, 1], size=n), weights


def enumerated(table: np.ndarray, targets: np.ndarray, weights: np.ndarray) -> list[float]:
    return [
        sum(w for h, y, w in zip(table[:, j], targets, weights, strict=True) if h != y)
        for j in range(table.shape[1])
    ]


@given(seeds)
@settings(max_examples=200, deadline=None)
def test_votes_equal_enumeration(seed: int) -> None:
    table, common, targets, weights = problem(seed)
    X = votes_matrix(table, common)
    oracle = VoteOracle(table.shape[1])
    expected = enumerated(table, targets, weights)
    np.testing.assert_allclose(oracle.errors(X, targets, weights), expected, atol=1e-12)
    best = next(j for j, e in enumerate(expected) if e <= min(expected) + 1e-9)
    found = oracle.fit(X, targets, weights)
    assert found.index == best
    assert found.predict_many(X).tolist() == table[:, best].tolist()
    assert [found.predict(row_at(X, i)) for i in range(len(table))] == table[:, best].tolist()


@given(seeds)
@settings(max_examples=200, deadline=None)
def test_constrained_votes_equal_enumeration(seed: int) -> None:
    table, common, targets, weights = problem(seed)
    X = votes_matrix(table, common)
    errors = enumerated(table, targets, weights)
    sides = np.random.default_rng(seed).choice([-1, 1], size=len(table))
    found = VoteOracle(table.shape[1]).constrained_errors(X, targets, weights, X, sides)
    for i, side in enumerate(sides):
        allowed = [e for e, h in zip(errors, table[i], strict=True) if h == side]
        assert found[i] == pytest.approx(min(allowed, default=np.inf))


@given(seeds)
@settings(max_examples=100, deadline=None)
def test_a_list_of_classifiers_equals_enumeration(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 5, size=rng.integers(1, 10)).astype(float)
    X = from_dense(x[:, None])
    members = [Threshold(0, float(rng.integers(-1, 6)), int(rng.choice([-1, 1]))) for _ in range(6)]
    targets = rng.choice([-1, 1], size=len(x))
    weights = rng.choice([0.0, 0.5, 3.0], size=len(x))
    table = np.stack([h.predict_many(X) for h in members], axis=1)
    expected = enumerated(table, targets, weights)
    oracle = FiniteOracle(members)
    best = next(j for j, e in enumerate(expected) if e <= min(expected) + 1e-9)
    assert oracle.fit(X, targets, weights) is members[best]
    sides = -members[best].predict_many(X)
    found = oracle.constrained_errors(X, targets, weights, X, sides)
    for i, side in enumerate(sides):
        allowed = [e for e, h in zip(expected, table[i], strict=True) if h == side]
        assert found[i] == pytest.approx(min(allowed, default=np.inf))


def test_an_empty_class_is_refused() -> None:
    with pytest.raises(InvalidParameter, match="at least one classifier"):
        FiniteOracle([])
    with pytest.raises(InvalidParameter, match="size must be a whole number from 1 on, got 0"):
        VoteOracle(0)
