"""The one loop over a stream, for a learner, an active learner or many settings at once."""

from askance.simulate.contestants import Contestant, Seat
from askance.simulate.loop import LabelSource, Measure, OnQuery, OnStep
from askance.simulate.measuring import BUDGETS, test_error
from askance.simulate.simulation import (
    run_blocks,
    run_matrix,
    run_readable,
    run_rows,
    simulate,
    simulate_settings,
)

__all__ = [
    "BUDGETS",
    "Contestant",
    "LabelSource",
    "Measure",
    "OnQuery",
    "OnStep",
    "Seat",
    "run_blocks",
    "run_matrix",
    "run_readable",
    "run_rows",
    "simulate",
    "simulate_settings",
    "test_error",
]
