import csv
import math

import pyarrow.parquet as pq
import pytest

from askance.errors import FileUnreadable
from askance.study.design import Cell
from askance.study.store import (
    SCHEMA,
    Outcome,
    Store,
    export_results,
    read_results,
    write_results,
)
from askance.types import ResultRow

CELL = Cell("digits", "embedded", 1, "passive", "{}")
ROWS = (ResultRow(10, 10, 10, 0.25, True), ResultRow(20, 15, 90, 0.125, False))


def outcome(cell=CELL, rows=ROWS, code="v1", failure=None):
    return Outcome(cell, rows, 0.1, code, failure)


def test_rows_come_back_as_they_were_given(tmp_path):
    store = Store(tmp_path)
    store.add([outcome()])
    first, second = store.table().to_pylist()
    assert (first["error"], first["queries"]) == (0.25, 10)
    assert (second["budget"], second["queries"], second["examples"]) == (20, 15, 90)
    assert (second["dataset"], second["setting"], second["code"]) == ("digits", "{}", "v1")
    assert second["failure"] is None


def test_done_means_done_by_the_same_code(tmp_path):
    store = Store(tmp_path)
    store.add([outcome()])
    assert store.done("v1") == {CELL}
    assert store.done("v2") == set()
    assert store.done() == {CELL}


def test_an_empty_store_has_nothing(tmp_path):
    assert len(Store(tmp_path).table()) == 0
    assert Store(tmp_path / "nowhere").done() == set()


def test_compacting_changes_no_row_and_leaves_one_file_per_data_set(tmp_path):
    store = Store(tmp_path)
    for j in (2, 1, 3):
        store.add([outcome(CELL._replace(permutation=j))])
        store.add([outcome(CELL._replace(permutation=j, dataset="other"))])
    before = store.table()
    store.compact()
    assert store.table().equals(before)
    assert sorted(p.name for p in tmp_path.glob("*.parquet")) == ["digits.parquet", "other.parquet"]
    store.add([outcome(CELL._replace(permutation=4))])
    store.compact()
    assert len(store.table()) == len(before) + 2


def test_rows_in_two_files_count_once_and_the_last_wins(tmp_path):
    store = Store(tmp_path)
    store.add([outcome()])
    store.add([outcome(rows=(ROWS[0]._replace(error=0.5), ROWS[1]))])
    assert store.table()["error"].to_pylist() == [0.5, 0.125]


def test_the_order_of_arrival_does_not_show(tmp_path):
    cells = [CELL._replace(permutation=j, setting=s) for j in (1, 2) for s in ("b", "a")]
    one, two = Store(tmp_path / "one"), Store(tmp_path / "two")
    for store, order in ((one, cells), (two, cells[::-1])):
        with store.writing(""):
            for cell in order:
                store.add([outcome(cell)])
    assert one.table().to_pylist() == two.table().to_pylist()


def test_a_failure_is_a_row_until_the_cell_succeeds(tmp_path):
    store = Store(tmp_path)
    store.add([outcome(rows=(), failure="ValueError: no"), outcome(CELL._replace(permutation=2))])
    (row,) = (row for row in store.table().to_pylist() if row["failure"])
    assert (row["budget"], row["failure"]) == (0, "ValueError: no")
    assert math.isnan(row["error"])
    assert CELL in store.done("v1")
    assert CELL not in store.done("v1", failed=False)
    store.add([outcome()])
    assert not any(row["failure"] for row in store.table().to_pylist())
    assert len(store.table()) == 4


def test_two_writers_are_refused(tmp_path, refused):
    store = Store(tmp_path)
    with (
        store.writing("a"),
        refused(FileUnreadable, "another run"),
        Store(tmp_path).writing("b"),
    ):
        pass
    assert store.study_path.read_text() == "a"
    with store.writing("b"):
        pass
    assert store.study_path.read_text() == "b"


