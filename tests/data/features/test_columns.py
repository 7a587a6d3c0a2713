import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

from askance.data.features.columns import (
    Entries,
    Objects,
    Struct,
    Words,
    assemble,
    numbers_of,
    one_per_row,
    values_of,
    words_of,
)
from askance.errors import BadRecord

sizes = st.tuples(st.integers(1, 30), st.integers(0, 6), st.integers(0, 2**32 - 1))


@settings(deadline=None)
@given(sizes)
def test_columns_side_by_side_are_scipys_hstack(drawn):
    n, k, seed = drawn
    random = np.random.default_rng(seed)
    columns, blocks = [], []
    for j in range(k):
        block = random.integers(-1, 2, (n, 3)) * (j + 1.0)
        blocks.append(scipy.sparse.csr_array(block))
        sparse = blocks[-1]
        columns.append(
            Entries(
                sparse.indptr.astype(np.int64),
                (sparse.indices + 3 * j).astype(np.int32),
                sparse.data.astype(np.float32),
            )
        )
    ours = assemble(columns, n)
    theirs = scipy.sparse.hstack([scipy.sparse.csr_array((n, 0)), *blocks], format="csr")
    assert ours.indptr.tolist() == theirs.indptr.tolist()
    assert ours.indices.tolist() == theirs.indices.tolist()
    assert ours.values.tolist() == theirs.data.tolist()


@pytest.mark.usefixtures("compiled")
def test_many_rows_are_placed_like_few():
    n = 20_001
    csr = assemble([one_per_row(j, np.arange(n) % (j + 2)) for j in range(3)], n)
    dense = np.zeros((n, 3))
    rows = np.repeat(np.arange(n), np.diff(csr.indptr))
    dense[rows, csr.indices] = csr.values
    assert np.array_equal(dense, np.arange(n)[:, None] % np.array([2, 3, 4]))


def test_columns_as_python_values():
    words = Words(np.array([1, -1, 0], dtype=np.int32), ["a", "b"])
    numbers = np.array([1.5, np.nan, 0.0])
    assert values_of(Struct({"w": words, "x": numbers})) == [
        {"w": "b", "x": 1.5},
        {"w": None, "x": None},
        {"w": "a", "x": 0.0},
    ]
    assert values_of(Objects([[1], None])) == [[1], None]


def test_a_column_of_the_wrong_kind_is_refused():
    words = Words(np.array([0], dtype=np.int32), ["a"])
    with pytest.raises(BadRecord, match="a column of numbers was expected"):
        numbers_of(words)
    with pytest.raises(BadRecord, match="a column of words was expected"):
        words_of(np.array([1.0]))
