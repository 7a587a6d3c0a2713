import numpy as np
import pytest

from askance.learners.batch_iwal import BatchIWAL
from askance.oracles.finite import VoteOracle
from askance.oracles.thresholds import ThresholdOracle
from askance.sparse import column
from askance.theory.instances import CERTAINTY, hard_instance, threshold_stream, trace_of


def test_the_hard_instance_is_the_papers() -> None:
    size, n, epsilon = 50, 20_000, 0.1
    stream = hard_instance(size, n, epsilon, np.random.default_rng(0))
    dissents = stream.X[:, 1:].toarray() != 0
    common = column(stream.X, 0)
    best = int(stream.best)
    assert not dissents[:, best].any()
    special = dissents.sum(axis=1) != 1
    assert special.mean() == pytest.approx(epsilon, abs=0.01)
    assert np.all(stream.labels[special] == common[special])
    assert np.mean(stream.labels[~special] == common[~special]) == pytest.approx(0.5, abs=0.02)
    others = np.delete(dissents, best, axis=1)
    assert others[special].mean() == pytest.approx(0.5, abs=0.01)
    # err(h*) = (1 - epsilon) / 2 and err(h) = 1/2 for all others.
    errors = VoteOracle(size).errors(stream.X, stream.labels, np.full(n, 1 / n))
    assert errors[best] == pytest.approx((1 - epsilon) / 2, abs=0.01)
    assert np.delete(errors, best).mean() == pytest.approx(0.5, abs=0.01)
    assert int(np.argmin(errors)) == best


@pytest.mark.parametrize("omega", [1 / 3, 1.0, np.inf])
def test_the_noise_of_thresholds(omega: float) -> None:
    stream = threshold_stream(100_000, 0.5, omega, np.random.default_rng(1))
    x = column(stream.X, 0)
    agrees = stream.labels == np.where(x > 0.5, 1, -1)
    near, far = (np.mean(agrees[(np.abs(x - 0.5) - d).__abs__() < 0.02]) for d in (0.1, 0.4))
    expected = [1.0, 1.0]
    if np.isfinite(omega):
        expected = [(1 + CERTAINTY * (2 * d) ** (1 / omega - 1)) / 2 for d in (0.1, 0.4)]
    assert [near, far] == pytest.approx(expected, abs=0.02)


def test_driving_reports_each_epoch_once_and_the_end() -> None:
    stream = threshold_stream(24, 0.5, np.inf, np.random.default_rng(2))
    learner = BatchIWAL(ThresholdOracle(), c0=1.0, horizon=24)
    seen: list[int] = []
    run = trace_of(learner, stream, np.zeros(24), lambda _: seen.append(learner.epoch))
    assert seen == [2, 3, 4, 5]
    assert run.queries_at(np.array([0, 3, 24])).tolist() == [0, 3, int(run.queried.sum())]
