import numpy as np
import pytest

from askance.learners.active_cover import ActiveCover
from askance.learners.batch_iwal import BatchIWAL
from askance.oracles.thresholds import ThresholdOracle
from askance.theory.contestants import CONTESTANTS, log_log_slope, make_contestant, sizes


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


def test_power_laws_have_their_slopes() -> None:
    n = sizes(1000, 100_000)
    assert len(n) == 9
    assert n[0] == 1000
    assert n[-1] == 100_000
    assert log_log_slope(n, 3.0 * n**0.5) == pytest.approx(0.5)
    assert log_log_slope(n, np.full(9, 7.0)) == pytest.approx(0.0, abs=1e-12)
