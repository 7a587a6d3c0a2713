"""Where pages are shown: a terminal, one page at a time, or a plain stream, one after the other."""

import contextlib
from collections.abc import Iterator
from typing import Protocol

from rich.console import Console
from rich.text import Text

from askance.terminal.pages import Layout, Page

__all__ = ["PlainScreen", "Screen", "TerminalScreen"]


class Screen(Protocol):
    """What shows pages."""

    def show(self, page: Page) -> None: ...


class TerminalScreen:
    """Shows each page in place of the one before."""

    def __init__(self, console: Console, layout: Layout) -> None:
        self._console, self._layout = console, layout

    @contextlib.contextmanager
    def opened(self) -> Iterator["TerminalScreen"]:
        """Take the terminal's other screen, and give it back."""
        self._switch(taken=True)
        try:
            yield self
        finally:
            self._switch(taken=False)

    @contextlib.contextmanager
    def left(self) -> Iterator[None]:
        """Give the terminal's first screen back for a while."""
        self._switch(taken=False)
        try:
            yield
        finally:
            self._switch(taken=True)

    def _switch(self, *, taken: bool) -> None:
        self._console.set_alt_screen(taken)
        self._console.show_cursor(not taken)

    def show(self, page: Page) -> None:
        """Draw a page that fills the terminal, whatever size it has now."""
        width, height = self._console.size
        lines = self._layout.lines(page, width, height)
        self._console.clear()
        self._console.print(Text("\n").join(lines), end="", no_wrap=True, overflow="crop")


class PlainScreen:
    """Prints what is new, once: questions, messages and ends."""

    def __init__(self, console: Console, layout: Layout) -> None:
        self._console, self._layout = console, layout

    def show(self, page: Page) -> None:
        """Print a page, unless nothing is asked on it."""
        if page.asked is None and page.ended is None and not page.help:
            return
        for line in self._layout.lines(page, self._console.width):
            self._console.print(line.plain.rstrip(), markup=False, highlight=False, soft_wrap=True)
        self._console.print()
