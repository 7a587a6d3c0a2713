"""Growing delays after failures, and limits on how often something may be done."""

import math
import threading
from collections import OrderedDict

from askance.errors import AskanceError
from askance.service.stream import Clock

__all__ = ["RateLimit", "Throttle", "TooOften"]

MOST_REMEMBERED = 10_000
"""Names and addresses of which failures are remembered; the oldest are forgotten."""

FREE = 3
"""Failures without a delay."""

FREE_OF_ADDRESS = 20
"""The same for an address, which many people may share, who may all sign in at once."""

LONGEST = 900.0
"""Seconds that a delay grows to."""


class TooOften(AskanceError):
    """Something was tried too often; ``seconds`` is how long to wait."""

    def __init__(self, seconds: float) -> None:
        left = math.ceil(seconds)
        super().__init__(f"too many tries: wait {left} second{'' if left == 1 else 's'}")
        self.seconds = seconds


class Throttle:
    """Delays after failures, which double with each.

    >>> now = [0.0]
    >>> throttle = Throttle(lambda: now[0])
    >>> for _ in range(5):
    ...     throttle.fail("ann")
    >>> throttle.check("ann")
    Traceback (most recent call last):
    askance.service.throttle.TooOften: too many tries: wait 2 seconds
    >>> now[0] = 3.0
    >>> throttle.check("ann")
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._failures: OrderedDict[str, tuple[int, float]] = OrderedDict()

    def check(self, *names: str) -> None:
        """Refuse if one of the names has to wait."""
        with self._lock:
            self._check(names)

    def _check(self, names: tuple[str, ...]) -> None:
        wait = max(self._until(name) - self._clock() for name in names)
        if wait > 0:
            raise TooOften(wait)

    def _until(self, name: str) -> float:
        count, at = self._failures.get(name, (0, 0.0))
        free = FREE_OF_ADDRESS if name.startswith("address:") else FREE
        # A float cannot hold any power of two.
        delay = 0.0 if count <= free else min(2.0 ** min(count - free - 1, 60), LONGEST)
        return at + delay

    def fail(self, *names: str) -> None:
        """Count a failure."""
        with self._lock:
            self._fail(names)

    def _fail(self, names: tuple[str, ...]) -> None:
        for name in names:
            count, _ = self._failures.pop(name, (0, 0.0))
            self._failures[name] = count + 1, self._clock()
        while len(self._failures) > MOST_REMEMBERED:
            self._failures.popitem(last=False)

    def admit(self, *names: str) -> None:
        """Let a try begin, which counts as a failure until it is forgiven; or refuse it.

        Many tries at once get no further than as many in turn.
        """
        with self._lock:
            self._check(names)
            self._fail(names)

    def forgive(self, *names: str) -> None:
        """A try was none that failed. What others failed at before still counts."""
        with self._lock:
            for name in names:
                count, _ = self._failures.pop(name, (0, 0.0))
                if count > 1:
                    # The delay of the others was over, or this try would not have begun.
                    self._failures[name] = count - 1, -math.inf

    def forget(self, *names: str) -> None:
        """A success: what failed before no longer counts."""
        with self._lock:
            for name in names:
                self._failures.pop(name, None)


class RateLimit:
    """At most so much of something a second by each name, and ``burst`` at once.

    >>> limit = RateLimit(lambda: 0.0, per_second=1.0, burst=2)
    >>> limit.take("ann"), limit.take("ann")
    (None, None)
    >>> limit.take("ann")
    Traceback (most recent call last):
    askance.service.throttle.TooOften: too many tries: wait 1 second
    """

    def __init__(self, clock: Clock, per_second: float, burst: float) -> None:
        self._clock, self._per_second, self._burst = clock, per_second, burst
        self._lock = threading.Lock()
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, name: str, amount: float = 1.0) -> None:
        """Take some, or be refused."""
        with self._lock:
            now = self._clock()
            left, at = self._left.pop(name, (self._burst, now))
            left = min(self._burst, left + (now - at) * self._per_second)
            self._left[name] = (left - amount if amount <= left else left), now
            while len(self._left) > MOST_REMEMBERED:
                self._left.popitem(last=False)
        if left < amount:
            raise TooOften((amount - left) / self._per_second)
