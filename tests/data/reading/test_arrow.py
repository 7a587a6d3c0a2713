import pyarrow as pa
import pyarrow.parquet
import pytest

from askance.data.reading.arrow import parquet_batches, read_table
from askance.errors import BadRecord


def test_several_files_make_one_table():
    table = read_table([b"a,1\nb,2\n", b"b,2.5\nc,\n"], words=["f0"])
    words = table["f0"]
    assert [words.values[code] for code in words.codes] == ["a", "b", "b", "c"]
    assert table["f1"].tolist()[:3] == [1.0, 2.0, 2.5]
    assert table["f1"][3] != table["f1"][3]


def test_a_header_and_lines_after_it():
    table = read_table(b"x\ty\nd\td\n\t\n1\tu\n", words=["y"], delimiter="\t", header=True, skip=2)
    assert table["x"].tolist() == [1.0]


def test_rows_of_unequal_length_are_refused():
    with pytest.raises(BadRecord, match="Expected 2 columns, got 1"):
        read_table(b"1,2\n3\n")


def test_parquet_with_a_column_name_that_is_not_utf8(tmp_path, refused):
    path = tmp_path / "plans.parquet"
    table = pa.table({"plan": ["a", "b"]})
    with path.open("wb") as file:
        pa.parquet.write_table(table, file, store_schema=False)
    path.write_bytes(path.read_bytes().replace(b"plan", b"pl\xffn"))
    with refused(BadRecord, "has column names that are not UTF-8: b'pl\\xffn'"):
        list(parquet_batches(str(path), "plans.parquet", lambda names: None))
