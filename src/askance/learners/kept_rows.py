"""The newest rows of a stream, with their margins as far as they are known."""

import math
from collections import deque
from collections.abc import Callable, Iterable

import numpy as np

from askance.sparse import from_rows, rows_of
from askance.types import Floats, Matrix, Row

__all__ = ["KEPT", "KeptRows"]

KEPT = 2000
"""The newest rows that are kept, whatever their fate."""


class KeptRows:
    """Rows, and of each its margin by the classifier that serves; NaN where it is not known yet.

    >>> kept = KeptRows()
    >>> kept.replace(from_rows([Row(np.array([0]), np.array([float(i)])) for i in range(3000)]))
    >>> len(kept), kept.margins_by(lambda rows: rows.toarray()[:, 0])[0]
    (2000, np.float64(1000.0))
    """

    def __init__(self) -> None:
        self._rows: deque[Row] = deque(maxlen=KEPT)
        self.margins: deque[float] = deque(maxlen=KEPT)

    def __len__(self) -> int:
        return len(self._rows)

    def extend(self, rows: Iterable[Row], margins: Floats) -> None:
        """Keep these rows too, in place of the oldest."""
        self._rows.extend(rows)
        self.margins.extend(margins)

    def replace(self, rows: Matrix) -> None:
        """Keep these rows in place of all others; nothing is known of their margins."""
        self._rows = deque(rows_of(rows), KEPT)
        self.forget_margins()

    def forget_margins(self) -> None:
        """Know no margin, since another classifier serves."""
        self.margins = deque([math.nan] * len(self._rows), KEPT)

    def matrix(self) -> Matrix:
        """All of them."""
        return from_rows(list(self._rows))

    def margins_by(self, of: Callable[[Matrix], Floats]) -> Floats:
        """Those of all rows, ``of`` telling the ones that are not known yet."""
        unknown = [i for i, margin in enumerate(self.margins) if math.isnan(margin)]
        if unknown:
            found = of(from_rows([self._rows[i] for i in unknown])).tolist()
            for i, margin in zip(unknown, found, strict=True):
                self.margins[i] = margin
        return np.array(self.margins)
