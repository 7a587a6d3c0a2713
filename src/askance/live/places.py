"""Where in the stream the questions stood, and how seldom the examples between were asked about."""

from collections.abc import Collection, Sequence

import numpy as np

from askance.errors import InvalidParameter
from askance.types import Floats, Integers, LabelPlaces, State
from askance.validation import saved_array, saved_number, saved_whole

__all__ = ["StreamPlaces"]


class StreamPlaces:
    """One place for each question, in their order: all that judging at any time needs.

    An example that was refused for lack of budget has no place.

    >>> places = StreamPlaces()
    >>> places.count(np.array([-0.5, -0.25, 1.0, 0.5]))
    >>> places.of([2, 3], bought={3})
    LabelPlaces(positions=array([3]), least=array([0.25]), unanswered=[(1.0,)])
    """

    def __init__(self) -> None:
        self.offered = 0
        self._since = 1.0
        self._positions: list[int] = []
        self._least: list[float] = []
        self._probabilities: list[float] = []

    def __len__(self) -> int:
        return len(self._positions)

    def count(self, events: Floats) -> None:
        """Count examples by their probabilities, negative where no label was asked for."""
        if not len(events):
            return
        asked = np.flatnonzero(events > 0)
        self._positions += (self.offered + asked).tolist()
        self._probabilities += events[asked].tolist()
        # Before each question, and after the last one; a question itself counts as 1.
        unasked = np.where(events > 0, 1.0, -events)
        least = np.minimum.reduceat(unasked, np.concatenate([[0], asked]))
        least[0] = min(self._since, least[0])
        self._least += least[:-1].tolist()
        self._since = float(least[-1])
        self.offered += len(events)

    def count_round(
        self, positions: Integers, probabilities: Floats, examples: int, least: float
    ) -> None:
        """Count so many examples, asked at these ``positions``, the others seldom at ``least``."""
        self._positions += (self.offered + positions).tolist()
        self._probabilities += probabilities.tolist()
        self._least += [min(self._since, least), *[least] * (len(positions) - 1)][: len(positions)]
        self._since = least if len(positions) else min(self._since, least)
        self.offered += examples

    def of(self, asked: Sequence[int], bought: Collection[int]) -> LabelPlaces:
        """The places of bought labels among all questions that were ``asked``, both by id."""
        positions: list[int] = []
        least: list[float] = []
        unanswered: list[tuple[float, ...]] = []
        missing: tuple[float, ...] = ()
        since = 1.0
        facts = zip(asked, self._positions, self._least, self._probabilities, strict=True)
        for id, position, lowest, probability in facts:
            since = min(since, lowest)
            if id in bought:
                positions.append(position)
                least.append(since)
                unanswered.append(missing)
                since, missing = 1.0, ()
            else:
                missing = (*missing, probability)
        return LabelPlaces(np.array(positions, np.int64), np.array(least), unanswered)

    def get_state(self) -> State:
        """All of it, for a file."""
        return {
            "offered": self.offered,
            "since": self._since,
            "positions": np.array(self._positions, np.int64),
            "least": np.array(self._least, np.float64),
            "probabilities": np.array(self._probabilities, np.float64),
        }

    def set_state(self, state: State) -> None:
        """Take over a state whose parts agree with each other."""
        offered, since = saved_whole(state, "offered"), saved_number(state, "since", most=1.0)
        positions = saved_array(state, "positions", "i")
        least, probabilities = (
            saved_array(state, name, "f", length=len(positions))
            for name in ("least", "probabilities")
        )
        rising = np.diff(positions, prepend=-1, append=offered) > 0
        shares = (least >= 0) & (least <= 1) & (probabilities > 0) & (probabilities <= 1)
        if not (rising.all() and shares.all()):
            raise InvalidParameter(
                "saved places must rise below the examples offered, with probabilities, "
                "got some that do not"
            )
        self.offered, self._since = offered, since
        self._positions, self._least = positions.tolist(), least.tolist()
        self._probabilities = probabilities.tolist()
