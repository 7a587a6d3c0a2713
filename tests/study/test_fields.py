import pytest

from askance.errors import InvalidParameter
from askance.study.fields import LONGEST_NAME, Fields, named_well, shown


@pytest.mark.parametrize(
    "name",
    ["", " ", ".", "..", "../x", "a/b", "a\\b", "a\nb", "a\x00", "\x1b[0m", "\u202eabc", "\ud800",
     "part-1", "PART-x", "n" * (LONGEST_NAME + 1), "☃" * 67],
)  # fmt: skip
def test_names_that_are_no_files(name):
    assert not named_well(name)


@pytest.mark.parametrize(
    "name", ["adult", "OAC, margin", "eeg-eye-state", "☃" * 66, "a.b", "parts"]
)
def test_names_that_are(name):
    assert named_well(name)


def test_what_is_quoted_is_short_and_obeyed_by_no_terminal():
    for value in ("\x1b[31m" * 100, [["x" * 1000] * 1000], {"a": {"b": {"c": 1}}}, 2**100_000):
        text = shown(value)
        assert text.isprintable()
        assert len(text) < 140


def test_fields_say_where_they_stand(refused):
    fields = Fields({"data": [{"a": 1}, {"a": True}], "base": {"a": "x"}}, "s.toml")
    first, second = fields.tables("data")
    assert first.number("a") == 1.0
    with refused(InvalidParameter, "s.toml: [[data]] 2: a must be a finite number, got true"):
        second.number("a")
    assert fields.table_of("base").text("a") == "x"
    with refused(InvalidParameter, "s.toml: [base]: a must be a whole number from 1 to 2"):
        fields.table_of("base").whole("a", 1, 2)
