"""What a classifier looks at, where it has no weights to show."""

from typing import NamedTuple

import numpy as np

from askance.exports.classifier import names_by_column
from askance.live import ActiveLearner
from askance.sparse import canonical_csr, from_parts
from askance.types import Floats, Integers, Matrix, State

__all__ = ["Importance", "permutation_importances"]

MOST_ROWS = 500
"""Rows over which the change is averaged, at most."""

MOST_FEATURES = 2000
"""Features that are tried, those that most rows have."""


class Importance(NamedTuple):
    """How far the probability moves on average where a feature is shuffled.

    ``feature`` is ``#`` and the ``column``'s number where the name is not known, ``shared_with``
    are the other names that hashing put there.
    """

    feature: str
    column: int
    change: float
    shared_with: tuple[str, ...]

    def plain(self) -> State:
        return self._asdict() | {"shared_with": list(self.shared_with)}


def permutation_importances(live: ActiveLearner, *, seed: int = 0) -> list[Importance]:
    """The permutation importance of features, the largest first.

    Each feature's values are shuffled among at most 500 rows that the learner keeps, asked about or
    not, and the mean absolute change of the probability is noted. So it says what the classifier
    looks at; whether that is right, only labels could say. At most 2,000 features are tried, and
    those that change nothing are left out.

    Parameters
    ----------
    live
        Any learner that gives probabilities. One that keeps no rows is tried on those it bought
        labels for.
    seed
        Of the rows and of the order in which values are dealt out again.

    Examples
    --------
    >>> live = ActiveLearner("auto", n_features=2, random_state=0)
    >>> for i in range(40):
    ...     question = live.ask([i % 2, i % 3])
    ...     if question.wanted:
    ...         live.tell(question, 1 if i % 2 else -1)
    >>> [one.feature for one in permutation_importances(live)][0]
    '0'
    """
    rng = np.random.default_rng(seed)
    rows = _rows(live)
    if rows.shape[0] > MOST_ROWS:
        rows = rows[np.sort(rng.choice(rows.shape[0], MOST_ROWS, replace=False))]
    seen, counts = np.unique(rows.indices, return_counts=True)
    columns = seen[np.argsort(-counts, kind="stable")[:MOST_FEATURES]].tolist()
    before = live.probabilities(rows)
    by_column = rows.tocsc()
    changes: dict[int, float] = {}
    for column in columns:
        values = by_column[:, [column]].toarray().ravel()
        dealt = rng.permutation(values)
        moved = np.flatnonzero(dealt != values)
        if len(moved):
            after = live.probabilities(_replaced(rows[moved], column, dealt[moved]))
            # Of several classes, what one gains the others lose.
            total = float(np.sum(abs(after - before[moved]))) / (1 if before.ndim == 1 else 2)
            changes[column] = total / rows.shape[0]
    names = names_by_column(live, [column for column, change in changes.items() if change > 0])
    found = [
        Importance(first, column, changes[column], tuple(others))
        for column, (first, *others) in ((column, list(known)) for column, known in names.items())
    ]
    return sorted(found, key=lambda one: (-one.change, one.column))


def _rows(live: ActiveLearner) -> Matrix:
    kept: Matrix | None = getattr(live.learner, "kept_rows", None)
    return live.weighted_sample().X if kept is None or not kept.shape[0] else kept


def _replaced(X: Matrix, column: int, values: Floats) -> Matrix:
    """The same rows with other values in one column."""
    others = X.indices != column
    owners: Integers = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    rows = np.concatenate([owners[others], np.arange(X.shape[0])])
    order = np.argsort(rows, kind="stable")
    indices = np.concatenate([X.indices[others], np.full(X.shape[0], column)])[order]
    data = np.concatenate([X.data[others], values])[order]
    starts = np.searchsorted(rows[order], np.arange(X.shape[0] + 1))
    return canonical_csr(from_parts(starts, indices, data, X.shape[1]))
