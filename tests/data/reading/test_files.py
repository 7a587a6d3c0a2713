from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from askance.data.reading.files import (
    PIECE_ROWS,
    Piece,
    each_source,
    find_files,
    require_rereadable_files,
)
from askance.data.reading.intake import Intake, Reading
from askance.data.reading.readers import pieces_of, read, read_batches
from askance.errors import BadRecord, FileUnreadable


@pytest.fixture
def parts(tmp_path):
    (tmp_path / "b.csv").write_text("age,spam\n3,yes\n")
    (tmp_path / "a.csv").write_text("age,spam\n1,no\n2,yes\n")
    return tmp_path


def test_patterns_give_sorted_files_each_once(parts):
    names = [str(parts / "a.csv"), str(parts / "b.csv")]
    assert find_files(f"{parts}/*.csv") == names
    assert find_files([names[1], f"{parts}/?.csv", names[0]]) == names


def test_a_file_that_looks_like_a_pattern_is_a_file(parts):
    odd = parts / "a[1].csv"
    odd.write_text("age\n1\n")
    assert find_files(odd) == [str(odd)]


def test_a_pattern_that_matches_nothing_is_an_error(parts):
    with pytest.raises(FileUnreadable, match="no file matches the pattern"):
        find_files([str(parts / "a.csv"), f"{parts}/*.tsv"])


def test_several_files_are_read_as_one(parts):
    intake = Intake(f"{parts}/*.csv", Reading(label="spam"))
    assert intake.source == f"{parts}/a.csv and 1 more"
    batches = list(intake.batches())
    assert [id for batch in batches for id in batch.ids] == ["1", "2", "3"]
    assert np.concatenate([batch.labels for batch in batches]).tolist() == [-1, 1, 1]


def test_an_error_names_the_file_and_its_own_row(parts):
    (parts / "c.csv").write_text("age,spam\n4,no\nold,no\n")
    with pytest.raises(BadRecord, match=r"row 2 of .*c\.csv has 'old'"):
        list(read_batches(find_files(f"{parts}/*.csv")))


def test_every_table_must_have_the_columns_of_the_first(parts):
    (parts / "c.csv").write_text("spam,age,more\nno,4,1\n")
    (parts / "d.csv").write_text("age\n4\n")
    assert len(list(Intake(f"{parts}/[abc].csv", Reading(label="spam")))) == 3
    with pytest.raises(BadRecord, match=r"d\.csv has no column 'spam', 'more' as other files have"):
        list(read_batches(find_files(f"{parts}/*.csv")))
    # What is left out need not be there.
    left_out = Intake(f"{parts}/[abd].csv", Reading(ignore=("spam",)))
    assert sum(len(rows.batch.ids) for rows in left_out) == 4


def test_pieces_count_their_rows_and_cover_every_row_once(parts):
    rows = PIECE_ROWS + 3000
    table = pa.table({"age": np.arange(rows, dtype=float)})
    pa.parquet.write_table(table, parts / "c.parquet", row_group_size=PIECE_ROWS // 2)
    pieces = pieces_of(find_files([f"{parts}/*.csv", f"{parts}/*.parquet"]))
    assert [piece.rows for piece in pieces] == [2, 1, PIECE_ROWS, 3000]
    assert [piece.first for piece in pieces] == [0, 2, 3, 3 + PIECE_ROWS]
    last = list(read(pieces[-1]))
    assert last[0].id == str(4 + PIECE_ROWS)
    assert last[0].fields["age"] == PIECE_ROWS
    assert len(last) == 3000
    assert list(each_source(pieces[0])) == [pieces[0]]


def test_a_piece_is_the_whole_file_unless_it_names_row_groups(parts):
    records = list(read(Piece(str(parts / "a.csv"), before=7)))
    assert [record.id for record in records] == ["8", "9"]


def test_parquet_that_is_none_is_said_in_one_sentence(parts):
    (parts / "d.parquet").write_bytes(b"nothing")
    with pytest.raises(BadRecord, match=r"d\.parquet cannot be read as Parquet"):
        pieces_of([str(parts / "d.parquet")])


def test_rows_are_counted_whatever_they_hold(tmp_path):
    """A line is not always a row, and what is wrong in a row is said when it is read."""
    path = tmp_path / "a.csv"
    path.write_text('x,text\n1,"two\nlines"\nword,"a ""quoted""\n\nword"\n,\n')
    assert pieces_of([str(path)])[0].rows == 3
    (tmp_path / "a.jsonl").write_text('{"x": 1}\n\n{"x": "word"}\n')
    assert pieces_of([str(tmp_path / "a.jsonl")])[0].rows == 2


def test_ignored_columns_are_not_read(tmp_path, monkeypatch):
    path = tmp_path / "a.parquet"
    pa.parquet.write_table(pa.table({"x": [1.0, 2.0], "raw": [b"\xff", b"\xfe"]}), path)
    asked = []
    original = pa.parquet.ParquetFile.iter_batches

    def noting(self, *arguments, **options):
        asked.append(options["columns"])
        return original(self, *arguments, **options)

    monkeypatch.setattr(pa.parquet.ParquetFile, "iter_batches", noting)
    (rows,) = Intake(path, Reading(ignore=("raw",)))
    assert list(rows.batch.content) == ["x"]
    assert asked == [["x"]]


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_a_table_of_ignored_columns_has_its_rows(tmp_path, form):
    path = tmp_path / f"a.{form}"
    if form == "csv":
        path.write_text("x,y\n1,2\nword,3\n")
    else:
        pa.parquet.write_table(pa.table({"x": [b"1", b"2"], "y": [1, 2]}), path)
    (rows,) = Intake(path, Reading(ignore=("x", "y")))
    assert (rows.batch.content, list(rows.batch.ids)) == ({}, ["1", "2"])


def test_how_a_path_is_spelled_does_not_matter(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("a.csv", "b.csv"):
        Path(name).write_text("x\n1\n")
    spellings = ["./b.csv", "a.csv"], ["b.csv", "a.csv"], ["b.csv", f"{tmp_path}/a.csv"]
    found = [[Path(name).resolve() for name in find_files(given)] for given in spellings]
    assert found == [[tmp_path / "a.csv", tmp_path / "b.csv"]] * 3
    assert len(find_files(["./a.csv", "a.csv", f"{tmp_path}/a.csv", "?.csv"])) == 2
    assert find_files("-") == ["-"]


def test_a_path_through_a_link_leads_where_the_system_says(tmp_path):
    (tmp_path / "real" / "sub").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "real" / "sub")
    for folder in (tmp_path, tmp_path / "real"):
        (folder / "a.csv").write_text(f"x\n{folder.name}\n")
    through = str(tmp_path / "link" / ".." / "a.csv")
    (found,) = find_files(through)
    assert Path(found).read_text() == "x\nreal\n"
    assert find_files([through, str(tmp_path / "real" / "a.csv")]) == [
        min(through, str(tmp_path / "real" / "a.csv"))
    ]


def test_a_folder_is_said_to_be_one(tmp_path):
    with pytest.raises(FileUnreadable, match="is a folder: name its files, or a pattern"):
        require_rereadable_files([str(tmp_path)], "it is read twice")
