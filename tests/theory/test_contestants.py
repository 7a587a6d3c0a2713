import numpy as np
import pytest

from askance.learners.active_cover import ActiveCover
from askance.learners.batch_iwal import BatchIWAL
from askance.oracles.thresholds import ThresholdOracle
from askance.theory.contestants import (
    ABLATION,
    CONTESTANTS,
    local_slopes,
    log_log_slope,
    make_contestant,
    sizes,
)
from askance.theory.instances import threshold_stream, trace_of


def test_the_contestants_are_what_they_are_called() -> None:
    made = {name: make_contestant(name, ThresholdOracle(), 1.0, 100) for name in CONTESTANTS}
    assert isinstance(made["Active Cover"], ActiveCover)
    switches = {
        name: (learner.error_dependent, learner.oracular)
        for name, learner in made.items()
        if isinstance(learner, BatchIWAL)
    }
    assert switches == {
        "IWAL0": (False, False),
        "IWAL1": (True, False),
        "Oracular CAL 0": (False, True),
        "Oracular CAL 1": (True, True),
    }


def test_the_ablation_asks_about_its_whole_region_and_only_there() -> None:
    stream = threshold_stream(1536, 0.4, 0.5, np.random.default_rng(0))
    learner = make_contestant(ABLATION, ThresholdOracle(), 1.0, 1536)
    run = trace_of(learner, stream, np.random.default_rng(1).random(1536))
    assert np.array_equal(run.queried, run.inside)
    assert 0 < run.inside[768:].sum() < 768
    # Its radius is Active Cover's.
    cover = make_contestant("Active Cover", ThresholdOracle(), 1.0, 1536)
    assert isinstance(learner, ActiveCover)
    assert isinstance(cover, ActiveCover)
    assert learner.constants == cover.constants


def test_power_laws_have_their_slopes() -> None:
    n = sizes(1000, 100_000)
    assert len(n) == 9
    assert n[0] == 1000
    assert n[-1] == 100_000
    assert log_log_slope(n, 3.0 * n**0.5) == pytest.approx(0.5)
    assert log_log_slope(n, np.full(9, 7.0)) == pytest.approx(0.0, abs=1e-12)
    assert local_slopes(n, 3.0 * n**0.5).tolist() == pytest.approx([0.5] * 8)
    assert local_slopes(np.array([1, 2, 4]), np.array([1, 4, 4])).tolist() == [2.0, 0.0]
