"""The state of a stream is a fold over its events. Decisions are facts: none is made anew.

A reply that is changed, undone or erased changes the past. Then the learner is folded again from
the nearest snapshot, with the labels as they are now; only the classifier that serves is carried
over, since it was fitted to the labels as they were.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

import numpy as np

from askance.data.features import FeatureMap
from askance.data.features.indexers import Hashing
from askance.errors import FileUnreadable
from askance.labelling.settings import plain_scales, scales_from
from askance.live import ActiveLearner
from askance.protocols import RefittingLearner, refitting
from askance.service.books import Books
from askance.service.log import SqlEventLog
from askance.service.resolution import QuestionOutcome
from askance.service.settings import StreamSettings
from askance.service.snapshots import LearnerSnapshots
from askance.sparse import from_parts
from askance.types import Decision, Event, Matrix, Row, State

__all__ = ["Fold", "decision_of", "map_from", "map_state", "matrix_of"]

_NO_ROW = Row(np.zeros(0, np.int64), np.zeros(0, np.float32))

_BLOCK = 512
"""Examples that are folded together."""


class Fold:
    """A stream as its log says: its settings, the books of its questions, and its learner.

    There is no learner before the first batch has frozen the feature map. Unless it is ``cached``,
    no snapshot is looked at.
    """

    def __init__(self, log: SqlEventLog, stream: str, *, cached: bool = True) -> None:
        self.log, self.stream, self._cached = log, stream, cached
        first = next(log.read(stream, 0, 1), None)
        if first is None or first.kind != "created":
            raise FileUnreadable(f"the log of stream {stream} does not begin with its creation")
        self.settings = StreamSettings.from_json(first.data["settings"])
        self.snapshots = LearnerSnapshots(log.engine, stream, self.settings)
        self.books = Books(self.settings)
        self.learner: ActiveLearner | None = None
        self.position = 1
        # Where the last refit began, where one served, and where labels of it were last changed.
        self.begun_at = self.served_at = self.changed_at = 0
        # Examples that were erased later on: nothing can be told of them.
        self._gone: set[int] = set()

    @property
    def refitting(self) -> RefittingLearner | None:
        """The learner within, if it is one that refits."""
        return None if self.learner is None else refitting(self.learner.learner)

    @property
    def is_clean(self) -> bool:
        """Whether the classifier that serves is one of the labels as they are now."""
        return self.changed_at <= self.served_at

    # ------------------------------------------------------------------ from the log

    def restore(self) -> None:
        """Fold the whole log, from the latest snapshot on."""
        people = list(self.log.read(self.stream, 1, all=False))
        last, refit = self.log.last(self.stream), _last_refit(people)
        at, self.learner = self._from_snapshot(None, None)
        # The last refit used the labels as they were when it served.
        until = refit.position if refit is not None and at < refit.position else last
        for event in people:
            if event.position <= until:
                self._enter(event)
        self._walk(at, until, None if refit is None else refit.position, None)
        for event in self.log.read(self.stream, until):
            self.apply(event, self.rows_of([event]))

    def _from_snapshot(
        self, before: int | None, like: ActiveLearner | None
    ) -> tuple[int, ActiveLearner | None]:
        """The learner of the latest snapshot before a position, and its position."""
        taken = self.snapshots.latest(before) if self._cached else None
        if taken is not None and (learner := self.snapshots.load(taken.state, like)) is not None:
            self.begun_at = taken.begun
            return taken.position, learner
        return 1, None

    def apply(
        self, event: Event, rows: Mapping[int, Row | None] | None = None, *, passed: bool = False
    ) -> None:
        """Take in the event that follows the last one; a refit that is ``passed`` is not fitted."""
        before, after = self._enter(event)
        self.position = event.position
        if event.kind == "offered":
            self._recall([event], rows or {})
        elif event.kind in ("mapped", "refitted"):
            self._step(event, passed=passed)
        elif _affects_the_past(event, before, after):
            self.refold(_earliest(before, after, event))
        elif isinstance(after, QuestionOutcome) and before != after and self.learner is not None:
            self._tell(event.number, after)

    def note(self, event: Event) -> None:
        """Take note of an event whose effect the learner has already."""
        self._enter(event)
        self.position = event.position
        self._note_refit()

    def apply_offers(self, new: list[Event], rows: Any) -> None:
        """Take in examples that were decided for by :meth:`ActiveLearner.foretell` just now."""
        assert self.learner is not None
        for event in new:
            self._enter(event)
        self.learner.recall(rows, [decision_of(event) for event in new])
        self.position = new[-1].position
        self._note_refit()

    def _enter(self, event: Event) -> tuple[Any, Any]:
        if event.kind == "refitted":
            self.served_at = event.position
        elif event.data.get("refit"):
            self.changed_at = event.position
        return self.books.apply(event)

    def refold(self, since: int) -> None:
        """Fold the learner again, from the nearest snapshot before a position."""
        old = self.learner
        if old is None:
            return
        served = None if self.refitting is None else self.refitting.served
        self.begun_at = 0
        at, self.learner = self._from_snapshot(since, old)
        self._walk(at, self.position, self.served_at or None, served)

    # ------------------------------------------------------------------ walking

    def _walk(self, after: int, upto: int, last_refit: int | None, served: Any) -> None:
        """Fold the learner over a part of the log, with outcomes as the books have them.

        Of the refits only the last is applied: what it ``served`` if that is known, else it is
        fitted again.
        """
        outcomes: dict[int, list[tuple[int, QuestionOutcome]]] = {}
        for question in self.books.questions.values():
            if isinstance(question.outcome, QuestionOutcome) and not question.erased:
                found = outcomes.setdefault(question.outcome.position, [])
                found.append((question.number, question.outcome))
        for offered, some in groupby(
            self.log.read(self.stream, after, upto), lambda event: event.kind == "offered"
        ):
            for block in _blocks(some):
                if offered:
                    self._recall(block, self.rows_of(block))
                    self.position = block[-1].position
                    continue
                for event in block:
                    self.position = event.position
                    for number, outcome in outcomes.get(event.position, ()):
                        self._tell(number, outcome)
                    passed = event.position != last_refit
                    self._step(event, served, event.data, passed=passed)
        self.position = upto

    def _step(
        self,
        event: Event,
        served: Any = None,
        facts: Mapping[str, Any] | None = None,
        *,
        passed: bool = False,
    ) -> None:
        """What an event that is neither an offer nor a reply does to the learner.

        A refit is fitted again unless what it ``served`` is known, or another has ``passed`` it.
        With its ``facts`` it is fitted to what is left of it, if something was erased.
        """
        if event.kind == "mapped":
            features = map_from(event.data["features"], self.settings)
            self.learner = self.settings.make_learner(features)
        elif self.refitting is not None and event.kind == "refitted":
            if passed:
                self.refitting.pass_by(event.data)
            else:
                self.refitting.serve(served, facts)
            self._note_refit()
        elif self.refitting is not None and event.data.get("refit"):
            self.refitting.fit_anew()
            self.begun_at = event.position

    def _tell(self, number: int | None, outcome: QuestionOutcome) -> None:
        assert self.learner is not None
        assert number is not None
        if number in self._gone:
            return
        if outcome.label is None:
            self.learner.withdraw(number)
        else:
            self.learner.tell(number, self.settings.code(outcome.label))
        self._note_refit()

    def _recall(self, block: list[Event], rows: Mapping[int, Row | None]) -> None:
        assert self.learner is not None
        found = [rows.get(event.number or 0) for event in block]
        # What was erased is left out of everything, as if it had been refused.
        self._gone |= {
            event.number or 0 for event, row in zip(block, found, strict=True) if not row
        }
        decisions = [
            None if row is None else decision_of(event)
            for event, row in zip(block, found, strict=True)
        ]
        X = matrix_of([row or _NO_ROW for row in found], self.learner.n_features)
        self.learner.recall(X, decisions)
        self._note_refit()

    def rows_of(self, block: Iterable[Event]) -> dict[int, Row | None]:
        """The rows of the examples that are offered, by number; None if one was erased."""
        numbers = [e.number for e in block if e.kind == "offered" and e.number is not None]
        held = self.log.contents(self.stream, numbers)
        return {number: content.row for number, content in held.items()}

    def _note_refit(self) -> None:
        """Note where a refit began."""
        coming = None if self.refitting is None else self.refitting.coming
        # One may begin at the very event at which another one served.
        if coming is not None and (not self.begun_at or self.begun_at < self.served_at):
            self.begun_at = self.position


def _blocks(events: Iterable[Event]) -> Iterator[list[Event]]:
    block: list[Event] = []
    for event in events:
        block.append(event)
        if len(block) == _BLOCK:
            yield block
            block = []
    if block:
        yield block


def matrix_of(rows: Sequence[Row], width: int) -> Matrix:
    """Rows in the precision in which the feature map gives them."""
    indices = np.concatenate([row.indices for row in rows]).astype(np.int32)
    values = np.concatenate([row.values for row in rows]).astype(np.float32)
    ends = np.cumsum([0, *(len(row.indices) for row in rows)])
    return from_parts(ends, indices, values, width)


def _last_refit(events: Iterable[Event]) -> Event | None:
    return next((e for e in reversed(list(events)) if e.kind == "refitted"), None)


def _affects_the_past(event: Event, before: Any, after: Any) -> bool:
    if event.kind == "erased" or isinstance(before, QuestionOutcome):
        return bool(event.kind == "erased" or before != after)
    return isinstance(after, QuestionOutcome) and after.position < event.position


def _earliest(before: Any, after: Any, event: Event) -> int:
    """The first position that an event changes."""
    found = [o.position for o in (before, after) if isinstance(o, QuestionOutcome)]
    return int(event.data.get("since", min(found, default=event.position)))


def decision_of(event: Event) -> Decision | None:
    """What was decided about an example that was offered; None if it was left out."""
    fields = event.data["decision"]
    if fields is None:
        return None
    return Decision._make(fields)


def map_state(features: FeatureMap) -> State:
    """A feature map as JSON can write it."""
    scales = None if features.scales is None else plain_scales(features.scales.get_state())
    return {"text": sorted(features.text), "kinds": features.kinds, "scales": scales}


def map_from(state: State, settings: StreamSettings) -> FeatureMap:
    """The map of a stream, from what :func:`map_state` gave."""
    features = FeatureMap(Hashing(settings.bits), state["text"], settings.ngrams)
    scales = None if state["scales"] is None else scales_from(state["scales"])
    features.set_state(features.get_state() | {"kinds": state["kinds"], "scales": scales})
    return features