def test_half_written_files_are_swept(tmp_path, killed_while_writing):
    store = Store(tmp_path)
    leftover = killed_while_writing(tmp_path / "part-0000001.parquet")
    assert len(store.table()) == 0
    with store.writing(""):
        assert not leftover.exists()


def test_a_foreign_file_is_named(tmp_path, refused):
    (tmp_path / "a.parquet").write_bytes(b"nonsense")
    with refused(FileUnreadable, "a.parquet is not a results file"):
        read_results(tmp_path)


@pytest.mark.parametrize("name", ["all.csv", "all.parquet", "folder"])
def test_exports_hold_every_row(name, tmp_path):
    store = Store(tmp_path / "store")
    with store.writing(""):
        store.add([outcome()])
    (path,) = export_results(store, tmp_path / name)
    if path.suffix == ".csv":
        with path.open(newline="") as file:
            header, *lines = csv.reader(file)
        assert header == SCHEMA.names
        assert lines == [
            ["digits", "embedded", "1", "passive", "{}", "10", "10", "10", "0.25", "0.1", "v1", ""],
            [
                "digits",
                "embedded",
                "1",
                "passive",
                "{}",
                "20",
                "15",
                "90",
                "0.125",
                "0.1",
                "v1",
                "",
            ],
        ]
    else:
        assert pq.read_table(path).to_pylist() == store.table().to_pylist()


def test_an_export_of_nothing_has_the_names(tmp_path):
    (path,) = export_results(Store(tmp_path), tmp_path / "all.csv")
    assert path.read_text() == ",".join(SCHEMA.names) + "\n"


@pytest.mark.parametrize("raw", [False, True])
def test_texts_that_a_spreadsheet_would_run_are_neutral_unless_raw(raw, tmp_path):
    store = Store(tmp_path / "store")
    with store.writing(""):
        store.add([outcome(CELL._replace(dataset="=1+1"))])
    (path,) = export_results(store, tmp_path / "all.csv", raw=raw)
    assert path.read_text().count("'=1+1") == (0 if raw else 2)


def test_written_results_are_results(tmp_path):
    store = Store(tmp_path / "store")
    with store.writing(""):
        store.add([outcome()])
    write_results(store.table(), tmp_path / "results")
    assert read_results(tmp_path / "results").equals(store.table())


def test_finished_results_are_taken_in_once_and_overwrite_nothing(tmp_path):
    other = CELL._replace(permutation=2)
    store, finished = Store(tmp_path / "store"), Store(tmp_path / "finished")
    with finished.writing(""):
        finished.add(
            [outcome(rows=(ROWS[0]._replace(error=0.75),), code="v0"), outcome(other, code="v0")]
        )
    with store.writing(""):
        store.add([outcome()])
        for _ in range(2):
            store.adopt(finished.folder)
            assert store.done() == {CELL, other}
            assert store.done("v1") == {CELL}
            assert len(store.table()) == 4
    assert len(list(store.folder.glob("part-*"))) == 2
    with finished.writing(""):
        finished.adopt(tmp_path / "nowhere")


def test_many_parts_are_merged_on_the_way(tmp_path, monkeypatch):
    monkeypatch.setattr("askance.study.store.PARTS", 3)
    store = Store(tmp_path)
    for j in range(1, 9):
        store.add([outcome(CELL._replace(permutation=j))])
        assert len(list(tmp_path.glob("part-*"))) <= 3
    assert len(store.done()) == 8


@pytest.mark.parametrize("name", ["../x", "a\x1b[0m", "part-1", ""])
def test_results_of_others_lead_nowhere_else(name, tmp_path, refused):
    store = Store(tmp_path / "deep" / "store")
    with store.writing(""):
        store.add([outcome(CELL._replace(dataset=name))])
        before = sorted(tmp_path.rglob("*"))
        with refused(FileUnreadable, "a data set's name must be"):
            store.compact()
    assert sorted(tmp_path.rglob("*")) == before
