"""Files -> records, in constant memory: CSV, TSV, Parquet, JSON lines, LIBSVM and VW text.

All but Parquet may be compressed (gzip, bzip2, xz, zstd) or come from standard input; Parquet from
there, or compressed as a whole, is first copied to a temporary file.
"""

import contextlib
import hashlib
import json
import re
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path, PurePath
from typing import Any, BinaryIO

import numpy as np

from askance.data.features.columns import Column, Words, some_of, values_of
from askance.data.features.records import Batch, Content, Record
from askance.data.reading.arrow import (
    MISSING,
    Check,
    csv_batches,
    first_row,
    first_text,
    parquet_batches,
    parquet_errors,
    rows_in_groups,
    to_column,
    to_numbers,
    to_texts,
    to_values,
)
from askance.data.reading.files import PIECE_ROWS, Piece, Sources, each_source
from askance.data.reading.labels import AnyLabels, LabelColumn, LabelReader, Labels
from askance.data.reading.remote import is_address
from askance.data.reading.sources import PACKED, open_bytes, open_raw, readable
from askance.data.text.libsvm import LONGEST_LINE, libsvm_batches
from askance.data.text.vwtext import vw_batches
from askance.errors import BadRecord, InvalidParameter

__all__ = [
    "Batch",
    "Record",
    "digest_of",
    "pieces_of",
    "read",
    "read_answers_of",
    "read_batches",
    "read_columns",
]

_SUFFIXES = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".libsvm": "libsvm",
    ".svm": "libsvm",
    ".svmlight": "libsvm",
    ".vw": "vw",
}
_JSON_BATCH = 1024
_HEAD = 4096
_SURROGATE = re.compile(r"[\ud800-\udfff]")

MOST_COLUMNS = 1_000_000
"""Columns that a table may have, or names that the records of a JSON file have together."""

LONGEST_ID = 1_000
"""Characters that an id may have: ids are held and written in columns as wide as the longest."""

DEEPEST = 100
"""Lists and objects that may be nested in a line of JSON."""


def read(
    source: str | Path,
    format: str | None = None,
    label: str | None = None,
    id: str | None = None,
    positive: str | None = None,
    strings: Collection[str] = (),
) -> Iterator[Record]:
    """Read records one by one, in constant memory.

    Parameters
    ----------
    source
        A path, or ``-`` for standard input.
    format
        csv, tsv, parquet, jsonl, vw, libsvm, or libsvm0 where features count from 0; told from the
        path's suffix if not given.
    label, id
        The columns that hold the label and the id; without an id, records are numbered from 1.
        LIBSVM and VW text have their labels, and VW its tags, in a place of their own.
    positive
        The label of the class +1, where the labels do not speak for themselves.
    strings
        Columns of a CSV file to keep as strings although they look like numbers.
    """
    for batch in read_batches(source, format, label, id, positive, strings):
        yield from batch.records()


def read_batches(  # noqa: PLR0913 - each is a choice of its own
    source: Sources,
    format: str | None = None,
    label: str | None = None,
    id: str | None = None,
    positive: str | LabelColumn | None = None,
    strings: Collection[str] = (),
    *,
    expected: Collection[str] = (),
    ignored: Collection[str] = (),
    every_id: bool = False,
) -> Iterator[Batch]:
    """Read records many at a time, which is faster; the parameters are those of :func:`read`.

    Something that reads labels in place of ``positive`` knows the classes later. Of several files
    the records are numbered through. A table must have the ``expected`` columns, and those of the
    tables before it. What is ``ignored`` need not be there, and of tables is not read: all of it
    comes as missing. With ``every_id`` a record without an id is refused; the files are then read
    again where need be.
    """
    if positive is None or isinstance(positive, str):
        positive = LabelReader(positive)
    if label is not None and label == id:
        raise InvalidParameter(f"the label and the id must be two columns, got {label!r} for both")
    before, numeric = 0, dict[str, bool]()
    for one in each_source(source):
        piece = one if isinstance(one, Piece) else Piece(str(one), before)
        plan = _Plan(
            _named(piece.source),
            label,
            id,
            positive,
            frozenset(strings),
            piece.before,
            piece.skipped,
        )
        plan.expected, plan.every_id = expected, every_id
        plan.ignored = frozenset(ignored).difference((label, id))
        # A column is in all files what it is in the first.
        plan.numeric = numeric
        yield from _read_piece(piece, _format_of(piece.source, format), plan)
        before += plan.rows
        expected = [column for column in plan.table if column not in plan.ignored] or expected


