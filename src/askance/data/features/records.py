"""Records as readers give them and feature maps take them: one by one, or many at a time."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from askance.data.features.columns import Column, first_of, values_of
from askance.data.text.vwtext import Tokens
from askance.sparse import rows_of
from askance.types import Label, Matrix, Row

__all__ = ["Batch", "Columns", "Content", "Fields", "Record"]

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
    """Some records in a row, as columns where the format has them; a missing label is 0."""

    ids: Sequence[str]
    labels: NDArray[np.int8]
    content: Content

    def records(self) -> Iterator[Record]:
        """Walk over the records one by one."""
        labels = [label or None for label in self.labels.tolist()]
        yield from map(Record, self.ids, labels, self._each())

    def head(self, n: int) -> "Batch":
        """The first ``n`` records, or all if there are fewer."""
        content = self.content
        if n >= len(self.ids):
            return self
        first: Content
        if isinstance(content, Tokens):
            first = content.head(n)
        elif isinstance(content, dict):
            first = {name: first_of(column, n) for name, column in content.items()}
        else:
            first = content[:n]
        return Batch(self.ids[:n], self.labels[:n], first)

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
