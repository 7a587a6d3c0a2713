"""The error of the classifier that predicts now, from labels that nothing learned from."""

from askance.estimate.sequences import FixedError
from askance.types import Interval
from askance.validation import check_probability, check_share

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

    A queried example whose coin falls below h P is held out: it was asked about with probability
    h P *for this*, and nothing may learn from it. All other examples, asked about or not, are
    examples without a label here. Each refit begins a sequence of its own, because what was held
    out before is not independent of it: whether an example was held out is known to what learned.

    Parameters
    ----------
    share
        h, the part of the labels that is held out.
    alpha
        The chance that an interval, of any refit and at any time, is ever wrong.
    floor
        A number that P is never below, known beforehand.
    guessing
        Whether guesses of errors narrow the lower bound.

    Examples
    --------
    >>> error = CurrentError(share=0.5, floor=1.0)
    >>> for i in range(200):
    ...     if error.is_held_out(coin=(i % 10) / 10, probability=1.0):
    ...         error.add(loss=0.0, probability=1.0)
    ...     else:
    ...         error.skip(probability=1.0)
    >>> round(error.interval().high, 2)
    0.07
    >>> error.refit()
    >>> error.interval().high
    1.0
    """

    def __init__(
        self,
        *,
        share: float,
        alpha: float = 0.05,
        floor: float | None = None,
        guessing: bool = False,
    ) -> None:
        check_probability(share)
        check_share(alpha=alpha)
        self.share, self.alpha, self.floor = share, alpha, floor
        self._guessing = guessing
        self.refits = 0
        self.refit()

    def is_held_out(self, coin: float, probability: float) -> bool:
        """Whether an example with this ``coin`` and this ``probability`` P is held out."""
        return coin < self.share * probability

    def refit(self) -> None:
        """Begin anew: from here on another classifier predicts."""
        self.refits += 1
        self._sequence = FixedError(
            alpha=spent_level(self.alpha, self.refits),
            floor=None if self.floor is None else self.share * self.floor,
            guessing=self._guessing,
        )

    def skip(
        self,
        count: int = 1,
        *,
        probability: float | None = None,
        wrong: float = 0.0,
        right: float = 1.0,
    ) -> None:
        """Count examples that were not held out.

        ``count``, ``probability``, ``wrong`` and ``right`` are those of
        :meth:`askance.estimate.sequences.ErrorSequence.skip`.
        """
        P = None if probability is None else self.share * probability
        self._sequence.skip(count, probability=P, wrong=wrong, right=right)

    def add(
        self, loss: float | None, probability: float, *, wrong: float = 0.0, right: float = 1.0
    ) -> None:
        """Count an example that was held out.

        ``loss``, ``probability``, ``wrong`` and ``right`` are those of
        :meth:`askance.estimate.sequences.ErrorSequence.add`; the loss is that of the classifier
        that predicts now.
        """
        check_probability(probability)
        self._sequence.add(loss, self.share * probability, wrong=wrong, right=right)

    def fill(
        self, loss: float, probability: float, *, wrong: float = 0.0, right: float = 1.0
    ) -> None:
        """Put the ``loss`` of a label that came late where it was missing since this refit.

        ``probability``, ``wrong`` and ``right`` are those with which it was added.
        """
        self._sequence.fill(loss, self.share * probability, wrong=wrong, right=right)

    def interval(self) -> Interval:
        """The error of the classifier that predicts now."""
        found = self._sequence.interval()
        return found._replace(level=1.0 - self.alpha, of="error of the current classifier")
