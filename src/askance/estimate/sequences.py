"""Errors of a classifier from weighted labels, with intervals that hold whenever one looks."""

import functools
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

import numpy as np

from askance.errors import InvalidParameter
from askance.estimate.capital import (
    BETS_ABOVE,
    BETS_BELOW,
    GUESSES,
    MEANS,
    SHARES_ABOVE,
    Capital,
    ChangingCapital,
    FixedCapital,
    allowed_guess,
    weighted_term,
)
from askance.types import Floats, Integers, Interval, State
from askance.validation import (
    check_loss,
    check_probability,
    check_share,
    require_whole,
    saved_array,
    saved_number,
    saved_part,
    saved_whole,
)

__all__ = ["ErrorSequence", "FixedError", "ProgressiveError", "error_trajectory"]

_SHIFTS = (0.0, 3.0, 15.0, 63.0, 255.0)
"""Tried together where no floor of P is known: they are right for floors of 1 to 1/256."""

_MANY = 1000
"""Kinds of examples without a label that are counted apart, at most."""

_CHUNK = 64


class _Side:
    """The terms of one side of an interval, and what they have earned."""

    def __init__(self, capital: Capital, guess: float) -> None:
        self.capital, self.guess = capital, guess
        self.wealth = np.zeros_like(capital.gains(np.zeros(len(capital.shifts)))) + capital.start
        # By parts of the guess. Whole numbers, so that it never matters when they are counted.
        self.idle = np.zeros((GUESSES + 1, len(capital.shifts)), np.int64)

    def gains(self, value: Floats | float, P: Floats | float, guess: Floats | float) -> Floats:
        """What values that were asked for with probability P add."""
        P, guess, value = (np.asarray(one, np.float64)[..., None] for one in (P, guess, value))
        allowed = allowed_guess(guess, P, self.capital.shifts) / GUESSES
        return self.capital.gains(weighted_term(value, P, allowed))

    def count(self, times: Integers, P: Floats, guesses: Floats) -> None:
        """Count examples without a label, ``times`` of each kind."""
        levels = allowed_guess(guesses[:, None], P[:, None], self.capital.shifts).astype(np.int64)
        np.add.at(self.idle, (levels, np.arange(levels.shape[1])), times[:, None])

    def total(self) -> Floats:
        """What was earned in all: runs of examples without a label are powers."""
        used = self.idle.any(axis=1)
        powers: Floats = np.einsum("us...,us->s...", self._powers[used], self.idle[used])
        return self.wealth + powers

    @functools.cached_property
    def _powers(self) -> Floats:
        """What one example without a label adds, for each guess."""
        guesses = np.arange(GUESSES + 1)[:, None] / GUESSES
        return self.capital.gains(np.repeat(guesses, len(self.capital.shifts), axis=1))

    def unasked(self, times: Floats, P: Floats) -> Floats:
        """What examples without a label add, ``times`` of each kind, by the usual guess."""
        levels = allowed_guess(self.guess, P[:, None], self.capital.shifts).astype(np.int64)
        # All alike where no P is far below the shifts.
        kinds = levels[:1] if (levels == levels[:1]).all() else levels
        powers = self._powers[kinds, np.arange(levels.shape[1])]
        added: Floats = times.reshape(-1, *(1,) * self.wealth.ndim) * powers
        return added

    def bound(self, wealth: Floats, n: Integers | int, alpha: float) -> Floats:
        """The lower bound of the mean after n examples."""
        return self.capital.least_mean(wealth, np.asarray(n), math.log(2.0 / alpha))


