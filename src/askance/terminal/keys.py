"""One key at a time: from a POSIX terminal, from a Windows console, or as lines from a pipe.

A reader is called without arguments, waits for a key and gives it as a string: one character,
:data:`RESIZED` if the page is to be drawn again, or :data:`END` if there will be no more keys.
"""

import codecs
import contextlib
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Self, TextIO

__all__ = [
    "END",
    "OTHER",
    "RESIZED",
    "Reader",
    "TerminalKeys",
    "console_keys",
    "line_keys",
]

Reader = Callable[[], str]

END = ""
RESIZED = "resized"
OTHER = "other"
"""A key that is no character: an arrow, a function key."""

_WORDS = {"yes": "y", "no": "n", "skip": "s", "undo": "u", "quit": "q", "help": "?"}
_SPECIAL = ("\x00", "\xe0")
_POLL = 0.25
_SEQUENCE = 0.02
"""Seconds within which the rest of an escape sequence follows its first byte."""


def line_keys(stream: TextIO, words: Mapping[str, str] = _WORDS) -> Reader:
    r"""Read one answer from each line that is not blank: the letter of a key, or one of ``words``.

    >>> import io
    >>> read = line_keys(io.StringIO("y\n\n No \nmaybe\n"))
    >>> [read() for _ in range(4)]
    ['y', 'n', 'maybe', '']
    """

    def read() -> str:
        for line in iter(stream.readline, ""):
            word = line.strip()
            if word:
                return words.get(word.lower(), word)
        return END

    return read


def console_keys(getwch: Callable[[], str]) -> Reader:
    r"""Read keys as the console of Windows gives them; ``getwch`` is that of ``msvcrt``.

    >>> pressed = iter("y\xe0Hn")  # the middle two are one arrow
    >>> read = console_keys(lambda: next(pressed))
    >>> [read() for _ in range(3)]
    ['y', 'other', 'n']
    """

    def read() -> str:
        key = getwch()
        if key in _SPECIAL:
            getwch()
            return OTHER
        return key

    return read


if sys.platform == "win32":
    import msvcrt

    class TerminalKeys:
        """Reads single keys from the console."""

        def __init__(self, descriptor: int) -> None:
            self._read = console_keys(msvcrt.getwch)

        def __call__(self) -> str:
            return self._read()

        @contextlib.contextmanager
        def taken(self) -> Iterator[Self]:
            """Nothing is to be set."""
            yield self

        released = taken
else:
    import select
    import termios
    import tty

    class TerminalKeys:
        """Reads single keys from a terminal.

        Parameters
        ----------
        descriptor
            Of the terminal.
        """

        def __init__(self, descriptor: int) -> None:
            self._descriptor = descriptor
            self._before = termios.tcgetattr(descriptor)
            self._size: os.terminal_size | None = self._measured()

        @contextlib.contextmanager
        def taken(self) -> Iterator[Self]:
            """Let keys come one by one, and leave the terminal as it was found."""
            self._take()
            try:
                yield self
            finally:
                self._release()

        @contextlib.contextmanager
        def released(self) -> Iterator[None]:
            """Leave the terminal as it was found for a while; then all is to be drawn again."""
            self._release()
            try:
                yield
            finally:
                self._take()
                self._size = None

        def _take(self) -> None:
            tty.setcbreak(self._descriptor, termios.TCSADRAIN)

        def _release(self) -> None:
            # It may be gone: its window was closed.
            with contextlib.suppress(termios.error):
                termios.tcsetattr(self._descriptor, termios.TCSADRAIN, self._before)

        def __call__(self) -> str:
            while not self._ready(_POLL):
                # A shell that stopped this process has set the terminal to its own ways.
                if termios.tcgetattr(self._descriptor)[3] & termios.ICANON:
                    self._take()
                    return RESIZED
                if self._measured() != self._size:
                    self._size = self._measured()
                    return RESIZED
            return self._character()

        def _measured(self) -> os.terminal_size:
            return os.get_terminal_size(self._descriptor)

        def _ready(self, seconds: float) -> bool:
            return bool(select.select([self._descriptor], [], [], seconds)[0])

        def _character(self) -> str:
            decode = codecs.getincrementaldecoder("utf-8")("replace").decode
            byte = self._byte()
            if byte == b"\x1b":
                return self._after_escape()
            while byte and not (text := decode(byte)):
                byte = self._byte()
            return text[-1] if byte else END

        def _byte(self) -> bytes:
            try:
                return os.read(self._descriptor, 1)
            except OSError:
                return b""

        def _after_escape(self) -> str:
            """Swallow the rest of what an arrow or a function key sends."""
            while self._ready(_SEQUENCE):
                byte = self._byte()
                if not byte or byte.isalpha() or byte == b"~":
                    break
            return OTHER
