import string

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from vw_lines import to_vw

from askance.data.features import FeatureMap
from askance.data.features.indexers import Hashing
from askance.data.reading.readers import Batch, Record, read, read_batches
from askance.errors import BadRecord, InvalidParameter
from askance.sparse import rows_of
from askance.types import Row

name = st.text(string.ascii_letters + " :|%^=é\t", max_size=4)
number = st.one_of(st.integers(-(2**20), 2**20), st.floats(-(2.0**70), 2.0**70, width=32))
word = st.text(max_size=5)
simple = {
    "age": number,
    "big": st.floats(allow_nan=False, allow_infinity=False, min_value=-1e38, max_value=1e38),
    "smoker": st.booleans(),
    "job": word,
    "body": st.text(string.ascii_letters + " .", max_size=20),
    "tags": st.lists(word, max_size=3),
    "vector": st.lists(st.floats(-10, 10), max_size=3),
    "user": st.fixed_dictionaries(
        {"age": st.none() | number, "job": st.none() | word, "bio": st.none() | word}
    ),
}
record = st.fixed_dictionaries({key: st.none() | value for key, value in simple.items()})
records = st.lists(record, min_size=1, max_size=8)
free = st.dictionaries(name, st.one_of(number, word, st.dictionaries(name, number, max_size=3)))
quick = settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None
)


def maps():
    """A map with few columns, so that features collide; and one with enough for each."""
    for bits in (3, 20):
        yield FeatureMap(Hashing(bits), text=["body", "user^bio"], ngrams=2)


def rows(csr):
    return [(row.indices.tolist(), row.values.tolist()) for row in rows_of(csr)]


@quick
@given(st.lists(free, min_size=1, max_size=5))
def test_records_to_vw_text_and_back_give_the_same_rows(tmp_path, given_records):
    path = tmp_path / "a.vw"
    for features in maps():
        plain = [dict(r) for r in given_records]
        try:
            direct = features.encode_many(plain)
        except BadRecord:  # One column with numbers here and strings there.
            return
        lines = [
            to_vw(features.features(fields), label=1, tag=f"id {i}")
            for i, fields in enumerate(plain)
        ]
        path.write_bytes("".join(line + "\n" for line in lines).encode())
        (batch,) = read_batches(path)
        assert batch.ids == [f"id {i}" for i in range(len(plain))]
        assert rows(features.encode_batch(batch)) == rows(direct)
        assert rows(features.encode_many(read(path))) == rows(direct)


@quick
@given(records)
def test_records_to_parquet_and_back_give_the_same_rows(tmp_path, given_records):
    path = tmp_path / "a.parquet"
    types = {
        "age": pa.float64(),
        "big": pa.float64(),
        "smoker": pa.bool_(),
        "job": pa.string(),
        "body": pa.string(),
        "tags": pa.list_(pa.string()),
        "vector": pa.list_(pa.float64()),
        "user": pa.struct([("age", pa.float64()), ("job", pa.string()), ("bio", pa.string())]),
    }
    pq.write_table(pa.Table.from_pylist(given_records, pa.schema(list(types.items()))), path)
    for features in maps():
        direct = rows(features.encode_many(given_records))
        (batch,) = read_batches(path)
        assert rows(features.encode_batch(batch)) == direct
        assert rows(features.encode_many(read(path))) == direct


@quick
@given(records)
def test_a_fitted_map_has_one_column_for_each_name(given_records):
    features = FeatureMap.fit(given_records, text=["body"])
    names = {n for r in given_records for n, _ in features.features(r)}
    assert [features.name_of(i) for i in range(features.n_features)] == sorted(names)
    for fields, row in zip(
        given_records, rows_of(features.encode_many(given_records)), strict=True
    ):
        sums: dict[str, float] = {}
        for feature, value in features.features(fields):
            sums[feature] = sums.get(feature, 0.0) + float(np.float32(value))
        found = {features.name_of(i): v for i, v in zip(*map(np.ndarray.tolist, row), strict=True)}
        assert found == {n: np.float32(v) for n, v in sums.items() if np.float32(v)}


