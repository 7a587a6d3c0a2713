"""Errors of a classifier from weighted labels, with intervals that hold whenever one looks."""

import math
from collections.abc import Callable

import numpy as np

from askance.errors import InvalidParameter
from askance.estimate.capital import (
    BETS_ABOVE,
    BETS_BELOW,
    GUESSES,
    MEANS,
    Capital,
    ChangingCapital,
    FixedCapital,
    allowed_guess,
    weighted_term,
)
from askance.types import Floats, Integers, Interval
from askance.validation import check_loss, check_probability, check_share, require_whole

__all__ = ["ErrorSequence", "FixedError", "ProgressiveError", "error_trajectory"]

_SHIFTS = (0.0, 3.0, 15.0, 63.0, 255.0)
"""Tried together where no floor of P is known: they are right for floors of 1 to 1/256."""

_MANY = 1000
"""Kinds of examples without a label that are counted apart, at most."""

_CHUNK = 256


class _Side:
    """The terms of one side of an interval, and what they have earned."""

    def __init__(self, capital: Capital, guess: float) -> None:
        self.capital, self.guess = capital, guess
        self.wealth = np.zeros_like(capital.gains(np.zeros(len(capital.shifts))))

    def gains(self, value: Floats | float, P: Floats | float, guess: Floats | float) -> Floats:
        """What values that were asked for with probability P add."""
        P, guess, value = (np.asarray(one, np.float64)[..., None] for one in (P, guess, value))
        allowed = allowed_guess(guess, P, self.capital.shifts) / GUESSES
        return self.capital.gains(weighted_term(value, P, allowed))

    def idle(self, counts: Floats, P: Floats, guesses: Floats) -> Floats:
        """What examples without a label add, ``counts`` of each kind: powers."""
        levels = allowed_guess(guesses[:, None], P[:, None], self.capital.shifts)
        if len(levels) == 1:
            power: Floats = counts[0] * self.capital.gains(levels[0] / GUESSES)
            return power
        used, places = np.unique(levels, return_inverse=True)
        columns = places.reshape(levels.shape).T
        times = np.array([np.bincount(column, counts, len(used)) for column in columns])
        added = self.capital.gains(np.repeat(used[:, None] / GUESSES, len(times), axis=1))
        total: Floats = np.einsum("us...,su->s...", added, times)
        return total

    def bound(self, wealth: Floats, n: Integers | int, alpha: float) -> Floats:
        """The lower bound of the mean after n examples."""
        return self.capital.least_mean(wealth, np.asarray(n), math.log(2.0 / alpha))


