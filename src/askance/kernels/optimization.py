r"""The arithmetic of (OP) on a sample: arrays over the points inside the disagreement region.

``mass`` is :math:`\sum_h \lambda_h I_h(x)` at each point inside, ``count`` the size of the whole
sample, so that a sum over the points inside divided by ``count`` is the empirical expectation.
"""

import math

import numpy as np

from askance.kernels._jit import kernel
from askance.kernels.formulas import iwal_probability, least_q_squared, query_probability
from askance.types import Floats

__all__ = [
    "coordinate_step",
    "dual_objective",
    "iwal_probabilities",
    "modified_objective",
    "query_odds",
    "query_probabilities",
    "rescaling",
]

_NEWTON_STEPS = 100


def query_odds(mass: Floats, floor: float) -> Floats:
    r"""The odds q of a query, with mu = 2 P_min.

    .. math:: q_\lambda(x) = \sqrt{\mu^2 + \sum_h \lambda_h I_h(x)}

    Paper: ``eqn:primal-dual``.

    >>> query_odds(np.array([0.0, 0.75]), floor=0.25).tolist()
    [0.5, 1.0]
    """
    odds: Floats = np.sqrt(least_q_squared(floor) + mass)
    return odds


def query_probabilities(mass: Floats, floor: float) -> Floats:
    """P = q / (1 + q) at each point inside the region.

    Paper: ``eqn:primal-dual``.

    >>> query_probabilities(np.array([0.0, 0.75]), floor=0.25).round(6).tolist()
    [0.333333, 0.5]
    """
    probabilities = np.empty(len(mass))
    _fill_probabilities(np.asarray(mass, dtype=np.float64), floor, probabilities)
    return probabilities


@kernel
def _fill_probabilities(mass: Floats, floor: float, out: Floats) -> None:
    for i in range(len(mass)):
        out[i] = query_probability(least_q_squared(floor) + mass[i])


def iwal_probabilities(gaps: Floats, a: float, b: float, c1: float, c2: float) -> Floats:
    """IWAL's query probability for each error gap; 0 where no classifier differs at all.

    Paper: ``sec:exp_setup``.

    >>> iwal_probabilities(np.array([0.11, 0.28, np.inf]), 0.1, 0.02, 1.0, 1.0).round(9).tolist()
    [1.0, 0.25, 0.0]
    """
    probabilities = np.empty(len(gaps))
    _fill_iwal_probabilities(np.asarray(gaps, dtype=np.float64), a, b, c1, c2, probabilities)
    return probabilities


@kernel
def _fill_iwal_probabilities(
    gaps: Floats, a: float, b: float, c1: float, c2: float, out: Floats
) -> None:
    for i in range(len(gaps)):
        out[i] = 0.0 if math.isinf(gaps[i]) else iwal_probability(gaps[i], a, b, c1, c2)


def dual_objective(mass: Floats, floor: float, count: int, charge: float) -> float:
    r"""The dual of (OP), ``charge`` being :math:`\sum_h \lambda_h b(h)`.

    .. math:: D(\lambda) = E[1_D (1 + q_\lambda)^2] - \sum_h \lambda_h b(h) + 1 - Pr(D)

    Paper: ``eqn:dual-obj``.

    >>> dual_objective(np.zeros(1), floor=0.5, count=2, charge=0.0)
    2.5
    """
    inside = float(np.sum((1 + query_odds(mass, floor)) ** 2))
    return (inside + count - len(mass)) / count - charge


def modified_objective(probability: Floats, floor: float, count: int) -> float:
    """(OP)'s objective with its barrier at the floor; ``floor=0`` gives (OP)'s own.

    Paper: ``eq:mod-obj``.

    >>> modified_objective(np.array([0.5]), floor=0.0, count=2)
    1.5
    """
    inside = float(np.sum(1 / (1 - probability) + least_q_squared(floor) / probability))
    return (inside + count - len(probability)) / count


def coordinate_step(violation: float, odds: Floats, count: int) -> float:
    r"""What the violated constraint adds to its multiplier, from the odds where it disagrees.

    .. math:: 2 \, violation / E[I_h / q_\lambda^3]

    Paper: ``alg:coord``, ``step:coord-update``.

    >>> coordinate_step(0.5, np.array([1.0, 0.5]), count=9)
    1.0
    """
    return 2 * violation / (float(np.sum(odds**-3.0)) / count)


def rescaling(mass: Floats, floor: float, count: int, charge: float) -> float:
    """The scale in [0, 1] that maximises the dual along the ray through the multipliers.

    The slope of the dual along the ray is convex and decreasing, so Newton's steps from 0 approach
    its root from the left and never pass it: the slope at the answer is not negative, as the proof
    of ``eq:prim-obj-bnd`` needs.

    Paper: ``alg:coord``.

    >>> rescaling(np.array([1.0]), floor=0.5, count=1, charge=1.5)
    1.0
    """
    if _slopes(mass, 1.0, floor, count, charge)[0] >= 0:
        return 1.0
    scale = 0.0
    for _ in range(_NEWTON_STEPS):
        first, second = _slopes(mass, scale, floor, count, charge)
        # Rounding, not the curve, decides once the slope is lost in the size of its two terms.
        if first <= 1e-15 * charge or second == 0:
            break
        step = -first / second
        scale += step
        if step <= 1e-15 * scale:
            break
    return min(max(scale, 0.0), 1.0)


@kernel
def _slopes(
    mass: Floats, scale: float, floor: float, count: int, charge: float
) -> tuple[float, float]:
    """First and second derivative of the dual along the ray."""
    first, second = 0.0, 0.0
    for i in range(len(mass)):
        q = math.sqrt(least_q_squared(floor) + scale * mass[i])
        first += mass[i] * (1.0 + 1.0 / q)
        second += mass[i] * mass[i] / (q * q * q)
    return first / count - charge, -0.5 * second / count
