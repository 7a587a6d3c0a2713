import numpy as np

from askance.data.features.columns import Words
from askance.data.features.records import Batch, Record


def test_a_batch_of_columns_gives_its_records():
    columns = {
        "age": np.array([1.0, np.nan]),
        "job": Words(np.array([-1, 0], dtype=np.int32), ["clerk"]),
    }
    batch = Batch(["a", "b"], np.array([0, -1], dtype=np.int8), columns)
    assert list(batch.records()) == [
        Record("a", None, {"age": 1.0, "job": None}),
        Record("b", -1, {"age": None, "job": "clerk"}),
    ]
    assert type(next(batch.records()).fields["age"]) is float
    assert [type(record.label) for record in batch.records()] == [type(None), int]
