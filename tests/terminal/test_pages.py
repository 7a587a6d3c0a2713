import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from askance.data.features.records import Record
from askance.labelling.session import OpenQuestion, Standing
from askance.live import Question
from askance.terminal.pages import Layout, Page, trend

QUESTION = Question(7, True, None, 0.5, 2.0, 1)
STANDING = Standing(12, 8, 1, 400, (*range(20), 399), 0.125, None)


def asked(fields, id="x1"):
    return OpenQuestion(QUESTION, Record(id, None, fields))


def shown(page, width=80, height=None, **layout):
    lines = Layout("mail.csv", ("ham", "spam"), **layout).lines(page, width, height)
    return [line.plain.rstrip() for line in lines]


def test_a_page_tells_where_the_labelling_stands():
    lines = shown(Page(STANDING, asked({"size": 3.0}), message="Saved."))
    assert lines == [
        "12 of 20 labels given · 8 left · 1 skipped · mail.csv",
        "400 records read · asks 1 of the last 100 ▄▁▁▁▁▁▁▁ · error about 12%",
        "record x1",
        "size  3",
        "Saved.",
        " y  spam   n  ham   s  skip   u  undo   q  quit   ?  help",
    ]


def test_without_a_budget_nothing_is_left():
    lines = shown(Page(Standing(1, None, 0, 1, (0,), 0.0, None)), 80, 24)
    assert lines[0] == "1 label · mail.csv"
    assert lines[1] == "1 record read"
    assert not any("█" in line for line in lines)


@given(
    width=st.integers(10, 120),
    height=st.integers(4, 40),
    words=st.integers(0, 300),
    message=st.text(max_size=100),
    help=st.booleans(),
)
def test_a_page_fits_the_screen_and_shows_the_keys(width, height, words, message, help):
    page = Page(STANDING, asked({"body": "word " * words}), None, message, 0, help)
    lines = Layout("mail.csv", ("ham", "spam")).lines(page, width, height)
    assert len(lines) <= height
    assert all(cell_len(line.plain) <= width for line in lines)


def test_space_leads_through_a_long_record_and_back():
    fields = {f"column{i:02}": f"value{i:02}" for i in range(60)}
    seen, scroll = [], 0
    while not seen or "starts over" not in seen[-1][-1]:
        lines = shown(Page(STANDING, asked(fields), None, "", scroll), 80, 24)
        body = lines[4:-2]
        assert "more lines" in body[-1] or "starts over" in body[-1]
        seen.append([line for line in body if line])
        scroll += 1
    text = " ".join(line for lines in seen for line in lines)
    assert all(f"value{i:02}" in text for i in range(60))
    assert (
        shown(Page(STANDING, asked(fields), None, "", scroll), 80, 24)[4:]
        == shown(Page(STANDING, asked(fields)), 80, 24)[4:]
    )


def test_the_ends_offer_an_undo():
    for end, word in (("budget", "budget"), ("input", "file")):
        lines = shown(Page(STANDING, None, end), 80, 24)
        assert any(word in line for line in lines)
        assert lines[-1] == " u  undo   q  finish"


def test_help_explains_every_key():
    text = "\n".join(shown(Page(STANDING, help=True)))
    assert all(f"\n{key} " in text for key in ("y", "n", "s", "u", "q", "space"))


def test_a_warning_and_names_are_shown_without_control_characters():
    standing = Standing(1, None, 0, 1, (0,), 0.0, "raise c0")
    page = Page(standing, asked({}, id="\x1b[1m"), message="\x1b[2J")
    lines = Layout("\x1b.csv", ("\x07", "spam")).lines(page, 80)
    text = "\n".join(line.plain for line in lines)
    assert "Beware: raise c0." in text
    assert not set(text) & {"\x1b", "\x07"}


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252"])
def test_poor_encodings_are_enough(encoding):
    for page in (Page(STANDING, asked({"名": "日本"})), Page(STANDING, help=True)):
        for line in Layout("mail.csv", ("ham", "spam"), encoding).lines(page, 80, 24):
            line.plain.encode(encoding)


def test_the_trend_falls_as_less_is_asked():
    assert trend([], 80) == "▁" * 8
    assert trend(range(80), 80) == "█" * 8
    assert trend(range(40), 80) == "████▁▁▁▁"
