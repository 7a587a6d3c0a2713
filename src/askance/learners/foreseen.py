"""Rows that were scored before their turn, so that nobody scores them again."""

import numpy as np

from askance.sparse import empty
from askance.types import Floats, Matrix

__all__ = ["Foreseen"]


class Foreseen:
    """Probabilities of the classes for the rows that come next; it saves time and changes no bit.

    >>> from askance.sparse import as_matrix
    >>> foreseen = Foreseen()
    >>> foreseen.keep(as_matrix([[1.0], [2.0]]), np.array([[0.5, 0.5], [0.3, 0.7]]))
    >>> foreseen.drop(1)
    >>> foreseen.of(as_matrix([[2.0]])), foreseen.of(as_matrix([[1.0]]))
    (array([[0.3, 0.7]]), None)
    """

    def __init__(self) -> None:
        self.clear()

    def __len__(self) -> int:
        return len(self._shares)

    def clear(self) -> None:
        """Know nothing, since another classifier serves."""
        self._rows: Matrix = empty()
        self._shares: Floats = np.zeros((0, 2))

    def keep(self, X: Matrix, shares: Floats) -> None:
        """Keep the scores of the rows that come next, in place of all others."""
        self._rows, self._shares = X, shares

    def of(self, X: Matrix) -> Floats | None:
        """Probabilities of rows that were scored already, if they come next."""
        known, n = self._rows, X.shape[0]
        if n <= known.shape[0] and np.array_equal(X.indptr, known.indptr[: n + 1]):
            places = slice(0, X.indptr[-1])
            if np.array_equal(X.indices, known.indices[places]) and np.array_equal(
                X.data, known.data[places]
            ):
                return self._shares[:n]
        return None

    def drop(self, n: int) -> None:
        """Drop the first rows, which have had their turn."""
        if n < len(self):
            self._rows, self._shares = self._rows[n:], self._shares[n:]
        else:
            self.clear()
