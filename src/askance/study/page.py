"""One HTML file without anything outside it: tables that sort, curves that switch on and off."""

import html
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

__all__ = ["document", "figure", "markdown", "paragraph", "section", "switches", "table"]

_STYLE = """
:root { color-scheme: light; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 0 auto; padding: 1rem;
       color: #1c1c1c; background: #fff; }
h1 { line-height: 1.2; } h2 { margin-top: 2.2rem; border-bottom: 1px solid #ccc; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: .9rem; }
th, td { padding: .25rem .6rem; text-align: right; border-bottom: 1px solid #e3e3e3;
         white-space: nowrap; }
th:first-child, td:first-child, td.text { text-align: left; } td.text { white-space: normal; }
th button { font: inherit; font-weight: 600; border: 0; background: none; cursor: pointer;
            padding: 0; }
th button::after { content: " \\2195"; color: #767676; }
figure { margin: 1rem 0; } figure svg { width: 100%; height: auto; min-width: 44rem; }
figure.small svg { min-width: 20rem; max-width: 46rem; }
figcaption { font-size: .9rem; color: #444; }
.holes { border-left: 5px solid #b35900; background: #fff4e5; padding: .6rem 1rem; }
.switches { position: sticky; top: 0; background: #fff; padding: .4rem 0; z-index: 1;
            border-bottom: 1px solid #ccc; }
.switches label { margin-right: 1rem; white-space: nowrap; }
@media print { .switches { display: none; } figure { break-inside: avoid; }
               figure svg { min-width: 0; } th button::after { content: ""; } }
"""

_SCRIPT = """
for (const button of document.querySelectorAll("th button")) {
  button.addEventListener("click", () => {
    const head = button.closest("th"), body = head.closest("table").tBodies[0];
    const place = [...head.parentNode.children].indexOf(head);
    const down = head.getAttribute("aria-sort") !== "descending";
    for (const other of head.parentNode.children) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const value = row => row.children[place].dataset.value ?? row.children[place].textContent;
    const rows = [...body.rows].sort((a, b) => {
      const x = value(a), y = value(b), n = parseFloat(x) - parseFloat(y);
      return (Number.isNaN(n) ? x.localeCompare(y) : n) * (down ? -1 : 1);
    });
    body.append(...rows);
  });
}
for (const box of document.querySelectorAll(".switches input")) {
  box.addEventListener("change", () => {
    for (const curve of document.querySelectorAll(`[id*="curve--${box.value}--"]`))
      curve.style.display = box.checked ? "" : "none";
  });
}
"""


def document(title: str, parts: Iterable[str]) -> str:
    """A whole page."""
    body = "\n".join(parts)
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{html.escape(title)}</title>\n<style>{_STYLE}</style></head>\n"
        f"<body><h1>{html.escape(title)}</h1>\n{body}\n<script>{_SCRIPT}</script></body></html>\n"
    )


def section(title: str) -> str:
    """A heading.

    >>> section("Time & space")
    '<h2>Time &amp; space</h2>'
    """
    return f"<h2>{html.escape(title)}</h2>"


def paragraph(text: str, kind: str = "") -> str:
    """A paragraph of plain text."""
    attribute = f' class="{kind}"' if kind else ""
    return f"<p{attribute}>{html.escape(text)}</p>"


def table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table that sorts by any column; a float shows four decimals and sorts by all."""
    top = "".join(
        f'<th scope="col"><button type="button">{html.escape(head)}</button></th>' for head in heads
    )
    lines = "".join(f"<tr>{''.join(map(_cell, row))}</tr>\n" for row in rows)
    return (
        f'<div class="wide"><table><thead><tr>{top}</tr></thead>\n'
        f"<tbody>{lines}</tbody></table></div>"
    )


def _cell(value: object) -> str:
    if value is None:
        return '<td data-value="-1e99">-</td>'
    if isinstance(value, float):
        return f'<td data-value="{value!r}">{value:.4f}</td>'
    kind = ' class="text"' if isinstance(value, str) and len(value) > 40 else ""
    return f"<td{kind}>{html.escape(str(value))}</td>"


def switches(names: Iterable[str]) -> str:
    """Boxes that show and hide the curves of a name in every figure."""
    boxes = "".join(
        f'<label><input type="checkbox" checked value="{html.escape(name)}"> '
        f"{html.escape(name)}</label>"
        for name in names
    )
    return f'<div class="switches">{boxes}</div>'


def figure(path: Path, caption: str, kind: str = "") -> str:
    """A drawn SVG, put into the page; names inside it are made its own."""
    svg = path.read_text(encoding="utf-8")
    svg = svg[svg.index("<svg") :]
    prefix = path.stem
    for name in set(re.findall(r'id="([^"]+)"', svg)):
        svg = svg.replace(f'id="{name}"', f'id="{prefix}-{name}"')
        svg = svg.replace(f'"#{name}"', f'"#{prefix}-{name}"')
        svg = svg.replace(f"url(#{name})", f"url(#{prefix}-{name})")
    attribute = f' class="{kind}"' if kind else ""
    return (
        f'<figure{attribute}><div class="wide">{svg}</div>'
        f"<figcaption>{html.escape(caption)}</figcaption></figure>"
    )


def markdown(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> list[str]:
    """A table in Markdown, and an empty line.

    >>> markdown(["name", "gain"], [["a", 0.12345]])
    ['| name | gain |', '|---|---:|', '| a | 0.1235 |', '']
    """
    lines = ["| " + " | ".join(heads) + " |", "|---" + "|---:" * (len(heads) - 1) + "|"]
    for row in rows:
        lines.append("| " + " | ".join(map(_plain, row)) + " |")
    return [*lines, ""]


def _plain(value: object) -> str:
    if value is None:
        return "-"
    return f"{value:.4f}" if isinstance(value, float) else str(value)
