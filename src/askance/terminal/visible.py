"""Text of a stranger's file -> text that a terminal shows and does not obey."""

import unicodedata

__all__ = ["either", "visible"]

_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""Controls, formats (the marks that reorder text among them), halves of characters, separators."""

_JOINERS = "\u200c\u200d"
"""Written inside words of some scripts, and inside emoji; they move nothing."""


def visible(text: str, encoding: str = "utf-8") -> str:
    r"""Write what a terminal would obey as an escape; line breaks stay, tabs become blanks.

    >>> visible("red\x1b[31m, back\r, turned\u202e")
    'red\\x1b[31m, back\\r, turned\\u202e'
    >>> visible("two\r\nlines"), visible("naïve ☃", "latin-1")
    ('two\nlines', 'naïve \\u2603')
    """
    text = text.replace("\r\n", "\n").expandtabs(4)
    if not text.isprintable():
        text = "".join(map(_shown, text))
    # A backslash of the text's own stays as it is: this is for reading, not for reading back.
    return text.encode(encoding, "backslashreplace").decode(encoding)


def _shown(character: str) -> str:
    kept = character == "\n" or character in _JOINERS
    if kept or unicodedata.category(character) not in _HIDDEN:
        return character
    return character.encode("unicode_escape").decode("ascii")


def either(preferred: str, plain: str, encoding: str) -> str:
    """The preferred way to draw something, if the encoding has it.

    >>> either("━", "=", "utf-8"), either("━", "=", "latin-1")
    ('━', '=')
    """
    try:
        preferred.encode(encoding)
    except UnicodeEncodeError:
        return plain
    return preferred
