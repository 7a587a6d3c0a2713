import json

from hypothesis import given
from hypothesis import strategies as st

from askance.service.page.records import (
    FEW,
    LONGEST,
    MOST_FIELDS,
    VERY_LONG,
    in_short,
    record_view,
)

PIXELS = "data:image/png;base64,iVBORw0KGgo="


def names(fields):
    return [field.name for field in fields]


def test_pictures_texts_and_short_fields_go_to_their_places():
    shown = record_view({"photo": PIXELS, "mail": "dear\nfriend", "size": 3, "paid": True})
    assert names(shown.pictures) == ["photo"]
    assert names(shown.long) == ["mail"]
    assert [tuple(field) for field in shown.short] == [("size", "3"), ("paid", "yes")]


def test_a_picture_of_a_host_that_is_not_allowed_is_text():
    source = "https://img.example.org/a.png"
    assert not record_view({"photo": source}).pictures
    assert record_view({"photo": source}, ["img.example.org"]).pictures[0].source == source


def test_an_erased_record_says_so():
    assert record_view(None).is_gone
    assert not record_view({}).is_gone


def test_fields_of_fields_are_named_by_their_way():
    shown = record_view({"from": {"name": "Ann", "age": 7}})
    assert [tuple(field) for field in shown.short] == [("from.name", "Ann"), ("from.age", "7")]


def test_a_deep_record_ends_somewhere():
    deep: dict = {}
    for _ in range(50):
        deep = {"a": deep}
    assert len(record_view(deep).short + record_view(deep).long) == 1


def test_many_fields_are_folded_only_beside_something_else():
    many = {f"f{i}": i for i in range(FEW + 1)}
    assert record_view({"mail": "x" * 100, **many}).is_folded
    assert not record_view(many).is_folded
    assert not record_view({"mail": "x" * 100, "size": 1}).is_folded


def test_there_is_an_end_to_fields_and_to_text():
    shown = record_view({f"f{i}": i for i in range(MOST_FIELDS + 5)})
    assert len(shown.short) == MOST_FIELDS
    (field,) = record_view({"mail": "x" * (LONGEST + 5)}).long
    assert field.value.endswith(f"… ({LONGEST + 5:,} characters)")
    assert len(field.value) < LONGEST + 50


def test_a_very_long_text_scrolls():
    (field,) = record_view({"mail": "x" * (VERY_LONG + 1)}).long
    assert field.is_very_long
    (field,) = record_view({"mail": "x" * VERY_LONG}).long
    assert not field.is_very_long


def test_a_line_tells_records_apart():
    assert in_short(record_view({"mail": "a\n  b " + "c" * 200, "size": 1}), 10) == "a b ccccc…"
    assert in_short(record_view({})) == ""


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(st.text(), JSON, max_size=8))
def test_every_record_can_be_shown_and_nothing_is_lost(record):
    shown = record_view(json.loads(json.dumps(record)))
    texts = [field.value for field in (*shown.long, *shown.short)]
    assert all(isinstance(text, str) for text in texts)
    for value in record.values():
        if isinstance(value, str):
            assert value in texts


def test_fields_that_are_not_shown_are_counted():
    shown = record_view({f"f{i}": i for i in range(MOST_FIELDS + 7)})
    assert (len(shown.short), shown.left_out) == (MOST_FIELDS, 7)
