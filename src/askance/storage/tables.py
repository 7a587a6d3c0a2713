"""Columns -> CSV or Parquet, chunk after chunk, whole or not at all."""

import csv
import json
import math
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet

from askance.errors import InvalidParameter
from askance.storage.files import write_atomically

__all__ = ["Chunk", "check_table_path", "neutral", "unmarked", "write_table"]

Chunk = Mapping[str, Any]
"""Columns of equal length, each a list or an array."""

_CSV = {".csv": ",", ".tsv": "\t"}
_PARQUET = (".parquet", ".pq")
_FORMULA = re.compile(r"[\s\x00-\x1f\x7f\ufeff]*[=+\-@\uff1d\uff0b\uff0d\uff20]|[\t\r\n]")
"""How a text begins that a spreadsheet might run, behind what it leaves out or not; also in the
full width of Japanese."""


def check_table_path(path: str | Path) -> None:
    """Refuse a path whose suffix names no format; ``-`` is standard output.

    >>> check_table_path("sample.xls")
    Traceback (most recent call last):
    askance.errors.InvalidParameter: sample.xls must end in .csv, .tsv, .parquet or .pq
    """
    if str(path) != "-" and Path(path).suffix.lower() not in (*_CSV, *_PARQUET):
        raise InvalidParameter(f"{path} must end in .csv, .tsv, .parquet or .pq")


@contextmanager
def write_table(path: str | Path, *, raw: bool = False) -> Iterator[Callable[[Chunk], None]]:
    r"""Open a table: what it gives is called with chunks of columns, and the file appears whole.

    The first chunk says which columns there are. A path ``-`` is standard output, as CSV; what was
    written there stays. Texts that a spreadsheet would run as a formula are :func:`neutral` in CSV,
    unless they are to stay ``raw``; in Parquet they always do.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "table.csv"
    >>> with write_table(path) as write:
    ...     write({"id": ["a", "b"], "size": [1.5, None]})
    >>> path.read_text()
    'id,size\na,1.5\nb,\n'
    """
    check_table_path(path)
    if str(path) == "-":
        yield _CsvWriter(sys.stdout.buffer, ",", raw)
        sys.stdout.flush()
        return
    suffix = Path(path).suffix.lower()
    with write_atomically(path) as file:
        if suffix in _CSV:
            yield _CsvWriter(file, _CSV[suffix], raw)
        else:
            with _parquet(file) as write:
                yield write


def neutral(value: Any) -> Any:
    """A text that a spreadsheet would run, with an apostrophe in front; anything else as it is.

    >>> neutral("=1+1"), neutral(" @x"), neutral("-1"), neutral("a=b"), neutral(-1.5)
    ("'=1+1", "' @x", '-1', 'a=b', -1.5)
    """
    if not (isinstance(value, str) and _FORMULA.match(value)):
        return value
    try:
        # What spreadsheets read as a number is none of their formulas: the class -1, for one.
        plain = value.strip(" ")
        float(plain if plain[0] in "+-" else "")
    except ValueError:
        return f"'{value}"
    return value


def unmarked(value: Any) -> Any:
    """What :func:`neutral` has marked, without the mark; anything else as it is.

    >>> unmarked("'=1+1"), unmarked("'tis"), unmarked(2)
    ('=1+1', "'tis", 2)
    """
    if isinstance(value, str) and value.startswith("'") and neutral(value[1:]) == value:
        return value[1:]
    return value


class _CsvWriter:
    """Writes chunks as CSV, the header first."""

    def __init__(self, file: IO[bytes], delimiter: str, raw: bool) -> None:
        self._file = file
        self._shown: Callable[[Any], Any] = (lambda value: value) if raw else neutral
        self._delimiter = delimiter
        self._started = False

    def __call__(self, chunk: Chunk) -> None:
        text = _Lines()
        # Both of its characters, and no other than these, are quoted where a cell holds them.
        writer = csv.writer(text, delimiter=self._delimiter, lineterminator="\r\n")
        if not self._started:
            writer.writerow(map(self._shown, chunk))
            self._started = True
        columns = [map(self._shown, _cells(values)) for values in chunk.values()]
        writer.writerows(zip(*columns, strict=True))
        self._file.write("".join(text).encode("utf-8", "backslashreplace"))


class _Lines(list[str]):
    """Lines of CSV, each ended by a line feed alone."""

    def write(self, line: str) -> None:
        self.append(line.removesuffix("\r\n") + "\n")


def _cells(values: Any) -> list[Any]:
    plain = values.tolist() if isinstance(values, np.ndarray) else values
    return [_cell(value) for value in plain]


def _cell(value: Any) -> Any:
    """A value as CSV has it: whole numbers without a point, lists and mappings as JSON."""
    if isinstance(value, float):
        if math.isnan(value):
            return None
        return int(value) if value.is_integer() and abs(value) < 2**53 else value
    return json.dumps(value) if isinstance(value, list | tuple | dict) else value


@contextmanager
def _parquet(file: IO[bytes]) -> Iterator[Callable[[Chunk], None]]:
    writer: Any = None

    def write(chunk: Chunk) -> None:
        nonlocal writer
        table = pa.table({name: _array(values) for name, values in chunk.items()})
        if writer is None:
            writer = pa.parquet.ParquetWriter(file, table.schema)
        writer.write_table(table.cast(writer.schema))

    try:
        yield write
        if writer is not None:
            writer.close()
    except BaseException:
        if writer is not None:
            with suppress(Exception):
                writer.close()
            # Else it would be closed again, and fail again, when it is forgotten.
            writer.is_open = False
        raise


def _array(values: Any) -> Any:
    """A column for Parquet; one of mixed kinds as JSON."""
    try:
        return pa.array(values)
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        return pa.array([None if value is None else json.dumps(value) for value in values])
