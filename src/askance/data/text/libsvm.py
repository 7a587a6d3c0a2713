"""LIBSVM text -> sparse rows."""

from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance.data.text.parsing import parse_libsvm
from askance.errors import BadRecord
from askance.sparse import from_parts
from askance.types import Matrix

__all__ = [
    "LONGEST_LINE",
    "LabelledRows",
    "careful_number",
    "libsvm_batches",
    "line_blocks",
    "parse_block",
    "read_all",
    "single",
]

LONGEST_LINE = 1 << 24
"""Bytes that one line of text may have: more would be held in memory, whatever wrote them."""

_BLOCK = 1 << 22
_ERRORS = {
    1: "is not of the form index:value",
    2: "has an index below {base}, where this file's indices should start",
    3: "has an index that is not larger than the one before it",
    4: "has an index above 2147483646",
}


class LabelledRows(NamedTuple):
    """Sparse rows with the labels as written, and the number of lines they took."""

    csr: Matrix
    labels: NDArray[np.float64]
    lines: int


def line_blocks(stream: BinaryIO, source: str, size: int = _BLOCK) -> Iterator[bytes]:
    """Cut a stream into blocks of whole lines; the last line gets its newline if it has none."""
    # The start of a line whose end has not come yet; adding to one string would copy it each time.
    rest: list[bytes] = []
    while block := stream.read(size):
        whole, newline, tail = block.rpartition(b"\n")
        if newline:
            yield b"".join([*rest, whole, newline])
            rest = [tail]
        else:
            rest.append(block)
            if sum(map(len, rest)) > LONGEST_LINE:
                raise BadRecord(f"{source} has a line of more than {LONGEST_LINE >> 20} MB")
    if any(rest):
        yield b"".join([*rest, b"\n"])


def libsvm_batches(stream: BinaryIO, source: str, base: int = 1) -> Iterator[LabelledRows]:
    """Read LIBSVM text block by block; ``base`` is the first index, 1 in LIBSVM's own files."""
    line = 0
    for text in line_blocks(stream, source):
        block = parse_block(text, source, base, line)
        line += block.lines
        if len(block.labels):
            yield block


def read_all(content: bytes, source: str, base: int = 1) -> LabelledRows:
    r"""Read LIBSVM text at once.

    >>> rows = read_all(b"+1 1:0.5 3:2 # a comment\n-1 2:1\n", "two.svm")
    >>> rows.labels.tolist(), rows.csr.indices.tolist()
    ([1.0, -1.0], [0, 2, 1])
    """
    return parse_block(content if content.endswith(b"\n") else content + b"\n", source, base)


def parse_block(text: bytes, source: str, base: int = 1, line: int = 0) -> LabelledRows:
    """Parse whole lines; ``line`` is how many came before them, for messages."""
    codes = np.frombuffer(text, dtype=np.int8)
    n_lines, n_entries = text.count(b"\n"), text.count(b":")
    labels = np.empty(n_lines)
    indptr = np.empty(n_lines + 1, dtype=np.int64)
    indices = np.empty(n_entries, dtype=np.int32)
    values = np.empty(n_entries)
    hard = np.empty((n_entries + n_lines, 3), dtype=np.int64)
    lines, rows, n_hard, error, start, stop = parse_libsvm(
        codes, base, labels, indptr, indices, values, hard
    )
    if error:
        token = text[start:stop].decode(errors="replace")
        problem = _ERRORS[error].format(base=base)
        raise BadRecord(f"line {line + lines:,} of {source}: {token[:60]!r} {problem}")
    for place, first, last in hard[:n_hard].tolist():
        number = careful_number(text, (first, last), source, line)
        if place < 0:
            labels[-1 - place] = number
        else:
            values[place] = number
    csr = single(indptr[: rows + 1], indices, values, source)
    return LabelledRows(csr, labels[:rows], lines)


def careful_number(text: bytes, span: tuple[int, int], source: str, line: int) -> float:
    """Read what the short cut could not: long, huge, tiny, or no number at all."""
    token = text[slice(*span)]
    try:
        return float(token)
    except ValueError:
        number = line + text.count(b"\n", 0, span[0]) + 1
        found = token.decode(errors="replace")[:60]
        raise BadRecord(
            f"line {number:,} of {source} has {found!r} where a number was expected"
        ) from None


def single(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    numbers: NDArray[np.float64],
    source: str,
) -> Matrix:
    """Bring values to single precision, where they must be finite; those that vanish go."""
    end = indptr[-1]
    with np.errstate(over="ignore", under="ignore"):
        values = numbers[:end].astype(np.float32)
    wrong = np.flatnonzero(~np.isfinite(values))
    if len(wrong):
        raise BadRecord(f"{source} has the value {numbers[wrong[0]]}, a finite number was expected")
    indices = indices[:end]
    if not values.all():
        kept = np.concatenate(([0], np.cumsum(values != 0)))
        indptr, indices, values = kept[indptr], indices[values != 0], values[values != 0]
    width = int(indices.max(initial=-1)) + 1
    return from_parts(indptr, indices, values, width)
