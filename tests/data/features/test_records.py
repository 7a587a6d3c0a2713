import io

import numpy as np
import pytest
from scipy.sparse import csr_array

from askance.data.features.columns import Objects, Struct, Words
from askance.data.features.records import Batch, Record
from askance.data.text.vwtext import vw_batches


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


COLUMNS = {
    "age": np.array([1.0, np.nan, 3.0]),
    "job": Words(np.array([-1, 0, 0], dtype=np.int32), ["clerk"]),
    "tags": Objects([["a"], [], ["b"]]),
    "place": Struct({"x": np.array([0.0, 1.0, 2.0])}),
}
LINES = b"1 |a one:2 two\n-1 |b\n1 'c |a three:4\n"


@pytest.mark.parametrize("kind", ["columns", "objects", "tokens", "numbered"])
def test_some_records_of_a_batch_are_the_same_records(kind):
    content = {
        "columns": COLUMNS,
        "objects": [{"age": 1}, {}, {"age": 3}],
        "tokens": next(vw_batches(io.BytesIO(LINES), "lines")).tokens,
        "numbered": csr_array(np.array([[1.0, 0.0], [0.0, 0.0], [0.0, 3.0]])),
    }[kind]
    batch = Batch(["a", "b", "c"], np.array([0, 1, -1], np.int8), content)
    places = np.array([2, 0])
    whole, some = list(batch.records()), list(batch.take(places).records())
    assert list(map(str, some)) == [str(whole[i]) for i in places]
    assert list(map(str, batch.head(1).records())) == [str(whole[0])]
    assert batch.head(3) is batch
