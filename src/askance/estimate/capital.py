r"""What a gambler would own who bets that the mean of weighted terms is above m.

A label with probability P, or its absence, is a *term* z whose mean is the error (or the share of
right predictions) and which is never below -k, the *shift*. If the mean is m, nobody grows rich by
bets on terms above m: the capital stays below 1/a at all times, but for a chance of a. So every m
at which the capital has reached 1/a is excluded, at any time.

Bets never change and look at nothing, so capitals do not depend on the order of the terms: labels
may come late, and any number of examples that were not asked about is one power. The capitals of
several bets and shifts are averaged, which costs little and spares a choice. More money may be in
one bet than in another, as long as that is settled before the first term.
"""

import math
from typing import Protocol

import numpy as np

from askance.types import Floats, Integers

__all__ = [
    "BETS_ABOVE",
    "BETS_BELOW",
    "GUESSES",
    "MEANS",
    "SHARES_ABOVE",
    "Capital",
    "ChangingCapital",
    "FixedCapital",
    "allowed_guess",
    "log_average",
    "weighted_term",
]

BETS_BELOW: Floats = 0.5 * 0.25 ** np.arange(8.0)
"""Bets of a lower bound, most of them small, since its terms are rare and large."""

BETS_ABOVE: Floats = np.array([0.9, 0.45, 0.15, 0.05, 0.015])
"""Bets of an upper bound, whose terms are almost all alike."""

SHARES_ABOVE: Floats = np.array([0.4, 0.25, 0.15, 0.12, 0.08])
"""Shares of the money in each of them, most where few labels can be wrong, as they mostly are."""

MEANS: Floats = np.concatenate(
    [np.geomspace(1e-5, 1e-3, 12)[:-1], np.sin(np.pi / 2 * np.linspace(0.02, 0.998, 117)) ** 2]
)
"""Errors at which capitals are kept, everywhere about the same part of a standard error apart."""

GUESSES = 64
"""Guesses are rounded down to parts of this, so that equal ones can be counted together."""


_STEPS = 5
_INSIDE = np.linspace(0.0, 1.0, 33)


def allowed_guess(guess: Floats | float, probability: Floats | float, shift: Floats) -> Floats:
    """The guess in whole parts of 1/64, cut down to where no term is below -``shift``.

    A term is least, at g - g/P, if a label says 0; so g is at most k P/(1 - P). The guess is the
    same whether a label is asked for or not: it must not look at the coin.

    >>> allowed_guess(1.0, 0.25, np.array([0.0, 1.0, 3.0])).tolist()
    [0.0, 21.0, 64.0]
    """
    P = np.asarray(probability)
    with np.errstate(divide="ignore", invalid="ignore"):
        most = np.where(P < 1, shift * P / (1 - P), np.inf)
    # k P/(1 - P) at the floor is 1 but for rounding.
    whole: Floats = np.floor(GUESSES * np.minimum(guess, most) + 1e-9)
    return whole


def weighted_term(value: Floats | float, probability: Floats | float, guess: Floats) -> Floats:
    """What a label that was asked for says, g + (value - g)/P; its mean is that of the values.

    >>> float(weighted_term(1.0, 0.25, np.array(0.5)))
    2.5
    """
    term: Floats = guess + (value - guess) / probability
    return term


def log_average(capitals: Floats) -> Floats:
    """The logarithm of the average over shifts and bets, the first two of the last three axes.

    >>> log_average(np.log([[[1.0, 2.0], [3.0, 2.0]]])).round(6).tolist()
    [0.693147, 0.693147]
    """
    top = capitals.max(axis=(-3, -2), keepdims=True)
    average: Floats = np.log(np.exp(capitals - top).mean(axis=(-3, -2))) + top[..., 0, 0, :]
    return average


def _start(bets: Floats, shares: Floats | None) -> Floats:
    return np.log(np.ones(len(bets)) if shares is None else len(bets) * shares)


class Capital(Protocol):
    """One side of an interval: logarithms of capitals that grow with every term."""

    shifts: Floats
    start: Floats
    """Logarithms of the capitals before the first term, of which the average is 1."""

    def gains(self, terms: Floats) -> Floats:
        """What ``terms``, one for each shift along the last axis, add to the wealth."""

    def least_mean(self, wealth: Floats, n: Integers, needed: float) -> Floats:
        """The smallest mean at which the capital after ``n`` terms is below e^``needed``."""


