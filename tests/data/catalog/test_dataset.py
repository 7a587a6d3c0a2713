import numpy as np
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from askance.data.catalog.dataset import Dataset, Dimensions
from askance.sparse import rows_of


@given(
    st.lists(st.tuples(st.lists(st.booleans(), min_size=3, max_size=3), st.booleans()), min_size=1)
)
def test_the_four_numbers_and_the_rows_are_those_of_the_dense_matrix(examples):
    dense = np.array([x for x, _ in examples], dtype=float)
    labels = np.array([1 if y else -1 for _, y in examples], dtype=np.int8)
    data = Dataset("any", scipy.sparse.csr_array(dense.astype(np.float32)), labels)
    share = float(np.mean(labels == 1))
    assert data.dimensions == Dimensions(
        len(dense), dense.sum() / len(dense), 3, min(share, 1 - share)
    )
    for i, row in enumerate(rows_of(data.csr)):
        assert row.indices.tolist() == np.flatnonzero(dense[i]).tolist()