def _read_piece(piece: Piece, kind: str, plan: "_Plan") -> Iterator[Batch]:
    if kind == "parquet":
        with readable(piece.source), _parquet_path(piece.source) as path:
            for arrays in parquet_batches(path, plan.source, plan.check_columns, piece.groups):
                yield plan.columns(arrays, to_column)
        return
    with open_bytes(piece.source) as stream:
        yield from _READERS[kind](stream, plan)


def read_columns(source: str | Path, format: str | None = None) -> dict[str, list[Any]]:
    r"""Read a whole table into memory, column by column; all of CSV as strings, None is missing.

    The parameters are those of :func:`read`, and the format is csv, tsv or parquet.

    >>> file = Path(tempfile.mkdtemp()) / "a.csv"
    >>> _ = file.write_text("id,age\nann,39\nbob,\n")
    >>> read_columns(file)
    {'id': ['ann', 'bob'], 'age': ['39', None]}
    """
    kind, name = _format_of(source, format), _named(source)
    if kind not in ("csv", "tsv", "parquet"):
        raise InvalidParameter(f"{name} must be a table of CSV, TSV or Parquet, got {kind}")
    plan = _Plan(name, None, None, LabelReader(), frozenset())
    found: dict[str, list[Any]] = {}

    def check(names: Collection[str]) -> None:
        plan.check_columns(names)
        found.update((column, []) for column in names)

    for arrays in _arrays(source, kind, check):
        for column, array in arrays.items():
            found[column] += to_values(column, array)
    return found


def read_answers_of(
    source: str | Path, id: str, label: str, format: str | None = None
) -> Iterator[tuple[str | None, object]]:
    r"""Read two columns as they are, whatever others hold: ids as text, and labels.

    Only a cell with nothing in it is missing: other words for it may be ids or labels.

    >>> file = Path(tempfile.mkdtemp()) / "a.csv"
    >>> _ = file.write_text("id,label,size\nNA,spam,3\nb,,large\n")
    >>> list(read_answers_of(file, "id", "label"))
    [('NA', 'spam'), ('b', None)]
    """
    kind = _format_of(source, format)
    plan = _Plan(_named(source), label, id, LabelReader(), frozenset())
    if kind == "jsonl":
        with open_bytes(source) as stream:
            for records in _json_records(stream, plan):
                yield from zip(_json_ids(records, plan), _taken(records, label), strict=True)
                plan.rows += len(records)
        return
    if kind not in ("csv", "tsv", "parquet"):
        raise InvalidParameter(f"{plan.source} must be CSV, TSV, Parquet or JSON lines, got {kind}")

    def check(names: Collection[str]) -> Collection[str]:
        plan.check_columns(names)
        return (id, label)

    for arrays in _arrays(source, kind, check, missing=("",)):
        ids: list[str | None] = list(to_texts(id, arrays[id]))
        if kind != "parquet":
            # CSV writes an empty text as nothing.
            ids = [text or "" for text in ids]
        yield from zip(ids, to_values(label, arrays[label]), strict=True)


def _arrays(
    source: str | Path, kind: str, check: Check, missing: Sequence[str] = MISSING
) -> Iterator[dict[str, Any]]:
    """The columns of a table as they are, batch after batch; all of CSV as strings."""
    if kind == "parquet":
        with readable(source), _parquet_path(str(source)) as path:
            yield from parquet_batches(path, _named(source), check)
        return
    delimiter = "," if kind == "csv" else "\t"
    with open_bytes(source) as stream:
        yield from csv_batches(stream, _named(source), delimiter, check, missing)


def _named(source: str | Path) -> str:
    return "standard input" if str(source) == "-" else str(source)


