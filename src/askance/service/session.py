"""The whole service without HTTP: streams, and everything that people and programs do with them."""

import dataclasses
import json
import logging
import threading
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import sqlalchemy as sa

from askance.data.features.records import Record
from askance.data.reading.intake import Reading
from askance.errors import LabelConflict, UnknownQuestion
from askance.exports import record_columns, write_sample
from askance.service import answering, offering, uploads
from askance.service.agreement import agreement_of
from askance.service.answering import Receipt
from askance.service.books import AskedQuestion
from askance.service.log import SqlEventLog
from askance.service.offering import Offered
from askance.service.refits import Refits
from askance.service.resolution import GivenVote
from askance.service.settings import StreamSettings
from askance.service.snapshots import learner_bytes
from askance.service.status import chart, status
from askance.service.stream import Clock, OpenStream
from askance.service.warming import Warmth
from askance.types import Agreement, ChartPoint, Event, Row, StreamStatus

__all__ = ["HistoryEntry", "Prediction", "Session", "ShownQuestion", "UnknownStream"]

logger = logging.getLogger("askance.service")


class UnknownStream(UnknownQuestion):
    """No stream has this id."""


class ShownQuestion(NamedTuple):
    """A question as a person sees it; ``opinion`` is None unless the stream shows it."""

    number: int
    id: str
    record: Mapping[str, Any]
    opinion: str | None


class HistoryEntry(NamedTuple):
    """A reply that was given: to which question, by whom, and what came of the question."""

    number: int
    id: str
    record: Mapping[str, Any] | None
    vote: GivenVote
    outcome: str | None


class Prediction(NamedTuple):
    """A predicted class, with the probability of each where the learner has them."""

    label: str
    probabilities: Mapping[str, float] | None


