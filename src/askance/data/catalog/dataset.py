"""A data set in memory: sparse rows and their labels, with the four numbers that describe it."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from askance.types import Integers, Matrix

__all__ = ["Dataset", "Dimensions"]


class Dimensions(NamedTuple):
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
    """Sparse rows and their labels, -1 or +1; of ``n_classes`` of them, codes from 0 on.

    >>> from askance.sparse import from_dense
    >>> rows = from_dense(np.array([[0.0, 0.0, 1.0], [0.5, 4.0, 0.0]]))
    >>> two = Dataset("two", rows, np.array([1, -1], dtype=np.int8))
    >>> two.dimensions
    Dimensions(n=2, s=1.5, d=3, r=0.5)
    """

    name: str
    csr: Matrix
    labels: Integers
    n_classes: int | None = None

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def n_features(self) -> int:
        return int(self.csr.shape[1])

    @property
    def dimensions(self) -> Dimensions:
        """The four numbers of ``tbl:datasets``; the minority is all but the largest class."""
        n = len(self)
        if self.n_classes is not None:
            minority = 1 - float(np.bincount(self.labels).max()) / n
        else:
            positive = float(np.count_nonzero(self.labels == 1)) / n
            minority = min(positive, 1 - positive)
        return Dimensions(n, self.csr.nnz / n, self.n_features, minority)
