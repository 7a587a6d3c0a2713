r"""The logistic loss at one margin: its slope, and a step that takes account of its own weight.

A margin is f, the agreement with a label y is a = y f, and ``decay`` is e^-abs(f), which all share.
"""

import math

from askance.kernels._jit import inlined, kernel
from askance.kernels.exponential import exp_negative, expm1, expm1_rough, log_rough

__all__ = [
    "LARGE",
    "SMALL",
    "best_guess",
    "better_guess",
    "confidence",
    "extreme_step",
    "first_guess",
    "gradient_squared",
    "is_usual",
    "logistic_step",
    "revert",
    "second_guess",
    "slope_squared",
    "usual_step",
]

SMALL, LARGE = 3.0 / 16.0, 1.0
"""To a step below these, one correction leads, or two; to a larger one three."""

MANY = 64
"""More Newton steps than the solver ever takes; 10 were the most seen."""


@kernel
def gradient_squared(agreement: float) -> float:
    r"""Square of the logistic loss's derivative, :math:`(1 / (1 + e^a))^2` at a = y f.

    >>> gradient_squared(0.0)
    0.25
    """
    decay = exp_negative(-abs(agreement))
    return slope_squared(agreement, decay, confidence(decay))


@inlined
def confidence(decay: float) -> float:
    """Probability that the logistic model gives to its prediction; ``decay`` = e^-abs(f).

    >>> confidence(1.0)
    0.5
    """
    return 1.0 / (1.0 + decay)


@inlined
def slope_squared(agreement: float, decay: float, confidence: float) -> float:
    """``gradient_squared`` where decay and confidence are known already.

    >>> slope_squared(0.0, 1.0, 0.5)
    0.25
    """
    slope = confidence * decay if agreement > 0.0 else confidence
    return slope * slope


@inlined
def revert(margin: float) -> float:
    r"""The push, weight times rate times movement, that brings a margin to zero.

    It is :math:`|f| + 1 - e^{-|f|}`, from the equation of ``logistic_step`` at a = -|f|, a' = 0.
    The rates may themselves depend on the weight.

    Paper: the test in ``alg:cover``, by the online technique that ``sec:optimization`` cites.

    >>> revert(0.0), round(revert(-2.0), 6)
    (0.0, 2.864665)
    """
    size = abs(margin)
    return size - expm1(max(-size, -700.0))


@kernel
def logistic_step(agreement: float, push: float) -> float:
    r"""Solve a' + e^a' = a + e^a + push for d = a' - a, to machine precision.

    With a the agreement y f and push the rate times weight times movement:

    .. math:: d + e^a\,\mathrm{expm1}(d) = \text{push}

    >>> round(logistic_step(0.0, 1.0 + math.expm1(1.0)), 15)
    1.0
    >>> logistic_step(3.0, 0.0), logistic_step(-1e300, 2.5)
    (0.0, 2.5)
    """
    if is_usual(agreement, push):
        return usual_step(agreement, exp_negative(-abs(agreement)), push)
    return extreme_step(agreement, push)


@inlined
def is_usual(agreement: float, push: float) -> bool:
    """Whether ``usual_step`` holds: nothing in it can overflow.

    >>> is_usual(-20.0, 1e6), is_usual(-500.0, 1.0)
    (True, False)
    """
    return abs(agreement) <= 100.0 and push <= 1e100


@inlined
def usual_step(agreement: float, decay: float, push: float) -> float:
    """``logistic_step`` for the usual sizes; ``decay`` = e^-abs(a).

    The equation is multiplied by e^-a where a > 0. Its left side is increasing and convex in d, so
    each of its terms gives an upper bound. From there steps of Householder's method of the third
    order reach machine precision (4.4e-16 was the largest relative error seen): one where the bound
    is small, which is what most steps are, else two or three, of which only the last needs an exact
    exponential.

    >>> round(usual_step(0.0, 1.0, 1.0 + math.expm1(1.0)), 15)
    1.0
    """
    step = first_guess(agreement, decay, confidence(decay), push)
    if step >= SMALL:
        step = second_guess(step, agreement, decay, push)
        if step >= LARGE:
            step = better_guess(step, agreement, decay, push)
    return best_guess(step, agreement, decay, push)