@quick
@given(records)
def test_fitting_by_columns_equals_fitting_by_records(tmp_path, given_records):
    path = tmp_path / "a.csv"
    keys = ("age", "job", "smoker")
    lines = [",".join(_csv_field(r[key]) for key in keys) for r in given_records]
    path.write_text("age,job,smoker\n" + "\n".join(lines) + "\n", newline="")
    by_columns = FeatureMap.fit(read_batches(path, strings=["job"]))
    by_records = FeatureMap.fit(read(path, strings=["job"]))
    assert by_columns.get_state() == by_records.get_state()
    assert rows(by_columns.encode_many(read(path, strings=["job"]))) == [
        row for b in read_batches(path, strings=["job"]) for row in rows(by_columns.encode_batch(b))
    ]


def _csv_field(value):
    if value is None:
        return ""
    return f'"{value.replace(chr(34), "")}"' if isinstance(value, str) else str(value).lower()


def test_a_hashed_column_holds_the_signed_value_of_its_name():
    features = FeatureMap(Hashing(20))
    row = features.encode({"age": 39.5, "job": "clerk", "nothing": None, "zero": 0})
    assert sorted(np.abs(row.values).tolist()) == [1.0, 39.5]
    assert {features.name_of(i) for i in row.indices} == {"age", "job=clerk"}
    assert features.n_features == 2**20
    assert features.name_of(int(set(range(9)).difference(row.indices).pop())).startswith("#")


@pytest.mark.parametrize("fitted", [True, False])
def test_a_map_comes_back_from_its_state(fitted):
    source = [{"age": 1, "body": "a b c", "tags": ["x"]}, {"age": 2, "body": "c", "tags": []}]
    features = (
        FeatureMap.fit(source, ["body"], 2) if fitted else FeatureMap(Hashing(9), ["body"], 2)
    )
    before = rows(features.encode_many(source))
    again = FeatureMap()
    again.set_state(features.get_state())
    assert rows(again.encode_many(source)) == before
    assert [again.name_of(i) for i in range(again.n_features)] == [
        features.name_of(i) for i in range(features.n_features)
    ]
    with pytest.raises(BadRecord):
        again.encode({"age": "old"})


def test_an_unknown_column_is_an_error_and_an_unknown_value_is_no_feature():
    features = FeatureMap.fit([{"age": 1, "job": "clerk", "user": {"x": 1}}])
    assert features.encode({"job": "baker", "age": 5, "user": {"y": 2}}).indices.tolist() == [0]
    assert features.encode({"age": 5}).indices.tolist() == [0]
    with pytest.raises(BadRecord) as caught:
        features.encode(Record("r7", None, {"age": 1, "colour": "red"}))
    assert str(caught.value) == (
        "record r7 has a column 'colour' that is not known, known are age, job"
    )


@pytest.mark.parametrize("fitted", [True, False])
def test_a_column_that_changes_its_kind_is_an_error(fitted):
    features = FeatureMap.fit([{"age": 1}]) if fitted else FeatureMap()
    features.encode({"age": 39})
    features.encode({"age": None})
    with pytest.raises(BadRecord) as caught:
        features.encode(Record("r8", None, {"age": "forty"}))
    assert str(caught.value) == (
        "record r8 has a string in column 'age', where a number was expected as before"
    )


@pytest.mark.parametrize("value", [5, "clerk", [1.0]])
def test_a_fitted_column_that_turns_into_a_mapping_is_an_error(tmp_path, value):
    features = FeatureMap.fit([{"age": value, "user": {"x": 1}}])
    sentence = r"record .* has a mapping in column 'age', where a (number|string|list) was expected"
    with pytest.raises(BadRecord, match=sentence):
        features.encode({"age": {"years": 5}})
    pq.write_table(pa.table({"age": [{"years": 5}]}), tmp_path / "a.parquet")
    (batch,) = read_batches(tmp_path / "a.parquet")
    with pytest.raises(BadRecord, match=sentence):
        features.encode_batch(batch)
    assert len(features.encode({"user": {"x": 2}}).indices) == 1


