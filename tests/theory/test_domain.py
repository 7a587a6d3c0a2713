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
