"""The append-only log of events: the truth of the service.

Many writers wait for one commit. A commit takes milliseconds, because it ends on the disk, so what
came meanwhile goes into the next one, in its order.
"""

import errno
import json
import queue
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from typing import Any, NamedTuple

import numpy as np
import sqlalchemy as sa

from askance.service.schema import contents, events
from askance.types import Event, ExampleContent, Row
from askance.validation import is_encodable

__all__ = ["SqlEventLog", "can_be_key"]

_AT_ONCE = 500
"""Keys or numbers that are looked for by one query, and appends that share a commit."""

_PAGE = 2000
"""Events that are read at a time."""

Statement = tuple[Any, list[dict[str, Any]]]
"""A statement and its parameters."""


_NEW_EVENTS, _NEW_CONTENTS = events.insert(), contents.insert()


def can_be_key(text: object, most: int) -> bool:
    r"""Whether an id can be kept by every database, as text of 1 to ``most`` characters.

    PostgreSQL has no character 0, and none has half a character.

    >>> [can_be_key(id, 4) for id in ("ab", "", "a\0", "\ud800", "abcde")]
    [True, False, False, False, False]
    """
    return (
        isinstance(text, str) and 1 <= len(text) <= most and "\0" not in text and is_encodable(text)
    )


class _Job(NamedTuple):
    """What is to be committed; or, without any of it, that a stream was read anew."""

    stream: str
    statements: list[Statement]
    done: "Future[None]"


class SqlEventLog:
    """The event log in a database; events are added by the ``writer``, if it is another engine.

    >>> import tempfile
    >>> from askance.service.database import connect, migrate
    >>> engine = connect(f"sqlite:///{tempfile.mkdtemp()}/a.db")
    >>> migrate(engine)
    >>> log = SqlEventLog(engine)
    >>> log.append("s", [Event(1, "created", 0.0, data={"seed": 7})]).result()
    >>> [event.data for event in log.read("s")], log.streams()
    ([{'seed': 7}], ['s'])
    >>> log.close()
    """

    def __init__(self, engine: sa.Engine, writer: sa.Engine | None = None) -> None:
        self.engine, self._writer = engine, writer or engine
        # One query needs no transaction: to begin one and to end it would be two more round trips.
        self._reader = engine.execution_options(isolation_level="AUTOCOMMIT")
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._broken: set[str] = set()
        self._closing = threading.Lock()
        self._closed = False
        self._thread = threading.Thread(target=self._work, name="askance-commits", daemon=True)
        self._thread.start()

    def append(
        self,
        stream: str,
        new: Sequence[Event],
        held: Mapping[int, ExampleContent] | None = None,
        also: Sequence[Statement] = (),
    ) -> "Future[None]":
        """Add events, and the contents of the examples that they offer, as one.

        The future is done when all of it is on the disk. It fails with ``IntegrityError`` where a
        position or a key is taken, and then nothing of it was added. An event of kind ``"erased"``
        takes the content of its example with it. ``also`` are other statements that belong to it.

        What comes after an append that failed fails too, since it was made of a state that is not
        true, until :meth:`mend` is called.
        """
        statements: list[Statement] = []
        if held:
            rows = [_content_row(stream, number, content) for number, content in held.items()]
            statements.append((_NEW_CONTENTS, rows))
        if new:
            statements.append((_NEW_EVENTS, [_event_row(stream, event) for event in new]))
        statements += [
            (_erase(stream, event.number), [{}]) for event in new if event.kind == "erased"
        ]
        statements += also
        if not statements:
            done: Future[None] = Future()
            done.set_result(None)
            return done
        return self._put(stream, statements)

    def mend(self, stream: str) -> None:
        """Take appends again, from one whose state was read anew after a failure."""
        self._put(stream, []).result()

    def is_broken(self, stream: str) -> bool:
        """Whether an append has failed since the stream was last read."""
        return stream in self._broken

    def _put(self, stream: str, statements: list[Statement]) -> "Future[None]":
        job = _Job(stream, statements, Future())
        with self._closing:
            if self._closed:
                job.done.set_exception(OSError(errno.EIO, "the log was closed"))
            else:
                self._jobs.put(job)
        return job.done

    def read(
        self, stream: str, after: int = 0, upto: int | None = None, *, all: bool = True
    ) -> Iterator[Event]:
        """Events in their order; without ``all``, only those that people have to do with."""
        while True:
            chosen = (events.c.stream == stream) & (events.c.position > after)
            if upto is not None:
                chosen &= events.c.position <= upto
            if not all:
                chosen &= events.c.wanted
            query = events.select().where(chosen).order_by(events.c.position).limit(_PAGE)
            with self._reader.connect() as connection:
                page = connection.execute(query).all()
            yield from map(_event, page)
            if len(page) < _PAGE:
                return
            after = page[-1].position

    def last(self, stream: str) -> int:
        """The position of the last event; 0 if there is none."""
        query = sa.select(sa.func.max(events.c.position)).where(events.c.stream == stream)
        with self._reader.connect() as connection:
            return connection.scalar(query) or 0

    def last_at(self, stream: str, kind: str) -> float | None:
        """When the last event of a kind was."""
        chosen = (events.c.stream == stream) & (events.c.kind == kind)
        query = sa.select(events.c.at).where(chosen).order_by(events.c.position.desc()).limit(1)
        with self._reader.connect() as connection:
            return connection.scalar(query)

    def streams(self) -> list[str]:
        """All streams, in the order in which they were created."""
        query = sa.select(events.c.stream).where(events.c.position == 1)
        with self._reader.connect() as connection:
            return list(connection.scalars(query.order_by(events.c.at, events.c.stream)))

    def find(self, stream: str, wanted: Iterable[str]) -> dict[str, Event]:
        """The events that have these keys, by key."""
        found: dict[str, Event] = {}
        for some in _chunks(list(wanted)):
            chosen = (events.c.stream == stream) & events.c.key.in_(some)
            with self._reader.connect() as connection:
                rows = connection.execute(events.select().where(chosen)).all()
            found |= {row.key: _event(row) for row in rows}
        return found

    def contents(self, stream: str, numbers: Iterable[int]) -> dict[int, ExampleContent]:
        """What examples hold, by their number."""
        found: dict[int, ExampleContent] = {}
        for some in _chunks(list(numbers)):
            chosen = (contents.c.stream == stream) & contents.c.number.in_(some)
            with self._reader.connect() as connection:
                rows = connection.execute(contents.select().where(chosen)).all()
            found |= {row.number: ExampleContent(row.record, _row(row.features)) for row in rows}
        return found

    def close(self) -> None:
        """Commit what waits, and end."""
        with self._closing:
            self._closed = True
            self._jobs.put(None)
        self._thread.join()

    # ------------------------------------------------------------------ committing

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            jobs, ended = [job], False
            while len(jobs) < _AT_ONCE and not ended:
                try:
                    more = self._jobs.get_nowait()
                except queue.Empty:
                    break
                if more is None:
                    ended = True
                else:
                    jobs.append(more)
            self._commit(jobs)
            if ended:
                return

    def _commit(self, jobs: list[_Job]) -> None:
        """Commit jobs together; if that fails, one by one, so that each knows its own fate."""
        sound = [job for job in jobs if job.statements and job.stream not in self._broken]
        if len(jobs) > 1 and (len(sound) < len(jobs) or self._failure(sound)):
            for job in jobs:
                self._commit([job])
        elif len(jobs) == 1:
            (job,) = jobs
            if not job.statements:
                self._broken.discard(job.stream)
            elif job.stream in self._broken:
                job.done.set_exception(OSError(errno.EIO, "an earlier event was not written"))
                return
            elif (error := self._failure(jobs)) is not None:
                self._broken.add(job.stream)
                job.done.set_exception(error)
                return
            job.done.set_result(None)
        else:
            for job in jobs:
                job.done.set_result(None)

    def _failure(self, jobs: list[_Job]) -> Exception | None:
        """Commit, or say what went wrong."""
        try:
            with self._writer.begin() as connection:
                for statement, parameters in _joined(jobs):
                    connection.execute(statement, parameters)
        except Exception as error:
            # Whatever it is: without this thread everybody would wait for ever.
            return error
        return None


