"""The books of what was asked: questions that wait, labels that were bought, and counts."""

import logging
from collections import deque
from typing import NoReturn

from askance.errors import InvalidParameter, LabelConflict, UnknownQuestion
from askance.live.answers import (
    Bought,
    Pending,
    bought_from,
    bought_state,
    pending_from,
    pending_state,
    sample_of,
)
from askance.types import Label, State, Stats, WeightedSample
from askance.validation import saved_part, saved_whole

__all__ = ["FEWEST", "RECENT", "Questions"]

logger = logging.getLogger("askance")

RECENT = 1000
"""Examples over which a collapse into the learner's own guesses is judged, at most."""

FEWEST = 100
"""Examples from which on it is judged."""

_JUDGED = frozenset([FEWEST, RECENT])


class Questions:
    """Every example that was offered is refused, pending, answered, withdrawn, or asked nothing.

    ``seen`` examples were offered, ``refused`` of them for lack of budget, and ``predicted`` were
    learned from the learner's own predictions, as the last ones in ``recent`` say one by one.
    """

    def __init__(self) -> None:
        self.seen = self.refused = self.predicted = 0
        self.pending: dict[int, Pending] = {}
        self.bought: dict[int, Bought] = {}
        self.withdrawn: set[int] = set()
        self.recent: deque[bool] = deque(maxlen=RECENT)

    def count(self, inside: bool, learned: int) -> None:
        """Keep the share of own guesses among the examples ``learned``."""
        guessed = not inside
        self.predicted += guessed
        self.recent.append(guessed)
        if learned in _JUDGED and (warning := self.collapse()):
            logger.warning("%s", warning)

    def check_pending(self, id: int, label: Label | None, same_batch: dict[int, Label]) -> None:
        """Raise unless a question can be answered with a label, or withdrawn if that is None."""
        if id not in self.pending or id in same_batch:
            self._refuse(id, label, same_batch)

    def _refuse(self, id: int, label: Label | None, same_batch: dict[int, Label]) -> NoReturn:
        known = self.bought[id][0] if id in self.bought else same_batch.get(id)
        if known is not None:
            refused = "withdrawn" if label is None else f"answered as {label:+d}"
            refused = "answered again" if label == known else refused
            raise LabelConflict(f"question {id} was answered {known:+d}, cannot be {refused}")
        if id in self.withdrawn:
            raise LabelConflict(f"question {id} was withdrawn and can no longer be changed")
        if 0 <= id < self.seen:
            refused = "can be withdrawn" if label is None else "can be answered"
            raise LabelConflict(f"question {id} wanted no label, so none {refused}")
        raise UnknownQuestion(
            f"no question has the id {id}, {self.seen} examples were offered so far"
        )

    def collapse(self) -> str | None:
        """A sentence if almost all that was learned lately were the learner's own guesses."""
        learned = len(self.recent)
        if learned < FEWEST or sum(self.recent) < 0.97 * learned:
            return None
        return (
            f"{sum(self.recent)} of the last {learned} examples were learned from the learner's "
            "own predictions and almost no label was asked: if its error is not near zero, raise c0"
        )

    def stats(self, learned: int, mean_error: float) -> Stats:
        """Counts, rates and a warning."""
        asked = len(self.pending) + len(self.bought) + len(self.withdrawn)
        offered = self.seen - self.refused
        return Stats(
            seen=self.seen,
            learned=learned,
            refused=self.refused,
            asked=asked,
            answered=len(self.bought),
            pending=len(self.pending),
            withdrawn=len(self.withdrawn),
            query_rate=asked / offered if offered else 0.0,
            predicted_share=self.predicted / learned if learned else 0.0,
            mean_error=mean_error,
            warning=self.collapse(),
        )

    def sample(self, width: int | None) -> WeightedSample:
        """The bought labels with their rows and weights."""
        return sample_of(self.bought, self.seen - self.refused, width)

    def get_state(self) -> State:
        return {
            "counts": [self.seen, self.refused, self.predicted],
            "pending": pending_state(self.pending),
            "answered": bought_state(self.bought),
            "withdrawn": sorted(self.withdrawn),
            "recent": [int(guessed) for guessed in self.recent],
        }

    def set_state(self, state: State, n_features: int | None) -> None:
        """Take over a state whose parts agree with each other."""
        names = ("seen", "refused", "predicted")
        counts = dict(zip(names, saved_part(state, "counts", list), strict=True))
        seen, refused, predicted = (saved_whole(counts, name) for name in names)
        pending = pending_from(saved_part(state, "pending", dict), n_features)
        bought = bought_from(saved_part(state, "answered", dict), n_features)
        withdrawn = saved_part(state, "withdrawn", list)
        ids = [*pending, *bought, *withdrawn]
        asked = {saved_whole({"id": id}, "id", most=seen - 1) for id in ids}
        learned = seen - refused - len(pending)
        recent = saved_part(state, "recent", list)
        if not (
            len(asked) == len(ids) <= seen - refused
            and list(pending) == sorted(pending)
            and len(recent) == min(RECENT, learned)
            and all(guessed in (0, 1) for guessed in recent)
            and sum(recent) <= predicted <= learned
        ):
            raise InvalidParameter("saved questions and counts must agree, got some that do not")
        self.seen, self.refused, self.predicted = seen, refused, predicted
        self.pending, self.bought, self.withdrawn = pending, bought, set(withdrawn)
        self.recent.extend(bool(guessed) for guessed in recent)
