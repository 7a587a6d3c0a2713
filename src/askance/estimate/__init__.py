"""What a weighted sample says: errors with intervals, at any time or at a fixed one."""

from askance.estimate.held_out import CurrentError
from askance.estimate.measures import (
    confusion,
    confusion_table,
    cost,
    crossfit_error,
    error_of_sample,
    measures,
)
from askance.estimate.sentence import sentence
from askance.estimate.sequences import FixedError, ProgressiveError, error_trajectory

__all__ = [
    "CurrentError",
    "FixedError",
    "ProgressiveError",
    "confusion",
    "confusion_table",
    "cost",
    "crossfit_error",
    "error_of_sample",
    "error_trajectory",
    "measures",
    "sentence",
]
