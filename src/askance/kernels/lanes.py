r"""Many linear classifiers at once: one sweep over a row's features serves every lane.

A lane is one classifier. Arrays over features and lanes are laid out ``[feature, lane]`` with lanes
contiguous, so the inner loops vectorise; each lane still sums over features in the order of the row
and in its own precision, so its bits are those of :mod:`askance.kernels.linear`.

A loop over lanes starts from 0, for that is what the compiler vectorises, and the costly ones in
float64 run over whole vectors: what is kept by lane between sweeps is padded with lanes that learn
nothing.
"""

import math
from typing import NamedTuple

import numpy as np

from askance.kernels._jit import inlined, kernel
from askance.kernels.exponential import exp_negative
from askance.kernels.formulas import sign
from askance.kernels.linear import (
    ADAPTIVE,
    best_guess,
    better_guess,
    extreme_step,
    first_guess,
    is_usual,
    movement,
    rate,
    rate_factor,
    revert,
    scale_row,
    slope_squared,
    usual_step,
)
from askance.types import Floats, Integers

__all__ = [
    "Lanes",
    "RowBuffer",
    "Scratch",
    "commit",
    "commit_lane",
    "flips",
    "has_tiny",
    "load_row",
    "padded",
    "sweep_decay",
    "sweep_margins",
    "sweep_movements",
    "sweep_rates",
]

TINY_VALUE = 1e-12
"""A smaller feature may lose its gradient to underflow, and then no bound on a movement holds."""


VECTOR = 4
"""Numbers in float64 that are computed at once."""


