import numpy as np
import pytest

from askance.errors import InvalidParameter
from askance.learners.active_cover import ActiveCover
from askance.learners.constants import Constants
from askance.oracles.linear import LinearState, linear_oracles
from askance.oracles.passes import PassesOracle
from askance.protocols import OnlineOracle
from askance.sparse import empty, from_dense, row_at


def linear() -> OnlineOracle:
    return linear_oracles(LinearState(n_features=2, lanes=1))[0]


def blobs(n: int) -> tuple[object, np.ndarray]:
    rng = np.random.default_rng(0)
    y = rng.choice([-1, 1], size=n)
    return from_dense(rng.normal(size=(n, 2)) + 1.5 * y[:, None]), y


def test_several_passes_equal_the_online_oracle_fed_by_hand() -> None:
    X, y = blobs(40)
    weights = np.where(np.arange(40) % 3 == 0, 0.0, 2.0)
    found = PassesOracle(linear, passes=2).fit(X, y, weights).predict_many(X)
    twin = linear()
    for turn in range(2):
        for i in np.flatnonzero(weights):
            if turn == 0:
                twin.observe(row_at(X, i))
            twin.learn(row_at(X, i), int(y[i]), 2.0)
    assert found.tolist() == [twin.predict(row_at(X, i)) for i in range(40)]
    assert np.mean(found == y) > 0.9


def test_nothing_learned_says_minus_one() -> None:
    h = PassesOracle(linear).fit(empty(), np.zeros(0, int), np.zeros(0))
    assert h.predict(row_at(blobs(1)[0], 0)) == -1


def test_it_serves_active_cover() -> None:
    X, y = blobs(96)
    constants = Constants.practical(c0=1.0, alpha=1.0, beta_scale=10**0.5)
    learner = ActiveCover(PassesOracle(linear), constants, region="known", horizon=96)
    coins = np.random.default_rng(1).random(96)
    while learner.k < 96:
        part = slice(learner.k, learner.k + learner.remaining)
        decisions = learner.decide_many(X[part], coins[part])
        labels = [int(v) if d.queried else None for v, d in zip(y[part], decisions, strict=True)]
        learner.learn_many(X[part], decisions, labels)
    assert np.mean(learner.predict_many(X) == y) > 0.85
    assert sum(record.queries for record in learner.epochs) < 80


def test_there_must_be_a_pass() -> None:
    with pytest.raises(InvalidParameter, match="passes must be at least 1, got 0"):
        PassesOracle(linear, passes=0)