def pieces_of(files: Collection[str], format: str | None = None) -> list[Piece]:
    r"""What files are read in where it is done in any order: row groups of Parquet, or whole files.

    Rows are counted, in the files' order; the metadata of Parquet says how many there are.

    >>> file = Path(tempfile.mkdtemp()) / "a.csv"
    >>> _ = file.write_text("age\n39\n50\n")
    >>> pieces_of([str(file)])[0].rows
    2
    """
    found: list[Piece] = []
    for file in files:
        before = found[-1].first + found[-1].rows if found else 0
        kind = _format_of(file, format)
        if kind == "parquet":
            found += _row_groups(file, before)
        else:
            found.append(Piece(file, before, 0, _rows_of(file, kind)))
    return found


def _rows_of(file: str, kind: str) -> int:
    """Count the rows of a file, whatever they hold; what is wrong is said when they are read."""
    if kind in ("csv", "tsv"):
        # One column tells, if it is parsed as all are: a line need not be a row.
        arrays = _arrays(file, kind, lambda names: [*names][:1])
        return sum(len(column) for batch in arrays for column in batch.values())
    if kind == "jsonl":
        with open_bytes(file) as stream:
            return sum(
                1 for line in iter(lambda: stream.readline(LONGEST_LINE), b"") if line.strip()
            )
    anything = AnyLabels(classes=())
    return sum(len(batch.ids) for batch in read_batches(file, kind, positive=anything))


def digest_of(pieces: Sequence[Piece], format: str | None = None) -> str:
    """Tell whether the same rows come in the same order: how many each file has, and how it begins.

    >>> digest_of([]) == digest_of([Piece("empty.csv", rows=0)])
    True
    """
    digest = hashlib.blake2b(digest_size=16)
    rows = Counter[str]()
    for piece in pieces:
        rows[piece.source] += piece.rows
    for file, count in rows.items():
        if count:
            digest.update(f"{count}:{_head_of(file, _format_of(file, format))!r}".encode())
    return digest.hexdigest()


def _head_of(file: str, kind: str) -> str | bytes:
    if kind == "parquet":
        with readable(file), _parquet_path(file) as path, parquet_errors(file):
            return first_row(path)
    with open_bytes(file) as stream:
        return stream.read(_HEAD)


def _row_groups(file: str, before: int) -> Iterator[Piece]:
    with readable(file), _parquet_path(file) as path, parquet_errors(file):
        counts = rows_in_groups(path)
    start = skipped = 0
    for stop in range(1, len(counts) + 1):
        rows = sum(counts[start:stop])
        if rows >= PIECE_ROWS or stop == len(counts):
            yield Piece(file, before, skipped, rows, tuple(range(start, stop)))
            start, skipped = stop, skipped + rows


def _format_of(source: str | Path, format: str | None) -> str:
    known = (*_READERS, "parquet")
    if format is None:
        suffixes = [suffix.lower() for suffix in PurePath(source).suffixes]
        plain = [suffix for suffix in suffixes if suffix not in PACKED]
        format = _SUFFIXES.get(plain[-1]) if plain else None
    if format not in known:
        found = (
            f"{source} has no suffix that tells its format" if format is None else f"got {format!r}"
        )
        raise InvalidParameter(f"format must be one of {', '.join(known)}, {found}")
    return format


