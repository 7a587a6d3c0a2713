r"""The cover of Online Active Cover: cost gap, numerator, denominator, multiplier.

Everything is written for one member and one example; :mod:`askance.learners.online_active_cover`
says in which order.
"""

import math

from askance.kernels._jit import kernel

__all__ = ["cost_gap", "denominator_step", "multiplier", "numerator_step", "regret_weight"]


@kernel
def regret_weight(beta2: float, k: float, threshold: float) -> float:
    r"""Weight of the regret term in the costs, :math:`2 \beta^2 (i-2) \hat\Delta_{i-2}`.

    k = i - 2 examples were learned when the example was decided. Paper: ``eq:cover_cost``.

    >>> regret_weight(beta2=0.5, k=10.0, threshold=0.25)
    2.5
    """
    return 2.0 * beta2 * k * threshold


@kernel
def cost_gap(
    regret: float, agrees: bool, weight: float, in_disagreement: bool, alpha: float, p: float
) -> float:
    r"""Cost of the predicted label less that of the other, :math:`c_{\tilde Y} - c_{-\tilde Y}`.

    .. math::

        c_y = 2 \beta^2 (i-2)\hat\Delta_{i-2}\, 1(y \neq Y^*)\, W
              + (2\alpha^2 - 1/p_t)\, 1(X \in D \wedge y \neq \tilde Y)

    ``agrees`` says whether :math:`\tilde Y = Y^*`. The member is trained towards the cheaper label
    with the absolute gap as its weight. Paper: ``eq:cover_cost``.

    >>> cost_gap(2.0, True, 1.0, False, 1.0, 0.5)  # outside: (0, 2)
    -2.0
    >>> cost_gap(2.0, True, 0.0, True, 1.0, 0.25)  # inside, not queried: (0, 2 - 4)
    2.0
    >>> cost_gap(2.0, False, 4.0, True, 1.0, 0.25)  # queried, mistaken: (8, 2 - 4)
    10.0
    """
    cost_predicted = 0.0 if agrees else regret * weight
    cost_other = regret * weight if agrees else 0.0
    if in_disagreement:
        cost_other += 2.0 * alpha * alpha - 1.0 / p
    return cost_predicted - cost_other


@kernel
def numerator_step(numerator: float, gap: float, disagrees: bool) -> float:
    r"""Numerator after one example, :math:`\max(\nu_t + 2 (c_{\tilde Y} - c_{h_t(X)}), 0)`.

    A member that agrees with the prediction has no gap. Paper: ``eq:cover:update_num``.

    >>> numerator_step(1.0, 0.5, True), numerator_step(1.0, -3.0, True)
    (2.0, 0.0)
    >>> numerator_step(1.0, 0.5, False)
    1.0
    """
    return max(numerator + 2.0 * gap, 0.0) if disagrees else numerator


@kernel
def denominator_step(denominator: float, q_squared: float, counts: bool) -> float:
    r"""Denominator after one example, :math:`\omega_t + 1/q_t^3` if the example counts.

    It counts if the member disagrees inside the region. Paper: ``eq:cover:update_den``.

    >>> denominator_step(1.0, 4.0, True), denominator_step(1.0, 4.0, False)
    (1.125, 1.0)
    """
    return denominator + 1.0 / (q_squared * math.sqrt(q_squared)) if counts else denominator


@kernel
def multiplier(numerator: float, denominator: float) -> float:
    r"""Multiplier :math:`\nu / \omega`, where 0/0 is 0.

    A positive numerator comes only from a disagreement inside the region, which also raised the
    denominator; but a large multiplier makes :math:`1/q_t^3` of all later members tiny and so their
    own multipliers larger still, until the denominator underflows: then it is infinite, and the
    query probability is 1. Paper: ``eq:cover:update_lambda``.

    >>> multiplier(3.0, 2.0), multiplier(0.0, 0.0), multiplier(3.0, 0.0)
    (1.5, 0.0, inf)
    """
    if numerator == 0.0:
        return 0.0
    return numerator / denominator if denominator > 0.0 else math.inf
