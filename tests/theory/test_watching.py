import numpy as np
import pytest

from askance.learners.active_cover import ActiveCover
from askance.learners.constants import Constants
from askance.theory.domain import threshold_domain
from askance.theory.instances import trace_of
from askance.theory.watching import Watch

PRACTICAL = Constants.practical(c0=1.0, alpha=1.0, beta_scale=10**0.5)


@pytest.mark.parametrize("fresh", [False, True])
def test_what_is_seen_is_what_the_learner_did(fresh: bool) -> None:
    domain = threshold_domain(20, 0.1)
    learner = ActiveCover(domain.oracle, PRACTICAL, fresh=fresh, unlabeled=50, horizon=384)
    rng = np.random.default_rng(0)
    stream = domain.stream(384 + 50 * 7 * fresh, rng)
    watch = Watch(domain, learner, stream)
    run = trace_of(learner, stream, rng.random(len(stream.labels)), watch)
    found = watch.findings
    assert [epoch.end for epoch in found] == [record.end for record in learner.epochs]
    for epoch, record in zip(found, learner.epochs, strict=True):
        # The share in the stream, and the share in the world.
        assert record.region_share == pytest.approx(epoch.region, abs=0.15)
    assert found[-1].region < 0.8
    assert int(run.queried.sum()) == sum(record.queries for record in learner.epochs)
    for epoch in found:
        regrets = epoch.claims["eqn:regret"].left
        assert len(regrets) == epoch.good.sum()
        assert np.all(epoch.bias >= -1e-12)
    # Outside the region predictions replace noisy labels: somebody is judged more harshly.
    assert found[-1].bias.max() > 0.03
