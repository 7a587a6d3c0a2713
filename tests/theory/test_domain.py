import numpy as np
import pytest

from askance.theory.domain import Domain, threshold_domain


def test_errors_by_hand() -> None:
    # Two points, two classifiers that differ at the second only.
    domain = Domain(np.array([[1, 1], [1, -1]]), np.array([0.9, 0.2]))
    assert domain.errors().tolist() == pytest.approx([(0.1 + 0.8) / 2, (0.1 + 0.2) / 2])
    assert domain.best == 1
    inside = np.array([False, True])
    assert domain.errors(inside).tolist() == pytest.approx([0.4, 0.1])
    assert domain.disagreement(np.array([True, True])).tolist() == [False, True]
    assert domain.disagreement(np.array([True, False])).tolist() == [False, False]


def test_thresholds_have_the_coefficient_two() -> None:
    assert threshold_domain(50, 0.2).disagreement_coefficient() == 2.0


def test_opposite_thresholds_are_in_the_class_if_wanted() -> None:
    domain = threshold_domain(10, 0.0, both_sides=True)
    assert np.array_equal(domain.votes[:, :11], -domain.votes[:, 11:])
    assert domain.errors()[domain.best] == 0


def test_the_stream_follows_the_domain() -> None:
    domain = threshold_domain(10, 0.1)
    stream = domain.stream(20_000, np.random.default_rng(0))
    errors = domain.oracle.errors(stream.X, stream.labels, np.full(20_000, 1 / 20_000))
    np.testing.assert_allclose(errors, domain.errors(), atol=0.015)


def test_the_low_noise_condition_holds_with_its_factor_and_no_smaller_one() -> None:
    domain = threshold_domain(50, omega=0.5)
    errors = domain.errors()
    best = domain.best
    regrets = errors - errors[best]
    distance = np.abs(np.arange(51) - best) / 50
    factor = domain.tsybakov_factor(0.5)
    assert np.all(distance <= factor * regrets**0.5 + 1e-12)
    assert np.any(distance[regrets > 0] >= 0.999 * factor * regrets[regrets > 0] ** 0.5)
    # The noise is that of the stream: a coin at the cut, 0.8 certain at the ends.
    assert domain.positive[[0, 25, 49]].tolist() == pytest.approx([0.108, 0.508, 0.892])
