"""The error of the classifier that predicts now, from labels that nothing learned from."""

import math
from collections.abc import Sequence

from askance.estimate.sequences import FixedError
from askance.types import Interval, State
from askance.validation import check_share, saved_number, saved_part, saved_whole

__all__ = ["CurrentError", "spent_level"]


def spent_level(alpha: float, refit: int) -> float:
    """The part of ``alpha`` that the classifier of a ``refit``, from 1 on, may spend.

    The parts of all refits that can ever come add up to alpha.

    >>> [round(spent_level(0.05, j), 4) for j in (1, 2, 3)]
    [0.025, 0.0083, 0.0042]
    """
    return alpha / (refit * (refit + 1))


class CurrentError:
    """The error of a classifier that is refitted now and then.

    By a coin of its own, each example falls into a part of the stream that is *held out*: what
    learns never sees it, neither its label nor its features, and is the same whatever happens
    there. So every classifier is independent of all of it, and is judged by what was held out
    before it was fitted as well as after. Each has a sequence of its own, at its own level.

    Count the examples that were held out, and those only: ``skip`` those that were not asked
    about, ``add`` the others. At each refit say how the new classifier does on the labels so far.

    Parameters
    ----------
    alpha
        The chance that an interval, of any refit and at any time, is ever wrong.
    floor
        A number that P is never below, known beforehand; see :meth:`lower`.
    between
        Whether the classifier stays as it is between two refits. If not, what comes in between
        waits for the next one.

    Examples
    --------
    >>> error = CurrentError(floor=1.0)
    >>> error.refit([], [])
    >>> for _ in range(100):
    ...     error.add(loss=0.0, probability=1.0)
    >>> round(error.interval().high, 2)
    0.06
    >>> error.refit([1.0] * 5 + [0.0] * 95, [1.0] * 100)
    >>> round(error.interval().high, 2)
    0.18
    """

    def __init__(
        self, *, alpha: float = 0.05, floor: float | None = None, between: bool = True
    ) -> None:
        check_share(alpha=alpha)
        self.alpha, self.floor, self.between = alpha, floor, between
        self.refits = 0
        # Examples without a label say the same of every classifier.
        self._passed = FixedError(alpha=alpha, floor=floor)
        self._sequence = FixedError(alpha=alpha, floor=floor)

    @property
    def _is_open(self) -> bool:
        return self.between and self.refits > 0

    def skip(self, count: int = 1, *, probability: float | None = None) -> None:
        """Count examples that were held out and not asked about.

        ``count`` and ``probability`` are those of
        :meth:`askance.estimate.sequences.ErrorSequence.skip`.
        """
        for one in (self._passed, self._sequence) if self._is_open else (self._passed,):
            one.skip(count, probability=probability)

    def add(self, loss: float | None, probability: float) -> None:
        """Count an example that was held out and asked about.

        ``loss`` and ``probability`` are those of
        :meth:`askance.estimate.sequences.ErrorSequence.add`; the loss is that of the classifier
        that predicts now.
        """
        if self._is_open:
            self._sequence.add(loss, probability)

    def fill(self, loss: float, probability: float) -> None:
        """Put the ``loss`` of a label that came late where it was missing.

        The loss is that of the classifier that predicts now, whichever did when it was added.
        """
        if self._is_open:
            self._sequence.fill(loss, probability)

    def lower(self, floor: float) -> None:
        """Let P fall to a lower ``floor`` from here on; a refit that follows takes it up.

        Before the first example it may be any.
        """
        self.floor = floor
        passed, self._passed = self._passed, FixedError(alpha=self.alpha, floor=floor)
        self._passed.take_skips(passed)

    def refit(self, losses: Sequence[float | None], probabilities: Sequence[float]) -> None:
        """Go on with another classifier.

        Parameters
        ----------
        losses
            Its losses on all that was held out and asked about; None where a label is missing.
        probabilities
            P, with which each was asked about.
        """
        self.refits += 1
        level = spent_level(self.alpha, self.refits)
        self._sequence = FixedError(alpha=level, floor=self.floor)
        self._sequence.take_skips(self._passed)
        for loss, probability in zip(losses, probabilities, strict=True):
            self._sequence.add(loss, probability)

    def interval(self) -> Interval:
        """The error of the classifier of the last refit; anything is possible before the first."""
        of = "error of the current classifier"
        if not self.refits:
            return Interval(math.nan, 0.0, 1.0, 1.0 - self.alpha, of, "at any time")
        return self._sequence.interval()._replace(level=1.0 - self.alpha, of=of)

    def get_state(self) -> State:
        """All that was counted, for a file."""
        return {
            "refits": self.refits,
            "floor": self.floor,
            "passed": self._passed.get_state(),
            "sequence": self._sequence.get_state(),
        }

    def set_state(self, state: State) -> None:
        """Take over a state of an error with the same level."""
        self.refits = saved_whole(state, "refits")
        self.floor = None if state["floor"] is None else saved_number(state, "floor", most=1.0)
        self._passed = FixedError(alpha=self.alpha, floor=self.floor)
        self._passed.set_state(saved_part(state, "passed", dict))
        level = spent_level(self.alpha, self.refits) if self.refits else self.alpha
        self._sequence = FixedError(alpha=level, floor=self.floor)
        self._sequence.set_state(saved_part(state, "sequence", dict))
