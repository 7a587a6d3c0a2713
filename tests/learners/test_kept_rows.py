"""The rows that are kept: the newest, and margins that are asked for once."""

import numpy as np

from askance.learners.kept_rows import KEPT, KeptRows
from askance.sparse import from_dense, rows_of


def rows(start, stop):
    return from_dense(np.arange(start, stop, dtype=float)[:, None])


def test_the_newest_are_kept_and_only_unknown_margins_are_asked_for():
    kept, asked = KeptRows(), []

    def negative(X):
        asked.append(X.shape[0])
        return -X.toarray()[:, 0]

    kept.extend(rows_of(rows(1, KEPT + 1)), np.full(KEPT, np.nan))
    assert kept.margins_by(negative).tolist() == [-float(i) for i in range(1, KEPT + 1)]
    kept.extend(rows_of(rows(KEPT + 1, KEPT + 4)), np.array([7.0, np.nan, 9.0]))
    found = kept.margins_by(negative)
    assert len(kept) == len(found) == KEPT
    assert kept.matrix().toarray()[:, 0].tolist() == [float(i) for i in range(4, KEPT + 4)]
    assert found[-3:].tolist() == [7.0, -float(KEPT + 2), 9.0]
    assert found[0] == -4.0
    assert asked == [KEPT, 1]
    kept.forget_margins()
    assert kept.margins_by(negative)[-1] == -float(KEPT + 3)
    assert asked == [KEPT, 1, KEPT]


def test_others_take_their_place():
    kept = KeptRows()
    kept.extend(rows_of(rows(1, 5)), np.ones(4))
    kept.replace(rows(10, 12))
    assert kept.matrix().toarray()[:, 0].tolist() == [10.0, 11.0]
    assert np.isnan(kept.margins).all()
    assert len(kept.margins) == 2