@inlined
def first_guess(agreement: float, decay: float, confidence: float, push: float) -> float:
    """The upper bound of ``usual_step`` by the linear term; if small, its series in that bound.

    >>> first_guess(0.0, 1.0, 0.5, 1.0), round(first_guess(0.0, 1.0, 0.5, 0.2), 6)
    (0.5, 0.097542)
    """
    linear, growing = _terms(agreement, decay)
    bound, curve = push * linear * confidence, growing * confidence
    small = min(bound, SMALL)
    near = small * (1.0 - curve * small * (0.5 - small * (0.5 * curve - 1.0 / 6.0)))
    return near if bound < SMALL else bound


@inlined
def second_guess(step: float, agreement: float, decay: float, push: float) -> float:
    """The smaller one of both upper bounds, corrected once.

    >>> round(second_guess(1.36, 0.0, 1.0, 1.0 + math.expm1(1.0)), 3)
    1.0
    """
    linear, growing = _terms(agreement, decay)
    guess = min(step, log_rough(push * linear / growing + 1.0))
    return better_guess(guess, agreement, decay, push)


@inlined
def better_guess(step: float, agreement: float, decay: float, push: float) -> float:
    """``usual_step`` from a guess, by one correction that takes a rough exponential.

    >>> round(better_guess(0.9, 0.0, 1.0, 1.0 + math.expm1(1.0)), 4)
    1.0
    """
    linear, growing = _terms(agreement, decay)
    return step - _correction(step, growing * expm1_rough(step), linear, growing, push * linear)


@inlined
def best_guess(step: float, agreement: float, decay: float, push: float) -> float:
    """``usual_step`` from a guess, by one correction.

    >>> round(best_guess(1.001, 0.0, 1.0, 1.0 + math.expm1(1.0)), 12)
    1.0
    """
    linear, growing = _terms(agreement, decay)
    return step - _correction(step, growing * expm1(step), linear, growing, push * linear)


@inlined
def _terms(agreement: float, decay: float) -> tuple[float, float]:
    """Factors of d and of expm1(d) in the equation."""
    return (decay, 1.0) if agreement > 0.0 else (1.0, decay)


@inlined
def _correction(step: float, grown: float, linear: float, growing: float, right: float) -> float:
    """What Householder's method takes off: all derivatives from the second on are ``curve``."""
    excess = linear * step + grown - right
    curve = grown + growing
    rise = linear + curve
    bend, square = excess * curve, rise * rise
    return excess * (square - 0.5 * bend) / (rise * (square - bend) + excess * bend * (1.0 / 6.0))


@kernel
def extreme_step(agreement: float, push: float) -> float:
    """``logistic_step`` for every finite input, by Newton's method.

    >>> extreme_step(-800.0, 2.5), extreme_step(800.0, 1.0)
    (2.5, 0.0)
    """
    if agreement > 0.0:
        # In two halves: e^-a alone underflows where push e^-a does not.
        half = math.exp(-0.5 * agreement)
        linear, growing, right, shift = half * half, 1.0, push * half * half, 0.0
    else:
        linear, growing, right, shift = 1.0, math.exp(agreement), push, agreement
    step = min(push, right if right < 1.0 else math.log(right + growing) - shift)
    # Next to an agreement below -1e18 no correction counts, and what rounding leaves of a + d would
    # overflow.
    if step == 0.0 or right > 1e300 or agreement < -1e18:
        return step
    for _ in range(MANY):
        # Above 1 by e^(a + d): e^d alone overflows where it does not.
        grown = growing * math.expm1(step) if step <= 1.0 else math.exp(shift + step) - growing
        change = (linear * step + grown - right) / (linear + grown + growing)
        step -= change
        if abs(change) <= 1e-9 * step:
            break
    return step
