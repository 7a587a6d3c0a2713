from html.parser import HTMLParser
from pathlib import Path

from askance.study import page
from askance.study.blocks import Drawing, Heading, Live, TableBlock, Text

VOID = {"meta", "input", "path", "use", "br"}


class Whole(HTMLParser):
    """Fails on an element that is closed out of order, and on one that fetches something."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []

    def handle_starttag(self, tag, attrs):
        self.handle_startendtag(tag, attrs)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.ids += [value for name, value in attrs if name == "id"]
        self.links += [value for name, value in attrs if name in ("href", "xlink:href")]
        assert tag not in ("link", "iframe", "img")
        assert "src" not in dict(attrs)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def parsed(text: str) -> Whole:
    parser = Whole()
    parser.feed(text)
    parser.close()
    assert parser.open == []
    assert len(set(parser.ids)) == len(parser.ids)
    assert all(link.removeprefix("#") in parser.ids for link in parser.links)
    return parser


def test_a_page_is_whole_and_fetches_nothing():
    blocks = [Heading("T & U", 1), Heading("A b"), Text("b < c", warns=True)]
    text = page.document(
        [*blocks, Live({"tricky": "</script><!--<script>"}, "play"), TableBlock(["x"], [[0.5]])]
    )
    found = parsed(text)
    assert "<title>T &amp; U</title>" in text
    assert '<p class="warns">b &lt; c</p>' in text
    assert found.links == ["#a-b"]
    assert {"a-b", "live-2"} == set(found.ids)
    assert "Bokeh" in text


def test_the_library_is_there_only_if_it_is_needed():
    assert len(page.document([Heading("T", 1), Text("x")])) < 10_000


def test_tables_keep_the_digits_for_sorting():
    rows = [["a", 0.12345678, "0.1"], ["b", None, "x" * 50]]
    text = page.document([Heading("T", 1), TableBlock(["name", "gain", "rate"], rows)])
    assert '<td data-value="0.12345678">0.1235</td><td>0.1</td>' in text
    assert '<td data-value="-1e+99">-</td><td class="word long">xx' in text
    assert '<th scope="col" class="word"><button type="button">name' in text
    assert '<th scope="col"><button type="button">gain' in text
    parsed(text)


def test_two_figures_share_no_name(tmp_path: Path):
    svg = (
        '<?xml version="1.0"?><svg><g id="line0"></g><defs><path id="p"/></defs>'
        '<use href="#p"/><g clip-path="url(#p)"></g></svg>'
    )
    for name in ("one", "two"):
        (tmp_path / f"{name}.svg").write_text(svg)
    drawn = [Drawing(tmp_path / f"{name}.svg", "caption", name == "two") for name in ("one", "two")]
    text = page.document([Heading("T", 1), *drawn])
    assert len(parsed(text).ids) == 4
    assert 'href="#two-p"' in text
    assert "url(#one-p)" in text
    assert text.count('<figure class="narrow">') == 1
