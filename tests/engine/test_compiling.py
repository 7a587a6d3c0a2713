"""Whoever waits for compiling is told so, once."""

import logging
import os

import numpy as np
import pytest

import askance
from askance.engine import compiling
from askance.kernels._jit import brief
from askance.types import Floats

INTERPRETED = os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")


@brief
def _half(x: Floats) -> float:
    return 0.5 * x[0]


def test_the_first_wait_is_announced_and_no_other(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(compiling, "_announced", [])
    learner, known = askance.make_learner("iwal1", n_features=1), np.ones(1)
    _half(known)
    with caplog.at_level(logging.WARNING, logger="askance"):
        compiling.announce(learner, _half, known)
        assert not caplog.records
        for kind in (np.int8, np.int16):
            compiling.announce(learner, _half, np.ones(1, kind))
    said = [record.getMessage() for record in caplog.records]
    expected = ["compiling IWAL1 for this machine: this takes a few seconds, the first time only"]
    assert said == ([] if INTERPRETED else expected)
