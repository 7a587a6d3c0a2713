"""Ctrl-C and its like, never in the middle of learning."""

import contextlib
import signal
from collections.abc import Iterator
from types import FrameType
from typing import Any, Self

__all__ = ["Interrupts"]

_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")


class Interrupts:
    """Takes note of a signal that ends a process; only what waits for a key is cut short by it.

    Parameters
    ----------
    received
        The first signal that came, or None.

    >>> with Interrupts() as interrupts:
    ...     signal.raise_signal(signal.SIGINT)
    ...     interrupts.received == signal.SIGINT
    True
    """

    def __init__(self) -> None:
        self.received: int | None = None
        self._waiting = False
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Self:
        for name in _NAMES:
            number = getattr(signal, name, None)
            if number is not None:
                self._before[number] = signal.signal(number, self._note)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.received = self.received or number
        if self._waiting:
            self._waiting = False
            raise KeyboardInterrupt

    @contextlib.contextmanager
    def waiting(self) -> Iterator[None]:
        """Let a signal, past or future, raise KeyboardInterrupt."""
        self._waiting = True
        try:
            if self.received:
                raise KeyboardInterrupt
            yield
        finally:
            self._waiting = False
