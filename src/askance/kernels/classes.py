r"""Several classes over linear lanes, one for each: one learns "this class", the others "not this".

A lane of logistic loss has the margin of its class against all others, one of squared loss its
cost. An example of a class moves all lanes; the class wins when its lane is above all others.
"""

import math

from askance.kernels._jit import inlined, kernel
from askance.kernels.costs import overtaking_weight_of_costs, squared_step
from askance.kernels.exponential import exp_negative, expm1
from askance.kernels.linear import (
    ADAPTIVE,
    add_gradient,
    apply_step,
    margin,
    movement,
    rate_factor,
    squared_norm,
)
from askance.types import Floats, Integers

__all__ = [
    "best_two",
    "lane_sensitivity",
    "learn_cost",
    "least_winning_weight",
    "least_winning_weight_of_costs",
    "overtaking_weight",
    "push_between",
]

MANY = 200
"""More steps than the crossing of two lanes ever takes."""


@kernel
def learn_cost(
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
    r"""One importance-weight-aware step of squared loss towards a cost; the prediction it leaves.

    As :func:`~askance.kernels.linear.learn`, with gradient sums :math:`G_j = \sum w x_j^2`: so no
    rate depends on a cost.

    >>> import numpy as np
    >>> row = np.array([0]), np.array([2.0]), np.array([1.0])
    >>> weights, sums, by_lane = np.zeros((1, 1)), np.zeros((1, 1)), (np.zeros(1), np.zeros(1))
    >>> p = learn_cost(*row, weights, sums, *by_lane, 0, 1.0, 3.0, 0.5, ADAPTIVE)
    >>> round(p - float(weights[0, 0]), 12), sums.tolist()
    (0.0, [[12.0]])
    >>> round(p - (1 - math.exp(-2 * 0.5 * 3.0 * 2.0 / math.sqrt(12.0))), 12)
    0.0
    """
    predicted = margin(indices, scaled, weights, lane)
    if weight == 0.0:
        return predicted
    norms[lane] += weight * squared_norm(scaled)
    totals[lane] += weight
    if rates == ADAPTIVE:
        add_gradient(indices, values, gradients, lane, weight)
    factor = rate_factor(rates, norms[lane], totals[lane])
    moved = factor * movement(indices, values, scaled, gradients, lane, 0.0)
    if moved <= 0.0:
        return predicted
    step = squared_step(target - predicted, learning_rate * weight * moved)
    apply_step(indices, values, weights, gradients, lane, step / moved * factor)
    return predicted + step


@kernel
def lane_sensitivity(
    indices: Integers,
    values: Floats,
    scaled: Floats,
    gradients: Floats,
    norms: Floats,
    totals: Floats,
    lane: int,
    slope: float,
    weight: float,
    learning_rate: float,
    rates: int,
) -> float:
    """Rate times movement of a lane, as an update of ``weight`` would find it.

    ``slope`` is the square of its loss's derivative where the gradient sums hold that, and else 1.

    >>> import numpy as np
    >>> row = np.array([0]), np.array([1.0]), np.array([1.0])
    >>> state = np.zeros((1, 1)), np.zeros(1), np.zeros(1)
    >>> [lane_sensitivity(*row, *state, 0, 0.25, w, 0.5, ADAPTIVE) for w in (1.0, 4.0)]
    [1.0, 0.5]
    """
    amount = weight * slope if rates == ADAPTIVE else 0.0
    norm, total = norms[lane] + weight * squared_norm(scaled), totals[lane] + weight
    factor = rate_factor(rates, norm, total)
    return learning_rate * factor * movement(indices, values, scaled, gradients, lane, amount)


@kernel
def best_two(scores: Floats, side: float) -> tuple[int, float]:
    """The class with the highest score, the first if several have it, and its lead over the others.

    With ``side`` -1.0, as for costs, the lowest.

    >>> import numpy as np
    >>> best_two(np.array([1.0, 4.0, 3.5]), 1.0), best_two(np.array([2.0, 2.0]), -1.0)
    ((1, 0.5), (0, 0.0))
    """
    best, first, second = 0, -math.inf, -math.inf
    for y in range(scores.shape[0]):
        score = side * scores[y]
        if score > first:
            best, first, second = y, score, first
        else:
            second = max(second, score)
    return best, float(first - second)


@inlined
def push_between(a: float, b: float) -> float:
    r"""The push that takes an agreement from a up to b, by the equation of ``logistic_step``.

    .. math:: b + e^b - a - e^a = (b - a) - e^b\,\mathrm{expm1}(a - b)

    >>> push_between(-1.0, 0.0) == 1.0 - math.expm1(-1.0), push_between(3.0, 3.0)
    (True, 0.0)
    """
    if b <= a:
        return 0.0
    grown = exp_negative(b) if b <= 0.0 else 1.0 / exp_negative(-b)
    return (b - a) - grown * expm1(max(a - b, -700.0))


@kernel
def overtaking_weight(below: float, above: float, up: float, down: float) -> float:
    r"""The weight of an example of a class after which its margin is that of a rival.

    The lane of the class rises from ``below`` at sensitivity ``up``, that of the rival falls from
    ``above`` at ``down``. They meet at the v at which both need the same weight,

    .. math:: \frac{v + e^v - f_k - e^{f_k}}{s_k} = \frac{f_j - v + e^{-v} - e^{-f_j}}{s_j},

    whose left side rises with v and whose right side falls. Newton's method finds it, kept inside
    its bracket. Infinite where neither moves.

    >>> overtaking_weight(1.0, 1.0, 0.0, 0.0), overtaking_weight(0.0, 1.0, 0.0, 0.0)
    (0.0, inf)
    >>> w = overtaking_weight(-2.0, 2.0, 0.5, 0.5)  # they meet at 0
    >>> round(w, 6) == round((2.0 + 1.0 - math.exp(-2.0)) / 0.5, 6)
    True
    """
    if above <= below:
        return 0.0
    if up <= 0.0 and down <= 0.0:
        return math.inf
    lower, upper, v = below, above, 0.5 * (below + above)
    for _ in range(MANY):
        rise, fall = push_between(below, v), push_between(-above, -v)
        excess = rise * down - fall * up
        rising, falling = _slopes(v, up, down)
        if excess > 0.0:
            upper = v
        else:
            lower = v
        before, step = v, v - excess / (rising + falling)
        v = step if lower < step < upper else 0.5 * (lower + upper)
        if excess == 0.0 or abs(v - before) <= 1e-15 * max(abs(v), 1.0):
            v = before if excess == 0.0 else v
            break
    # By the side that depends less on where they meet.
    rising, falling = _slopes(v, up, down)
    if up > 0.0 and (rising <= falling or down <= 0.0):
        return push_between(below, v) / up
    return push_between(-above, -v) / down


@inlined
def _slopes(v: float, up: float, down: float) -> tuple[float, float]:
    """How fast the push of each side changes with the place where they meet, over the other's s."""
    decay = exp_negative(-abs(v))
    larger = 1.0 / decay
    rising, falling = (larger, decay) if v > 0.0 else (decay, larger)
    return (1.0 + rising) * down, (1.0 + falling) * up


@kernel
def least_winning_weight(margins: Floats, up: Floats, down: Floats) -> float:
    """The least weight of an example of another class than the best after which that class wins.

    It wins when it is above all others; ``up`` and ``down`` are the sensitivities of the lanes to
    an example of their class and of another. To overtake the best is enough for the least weight:
    were a third class still above it then, that one would be above the fallen best as well, and so
    would have won with less weight of its own examples, which do not lower it.

    >>> import numpy as np
    >>> two, three = np.array([0.5, -0.5]), np.array([0.5, -0.5, -3.0])
    >>> least = least_winning_weight(two, np.ones(2), np.ones(2))
    >>> least == 0.5 - math.expm1(-0.5)
    True
    >>> least == least_winning_weight(three, np.ones(3), np.ones(3))
    True
    """
    best, _ = best_two(margins, 1.0)
    least = math.inf
    for k in range(margins.shape[0]):
        if k != best:
            weight = overtaking_weight(margins[k], margins[best], up[k], down[best])
            least = min(least, weight)
    return float(least)


@kernel
def least_winning_weight_of_costs(costs: Floats, sensitivities: Floats, matrix: Floats) -> float:
    """``least_winning_weight`` over lanes of costs; row y of the ``matrix`` is an example of y.

    >>> import numpy as np
    >>> plain = np.array([[0.0, 1.0], [1.0, 0.0]])
    >>> round(least_winning_weight_of_costs(np.array([0.25, 0.75]), np.full(2, 0.1), plain), 6)
    2.027326
    """
    best, _ = best_two(costs, -1.0)
    least = math.inf
    for k in range(costs.shape[0]):
        if k == best:
            continue
        weight = 0.0
        for j in range(costs.shape[0]):
            ahead, price = costs[k] - costs[j], matrix[k, j] - matrix[k, k]
            weight = max(weight, overtaking_weight_of_costs(ahead, price, sensitivities[k]))
        least = min(least, weight)
    return float(least)
