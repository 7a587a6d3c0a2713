"""One stream while it is served: the one writer of its log.

What happens is applied in memory under a lock, and handed to the log in the same order. Who must
know that it is on the disk waits for that without the lock, so many can share one commit.
"""

import contextlib
import logging
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError, Future
from typing import Any

from sqlalchemy.exc import SQLAlchemyError

from askance.errors import AskanceError
from askance.live import ActiveLearner
from askance.protocols import RefittingLearner
from askance.service.books import AskedQuestion
from askance.service.fold import Fold
from askance.service.leases import Leases
from askance.service.log import SqlEventLog, Statement
from askance.service.refits import Refits
from askance.types import Event, ExampleContent

__all__ = ["Clock", "NotWritten", "OpenStream"]

logger = logging.getLogger("askance.service")

Clock = Callable[[], float]
"""Seconds since 1970."""

SNAPSHOT_EVERY = 5000
"""Events between two snapshots."""


class NotWritten(AskanceError):
    """The database did not take what happened, so it did not happen."""

    def __init__(self) -> None:
        super().__init__("the database did not take it, so it did not happen")


class _TrueState:
    """A lock; who takes it finds the stream as the log has it, or is refused."""

    def __init__(self, make_true: Callable[[], None]) -> None:
        self._make_true = make_true
        self._lock = threading.RLock()
        self._depth = 0

    def __enter__(self) -> None:
        self._lock.acquire()
        self._depth += 1
        try:
            # Not in the middle of what its holder does.
            if self._depth == 1:
                self._make_true()
        except BaseException:
            self.__exit__()
            raise

    def __exit__(self, *error: object) -> None:
        self._depth -= 1
        self._lock.release()


