import math

import numpy as np
import pytest

from askance.learners.active_cover import ActiveCover
from askance.learners.constants import Constants
from askance.learners.epochs import Block
from askance.theory.counted import CountedStream, _CountedCover
from askance.theory.domain import threshold_domain
from askance.theory.instances import trace_of
from askance.types import Bools

PRACTICAL = Constants.practical(c0=1.0, alpha=1.0, beta_scale=10**0.5)


def block(inside: Bools, probability: float) -> Block:
    return Block(np.where(inside, 1, -1), inside, np.where(inside, probability, 0.0))


def test_counts_follow_the_world() -> None:
    domain = threshold_domain(10, 0.2)
    stream = CountedStream(domain, np.random.default_rng(0))
    inside = np.arange(10) >= 3
    n = 10**15
    bias = stream.draw(n, block(inside, 0.25))
    assert stream.asked / n == pytest.approx(0.7 * 0.25, rel=1e-5)
    # Inside the labels of the world with weight 1/P, outside the prediction, which is -1.
    negative, positive = stream.bought.reshape(2, 10) / n
    assert negative.tolist() == pytest.approx([*[0] * 3, 0.08, 0.08, *[0.02] * 5], rel=1e-5)
    assert positive.tolist() == pytest.approx([*[0] * 3, 0.02, 0.02, *[0.08] * 5], rel=1e-5)
    assert (stream.predicted / n).tolist() == pytest.approx([*[0.1] * 3, *[0] * 17], rel=1e-5)
    outside = (~inside).astype(float)
    labels = domain.errors(outside)
    predictions = ((domain.votes == 1) * outside[:, None]).mean(axis=0)
    assert bias.tolist() == pytest.approx((predictions - labels).tolist(), abs=1e-6)
    sample = stream.snapshot(n)
    assert sample.offered == n
    assert sample.weights.sum() / n == pytest.approx(1.0, rel=1e-5)


@pytest.mark.parametrize("seed", range(3))
def test_an_epoch_is_the_learners_own(seed: int) -> None:
    """On the sample that a learner has collected, region, P and floor are the learner's."""
    domain = threshold_domain(20, 0.1)
    # As many points for (OP) as the world has, each once.
    learner = ActiveCover(domain.oracle, PRACTICAL, unlabeled=20, fresh=True)
    rng = np.random.default_rng(seed)
    stream = domain.stream(3 * 2**6 + 6 * 20, rng)
    trace_of(learner, stream, rng.random(len(stream.labels)))
    points = domain.points
    spent = learner.decide_many(points, np.zeros(20))
    learner.learn_many(points, spent, [None] * 20)
    expected = learner.decide_many(points, np.zeros(20))
    found, floor = _CountedCover(domain.oracle, PRACTICAL).open_after(learner.sample, points)
    assert found.inside.tolist() == [d.in_disagreement for d in expected]
    assert found.probability.tolist() == [d.probability for d in expected]
    assert found.predicted.tolist() == [d.predicted for d in expected]
    assert floor == expected[0].floor
    assert 0 < found.inside.sum() < 20
    assert math.isfinite(expected[0].threshold)
