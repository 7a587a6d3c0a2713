"""The store of a study: a folder of Parquet files that only the driver writes.

Parquet, because its columns can be queried in place by whatever reads tables today, and because a
file that appears whole or not at all needs no recovery: a run that dies leaves only whole parts.
Each part holds the rows of one task; :meth:`Store.compact` merges them, one file per data set.
"""

import contextlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from askance.errors import FileUnreadable
from askance.storage.files import remove_stale, write_atomically
from askance.storage.locks import held
from askance.storage.tables import write_table
from askance.study.design import Cell
from askance.study.fields import NAME_RULE, named_well, shown
from askance.types import Integers, ResultRow

__all__ = [
    "SCHEMA",
    "Outcome",
    "Store",
    "cells_of",
    "export_results",
    "read_results",
    "write_results",
]

_WORD = pa.dictionary(pa.int32(), pa.string())
SCHEMA = pa.schema(
    [
        ("dataset", _WORD),
        ("data", _WORD),
        ("permutation", pa.int32()),
        ("algorithm", _WORD),
        ("setting", _WORD),
        ("budget", pa.int32()),
        ("queries", pa.int32()),
        ("examples", pa.int32()),
        ("error", pa.float64()),
        ("seconds", pa.float32()),
        ("code", _WORD),
        ("failure", _WORD),
    ]
)
"""One row per cell and budget; a cell that failed has one row, budget 0, with its ``failure``."""

_WORDS = [field.name for field in SCHEMA if field.type == _WORD]


_CHUNK = 1 << 16
"""Rows that are written to CSV at a time."""

PARTS = 1000
"""Parts that gather before they are merged on the way."""


class Outcome(NamedTuple):
    """What came of one cell: a row for each budget, or for one of them, or a failure."""

    cell: Cell
    rows: tuple[ResultRow, ...]
    seconds: float
    code: str
    failure: str | None = None


class Store:
    """A folder of results.

    >>> import tempfile
    >>> cell = Cell("digits", "embedded", 1, "passive", "{}")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = Store(folder)
    ...     store.add([Outcome(cell, (ResultRow(10, 10, 10, 0.25, True),), 0.1, "v1")])
    ...     store.done("v1") == {cell}
    True
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)

    @property
    def study_path(self) -> Path:
        """The study that was run into this store, as its file read."""
        return self.folder / "study.toml"

    @contextlib.contextmanager
    def writing(self, text: str) -> Iterator[None]:
        """Hold the store for one writer, and note the study that it runs."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with held(self.folder / ".lock", f"{self.folder} is being written by another run"):
            remove_stale(self.folder)
            with write_atomically(self.study_path) as file:
                file.write(text.encode())
            yield

    def add(self, outcomes: Sequence[Outcome]) -> None:
        """Append outcomes, all or none."""
        self._append(_table(outcomes))

    def adopt(self, folder: Path) -> None:
        """Take in the cells of a folder of results that this store has no row of."""
        table = read_results(folder)
        own = self.done()
        new = [cell not in own for cell in _listed(table)] if own else [True] * len(table)
        if any(new):
            self._append(table.filter(pa.array(new)))

    def _append(self, table: pa.Table) -> None:
        if len(self._parts()) >= PARTS:
            self.compact()
        numbers = (int(path.stem.removeprefix("part-")) for path in self._parts())
        path = self.folder / f"part-{max(numbers, default=0) + 1:07}.parquet"
        _write(table, path)

    def _parts(self) -> list[Path]:
        return sorted(self.folder.glob("part-*.parquet"))

    def table(self) -> pa.Table:
        """All rows, each once."""
        return read_results(self.folder)

    def done(self, code: str | None = None, *, failed: bool = True) -> set[Cell]:
        """Cells that have rows, of one code version or of any; failed ones unless told not to."""
        return cells_of(self.table(), code, failed=failed)

    def compact(self) -> None:
        """Merge the parts into one file per data set.

        If this is interrupted, rows may stand in two files, which reading forgives.
        """
        parts = self._parts()
        if parts:
            write_results(self.table(), self.folder)
            for part in parts:
                part.unlink()


_NOTHING = ResultRow(0, 0, 0, float("nan"), reached=False)


def _table(outcomes: Sequence[Outcome]) -> pa.Table:
    lines = [
        (*o.cell, row.budget, row.queries, row.examples, row.error, o.seconds, o.code, o.failure)
        for o in outcomes
        for row in (o.rows if o.failure is None else (_NOTHING,))
    ]
    arrays = []
    for column, field in zip(zip(*lines, strict=True), SCHEMA, strict=True):
        plain = pa.string() if field.type == _WORD else field.type
        arrays.append(pa.array(column, plain).cast(field.type))
    return pa.table(arrays, schema=SCHEMA)


