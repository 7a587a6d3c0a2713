import pickle

import numpy as np

from askance.data.catalog.dataset import Dataset
from askance.data.catalog.prepared import open_prepared, write_prepared
from askance.sparse import from_parts


def test_a_data_set_comes_back_as_it_was_and_can_be_sent_to_a_worker(tmp_path):
    values = np.array([0.5, -2.0, 1e-20], dtype=np.float32)
    indices = np.array([1, 4, 0], dtype=np.int32)
    csr = from_parts(np.array([0, 2, 2, 3]), indices, values, width=5)
    labels = np.array([1, -1, 1], dtype=np.int8)
    write_prepared(Dataset("three", csr, labels), tmp_path / "three")
    mapped = open_prepared("three", tmp_path / "three")
    for data in (mapped, pickle.loads(pickle.dumps(mapped))):
        assert (data.name, data.n_features, len(data)) == ("three", 5, 3)
        for ours, theirs in (
            (data.csr.indptr, csr.indptr),
            (data.csr.indices, csr.indices),
            (data.csr.data, csr.data),
            (data.labels, labels),
        ):
            assert ours.dtype == theirs.dtype
            assert ours.tolist() == theirs.tolist()
