"""Which values of a record are pictures that may be shown."""

import re
from collections.abc import Sequence
from urllib.parse import urlsplit

__all__ = ["is_inline_picture", "is_picture"]

_INLINE = re.compile(r"data:image/(?:png|jpeg|gif|webp|avif);base64,[A-Za-z0-9+/]+={0,2}")
"""Pixels only: a drawing such as SVG is a document of its own."""


def is_inline_picture(value: object) -> bool:
    """Whether a value holds a picture itself, as a data: URL.

    >>> is_inline_picture("data:image/png;base64,iVBORw0="), is_inline_picture("data:text/html,x")
    (True, False)
    """
    return isinstance(value, str) and _INLINE.fullmatch(value) is not None


def is_picture(value: object, hosts: Sequence[str] = ()) -> bool:
    """Whether a value is a picture, inline or at a host from which pictures may be shown.

    >>> is_picture("https://img.example.org/a.png", ["img.example.org"])
    True
    >>> is_picture("https://img.example.org.evil.net/a.png", ["img.example.org"])
    False
    """
    return is_inline_picture(value) or (isinstance(value, str) and _is_at(value, hosts))


def _is_at(value: str, hosts: Sequence[str]) -> bool:
    # Nothing but printable ASCII: browsers read other characters in ways of their own.
    if not (value.startswith("https://") and value.isascii() and value.isprintable()):
        return False
    if "\\" in value or " " in value:
        return False
    try:
        parts = urlsplit(value)
    except ValueError:
        return False
    return parts.netloc.lower() in hosts
