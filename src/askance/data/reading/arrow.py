"""The only module that reads with pyarrow: CSV and Parquet to plain columns, and zstd."""

import bisect
import contextlib
import io
import mmap
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any, BinaryIO, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute
import pyarrow.csv
import pyarrow.parquet

from askance.data.features.columns import Column, Numbers, Objects, Struct, Words
from askance.data.text.libsvm import LONGEST_LINE
from askance.errors import BadRecord

__all__ = [
    "MISSING",
    "csv_batches",
    "first_row",
    "first_text",
    "open_zstd",
    "parquet_batches",
    "parquet_errors",
    "read_table",
    "rows_in_groups",
    "to_column",
    "to_numbers",
    "to_texts",
    "to_values",
]

Buffer = bytes | mmap.mmap

Check = Callable[[Collection[str]], Collection[str] | None]
"""Called with the names of the columns before any row is read, to refuse them.

It may say which ones are wanted, where the others need not be read.
"""

MISSING = ("", "NA", "N/A", "NaN", "nan", "null", "NULL")
"""What stands in CSV, unless it is quoted, where a value is missing."""

_WORDS = pa.dictionary(pa.int32(), pa.string())
_BLOCK = 1 << 20
_RAGGED = re.compile(r"(?s)(?:Row #(\d+): )?Expected (\d+) columns, got (\d+): ?(.*)")


def open_zstd(raw: BinaryIO) -> BinaryIO:
    """Undo zstd compression."""
    stream = pa.CompressedInputStream(raw, "zstd")
    return cast(BinaryIO, io.BufferedReader(stream, _BLOCK))


def read_table(
    content: Buffer | Sequence[Buffer],
    words: Collection[str] = (),
    delimiter: str = ",",
    header: bool = False,
    skip: int = 0,
) -> dict[str, Column]:
    r"""Read whole CSV files whose layout is known: ``words`` are strings, all else numbers.

    Without a header the columns are called f0, f1, and so on; ``skip`` leaves out rows after it.

    >>> read_table(b"a,1\nb,2\n", words=["f0"])["f1"].tolist()
    [1.0, 2.0]
    """
    options = {
        "read_options": pa.csv.ReadOptions(
            autogenerate_column_names=not header, skip_rows_after_names=skip, block_size=_BLOCK
        ),
        "parse_options": pa.csv.ParseOptions(delimiter=delimiter),
        "convert_options": pa.csv.ConvertOptions(
            column_types=dict.fromkeys(words, _WORDS), strings_can_be_null=False
        ),
    }
    contents = [content] if isinstance(content, Buffer) else content
    try:
        tables = [pa.csv.read_csv(pa.BufferReader(part), **options) for part in contents]
        table = pa.concat_tables(tables, promote_options="permissive")
    except pa.ArrowInvalid as error:
        raise BadRecord(_first_sentence(error)) from error
    table = table.unify_dictionaries().combine_chunks()
    return {name: to_column(name, table[name].combine_chunks()) for name in table.column_names}


def csv_batches(
    stream: Any, source: str, delimiter: str, check: Check, missing: Sequence[str] = MISSING
) -> Iterator[dict[str, Any]]:
    """Read CSV with a header, block by block, all as strings; an empty field is missing."""
    try:
        line = stream.readline(LONGEST_LINE)
        names = _header(line, source, delimiter)
        wanted = list(check(names) or names)
        if not stream.peek(1):
            return
        with pa.csv.open_csv(
            stream,
            read_options=pa.csv.ReadOptions(
                # A row must fit into a block: with many columns it is as long as their names.
                column_names=names,
                block_size=max(_BLOCK, 16 * len(line)),
                use_threads=False,
            ),
            parse_options=pa.csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
            convert_options=pa.csv.ConvertOptions(
                include_columns=wanted,
                column_types=dict.fromkeys(names, pa.string()),
                null_values=list(missing),
                strings_can_be_null=True,
                quoted_strings_can_be_null=False,
            ),
        ) as reader:
            for batch in reader:
                yield dict(zip(wanted, batch.columns, strict=True))
    except pa.ArrowInvalid as error:
        raise BadRecord(_csv_error(source, error)) from error


def _header(line: bytes, source: str, delimiter: str) -> list[str]:
    if not line.strip():
        raise BadRecord(f"{source} is empty, a header line was expected")
    if len(line) == LONGEST_LINE:
        raise BadRecord(f"{source} has a first line of {LONGEST_LINE >> 20} MB or more")
    try:
        line.decode()
    except UnicodeDecodeError as error:
        found = line[max(0, error.start - 20) : error.start + 20]
        raise BadRecord(f"{source} has column names that are not UTF-8: {found!r}") from None
    parsed = pa.csv.read_csv(
        io.BytesIO(line.rstrip(b"\r\n") + b"\n"),
        read_options=pa.csv.ReadOptions(autogenerate_column_names=True, block_size=len(line) + 2),
        parse_options=pa.csv.ParseOptions(delimiter=delimiter),
        convert_options=pa.csv.ConvertOptions(
            column_types={f"f{i}": pa.string() for i in range(line.count(delimiter.encode()) + 1)},
            strings_can_be_null=False,
        ),
    )
    return [str(column[0].as_py()).strip() for column in parsed.columns]


