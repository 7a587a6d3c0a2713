"""Blocks -> one HTML file without anything outside it, for screens of any width and for paper.

Figures are drawn once and stand in the page as they are. Those to play with need Bokeh's script,
which is in the page; without scripts, and in print, they are not there. Tables sort by a script of
a few lines: tables of libraries are drawn by them, and would be missing in print and without it.
"""

import html
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from askance.study.blocks import Block, Drawing, Heading, Live, TableBlock, Text, is_word, plain
from askance.study.interactive import library

__all__ = ["document"]

_STYLE = """
:root { color-scheme: light; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 66rem; margin: 0 auto; padding: 1rem;
       color: #1c1c1c; background: #fff; overflow-wrap: break-word; }
h1, h2, h3 { line-height: 1.25; }
h2 { margin-top: 2.4rem; border-bottom: 1px solid #ccc; }
p { max-width: 46rem; }
nav { font-size: .9rem; columns: 16rem; } nav a { display: block; padding: .1rem 0; }
/* A shade at the right edge, covered once there is nothing more to scroll to. */
.wide { overflow-x: auto; background:
        linear-gradient(to left, #fff 40%, #fff0) right / 3rem 100% no-repeat local,
        linear-gradient(to left, #0003, #0000) right / 1rem 100% no-repeat scroll; }
table { border-collapse: collapse; font-size: .875rem; }
th, td { padding: .25rem .55rem; text-align: right; border-bottom: 1px solid #e3e3e3;
         white-space: nowrap; font-variant-numeric: tabular-nums; }
th { vertical-align: bottom; white-space: normal; }
th:first-child, .word { text-align: left; }
td.long { white-space: normal; min-width: 12rem; }
th button { font: inherit; font-weight: 600; border: 0; background: none; padding: 0;
            text-align: inherit; color: inherit; }
.scripted th button { cursor: pointer; }
.scripted th button::after { content: "\\00a0\\2195"; color: #767676; }
.scripted th[aria-sort=ascending] button::after { content: "\\00a0\\2191"; color: inherit; }
.scripted th[aria-sort=descending] button::after { content: "\\00a0\\2193"; color: inherit; }
figure { margin: 1.2rem 0; } figure svg { width: 100%; height: auto; min-width: 40rem; }
figure.narrow svg { min-width: 20rem; max-width: 42rem; }
figcaption { font-size: .875rem; color: #444; max-width: 46rem; }
.live { display: none; } .scripted .live { display: block; }
.warns { border-left: 5px solid #b35900; background: #fff4e5; padding: .6rem 1rem; }
@media print {
  body { max-width: none; padding: 0; font-size: 10pt; }
  nav, .scripted .live { display: none; }
  .wide { overflow: visible; background: none; }
  table { font-size: 7.5pt; } th, td { padding: .1rem .3rem; }
  td.long { min-width: 8rem; }
  .wide, tr, figure { break-inside: avoid; }
  h2, h3, p { break-after: avoid; }
  figure svg, figure.narrow svg { min-width: 0; }
  .scripted th button::after, .scripted th[aria-sort] button::after { content: ""; }
}
"""

_SCRIPT = """
document.documentElement.classList.add("scripted");
for (const button of document.querySelectorAll("th button")) {
  button.addEventListener("click", () => {
    const head = button.closest("th"), body = head.closest("table").tBodies[0];
    const place = [...head.parentNode.children].indexOf(head);
    const down = head.getAttribute("aria-sort") !== "descending";
    for (const other of head.parentNode.children) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const value = row => row.children[place].dataset.value ?? row.children[place].textContent;
    const rows = [...body.rows].sort((a, b) => {
      const x = value(a), y = value(b), n = Number(x) - Number(y);
      return (Number.isNaN(n) ? x.localeCompare(y) : n) * (down ? -1 : 1);
    });
    body.append(...rows);
  });
}
for (const data of document.querySelectorAll("script.item"))
  Bokeh.embed.embed_item(JSON.parse(data.textContent), data.dataset.target);
"""


