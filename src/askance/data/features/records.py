"""Records as readers give them and feature maps take them: one by one, or many at a time."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array

from askance.data.features.columns import Column, rows_of_column, values_of
from askance.data.text.vwtext import Tokens
from askance.errors import BadRecord
from askance.sparse import from_rows, rows_of
from askance.types import Integers, Label, Matrix, Row

__all__ = ["AnyRecord", "Batch", "Columns", "Content", "Fields", "Record", "batch_of"]

Columns = dict[str, Column]
Fields = Mapping[str, Any] | Row
Content = Columns | Tokens | list[dict[str, Any]] | Matrix


class Record(NamedTuple):
    """One example of a file: its id, its label if it has one, and its fields.

    A field is a number, a boolean, a string, a list or a mapping; None is missing. A record of a
    LIBSVM file has a :class:`~askance.types.Row` in place of fields.

    >>> Record("ann", 1, {"age": 39.0, "job": "clerk"}).fields["job"]
    'clerk'
    """

    id: str
    label: Label | None
    fields: Fields


class Batch(NamedTuple):
    """Some records in a row, as columns where the format has them.

    A missing label is 0. Two classes are -1 and +1, more are numbered from 1 on.
    """

    ids: Sequence[str]
    labels: Integers
    content: Content

    def records(self) -> Iterator[Record]:
        """Walk over the records one by one."""
        labels = [label or None for label in self.labels.tolist()]
        yield from map(Record, self.ids, labels, self._each())

    def head(self, n: int) -> "Batch":
        """The first ``n`` records, or all if there are fewer."""
        return self if n >= len(self.ids) else self.take(np.arange(n))

    def take(self, places: Integers) -> "Batch":
        """Some of the records, in this order."""
        content, chosen = self.content, places.tolist()
        part: Content
        if isinstance(content, Tokens):
            part = content.take(places)
        elif isinstance(content, dict):
            part = {name: rows_of_column(column, places) for name, column in content.items()}
        elif isinstance(content, list):
            part = [content[i] for i in chosen]
        else:
            part = content[places]
        return Batch([self.ids[i] for i in chosen], self.labels[places], part)

    def _each(self) -> Iterator[Fields]:
        content = self.content
        if isinstance(content, csr_array):
            yield from rows_of(content)
        elif isinstance(content, Tokens):
            yield from content.records()
        elif isinstance(content, dict):
            columns = [values_of(column) for column in content.values()]
            for i in range(len(self.ids)):
                yield {name: column[i] for name, column in zip(content, columns, strict=True)}
        else:
            yield from content


AnyRecord = Record | Mapping[str, Any] | Row


def batch_of(records: Sequence[AnyRecord]) -> Batch:
    """Make a batch of records that came one by one."""
    fields = [record.fields if isinstance(record, Record) else record for record in records]
    ids = [r.id if isinstance(r, Record) else str(i) for i, r in enumerate(records, start=1)]
    rows = [row for row in fields if isinstance(row, Row)]
    if rows and len(rows) < len(fields):
        raise BadRecord("records with numbered features and records with columns are mixed")
    content = from_rows(rows) if rows else [dict(f) for f in fields if not isinstance(f, Row)]
    return Batch(ids, np.zeros(len(ids), dtype=np.int8), content)
