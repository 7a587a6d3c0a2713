"""The books of what was asked: questions that wait, labels that were bought, and counts."""

import logging
from collections import deque
from typing import NoReturn

import numpy as np

from askance.errors import InvalidParameter, LabelConflict, UnknownQuestion
from askance.estimate import ProgressiveError
from askance.live.answers import (
    Bought,
    Pending,
    bought_from,
    bought_state,
    pending_from,
    pending_state,
    sample_of,
)
from askance.live.judging import Judging
from askance.live.places import StreamPlaces
from askance.types import Decision, Label, LabelPlaces, State, Stats, WeightedSample
from askance.validation import saved_part, saved_whole

__all__ = ["AT_ONCE", "FEWEST", "RECENT", "Questions"]

logger = logging.getLogger("askance")

RECENT = 1000
"""Examples over which a collapse into the learner's own guesses is judged, at most."""

FEWEST = 100
"""Examples from which on it is judged."""

AT_ONCE = 4096
"""Examples that are counted for the error together."""

_JUDGED = frozenset([FEWEST, RECENT])


class Questions:
    """Every example that was offered is refused, pending, answered, withdrawn, or asked nothing.

    ``seen`` examples were offered, ``refused`` of them for lack of budget, and ``predicted`` were
    learned from the learner's own predictions, as the last ones in ``recent`` say one by one.
    ``error`` judges the predictions, unless some example could not be asked about. What it has not
    counted yet is in ``unjudged``: of each example its probability, negative where no label was
    asked for, and of each label its probability and whether the prediction was wrong. ``places``
    are where the questions stood, unless a file of an earlier version has not told. Labels are
    codes if there are ``n_classes``. ``judging`` knows the labels that only judge, if there are
    some.
    """

    def __init__(
        self, n_classes: int | None = None, judging: Judging | None = None, *, guesses: bool = True
    ) -> None:
        self.n_classes, self.judging = n_classes, judging
        self.guesses = guesses
        """Whether the learner learns its own predictions outside its region."""
        self.seen = self.refused = self.predicted = 0
        self.pending: dict[int, Pending] = {}
        self.bought: dict[int, Bought] = {}
        self.withdrawn: set[int] = set()
        self.recent: deque[bool] = deque(maxlen=RECENT)
        self.error: ProgressiveError | None = ProgressiveError()
        self.unjudged: list[float | tuple[float, bool]] = []
        self.places: StreamPlaces | None = StreamPlaces()

    def is_apart(self, id: int, decision: Decision) -> bool:
        """Whether the label of a question only judges."""
        return self.judging is not None and self.judging.is_apart(id, decision)

    @property
    def learned(self) -> int:
        """Examples that the learner has learned, as far as it was driven from here."""
        return self._learned(self.seen - self.refused, self.pending)

    def _learned(self, offered: int, pending: dict[int, Pending]) -> int:
        held = 0 if self.judging is None else self.judging.examples
        awaited = sum(not self.is_apart(id, one) for id, (_, one) in pending.items())
        return offered - held - awaited

    def count(self, inside: bool, learned: int) -> None:
        """Keep the share of own guesses among the examples ``learned``."""
        guessed = self.guesses and not inside
        self.predicted += guessed
        self.recent.append(guessed)
        if learned in _JUDGED and (warning := self.collapse()):
            logger.warning("%s", warning)

    def keep(self, decision: Decision) -> None:
        """Keep for the error that an example was offered."""
        probability = decision.probability
        self.unjudged.append(probability if decision.queried else -probability)
        if len(self.unjudged) >= AT_ONCE:
            self.judge()

    def judge(self) -> None:
        """Count for the error, and for the places, what happened since the last time.

        An example that could not be asked about ends the judging.
        """
        events, self.unjudged = self.unjudged, []
        if self.places is not None:
            self.places.count(np.array([one for one in events if not isinstance(one, tuple)]))
        if self.error is None or 0.0 in events:
            self.error = None
            return
        passed: list[float] = []
        # In their order, so that it makes no difference, in no bit, when they are counted.
        for event in events:
            if isinstance(event, tuple):
                probability, wrong = event
                self.error.fill(float(wrong), probability)
            elif event > 0:
                self.error.add(None, event)
            else:
                passed.append(-event)
        self.error.skip_many(np.array(passed))

    def check_pending(self, id: int, label: Label | None, same_batch: dict[int, Label]) -> None:
        """Raise unless a question can be answered with a label, or withdrawn if that is None."""
        if id not in self.pending or id in same_batch:
            self._refuse(id, label, same_batch)

    def _refuse(self, id: int, label: Label | None, same_batch: dict[int, Label]) -> NoReturn:
        known = self.bought[id][0] if id in self.bought else same_batch.get(id)
        if known is not None:
            sign = "+d" if self.n_classes is None else "d"
            refused = "withdrawn" if label is None else f"answered as {label:{sign}}"
            refused = "answered again" if label == known else refused
            raise LabelConflict(f"question {id} was answered {known:{sign}}, cannot be {refused}")
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
        guessed = (
            f"{sum(self.recent)} of the last {learned} examples were learned from the learner's "
            "own predictions and almost no label was asked: "
        )
        if self.judging is not None and self.judging.audited:
            audited, wrong = self.judging.audited, self.judging.contradicted
            return (
                f"{guessed}{wrong} of {audited} labels that were audited there contradict "
                f"them{', raise c0' if wrong else ''}"
            )
        return f"{guessed}if its error is not near zero, raise c0"

    def stats(self, learned: int, mean_error: float) -> Stats:
        """Counts, rates and a warning."""
        self.judge()
        asked = len(self.pending) + len(self.bought) + len(self.withdrawn)
        offered, judging = self.seen - self.refused, self.judging
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
            error=self.error.interval() if self.error is not None and self.error.labels else None,
            current=None if judging is None else judging.interval(),
            held_out=0 if judging is None else judging.answered,
            audited=0 if judging is None else judging.audited,
            contradicted=0 if judging is None else judging.contradicted,
        )

    def sample(self, width: int | None, *, held_out: bool = False) -> WeightedSample:
        """The bought labels with their rows and weights, or those that were held out."""
        bought, n, judging = self.bought, self.seen - self.refused, self.judging
        if held_out:
            if judging is None or not judging.hold_out:
                raise InvalidParameter("no labels are held out, expected a learner with hold_out")
            bought = {id: one for id, one in bought.items() if id in judging.asked}
            n = judging.examples
        return sample_of(bought, n, width)

    def label_places(self) -> LabelPlaces | None:
        """Where the bought labels stood; None where an earlier version has not kept it."""
        self.judge()
        if self.places is None:
            return None
        return self.places.of(sorted({*self.pending, *self.bought, *self.withdrawn}), self.bought)

    def get_state(self) -> State:
        self.judge()
        return {
            "counts": [self.seen, self.refused, self.predicted],
            "pending": pending_state(self.pending),
            "answered": bought_state(self.bought),
            "withdrawn": sorted(self.withdrawn),
            "recent": [int(guessed) for guessed in self.recent],
            "error": None if self.error is None else self.error.get_state(),
            "places": None if self.places is None else self.places.get_state(),
            "judging": None if self.judging is None else self.judging.get_state(),
        }

    def set_state(self, state: State, n_features: int | None) -> None:
        """Take over a state whose parts agree with each other."""
        names = ("seen", "refused", "predicted")
        counts = dict(zip(names, saved_part(state, "counts", list), strict=True))
        seen, refused, predicted = (saved_whole(counts, name) for name in names)
        pending = pending_from(saved_part(state, "pending", dict), n_features, self.n_classes)
        bought = bought_from(saved_part(state, "answered", dict), n_features, self.n_classes)
        withdrawn = saved_part(state, "withdrawn", list)
        ids = [*pending, *bought, *withdrawn]
        asked = {saved_whole({"id": id}, "id", most=seen - 1) for id in ids}
        if self.judging is not None:
            judging = saved_part(state, "judging", dict)
            self.judging.set_state(judging, set(bought), asked, set(withdrawn))
        learned = self._learned(seen - refused, pending)
        recent = saved_part(state, "recent", list)
        if not (
            len(asked) == len(ids) <= seen - refused
            and list(pending) == sorted(pending)
            and len(recent) == min(RECENT, learned)
            and all(guessed in (0, 1) for guessed in recent)
            and sum(recent) <= predicted <= learned
        ):
            raise InvalidParameter("saved questions and counts must agree, got some that do not")
        self.unjudged = []
        self.places = _places_from(state, seen - refused, len(ids))
        self.error = _error_from(state, (seen - refused, len(bought), len(ids) - len(bought)))
        self.seen, self.refused, self.predicted = seen, refused, predicted
        self.pending, self.bought, self.withdrawn = pending, bought, set(withdrawn)
        self.recent.extend(bool(guessed) for guessed in recent)


def _error_from(state: State, counts: tuple[int, int, int]) -> ProgressiveError | None:
    # Earlier versions judged nothing, and what they passed over is not known.
    if state.get("error") is None:
        return None
    error = ProgressiveError()
    error.set_state(saved_part(state, "error", dict))
    if (error.n, error.labels, error.missing) != counts:
        raise InvalidParameter("saved questions and their error must agree, got some that do not")
    return error


def _places_from(state: State, offered: int, asked: int) -> StreamPlaces | None:
    if state.get("places") is None:
        return None
    places = StreamPlaces()
    places.set_state(saved_part(state, "places", dict))
    if (places.offered, len(places)) != (offered, asked):
        raise InvalidParameter("saved questions and their places must agree, got some that do not")
    return places
