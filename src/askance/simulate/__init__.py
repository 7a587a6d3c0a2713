"""The one loop over a stream, for a learner, an active learner or many settings at once."""

from askance.simulate.loop import LabelSource, Measure, OnQuery, Progress
from askance.simulate.simulation import (
    BUDGETS,
    Contestant,
    Seat,
    run_blocks,
    run_readable,
    run_rows,
    simulate,
    simulate_settings,
    test_error,
)

__all__ = [
    "BUDGETS",
    "Contestant",
    "LabelSource",
    "Measure",
    "OnQuery",
    "Progress",
    "Seat",
    "run_blocks",
    "run_readable",
    "run_rows",
    "simulate",
    "simulate_settings",
    "test_error",
]