def document(blocks: Sequence[Block]) -> str:
    """A whole page; the first block is its title."""
    title = html.escape(blocks[0].text) if isinstance(blocks[0], Heading) else "Report"
    live = any(isinstance(block, Live) for block in blocks)
    sections = [b.text for b in blocks if isinstance(b, Heading) and b.level == 2]
    body = [_heading(blocks[0], sections)] if isinstance(blocks[0], Heading) else []
    body += [_html(block, number) for number, block in enumerate(blocks[len(body) :])]
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>{_STYLE}</style></head>\n<body>"
        + "\n".join(body)
        + f"\n{library() if live else ''}\n<script>{_SCRIPT}</script></body></html>\n"
    )


def _heading(title: Heading, sections: Sequence[str]) -> str:
    links = "".join(f'<a href="#{_anchor(s)}">{html.escape(s)}</a>' for s in sections)
    return f"<h1>{html.escape(title.text)}</h1>\n<nav>{links}</nav>"


def _anchor(title: str) -> str:
    return re.sub(r"\W+", "-", title.lower()).strip("-")


def _html(block: Block, number: int) -> str:
    match block:
        case Heading(text, level):
            return f'<h{level} id="{_anchor(text)}">{html.escape(text)}</h{level}>'
        case Text(text, warns):
            kind = ' class="warns"' if warns else ""
            return f"<p{kind}>{html.escape(text)}</p>"
        case TableBlock(heads, rows):
            return _table(heads, rows)
        case Drawing(path, caption, narrow):
            return _figure(path, caption, narrow)
        case Live(item, caption):
            return _live(item, caption, f"live-{number}")


def _table(heads: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A table that sorts by any column, a float by all of its digits."""
    words = [is_word(value) for value in rows[0]] if rows else [False] * len(heads)
    top = "".join(
        f'<th scope="col"{_WORD if word else ""}><button type="button">{html.escape(head)}'
        "</button></th>"
        for head, word in zip(heads, words, strict=True)
    )
    lines = "".join(f"<tr>{''.join(map(_cell, row))}</tr>\n" for row in rows)
    return (
        f'<div class="wide"><table><thead><tr>{top}</tr></thead>\n'
        f"<tbody>{lines}</tbody></table></div>"
    )


def _cell(value: object) -> str:
    shown = html.escape(plain(value))
    if value is None or isinstance(value, float):
        return f'<td data-value="{-1e99 if value is None else value!r}">{shown}</td>'
    kind = _WORD if is_word(value) else ""
    return f"<td{kind if len(shown) <= 40 else _LONG}>{shown}</td>"


_WORD, _LONG = ' class="word"', ' class="word long"'


def _figure(path: Path, caption: str, narrow: bool) -> str:
    """A drawn SVG, put into the page; names inside it are made its own."""
    svg = path.read_text(encoding="utf-8")
    svg = svg[svg.index("<svg") :]
    prefix = path.stem
    for name in set(re.findall(r'id="([^"]+)"', svg)):
        svg = svg.replace(f'id="{name}"', f'id="{prefix}-{name}"')
        svg = svg.replace(f'"#{name}"', f'"#{prefix}-{name}"')
        svg = svg.replace(f"url(#{name})", f"url(#{prefix}-{name})")
    attribute = ' class="narrow"' if narrow else ""
    svg = svg.replace("<svg", f'<svg role="img" aria-label="{html.escape(caption)}"', 1)
    return (
        f'<figure{attribute}><div class="wide">{svg}</div>'
        f"<figcaption>{html.escape(caption)}</figcaption></figure>"
    )


def _live(item: Any, caption: str, name: str) -> str:
    # No angle at all: "<!--" too would be read by the page before the script is.
    data = json.dumps(item).replace("<", "\\u003c")
    return (
        f'<figure class="live"><div id="{name}"></div>'
        f"<figcaption>{html.escape(caption)}</figcaption></figure>"
        f'<script type="application/json" class="item" data-target="{name}">{data}</script>'
    )