def _joined(jobs: Iterable[_Job]) -> Iterator[Statement]:
    """Statements in their order, those that repeat as one with more parameters."""
    last: Statement | None = None
    for statement, parameters in (pair for job in jobs for pair in job.statements):
        if last is not None and last[0] is statement:
            last[1].extend(parameters)
            continue
        if last is not None:
            yield last
        last = statement, list(parameters)
    if last is not None:
        yield last


def _chunks(items: list[Any]) -> Iterator[list[Any]]:
    for start in range(0, len(items), _AT_ONCE):
        yield items[start : start + _AT_ONCE]


def _event_row(stream: str, event: Event) -> dict[str, Any]:
    return {"stream": stream, **event._asdict(), "data": json.dumps(event.data)}


def _event(row: Any) -> Event:
    _, *fields, data = row
    return Event._make((*fields, json.loads(data)))


def _content_row(stream: str, number: int, content: ExampleContent) -> dict[str, Any]:
    features = None if content.row is None else _packed(content.row)
    return {"stream": stream, "number": number, "record": content.record, "features": features}


def _packed(row: Row) -> bytes:
    """Indices as 32 bits and values as single precision, as the feature map gives them."""
    return row.indices.astype("<i4").tobytes() + row.values.astype("<f4").tobytes()


def _row(packed: bytes | None) -> Row | None:
    if packed is None:
        return None
    half = len(packed) // 2
    indices = np.frombuffer(packed[:half], "<i4").astype(np.int64)
    return Row(indices, np.frombuffer(packed[half:], "<f4").astype(np.float32))


def _erase(stream: str, number: int | None) -> Any:
    gone = (contents.c.stream == stream) & (contents.c.number == number)
    return contents.update().where(gone).values(record=None, features=None)
