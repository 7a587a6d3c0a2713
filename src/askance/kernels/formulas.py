r"""One function per scalar equation: thresholds, floors, query probabilities.

``t`` and ``k`` are passed as floats, the arithmetic is float64, and only functions of :mod:`math`
are used: the same bits come out compiled or interpreted.
"""

import math

from askance.kernels._jit import kernel

__all__ = [
    "beta_squared",
    "importance_weight",
    "iwal_aggressive_term",
    "iwal_probability",
    "iwal_slow_term",
    "least_q_squared",
    "margin_probability",
    "min_query_probability",
    "query_probability",
    "regret_threshold",
    "sign",
]


@kernel
def sign(margin: float) -> int:
    """Prediction of a margin; zero counts as -1.

    >>> sign(0.3), sign(0.0)
    (1, -1)
    """
    return 1 if margin > 0.0 else -1


@kernel
def regret_threshold(mean_error: float, t: float, c0: float, alpha: float) -> float:
    r"""Radius of the set of good classifiers after t examples.

    .. math:: \hat\Delta_t = \sqrt{c_0 e_t / t} + \max(2\alpha, 4)\, c_0 \log(t) / t

    Infinite before the first example: nothing is ruled out.

    Paper: ``eq:cover_threshold``, standing in for :math:`\gamma\Delta_t` of ``alg:main``.

    >>> round(regret_threshold(mean_error=0.25, t=100.0, c0=0.01, alpha=1.0), 6)
    0.006842
    """
    if t == 0.0:
        return math.inf
    return math.sqrt(c0 * mean_error / t) + max(2.0 * alpha, 4.0) * c0 * math.log(t) / t


@kernel
def min_query_probability(mean_error: float, t: float) -> float:
    r"""Floor of the query probability inside the disagreement region.

    .. math:: P_{\min,t+1} = \min\bigl(1 / (\sqrt{t e_t} + \log t),\; 1/2\bigr)

    Paper: the third display of ``appendix:hyper-parameters``; ``eq:pmin`` with c_3 = 1 and
    n epsilon_M = 1.

    >>> min_query_probability(mean_error=0.25, t=1.0), min_query_probability(0.25, 0.0)
    (0.5, 0.5)
    >>> round(min_query_probability(mean_error=0.25, t=10000.0), 6)
    0.016889
    """
    if t == 0.0:
        return 0.5
    spread = math.sqrt(t * mean_error) + math.log(t)
    return 1.0 / spread if spread > 2.0 else 0.5


@kernel
def query_probability(q_squared: float) -> float:
    r"""Query probability from the squared weight of disagreement.

    .. math:: P = q / (1 + q)

    Paper: ``eqn:primal-dual``, and the line of P_i in ``alg:cover``.

    >>> query_probability(1.0), query_probability(9.0), query_probability(math.inf)
    (0.5, 0.75, 1.0)
    """
    q = math.sqrt(q_squared)
    return q / (1.0 + q) if q < math.inf else 1.0


@kernel
def least_q_squared(floor: float) -> float:
    r"""What the squared weight of disagreement starts from, :math:`(2 P_{\min})^2`.

    It keeps the query probability at :math:`P_{\min}` or above. Paper: ``eqn:primal-dual``.

    >>> least_q_squared(0.5)
    1.0
    """
    return 4.0 * floor * floor


@kernel
def beta_squared(c0: float, alpha: float, beta_scale: float) -> float:
    r"""Square of the weight of the regret term.

    .. math:: \beta^2 = \frac{\alpha}{c_0\, \beta_{scale}^2}

    Paper: ``appendix:hyper-parameters``.

    >>> beta_squared(c0=0.5, alpha=1.0, beta_scale=2.0)
    0.5
    """
    return alpha / (c0 * beta_scale * beta_scale)


@kernel
def importance_weight(probability: float, queried: bool) -> float:
    """Weight of an example that is in the sample only with this probability: 1/P, or 0.

    Paper: the IWAL estimator, ``footnote:noquery``.

    >>> importance_weight(0.25, True), importance_weight(0.25, False)
    (4.0, 0.0)
    """
    return 1.0 / probability if queried else 0.0


@kernel
def iwal_slow_term(mean_error: float, seen: float, c0: float) -> float:
    r"""A, the slow term of IWAL's threshold for example k = seen + 1.

    .. math:: A = \sqrt{\frac{C_0 \log k}{k - 1}\, e}

    with e = 1 for IWAL0 and e = :math:`e_{k-1}` for IWAL1.

    Paper: ``eq:iwal0_threshold``, ``eq:iwal_threshold``.

    >>> round(iwal_slow_term(mean_error=1.0, seen=9.0, c0=0.1), 6)
    0.159951
    """
    return math.sqrt(iwal_aggressive_term(seen, c0) * mean_error)


@kernel
def iwal_aggressive_term(seen: float, c0: float) -> float:
    r"""B, the fast term of IWAL's threshold for example k = seen + 1.

    .. math:: B = \frac{C_0 \log k}{k - 1}

    Paper: ``eq:iwal0_threshold``, ``eq:iwal_threshold``.

    >>> round(iwal_aggressive_term(seen=9.0, c0=0.1), 6)
    0.025584
    """
    return c0 * math.log(seen + 1.0) / seen


@kernel
def iwal_probability(gap: float, a: float, b: float, c1: float, c2: float) -> float:
    r"""Query probability of IWAL when flipping the prediction costs ``gap`` in error.

    1 up to A + B; beyond, s with :math:`z = 1/\sqrt{s}` the positive root of

    .. math:: c_2 B z^2 + c_1 A z = G + (c_1 - 1) A + (c_2 - 1) B

    which joins on at z = 1. It is solved for 1/z after division by the right side, where nothing
    cancels and nothing overflows: the probability is 0 where no weight flips.

    Paper: ``sec:exp_setup``; Beygelzimer et al. (2010), Algorithm 1.

    >>> iwal_probability(0.11, 0.1, 0.01, 1.0, 1.0)
    1.0
    >>> round(iwal_probability(0.28, 0.1, 0.02, 1.0, 1.0), 12)  # z = 2: .02 z^2 + .1 z = .28
    0.25
    """
    if gap <= a + b:
        return 1.0
    right = gap + (c1 - 1.0) * a + (c2 - 1.0) * b
    linear, square = c1 * a / right, c2 * b / right
    root = 0.5 * (linear + math.sqrt(linear * linear + 4.0 * square))
    return min(root * root, 1.0)


@kernel
def margin_probability(margin: float, b: float) -> float:
    r"""Query probability of margin-based selective sampling.

    .. math:: P = b / (b + |f|)

    Not in the paper: what people use today (``sec:experiments`` compares with passive only).

    >>> margin_probability(-3.0, 1.0)
    0.25
    """
    return b / (b + abs(margin))
