import numpy as np

from askance.data.catalog.design_matrix import DesignMatrix
from askance.data.features.columns import Words
from askance.sparse import rows_of


def test_values_are_stripped_sorted_and_dropped():
    words = Words(np.array([0, 1, 2, 3, -1], dtype=np.int32), [" b", "a", "?", "b "])
    data = DesignMatrix().one_hot(words, drop=("?",)).labelled(np.array([True] * 5))
    assert data.n_features == 2
    assert [row.indices.tolist() for row in rows_of(data.csr)] == [[1], [0], [], [1], []]


def test_missing_numbers_give_no_feature():
    data = DesignMatrix().numbers(np.array([np.nan, 2.0])).labelled(np.array([False, True]))
    assert [row.values.tolist() for row in rows_of(data.csr)] == [[], [2.0]]
    assert data.labels.tolist() == [-1, 1]
