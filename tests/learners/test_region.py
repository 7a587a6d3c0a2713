"""The three region tests against each other; active_cover's tests compare them by enumeration."""

import logging

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from askance.learners.region import ExactRegion, KnownRegion, OneCallRegion, spread
from askance.learners.sample import Sample, Snapshot
from askance.oracles.thresholds import Threshold, ThresholdOracle
from askance.sparse import from_dense


def noisy(seed: int) -> tuple[Snapshot, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = rng.random(30).round(2)
    y = np.where((x > 0.5) == (rng.random(30) < 0.85), 1, -1)
    sample = Sample()
    sample.append(from_dense(x[:, None]), y, rng.choice([0.0, 1.0, 3.0], size=30))
    return sample.snapshot(30), rng.random((15, 1)).round(2)


@given(st.integers(0, 2**32 - 1), st.floats(0.001, 1.0))
@settings(max_examples=50, deadline=None)
def test_one_call_equals_the_constrained_question(seed: int, radius: float) -> None:
    sample, x = noisy(seed)
    oracle = ThresholdOracle(both_sides=True)
    erm = oracle.fit(sample.X, sample.targets, sample.weights)
    X = from_dense(x)
    exact, single = (
        kind(oracle, sample, sample.error(erm), radius).flip_regrets(X, erm.predict_many(X))
        for kind in (ExactRegion, OneCallRegion)
    )
    np.testing.assert_allclose(single, exact, atol=1e-9)


@given(st.integers(0, 2**32 - 1), st.floats(0.001, 1.0))
@settings(max_examples=50, deadline=None)
def test_what_is_known_never_exceeds_the_region(seed: int, radius: float) -> None:
    sample, x = noisy(seed)
    oracle = ThresholdOracle(both_sides=True)
    erm = oracle.fit(sample.X, sample.targets, sample.weights)
    X = from_dense(x)
    predicted = erm.predict_many(X)
    known = KnownRegion(sample, sample.error(erm), radius)
    known.probe(oracle, X[:3], predicted[:3])
    known.probe_together(oracle, X, predicted)
    exact = ExactRegion(oracle, sample, sample.error(erm), radius).flip_regrets(X, predicted)
    found = known.flip_regrets(X, predicted)
    assert np.all(found >= exact - 1e-9)
    # At the probes themselves nothing is missed.
    assert np.isfinite(found[:3]).tolist() == np.isfinite(exact[:3]).tolist()


@pytest.mark.parametrize("cuts", [(0.85, 0.95), (0.95, 0.85)])
def test_the_least_regret_of_all_that_flip_is_known(cuts: tuple[float, float]) -> None:
    """Whoever is found last: one mistake of four, and two."""
    sample, x = Sample(), np.array([[0.2], [0.4], [0.8], [0.9]])
    sample.append(from_dense(x), [-1, -1, 1, 1], np.ones(4))
    known = KnownRegion(sample.snapshot(4), 0.0, radius=1.0)
    for cut in cuts:
        known.add(Threshold(0, cut, 1))
    assert known.flip_regrets(from_dense(np.array([[0.7]])), np.array([1])).tolist() == [0.25]


def test_both_sides_are_probed_together() -> None:
    """A threshold that flips most points leaves the others: each side is asked for alone too."""
    x = np.array([[0.1], [0.2], [0.4], [0.6], [0.8]])
    sample = Sample()
    sample.append(from_dense(np.array([[0.0], [0.3], [0.5], [1.0]])), [-1, -1, 1, 1], np.ones(4))
    snapshot, oracle, X = sample.snapshot(4), ThresholdOracle(), from_dense(x)
    erm = oracle.fit(snapshot.X, snapshot.targets, snapshot.weights)
    predicted = erm.predict_many(X)
    assert predicted[0] == -predicted[-1]
    known = KnownRegion(snapshot, 0.0, radius=0.5)
    known.probe_together(oracle, X, predicted)
    exact = ExactRegion(oracle, snapshot, 0.0, 0.5).flip_regrets(X, predicted)
    assert np.isfinite(exact).all()
    assert np.isfinite(known.flip_regrets(X, predicted)).all()


def test_many_single_calls_are_announced_once(caplog: pytest.LogCaptureFixture) -> None:
    sample, _ = noisy(0)
    X, predicted = from_dense(np.full((600, 1), 0.5)), np.ones(600, dtype=int)
    region = OneCallRegion(ThresholdOracle(), sample, 0.0, 0.1)
    with caplog.at_level(logging.WARNING, logger="askance"):
        region.flip_regrets(X, predicted)
        assert not caplog.records
        region.flip_regrets(X, predicted)
        region.flip_regrets(X, predicted)
    assert len(caplog.records) == 1
    assert "fit the oracle 1200 times" in caplog.text
    assert 'region="known"' in caplog.text


def test_spread_is_even_and_complete() -> None:
    assert spread(10, 3).tolist() == [0, 4, 9]
    assert spread(2, 5).tolist() == [0, 1]
    assert spread(0, 5).tolist() == []


def test_no_points_no_answers() -> None:
    sample, _ = noisy(0)
    region = ExactRegion(ThresholdOracle(), sample, 0.0, 1.0)
    assert region.flip_regrets(from_dense(np.zeros((0, 1))), np.zeros(0, int)).tolist() == []
