import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from askance.terminal.record_view import LONGEST, MOST_FIELDS, number_text, record_lines
from askance.types import Row

VALUES = st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=80)
FIELDS = st.dictionaries(st.text(max_size=30), VALUES | st.lists(VALUES, max_size=3), max_size=6)


def plain(fields, width, encoding="utf-8"):
    return [line.plain for line in record_lines(fields, width, encoding)]


@given(FIELDS, st.integers(8, 120))
def test_no_line_is_wider_than_the_screen_or_moves_the_cursor(fields, width):
    for line in plain(fields, width):
        assert cell_len(line) <= width
        assert not set(line) & {"\n", "\r", "\x1b", "\t"}


@given(st.lists(st.sampled_from(["long", "words", "and", "short"]), min_size=1, max_size=60))
def test_text_is_wrapped_between_words(words):
    lines = plain({"body": " ".join(words)}, 40)
    assert " ".join(line[6:].strip() for line in lines).split() == words
    assert all(line.startswith("body  " if i == 0 else " " * 6) for i, line in enumerate(lines))


def test_points_stand_below_each_other():
    lines = plain({"a": 1234.0, "b": 0.5, "c": -3.25, "d": 12}, 40)
    ones = [(line + ".").index(".") for line in lines]
    assert len(set(ones)) == 1


def test_narrow_screens_have_names_above_values():
    lines = plain({"subject": "a rather long subject line", "n": 4.0}, 20)
    assert lines == ["subject", "  a rather long ", "  subject line", "n  4"]


def test_nested_and_numbered_features_have_names():
    assert plain({"user": {"age": 3, "job": "clerk"}, "tags": ["a", "b"]}, 40) == [
        "user^age  3",
        "user^job  clerk",
        "tags      a, b",
    ]
    assert plain(Row(np.array([2, 10]), np.array([0.5, 1.0])), 40) == ["2   0.5", "10  1"]


def test_what_is_not_there_is_said():
    assert plain({"a": None, "b": ""}, 40) == ["a  (missing)", "b  (empty)"]
    assert plain({}, 40) == ["(empty)"]


def test_escapes_stand_in_names_and_values():
    lines = plain({"na\x1b[2Jme": "va\rlue\u202e", "naïve": "☃"}, 60, "latin-1")
    assert lines == ["na\\x1b[2Jme  va\\rlue\\u202e", "naïve        \\u2603"]


def test_very_long_values_are_cut():
    lines = plain({"a": "x" * (LONGEST + 5000)}, 80)
    assert "5,000 more characters" in lines[-1]
    assert len(lines) < LONGEST / 70


@pytest.mark.parametrize(
    ("value", "text"),
    [(3.0, "3"), (-2, "-2"), (0.1, "0.1"), (1e20, "1e+20"), (float("inf"), "inf")],
)
def test_numbers_as_people_write_them(value, text):
    assert number_text(value) == text


def test_of_very_many_fields_the_first_are_shown_and_the_others_counted():
    fields = {f"c{i}": float(i) for i in range(MOST_FIELDS + 234)}
    lines = [line.plain for line in record_lines(fields, 60)]
    assert len(lines) == MOST_FIELDS + 1
    assert lines[-2].split() == [f"c{MOST_FIELDS - 1}", f"{MOST_FIELDS - 1}"]
    assert lines[-1] == "and 234 more"
    assert len(record_lines({"one": 1.0}, 60)) == 1
