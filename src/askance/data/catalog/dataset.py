"""A data set in memory: sparse rows and their labels, with the four numbers that describe it."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance.data.csr import Csr
from askance.types import Row

__all__ = ["Dataset", "Stats"]


class Stats(NamedTuple):
    """What the paper prints of a data set.

    ``n`` examples, ``s`` non-zero features per example, ``d`` features, and ``r``, the share of the
    minority class.

    Paper: ``tbl:datasets``.
    """

    n: int
    s: float
    d: int
    r: float


@dataclass(frozen=True, slots=True, eq=False)
class Dataset:
    """Sparse rows and their labels, -1 or +1.

    >>> two = Dataset("two", 3, Csr(np.array([0, 1, 3]), np.array([2, 0, 1], dtype=np.int32),
    ...     np.array([1.0, 0.5, 4.0], dtype=np.float32)), np.array([1, -1], dtype=np.int8))
    >>> two.row(1).values.tolist()
    [0.5, 4.0]
    >>> two.stats
    Stats(n=2, s=1.5, d=3, r=0.5)
    """

    name: str
    n_features: int
    csr: Csr
    labels: NDArray[np.int8]

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def indptr(self) -> NDArray[np.int64]:
        return self.csr.indptr

    @property
    def indices(self) -> NDArray[np.int32]:
        return self.csr.indices

    @property
    def values(self) -> NDArray[np.float32]:
        return self.csr.values

    def row(self, i: int) -> Row:
        """Give one example's features, as views."""
        return self.csr.row(i)

    @property
    def stats(self) -> Stats:
        """The four numbers of ``tbl:datasets``."""
        n = len(self)
        positive = float(np.count_nonzero(self.labels == 1)) / n
        return Stats(n, len(self.values) / n, self.n_features, min(positive, 1 - positive))
