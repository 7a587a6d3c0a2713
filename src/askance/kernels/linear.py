r"""Importance-weight-aware online logistic regression on sparse rows.

Weights live in scale-normalised coordinates: ``weights[j, lane]`` is the weight of feature j times
its scale, the largest :math:`|x_j|` seen, so that a new scale touches no weight. A row is passed as
``indices``, ``values`` and ``scaled`` (value over scale); the constant feature is a last entry
with value and scale 1. Arithmetic over features is in the state's own precision, that of scalars in
float64; each lane sums over features in the order of the row. A sum is returned as
``float(np.float64(...))``: compiled, ``float`` alone would keep float32 for the caller.

The step is the limit of many infinitesimal gradient steps (Karampatziakis and Langford, 2011),
the oracle of the paper's ``sec:online_cover``.
"""

import math

import numpy as np

from askance.kernels._jit import inlined, kernel
from askance.kernels.logistic import gradient_squared, logistic_step, revert
from askance.types import Floats, Integers

__all__ = [
    "ADAPTIVE",
    "CONSTANT",
    "DECAYING",
    "LARGEST_VALUE",
    "add_gradient",
    "apply_step",
    "exact_flip_weight",
    "flip_weight",
    "learn",
    "margin",
    "movement",
    "observe",
    "rate",
    "rate_factor",
    "reverting_weight",
    "row_fault",
    "scale_row",
    "sensitivity",
    "squared_norm",
]

LARGEST_VALUE = 1e15
"""Beyond this the square of a feature times a weight would leave float32."""

ADAPTIVE, CONSTANT, DECAYING = 0, 1, 2
"""Rates: by gradient sums and scales; none; by the square root of the weight learned."""

LEAST_WEIGHT, MOST_WEIGHT = 2.0**-1000, 2.0**100
"""Between these a flip weight is looked for; a larger one would overflow float32 on the way."""


@kernel
def row_fault(indices: Integers, values: Floats, n_features: int) -> int:
    """Position of the first entry that cannot be learned from, or -1.

    Indices must increase and stay below ``n_features``; values must be finite and of a size whose
    square can still be summed.

    >>> row_fault(np.array([0, 2]), np.array([1.0, 5.0]), 3)
    -1
    >>> row_fault(np.array([0, 2]), np.array([1.0, np.nan]), 3)
    1
    """
    previous = -1
    for i in range(indices.shape[0]):
        in_order = previous < indices[i] < n_features
        if not (in_order and -LARGEST_VALUE <= values[i] <= LARGEST_VALUE):
            return i
        previous = indices[i]
    return -1


@kernel
def scale_row(indices: Integers, values: Floats, scales: Floats, scaled: Floats) -> None:
    """Write each value over the larger of its scale and itself to ``scaled``.

    >>> scaled = np.zeros(2)
    >>> scale_row(np.array([0, 1]), np.array([1.0, -3.0]), np.array([2.0, 1.0]), scaled)
    >>> scaled.tolist()
    [0.5, -1.0]
    """
    for i in range(indices.shape[0]):
        scaled[i] = scales[indices[i]]
    for i in range(indices.shape[0]):
        scale = max(scaled[i], abs(values[i]))
        scaled[i] = values[i] / scale if scale > 0.0 else values[i]


@kernel
def observe(indices: Integers, values: Floats, scales: Floats) -> None:
    """Let each scale grow to the size of its value.

    >>> scales = np.array([2.0, 1.0])
    >>> observe(np.array([0, 1]), np.array([1.0, -3.0]), scales)
    >>> scales.tolist()
    [2.0, 3.0]
    """
    for i in range(indices.shape[0]):
        scales[indices[i]] = max(scales[indices[i]], abs(values[i]))


@kernel
def margin(indices: Integers, scaled: Floats, weights: Floats, lane: int) -> float:
    """Sum of weight times scaled value.

    >>> margin(np.array([0, 1]), np.array([0.5, -1.0]), np.array([[2.0], [3.0]]), 0)
    -2.0
    """
    total = weights.dtype.type(0.0)
    for i in range(indices.shape[0]):
        total += weights[indices[i], lane] * scaled[i]
    return float(np.float64(total))


@kernel
def squared_norm(scaled: Floats) -> float:
    """Sum of the squares of the scaled values.

    >>> squared_norm(np.array([0.5, -1.0]))
    1.25
    """
    total = scaled.dtype.type(0.0)
    for i in range(scaled.shape[0]):
        total += scaled[i] * scaled[i]
    return float(np.float64(total))


