"""Thresholds and stumps against every cut tried in turn."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from askance.errors import InvalidParameter
from askance.oracles.thresholds import StumpOracle, Threshold, ThresholdOracle
from askance.sparse import empty, from_dense, row_at

seeds = st.integers(0, 2**32 - 1)


def all_thresholds(x: np.ndarray, feature: int, sides: tuple[int, ...]) -> list[Threshold]:
    values = np.unique(x)
    cuts = [-np.inf, *((values[1:] + values[:-1]) / 2), *values, np.inf]
    return [Threshold(feature, float(cut), side) for cut in cuts for side in sides]


def error(h: Threshold, X: object, targets: np.ndarray, weights: np.ndarray) -> float:
    return float(weights[h.predict_many(X) != targets].sum())


@given(seeds, st.booleans())
@settings(max_examples=200, deadline=None)
def test_thresholds_equal_enumeration(seed: int, both: bool) -> None:
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 7, size=rng.integers(1, 12)).astype(float)
    X = from_dense(x[:, None])
    targets = rng.choice([-1, 1], size=len(x))
    weights = rng.choice([0.0, 0.1, 0.3, 2.0], size=len(x))
    oracle = ThresholdOracle(both_sides=both)
    members = all_thresholds(x, 0, oracle.sides)
    least = min(error(h, X, targets, weights) for h in members)
    assert error(oracle.fit(X, targets, weights), X, targets, weights) == pytest.approx(least)

    points = np.concatenate([x, rng.uniform(-1, 8, size=5)])
    P = from_dense(points[:, None])
    members = all_thresholds(points, 0, oracle.sides)
    sides = rng.choice([-1, 1], size=len(points))
    found = oracle.constrained_errors(X, targets, weights, P, sides)
    for i, side in enumerate(sides):
        allowed = [h for h in members if h.predict(row_at(P, i)) == side]
        assert found[i] == pytest.approx(min(error(h, X, targets, weights) for h in allowed))


@given(seeds)
@settings(max_examples=100, deadline=None)
def test_stumps_equal_enumeration(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 4, size=(rng.integers(1, 10), 3)).astype(float)
    X = from_dense(x)
    targets = rng.choice([-1, 1], size=len(x))
    weights = rng.choice([0.0, 0.1, 0.3, 2.0], size=len(x))
    members = [h for j in range(3) for h in all_thresholds(x[:, j], j, (1, -1))]
    least = min(error(h, X, targets, weights) for h in members)
    oracle = StumpOracle(3)
    assert error(oracle.fit(X, targets, weights), X, targets, weights) == pytest.approx(least)
    sides = rng.choice([-1, 1], size=len(x))
    found = oracle.constrained_errors(X, targets, weights, X, sides)
    for i, side in enumerate(sides):
        allowed = [h for h in members if h.predict(row_at(X, i)) == side]
        assert found[i] == pytest.approx(min(error(h, X, targets, weights) for h in allowed))


def test_ties_go_to_the_lowest_cut_and_nothing_is_learned_from_nothing() -> None:
    X = from_dense(np.array([[1.0], [2.0]]))
    assert ThresholdOracle().fit(X, np.array([1, -1]), np.ones(2)).cut == -np.inf
    assert ThresholdOracle().fit(empty(), np.zeros(0, int), np.zeros(0)).cut == -np.inf


def test_neighbouring_floats_are_told_apart() -> None:
    low = 1.0
    high = np.nextafter(low, 2)
    X = from_dense(np.array([[low], [high]]))
    assert ThresholdOracle().fit(X, np.array([-1, 1]), np.ones(2)).predict_many(X).tolist() == [
        -1,
        1,
    ]


def test_bad_parameters_are_named() -> None:
    with pytest.raises(InvalidParameter, match="feature must be a whole number from 0 on, got -1"):
        ThresholdOracle(-1)
    with pytest.raises(InvalidParameter, match="n_features must be a whole number from 1 on"):
        StumpOracle(0)