class OpenStream:
    """A stream that is open.

    ``fold`` is its state, ``leases`` say who looks at what, and ``lock`` is held by whoever reads
    or changes either. ``feeding`` is taken before it by whoever moves records that wait.
    """

    def __init__(
        self,
        log: SqlEventLog,
        id: str,
        refits: Refits,
        clock: Clock = time.time,
        told: Callable[["OpenStream", str], None] = lambda stream, topic: None,
    ) -> None:
        self.log, self.id, self.clock, self.told = log, id, clock, told
        self.lock = _TrueState(self._make_true)
        self.feeding = threading.Lock()
        # Whether the state holds a part of what has failed.
        self._torn = False
        self._refits = refits
        # What is not on the disk yet: a quick retry is noticed, and who must know can wait for it.
        self._unwritten: dict[str, tuple[Event, Future[None]]] = {}
        self._unwritten_contents: dict[int, ExampleContent] = {}
        self._snapshot_at = 0
        # The fit that tells when it is done.
        self._watched: Future[Any] | None = None
        with self.lock:
            self._read()
            self.look_after_refits()

    def _make_true(self) -> None:
        """Go back to what is on the disk, if something that happened is not."""
        if not self._torn and not self.log.is_broken(self.id):
            return
        # Until it was read, whatever the log takes.
        self._torn = True
        try:
            # What is under way is written before, or has failed.
            self.log.mend(self.id)
            self._read()
        except (SQLAlchemyError, OSError) as error:
            raise NotWritten from error
        self._torn = False
        self.look_after_refits()

    def _read(self) -> None:
        """Read everything from the log."""
        fold = Fold(self.log, self.id)
        fold.restore()
        self.fold, self.settings, self.books = fold, fold.settings, fold.books
        self.leases = Leases(self.settings.lease)
        now = self.clock()
        for number in self.books.open:
            for person in self._holders(self.books.questions[number]):
                self.leases.give(number, person, now)
        self.books.last_offer = self.log.last_at(self.id, "offered")
        self._snapshot_at = self.fold.position

    def _holders(self, question: AskedQuestion) -> list[str]:
        """Who was at a question last: as many as it may be shown to at a time."""
        said = {vote.actor for vote in question.votes.values() if vote.counts}
        last = [who for who in dict.fromkeys(reversed(question.leased)) if who not in said]
        answers = sum(v.counts and v.label is not None for v in question.votes.values())
        return last[: max(self.settings.overlap - answers, 0)]

    # ------------------------------------------------------------------ writing

    def event(self, kind: str, *, after: int = 0, **fields: Any) -> Event:
        """The event that comes next, or so many ``after`` it."""
        return Event(self.fold.position + 1 + after, kind, self.clock(), **fields)

    def write(
        self,
        new: Sequence[Event],
        held: Mapping[int, ExampleContent] | None = None,
        also: Sequence[Statement] = (),
    ) -> "Future[None]":
        """Hand events to the log; the future is done when they are on the disk."""
        self._unwritten_contents |= held or {}
        future = self.log.append(self.id, new, held, also)
        keys = {event.key: (event, future) for event in new if event.key is not None}
        self._unwritten |= keys
        future.add_done_callback(lambda _: self._forget(keys, held or {}))
        return future

    def _forget(self, keys: Iterable[str], numbers: Iterable[int]) -> None:
        for key in keys:
            self._unwritten.pop(key, None)
        for number in numbers:
            self._unwritten_contents.pop(number, None)

    def wait(self, futures: Iterable["Future[None]"]) -> None:
        """Wait until all of it is on the disk; where that fails, none of it has happened."""
        try:
            for future in futures:
                future.result()
        except Exception as error:
            logger.error("stream %s: what happened could not be written: %s", self.id, error)
            with contextlib.suppress(NotWritten), self.lock:
                # If it cannot be made true now, the next one who takes the lock tries again.
                pass
            raise NotWritten from error

    def happen(self, event: Event, also: Sequence[Statement] = ()) -> "Future[None]":
        """Apply an event that follows the last one, and hand it to the log."""
        if event.kind in ("changed", "undone", "erased"):
            # The past is read from the log, so all of it must be there.
            future = self.write([event], None, also)
            self.wait([future])
            with self.changing():
                self.fold.apply(event)
        else:
            with self.changing():
                self.fold.apply(event)
                future = self.write([event], None, also)
        self.look_after_refits()
        return future

    @contextlib.contextmanager
    def changing(self) -> Iterator[None]:
        """Change the state and hand the events to the log; if that fails, it is read anew."""
        before, self._torn = self._torn, True
        yield
        self._torn = before

    def find(self, keys: Sequence[str]) -> dict[str, Event]:
        """The events with these keys."""
        kept = self._unwritten
        new = {key: found[0] for key in keys if (found := kept.get(key)) is not None}
        return new | self.log.find(self.id, [key for key in keys if key not in new])

    def unwritten(self, keys: Iterable[str]) -> list["Future[None]"]:
        """What is to be waited for until the events with these keys are on the disk."""
        kept = self._unwritten
        return [found[1] for key in keys if (found := kept.get(key)) is not None]

    def contents(self, numbers: Iterable[int]) -> dict[int, ExampleContent]:
        """What examples hold, by number."""
        # Memory first: what leaves it is on the disk by then, or has not happened.
        kept = self._unwritten_contents
        new = {n: content for n in numbers if (content := kept.get(n)) is not None}
        return new | self.log.contents(self.id, [n for n in numbers if n not in new])

    # ------------------------------------------------------------------ refits and snapshots

    @property
    def learner(self) -> ActiveLearner | None:
        """The learner; None before the first batch."""
        return self.fold.learner

    @property
    def refitting(self) -> RefittingLearner | None:
        """The learner within, if it is one that refits."""
        return self.fold.refitting

    def look_after_refits(self) -> None:
        """Let a refit that is due be fitted elsewhere, and serve it when it is done."""
        learner = self.refitting
        if learner is None:
            return
        learner.work_in(self._refits)
        future = None if learner.coming is None else learner.coming[1]
        if future is not None and future is not self._watched:
            self._watched = future
            future.add_done_callback(self._fitted)

    def _fitted(self, future: "Future[Any]") -> None:
        """Serve what was fitted, unless the labels have changed meanwhile."""
        try:
            error = future.exception()
        except CancelledError:
            return
        # Where the state is not true, it is fitted again when it is.
        with contextlib.suppress(NotWritten), self.lock:
            learner = self.refitting
            if learner is None or learner.coming is None or learner.coming[1] is not future:
                return
            if self._refits.closed:
                return
            if error is not None:
                # It is begun once more when the next label comes.
                logger.error("stream %s: a refit failed: %s", self.id, error)
                return
            self._serve(learner)

    def _serve(self, learner: RefittingLearner) -> None:
        used = self.fold.begun_at
        with self.changing():
            learner.serve()
            event = self.event("refitted", data={**learner.facts, "used": used})
            self.fold.note(event)
            self.write([event])
        self.look_after_refits()
        self.snapshot()

    def snapshot(self, *, force: bool = True) -> None:
        """Save the learner, if that is due; never one whose labels have changed under it."""
        due = force or self.fold.position - self._snapshot_at >= SNAPSHOT_EVERY
        if due and self.learner is not None and self.fold.is_clean:
            self._snapshot_at = position = self.fold.position
            self.write(
                [], None, self.fold.snapshots.saving(self.learner, position, self.fold.begun_at)
            )

    def close(self) -> None:
        """Leave a snapshot, so that the next start is quick."""
        with contextlib.suppress(NotWritten), self.lock:
            if self.fold.position > self._snapshot_at:
                self.snapshot()