class Session:
    """The streams of a database, which only this process may use.

    Parameters
    ----------
    engine, writer
        The database, from :func:`askance.service.database.opened_database`.
    clock
        What time it is.
    refits
        Where classifiers are fitted.

    >>> import tempfile
    >>> from askance.service.database import connect, migrate
    >>> engine = connect(f"sqlite:///{tempfile.mkdtemp()}/a.db")
    >>> migrate(engine)
    >>> session = Session(engine)
    >>> stream = session.create(StreamSettings(name="mail", classes=("ham", "spam")))
    >>> session.offer(stream, [("1", {"subject": "win a car"})])[0].wanted
    True
    >>> [question] = session.lease(stream, "ann")
    >>> question.record
    {'subject': 'win a car'}
    >>> session.answer(stream, "ann", question.number, "spam", key="a1").label
    'spam'
    >>> session.status(stream).answered
    1
    >>> session.close()
    """

    def __init__(
        self,
        engine: sa.Engine,
        clock: Clock = time.time,
        refits: Refits | None = None,
        writer: sa.Engine | None = None,
    ) -> None:
        self.log = SqlEventLog(engine, writer)
        self.clock = clock
        self.listeners: list[Callable[[OpenStream, str], None]] = []
        self._refits = refits or Refits()
        self._lock = threading.RLock()
        self._streams: dict[str, OpenStream] = {}
        # To fold a long stream takes a while: only those who want it wait.
        self._opening: dict[str, threading.Lock] = {}
        self._warmth: Warmth | None = None

    def warm_up(self, after: Callable[[], None] = lambda: None) -> None:
        """Load and compile what learners need, in the background, from now on.

        ``after`` is called when that was done for a kind of learner.

        Examples and answers wait for that without holding their stream, so its page is shown.
        """
        warmth = self._warmth = Warmth(self._refits, after)
        created = [next(self.log.read(id, 0, 1)).data["settings"] for id in self.streams()]
        created.append({"name": "the default", "classes": ["no", "yes"]})

        def prepare() -> None:
            for settings in created:
                warmth.prepare(StreamSettings.from_json(settings))

        threading.Thread(target=prepare, daemon=True).start()

    def _warm(self, id: str) -> OpenStream:
        """A stream whose learner can work at once."""
        opened = self.stream(id)
        if self._warmth is not None:
            self._warmth.wait_for(opened.settings)
        return opened

    def close(self) -> None:
        """Write everything down, and end."""
        with self._lock:
            for stream in list(self._streams.values()):
                stream.close()
            self._refits.shutdown(wait=False, cancel_futures=True)
            self.log.close()

    # ------------------------------------------------------------------ streams

    def create(self, settings: StreamSettings, actor: str | None = None) -> str:
        """Create a stream; its id. One whose refits would all fail is refused."""
        settings.try_to_fit()
        id = uuid.uuid4().hex[:12]
        first = Event(1, "created", self.clock(), actor, data={"settings": settings.as_json()})
        self.log.append(id, [first]).result()
        if self._warmth is not None:
            self._warmth.prepare(settings)
        return id

    def streams(self) -> list[str]:
        """The ids of all streams, oldest first."""
        return self.log.streams()

    def stream(self, id: str) -> OpenStream:
        """A stream, which is read from the log when it is first asked for."""
        if self._warmth is not None and id not in self._streams and self.log.last(id) > 1:
            # To fold it takes what is being compiled.
            first = next(self.log.read(id, 0, 1))
            self._warmth.wait_for(StreamSettings.from_json(first.data["settings"]))
        if id not in self._streams and not self.log.last(id):
            raise UnknownStream(f"no stream has the id {id!r:.40}")
        with self._lock:
            opening = self._opening.setdefault(id, threading.Lock())
        with opening:
            if id not in self._streams:
                self._streams[id] = OpenStream(self.log, id, self._refits, self.clock, self._tell)
            return self._streams[id]

    def _tell(self, stream: OpenStream, topic: str) -> None:
        for listener in self.listeners:
            listener(stream, topic)

    # ------------------------------------------------------------------ examples

    def offer(
        self, stream: str, examples: Sequence[tuple[str | None, Mapping[str, Any]]]
    ) -> list[Offered]:
        """Offer examples, each with its sender's id and its record: see :mod:`offering`."""
        return offering.offer_examples(self._warm(stream), examples)

    def upload(
        self, stream: str, source: Path, reading: Reading | None = None, prefix: str = ""
    ) -> uploads.KeptRecords:
        """Keep the records of a file, to be offered while people answer; how many there were."""
        return uploads.keep_file(self.stream(stream), source, reading or Reading(), prefix)

    def erase(self, stream: str, id: str, actor: str) -> None:
        """Erase what an example holds, by the id of its sender; its events stay."""
        opened = self.stream(stream)
        # Else a record that is being offered would come back.
        with opened.feeding, opened.lock:
            waited = uploads.erase_waiting(opened, id)
            found = opened.find([f"x:{id}"]).get(f"x:{id}")
            if found is None:
                if waited:
                    return
                raise UnknownQuestion(f"no example has the id {id!r:.60}")
            data = {"since": found.position, "refit": True}
            event = opened.event("erased", number=found.number, actor=actor, data=data)
            opened.happen(event, [opened.fold.snapshots.dropping(found.position)])

    def predict(self, stream: str, records: Sequence[Mapping[str, Any]]) -> list[Prediction]:
        """The class of each record, as the learner sees it now."""
        opened = self._warm(stream)
        with opened.lock:
            learner, name = opened.learner, opened.settings.class_name
            if learner is None:
                raise LabelConflict("nothing has come in yet, so nothing can be predicted")
            X = offering.encoded(opened, records)
            probabilities = getattr(opened.refitting, "probabilities", None)
            if probabilities is None:
                found = learner.predict_many(X).tolist()
                return [Prediction(name(label), None) for label in found]
            shares = probabilities(X)
        labels = opened.settings.classes
        return [
            Prediction(labels[int(row.argmax())], dict(zip(labels, row.tolist(), strict=True)))
            for row in shares
        ]

    def model(self, stream: str) -> bytes:
        """The learner as a file, which ``askance predict`` reads."""
        opened = self.stream(stream)
        with opened.lock:
            if opened.learner is None:
                raise LabelConflict("nothing has come in yet, so there is no model")
            return learner_bytes(opened.learner)

    # ------------------------------------------------------------------ people

    def lease(self, stream: str, person: str) -> list[ShownQuestion]:
        """The current and the next question of a person."""
        opened = self._warm(stream)

        def lacks() -> bool:
            return len(answering.lease(opened, person)) < answering.AHEAD

        for _ in range(uploads.MOST_TURNS):
            # Where several lack questions, what is offered for one may do for the others.
            if not lacks() or not uploads.feed(opened, lacks):
                break
        questions = answering.lease(opened, person)
        # If an example were lost after it was shown, its answer would be that of another.
        opened.wait(opened.unwritten(f"x:{question.id}" for question in questions))
        return self._shown(opened, questions)

    def why_nothing(self, stream: str, person: str) -> str:
        """Why there is no question for a person."""
        opened = self.stream(stream)
        return uploads.still_to_come(opened) or answering.reason(opened, person)

    def heartbeat(self, stream: str, person: str, numbers: Sequence[int]) -> list[int]:
        """Say that a person still looks at questions; which of them are still theirs."""
        opened = self.stream(stream)
        with opened.lock:
            return opened.leases.renew(person, numbers, opened.clock())

    def answer(
        self,
        stream: str,
        person: str,
        number: int,
        label: str | None,
        *,
        key: str,
        admin: bool = False,
    ) -> Receipt:
        """Answer a question, or skip it with None; it is on the disk when this returns."""
        return answering.answer(self._warm(stream), person, number, label, key, admin=admin)

    def undo(self, stream: str, person: str, key: str | None = None) -> ShownQuestion | None:
        """Take a reply back, the last one or that of a key; the question waits for them again."""
        opened = self.stream(stream)
        question = answering.undo(opened, person, key)
        return None if question is None else self._shown(opened, [question])[0]

    def change(
        self,
        stream: str,
        person: str,
        number: int,
        position: int,
        label: str | None,
        *,
        admin: bool = False,
    ) -> Receipt:
        """Change a reply that was given before."""
        opened = self.stream(stream)
        return answering.change(opened, person, number, position, label, admin=admin)

    def history(
        self, stream: str, person: str | None = None, most: int = 50, before: int | None = None
    ) -> list[HistoryEntry]:
        """Replies, newest first: a person's, or everybody's."""
        opened = self.stream(stream)
        with opened.lock:
            books = opened.books
            people = [person] if person is not None else list(books.votes_of)
            found = {p: n for who in people for p, n in books.votes_of.get(who, {}).items()}
            positions = sorted((p for p in found if before is None or p < before), reverse=True)
            votes = [
                (books.questions[found[p]], books.questions[found[p]].votes[p])
                for p in positions[:most]
            ]
        held = opened.contents({question.number for question, _ in votes})
        return [
            HistoryEntry(q.number, q.id, record, vote, q.label)
            for q, vote in votes
            for record in [_shown_of(held[q.number].record, opened.settings)]
        ]

    def ties(self, stream: str) -> list[ShownQuestion]:
        """The questions that an admin has to decide."""
        opened = self.stream(stream)
        with opened.lock:
            tied = [opened.books.questions[number] for number in opened.books.ties]
        return self._shown(opened, tied)

    def agreement(self, stream: str) -> Agreement:
        """How much people agree."""
        opened = self.stream(stream)
        with opened.lock:
            return agreement_of(opened.books.questions.values(), opened.settings.classes)

    def _shown(self, stream: OpenStream, questions: Sequence[AskedQuestion]) -> list[ShownQuestion]:
        held = stream.contents([question.number for question in questions])
        return [
            ShownQuestion(
                q.number,
                q.id,
                _shown_of(held[q.number].record, stream.settings) or {},
                _opinion(stream, held[q.number].row),
            )
            for q in questions
        ]

    # ------------------------------------------------------------------ how it goes

    def set_state(self, stream: str, kind: str, actor: str) -> None:
        """Pause, resume or stop a stream, by the name of that event."""
        opened = self.stream(stream)
        with opened.lock:
            data = {"reason": "an admin ended them"} if kind == "stopped" else {}
            future = opened.happen(opened.event(kind, actor=actor, data=data))
        opened.wait([future])

    def withdraw(self, stream: str, number: int, actor: str) -> None:
        """Give a question up; its label is refunded."""
        answering.give_up(self.stream(stream), actor, [number])

    def status(self, stream: str) -> StreamStatus:
        """Where a stream stands."""
        opened = self.stream(stream)
        found = status(opened)
        more = None if found.reason is None else uploads.still_to_come(opened)
        return found if more is None else dataclasses.replace(found, reason=more)

    def chart(self, stream: str) -> list[ChartPoint]:
        """What charts show."""
        return chart(self.stream(stream))

    def export(self, stream: str, path: Path) -> None:
        """Write the labels with weights and records to CSV or Parquet, as the suffix says."""
        opened = self.stream(stream)
        with opened.lock:
            labelled = [q for q in opened.books.questions.values() if q.label is not None]
            rows = [(q.number, q.id, q.label or "", q.probability) for q in labelled]
            n = 0 if opened.learner is None else opened.learner.weighted_sample().n
        held = opened.contents([number for number, *_ in rows])
        records = [Record(id, None, _record(held[n].record) or {}) for n, id, *_ in rows]
        probabilities = np.array([probability for *_, probability in rows])
        write_sample(
            path,
            ids=[id for _, id, *_ in rows],
            labels=[label for _, _, label, _ in rows],
            weights=1.0 / probabilities,
            probabilities=probabilities,
            n=n,
            columns=record_columns(records),
        )


def _opinion(stream: OpenStream, row: Row | None) -> str | None:
    """What the learner thinks now, if people may know it; None before it has learned anything."""
    if not stream.settings.opinion or row is None:
        return None
    with stream.lock:
        learner, within = stream.learner, stream.refitting
        knows = stream.books.labels.total() if within is None else within.fitted
        return stream.settings.class_name(learner.predict(row)) if learner and knows else None


def _record(held: str | None) -> Mapping[str, Any] | None:
    return None if held is None else json.loads(held)


def _shown_of(held: str | None, settings: StreamSettings) -> dict[str, Any] | None:
    """What people see of a record; None if it was erased."""
    record = _record(held)
    if record is None:
        return None
    return {name: value for name, value in record.items() if name not in settings.hide}
