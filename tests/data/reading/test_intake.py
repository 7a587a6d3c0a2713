import gzip
import io
import json
import sys

import numpy as np
import pytest

from askance.data.features import FeatureMap
from askance.data.reading import readers
from askance.data.reading.intake import MOST_NGRAMS, Intake, Reading, text_columns
from askance.data.reading.readers import read_batches
from askance.errors import BadRecord, FileUnreadable, InvalidLabel, InvalidParameter
from askance.sparse import rows_of

MIXED = """id,title,shop,price,sold
a1,red shoes for the summer,Leeds,10,yes
a2,"a hat, worn once
or twice",York,,no
a3,two blue coats,York,30.5,yes
a4,,Leeds,4,no
"""


@pytest.fixture
def mixed(tmp_path):
    path = tmp_path / "mixed.csv"
    path.write_text(MIXED)
    return path


def taken(intake):
    """Per record: id, label and the names and values of its features."""
    found = []
    for rows in intake:
        each = zip(rows.batch.ids, rows.batch.labels.tolist(), rows_of(rows.csr), strict=True)
        for id, label, row in each:
            pairs = zip(row.indices.tolist(), row.values.tolist(), strict=True)
            named = {intake.features.name_of(i): abs(value) for i, value in pairs}
            found.append((id, label, named))
    return found


def test_text_categories_and_numbers_are_told_apart(mixed):
    intake = Intake(mixed, Reading(label="sold", id="id", scale=False))
    assert intake.columns == {"title": "text", "shop": "category", "price": "number"}
    records = taken(intake)
    assert [(id, label) for id, label, _ in records] == [
        ("a1", 1), ("a2", -1), ("a3", 1), ("a4", -1)
    ]  # fmt: skip
    assert records[1][2] == {
        "title^a": 1, "title^hat": 1, "title^worn": 1, "title^once": 1, "title^or": 1,
        "title^twice": 1, "shop=York": 1,
    }  # fmt: skip
    assert records[3][2] == {"shop=Leeds": 1, "price": 4}
    assert intake.classes == ("no", "yes")


def test_what_is_said_of_columns_is_done(mixed):
    reading = Reading(label="shop", positive="York", ignore=("id", "sold"), strings=("price",))
    intake = Intake(mixed, reading)
    assert intake.columns == {"title": "text", "price": "category"}
    assert taken(intake)[3] == ("4", -1, {"price=4": 1})
    assert intake.classes == ("Leeds", "York")


def test_a_column_of_strings_is_no_text_if_it_is_said_to_be_one(mixed):
    reading = Reading(label="sold", strings=("title",))
    assert Intake(mixed, reading).columns["title"] == "category"
    reading = Reading(label="sold", text=("shop",))
    columns = Intake(mixed, reading).columns
    assert (columns["title"], columns["shop"]) == ("category", "text")


@pytest.mark.parametrize("role", ["text", "strings", "ignore"])
def test_a_column_that_is_not_there_is_a_slip_of_the_pen(mixed, role, refused):
    with refused(InvalidParameter, "mixed.csv", "'colour'", role, "title, shop, price"):
        Intake(mixed, Reading(label="sold", **{role: ("colour",)}))


@pytest.mark.parametrize(
    ("content", "error", "parts"),
    [
        ("", BadRecord, ["is empty"]),
        ("a,sold\n", BadRecord, ["holds no records"]),
        ("a,b\n1,2\n", BadRecord, ["no label column 'sold'", "it has a, b"]),
        ("a,sold\n1,x\n2,y\n", InvalidLabel, ["row 1", "'x'", "which label is positive"]),
        ("a,sold\n1,yes\n2,no\n3,true\n", InvalidLabel, ["row 3", "third value"]),
    ],
)
def test_what_cannot_be_read_is_said(tmp_path, content, error, parts, refused):
    path = tmp_path / "some.csv"
    path.write_text(content)
    with refused(error, *parts):
        list(Intake(path, Reading(label="sold")))


def test_a_file_that_is_not_there(tmp_path, refused):
    with refused(FileUnreadable, "does not exist"):
        Intake(tmp_path / "no.csv", Reading())


def test_standard_input_is_read_once_in_batches(monkeypatch, mixed):
    packed = io.BufferedReader(io.BytesIO(gzip.compress(mixed.read_bytes())))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(packed))
    piped = taken(Intake("-", Reading(label="sold", format="csv")))
    assert piped == taken(Intake(mixed, Reading(label="sold")))


def test_columns_that_look_like_ids_are_found(tmp_path):
    path = tmp_path / "some.csv"
    rows = [f"{i},m{i},{i % 7},{i / 3},note {i} of it,x,yes" for i in range(30)]
    path.write_text("\n".join(["n,key,week,size,note,same,y", *rows]) + "\n")
    assert Intake(path, Reading(label="y")).likely_ids() == ["n", "key"]
    assert Intake(path, Reading(label="y", id="n")).likely_ids() == ["key"]
    path.write_text("\n".join(["n,key,week,size,note,same,y", *rows[:5]]) + "\n")
    assert Intake(path, Reading(label="y")).likely_ids() == []


def test_json_lines_have_columns_too(tmp_path):
    path = tmp_path / "some.jsonl"
    records = [
        {"y": 1, "body": "one two three", "tags": ["a"], "at": {"x": 1.5}, "n": None},
        {"y": 0, "body": "four five", "n": 3},
    ]
    path.write_text("\n".join(map(json.dumps, records)))
    intake = Intake(path, Reading(label="y", ignore=("tags",), scale=False))
    assert intake.columns == {"body": "text", "at": "mapping", "n": "number"}
    assert taken(intake)[0][2] == {"body^one": 1, "body^two": 1, "body^three": 1, "at^x": 1.5}


