"""Ctrl-C, Ctrl-Z and their like, never in the middle of learning or drawing."""

import contextlib
import signal
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any, Self

__all__ = ["Interrupts"]

_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")


class Interrupts:
    """Takes note of signals; they act only while a key is waited for, or between two examples.

    Parameters
    ----------
    suspend
        Stops this process until it is told to continue; without one, Ctrl-Z is not handled here.

    Attributes
    ----------
    received
        The first signal that came to end this process, or None.

    >>> with Interrupts() as interrupts:
    ...     signal.raise_signal(signal.SIGINT)
    ...     interrupts.received == signal.SIGINT
    True
    """

    def __init__(self, suspend: Callable[[], None] | None = None) -> None:
        self.received: int | None = None
        self._suspend, self._pausing = suspend, False
        self._waiting = False
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Self:
        for name in _NAMES:
            number = getattr(signal, name, None)
            if number is not None:
                self._before[number] = signal.signal(number, self._note)
        if self._suspend is not None and hasattr(signal, "SIGTSTP"):
            self._before[signal.SIGTSTP] = signal.signal(signal.SIGTSTP, self._note_pause)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.received = self.received or number
        if self._waiting:
            self._waiting = False
            raise KeyboardInterrupt

    def _note_pause(self, number: int, frame: FrameType | None) -> None:
        self._pausing = True
        if self._waiting:
            self.pause()

    def pause(self) -> None:
        """Suspend now if Ctrl-Z was pressed meanwhile."""
        if self._pausing and self._suspend is not None:
            self._suspend()
            self._pausing = False

    @contextlib.contextmanager
    def waiting(self) -> Iterator[None]:
        """Let a signal, past or future, suspend or raise KeyboardInterrupt."""
        self._waiting = True
        try:
            self.pause()
            if self.received:
                raise KeyboardInterrupt
            yield
        finally:
            self._waiting = False
