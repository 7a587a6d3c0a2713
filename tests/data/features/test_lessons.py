import json
import math

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from vw_lines import to_vw

from askance.data.features import FeatureMap
from askance.data.features.indexers import Hashing, Numbered
from askance.data.features.records import Batch
from askance.data.features.scales import SCALE_ROWS
from askance.data.reading.intake import Intake, Reading
from askance.data.reading.readers import read, read_batches
from askance.errors import BadRecord, InvalidParameter
from askance.sparse import from_dense, rows_of

EACH = settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40, deadline=None
)


def table(rows, seed=0):
    """A column like any, one that is mostly zero, one with gaps, a constant one."""
    generator = np.random.default_rng(seed)
    sparse = np.where(generator.random(rows) < 0.1, generator.normal(4.0, 1.0, rows), 0.0)
    gaps = np.where(generator.random(rows) < 0.3, np.nan, generator.normal(9.0, 5.0, rows))
    return {
        "usual": generator.normal(-3.0, 0.5, rows),
        "rare": sparse,
        "gaps": gaps,
        "same": np.full(rows, 0.1),
    }


def batch_of(content):
    n = len(next(iter(content.values())))
    return Batch([str(i) for i in range(n)], np.zeros(n, np.int8), content)


def rows(csr):
    return [(row.indices.tolist(), row.values.tolist()) for row in rows_of(csr)]


def plain(scales):
    state = scales.get_state()
    return state | {name: state[name].tolist() for name in ("columns", "spreads")}


@pytest.mark.parametrize("count", [1, 40, SCALE_ROWS, SCALE_ROWS + 500])
def test_numpy_says_the_same_of_the_first_rows(count):
    columns = table(count)
    batch = batch_of(columns)
    features = FeatureMap.fit([batch]).learn_scales([batch])
    encoded = features.encode_batch(batch).toarray()
    names = list(features.known()[0])
    for j, name in enumerate(names):
        values = columns[name]
        first = values[:SCALE_ROWS][~np.isnan(values[:SCALE_ROWS])]
        if name == "rare":
            there = first[first != 0.0]
            expected = values / (np.sqrt(np.mean(there**2)) if len(there) else 1.0)
        else:
            spread = first.std() if np.ptp(first) else 1.0
            centre = first.mean() if np.ptp(first) else first[0]
            expected = np.where(np.isnan(values), 0.0, (values - centre) / spread)
        np.testing.assert_array_equal(encoded[:, j], expected.astype(np.float32), err_msg=name)
    assert not encoded[:, names.index("same")].any()
    assert features.scales.rows == min(count, SCALE_ROWS)


def test_what_comes_later_changes_nothing():
    columns = table(3 * SCALE_ROWS)
    first = {name: column[:SCALE_ROWS] for name, column in columns.items()}
    whole = FeatureMap().learn_scales([batch_of(columns)])
    assert plain(whole.scales) == plain(FeatureMap().learn_scales([batch_of(first)]).scales)
    less = FeatureMap().learn_scales([batch_of(columns)], rows=10)
    assert plain(less.scales) != plain(whole.scales)


@pytest.mark.parametrize("cuts", [[1], [3, 700, 999], [1000], [1001]])
def test_batches_of_any_length_and_records_teach_the_same(cuts):
    columns = table(1200)
    batch = batch_of(columns)
    whole = FeatureMap().learn_scales([batch])
    parts = [
        batch_of(dict(zip(columns, split, strict=True)))
        for split in zip(*(np.split(column, cuts) for column in columns.values()), strict=True)
    ]
    assert plain(FeatureMap().learn_scales(parts).scales) == plain(whole.scales)
    one_by_one = FeatureMap().learn_scales(batch.records())
    assert plain(one_by_one.scales) == plain(whole.scales)
    blocks = rows(whole.encode_batch(batch))
    assert rows(one_by_one.encode_many(batch.records())) == blocks
    single = [one_by_one.encode(record) for record in batch.records()]
    assert [(row.indices.tolist(), row.values.tolist()) for row in single] == blocks


number = st.none() | st.integers(-5, 5) | st.floats(-1e6, 1e6)
record = st.fixed_dictionaries(
    {},
    optional={
        "age": number,
        "job": st.none() | st.sampled_from(["clerk", "baker"]),
        "body": st.none() | st.text("ab ", max_size=9),
        "tags": st.lists(st.sampled_from(["red", "blue"]), max_size=2),
        "vector": st.lists(st.floats(-9, 9), max_size=3),
        "user": st.dictionaries(st.sampled_from(["age", "bio"]), st.floats(-9, 9)),
    },
)


@EACH
@given(st.lists(record, min_size=1, max_size=12))
def test_one_by_one_equals_blocks(tmp_path, given_records):
    """JSON lines as one batch, and record by record; few columns, so that features collide."""
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps(r) + "\n" for r in given_records))
    for bits in (2, 18):
        maps = [FeatureMap(Hashing(bits), text=["body"], ngrams=2) for _ in range(2)]
        maps[0].learn_scales(read_batches(path))
        maps[1].learn_scales(read(path))
        assert plain(maps[0].scales) == plain(maps[1].scales)
        (batch,) = read_batches(path)
        encoded = rows(maps[0].encode_batch(batch))
        assert encoded == rows(maps[1].encode_many(read(path)))
        alone = [maps[1].encode(one) for one in read(path)]
        assert encoded == [(row.indices.tolist(), row.values.tolist()) for row in alone]


