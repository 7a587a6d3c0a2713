"""What a learner needs is loaded and compiled before its first example comes, off every lock.

The first time on a machine that takes many seconds, for which a stream would answer nobody.
"""

import dataclasses
import json
import logging
import threading
from collections.abc import Callable
from concurrent.futures import CancelledError, Executor, Future
from concurrent.futures.process import BrokenProcessPool

from askance.data.features import FeatureMap
from askance.data.features.indexers import Hashing
from askance.data.features.records import Record
from askance.errors import AskanceError
from askance.live import ActiveLearner
from askance.protocols import refitting
from askance.service.settings import StreamSettings
from askance.sparse import row_at
from askance.types import Matrix

__all__ = ["Warmth"]

logger = logging.getLogger("askance.service")

EXAMPLES = 24
"""Examples that a learner is tried with: ``auto`` is fitted after the 20th label."""


class Warmth:
    """Learners are tried in the background, each kind once; ``refits`` is where they are fitted.

    ``after`` is called when one was tried, before anybody uses it.

    >>> from askance.service.refits import Refits
    >>> warmth = Warmth(Refits())
    >>> warmth.wait_for(StreamSettings(name="a", classes=("no", "yes"), learner="passive"))
    """

    def __init__(self, refits: Executor, after: Callable[[], None] = lambda: None) -> None:
        self._refits, self._after = refits, after
        self._lock = threading.Lock()
        # Two threads that compile the same kernel get in each other's way.
        self._turn = threading.Lock()
        self._ready: dict[str, Future[None]] = {}

    def prepare(self, settings: StreamSettings) -> "Future[None]":
        """Try such a learner in the background; the future is done when it can decide and learn."""
        kind = json.dumps(
            [settings.learner, settings.parameters, len(settings.classes) > 2], sort_keys=True
        )
        with self._lock:
            if kind in self._ready:
                return self._ready[kind]
            ready = self._ready[kind] = Future()
        threading.Thread(target=self._try, args=(settings, ready), daemon=True).start()
        return ready

    def wait_for(self, settings: StreamSettings) -> None:
        """Wait until such a learner can decide and learn."""
        self.prepare(settings).result()

    def _try(self, settings: StreamSettings, ready: "Future[None]") -> None:
        try:
            with self._turn:
                learner = _tried(settings)
                self._after()
            ready.set_result(None)
            self._fit(learner)
        except (AskanceError, BrokenProcessPool, CancelledError, RuntimeError) as error:
            # The server ends; or it will be seen again, by who can be told.
            logger.info("a learner could not be tried: %s", error)
        finally:
            if not ready.done():
                ready.set_result(None)

    def _fit(self, learner: ActiveLearner) -> None:
        """Let the process start that fits, and serve what it gives."""
        within = refitting(learner.learner)
        if within is not None and within.coming is not None:
            within.work_in(self._refits)
            assert within.coming[1] is not None
            within.coming[1].result()
            # Only this one: what is due then is nobody's.
            within.work_in(None)
            within.serve()
            learner.foretell(_rows(learner, 1))


def _tried(settings: StreamSettings) -> ActiveLearner:
    """A learner of this kind that has seen some examples, and labels of all classes."""
    rate = 1.0 if settings.learner == "auto" else None
    freely = dataclasses.replace(settings, total=None, horizon=None, rate=rate)
    learner = freely.make_learner(FeatureMap(Hashing(settings.bits)))
    X = _rows(learner, EXAMPLES)
    while learner.seen < EXAMPLES:
        start = learner.seen
        decisions = [decision for _, decision in learner.foretell(X[start:])]
        learner.recall(X[start : start + len(decisions)], decisions)
        for number in learner.pending():
            learner.tell(number, settings.code(settings.classes[number % len(settings.classes)]))
    learner.predict(row_at(X, 0))
    learner.stats()
    return learner


def _rows(learner: ActiveLearner, count: int) -> Matrix:
    assert learner.features is not None
    records = [Record(str(i), None, {"a": i % 7, "b": i % 5 - 2.5}) for i in range(1, count + 1)]
    return learner.features.encode_many(records)
