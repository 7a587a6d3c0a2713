import numpy as np
import pytest

from askance.data.features.column_features import column_entries, column_kind, column_names
from askance.data.features.columns import Objects, Struct, Words, assemble, values_of
from askance.data.features.indexers import Dictionary
from askance.data.features.naming import Naming
from askance.sparse import rows_of

NAMING = Naming(frozenset({"body"}), 2)
COLUMNS = {
    "age": np.array([1.0, np.nan, 0.0]),
    "job": Words(np.array([1, -1, 0], dtype=np.int32), ["clerk", "baker", "unused"]),
    "body": Words(np.array([0, 0, -1], dtype=np.int32), ["a b"]),
    "tags": Objects([["x", "y"], None, []]),
    "user": Struct({"age": np.array([np.nan, 2.0, 3.0])}),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_a_column_gives_the_features_of_its_values(name):
    column = COLUMNS[name]
    by_value = [list(NAMING.features(name, value)) for value in values_of(column)]
    names = {feature for features in by_value for feature, _ in features}
    assert set(column_names(name, column, NAMING)) == names
    index = Dictionary(names)
    entries = list(column_entries(name, column, NAMING, index))
    rows = rows_of(assemble(entries, 3).matrix(len(names)))
    for row, features in zip(rows, by_value, strict=True):
        found = [(index.name_of(i), v) for i, v in zip(row.indices, row.values, strict=True)]
        assert found == sorted((feature, value) for feature, value in features if value)


def test_what_a_column_holds():
    kinds = {name: column_kind(column) for name, column in COLUMNS.items()}
    assert kinds == {
        "age": "number",
        "job": "string",
        "body": "string",
        "tags": "list",
        "user": "mapping",
    }
    assert column_kind(np.array([np.nan])) is None
    assert column_kind(Objects([None])) is None
    assert column_kind(Words(np.array([-1], dtype=np.int32), [])) is None