def test_numbered_features_have_no_columns(tmp_path):
    path = tmp_path / "some.libsvm"
    path.write_text("1 1:0.5 3:2\n-1 2:1\n")
    intake = Intake(path, Reading(label="anything", scale=False))
    assert intake.columns == {}
    assert taken(intake) == [("1", 1, {"0": 0.5, "2": 2.0}), ("2", -1, {"1": 1.0})]


def test_a_saved_map_meets_a_file_without_labels(mixed, tmp_path):
    reading = Reading(label="sold", id="id", strings=("price",))
    first = Intake(mixed, reading)
    known = {name: features for name, _, features in taken(first)}
    later = tmp_path / "later.csv"
    later.write_text("id,title,shop,price\na3,two blue coats,York,30.5\n")
    again = Reading.from_state(json.loads(json.dumps(reading.as_state()))).unlabelled()
    assert taken(Intake(later, again, first.features)) == [("a3", 0, known["a3"])]
    # The label is not learned from where it is there after all, whatever it holds.
    assert [record[2] for record in taken(Intake(mixed, again, first.features))] == list(
        known.values()
    )


def test_strings_of_a_saved_map_stay_strings(tmp_path):
    features = FeatureMap()
    features.encode({"zip": "N1"})
    path = tmp_path / "some.csv"
    path.write_text("zip\n12345\n")
    assert taken(Intake(path, Reading(), features)) == [("1", 0, {"zip=12345": 1})]


@pytest.mark.parametrize(
    ("values", "is_text"),
    [
        (["a red car", "a blue car", "no car"], True),
        (["New York", "Los Angeles"] * 10, False),
        (["this is said again and again and again"] * 9, True),
        (["x17", "x18", "x19"], False),
        (["", ""], False),
    ],
)
def test_text_has_words_and_seldom_repeats(values, is_text, tmp_path):
    path = tmp_path / "some.csv"
    path.write_text("\n".join(["c,d", *(f"{value},w" for value in values)]) + "\n")
    (batch,) = read_batches(path)
    assert text_columns(batch) == (["c"] if is_text else [])


@pytest.mark.parametrize(
    ("options", "part"),
    [
        ({"text": 3}, "text must be a list of column names, got 3"),
        ({"ignore": ["a", 1]}, "ignore must be a list of column names"),
        ({"bits": True}, "bits must be a whole number from 1 to 30, got True"),
        ({"bits": 31}, "bits must be a whole number from 1 to 30, got 31"),
        ({"ngrams": 0}, "ngrams must be a whole number from 1 to 9, got 0"),
        ({"ngrams": MOST_NGRAMS + 1}, "ngrams must be a whole number from 1 to 9, got 10"),
        ({"label": ["y"]}, "label must be text, got ['y']"),
        ({"id": ""}, "id must be text, got ''"),
        ({"positive": float("inf")}, "positive must be a label, got inf"),
        ({"positive": None}, "positive must be a label, got None"),
        ({"colour": "red"}, "got 'colour'"),
    ],
)
def test_options_of_the_wrong_type_are_refused(options, part, refused):
    with refused(InvalidParameter, part):
        Reading.from_options(options)


def test_a_positive_label_may_be_written_without_quotes():
    given = [Reading.from_options({"positive": value}).positive for value in (1, 1.0, True, "yes")]
    assert given == ["1", "1", "true", "yes"]


def numbers(tmp_path, rows):
    """JSON lines come in batches of a few thousand; ids say where a row was."""
    path = tmp_path / "numbers.jsonl"
    path.write_text("".join(json.dumps({"n": i % 7, "id": i}) + "\n" for i in range(rows)))
    return path


@pytest.mark.parametrize("rows", [1, 999, 1000, 1001, 9000])
def test_what_is_read_ahead_is_walked_over_too(tmp_path, monkeypatch, rows):
    monkeypatch.setattr(readers, "_JSON_BATCH", 300)
    intake = Intake(numbers(tmp_path, rows), Reading(id="id"))
    assert intake.features.scales.rows == min(rows, 1000)
    assert [id for taken in intake for id in taken.batch.ids] == [str(i) for i in range(rows)]


def test_scales_come_from_the_first_thousand_rows_however_they_are_cut(tmp_path, monkeypatch):
    path, found = numbers(tmp_path, 1500), []
    for length in (1, 300, 5000):
        monkeypatch.setattr(readers, "_JSON_BATCH", length)
        found.append(Intake(path, Reading(id="id")).features.scales.get_state()["centred"])
    first = np.arange(1000) % 7
    assert found[0] == found[1] == found[2] == {"n": [first.mean(), first.std()]}


def test_scaling_can_be_turned_off(tmp_path, refused):
    path = numbers(tmp_path, 20)
    plain = Intake(path, Reading(id="id", scale=False))
    assert plain.features.scales is None
    assert taken(plain)[5][2] == {"n": 5.0}
    with refused(InvalidParameter, "scale must be true or false, got 'no'"):
        Reading.from_options({"scale": "no"})
    assert not Reading.from_options({"scale": False}).scale


def test_a_map_that_is_handed_in_learns_nothing(tmp_path):
    path = numbers(tmp_path, 20)
    features = FeatureMap()
    assert Intake(path, Reading(id="id"), features).features.scales is None
