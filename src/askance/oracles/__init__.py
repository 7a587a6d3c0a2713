"""Ways to minimise weighted error."""

from typing import TYPE_CHECKING, Any

from askance.oracles.finite import FiniteOracle, Vote, VoteOracle
from askance.oracles.linear import LinearOracle, LinearState, linear_oracles
from askance.oracles.thresholds import StumpOracle, Threshold, ThresholdOracle

if TYPE_CHECKING:
    from askance.oracles.estimator import EstimatorClassifier, EstimatorOracle

__all__ = [
    "EstimatorClassifier",
    "EstimatorOracle",
    "FiniteOracle",
    "LinearOracle",
    "LinearState",
    "StumpOracle",
    "Threshold",
    "ThresholdOracle",
    "Vote",
    "VoteOracle",
    "linear_oracles",
]


def __getattr__(name: str) -> Any:
    """Import the oracle over scikit-learn when it is first asked for: that takes its time."""
    if name not in ("EstimatorClassifier", "EstimatorOracle"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from askance.oracles import estimator

    return getattr(estimator, name)
