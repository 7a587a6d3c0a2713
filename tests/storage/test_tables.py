"""Tables in files: what is written is what others read, whole or not at all."""

import csv
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askance.errors import InvalidParameter
from askance.storage.tables import neutral, unmarked, write_table

CHUNKS = [
    {"id": ["a", 'say "b", twice'], "size": np.array([1.5, np.nan]), "n": np.array([1, 2])},
    {"id": ["line\nbreak"], "size": np.array([-3.0]), "n": np.array([3])},
]


def written(path: Path, chunks: Iterable[Any]) -> Path:
    with write_table(path) as write:
        for chunk in chunks:
            write(chunk)
    return path


@pytest.mark.parametrize(("name", "delimiter"), [("t.csv", ","), ("T.TSV", "\t")])
def test_csv_is_read_by_others(name: str, delimiter: str, tmp_path: Path) -> None:
    with written(tmp_path / name, CHUNKS).open(newline="") as file:
        rows = list(csv.reader(file, delimiter=delimiter))
    assert rows == [
        ["id", "size", "n"],
        ["a", "1.5", "1"],
        ['say "b", twice', "", "2"],
        ["line\nbreak", "-3", "3"],
    ]


def test_parquet_is_read_by_others(tmp_path: Path) -> None:
    table = pa.parquet.read_table(written(tmp_path / "t.parquet", CHUNKS))
    assert table.column_names == ["id", "size", "n"]
    assert [str(kind) for kind in table.schema.types] == ["string", "double", "int64"]
    assert table["id"].to_pylist() == ["a", 'say "b", twice', "line\nbreak"]
    assert table["size"].to_pylist()[::2] == [1.5, -3.0]
    assert table["n"].to_pylist() == [1, 2, 3]


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1))
def test_numbers_survive_csv(numbers: list[float]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = written(Path(folder) / "t.csv", [{"x": numbers}])
        assert [float(line) for line in path.read_text().splitlines()[1:]] == numbers


def test_lists_mappings_and_mixtures_are_json(tmp_path: Path) -> None:
    chunk = {"tags": [["red"], None], "mixed": [1, "one"]}
    lines = written(tmp_path / "t.csv", [chunk]).read_text().splitlines()
    assert lines == ["tags,mixed", '"[""red""]",1', ",one"]
    table = pa.parquet.read_table(written(tmp_path / "t.pq", [chunk]))
    assert table["tags"].to_pylist() == [["red"], None]
    assert table["mixed"].to_pylist() == ["1", '"one"']


@pytest.mark.parametrize("name", ["t.csv", "t.parquet"])
def test_what_fails_in_the_middle_leaves_nothing(name: str, tmp_path: Path) -> None:
    def chunks() -> Iterator[Any]:
        yield CHUNKS[0]
        raise KeyError

    with pytest.raises(KeyError):
        written(tmp_path / name, chunks())
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["t.csv", "t.parquet"])
def test_no_rows_are_a_header(name: str, tmp_path: Path) -> None:
    path = written(tmp_path / name, [{"id": np.array([], np.str_), "p": np.zeros(0)}])
    if name.endswith("csv"):
        assert path.read_text() == "id,p\n"
    else:
        assert [str(kind) for kind in pa.parquet.read_schema(path).types] == ["string", "double"]


def test_standard_output_is_csv(capfdbinary: Any) -> None:
    written(Path("-"), [{"id": ["é"]}])
    assert capfdbinary.readouterr().out == "id\né\n".encode()


def test_other_formats_are_refused(refused: Any) -> None:
    for name in ("t.xls", "t"):
        with refused(InvalidParameter, f"{name} must end in .csv, .tsv, .parquet or .pq"):
            written(Path(name), CHUNKS)


FORMULAS = [
    *("=1+1|cmd", "+a", "-b", "@x", "\tt", "\rr", "\nn"),
    *(" =1+1", "\x00=1", "\u00a0@x", "\ufeff+a", " \t -b", "\n=1", "\uff1d1+1", "\uff20x", "\t-1"),
]


def test_formulas_do_not_run_in_a_spreadsheet(tmp_path: Path) -> None:
    texts = [*FORMULAS, "-1", "+1", " -1 ", "-2.5e3", "a=1", " a", "", None, -3]
    for name in ("a.csv", "b.tsv"):
        with write_table(tmp_path / name) as write:
            write({"=id": texts, "n": np.full(len(texts), -0.5)})
        with (tmp_path / name).open(newline="") as file:
            head, *lines = csv.reader(file, delimiter="\t" if name == "b.tsv" else ",")
        assert head == ["'=id", "n"]
        plain = ["-1", "+1", " -1 ", "-2.5e3", "a=1", " a", "", "", "-3"]
        assert [line[0] for line in lines] == [f"'{text}" for text in FORMULAS] + plain
        assert {line[1] for line in lines} == {"-0.5"}


@given(st.text(st.sampled_from("=+-@\t\n '\ufeffa1.")))
def test_a_mark_is_taken_off_again(text: str) -> None:
    marked = neutral(text)
    assert unmarked(marked) == text or (marked == text and text.startswith("'"))


def test_formulas_can_be_kept(tmp_path: Path) -> None:
    for name, raw in (("a.csv", True), ("b.parquet", False)):
        with write_table(tmp_path / name, raw=raw) as write:
            write({"id": FORMULAS})
    with (tmp_path / "a.csv").open(newline="") as file:
        assert [line[0] for line in csv.reader(file)] == ["id", *FORMULAS]
    assert pa.parquet.read_table(tmp_path / "b.parquet")["id"].to_pylist() == FORMULAS
