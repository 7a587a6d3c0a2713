r"""Costs by squared loss: the step, the range of a cost that is left open, and what to ask.

Costs lie in [0, 1]; a lane predicts that of its class. The algorithm is COAL of Krishnamurthy,
Agarwal, Huang, Daume and Langford, "Active learning for cost-sensitive classification" (2017), as
its online form has it.
"""

import math

from askance.kernels._jit import inlined, kernel
from askance.kernels.exponential import expm1
from askance.types import Bools, Floats

__all__ = [
    "cost_radius",
    "cost_reach",
    "find_ranges",
    "mark_wanted",
    "overtaking_weight_of_costs",
    "range_limit",
    "squared_step",
]

ROUNDS = 5
"""Newton steps after which ``cost_reach`` is exact; one more changes at most its last bit."""


@inlined
def squared_step(gap: float, push: float) -> float:
    r"""How far a prediction p moves towards its target y under the loss :math:`(p - y)^2`.

    With gap y - p, and push the rate times weight times movement, it is the limit of many small
    gradient steps:

    .. math:: p' - p = (y - p)\,(1 - e^{-2\,\text{push}})

    >>> squared_step(0.5, 0.0) == 0.0, squared_step(-0.5, 1e9)
    (True, -0.5)
    >>> round(squared_step(1.0, 0.5 * math.log(2.0)), 12)
    0.5
    """
    return -gap * expm1(max(-2.0 * push, -700.0))


@kernel
def cost_radius(classes: float, t: float, c0: float) -> float:
    r"""How much more squared error than the best a good regressor may have, at example t.

    .. math:: \Delta_t = c_0 \ln(K \max(t - 1, 1))

    >>> round(cost_radius(classes=3.0, t=1.0, c0=0.1), 6), round(cost_radius(3.0, 11.0, 0.1), 6)
    (0.109861, 0.34012)
    """
    return c0 * math.log(classes * max(t - 1.0, 1.0))


@kernel
def range_limit(t: float, c1: float) -> float:
    r"""The range of a cost that is large at example t: :math:`\eta_t = c_1 / \sqrt t`.

    >>> range_limit(t=4.0, c1=0.5)
    0.25
    """
    return c1 / math.sqrt(t)


@kernel
def cost_reach(room: float, allowed: float) -> float:
    r"""How far a cost can be moved with ``room`` d at an excess of ``allowed`` = s Delta.

    An example of weight w moves it by u = s w, and saves :math:`d^2 - (d - u)^2` of its own squared
    error for each unit of weight. So u in [0, d] is the root of

    .. math:: u^2 (2 d - u) = s \Delta

    or d, where even that is allowed: :math:`d^3 \le s \Delta`. The left side rises with u.

    >>> cost_reach(0.5, 0.125), cost_reach(0.5, 1.0), cost_reach(0.0, 0.0)
    (0.5, 0.5, 0.0)
    >>> round(cost_reach(1.0, 0.375), 12)  # 1/4 times 3/2
    0.5
    """
    if room * room * room <= allowed:
        return room
    share = allowed / (room * room * room)
    # v = u/d solves v^2 (2 - v) = share; the root of the share is above it, and so is this.
    v = math.sqrt(share / (2.0 - math.sqrt(share)))
    for _ in range(ROUNDS):
        v -= v * (2.0 - v - share / (v * v)) / (4.0 - 3.0 * v) if v > 0.0 else 0.0
    return room * min(v, 1.0)


@kernel
def find_ranges(
    costs: Floats, sensitivities: Floats, radius: float, low: Floats, high: Floats
) -> None:
    """Write between which costs good regressors lie, by class; an infinite radius leaves all open.

    >>> import numpy as np
    >>> low, high = np.zeros(2), np.zeros(2)
    >>> find_ranges(np.array([0.5, -2.0]), np.array([0.0, 1.0]), 8.0, low, high)
    >>> low.tolist(), high.tolist()
    ([0.5, 0.0], [0.5, 1.0])
    """
    for y in range(low.shape[0]):
        cost = min(max(costs[y], 0.0), 1.0)
        allowed = sensitivities[y] * radius if radius < math.inf else math.inf
        low[y] = cost - cost_reach(cost, allowed)
        high[y] = cost + cost_reach(1.0 - cost, allowed)


@kernel
def mark_wanted(low: Floats, high: Floats, limit: float, wanted: Bools) -> int:
    r"""Mark the classes whose costs are to be asked; how many classes may still be the best.

    Those may whose lowest cost is not above the least of the highest,
    :math:`Y' = \{y : c^-(y) \le \min_{y'} c^+(y')\}`. If they are more than one, those of them are
    wanted whose range is larger than the ``limit``.

    >>> import numpy as np
    >>> wanted = np.zeros(3, bool)
    >>> low, high = np.array([0.0, 0.1, 0.6]), np.array([0.5, 0.2, 1.0])
    >>> mark_wanted(low, high, 0.25, wanted), wanted.tolist()
    (2, [True, False, False])
    """
    least, count = math.inf, 0
    for y in range(low.shape[0]):
        least = min(least, high[y])
    for y in range(low.shape[0]):
        count += 1 if low[y] <= least else 0
    for y in range(low.shape[0]):
        wanted[y] = count > 1 and low[y] <= least and high[y] - low[y] > limit
    return count


@inlined
def overtaking_weight_of_costs(ahead: float, price: float, sensitivity: float) -> float:
    r"""The weight of an example of a class after which its cost is as low as that of a rival.

    The rival's cost is lower by ``ahead``, and the example says that it is higher by ``price``. At
    one sensitivity both differences decay alike, so

    .. math:: w = \ln(1 + \text{ahead} / \text{price}) / (2 s)

    It is infinite where the example does not tell them apart, or nothing moves.

    >>> overtaking_weight_of_costs(0.0, 0.0, 0.0), overtaking_weight_of_costs(0.5, 0.0, 1.0)
    (0.0, inf)
    >>> round(overtaking_weight_of_costs(0.5, 1.0, 0.1), 6)
    2.027326
    """
    if ahead <= 0.0:
        return 0.0
    if price <= 0.0 or sensitivity <= 0.0:
        return math.inf
    return 0.5 * math.log1p(ahead / price) / sensitivity
