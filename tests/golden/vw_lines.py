"""VW text as somebody else writes it: the other direction of askance.data.text.vwtext."""

import re
from collections.abc import Iterable

import numpy as np

_SPECIAL = re.compile(r"[%:|\s]")


def to_vw(
    features: Iterable[tuple[str, float]], label: int | None = None, tag: str | None = None
) -> str:
    """Write one line of VW text from names and values.

    Values are written in single precision, which is what a row holds.

    >>> to_vw([("age", 39.0), ("job=clerk", 1.0), ("text^a b", 2.0)], label=1, tag="7")
    "1 '7| age:39.0 job=clerk |text a%20b:2.0"
    """
    spaces: dict[str, list[str]] = {"": []}
    for name, value in features:
        namespace, inner, short = name.partition("^")
        if not (inner and namespace):
            namespace, short = "", name
        single = np.float32(value)
        written = "" if single == 1 else f":{single}"
        spaces.setdefault(namespace, []).append(_encoded(short) + (written or _one(short)))
    head = f"{'' if label is None else label} " + (f"'{_encoded(tag)}" if tag is not None else "")
    groups = (f"|{_encoded(space)} {' '.join(names)}" for space, names in spaces.items() if names)
    return head + (" ".join(groups) or "|")


def _one(name: str) -> str:
    """A feature without a name cannot leave out its value."""
    return "" if name else ":1.0"


def _encoded(name: str) -> str:
    return _SPECIAL.sub(_percent, name)


def _percent(found: "re.Match[str]") -> str:
    return "".join(f"%{byte:02X}" for byte in found.group().encode())