@kernel
def add_gradient(
    indices: Integers, values: Floats, gradients: Floats, lane: int, amount: float
) -> None:
    """Add ``amount`` times the squared value to each gradient sum.

    >>> sums = np.zeros((2, 1))
    >>> add_gradient(np.array([1]), np.array([3.0]), sums, 0, 0.5)
    >>> sums.tolist()
    [[0.0], [4.5]]
    """
    part = gradients.dtype.type(amount)
    for i in range(indices.shape[0]):
        gradients[indices[i], lane] += part * (values[i] * values[i])


@inlined
def rate(value: float, gradient: float) -> float:
    r"""Direction of a feature's step, :math:`x_j / \sqrt{G_j}`; none before its first gradient.

    The precision is that of the arguments.

    >>> float(rate(3.0, 4.0)), rate(3.0, 0.0)
    (1.5, 0.0)
    """
    return value / np.sqrt(gradient) if gradient > 0.0 else gradient


@kernel
def movement(
    indices: Integers,
    values: Floats,
    scaled: Floats,
    gradients: Floats,
    lane: int,
    amount: float,
) -> float:
    r"""How far the margin moves per unit of scalar update: :math:`\sum_j x_j z_j / \sqrt{G_j}`.

    ``amount`` times the squared value is added to each gradient sum on the way, and not kept.

    >>> sums = np.array([[4.0], [1.0]])
    >>> movement(np.array([0, 1]), np.array([1.0, 2.0]), np.array([0.5, 1.0]), sums, 0, 0.0)
    2.25
    """
    part = gradients.dtype.type(amount)
    total = gradients.dtype.type(0.0)
    for i in range(indices.shape[0]):
        gradient = gradients[indices[i], lane] + part * (values[i] * values[i])
        total += rate(values[i], gradient) * scaled[i]
    return float(np.float64(total))


@kernel
def apply_step(
    indices: Integers,
    values: Floats,
    weights: Floats,
    gradients: Floats,
    lane: int,
    update: float,
) -> None:
    r"""Move each weight by ``update`` times :math:`x_j / \sqrt{G_j}`.

    >>> weights = np.zeros((2, 1))
    >>> apply_step(np.array([1]), np.array([2.0]), weights, np.array([[1.0], [4.0]]), 0, 3.0)
    >>> weights.tolist()
    [[0.0], [3.0]]
    """
    part = weights.dtype.type(update)
    for i in range(indices.shape[0]):
        weights[indices[i], lane] += part * rate(values[i], gradients[indices[i], lane])


@kernel
def flip_weight(margin: float, sensitivity: float) -> float:
    """Weight that brings the margin to zero if ``sensitivity`` does not depend on it.

    It is infinite where nothing moves the margin. With the ``sensitivity`` of a unit weight this is
    the weight that flips only for constant rates: others change with the weight that is learned.
    ``exact_flip_weight`` takes account of that.

    >>> flip_weight(0.0, 0.0), flip_weight(1.0, 0.0)
    (0.0, inf)
    """
    return reverting_weight(revert(margin), sensitivity)


@inlined
def reverting_weight(needed: float, sensitivity: float) -> float:
    """``flip_weight`` where ``needed``, what it takes to ``revert`` the margin, is known already.

    >>> reverting_weight(1.0, 0.5)
    2.0
    """
    if needed == 0.0:
        return 0.0
    return needed / sensitivity if sensitivity > 0.0 else math.inf


@inlined
def rate_factor(rates: int, norm: float, total: float) -> float:
    """What all rates of a lane have in common, its current example counted.

    ``norm`` is the weighted sum of squared norms of the scaled rows, ``total`` the weight learned:
    adaptive rates are divided by the root of their quotient, decaying ones by that of ``total``.

    >>> rate_factor(ADAPTIVE, 8.0, 2.0), rate_factor(CONSTANT, 8.0, 2.0)
    (0.5, 1.0)
    >>> rate_factor(DECAYING, 0.0, 4.0)
    0.5
    """
    if rates == ADAPTIVE:
        return math.sqrt(total / norm)
    return 1.0 / math.sqrt(total) if rates == DECAYING else 1.0