def test_json_lines_that_change_type_half_way_are_refused(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"age": 1}\n' * 3000 + '{"age": "x"}\n')
    features = FeatureMap()
    rest = map(features.encode_batch, read_batches(path))
    with pytest.raises(BadRecord, match="record 3001 has a string in column 'age'"):
        list(rest)


@pytest.mark.parametrize("value", [float("inf"), 1e300, -1e39])
def test_a_value_beyond_single_precision_is_an_error(value):
    with pytest.raises(BadRecord, match=r"feature 'age' is .*, a finite number was expected"):
        FeatureMap().encode({"age": value})


@pytest.mark.parametrize("nothing", [None, float("nan"), np.float32("nan"), [], {}])
def test_a_missing_value_gives_no_feature(nothing):
    assert len(FeatureMap().encode({"age": nothing}).indices) == 0


def test_a_foreign_type_is_an_error():
    with pytest.raises(BadRecord, match="column 'when' has a value of type bytes, expected"):
        FeatureMap().encode({"when": b"today"})


@pytest.mark.parametrize(
    "make",
    [lambda: Hashing(0), lambda: Hashing(31), lambda: Hashing(5, -1), lambda: FeatureMap(ngrams=0)],
)
def test_settings_outside_their_range_are_refused(make):
    with pytest.raises(InvalidParameter, match="must be"):
        make()


def test_numbered_features_keep_their_numbers_or_are_hashed(tmp_path):
    path = tmp_path / "a.svm"
    path.write_bytes(b"1 1:0.5 4:2\n-1 2:1\n")
    fitted = FeatureMap.fit(read_batches(path))
    assert fitted.n_features == 4
    assert rows(fitted.encode_many(read(path))) == [([0, 3], [0.5, 2.0]), ([1], [1.0])]
    assert fitted.encode(Row(np.array([1, 9]), np.array([3.0, 1.0]))).indices.tolist() == [1]
    again = FeatureMap()
    again.set_state(fitted.get_state())
    assert again.name_of(3) == "3"
    hashed = FeatureMap(Hashing(16))
    (batch,) = read_batches(path)
    row = next(rows_of(hashed.encode_batch(batch)))
    assert {hashed.name_of(i) for i in row.indices} == {"0", "3"}
    with pytest.raises(BadRecord, match="are mixed"):
        hashed.encode_many([{"a": 1}, Row(np.array([1]), np.array([1.0]))])


def test_a_vw_file_can_be_read_twice_to_fit(tmp_path):
    path = tmp_path / "a.vw"
    path.write_bytes(b"1 |n a:2 b\n-1 |n c | d\n")
    features = FeatureMap.fit(read_batches(path))
    assert [features.name_of(i) for i in range(4)] == ["d", "n^a", "n^b", "n^c"]
    (batch,) = read_batches(path)
    assert rows(features.encode_batch(batch)) == [([1, 2], [2.0, 1.0]), ([0, 3], [1.0, 1.0])]


def test_what_no_file_can_hold_is_refused(refused):
    with refused(BadRecord, "feature 'a=\\ud800' contains half a character"):
        FeatureMap().encode({"a": "\ud800"})
    with refused(BadRecord, "column 'a' has a whole number with 1,329 bits"):
        FeatureMap().encode({"a": 10**400})


def test_no_rows_of_a_table_are_encoded_as_no_rows():
    features = FeatureMap.fit([{"age": 39}])
    found = features.encode_batch(Batch([], np.zeros(0, np.int8), {"age": np.zeros(0)}))
    assert found.shape == (0, 1)


def test_a_map_aside_encodes_the_same_and_may_remember_no_names():
    features = FeatureMap()
    record = {"job": "clerk"}
    assert (
        features.aside(names=False).encode(record).indices == features.encode(record).indices
    ).all()
    features.aside(names=False).encode({"job": "baker"})
    assert list(features.known()[0]) == ["job=clerk"]