def test_a_word_is_weighed_by_the_rows_that_hold_it():
    texts = ["the cat the cat", "the dog", "", "a dog and the cat"]
    features = FeatureMap(text=["body"]).learn_scales([{"body": text} for text in texts])

    def weight(word):
        (value,) = features.encode({"body": word}).values.tolist()
        return abs(value)

    rare = 1.0 + math.log(5)
    for word, held in {"the": 3, "cat": 2, "dog": 2, "a": 1, "bird": 0}.items():
        assert weight(word) == pytest.approx((1.0 + math.log(5 / (1 + held))) / rare, rel=1e-6)
    (twice,) = features.encode({"body": "dog dog"}).values.tolist()
    assert abs(twice) == pytest.approx(2 * weight("dog"))


def test_categories_are_left_as_they_are():
    people = [{"job": "clerk"}] * 9 + [{"job": "baker"}]
    features = FeatureMap().learn_scales(people)
    assert [abs(features.encode(one).values[0]) for one in people] == [1.0] * 10
    assert not plain(features.scales)["columns"]


def test_matrices_and_vw_text_are_scaled_and_not_centred(tmp_path):
    X = np.random.default_rng(0).normal(50.0, 3.0, (30, 4))
    size = np.sqrt((X**2).mean(axis=0))
    numbered = FeatureMap(Numbered(4)).learn_scales(
        [Batch(["x"] * 30, np.zeros(30, np.int8), from_dense(X))]
    )
    assert numbered.scales.get_state()["centred"] == {}
    encoded = numbered.encode_batch(Batch(["x"] * 30, np.zeros(30, np.int8), csr_array(X)))
    np.testing.assert_allclose(encoded.toarray(), X / size, rtol=1e-6)
    path = tmp_path / "a.vw"
    lines = [to_vw(zip("abcd", row, strict=True), label=1) for row in X.tolist()]
    path.write_text("".join(line + "\n" for line in lines))
    intake = Intake(path, Reading())
    (taken,) = intake
    found = np.abs(taken.csr.toarray()[:, [intake.features.known()[1].indices]][:, 0])
    np.testing.assert_allclose(found, X / size, rtol=1e-6)
    one_by_one = FeatureMap().learn_scales(read(path))
    assert plain(one_by_one.scales) == plain(intake.features.scales)


def test_what_a_table_taught_holds_for_vw_text_too(tmp_path):
    people = [{"age": float(age), "town": "Rome"} for age in range(20, 60)]
    features = FeatureMap().learn_scales(people)
    path = tmp_path / "a.vw"
    path.write_text("".join(to_vw(features.features(one), label=1) + "\n" for one in people))
    (batch,) = read_batches(path)
    assert rows(features.encode_batch(batch)) == rows(features.encode_many(people))


def test_a_missing_number_counts_as_the_mean():
    features = FeatureMap().learn_scales([{"age": 30.0}, {"age": 50.0}, {"age": None}])
    for gap in ({"age": None}, {"age": math.nan}, {}, {"age": 40.0}):
        assert not len(features.encode(gap).values)
    assert abs(features.encode({"age": 0.0}).values[0]) == 4.0


def test_a_file_sorted_by_a_column_is_taken_as_it_comes(tmp_path):
    """The first rows are all that is known: the rest lies on one side of them, and is finite."""
    path = tmp_path / "sorted.csv"
    path.write_text("x,y\n" + "".join(f"{i},{int(i >= 1500)}\n" for i in range(3000)))
    intake = Intake(path, Reading(label="y"))
    values = np.concatenate([taken.csr.sum(axis=1) for taken in intake])
    first = np.arange(SCALE_ROWS)
    expected = (np.arange(3000) - first.mean()) / first.std()
    np.testing.assert_allclose(np.abs(values), np.abs(expected), rtol=1e-6)


def test_scales_are_learned_once(refused):
    features = FeatureMap().learn_scales([{"age": 3.0}])
    with refused(InvalidParameter, "learned once", "1 rows"):
        features.learn_scales([{"age": 4.0}])
    with refused(InvalidParameter, "rows must be a whole number from 1 on, got 0"):
        FeatureMap().learn_scales([], rows=0)


def test_a_number_too_large_is_refused_as_ever(refused):
    features = FeatureMap().learn_scales([{"age": 3.0}, {"age": 5.0}])
    for value in (math.inf, 1e300):
        with refused(BadRecord, "feature 'age' is", "a finite number was expected"):
            features.encode({"age": value})


def test_a_map_that_is_saved_and_loaded_gives_the_same_bits():
    columns = table(300)
    features = FeatureMap(text=["t"]).learn_scales(
        [*batch_of(columns).records(), {"t": "some words, some rare"}]
    )
    again = FeatureMap()
    again.set_state(features.get_state())
    assert rows(again.encode_batch(batch_of(columns))) == rows(
        features.encode_batch(batch_of(columns))
    )
    unscaled = features.get_state() | {"scales": None}
    again.set_state(unscaled)
    assert again.scales is None
    del unscaled["scales"]
    again.set_state(unscaled)
    assert rows(again.encode_batch(batch_of(columns))) == rows(
        FeatureMap().encode_batch(batch_of(columns))
    )