def _write(table: pa.Table, path: Path) -> None:
    with write_atomically(path) as file:
        pq.write_table(
            table, file, compression="zstd", compression_level=12, write_statistics=False
        )


def read_results(*folders: Path) -> pa.Table:
    """Read every Parquet file of some folders, each row once."""
    tables = []
    for path in (path for folder in folders for path in sorted(folder.glob("*.parquet"))):
        try:
            tables.append(pq.ParquetFile(path, read_dictionary=_WORDS).read().cast(SCHEMA))
        except (pa.ArrowInvalid, OSError, ValueError) as error:
            raise FileUnreadable(f"{path} is not a results file: {error}") from error
    table = pa.concat_tables(tables) if tables else SCHEMA.empty_table()
    return _once(table.unify_dictionaries().combine_chunks())


def _once(table: pa.Table) -> pa.Table:
    """Sort the rows; of a cell that was run twice, by the same code, keep the last run."""
    if not len(table):
        return table
    ranks = [_ranks(table[name]) for name in (*SCHEMA.names[:6], "code")]
    key = np.ravel_multi_index(ranks, [int(rank.max()) + 1 for rank in ranks])
    # The first of equals, from the end.
    _, places = np.unique(key[::-1], return_index=True)
    return _without_mended(table.take(len(table) - 1 - places))


def _ranks(column: Any) -> Integers:
    """Numbers from 0 on, in the order of what the column holds."""
    if column.type != _WORD:
        return np.asarray(column.to_numpy())
    words = column.combine_chunks()
    chunk = words.chunk(0) if isinstance(words, pa.ChunkedArray) else words
    values = chunk.dictionary.to_pylist()
    order = {word: rank for rank, word in enumerate(sorted(values))}
    ranks: Integers = np.array([order[word] for word in values])
    return np.asarray(ranks[chunk.indices.to_numpy()])


def _plain(column: Any) -> Any:
    return column.cast(pa.string()) if column.type == _WORD else column


def _without_mended(table: pa.Table) -> pa.Table:
    """Leave out failures of cells that succeeded later."""
    failed = table.filter(pc.is_valid(table["failure"]))
    if not len(failed):
        return table
    whole = table.filter(pc.is_null(table["failure"]))
    good = _cells(whole)
    stays = pa.array([cell not in good for cell in _listed(failed)])
    return pa.concat_tables([whole, failed.filter(stays)]).unify_dictionaries()


def _listed(table: pa.Table) -> list[Cell]:
    columns = (table[name].to_pylist() for name in Cell._fields)
    return [Cell(*values) for values in zip(*columns, strict=True)]


def _cells(table: pa.Table) -> set[Cell]:
    plain = pa.table({name: _plain(table[name]) for name in Cell._fields})
    return set(_listed(plain.group_by(list(Cell._fields)).aggregate([])))


def cells_of(table: pa.Table, code: str | None = None, *, failed: bool = True) -> set[Cell]:
    """The cells of a table."""
    if code is not None:
        table = table.filter(pc.equal(table["code"].cast(pa.string()), code))
    if not failed:
        table = table.filter(pc.is_null(table["failure"]))
    return _cells(table)


def write_results(table: pa.Table, folder: Path) -> list[Path]:
    """Write a table as one compact file per data set."""
    names = pc.unique(table["dataset"]).to_pylist()
    for name in names:
        # Results of others are taken in, and a name of theirs must not lead out of the folder.
        if not (isinstance(name, str) and named_well(name)):
            raise FileUnreadable(f"a data set's name must be {NAME_RULE}, got {shown(name)}")
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"{name}.parquet" for name in names]
    for name, path in zip(names, paths, strict=True):
        _write(table.filter(pc.equal(table["dataset"].cast(pa.string()), name)), path)
    return paths


def export_results(store: Store, output: Path, *, raw: bool = False) -> list[Path]:
    """Write a store as CSV or Parquet, as the name says, or as a folder of compact files.

    Such a folder is a store again. ``raw`` keeps texts in CSV that a spreadsheet would run.
    """
    table = store.table()
    if output.suffix not in (".csv", ".parquet"):
        paths = write_results(table, output)
        with write_atomically(output / "study.toml") as file:
            file.write(store.study_path.read_bytes())
        return paths
    output.parent.mkdir(parents=True, exist_ok=True)
    if output.suffix == ".parquet":
        _write(table, output)
        return [output]
    # By way of text, since Python has only the long floats: 0.1 would become 0.10000000149011612.
    short = table["seconds"].cast(pa.string()).cast(pa.float64())
    table = table.set_column(table.column_names.index("seconds"), "seconds", short)
    with write_table(output, raw=raw) as write:
        # The names, also of a table without rows.
        write(table.slice(0, 0).to_pydict())
        for batch in table.to_batches(_CHUNK):
            write(batch.to_pydict())
    return [output]
