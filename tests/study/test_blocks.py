from pathlib import Path

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
