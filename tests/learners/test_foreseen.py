"""Scores of rows that come next: found again for the same rows, and for no others."""

import numpy as np
import pytest

from askance.learners.foreseen import Foreseen
from askance.sparse import from_dense

X = np.array([[1.0, 0.0], [0.0, 2.0], [3.0, 4.0], [0.0, 0.0]])
SHARES = np.arange(8.0).reshape(4, 2)


def test_the_next_rows_are_known_until_they_have_had_their_turn():
    foreseen = Foreseen()
    assert len(foreseen) == 0
    foreseen.keep(from_dense(X), SHARES)
    for start in range(4):
        assert len(foreseen) == 4 - start
        for stop in range(start, 5):
            found = foreseen.of(from_dense(X[start:stop]))
            np.testing.assert_array_equal(found, SHARES[start:stop])
        foreseen.drop(1)
    assert len(foreseen) == 0
    assert foreseen.of(from_dense(X[:1])) is None


@pytest.mark.parametrize(
    "other",
    [
        X[1:],
        np.array([[1.5, 0.0]]),
        np.array([[0.0, 1.0]]),
        np.array([[1.0, 1.0]]),
        np.vstack([X, X]),
    ],
    ids=["later", "value", "column", "more", "too many"],
)
def test_other_rows_are_not_known(other):
    foreseen = Foreseen()
    foreseen.keep(from_dense(X), SHARES)
    assert foreseen.of(from_dense(other)) is None


def test_nothing_is_known_of_another_classifier():
    foreseen = Foreseen()
    foreseen.keep(from_dense(X), SHARES)
    foreseen.clear()
    assert foreseen.of(from_dense(X)) is None
