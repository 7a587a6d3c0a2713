"""The algorithms that the experiments compare, and the growth rates that they are compared by."""

from collections.abc import Callable

import numpy as np

from askance.learners.active_cover import ActiveCover
from askance.learners.batch_iwal import BatchIWAL
from askance.learners.constants import Constants
from askance.learners.epoch_fits import Block
from askance.learners.epochs import EpochLearner
from askance.protocols import BatchOracle
from askance.types import Floats, Integers, Matrix

__all__ = [
    "ABLATION",
    "BETA_SCALE",
    "CONTESTANTS",
    "local_slopes",
    "log_log_slope",
    "make_contestant",
    "sizes",
]

BETA_SCALE = 10**0.5


def _active_cover(oracle: BatchOracle, c0: float, horizon: int) -> EpochLearner:
    constants = Constants.practical(c0=c0, alpha=1.0, beta_scale=BETA_SCALE)
    return ActiveCover(oracle, constants, horizon=horizon)


class _CertainCover(ActiveCover):
    """Active Cover that asks about every example of its region: what is left without (OP)."""

    def _decided_block(self, X: Matrix) -> Block:
        block = super()._decided_block(X)
        return block._replace(probability=block.inside.astype(float))


def _certain_cover(oracle: BatchOracle, c0: float, horizon: int) -> EpochLearner:
    constants = Constants.practical(c0=c0, alpha=1.0, beta_scale=BETA_SCALE)
    return _CertainCover(oracle, constants, horizon=horizon)


def _iwal(
    error_dependent: bool, oracular: bool
) -> Callable[[BatchOracle, float, int], EpochLearner]:
    def make(oracle: BatchOracle, c0: float, horizon: int) -> EpochLearner:
        return BatchIWAL(
            oracle, c0=c0, error_dependent=error_dependent, oracular=oracular, horizon=horizon
        )

    return make


CONTESTANTS: dict[str, Callable[[BatchOracle, float, int], EpochLearner]] = {
    "Active Cover": _active_cover,
    "IWAL0": _iwal(error_dependent=False, oracular=False),
    "IWAL1": _iwal(error_dependent=True, oracular=False),
    "Oracular CAL 0": _iwal(error_dependent=False, oracular=True),
    "Oracular CAL 1": _iwal(error_dependent=True, oracular=True),
}
"""Name to a maker of the learner, given its oracle, c0 (= C_0) and the length of the stream."""

ABLATION = "Active Cover, P = 1"
"""Active Cover with its own region and radius that asks about every example inside."""


def make_contestant(name: str, oracle: BatchOracle, c0: float, horizon: int) -> EpochLearner:
    """A new learner of that name, in doubling epochs."""
    return (CONTESTANTS | {ABLATION: _certain_cover})[name](oracle, c0, horizon)


def sizes(first: int, last: int, count: int = 9) -> Integers:
    """Stream lengths, evenly spaced on a logarithmic scale.

    >>> sizes(10, 1000, 3).tolist()
    [10, 100, 1000]
    """
    return np.round(np.geomspace(first, last, count)).astype(int)


def log_log_slope(x: Integers | Floats, y: Integers | Floats) -> float:
    """The least-squares exponent of a power law.

    >>> round(log_log_slope(np.array([1, 10, 100]), np.array([2.0, 20.0, 200.0])), 9)
    1.0
    """
    return float(np.polyfit(np.log(x), np.log(y), 1)[0])


def local_slopes(x: Integers | Floats, y: Integers | Floats) -> Floats:
    """The slope on logarithmic scales between each two neighbours; a power law has one for all.

    >>> local_slopes(np.array([1, 2, 4]), np.array([3.0, 6.0, 6.0])).round(9).tolist()
    [1.0, 0.0]
    """
    slopes: Floats = np.diff(np.log(y)) / np.diff(np.log(x))
    return slopes
