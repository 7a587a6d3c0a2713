import html
from pathlib import Path

from markdown_it import MarkdownIt

from askance.study.blocks import Drawing, Heading, Live, TableBlock, Text, markdown


def test_a_report_as_text():
    text = markdown(
        [
            Heading("T", 1),
            Text("a* < b"),
            Text("Beware.", warns=True),
            Live({}, "gone"),
            Drawing(Path("far/away/curve.svg"), "A curve."),
            TableBlock(["x", "y"], [["a", 0.25], ["b", 3]]),
        ]
    )
    assert text.split("\n\n") == [
        "# T",
        "a\\* \\< b",
        "**Beware.**",
        "![A curve.](curve.svg)",
        "A curve.",
        "| x | y |\n|---|---:|\n| a | 0.2500 |\n| b | 3 |\n",
    ]


def test_names_make_no_marks():
    name = "<b>|*x*|`y`|[z](u)|$a$|&lt;|~~s~~|_e_|\\"
    (table,) = markdown([TableBlock([name], [[name]])]).split("\n\n")
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    body = parser.render(table)
    assert body.count(html.escape(name)) == 2
    assert body.count("<td") == body.count("<th>") == 1
    for tag in ("<b>", "<em>", "<code>", "<a ", "<s>"):
        assert tag not in body
