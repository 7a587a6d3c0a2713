from pathlib import Path

import pytest

from askance.errors import FileUnreadable
from askance.theory.experiments import EXPERIMENTS
from askance.theory.report import (
    cell_text,
    fill_tables,
    load_result,
    markdown_table,
    save_result,
    write_text,
)

DOCS = Path(__file__).parents[2] / "docs"


def test_results_survive_the_disk(tmp_path: Path) -> None:
    save_result({"table": [{"a": 1 / 3, "b": (1, 2)}]}, tmp_path / "new" / "x.json")
    assert load_result(tmp_path / "new" / "x.json") == {"table": [{"a": 0.333333, "b": [1, 2]}]}
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["x.json"]


def test_a_broken_result_is_reported(tmp_path: Path) -> None:
    write_text(tmp_path / "x.json", "{")
    with pytest.raises(FileUnreadable, match=r"x.json must be a JSON result"):
        load_result(tmp_path / "x.json")


def test_tables_show_whole_numbers_whole() -> None:
    assert markdown_table([{"n": 100000.0, "p": 0.5, "name": "a"}]).splitlines()[-1] == (
        "| 100,000 | 0.5 | a |"
    )


def test_large_numbers_have_one_format() -> None:
    cells = [1001, 1001.0, 99_998.4, 71_600.2, 999.96, 999.94, 1.8286e9, True, 2.8e-05]
    assert [cell_text(cell) for cell in cells] == [
        *("1,001", "1,001", "99,998", "71,600", "1,000", "999.9", "1,828,600,000"),
        *("True", "2.8e-05"),
    ]


def test_only_the_named_marker_is_filled() -> None:
    text = "<!-- a.table -->\nold\n<!-- end -->\n<!-- b.table -->\nkept\n<!-- end -->"
    filled = fill_tables(text, "a", {"table": [{"n": 1}], "other": [{"n": 2}], "figure": {}})
    assert "old" not in filled
    assert "kept" in filled
    assert fill_tables(filled, "a", {"table": [{"n": 1}]}) == filled


def test_the_documents_tables_are_those_of_the_committed_results() -> None:
    document = (DOCS / "theory.md").read_text(encoding="utf-8")
    refilled = document
    for file in (DOCS / "theory").glob("*.json"):
        refilled = fill_tables(refilled, file.stem, load_result(file))
    assert refilled == document
    for name in EXPERIMENTS:
        assert f"<!-- {name}.table -->" in document
