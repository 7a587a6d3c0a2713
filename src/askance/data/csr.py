"""Sparse rows."""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from askance.types import Integers, Row

__all__ = ["Csr", "stacked"]


@dataclass(frozen=True, slots=True, eq=False)
class Csr:
    """Sparse rows: row ``i`` has the entries ``indptr[i]`` to ``indptr[i + 1]``."""

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    values: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.indptr) - 1

    def take(self, rows: Integers) -> "Csr":
        """Copy some rows, in the order given.

        >>> two = Csr(np.array([0, 1, 3]), np.array([2, 0, 1]), np.array([1.0, 0.5, 4.0]))
        >>> [row.values.tolist() for row in two.take(np.array([1, 0, 1])).rows()]
        [[0.5, 4.0], [1.0], [0.5, 4.0]]
        """
        starts = self.indptr[rows]
        lengths = self.indptr[rows + 1] - starts
        ends = np.concatenate([[0], np.cumsum(lengths)])
        places = np.arange(ends[-1]) + np.repeat(starts - ends[:-1], lengths)
        return Csr(ends, self.indices[places], self.values[places])

    def row(self, i: int) -> Row:
        """Give one row, as views."""
        start, stop = int(self.indptr[i]), int(self.indptr[i + 1])
        return Row(self.indices[start:stop], self.values[start:stop])

    def rows(self) -> Iterator[Row]:
        """Walk over the rows, as views."""
        ends = self.indptr.tolist()
        for start, stop in itertools.pairwise(ends):
            yield Row(self.indices[start:stop], self.values[start:stop])


def stacked(parts: list[Csr]) -> Csr:
    """Put sparse rows on top of each other."""
    ends = np.cumsum([0, *(part.indptr[-1] for part in parts)])
    starts = [part.indptr[:-1] + end for part, end in zip(parts, ends, strict=False)]
    return Csr(
        np.concatenate([*starts, ends[-1:]]),
        np.concatenate([part.indices for part in parts]),
        np.concatenate([part.values for part in parts]),
    )
