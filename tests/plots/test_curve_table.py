from dataclasses import replace

from rich.console import Console

from askance.plots.curve_table import table
from askance.types import Interval


def test_the_table_has_a_row_for_each_doubling_and_says_how_it_ended(curve):
    console = Console(width=100)
    with console.capture() as capture:
        console.print(table([curve([0.3, 0.1, 0.05, 0.03], asked=85)], 0.04, step=2))
    text = capture.get()
    lines = [line.split("│")[1:3] for line in text.splitlines() if line.startswith("│")]
    cells = {left.strip(): right.strip() for left, right in lines}
    assert cells["10"] == "30 (24-36)"
    assert cells["40"] == "5.0 (4.0-6.0)"
    assert "20" not in cells, "two budgets for each doubling, one of them shown"
    assert cells["at the end"] == "2.0"
    assert cells["labels asked"] == "85"
    assert cells["labels for 4"] == "80"


def test_a_budget_that_was_not_reached_has_no_error_in_the_table(curve):
    errors = [0.3, 0.1, 0.05, 0.03, 0.02]
    console = Console(width=100)
    with console.capture() as capture:
        console.print(table([curve(errors, asked=25), curve(errors, asked=45)]))
    lines = [line.split("│") for line in capture.get().splitlines() if line.startswith("│")]
    cells = {line[1].strip(): [cell.strip() for cell in line[2:4]] for line in lines}
    assert cells["40"] == ["-", "5.0 (4.0-6.0)"]
    assert "160" not in cells, "nobody asked so many"


def test_costs_are_whole_in_eighty_columns(curve):
    """Six contestants of ``compare``; large costs are written out."""
    medians = [1234.5, 21.0, 0.275]
    curves = [curve(medians, 45, 123456.0, f"iwal {i}") for i in range(6)]
    console = Console(width=80)
    with console.capture() as capture:
        console.print(table(curves, measure="test cost"))
    text = capture.get()
    assert "Test cost: median" in text
    assert "\N{HORIZONTAL ELLIPSIS}" not in text
    assert "e+" not in text
    columns = [
        line.split("\N{BOX DRAWINGS LIGHT VERTICAL}")[2].strip()
        for line in text.splitlines()
        if line.startswith("\N{BOX DRAWINGS LIGHT VERTICAL}")
    ]
    assert " ".join(columns).startswith(
        "1,234 (988 - 1,481) 21 (17 - 25) 0.28 (0.22 - 0.33) 123,456"
    )


def test_what_labels_say_by_themselves_stands_below(curve):
    said = Interval(0.14, 0.051, 0.3, 0.95, "error", "at any time")
    known, unknown = replace(curve([0.3], asked=25), judged=said), curve([0.3], asked=45)
    console = Console(width=100)
    with console.capture() as capture:
        console.print(table([known, unknown]))
        console.print(table([unknown]))
    rows = [line.split("│")[1:-1] for line in capture.get().splitlines() if "by labels" in line]
    assert [[cell.strip() for cell in row] for row in rows] == [
        ["by labels, %", "14 (5.1-30)", "-"]
    ]
