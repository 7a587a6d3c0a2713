"""VW text -> features.

A line is ``label 'tag |namespace name:value name ...``. A name may hold any character: a percent
sign, a blank, a colon or a bar is written as in a web address, ``%20`` for a blank.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO, NamedTuple
from urllib.parse import unquote_to_bytes

import numpy as np
from numpy.typing import NDArray

from askance.data.text.libsvm import careful_number, line_blocks
from askance.data.text.parsing import parse_vw
from askance.errors import BadRecord
from askance.types import Integers

__all__ = ["Tokens", "VwBatch", "vw_batches", "within"]

_ERRORS = {1: "has no bar | before its features", 2: "has a namespace whose scale is no number"}


def within(namespace: str, name: str) -> str:
    """Name a feature inside a namespace, as VW's own audit does.

    >>> within("text", "word"), within("", "age")
    ('text^word', 'age')
    """
    return f"{namespace}^{name}" if namespace else name


@dataclass(frozen=True, slots=True, eq=False)
class Tokens:
    """Features of many lines as hashes and values, with the text that they came from."""

    indptr: NDArray[np.int64]
    hashes: NDArray[np.int64]
    values: NDArray[np.float64]
    spans: NDArray[np.int64]
    text: bytes

    def __len__(self) -> int:
        return len(self.indptr) - 1

    def name(self, k: int) -> str:
        """Give the name of the ``k``-th feature."""
        return within(*self._parts(k))

    def _parts(self, k: int) -> tuple[str, str]:
        a, b, c, d = self.spans[k].tolist()
        return _decoded(self.text[a:b]), _decoded(self.text[c:d])

    def take(self, places: Integers) -> "Tokens":
        """Some of the lines, in this order."""
        starts = self.indptr[places]
        counts = self.indptr[places + 1] - starts
        indptr = np.concatenate([[0], np.cumsum(counts)])
        chosen = np.repeat(starts - indptr[:-1], counts) + np.arange(indptr[-1])
        return Tokens(
            indptr, self.hashes[chosen], self.values[chosen], self.spans[chosen], self.text
        )

    def records(self) -> Iterator[dict[str, dict[str, float]]]:
        """Give each line as namespaces of features; a feature that is repeated adds up."""
        for i in range(len(self)):
            fields: dict[str, dict[str, float]] = {}
            for k in range(self.indptr[i], self.indptr[i + 1]):
                namespace, name = self._parts(k)
                features = fields.setdefault(namespace, {})
                features[name] = features.get(name, 0.0) + float(self.values[k])
            yield fields


class VwBatch(NamedTuple):
    """The lines of one block; a missing label is NaN."""

    labels: NDArray[np.float64]
    tags: list[str | None]
    tokens: Tokens


def vw_batches(stream: BinaryIO, source: str) -> Iterator[VwBatch]:
    """Read VW text block by block."""
    line = 0
    for text in line_blocks(stream, source, 1 << 20):
        batch, lines = _parse(text, source, line)
        line += lines
        if len(batch.tokens):
            yield batch


def _parse(text: bytes, source: str, line: int) -> tuple[VwBatch, int]:
    n_lines, most = text.count(b"\n"), len(text) // 2 + 1
    labels, values = np.empty(n_lines), np.empty(most)
    heads = np.empty((n_lines, 4), dtype=np.int64)
    indptr = np.empty(n_lines + 1, dtype=np.int64)
    hashes = np.empty(most, dtype=np.int64)
    spans = np.empty((most, 4), dtype=np.int64)
    hard = np.empty((most, 3), dtype=np.int64)
    codes = np.frombuffer(text, dtype=np.int8)
    lines, rows, n_hard, error, start, stop = parse_vw(
        codes, labels, heads, indptr, hashes, values, spans, hard
    )
    if error:
        found = text[start:stop].decode(errors="replace")[:60]
        raise BadRecord(f"line {line + lines:,} of {source} {_ERRORS[error]}: {found!r}")
    for place, first, last in hard[:n_hard].tolist():
        values[place] *= careful_number(text, (first, last), source, line)
    end = indptr[rows]
    # Copies, so that a batch that is kept does not keep the room for the longest possible one.
    tokens = Tokens(
        indptr[: rows + 1], hashes[:end].copy(), values[:end].copy(), spans[:end].copy(), text
    )
    _check_finite(tokens, source, line)
    for row in np.flatnonzero(heads[:rows, 0] < 0).tolist():
        span = (-1 - int(heads[row, 0]), int(heads[row, 1]))
        labels[row] = _careful_label(text, span, source, line)
    tags = [None if a < 0 else _decoded(text[a:b]) for a, b in heads[:rows, 2:].tolist()]
    return VwBatch(labels[:rows], tags, tokens), lines


def _check_finite(tokens: Tokens, source: str, line: int) -> None:
    """Refuse a value that single precision, which a row has, cannot hold."""
    wrong = np.flatnonzero(~(np.abs(tokens.values) <= np.finfo(np.float32).max))
    if len(wrong):
        k = int(wrong[0])
        number = line + tokens.text.count(b"\n", 0, int(tokens.spans[k, 2])) + 1
        raise BadRecord(
            f"line {number:,} of {source} has the value {tokens.values[k]:g} for "
            f"{tokens.name(k)!r}, a finite number was expected"
        )


def _careful_label(text: bytes, span: tuple[int, int], source: str, line: int) -> float:
    """Read a label that is not as simple as most: long, or with an importance of 1."""
    head = text[slice(*span)].decode(errors="replace")
    parts = head.split()
    if parts[-1].startswith("'") or not head[-1].isspace():
        parts.pop()
    number = line + text.count(b"\n", 0, span[0]) + 1
    where = f"line {number:,} of {source}"
    try:
        label, *more = [float(part) for part in parts]
    except ValueError:
        raise BadRecord(f"{where} has the label {head.strip()!r}, a number was expected") from None
    if more and more != [1.0]:
        raise BadRecord(f"{where} has more than a label and a tag in {head.strip()!r}")
    return label


def _decoded(name: bytes) -> str:
    return (unquote_to_bytes(name) if b"%" in name else name).decode(errors="replace")