@dataclass
class _Plan:
    """What was asked for, and what has been learned of the file so far."""

    source: str
    label: str | None
    id: str | None
    labels: LabelColumn
    strings: frozenset[str]
    before: int = 0
    rows: int = 0
    expected: Collection[str] = ()
    ignored: frozenset[str] = frozenset()
    every_id: bool = False
    table: Collection[str] = ()
    numeric: dict[str, bool] = field(default_factory=dict)
    names: dict[str, None] = field(default_factory=dict)

    def check_columns(self, names: Collection[str]) -> Collection[str]:
        """Refuse the columns of a table, or say which of them are wanted: at least one is read."""
        self.check_names(names)
        missing = [column for column in self.expected if column not in names]
        if missing:
            raise BadRecord(
                f"{self.source} has no column {some_of(map(repr, missing))} as other files have, "
                f"it has {some_of(names)}"
            )
        self.table = names
        wanted = [name for name in names if name not in self.ignored]
        return wanted or [*names][:1]

    def check_names(self, names: Collection[str]) -> None:
        """Refuse names that are too many, not different, or not those of label and id."""
        if len(names) > MOST_COLUMNS:
            raise BadRecord(
                f"{self.source} has {len(names):,} columns, at most {MOST_COLUMNS:,} can be read: "
                "many features are better kept in LIBSVM or VW text"
            )
        twice = [name for name, count in Counter(iter(names)).items() if count > 1]
        if twice:
            raise BadRecord(
                f"{self.source} has two columns named {min(twice)!r}, names must differ"
            )
        for role, column in (("label", self.label), ("id", self.id)):
            if column is not None and column not in names:
                has = some_of(names)
                raise BadRecord(f"{self.source} has no {role} column {column!r}, it has {has}")

    def batch(self, content: Content, ids: Sequence[str | None], labels: Labels) -> Batch:
        """Number the records without an id, and convert their labels."""
        first = self.rows + 1
        if self.every_id and None in ids:
            raise BadRecord(
                f"row {first + list(ids).index(None):,} of {self.source} has no id in column "
                f"{self.id!r}, each row needs its own"
            )
        self.rows += len(ids)
        numbered = enumerate(ids, start=self.before + first)
        known = [str(i) if text is None else text for i, text in numbered]
        if max(map(len, known), default=0) > LONGEST_ID:
            row = next(i for i, text in enumerate(known, start=first) if len(text) > LONGEST_ID)
            raise BadRecord(
                f"row {row:,} of {self.source} has an id of {len(known[row - first]):,} "
                f"characters, at most {LONGEST_ID:,} were expected"
            )
        return Batch(known, self.labels.read(labels, first), content)

    def id_text(self, place: int, value: object) -> str | None:
        """Write the id of a JSON record as a string."""
        if isinstance(value, dict | list):
            kind = type(value).__name__
            raise BadRecord(
                f"row {self.rows + place:,} of {self.source} has a {kind} in the id column "
                f"{self.id!r}, a string or a number was expected"
            )
        return None if value is None else str(value)

    def columns(self, arrays: dict[str, Any], typed: Callable[[str, Any], Column]) -> Batch:
        """Take the label and the id out of the columns."""
        n = len(next(iter(arrays.values())))
        ids = [None] * n if self.id is None else to_texts(self.id, arrays.pop(self.id))
        blank: Column = np.full(n, np.nan)
        columns = dict.fromkeys(self.ignored.intersection(self.table), blank)
        columns |= {name: typed(name, a) for name, a in arrays.items() if name not in self.ignored}
        label = np.full(n, np.nan) if self.label is None else columns.pop(self.label)
        plain = isinstance(label, Words | np.ndarray)
        return self.batch(columns, ids, label if plain else values_of(label))

    def typed(self, name: str, strings: Any) -> Column:
        """Read a column of a CSV block: as numbers, if its first value is one."""
        if name in self.strings or name == self.label:
            return to_column(name, strings)
        if strings.null_count == len(strings):
            return np.full(len(strings), np.nan)
        if name not in self.numeric:
            self.numeric[name] = to_numbers(strings.drop_null()[:1]) is not None
        if not self.numeric[name]:
            return to_column(name, strings)
        numbers = to_numbers(strings)
        if numbers is None:
            row, text = first_text(strings)
            raise BadRecord(
                f"row {self.rows + row + 1:,} of {self.source} has {text[:60]!r} in column "
                f"{name!r}, where the rows before it have numbers: correct it, or read the "
                "column as strings"
            )
        return numbers


def _csv(stream: BinaryIO, plan: _Plan, delimiter: str = ",") -> Iterator[Batch]:
    for number, arrays in enumerate(
        csv_batches(stream, plan.source, delimiter, plan.check_columns)
    ):
        if plan.every_id and plan.id is not None and arrays[plan.id].null_count:
            arrays[plan.id] = _plain_ids(plan, delimiter, plan.id, number)
        yield plan.columns(arrays, plan.typed)


def _plain_ids(plan: _Plan, delimiter: str, id: str, number: int) -> Any:
    """The ids of a block as they are: NA is one too, and only nothing is none.

    The file is read again for it. Ids differ, so few blocks have one that looks missing.
    """
    with open_bytes(plan.source) as stream:
        blocks = csv_batches(stream, plan.source, delimiter, lambda _: [id], missing=("",))
        return next(islice(blocks, number, None))[id]


