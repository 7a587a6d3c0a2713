"""IWAL and Oracular CAL over batch oracles, in epochs: what Active Cover is compared with.

Paper: ``sec:exp_setup``, ``eq:iwal0_threshold``, ``eq:iwal_threshold``.
"""

import math
from typing import Unpack

import numpy as np

from askance.errors import InvalidParameter
from askance.learners.disagreement import KnownRegion, chosen_region, make_region, spread
from askance.learners.epochs import Block, EpochLearner, EpochSettings
from askance.protocols import BatchOracle
from askance.types import Floats, Integers, Matrix

__all__ = ["BatchIWAL"]


class BatchIWAL(EpochLearner):
    """Query by the error difference G between the ERM and the best classifier that differs.

    Parameters
    ----------
    oracle
        Minimises weighted error.
    c0
        C_0, the size of the threshold.
    error_dependent
        The threshold of IWAL1, which shrinks with the ERM's error, instead of that of IWAL0.
    oracular
        Above the threshold use the prediction as label (Oracular CAL) instead of querying with a
        falling probability (IWAL).
    region, probes, **settings
        As for Active Cover.

    Examples
    --------
    >>> from askance.oracles.thresholds import ThresholdOracle
    >>> learner = BatchIWAL(ThresholdOracle(), c0=0.1, oracular=True)
    >>> learner.remaining
    3
    """

    def __init__(
        self,
        oracle: BatchOracle,
        *,
        c0: float,
        error_dependent: bool = False,
        oracular: bool = False,
        region: str | None = None,
        probes: int = 32,
        **settings: Unpack[EpochSettings],
    ) -> None:
        if not c0 > 0:
            raise InvalidParameter(f"c0 must be positive, got {c0}")
        self.c0 = c0
        self.error_dependent = error_dependent
        self.learns_predictions = oracular
        self.region = chosen_region(oracle, region)
        self.probes = probes
        super().__init__(oracle, **settings)

    def _open(self, points: Matrix) -> tuple[float, float]:
        sample = self._snapshot
        k = sample.offered + 1
        error = self._erm_error if self.error_dependent else 1.0
        self._a, self._b = _iwal_terms(error, k, self.c0)
        # IWAL needs the difference itself, however large.
        radius = self._a + self._b if self.learns_predictions else 1 + float(sample.weights.sum())
        self._region = make_region(self.region, self.oracle, sample, self._erm_error, radius)
        if isinstance(self._region, KnownRegion):
            predicted = self._erm.predict_many(points)
            chosen = spread(points.shape[0], self.probes)
            self._region.probe(self.oracle, points[chosen], predicted[chosen])
        return self._a + self._b, 0.0

    def _block(self, X: Matrix, predicted: Integers) -> Block:
        gaps = self._region.flip_regrets(X, predicted)
        inside = gaps <= self._a + self._b
        if self.learns_predictions:
            return Block(predicted, inside, inside.astype(float))
        return Block(predicted, inside, _iwal_probability(gaps, self._a, self._b))


# Stand-ins for the functions of ``askance.kernels.formulas``; to be imported from there.

_C1 = 5 + 2 * math.sqrt(2)
_C2 = 5.0


def _iwal_terms(error: float, k: int, c0: float) -> tuple[float, float]:
    """A and B of ``eq:iwal_threshold``; error = 1 gives ``eq:iwal0_threshold``."""
    b = c0 * math.log(k) / (k - 1)
    return math.sqrt(b * error), b


def _iwal_probability(gap: Floats, a: float, b: float) -> Floats:
    """1 up to A + B, beyond that s with z = 1/sqrt(s): c2 B z^2 + c1 A z = G + (c1-1)A + (c2-1)B."""
    right = gap + (_C1 - 1) * a + (_C2 - 1) * b
    with np.errstate(invalid="ignore"):
        # The root in the form that does not cancel.
        z = 2 * right / (_C1 * a + np.sqrt((_C1 * a) ** 2 + 4 * _C2 * b * right))
    probability = np.where(np.isinf(gap), 0.0, 1 / z**2)
    return np.where(gap <= a + b, 1.0, np.minimum(probability, 1.0))