class FixedCapital:
    r"""The mean never changes: the classifier is fixed, and all examples are alike.

    .. math:: K(m) = \prod_i \left(1 + \lambda (z_i - m)\right), \quad \lambda = b / (m + k)

    Each factor falls in m. As a function of u = 1/(m + k) it is 1 - b + b (z + k) u, so that its
    logarithm is concave in u: between two means of a grid, the chord is a lower bound of the
    capital, and an interval by chords is too wide by next to nothing, and never too narrow.

    Parameters
    ----------
    means
        Rising and positive: where the capital is kept.
    shifts
        k, each with -k at most the least term.
    bets
        b, each above 0 and below 1.
    shares
        What of the money is in each bet; the same in all if not given.

    Examples
    --------
    >>> capital = FixedCapital(np.array([0.25, 0.5]), np.zeros(1), np.array([0.5]))
    >>> np.exp(capital.gains(np.ones(1))).tolist()
    [[[2.5, 1.5]]]
    """

    def __init__(
        self, means: Floats, shifts: Floats, bets: Floats, shares: Floats | None = None
    ) -> None:
        self.means, self.shifts = means, shifts
        self.start = _start(bets, shares)[:, None]
        self._shifts = shifts[:, None, None]
        self._inverse = 1.0 / (means + self._shifts)
        self._bets = bets[:, None]

    def gains(self, terms: Floats) -> Floats:
        """What terms add to the logarithm of each capital, at each mean."""
        ratio = (terms[..., None, None] + self._shifts) * self._inverse
        added: Floats = np.log1p(self._bets * (ratio - 1.0))
        return added

    def least_mean(self, wealth: Floats, n: Integers, needed: float) -> Floats:
        """The smallest mean at which the capital is below e^``needed``."""
        reached = np.sum(log_average(wealth) >= needed, axis=-1)
        cell = np.clip(reached - 1, 0, len(self.means) - 2)
        left, right = self.means[cell, None], self.means[cell + 1, None]
        inside = left + _INSIDE * (right - left)
        places = cell[..., None, None, None]
        low = np.take_along_axis(wealth, places, axis=-1)
        high = np.take_along_axis(wealth, places + 1, axis=-1)
        u, u_low, u_high = (
            1.0 / (m[..., None, None, :] + self._shifts) for m in (inside, left, right)
        )
        chord = high + (u - u_high) / (u_low - u_high) * (low - high)
        last = np.sum(log_average(chord) >= needed, axis=-1) - 1
        found = np.take_along_axis(inside, np.maximum(last, 0)[..., None], axis=-1)[..., 0]
        return np.where(reached == 0, 0.0, found)


class ChangingCapital:
    r"""Means that differ: the classifiers as they were when each example came.

    .. math:: K(m) = \prod_i \left(1 + \lambda (z_i - a)\right) e^{-\lambda (m_i - a)},
        \quad \lambda = b / (1 + k)

    with ``a`` the usual term. Since 1 + x is at most e^x, nobody grows rich by it whatever the
    means m_i are, and it depends on them by their sum alone. It is the empirical-Bernstein
    sequence in its sharper form: 1 + x is at least exp(x - (-ln(1 - b) - b) x^2/b^2).

    Parameters
    ----------
    shifts
        k, each with -k at most the least term.
    bets
        b, each positive, and below 1 if a term may be below ``usual``.
    usual
        The term of almost every example, 0 or 1.
    shares
        What of the money is in each bet; the same in all if not given.

    Examples
    --------
    >>> capital = ChangingCapital(np.zeros(1), np.array([0.5]), usual=0.0)
    >>> np.exp(capital.gains(np.ones(1))).tolist()
    [[1.5]]
    """

    def __init__(
        self, shifts: Floats, bets: Floats, usual: float, shares: Floats | None = None
    ) -> None:
        self.shifts, self._usual, self.start = shifts, usual, _start(bets, shares)
        self._bets = bets / (1.0 + shifts[:, None])

    def gains(self, terms: Floats) -> Floats:
        """What terms add to the logarithm of each capital, but for what the means take."""
        added: Floats = np.log1p(self._bets * (terms[..., None] - self._usual))
        return added

    def least_mean(self, wealth: Floats, n: Integers, needed: float) -> Floats:
        """The smallest mean at which the capital is below e^``needed``.

        The logarithm of the average is convex in the mean, so Newton's steps from the left never go
        too far. Each single capital is a line, and the best of them is a start.
        """
        rates = self._bets * np.maximum(n, 1)[..., None, None]
        at_zero = wealth + rates * self._usual
        axes = (-2, -1)
        found = np.max((at_zero - needed - math.log(self._bets.size)) / rates, axis=axes)
        for _ in range(_STEPS):
            lines = at_zero - rates * found[..., None, None]
            top = lines.max(axis=axes, keepdims=True)
            capitals = np.exp(lines - top)
            total = capitals.sum(axis=axes)
            excess = np.log(total / self._bets.size) + top[..., 0, 0] - needed
            slope = (rates * capitals).sum(axis=axes) / total
            found = found + np.maximum(excess, 0.0) / slope
        bound: Floats = np.clip(found, 0.0, 1.0)
        return bound