def _csv_error(source: str, error: Exception) -> str:
    # From the text, because a handler of bad rows is not called for those that are not UTF-8.
    ragged = _RAGGED.search(str(error))
    if ragged:
        number, expected, found, text = ragged.groups()
        where = f"row {int(number):,}" if number else "a row"
        return f"{where} of {source} has {found} fields where {expected} were expected: " + repr(
            text[:60]
        )
    if "straddling" in str(error):
        return (
            f"{source} has a row of more than {_BLOCK >> 20} MB, too long for CSV: shorten it, or "
            "write the file as JSON lines or Parquet"
        )
    return f"{source} cannot be read as CSV: {_first_sentence(error)}"


def parquet_batches(
    path: str | BinaryIO, source: str, check: Check, groups: Sequence[int] | None = None
) -> Iterator[dict[str, Any]]:
    """Read Parquet batch by batch: all of it, or some row groups."""
    with parquet_errors(source), pa.parquet.ParquetFile(path) as file:
        names = file.schema_arrow.names
        wanted = check(names)
        # Threads take twice the processor time to read small batches, and --jobs needs none.
        batches = file.iter_batches(
            batch_size=1 << 14,
            row_groups=groups,
            columns=None if wanted is None or len(wanted) == len(names) else list(wanted),
            use_threads=False,
        )
        for batch in batches:
            yield dict(zip(batch.schema.names, batch.columns, strict=True))


@contextlib.contextmanager
def parquet_errors(source: str) -> Iterator[None]:
    """Say in one sentence why a file cannot be read as Parquet."""
    try:
        yield
    except UnicodeDecodeError as error:
        # Only names are decoded here; values are when they are looked at.
        raise BadRecord(
            f"{source} has column names that are not UTF-8: {error.object!r:.60}"
        ) from None
    except pa.ArrowInvalid as error:
        raise BadRecord(f"{source} cannot be read as Parquet: {_first_sentence(error)}") from error


def rows_in_groups(path: str | BinaryIO) -> list[int]:
    """How many rows each row group of a Parquet file has."""
    with pa.parquet.ParquetFile(path) as file:
        return [file.metadata.row_group(i).num_rows for i in range(file.num_row_groups)]


def first_row(path: str | BinaryIO) -> str:
    """The first row of a Parquet file, as text."""
    with pa.parquet.ParquetFile(path) as file:
        batch = next(file.iter_batches(batch_size=1, use_threads=False), None)
        return "" if batch is None else repr(batch.to_pylist())


def to_column(name: str, array: Any) -> Column:
    """Turn an arrow array into plain arrays; whole numbers and booleans become float64."""
    kind = array.type
    if pa.types.is_null(kind):
        return np.full(len(array), np.nan)
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        array = array.dictionary_encode()
        kind = array.type
    if pa.types.is_dictionary(kind):
        return _words(array)
    if pa.types.is_boolean(kind) or _is_number(kind):
        return _floats(array)
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return Objects(array.to_pylist())
    if pa.types.is_struct(kind):
        children = zip(kind, array.flatten(), strict=True)
        return Struct({field.name: to_column(name, child) for field, child in children})
    raise BadRecord(
        f"column {name!r} has type {kind}, expected numbers, booleans, strings, lists or structs"
    )


def to_texts(name: str, array: Any) -> list[str | None]:
    """Write a column of ids as strings, whole numbers without loss."""
    kind = array.type
    if pa.types.is_nested(kind) or pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
        raise BadRecord(f"the id column {name!r} has type {kind}, expected strings or numbers")
    try:
        texts: list[str | None] = array.cast(pa.string()).to_pylist()
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, UnicodeDecodeError):
        raise BadRecord(
            f"the id column {name!r} of type {kind} cannot be written as text"
        ) from None
    return texts


def to_values(name: str, array: Any) -> list[Any]:
    """A column as plain values, None where one is missing."""
    try:
        values: list[Any] = array.to_pylist()
    except UnicodeDecodeError:
        raise BadRecord(f"column {name!r} has a string that is not UTF-8") from None
    return values


def to_numbers(array: Any) -> Numbers | None:
    """Read strings as numbers or true/false; None if one of them is neither."""
    try:
        return _floats(pa.compute.cast(pa.compute.utf8_trim_whitespace(array), pa.float64()))
    except pa.ArrowInvalid:
        pass
    words = _words(array.dictionary_encode())
    if not set(map(str.lower, words.values)) <= {"true", "false"}:
        return None
    truth = np.array([float(value.lower() == "true") for value in words.values] + [np.nan])
    return np.asarray(truth[words.codes])


def first_text(array: Any) -> tuple[int, str]:
    """Find the first string that keeps a column from being numbers: its place and the string."""
    place = bisect.bisect(range(len(array)), 0, key=lambda i: to_numbers(array[: i + 1]) is None)
    return place, str(array[place])


def _is_number(kind: Any) -> bool:
    checks = (pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal)
    return any(check(kind) for check in checks)


def _floats(array: Any) -> Numbers:
    floats = pa.compute.cast(array, pa.float64(), safe=False)
    return np.asarray(floats.to_numpy(zero_copy_only=False))


def _words(array: Any) -> Words:
    codes = array.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int32, copy=False)
    try:
        return Words(codes, array.dictionary.cast(pa.string()).to_pylist())
    except UnicodeDecodeError as error:
        raise BadRecord(f"a string is not UTF-8: {error.object[:60]!r}") from None


def _first_sentence(error: Exception) -> str:
    return str(error).splitlines()[0]