class ErrorSequence:
    """Adds up what is seen of a stream.

    It is a :class:`FixedError` or a :class:`ProgressiveError`. Examples may be counted in any
    order, and a label that was missing may be filled in at any time.

    Parameters
    ----------
    alpha
        The chance that the interval is ever wrong; half of it on each side.
    floor
        A number that P is never below, known beforehand. Without it, P is needed of every
        example, and the upper bound is wider.
    guessing
        Whether guesses of errors narrow the lower bound. It is a little wider if they are bad.
    """

    of = "error"

    def __init__(
        self, *, alpha: float = 0.05, floor: float | None = None, guessing: bool = False
    ) -> None:
        check_share(alpha=alpha)
        if floor is not None:
            check_probability(floor)
        self.alpha, self.floor = alpha, floor
        shifts = _SHIFTS if floor is None else (1.0 / floor - 1.0,)
        below = np.array(sorted({0.0, *shifts}) if guessing else [0.0])
        self._below, self._above = (
            _Side(capital, guess)
            for capital, guess in zip(self._sides(below, np.array(shifts)), (0.0, 1.0), strict=True)
        )
        self.n = self.labels = self.missing = 0
        self._wrong = self._known = self._unknown = 0.0
        self._idle: dict[tuple[float | None, float, float], int] = {}

    def _sides(self, below: Floats, above: Floats) -> tuple[Capital, Capital]:
        raise NotImplementedError

    # ------------------------------------------------------------------ what comes

    def skip(
        self,
        count: int = 1,
        *,
        probability: float | None = None,
        wrong: float = 0.0,
        right: float = 1.0,
    ) -> None:
        """Count examples that were not asked about.

        Parameters
        ----------
        count
            How many, all with the same probability and guesses.
        probability
            P, with which each would have been asked about; needed unless a floor is known.
        wrong, right
            Guesses of the probabilities that the prediction is wrong, and that it is right. They
            may look at the example and at P, never at the coin or the label.
        """
        if probability is not None:
            self._check(probability)
        elif self.floor is None and (wrong or right):
            raise InvalidParameter(
                "the probability of an example that was not asked about is needed, got None, "
                "expected it or a floor for all"
            )
        require_whole(0, count=count)
        kind = probability, wrong, right
        self._idle[kind] = self._idle.get(kind, 0) + count
        self.n += count
        if len(self._idle) >= _MANY:
            self._flush()

    def add(
        self, loss: float | None, probability: float, *, wrong: float = 0.0, right: float = 1.0
    ) -> None:
        """Count an example that was asked about.

        Parameters
        ----------
        loss
            1 if the prediction was wrong, 0 if it was right, or what lies between; None if the
            label is missing. Then it counts as 0 in the lower bound and as 1 in the upper one.
        probability
            P, with which it was asked about.
        wrong, right
            As for :meth:`skip`.
        """
        self._check(probability)
        if loss is None:
            self.missing += 1
            self._unknown += 1.0 / probability
        else:
            self._learn(loss, probability)
        self.n += 1
        self._earn(loss, probability, wrong, right)

    def fill(
        self, loss: float, probability: float, *, wrong: float = 0.0, right: float = 1.0
    ) -> None:
        """Put the ``loss`` of a label that came late where it was missing.

        ``probability``, ``wrong`` and ``right`` are those with which it was added.
        """
        if not self.missing:
            raise InvalidParameter(
                "a late label came where none is missing, expected an earlier add"
            )
        self._learn(loss, probability)
        self.missing -= 1
        self._unknown = self._unknown - 1.0 / probability if self.missing else 0.0
        self._earn(loss, probability, wrong, right)
        self._earn(None, probability, wrong, right, times=-1.0)

    def _check(self, probability: float) -> None:
        check_probability(probability)
        if self.floor is not None and probability < self.floor:
            raise InvalidParameter(
                f"a probability must not be below the floor {self.floor}, got {probability}"
            )

    def _learn(self, loss: float, probability: float) -> None:
        check_loss(loss)
        self.labels += 1
        self._known += 1.0 / probability
        self._wrong += loss / probability

    def _earn(
        self, loss: float | None, P: float, wrong: float, right: float, times: float = 1.0
    ) -> None:
        # A missing label is the worst for both sides: not known to be wrong, nor to be right.
        values = (0.0, 0.0) if loss is None else (loss, 1.0 - loss)
        self._below.wealth += times * self._below.gains(values[0], P, wrong)
        self._above.wealth += times * self._above.gains(values[1], P, right)

    def _flush(self) -> None:
        if self._idle:
            counts = np.array(list(self._idle.values()), np.float64)
            P, *guesses = np.array([[P or self.floor or 1.0, *g] for P, *g in self._idle]).T
            for side, guess in zip((self._below, self._above), guesses, strict=True):
                side.wealth += side.idle(counts, P, guess)
            self._idle.clear()

    # ------------------------------------------------------------------ what it says

    def interval(self) -> Interval:
        """The error as it is known now; before any label its estimate is NaN."""
        self._flush()
        low = float(self._below.bound(self._below.wealth, self.n, self.alpha))
        high = 1.0 - float(self._above.bound(self._above.wealth, self.n, self.alpha))
        return Interval(
            estimate=self._estimate(),
            # Bounds that cross have a chance of alpha at most, and say nothing.
            low=min(low, high),
            high=max(low, high),
            level=1.0 - self.alpha,
            of=self.of,
            holds="at any time",
        )

    def _estimate(self) -> float:
        """Weighted mistakes over examples; missing labels are taken to be like the others."""
        if not self.labels:
            return math.nan
        whole = (self._known + self._unknown) / self._known
        return float(min(self._wrong * whole / self.n, 1.0))


