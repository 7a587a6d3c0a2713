import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askance.terminal.visible import either, visible


@given(st.text(st.characters(), max_size=60), st.sampled_from(["utf-8", "latin-1", "ascii"]))
def test_nothing_that_a_terminal_obeys_comes_through(text, encoding):
    shown = visible(text, encoding)
    shown.encode(encoding)
    hidden = {unicodedata.category(character) for character in shown if character != "\n"}
    joined = {"Cf"} if "\u200c" in shown or "\u200d" in shown else set()
    assert not (hidden - joined) & {"Cc", "Cf", "Cs", "Zl", "Zp"}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b]0;title\x07", "\\x1b]0;title\\x07"),
        ("over\rwritten", "over\\rwritten"),
        ("\x9b31m", "\\x9b31m"),
        ("\u2066isolated\u2069", "\\u2066isolated\\u2069"),
        ("\u202egnp.exe", "\\u202egnp.exe"),
        ("half \ud800", "half \\ud800"),
        ("\x00\x7f", "\\x00\\x7f"),
        ("a\u2028b", "a\\u2028b"),
    ],
)
def test_escapes(text, shown):
    assert visible(text) == shown


@given(st.text(st.characters(categories=["L", "N", "P", "S"]), max_size=40))
def test_ordinary_text_stays_as_it_is(text):
    assert visible(text) == text


def test_lines_and_tabs_are_kept_readable():
    assert visible("a\tb\r\nc") == "a   b\nc"


def test_a_drawing_that_cannot_be_encoded_has_a_plain_twin():
    assert either("█░", "#.", "cp437") == "█░"
    assert either("█░", "#.", "ascii") == "#."
