import numpy as np
import scipy.sparse

from askance.data.catalog.columns_to_rows import Design
from askance.data.csr import Csr, stacked
from askance.data.features.columns import Words


def test_values_are_stripped_sorted_and_dropped():
    words = Words(np.array([0, 1, 2, 3, -1], dtype=np.int32), [" b", "a", "?", "b "])
    data = Design().one_hot(words, drop=("?",)).labelled(np.array([True] * 5))
    assert data.n_features == 2
    assert [row.indices.tolist() for row in data.csr.rows()] == [[1], [0], [], [1], []]


def test_missing_numbers_give_no_feature():
    data = Design().numbers(np.array([np.nan, 2.0])).labelled(np.array([False, True]))
    assert [row.values.tolist() for row in data.csr.rows()] == [[], [2.0]]
    assert data.labels.tolist() == [-1, 1]


def test_parts_on_top_of_each_other_are_scipys_vstack():
    random = np.random.default_rng(0)
    parts = [scipy.sparse.csr_array(random.integers(0, 2, (n, 4)) * 1.5) for n in (3, 0, 5)]
    ours = stacked([Csr(p.indptr.astype(np.int64), p.indices, p.data) for p in parts])
    theirs = scipy.sparse.vstack(parts, format="csr")
    assert ours.indptr.tolist() == theirs.indptr.tolist()
    assert ours.indices.tolist() == theirs.indices.tolist()
    assert ours.values.tolist() == theirs.data.tolist()
