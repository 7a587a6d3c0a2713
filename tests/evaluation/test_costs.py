"""Costs by the names of the classes, in whatever order."""

from pathlib import Path
from typing import Any

import pytest

from askance.errors import BadRecord
from askance.evaluation.costs import read_costs


def test_rows_and_columns_may_stand_in_any_order(here: Path) -> None:
    Path("c.csv").write_text("label,yes,no\nno,1,0\nyes,0,10\n")
    costs = read_costs("c.csv")
    assert costs.classes == ("no", "yes")
    assert costs.table.tolist() == [[0, 1], [10, 0]]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("label,yes,no\nno,1,0\n", ["the same classes by rows and by columns, got 'no' and"]),
        ("label,yes\nyes,1\n", ["the same classes"]),
        ("label,yes,no\nno,1,0\nno,0,1\n", ["the same classes"]),
        ("label,yes,no\nno,1,0\nyes,much,0\n", ["has a cost that is no number"]),
        ("label,yes,no\nno,1,0\nyes,,0\n", ["has a cost that is no number"]),
        ("label\nno\n", ["got 'no' and none"]),
        ("", ["c.csv is empty"]),
    ],
)
def test_other_tables_take_one_sentence(
    here: Path, refused: Any, text: str, parts: list[str]
) -> None:
    Path("c.csv").write_text(text)
    with refused(BadRecord, *parts):
        read_costs("c.csv")
