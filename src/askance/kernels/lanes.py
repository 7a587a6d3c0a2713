r"""Many linear classifiers at once: one sweep over a row's features serves every lane.

A lane is one classifier. Arrays over features and lanes are laid out ``[feature, lane]`` with lanes
contiguous, so the inner loops vectorise; each lane still sums over features in the order of the row
and in its own precision, so its bits are those of :mod:`askance.kernels.linear`.

A loop over lanes starts from 0, for that is what the compiler vectorises, and those in float64 run
over whole vectors: what is kept by lane between sweeps is padded with lanes that learn nothing. The
sweeps over features and lanes are vectors by :mod:`askance.kernels._vectors`.
"""

from typing import NamedTuple

import numpy as np

from askance.kernels._jit import inlined, kernel
from askance.kernels._records import Own, OwnMatrix, Real, Whole
from askance.kernels._vectors import sum_margins, sum_rates
from askance.kernels.exponential import exp_negative
from askance.kernels.linear import margin, rate, scale_row
from askance.kernels.logistic import confidence, revert
from askance.types import Floats, Integers

__all__ = [
    "VECTOR",
    "WIDE",
    "Lanes",
    "RowBuffer",
    "Scratch",
    "find_rates",
    "lane_movement",
    "load_row",
    "padded",
    "sweep_decay",
    "sweep_margins",
    "sweep_movements",
    "sweep_rates",
]

VECTOR, WIDE = 4, 16
"""Lanes that are computed at once: where there are few, and where there are many."""