@kernel
def sensitivity(
    indices: Integers,
    values: Floats,
    scaled: Floats,
    weights: Floats,
    gradients: Floats,
    norms: Floats,
    totals: Floats,
    lane: int,
    weight: float,
    learning_rate: float,
    rates: int,
) -> float:
    """Rate times movement, as an update of ``weight`` with the opposite label would find it.

    The weight counts: it goes into the gradient sums, the norm and the total that rates depend on.
    Nothing changes and no label is looked at.

    >>> row = np.array([0]), np.array([1.0]), np.array([1.0])
    >>> state = np.zeros((1, 1)), np.zeros((1, 1)), np.zeros(1), np.zeros(1)
    >>> [sensitivity(*row, *state, 0, weight, 0.5, ADAPTIVE) for weight in (1.0, 4.0)]
    [1.0, 0.5]
    """
    f = margin(indices, scaled, weights, lane)
    amount = weight * gradient_squared(-abs(f)) if rates == ADAPTIVE else 0.0
    norm, total = norms[lane] + weight * squared_norm(scaled), totals[lane] + weight
    factor = rate_factor(rates, norm, total)
    return learning_rate * factor * movement(indices, values, scaled, gradients, lane, amount)


@kernel
def exact_flip_weight(
    indices: Integers,
    values: Floats,
    scaled: Floats,
    weights: Floats,
    gradients: Floats,
    norms: Floats,
    totals: Floats,
    lane: int,
    learning_rate: float,
    rates: int,
) -> float:
    r"""Weight of an opposite-label example whose own update brings the margin to zero.

    It is the root of :math:`w\, s(w) = |f| + 1 - e^{-|f|}`, s being the ``sensitivity`` at w. The
    left side, what ``learn`` gives to ``logistic_step``, rises from 0 without bound: w over
    :math:`\sqrt{G_j + w g^2 x_j^2}` rises at least as :math:`\sqrt w`, and the common factor
    :math:`\sqrt{(T + w) / (N + w n)}` falls, if it does, more slowly than :math:`1 / \sqrt w`. So
    the root is bracketed by doubling, then found by halving. Infinite beyond ``MOST_WEIGHT``.

    >>> row = np.array([0]), np.array([1.0]), np.array([1.0])
    >>> state = np.ones((1, 1)), np.ones((1, 1)), np.ones(1), np.ones(1)
    >>> w = exact_flip_weight(*row, *state, 0, 0.5, ADAPTIVE)
    >>> abs(learn(*row, *state, 0, -1.0, w, 0.5, ADAPTIVE)) < 1e-9
    True
    """
    needed = revert(margin(indices, scaled, weights, lane))
    if needed == 0.0:
        return 0.0
    lower, upper, weight = 0.0, math.inf, 1.0
    while max(lower, LEAST_WEIGHT) < weight < min(upper, MOST_WEIGHT):
        pushed = weight * sensitivity(
            indices, values, scaled, weights, gradients, norms, totals,
            lane, weight, learning_rate, rates,
        )  # fmt: skip
        if pushed < needed:
            lower = weight
        else:
            upper = weight
        weight = 2.0 * lower if upper == math.inf else 0.5 * (lower + upper)
    return upper


@kernel
def learn(
    indices: Integers,
    values: Floats,
    scaled: Floats,
    weights: Floats,
    gradients: Floats,
    norms: Floats,
    totals: Floats,
    lane: int,
    target: float,
    weight: float,
    learning_rate: float,
    rates: int,
) -> float:
    """One importance-weight-aware step towards ``target``; the margin that it leaves.

    Weight 0 changes nothing.

    The gradient is counted before the step, so that the first step is finite.

    >>> row = np.array([0]), np.array([1.0]), np.array([1.0])
    >>> weights, sums = np.zeros((1, 1)), np.zeros((1, 1))
    >>> learn(*row, weights, sums, np.zeros(1), np.zeros(1), 0, 1.0, 2.0, 0.5, CONSTANT)
    0.0
    >>> sums[:] = 1.0  # plain rates are gradient sums that stay at one
    >>> a = learn(*row, weights, sums, np.zeros(1), np.zeros(1), 0, 1.0, 3.0, 0.5, CONSTANT)
    >>> a == float(weights[0, 0])
    True
    >>> round(a + math.exp(a) - (1 + 0.5 * 3.0), 12)
    0.0
    """
    agreement = target * margin(indices, scaled, weights, lane)
    if weight == 0.0:
        return target * agreement
    norms[lane] += weight * squared_norm(scaled)
    totals[lane] += weight
    if rates == ADAPTIVE:
        add_gradient(indices, values, gradients, lane, weight * gradient_squared(agreement))
    factor = rate_factor(rates, norms[lane], totals[lane])
    moved = factor * movement(indices, values, scaled, gradients, lane, 0.0)
    if moved <= 0.0:
        return target * agreement
    step = logistic_step(agreement, learning_rate * weight * moved)
    apply_step(indices, values, weights, gradients, lane, target * step / moved * factor)
    return target * (agreement + step)