def padded(lanes: int) -> int:
    """Length of the arrays by lane of a :class:`Scratch`; a lone lane is never swept over.

    >>> padded(13), padded(16), padded(1)
    (16, 16, 1)
    """
    return -(-lanes // VECTOR) * VECTOR if lanes > 1 else 1


class Lanes(NamedTuple):
    """State: weights and gradient sums ``[feature, lane]``, scales by feature, the rest by lane."""

    weights: Floats
    gradients: Floats
    scales: Floats
    norms: Floats
    totals: Floats
    learning_rates: Floats


class RowBuffer(NamedTuple):
    """The current row, the constant feature at its end, in the state's precision."""

    indices: Integers
    values: Floats
    scaled: Floats


class Scratch(NamedTuple):
    """What one example leaves between sweeps: by lane, for ``rates`` by entry and lane; padded.

    The ``margins``; e to minus their size (``decay``), what it takes to ``revert`` them, and the
    squared slopes of the loss for a label that agrees (``with_slopes``) and one that does not
    (``against_slopes``). The ``targets`` and ``weights`` to be learned, the gradient ``parts`` that
    they make, the sums ``moved`` and the ``rates`` at the parts called ``trials``, what the rates
    have in common (``factors``) and how far they ``reach`` with it, the ``steps`` and the
    ``updates`` that follow.
    """

    margins: Floats
    parts: Floats
    trials: Floats
    moved: Floats
    updates: Floats
    decay: Floats
    revert: Floats
    with_slopes: Floats
    against_slopes: Floats
    targets: Floats
    weights: Floats
    agreements: Floats
    factors: Floats
    reach: Floats
    pushes: Floats
    steps: Floats
    rates: Floats


@inlined
def load_row(
    indices: Integers, values: Floats, start: int, stop: int, scales: Floats, row: RowBuffer
) -> int:
    """Copy a row of a CSR matrix, scale it and add the constant feature; its length.

    >>> row = RowBuffer(np.zeros(3, np.int64), np.zeros(3), np.zeros(3))
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

    >>> row = RowBuffer(np.array([1]), np.array([4.0]), np.array([0.5]))
    >>> margins = np.zeros(2)
    >>> sweep_margins(row, 1, np.array([[9.0, 9.0], [2.0, 6.0]]), margins)
    >>> margins.tolist()
    [1.0, 3.0]
    """
    lanes = weights.shape[1]
    for lane in range(lanes):
        margins[lane] = 0.0
    # Four features at a time: a sum would wait for its way through memory after each.
    whole = n - n % 4
    for i in range(0, whole, 4):
        a, b = weights[row.indices[i]], weights[row.indices[i + 1]]
        c, d = weights[row.indices[i + 2]], weights[row.indices[i + 3]]
        za, zb, zc, zd = row.scaled[i], row.scaled[i + 1], row.scaled[i + 2], row.scaled[i + 3]
        for lane in range(lanes):
            total = margins[lane] + a[lane] * za + b[lane] * zb
            margins[lane] = total + c[lane] * zc + d[lane] * zd
    for i in range(whole, n):
        of_feature = weights[row.indices[i]]
        z = row.scaled[i]
        for lane in range(lanes):
            margins[lane] += of_feature[lane] * z


@kernel
def sweep_rates(
    row: RowBuffer, n: int, gradients: Floats, parts: Floats, rates: Floats, moved: Floats
) -> None:
    """Rates and movements of all lanes, as if each gradient part were added.

    >>> row = RowBuffer(np.array([0]), np.array([2.0]), np.array([0.5]))
    >>> rates, moved = np.zeros((1, 2)), np.zeros(2)
    >>> sweep_rates(row, 1, np.array([[0.0, 12.0]]), np.array([1.0, 1.0]), rates, moved)
    >>> rates.tolist(), moved.tolist()
    ([[1.0, 0.5]], [0.5, 0.25])
    """
    lanes = gradients.shape[1]
    for lane in range(lanes):
        moved[lane] = 0.0
    for i in range(n):
        of_feature, of_entry = gradients[row.indices[i]], rates[i]
        x, z = row.values[i], row.scaled[i]
        square = x * x
        for lane in range(lanes):
            r = rate(x, of_feature[lane] + parts[lane] * square)
            of_entry[lane] = r
            moved[lane] += r * z


@kernel
def sweep_movements(
    row: RowBuffer, n: int, gradients: Floats, parts: Floats, moved: Floats
) -> None:
    """Movements of the first lanes only, as if each gradient part were added.

    >>> row = RowBuffer(np.array([0]), np.array([2.0]), np.array([0.5]))
    >>> moved = np.zeros(1)
    >>> sweep_movements(row, 1, np.array([[0.0, 12.0]]), np.array([1.0]), moved)
    >>> moved.tolist()
    [0.5]
    """
    lanes = moved.shape[0]
    for lane in range(lanes):
        moved[lane] = 0.0
    for i in range(n):
        of_feature = gradients[row.indices[i]]
        x, z = row.values[i], row.scaled[i]
        square = x * x
        for lane in range(lanes):
            moved[lane] += rate(x, of_feature[lane] + parts[lane] * square) * z


@inlined
def sweep_decay(work: Scratch) -> None:
    """All that follows from the margins alone."""
    _sweep_decay(work.margins, work.decay, work.revert)
    _sweep_slopes(work.decay, work.with_slopes, work.against_slopes)


@kernel
def _sweep_decay(margins: Floats, decay: Floats, reverts: Floats) -> None:
    for lane in range(decay.shape[0]):
        f = np.float64(margins[lane])
        decay[lane] = exp_negative(-abs(f))
        reverts[lane] = revert(f)


@kernel
def _sweep_slopes(decay: Floats, with_slopes: Floats, against_slopes: Floats) -> None:
    for lane in range(decay.shape[0]):
        with_slopes[lane] = slope_squared(1.0, decay[lane])
        against_slopes[lane] = slope_squared(-1.0, decay[lane])


@inlined
def flips(
    row: RowBuffer, n: int, lanes: Lanes, work: Scratch, lane: int, norm: float, tiny: bool
) -> bool:
    """Whether the update of an opposed lane carries its prediction over to the target.

    That is so if the push, learning rate times weight times movement, exceeds ``revert`` of the
    margin. A movement at another part than the trial's lies within the root of the parts' quotient
    of the trial's; only where that leaves it open is the lane's own sum computed, and only at the
    very edge the step itself. No bound holds for a row that has a ``tiny`` value.
    """
    weight = work.weights[lane]
    factor = rate_factor(ADAPTIVE, lanes.norms[lane] + weight * norm, lanes.totals[lane] + weight)
    strength = lanes.learning_rates[lane] * weight
    needed = work.revert[lane]
    part, trial = np.float64(work.parts[lane]), np.float64(work.trials[lane])
    moved: float = np.float64(work.moved[lane])
    if part != trial:
        if part > 0.0 and trial > 0.0 and not tiny:
            push = strength * factor * moved
            slack = math.sqrt(trial / part)
            if push * min(slack, 1.0) > needed * 1.001:
                return True
            if push * max(slack, 1.0) < needed * 0.999:
                return False
        amount = weight * work.against_slopes[lane]
        moved = movement(
            row.indices[:n], row.values[:n], row.scaled[:n], lanes.gradients, lane, amount
        )
    push = strength * (factor * moved)
    if push > needed * (1.0 + 1e-9):
        return True
    if push < needed * (1.0 - 1e-9) or moved <= 0.0:
        return False
    opposed = -abs(np.float64(work.margins[lane]))
    target = work.targets[lane]
    return bool(sign(target * (opposed + _step(opposed, work.decay[lane], push))) == target)


@kernel
def has_tiny(row: RowBuffer, n: int) -> bool:
    """Whether a value is so small that its gradient may underflow.

    >>> bool(has_tiny(RowBuffer(np.array([0]), np.array([1e-15]), np.array([1.0])), 1))
    True
    """
    count = 0
    for i in range(n):
        count += 0.0 < abs(row.values[i]) < TINY_VALUE
    return count > 0


@kernel
def _step(agreement: float, decay: float, push: float) -> float:
    if is_usual(agreement, push):
        return usual_step(agreement, decay, push)
    return extreme_step(agreement, push)


@inlined
def commit(row: RowBuffer, n: int, lanes: Lanes, work: Scratch, norm: float) -> None:
    """Let all lanes learn their targets and weights; weight 0 leaves a lane as it was.

    Few learning lanes are visited one by one; many are swept over together.
    """
    count = lanes.weights.shape[1]
    changed = learning = 0
    for lane in range(count):
        changed += work.parts[lane] != work.trials[lane]
        learning += work.weights[lane] > 0.0
    if learning * 6 <= count or count == 1:
        for lane in range(count):
            if work.weights[lane] > 0.0:
                commit_lane(row, n, lanes, work, lane, norm)
        return
    if changed * 4 > count:
        sweep_rates(row, n, lanes.gradients, work.parts, work.rates, work.moved)
    elif changed > 0:
        for lane in range(count):
            if work.parts[lane] != work.trials[lane]:
                _sweep_one_lane(row, n, lanes.gradients, work, lane)
    _find_updates(lanes, work, norm)
    _apply(row, n, lanes, work.parts, work.updates, work.rates)


@kernel
def _apply(
    row: RowBuffer, n: int, lanes: Lanes, parts: Floats, updates: Floats, rates: Floats
) -> None:
    """Add the gradient parts and the updates of all lanes."""
    for i in range(n):
        of_gradients = lanes.gradients[row.indices[i]]
        square = row.values[i] * row.values[i]
        for lane in range(of_gradients.shape[0]):
            of_gradients[lane] += parts[lane] * square
    for i in range(n):
        of_weights, of_entry = lanes.weights[row.indices[i]], rates[i]
        for lane in range(of_weights.shape[0]):
            of_weights[lane] += updates[lane] * of_entry[lane]


@inlined
def _sweep_one_lane(row: RowBuffer, n: int, gradients: Floats, work: Scratch, lane: int) -> None:
    """``sweep_rates`` for a single lane."""
    moved = gradients.dtype.type(0.0)
    part = work.parts[lane]
    for i in range(n):
        x = row.values[i]
        r = rate(x, gradients[row.indices[i], lane] + part * (x * x))
        work.rates[i, lane] = r
        moved += r * row.scaled[i]
    work.moved[lane] = moved


@inlined
def commit_lane(
    row: RowBuffer, n: int, lanes: Lanes, work: Scratch, lane: int, norm: float
) -> None:
    """``commit`` for a single lane."""
    if work.parts[lane] != work.trials[lane]:
        _sweep_one_lane(row, n, lanes.gradients, work, lane)
    weight, target = work.weights[lane], work.targets[lane]
    lanes.norms[lane] += weight * norm
    lanes.totals[lane] += weight
    factor = rate_factor(ADAPTIVE, lanes.norms[lane], lanes.totals[lane])
    moved = factor * np.float64(work.moved[lane])
    work.reach[lane] = moved
    agreement = target * np.float64(work.margins[lane])
    step = _step(agreement, work.decay[lane], lanes.learning_rates[lane] * weight * moved)
    update = lanes.weights.dtype.type(target * step / moved * factor if moved > 0.0 else 0.0)
    for i in range(n):
        j = row.indices[i]
        lanes.gradients[j, lane] += work.parts[lane] * (row.values[i] * row.values[i])
        lanes.weights[j, lane] += update * work.rates[i, lane]


@inlined
def _find_updates(lanes: Lanes, work: Scratch, norm: float) -> None:
    """The scalar update of each lane, and its counts; in loops that vectorise."""
    _count(norm, work.weights, lanes.norms, work.factors)
    _count(1.0, work.weights, lanes.totals, work.reach)
    _find_reach(work.moved, work.factors, work.reach)
    _find_pushes(lanes.learning_rates, work.weights, work.reach, work.pushes)
    _find_agreements(work.targets, work.margins, work.agreements)
    _find_steps(work.agreements, work.decay, work.pushes, work.steps)
    for lane in range(work.steps.shape[0]):
        step, reach = work.targets[lane] * work.steps[lane], work.reach[lane]
        learns = work.weights[lane] > 0.0 and reach > 0.0
        work.updates[lane] = step / reach * work.factors[lane] if learns else 0.0


@kernel
def _count(norm: float, weights: Floats, sums: Floats, copies: Floats) -> None:
    for lane in range(sums.shape[0]):
        total = sums[lane] + weights[lane] * norm
        sums[lane] = total
        copies[lane] = total


@kernel
def _find_reach(moved: Floats, factors: Floats, reach: Floats) -> None:
    """``rate_factor`` and what it makes of the movements.

    It finds the norms in ``factors`` and the totals in ``reach``; a lane that has learned nothing
    yet has neither.
    """
    for lane in range(reach.shape[0]):
        norm = factors[lane] if factors[lane] > 0.0 else 1.0
        factor = rate_factor(ADAPTIVE, norm, reach[lane])
        factors[lane] = factor
        reach[lane] = factor * np.float64(moved[lane])


@kernel
def _find_pushes(learning_rates: Floats, weights: Floats, reach: Floats, pushes: Floats) -> None:
    for lane in range(learning_rates.shape[0]):
        pushes[lane] = learning_rates[lane] * weights[lane] * reach[lane]


@kernel
def _find_agreements(targets: Floats, margins: Floats, agreements: Floats) -> None:
    for lane in range(targets.shape[0]):
        agreements[lane] = targets[lane] * np.float64(margins[lane])


@kernel
def _find_steps(agreements: Floats, decay: Floats, pushes: Floats, steps: Floats) -> None:
    """``logistic_step`` of all lanes, the unusual ones in a loop of their own.

    The parts of ``usual_step`` each have one too: in a long one, lanes would wait for each other.
    """
    usual = 0
    for lane in range(steps.shape[0]):
        steps[lane] = first_guess(agreements[lane], decay[lane], pushes[lane])
        usual += is_usual(agreements[lane], pushes[lane])
    for _ in range(2):
        for lane in range(steps.shape[0]):
            steps[lane] = better_guess(steps[lane], agreements[lane], decay[lane], pushes[lane])
    for lane in range(steps.shape[0]):
        steps[lane] = best_guess(steps[lane], agreements[lane], decay[lane], pushes[lane])
    if usual < steps.shape[0]:
        for lane in range(steps.shape[0]):
            if not is_usual(agreements[lane], pushes[lane]):
                steps[lane] = extreme_step(agreements[lane], pushes[lane])