class ErrorSequence(ABC):
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
    block = 16
    """Labels that are added up together."""

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
        self._idle: dict[tuple[float, float, float], int] = {}
        self._asked: list[tuple[float, ...]] = []

    @abstractmethod
    def _sides(self, below: Floats, above: Floats) -> tuple[Capital, Capital]:
        """The capitals of the lower and of the upper bound, with these shifts."""

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
        elif wrong or right:
            _known(self.floor)
        require_whole(0, count=count)
        kind = probability or self.floor or 1.0, wrong, right
        self._idle[kind] = self._idle.get(kind, 0) + count
        self.n += count
        if len(self._idle) >= _MANY:
            self._flush()

    def skip_many(self, probabilities: Floats) -> None:
        """Count examples that were not asked about by their ``probabilities``, without guesses."""
        for least in {np.min(probabilities, initial=1.0), np.max(probabilities, initial=1.0)}:
            self._check(float(least))
        once = np.ones(len(probabilities), np.int64)
        for side in (self._below, self._above):
            side.count(once, probabilities, np.full(len(once), side.guess))
        self.n += len(once)

    def take_skips(self, other: "ErrorSequence") -> None:
        """Count what ``other`` has skipped without guesses, with the same floor or a lower one."""
        other._flush()
        for mine, theirs in ((self._below, other._below), (self._above, other._above)):
            mine.idle = mine.idle + theirs.idle
        self.n += int(other._below.idle[:, 0].sum())

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
        self._asked.append((*values, P, wrong, right, times))
        if len(self._asked) >= self.block:
            for side, earned in zip((self._below, self._above), self._earned(), strict=True):
                side.wealth += earned
            self._asked.clear()

    def _earned(self) -> list[Floats]:
        """What the last labels add to each side.

        Looking at an interval changes no bit of the next one, so they are added up in blocks of the
        same length, however often one looks.
        """
        wrong, right, P, *guesses, times = np.array(self._asked).reshape(-1, 6).T
        return [
            np.einsum("i,i...->...", times, side.gains(values, P, guess))
            for side, values, guess in zip(
                (self._below, self._above), (wrong, right), guesses, strict=True
            )
        ]

    def _flush(self) -> None:
        if self._idle:
            times = np.array(list(self._idle.values()))
            P, wrong, right = np.array(list(self._idle)).T
            self._below.count(times, P, wrong)
            self._above.count(times, P, right)
            self._idle.clear()

    # ------------------------------------------------------------------ what it says

    def interval(self) -> Interval:
        """The error as it is known now; before any label its estimate is NaN."""
        self._flush()
        below, above = self._earned()
        low = float(self._below.bound(self._below.total() + below, self.n, self.alpha))
        high = 1.0 - float(self._above.bound(self._above.total() + above, self.n, self.alpha))
        return Interval(
            estimate=self._estimate(),
            # Bounds that cross have a chance of alpha at most, and say nothing.
            low=min(low, high),
            high=max(low, high),
            level=1.0 - self.alpha,
            of=self.of,
            holds="at any time",
        )

    def get_state(self) -> State:
        """All that was counted, for a file."""
        self._flush()
        sides = self._below, self._above
        return {
            "counts": [self.n, self.labels, self.missing],
            "sums": [self._wrong, self._known, self._unknown],
            "asked": np.array(self._asked, np.float64).ravel(),
            "wealth": [side.wealth.ravel() for side in sides],
            "idle": [side.idle.ravel() for side in sides],
        }

    def set_state(self, state: State) -> None:
        """Take over a state of a sequence with the same parameters."""
        names = "n", "labels", "missing"
        counts = dict(zip(names, saved_part(state, "counts", list), strict=True))
        n, labels, missing = (saved_whole(counts, name) for name in names)
        sums = dict(
            zip(("wrong", "known", "unknown"), saved_part(state, "sums", list), strict=True)
        )
        asked = saved_array(state, "asked", "f").reshape(-1, 6)
        if labels + missing > n or len(asked) >= self.block:
            raise InvalidParameter(
                f"saved labels of an error must be at most {n}, got {labels} and {missing} missing"
            )
        wealth, idle = (saved_part(state, name, list) for name in ("wealth", "idle"))
        for i, side in enumerate((self._below, self._above)):
            size = side.wealth.size
            side.wealth = saved_array({"wealth": wealth[i]}, "wealth", "f", size).reshape(
                side.wealth.shape
            )
            side.idle = saved_array({"idle": idle[i]}, "idle", "i", side.idle.size).reshape(
                side.idle.shape
            )
        self.n, self.labels, self.missing = n, labels, missing
        self._wrong, self._known, self._unknown = (saved_number(sums, name) for name in sums)
        self._asked = [tuple(one) for one in asked.tolist()]
        self._idle.clear()

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
    (0.05, 0.02, 0.1)
    """

    def _sides(self, below: Floats, above: Floats) -> tuple[Capital, Capital]:
        return (
            FixedCapital(MEANS, below, BETS_BELOW),
            FixedCapital(1.0 - MEANS[::-1], above, BETS_ABOVE, SHARES_ABOVE),
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
    (0.05, 0.02, 0.1)
    """

    of = "mean error of the classifiers so far"
    block = 256

    def _sides(self, below: Floats, above: Floats) -> tuple[Capital, Capital]:
        return (
            # Without a shift no term is below the usual one, and bets may be large.
            ChangingCapital(below, (8.0 if below.max() == 0 else 1.0) * BETS_BELOW, usual=0.0),
            ChangingCapital(above, BETS_ABOVE, usual=1.0, shares=SHARES_ABOVE),
        )


