"""What rows without labels teach: centres and sizes of numbers, and how common words are.

The first rows, asked about or not, say once how every later value is scaled:

=============================  ============  =================================================
feature                        centre        spread
=============================  ============  =================================================
number of a column             their mean    their standard deviation; 1 if they are all alike
sparse feature                 0             root mean square of the values that are not 0
word of a text column          0             1 at a word not seen, larger the commoner it is
=============================  ============  =================================================

A value x becomes (x - centre) / spread. A missing number still gives no feature: it counts as the
mean. Sparse are numbers that are zero or missing in more than half of the rows, all that stands in
a namespace, and whatever comes as LIBSVM text, VW text or sparse matrices.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from askance.data.features.indexers import hashes_of
from askance.errors import InvalidParameter
from askance.sparse import canonical_csr
from askance.types import Floats, Integers, Matrix, State
from askance.validation import saved_array, saved_number, saved_part, saved_whole

__all__ = [
    "SCALE_ROWS",
    "Scales",
    "common_spread",
    "is_sparse",
    "matrix_terms",
    "moments",
    "scaled",
    "sparse_sizes",
]

SCALE_ROWS = 1000
"""Rows that teach."""


class Scales:
    """Centres by name, and spreads by column.

    A hashed feature has the spread of its column. Only a number of a column, of which there are
    few, is centred, and has its own whatever else is hashed to its column.

    Parameters
    ----------
    rows
        How many rows taught it.
    centred
        Centre and spread of the features that are centred.
    columns, spreads
        The columns whose features have a spread other than 1, in order.

    Examples
    --------
    >>> scales = Scales(3, {"age": (40.0, 10.0)}, np.array([7]), np.array([2.0]))
    >>> scaled(np.array([30.0, 6.0]), *scales.terms(["age", "tags=red"], np.array([3, 7]))).tolist()
    [-1.0, 3.0]
    """

    def __init__(
        self,
        rows: int,
        centred: dict[str, tuple[float, float]],
        columns: Integers,
        spreads: Floats,
    ) -> None:
        self.rows, self._centred = rows, centred
        self._columns, self._spreads = columns, spreads
        hashes = hashes_of(list(centred))
        order = np.argsort(hashes)
        # None may be found beyond the last, so there is one more.
        self._hashes = np.append(hashes[order], -1)
        self._by_hash = np.array([*centred.values(), (0.0, 1.0)])[np.append(order, len(order))]

    def terms(self, names: Sequence[str], columns: Integers) -> tuple[Floats, Floats]:
        """The centre and the spread of each of some features, which have these columns."""
        centres, spreads = np.zeros(len(names)), self._spreads_of(columns)
        for k, name in enumerate(names):
            if name in self._centred:
                centres[k], spreads[k] = self._centred[name]
        return centres, spreads

    def terms_of_hashes(
        self, hashes: NDArray[np.int64], columns: Integers
    ) -> tuple[Floats, Floats]:
        """The same of features that are known by the hashes of their names."""
        at = np.searchsorted(self._hashes[:-1], hashes)
        is_centred = self._hashes[at] == hashes
        centres, spreads = self._by_hash[np.where(is_centred, at, -1)].T
        return centres, np.where(is_centred, spreads, self._spreads_of(columns))

    def _spreads_of(self, columns: Integers) -> Floats:
        if not len(self._columns):
            return np.ones(len(columns))
        at = np.minimum(np.searchsorted(self._columns, columns), len(self._columns) - 1)
        return np.where(self._columns[at] == columns, self._spreads[at], 1.0)

    def get_state(self) -> State:
        return {
            "rows": self.rows,
            "centred": {name: list(terms) for name, terms in self._centred.items()},
            "columns": self._columns,
            "spreads": self._spreads,
        }

    @classmethod
    def from_state(cls, state: State, n_features: int) -> "Scales":
        """Bring back what a file has, which anybody may have written."""
        centred: dict[str, tuple[float, float]] = {}
        for name, terms in saved_part(state, "centred", dict).items():
            centre, spread = terms
            known = {"centre": centre, "spread": spread}
            centred[name] = (saved_number(known, "centre", -math.inf), _saved_spread(known))
        columns = saved_array(state, "columns", "i").astype(np.int64)
        spreads = saved_array(state, "spreads", "f", len(columns)).astype(np.float64)
        if len(columns) and not (
            columns[0] >= 0 and columns[-1] < n_features and (np.diff(columns) > 0).all()
        ):
            raise InvalidParameter(
                f"saved columns must increase, from 0 to {n_features - 1}, got others"
            )
        if not (spreads > 0.0).all():
            raise InvalidParameter("saved spreads must be positive, got others")
        return cls(saved_whole(state, "rows"), centred, columns, spreads)


def _saved_spread(state: State) -> float:
    spread = saved_number(state, "spread")
    if not spread:
        raise InvalidParameter("a saved spread must be positive, got 0")
    return spread


def scaled(values: Floats, centres: Floats | float, spreads: Floats | float) -> NDArray[np.float64]:
    """The one formula: (x - centre) / spread.

    >>> scaled(np.array([30.0]), np.array([40.0]), np.array([5.0])).tolist()
    [-2.0]
    """
    # What is too large becomes infinite, and is refused where values must be finite.
    with np.errstate(over="ignore", invalid="ignore"):
        return np.asarray((values - centres) / spreads, np.float64)


def is_sparse(nonzero: Any, rows: int) -> Any:
    """Whether numbers that are not zero in so many of the rows count as sparse.

    >>> is_sparse(499, 1000), is_sparse(500, 1000)
    (True, False)
    """
    return 2 * nonzero < rows


def matrix_terms(X: Matrix | Floats) -> tuple[Floats, Floats]:
    """The centre and the spread of each column of a matrix; a sparse one has no centres.

    >>> rows = np.array([[1.0, 0.0], [3.0, 0.0], [5.0, 4.0]])
    >>> [part.round(3).tolist() for part in matrix_terms(rows)]
    [[3.0, 0.0], [1.633, 4.0]]
    """
    entries = canonical_csr(X)
    centres, spreads = np.zeros(X.shape[1]), np.ones(X.shape[1])
    columns, found = sparse_sizes(entries.indices, entries.data)
    spreads[columns] = found
    if isinstance(X, np.ndarray) and len(X):
        dense = ~is_sparse(np.count_nonzero(X, axis=0), len(X))
        centres[dense], spreads[dense] = moments(X[:, dense])
    return centres, spreads


def moments(values: Floats) -> tuple[Floats, Floats]:
    """The mean and the standard deviation along the first axis; 1 for what is constant.

    >>> [terms.tolist() for terms in moments(np.array([[1.0, 7.0], [3.0, 7.0]]))]
    [[2.0, 7.0], [1.0, 1.0]]
    """
    with np.errstate(over="ignore", invalid="ignore"):
        means, spreads = values.mean(axis=0), values.std(axis=0)
    # The mean of equal numbers may be off in its last place, and they must not seem to vary.
    noise = len(values) * np.finfo(np.float64).eps * np.abs(values).max(axis=0)
    usable = np.isfinite(means) & np.isfinite(spreads)
    vary = usable & (spreads > noise)
    centres = np.where(vary, means, np.where(usable, values[0], 0.0))
    return centres, np.where(vary, spreads, 1.0)


def sparse_sizes(columns: Integers, values: Floats) -> tuple[Integers, Floats]:
    """The columns that occur, and the root mean square of their values that are not zero.

    >>> [part.tolist() for part in sparse_sizes(np.array([2, 2, 5]), np.array([1.0, 7.0, 0.0]))]
    [[2], [5.0]]
    """
    kept = values != 0.0
    found, places = np.unique(columns[kept], return_inverse=True)
    with np.errstate(over="ignore", invalid="ignore"):
        squares = np.bincount(places, values[kept] ** 2, len(found))
        size = np.sqrt(squares / np.bincount(places, minlength=len(found)))
    return found, np.where(np.isfinite(size) & (size > 0.0), size, 1.0)


def common_spread(rows: int, with_word: Integers) -> Floats:
    r"""The spread of a word that stands in some of the rows, by its inverse document frequency.

    .. math:: \frac{1 + \ln(1 + n)}{1 + \ln\frac{1 + n}{1 + d}}

    It is the smooth frequency of scikit-learn, as a share of that of a word not seen: so a rare
    word counts 1, as a category does, and a common one less.

    >>> common_spread(1000, np.array([0, 1000])).round(3).tolist()
    [1.0, 7.909]
    """
    return np.asarray((1.0 + math.log(1 + rows)) / (1.0 + np.log((1 + rows) / (1 + with_word))))
