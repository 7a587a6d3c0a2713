"""What a labelling shows, as lines of text for a screen of any size."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from rich.cells import cell_len
from rich.text import Text

from askance.labelling.session import OpenQuestion, Standing
from askance.terminal.choices import Choices
from askance.terminal.record_view import record_lines, wrapped
from askance.terminal.visible import either, visible

__all__ = ["Layout", "Page", "counted", "trend"]

PARTS = 8
"""Parts of the stream that the trend shows."""

ENOUGH = 5
"""Labels from which on an estimate of the error is worth a look."""

_STEPS = "▁▂▃▄▅▆▇█"
_PLAIN_STEPS = "_.-=+*%#"

_ENDS = {
    "budget": "The label budget is spent.",
    "target": "Labels are enough",
    "input": "This is the end of the file: there is nothing more to ask about.",
}

_HELP = (
    "Records are read one after the other. Where the learner is confident, it seldom asks. Where "
    "it asks, press one key:"
)
_KEYS = {
    "skip": "skip: you cannot tell. It costs no label, but if you skip every hard case, the "
    "learner only learns easy ones",
    "undo": "undo the last answer, as if it had never been given; press again to undo earlier ones",
    "space": "turn the page of a record that is longer than the screen",
    "search": "search for a class by typing its name, or add one that is not there yet",
    "quit": "quit. Every answer is already saved; the same command picks up where you left off",
}
_HELP_END = (
    "A label budget is spread over the whole file, unless another algorithm was chosen. The error "
    "is its own estimate for everything it has read, not only for what it asked about."
)


_NO_KEYS: Mapping[str, str] = {}


class Page(NamedTuple):
    """What there is to show: a question, the end, or help.

    ``choices`` are keys and the classes that they stand for, ``commands`` the keys of all else.
    While somebody looks for a class, ``typed`` is what was typed, and ``found`` what fits.
    """

    standing: Standing
    asked: OpenQuestion | None = None
    ended: str | None = None
    message: str = ""
    scroll: int = 0
    help: bool = False
    choices: tuple[tuple[str, str], ...] = ()
    commands: Mapping[str, str] = _NO_KEYS
    typed: str | None = None
    found: tuple[str, ...] = ()


def counted(number: int, thing: str) -> str:
    """Count things in words.

    >>> counted(1, "label"), counted(1200, "label")
    ('1 label', '1,200 labels')
    """
    return f"{number:,} {thing}{'s' * (number != 1)}"


def _error_of(standing: Standing) -> str:
    """What is known of the error, in few words."""
    found = standing.error
    if found is None or math.isnan(found.estimate):
        return f"error about {standing.mean_error:.0%}"
    of = "" if "classifiers so far" in found.of else f" of {found.of.rpartition(' of ')[2]}"
    return f"error{of} about {found.estimate:.0%}, at most {found.high:.0%} ({found.level:.0%})"


def trend(asked: Sequence[int], seen: int, steps: str = _STEPS) -> str:
    """Draw which share was asked about in each part of the stream so far.

    >>> trend([0, 1, 2, 3, 10, 11, 20], 32)
    '█▁▅▁▁▃▁▁'
    """
    bounds = [part * seen // PARTS for part in range(PARTS + 1)]
    shares = [
        sum(a <= example < b for example in asked) / max(1, b - a) for a, b in pairwise(bounds)
    ]
    return "".join(steps[round(share * (len(steps) - 1))] for share in shares)


@dataclass(frozen=True, slots=True)
class Layout:
    """Lays pages out.

    Parameters
    ----------
    name
        Of the file.
    classes
        Their names; of two, those of no and yes.
    encoding
        Of the screen: what it cannot show is escaped.
    """

    name: str
    classes: tuple[str, ...]
    encoding: str = "utf-8"

    def lines(self, page: Page, width: int, height: int | None = None) -> list[Text]:
        """A page as lines that fit a screen, or without a height as many as it takes."""
        standing = page.standing
        counts = self._flow(self._counts(standing), width)
        sureness = self._flow(self._sureness(standing), width)
        body, foot = self._body(page, width), self._foot(page, width)
        if height is None:
            return [*counts, *sureness, *body, *foot]
        bar = [] if standing.left is None else [self._bar(standing, width)]
        top = [*counts, *bar, *sureness]
        rules = [Text(either("─", "-", self.encoding) * width, style="dim")]
        if height < len(top) + len(foot) + 8:
            top, rules = counts[:1], []
        room = max(1, height - len(top) - len(foot) - 2 * len(rules))
        shown = self._window(body, room, page.scroll, width)
        shown += [Text()] * (room - len(shown))
        return [*top, *rules, *shown, *rules, *foot][:height]

    def _counts(self, standing: Standing) -> list[Text]:
        spent, left = standing.spent, standing.left
        counts = [counted(spent, "label")]
        if left is not None:
            counts = [f"{spent:,} of {spent + left:,} labels given", f"{left:,} left"]
        if standing.skipped:
            counts.append(f"{standing.skipped:,} skipped")
        name = visible(self.name, self.encoding)
        return [*(Text(count, style="bold") for count in counts), Text(name, style="dim")]

    def _bar(self, standing: Standing, width: int) -> Text:
        done = width * standing.spent // max(1, standing.spent + (standing.left or 0))
        marks = either("█░", "#.", self.encoding)
        return Text.assemble((marks[0] * done, "green"), (marks[1] * (width - done), "dim"))

    def _sureness(self, standing: Standing) -> list[Text]:
        asked, of = standing.recent
        drawn = trend(standing.asked, standing.seen, either(_STEPS, _PLAIN_STEPS, self.encoding))
        pieces = [f"{counted(standing.seen, 'record')} read"]
        if standing.seen >= 2 * PARTS:
            pieces.append(f"asks {asked} of the last {of} {drawn}")
        if standing.spent >= ENOUGH:
            pieces.append(_error_of(standing))
        return [Text(piece, style="cyan") for piece in pieces]

    def _body(self, page: Page, width: int) -> list[Text]:
        if page.help:
            choices, commands = self._known(page)
            keys = dict(choices)
            for command, meaning in _KEYS.items():
                if command == "space" or command in commands:
                    keys[commands.get(command, command)] = meaning
            listed = record_lines(keys, width, self.encoding)
            start, end = (wrapped(Text(text), width) for text in (_HELP, _HELP_END))
            return [*start, Text(), *listed, Text(), *end]
        if page.typed is not None:
            names = [visible(name, self.encoding) for name in page.found] or ["no class yet"]
            typed = Text(f"Class: {visible(page.typed, self.encoding)}_", style="bold")
            return [*wrapped(typed, width), Text(), *(Text(name) for name in names)]
        if page.ended:
            why = f": {page.standing.reason}." if page.ended == "target" else ""
            return wrapped(Text(_ENDS[page.ended] + why, style="bold"), width)
        if page.asked is None:
            return [Text("Looking for the next question ...", style="dim")]
        record = page.asked.record
        title = Text(f"record {visible(record.id, self.encoding)}", style="dim")
        return [*wrapped(title, width), *record_lines(record.fields, width, self.encoding)]

    def _window(self, body: list[Text], room: int, scroll: int, width: int) -> list[Text]:
        if len(body) <= room:
            return body
        step = max(1, room - 1)
        start = scroll % -(-len(body) // step) * step
        more = len(body) - start - step
        note = f"{more} more lines: space" if more > 0 else "the end: space starts over"
        part = body[start : start + step]
        last = Text(f"{either('↓', 'v', self.encoding)} {note}", style="yellow")
        last.truncate(width)
        return [*part, *[Text()] * (step - len(part)), last]

    def _foot(self, page: Page, width: int) -> list[Text]:
        lines = []
        warning = page.standing.warning
        if warning:
            lines += wrapped(Text(f"Beware: {warning}.", style="yellow"), width)
        if page.message:
            lines += wrapped(Text(visible(page.message, self.encoding), style="italic"), width)
        return [*lines, *self._flow(self._keys(page), width, "  ")]

    def _keys(self, page: Page) -> list[Text]:
        choices, commands = self._known(page)
        classes = [(key, visible(name, self.encoding)) for key, name in choices]
        keys = [*classes, *((key, name) for name, key in commands.items())]
        if page.help:
            keys = [("any key", "back")]
        elif page.typed is not None:
            keys = [("Enter", self._meant(page)), ("Esc", "back")]
        elif page.ended:
            keys = [(commands["undo"], "undo"), (commands["quit"], "finish")]
        return [Text.assemble((f" {key} ", "bold reverse"), f" {word}") for key, word in keys]

    def _known(self, page: Page) -> tuple[list[tuple[str, str]], dict[str, str]]:
        """Keys of classes and of all else, where a page does not say them those of the classes."""
        keys = Choices(self.classes)
        choices = page.choices or tuple((one.key, one.name) for one in keys.of())
        commands = dict(page.commands or keys.commands)
        if not keys.searches:
            commands.pop("search", None)
        return list(choices), commands

    def _meant(self, page: Page) -> str:
        """What Enter does to what was typed."""
        if page.found:
            return visible(page.found[0], self.encoding)
        return f"add the class {visible(page.typed or '', self.encoding)}" if page.typed else "back"

    def _flow(self, pieces: Sequence[Text], width: int, gap: str = "") -> list[Text]:
        """Pieces beside each other, as many on a line as fit."""
        gap = gap or either(" · ", " | ", self.encoding)
        lines: list[Text] = []
        for piece in pieces:
            if lines and lines[-1].cell_len + cell_len(gap) + piece.cell_len <= width:
                lines[-1] = Text.assemble(lines[-1], (gap, "dim"), piece)
            else:
                lines.append(piece)
        return [cut for line in lines for cut in wrapped(line, width)]
