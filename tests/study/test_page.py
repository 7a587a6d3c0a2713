from html.parser import HTMLParser
from pathlib import Path

from askance.study import page

VOID = {"meta", "input", "path", "use", "br"}


class Balanced(HTMLParser):
    """Fails on an element that is closed out of order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []

    def handle_starttag(self, tag, attrs):
        self.ids += [value for name, value in attrs if name == "id"]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.ids += [value for name, value in attrs if name == "id"]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def parsed(text: str) -> Balanced:
    parser = Balanced()
    parser.feed(text)
    assert parser.open == []
    return parser


def test_a_page_is_whole_and_needs_nothing_outside():
    parts = [page.section("A"), page.paragraph("b < c", "holes"), page.switches(["OAC"])]
    text = page.document("T & U", [*parts, page.table(["x"], [[0.5]])])
    parsed(text)
    assert "<title>T &amp; U</title>" in text
    assert "b &lt; c" in text
    assert "http" not in text
    assert "src=" not in text


def test_tables_keep_the_digits_for_sorting():
    text = page.table(["name", "gain"], [["a", 0.12345678], ["b", None], ["c", "x" * 50]])
    assert '<td data-value="0.12345678">0.1235</td>' in text
    assert ">-</td>" in text
    assert 'class="text"' in text
    parsed(text)


def test_two_figures_share_no_name(tmp_path: Path):
    svg = (
        '<?xml version="1.0"?><svg><g id="curve--OAC--line0"></g><defs><path id="p"/></defs>'
        '<use href="#p"/><g clip-path="url(#p)"></g></svg>'
    )
    for name in ("one", "two"):
        (tmp_path / f"{name}.svg").write_text(svg)
    text = "".join(page.figure(tmp_path / f"{name}.svg", "caption") for name in ("one", "two"))
    ids = parsed(text).ids
    assert len(set(ids)) == len(ids) == 4
    assert 'href="#two-p"' in text
    assert "url(#one-p)" in text
    assert "curve--OAC--line0" in text
