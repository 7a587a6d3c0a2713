"""What the tests of members and of the mixture share."""

import numpy as np
import pytest

from askance.oracles.mixture import MixtureOracle
from askance.sparse import from_dense

N = 100
"""Rows with labels; as many again have none."""


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


@pytest.fixture
def fitted():
    """Fit a mixture to the first half of the rows."""

    def fit(X, y, **options):
        oracle = MixtureOracle(n_features=X.shape[1], **options)
        return oracle.fit(from_dense(X[:N]), y[:N], np.ones(N), from_dense(X[N:]))

    return fit


@pytest.fixture
def alone(fitted):
    """Probabilities of the second half of the rows by one member."""

    def probabilities(X, y, name):
        found = fitted(X, y, members=[name])
        assert list(found.weights) == [name]
        return found.probabilities(from_dense(X[N:]))

    return probabilities