class FixedError(ErrorSequence):
    """The error of a classifier that does not change, and was not made from these labels.

    Examples
    --------
    >>> error = FixedError(floor=0.5)
    >>> for i in range(300):
    ...     error.skip()
    ...     error.add(loss=float(i % 20 == 0), probability=0.5)
    >>> said = error.interval()
    >>> round(said.estimate, 3), round(said.low, 2), round(said.high, 2)
    (0.05, 0.02, 0.11)
    """

    def _sides(self, below: Floats, above: Floats) -> tuple[Capital, Capital]:
        return (
            FixedCapital(MEANS, below, BETS_BELOW),
            FixedCapital(1.0 - MEANS[::-1], above, BETS_ABOVE),
        )


class ProgressiveError(ErrorSequence):
    """The mean error of the classifiers as they were when each example came.

    Every prediction is made before its label is learned. Use it for a classifier that learns from
    these labels.

    Examples
    --------
    >>> error = ProgressiveError(floor=1.0)
    >>> for i in range(300):
    ...     error.add(loss=float(i % 20 == 0), probability=1.0)
    >>> said = error.interval()
    >>> round(said.estimate, 3), round(said.low, 2), round(said.high, 2)
    (0.05, 0.02, 0.11)
    """

    of = "mean error of the classifiers so far"

    def _sides(self, below: Floats, above: Floats) -> tuple[Capital, Capital]:
        return (
            # Without a shift no term is below the usual one, and bets may be large.
            ChangingCapital(below, (8.0 if below.max() == 0 else 1.0) * BETS_BELOW, usual=0.0),
            ChangingCapital(above, BETS_ABOVE, usual=1.0),
        )


def error_trajectory(
    losses: Floats,
    probabilities: Floats,
    positions: Integers,
    *,
    floor: float,
    alpha: float = 0.05,
    of: Callable[..., ErrorSequence] = FixedError,
) -> tuple[Floats, Floats]:
    """The lower and upper bounds after each of many labels.

    Parameters
    ----------
    losses
        One for each label, from 0 to 1.
    probabilities
        P, with which each was asked about.
    positions
        Where each stood in the stream, from 0 on, rising; those between were not asked about.
    floor, alpha
        As for :class:`ErrorSequence`.
    of
        :class:`FixedError` or :class:`ProgressiveError`.

    Examples
    --------
    >>> ones = np.ones(300)
    >>> low, high = error_trajectory(0 * ones, ones, np.arange(300), floor=1.0)
    >>> high[[29, 99, 299]].round(3).tolist()
    [0.191, 0.063, 0.021]
    """
    begun = of(alpha=alpha, floor=floor)
    for loss, P in zip(losses.tolist(), probabilities.tolist(), strict=True):
        check_loss(loss)
        begun._check(P)
    gaps = np.diff(positions, prepend=-1) - 1.0
    bounds = []
    for side, values in ((begun._below, losses), (begun._above, 1.0 - losses)):
        idle = side.idle(np.ones(1), np.array([floor]), np.array([side.guess]))
        wealth, parts = side.wealth, []
        for start in range(0, len(losses), _CHUNK):
            part = slice(start, start + _CHUNK)
            added = side.gains(values[part], probabilities[part], side.guess)
            added += gaps[part].reshape(-1, *(1,) * idle.ndim) * idle
            added[0] += wealth
            grown = np.cumsum(added, axis=0)
            parts.append(side.bound(grown, positions[part] + 1, alpha))
            wealth = grown[-1]
        bounds.append(np.concatenate(parts))
    return bounds[0], 1.0 - bounds[1]