def _known(floor: float | None) -> float:
    if floor is None:
        raise InvalidParameter(
            "the probability of an example that was not asked about is needed, got None, "
            "expected it or a floor for all"
        )
    return floor


def error_trajectory(
    losses: Floats,
    probabilities: Floats,
    positions: Integers,
    *,
    floor: float | None,
    alpha: float = 0.05,
    of: Callable[..., ErrorSequence] = FixedError,
    least: Floats | None = None,
    unanswered: Sequence[Sequence[float]] | None = None,
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
        As for :class:`ErrorSequence`; without a floor, ``least`` is needed.
    of
        :class:`FixedError` or :class:`ProgressiveError`.
    least
        Before each label, since the one before, the smallest P of those that were not asked about.
        It takes the place of their own, and so may be below the floor.
    unanswered
        Before each label, since the one before, P of those that have no answer.

    Examples
    --------
    >>> ones = np.ones(300)
    >>> low, high = error_trajectory(0 * ones, ones, np.arange(300), floor=1.0)
    >>> high[[29, 99, 299]].round(3).tolist()
    [0.153, 0.049, 0.017]
    """
    begun = of(alpha=alpha, floor=floor)
    for loss, P in zip(losses.tolist(), probabilities.tolist(), strict=True):
        check_loss(loss)
        check_probability(P)
    if least is None:
        begun._check(float(probabilities.min(initial=1.0)))
        least = np.full(len(losses), _known(floor))
    missing = [()] * len(losses) if unanswered is None else unanswered
    gaps = np.diff(positions, prepend=-1) - 1.0 - [len(one) for one in missing]
    bounds = []
    for side, values in ((begun._below, losses), (begun._above, 1.0 - losses)):
        wealth, parts = side.wealth, []
        for start in range(0, len(losses), _CHUNK):
            part = slice(start, start + _CHUNK)
            added = side.gains(values[part], probabilities[part], side.guess)
            added += side.unasked(gaps[part], least[part])
            for i, one in enumerate(missing[part]):
                if len(one):
                    # As if neither wrong nor right: the worst for both sides.
                    added[i] += side.gains(0.0, np.array(one), side.guess).sum(axis=0)
            # Row by row: numpy's sums along the first axis take thirty times as long.
            for one in added:
                one += wealth
                wealth = one
            parts.append(side.bound(added, positions[part] + 1, alpha))
        bounds.append(np.concatenate(parts))
    return bounds[0], 1.0 - bounds[1]
