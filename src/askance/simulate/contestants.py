"""Who runs over a stream: an algorithm with its parameters, and a learner in its seat."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

from askance.engine import Driver
from askance.errors import InvalidParameter
from askance.learners.streaming import StreamingLearner
from askance.live import ActiveLearner
from askance.presets import make_learner
from askance.protocols import Learner, n_classes_of
from askance.simulate.loop import Asking, Deciding, LabelSource, Measure, OnQuery, Place, Tally

__all__ = ["Contestant", "Seat", "done_of", "labels_left", "place_of"]

T = TypeVar("T")


class Contestant(NamedTuple):
    """An ``algorithm`` with its ``parameters``, under its ``name`` in a comparison.

    >>> Contestant("a wide margin", "margin", {"b": 0.9}).learner(n_features=3).b
    0.9
    """

    name: str
    algorithm: str
    parameters: dict[str, Any]

    def learner(self, n_features: int) -> StreamingLearner:
        """A fresh learner for so many features."""
        learner: StreamingLearner = make_learner(
            self.algorithm, n_features=n_features, **self.parameters
        )
        return learner


@dataclass(frozen=True, slots=True)
class Seat(Generic[T]):
    """A learner in a run by rows, and what is to be known of it.

    Parameters
    ----------
    learner
        An ``ActiveLearner``, which has its own coins and budget, or any learner.
    coins
        One uniform number in [0, 1) for each example, for a learner that has none of its own.
    budgets
        Numbers of labels at which the error is noted, increasing.
    limit
        How many labels a learner without a budget of its own may buy; by default all it wants.
    error
        How the error is measured; by default not at all.
    on_query
        Called for each bought label.
    """

    learner: Learner | ActiveLearner
    coins: Iterable[float] | None = None
    budgets: Sequence[int] = ()
    limit: int | None = None
    error: Measure | None = None
    on_query: OnQuery[T] | None = None


def place_of(
    seat: Seat[T], tally: Tally, label_of: LabelSource[T], driver: Callable[[Learner], Driver]
) -> Place[T]:
    """Where a ``seat`` stands in the loop: a learner is driven by ``driver``, or asked."""
    if isinstance(seat.learner, ActiveLearner):
        if seat.coins is not None:
            raise InvalidParameter("an ActiveLearner draws its own coins, expected None for coins")
        return Asking(tally, label_of, seat.on_query, seat.learner)
    if seat.coins is None:
        raise InvalidParameter("a learner needs coins, one for each example, got None")
    n_classes, coins = n_classes_of(seat.learner), iter(seat.coins)
    return Deciding(tally, label_of, seat.on_query, driver(seat.learner), coins, n_classes)


def done_of(seat: Seat[Any]) -> Callable[[], str | None] | None:
    """What tells that an active learner has reached its aim, if it has one."""
    live = seat.learner
    return live.done if isinstance(live, ActiveLearner) and live.until is not None else None


def labels_left(seat: Seat[Any]) -> int | None:
    """Labels that may still be bought, if there is an end to them."""
    if not isinstance(seat.learner, ActiveLearner):
        return seat.limit
    stats, total = seat.learner.stats(), seat.learner.budget.total
    return None if total is None else total - stats.answered - stats.pending
