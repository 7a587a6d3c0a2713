import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from askance.data.catalog.dataset import Dataset, Stats
from askance.data.csr import Csr


@given(
    st.lists(st.tuples(st.lists(st.booleans(), min_size=3, max_size=3), st.booleans()), min_size=1)
)
def test_the_four_numbers_and_the_rows_are_those_of_the_dense_matrix(examples):
    dense = np.array([x for x, _ in examples], dtype=float)
    labels = np.array([1 if y else -1 for _, y in examples], dtype=np.int8)
    rows, columns = np.nonzero(dense)
    indptr = np.searchsorted(rows, np.arange(len(dense) + 1))
    csr = Csr(indptr, columns.astype(np.int32), np.ones(len(columns), dtype=np.float32))
    data = Dataset("any", 3, csr, labels)
    share = float(np.mean(labels == 1))
    assert data.stats == Stats(len(dense), dense.sum() / len(dense), 3, min(share, 1 - share))
    for i, row in enumerate(data.csr.rows()):
        assert row.indices.tolist() == np.flatnonzero(dense[i]).tolist()
        assert data.row(i).indices.tolist() == row.indices.tolist()