def padded(lanes: int) -> int:
    """Length of the arrays by lane of a :class:`Scratch`; a lone lane is never swept over.

    >>> padded(13), padded(16), padded(1)
    (16, 16, 1)
    """
    return -(-lanes // VECTOR) * VECTOR if lanes > 1 else 1


class Lanes(NamedTuple):
    """State: weights and gradient sums ``[feature, lane]``, scales by feature, the rest by lane."""

    weights: OwnMatrix
    gradients: OwnMatrix
    scales: Own
    norms: Real
    totals: Real
    learning_rates: Real


class RowBuffer(NamedTuple):
    """The current row, the constant feature at its end, and the rates of one lane for it.

    All but the indices are in the state's precision.
    """

    indices: Whole
    values: Own
    scaled: Own
    rates: Own


class Scratch(NamedTuple):
    """What one example leaves between sweeps: by lane, for ``rates`` by entry and lane; padded.

    The ``margins``; e to minus their size (``decay``), the ``confidence`` in the prediction, and
    what it takes to ``revert`` it. The ``targets`` and ``weights`` to be learned, and the gradient
    ``parts`` that they make; whether that is ``expected`` to lead to the target, and the ``doubts``
    about it; the ``numerators``, ``denominators`` and ``multipliers`` as they were before, and how
    far the ERM would have moved (``paces``, by setting). The sums
    ``moved`` and the ``rates`` at the parts called ``trials``, what the rates have in common
    (``factors``) and how far they ``reach`` with it, the ``pushes``, ``steps`` and ``updates`` that
    follow.
    """

    margins: Own
    parts: Own
    trials: Own
    moved: Own
    updates: Own
    decay: Real
    revert: Real
    confidence: Real
    targets: Real
    weights: Real
    expected: Real
    doubts: Real
    paces: Real
    numerators: Real
    denominators: Real
    multipliers: Real
    agreements: Real
    factors: Real
    reach: Real
    pushes: Real
    steps: Real
    rates: OwnMatrix


@inlined
def load_row(
    indices: Integers, values: Floats, start: int, stop: int, scales: Floats, row: RowBuffer
) -> int:
    """Copy a row of a CSR matrix, scale it and add the constant feature; its length.

    >>> row = RowBuffer(np.zeros(3, np.int64), np.zeros(3), np.zeros(3), np.zeros(3))
    >>> load_row(np.array([0, 1]), np.array([4.0, 1.0]), 0, 2, np.array([8.0, 0.0, 0.0]), row)
    3
    >>> row.scaled.tolist()
    [0.5, 1.0, 1.0]
    """
    n = stop - start
    _copy(indices[start:stop], row.indices)
    _copy(values[start:stop], row.values)
    row.indices[n] = scales.shape[0] - 1
    row.values[n] = 1.0
    scale_row(row.indices[: n + 1], row.values, scales, row.scaled)
    return n + 1


@kernel
def _copy(source: Floats | Integers, target: Floats | Integers) -> None:
    for i in range(source.shape[0]):
        target[i] = source[i]


@kernel
def sweep_margins(row: RowBuffer, n: int, weights: Floats, margins: Floats) -> None:
    """Margins of all lanes.

    >>> row = RowBuffer(np.array([1]), np.array([4.0]), np.array([0.5]), np.zeros(1))
    >>> margins = np.zeros(2)
    >>> sweep_margins(row, 1, np.array([[9.0, 9.0], [2.0, 6.0]]), margins)
    >>> margins.tolist()
    [1.0, 3.0]
    """
    lanes = weights.shape[1]
    wide, whole = lanes - lanes % WIDE, lanes - lanes % VECTOR
    for begin in range(0, wide, WIDE):
        sum_margins(WIDE, begin, n, row.indices, row.scaled, weights, margins)
    for begin in range(wide, whole, VECTOR):
        sum_margins(VECTOR, begin, n, row.indices, row.scaled, weights, margins)
    for lane in range(whole, lanes):
        margins[lane] = margin(row.indices[:n], row.scaled[:n], weights, lane)


@kernel
def sweep_rates(
    row: RowBuffer,
    n: int,
    gradients: Floats,
    parts: Floats,
    moved: Floats,
    rates: Floats,
    begin: int,
    end: int,
) -> None:
    """Movements and rates of some neighbouring lanes, as if each gradient part were added.

    >>> row = RowBuffer(np.array([0]), np.array([2.0]), np.array([0.5]), np.zeros(1))
    >>> moved, rates = np.zeros(2), np.zeros((1, 2))
    >>> sweep_rates(row, 1, np.array([[0.0, 12.0]]), np.array([1.0, 1.0]), moved, rates, 0, 2)
    >>> rates.tolist(), moved.tolist()
    ([[1.0, 0.5]], [0.5, 0.25])
    """
    wide, whole = end - (end - begin) % WIDE, end - (end - begin) % VECTOR
    indices, values, scaled = row.indices, row.values, row.scaled
    for at in range(begin, wide, WIDE):
        sum_rates(WIDE, at, n, indices, values, scaled, gradients, parts, moved, rates)
    for at in range(wide, whole, VECTOR):
        sum_rates(VECTOR, at, n, indices, values, scaled, gradients, parts, moved, rates)
    for lane in range(whole, end):
        find_rates(row, n, gradients, parts, moved, rates, lane)


@kernel
def sweep_movements(
    row: RowBuffer, n: int, gradients: Floats, parts: Floats, moved: Floats
) -> None:
    """Movements of the first lanes only, as if each gradient part were added.

    >>> row = RowBuffer(np.array([0]), np.array([2.0]), np.array([0.5]), np.zeros(1))
    >>> moved = np.zeros(1)
    >>> sweep_movements(row, 1, np.array([[0.0, 12.0]]), np.array([1.0]), moved)
    >>> moved.tolist()
    [0.5]
    """
    lanes = moved.shape[0]
    wide, whole = lanes - lanes % WIDE, lanes - lanes % VECTOR
    indices, values, scaled = row.indices, row.values, row.scaled
    for begin in range(0, wide, WIDE):
        sum_rates(WIDE, begin, n, indices, values, scaled, gradients, parts, moved, None)
    for begin in range(wide, whole, VECTOR):
        sum_rates(VECTOR, begin, n, indices, values, scaled, gradients, parts, moved, None)
    for lane in range(whole, lanes):
        moved[lane] = lane_movement(row, n, gradients, lane, np.float64(parts[lane]))


@inlined
def lane_movement(row: RowBuffer, n: int, gradients: Floats, lane: int, part: float) -> float:
    """Movement of one lane, as if the gradient part were added; its rates are left in the row.

    >>> row = RowBuffer(np.array([0]), np.array([2.0]), np.array([0.5]), np.zeros(1))
    >>> lane_movement(row, 1, np.array([[0.0, 12.0]]), 1, 1.0), row.rates.tolist()
    (0.25, [0.5])
    """
    return _lane_movement(row.indices, row.values, row.scaled, row.rates, n, gradients, lane, part)


@kernel
def _lane_movement(
    indices: Integers,
    values: Floats,
    scaled: Floats,
    rates: Floats,
    n: int,
    gradients: Floats,
    lane: int,
    part: float,
) -> float:
    # Handed over one by one, the arrays are known not to overlap. In three loops, all but the sum
    # vectorises over the entries; the sum must keep its order.
    amount, moved = gradients.dtype.type(part), gradients.dtype.type(0.0)
    for i in range(n):
        rates[i] = gradients[indices[i], lane]
    for i in range(n):
        x = values[i]
        rates[i] = rate(x, rates[i] + amount * (x * x))
    for i in range(n):
        moved += rates[i] * scaled[i]
    return float(np.float64(moved))


@inlined
def find_rates(
    row: RowBuffer,
    n: int,
    gradients: Floats,
    parts: Floats,
    moved: Floats,
    rates: Floats,
    lane: int,
) -> None:
    """``sweep_rates`` for a single lane."""
    moved[lane] = lane_movement(row, n, gradients, lane, np.float64(parts[lane]))
    for i in range(n):
        rates[i, lane] = row.rates[i]


@inlined
def sweep_decay(work: Scratch) -> None:
    """All that follows from the margins alone."""
    _sweep_decay(work.margins, work.decay, work.revert, work.confidence)


@kernel
def _sweep_decay(margins: Floats, decay: Floats, reverts: Floats, sure: Floats) -> None:
    for lane in range(decay.shape[0]):
        f = np.float64(margins[lane])
        decay[lane] = exp_negative(-abs(f))
        reverts[lane] = revert(f)
        sure[lane] = confidence(decay[lane])
