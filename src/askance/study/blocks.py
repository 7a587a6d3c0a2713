"""What a report is made of, before it is a page or a text."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

__all__ = [
    "Block",
    "Drawing",
    "Heading",
    "Live",
    "TableBlock",
    "Text",
    "escaped",
    "is_word",
    "markdown",
    "percent",
    "plain",
]


class Heading(NamedTuple):
    """A title; the report's own has level 1."""

    text: str
    level: int = 2


class Text(NamedTuple):
    """A paragraph; a warning stands out."""

    text: str
    warns: bool = False


class TableBlock(NamedTuple):
    """A table; floats are shown with four decimals, ``None`` as a dash."""

    heads: Sequence[str]
    rows: Sequence[Sequence[object]]


class Drawing(NamedTuple):
    """A figure that was saved, SVG and PNG side by side; a narrow one is not stretched."""

    path: Path
    caption: str
    narrow: bool = False


class Live(NamedTuple):
    """A figure to play with, as the JSON that its library draws; texts and prints go without."""

    item: Any
    caption: str


Block = Heading | Text | TableBlock | Drawing | Live


def markdown(blocks: Sequence[Block]) -> str:
    """A report as Markdown, with its figures beside it.

    >>> table = TableBlock(["name", "gain"], [["a", 0.12345], ["b", None]])
    >>> print(markdown([Heading("Gains"), table]))
    ## Gains
    <BLANKLINE>
    | name | gain |
    |---|---:|
    | a | 0.1235 |
    | b | - |
    <BLANKLINE>
    """
    return "\n\n".join(filter(None, map(_markdown, blocks))) + "\n"


def _markdown(block: Block) -> str:
    match block:
        case Heading(text, level):
            return f"{'#' * level} {escaped(text)}"
        case Text(text, warns):
            return f"**{escaped(text)}**" if warns else escaped(text)
        case TableBlock(heads, rows):
            lines = ["|".join(["", *(f" {escaped(head)} " for head in heads), ""])]
            first = rows[0] if rows else [""] * len(heads)
            lines.append("".join("|---" if is_word(value) else "|---:" for value in first) + "|")
            lines += [f"| {' | '.join(escaped(plain(v)) for v in row)} |" for row in rows]
            return "\n".join(lines)
        case Drawing(path, caption, _):
            return f"![{escaped(caption)}]({path.name})\n\n{escaped(caption)}"
        case _:
            return ""


def plain(value: object) -> str:
    """A cell's text."""
    if value is None:
        return "-"
    return f"{value:.4f}" if isinstance(value, float) else str(value)


def percent(share: float) -> str:
    """A share with three digits, so that 199 of 200 are not all.

    >>> percent(199 / 200), percent(1.0), percent(1 / 3)
    ('99.5%', '100%', '33.3%')
    """
    return f"{100 * share:.3g}%"


def is_word(value: object) -> bool:
    """Whether a cell is text that is no number, which stands on the left.

    >>> is_word("OAC"), is_word("1e-05"), is_word(0.5)
    (True, False, False)
    """
    return isinstance(value, str) and not re.fullmatch(r"[-+.\de]+", value)


def escaped(text: str) -> str:
    r"""Text as it is, not as marks, HTML or mathematics, for a study's names are a stranger's.

    An underscore inside a word is no mark.

    >>> escaped("<b>*learning_rate*|$x$</b>"), escaped("_x_")
    ('\\<b>\\*learning_rate\\*\\|\\$x\\$\\</b>', '\\_x\\_')
    """
    return re.sub(r"[\\`*\[\]<|&$~]|(?<!\w)_|_(?!\w)", r"\\\g<0>", text)