@contextlib.contextmanager
def _parquet_path(source: str) -> Iterator[str | BinaryIO]:
    """Something that can be read from its end, as Parquet is; a pipe and packed files cannot."""
    packed = PurePath(source).suffix.lower() in PACKED
    if source == "-" or packed or (not is_address(source) and Path(source).is_fifo()):
        with tempfile.TemporaryFile() as copy:
            with open_bytes(source) as stream:
                shutil.copyfileobj(stream, copy)
            yield copy
    elif is_address(source):
        with open_raw(source) as stream:
            yield stream
    else:
        yield source


def _jsonl(stream: BinaryIO, plan: _Plan) -> Iterator[Batch]:
    for records in _json_records(stream, plan):
        yield plan.batch(records, _json_ids(records, plan), _taken(records, plan.label))


def _json_records(stream: BinaryIO, plan: _Plan) -> Iterator[list[dict[str, Any]]]:
    records: list[dict[str, Any]] = []
    lines = iter(lambda: stream.readline(LONGEST_LINE), b"")
    for number, line in enumerate(lines, start=1):
        if len(line) == LONGEST_LINE:
            raise BadRecord(f"line {number:,} of {plan.source} has {LONGEST_LINE >> 20} MB or more")
        if line.strip():
            records.append(_json_object(line, number, plan.source))
        if len(records) == _JSON_BATCH:
            yield _checked(records, plan)
            records = []
    if records:
        yield _checked(records, plan)


def _json_object(line: bytes, number: int, source: str) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except ValueError as error:
        raise BadRecord(f"line {number:,} of {source} is not JSON: {error}") from None
    except RecursionError:
        raise BadRecord(_too_deep(number, source)) from None
    if not isinstance(value, dict):
        raise BadRecord(f"line {number:,} of {source} is {type(value).__name__}, not an object")
    # Only many brackets can be nested deeply, and only an escape can name half a character.
    if line.count(b"[") + line.count(b"{") > DEEPEST and _depth(value) > DEEPEST:
        raise BadRecord(_too_deep(number, source))
    if b"\\ud" in line.lower() and _SURROGATE.search(json.dumps(value, ensure_ascii=False)):
        raise BadRecord(
            f"line {number:,} of {source} contains half a character (a lone surrogate such as "
            "\\ud800), expected valid Unicode"
        )
    return value


def _too_deep(number: int, source: str) -> str:
    return f"line {number:,} of {source} has lists or objects nested more than {DEEPEST} deep"


def _depth(value: object) -> int:
    """How many lists and mappings are inside each other; level by level, without recursion."""
    depth, level = 0, [value]
    while level:
        inner = [v for v in level if isinstance(v, dict | list)]
        depth += bool(inner)
        level = [w for v in inner for w in (v.values() if isinstance(v, dict) else v)]
    return depth


def _checked(records: list[dict[str, Any]], plan: _Plan) -> list[dict[str, Any]]:
    for record in records:
        plan.names.update(dict.fromkeys(record))
    # A record need not have every key, so neither need a file.
    if not plan.rows or len(plan.names) > MOST_COLUMNS:
        plan.check_names(plan.names)
    return records


def _json_ids(records: list[dict[str, Any]], plan: _Plan) -> list[str | None]:
    return [plan.id_text(i, value) for i, value in enumerate(_taken(records, plan.id), start=1)]


def _taken(records: list[dict[str, Any]], name: str | None) -> list[Any]:
    return [None if name is None else record.pop(name, None) for record in records]


def _libsvm(stream: BinaryIO, plan: _Plan, base: int = 1) -> Iterator[Batch]:
    for block in libsvm_batches(stream, plan.source, base):
        yield plan.batch(block.csr, [None] * len(block.labels), block.labels)


def _vw(stream: BinaryIO, plan: _Plan) -> Iterator[Batch]:
    for block in vw_batches(stream, plan.source):
        yield plan.batch(block.tokens, block.tags, block.labels)


_READERS: dict[str, Callable[[BinaryIO, _Plan], Iterator[Batch]]] = {
    "csv": _csv,
    "tsv": partial(_csv, delimiter="\t"),
    "jsonl": _jsonl,
    "libsvm": _libsvm,
    "libsvm0": partial(_libsvm, base=0),
    "vw": _vw,
}
