"""Columns of a table as plain arrays, and columns -> sparse rows."""

import itertools
import math
from collections.abc import Collection, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance.data.features.assembly import count_column, place_column
from askance.errors import BadRecord
from askance.sparse import from_parts
from askance.types import Integers, Matrix

__all__ = [
    "Column",
    "Entries",
    "Lines",
    "Numbers",
    "Objects",
    "Struct",
    "Words",
    "assemble",
    "numbers_of",
    "one_per_row",
    "rows_of_column",
    "some_of",
    "values_of",
    "words_of",
]

Numbers = NDArray[np.float64]
"""A number for each row; NaN is missing."""


_ROWS = 1 << 13
_SHOWN = 120
"""Characters of names that a message shows."""


class Words(NamedTuple):
    """A string for each row, as codes into the distinct values; -1 is missing."""

    codes: NDArray[np.int32]
    values: list[str]

    def is_in(self, values: Collection[str]) -> NDArray[np.bool_]:
        """Tell for each row whether its string is one of these.

        >>> Words(np.array([0, 1, -1], dtype=np.int32), ["yes", "no"]).is_in({"yes"}).tolist()
        [True, False, False]
        """
        hits = np.array([value in values for value in self.values] + [False])
        return np.asarray(hits[self.codes])


class Objects(NamedTuple):
    """Anything else: lists, as Python objects."""

    values: list[object]


class Struct(NamedTuple):
    """Columns inside a column: a namespace."""

    children: "dict[str, Column]"


Column = Numbers | Words | Objects | Struct


def numbers_of(column: Column) -> Numbers:
    """Give a column that must hold numbers."""
    if not isinstance(column, np.ndarray):
        raise BadRecord("a column of numbers was expected, but some of it is text")
    return column


def words_of(column: Column) -> Words:
    """Give a column that must hold strings."""
    if not isinstance(column, Words):
        raise BadRecord("a column of words was expected, but it holds numbers or lists")
    return column


class Entries(NamedTuple):
    """A column's entries: index and value, one for each row, or as CSR where ``rows`` says so."""

    rows: NDArray[np.int64]
    indices: NDArray[np.int32]
    values: NDArray[np.float32]


def one_per_row(indices: NDArray[np.int32] | int, values: NDArray[np.floating]) -> Entries:
    """Make a column with one entry for each row; the value 0 stands for none."""
    columns = np.full(len(values), indices, dtype=np.int32) if isinstance(indices, int) else indices
    return Entries(np.empty(0, dtype=np.int64), columns, values.astype(np.float32, copy=False))


class Lines(NamedTuple):
    """Sparse rows in the making, as kernels write them: not yet sorted, nor of any width."""

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    values: NDArray[np.float32]

    def matrix(self, width: int) -> Matrix:
        """The finished rows as a CSR array."""
        return from_parts(*self, width)


def assemble(columns: Sequence[Entries], n: int) -> Lines:
    """Put columns side by side: each row's entries in the order of the columns.

    >>> left = one_per_row(0, np.array([1.0, 0.0]))
    >>> right = one_per_row(np.array([1, 2], dtype=np.int32), np.array([5.0, 7.0]))
    >>> assemble([left, right], 2).matrix(3).toarray().tolist()
    [[1.0, 5.0, 0.0], [0.0, 0.0, 7.0]]
    """
    counts = np.zeros(n, dtype=np.int64)
    for column in columns:
        count_column(column.rows, column.values, counts)
    indptr = np.zeros(n + 1, dtype=np.int64)
    np.cumsum(counts, out=indptr[1:])
    indices = np.empty(indptr[-1], dtype=np.int32)
    values = np.empty(indptr[-1], dtype=np.float32)
    cursor = indptr[:-1].copy()
    # A few rows at a time, so that what is being written stays in the processor's cache.
    for start in range(0, n, _ROWS):
        stop = min(start + _ROWS, n)
        for column in columns:
            place_column(*column, start, stop, cursor, indices, values)
    return Lines(indptr, indices, values)


def some_of(names: Iterable[str]) -> str:
    """List names for a message; the first ones, where they are many.

    >>> some_of(["age", "job"]), some_of(f"c{i}" for i in range(100))[-20:]
    ('age, job', 'c24, c25 and 74 more')
    """
    known = [name[:40] for name in names]
    ends = itertools.accumulate(len(name) + 2 for name in known)
    shown = sum(end <= _SHOWN for end in ends)
    more = len(known) - shown
    return ", ".join(known[:shown]) + (f" and {more:,} more" if more else "")


def rows_of_column(column: Column, places: Integers) -> Column:
    """Some rows of a column, in this order.

    >>> rows_of_column(np.array([1.5, 2.5]), np.array([1])).tolist()
    [2.5]
    """
    if isinstance(column, Words):
        return column._replace(codes=column.codes[places])
    if isinstance(column, Objects):
        return Objects([column.values[i] for i in places.tolist()])
    if isinstance(column, Struct):
        children = column.children.items()
        return Struct({name: rows_of_column(child, places) for name, child in children})
    return column[places]


def values_of(column: Column) -> list[Any]:
    """Give a column as Python values, None where they are missing.

    >>> values_of(np.array([1.5, np.nan]))
    [1.5, None]
    """
    if isinstance(column, Objects):
        return column.values
    if isinstance(column, Words):
        known: list[str | None] = [*column.values, None]
        return [known[code] for code in column.codes.tolist()]
    if isinstance(column, Struct):
        rows = zip(*map(values_of, column.children.values()), strict=True)
        return [dict(zip(column.children, row, strict=True)) for row in rows]
    return [None if math.isnan(value) else value for value in column.tolist()]
