"""Record -> Row, by names that a person can read.

How values become named numbers stands in :mod:`askance.data.features.naming`. A missing value, a
category or
a word that a fitted map has not seen, and an unknown key of a namespace (a mapping, or a VW
namespace) give no feature. A column that a fitted map has not seen, one that changes between
numbers, strings and lists, or one of these that a fitted map meets as a mapping, is an error:
columns never shift. Values are scaled if the map has learned how: see
:mod:`askance.data.features.scales`.
"""

import copy
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from askance.data.features.assembly import merge_rows
from askance.data.features.column_features import (
    column_entries,
    column_kind,
    column_names,
    placed,
    single,
)
from askance.data.features.columns import Entries, Lines, assemble, some_of
from askance.data.features.indexers import (
    Dictionary,
    Hashing,
    Indexer,
    Numbered,
    Places,
    indexer_from,
)
from askance.data.features.lessons import Lesson
from askance.data.features.naming import Feature, Naming, kind_of
from askance.data.features.records import AnyRecord, Batch, Columns, batch_of
from askance.data.features.scales import SCALE_ROWS, Scales, scaled
from askance.data.text.vwtext import Tokens
from askance.errors import BadRecord, InvalidParameter
from askance.types import Matrix, Row, State
from askance.validation import require_whole, saved_part, saved_whole, shown

__all__ = ["FeatureMap"]

_NAMELESS = ("of a record",)


class FeatureMap:
    """Encodes records; is saved with a model, so that tomorrow's columns are today's.

    Parameters
    ----------
    indexer
        How names become columns: by default :class:`~askance.data.features.indexers.Hashing`, for
        streams;
        :meth:`fit` makes a dictionary.
    text
        Columns of strings to cut into words; other strings are categories.
    ngrams
        The longest run of words that makes a feature.

    Examples
    --------
    >>> features = FeatureMap.fit([{"age": 39, "job": "clerk"}, {"age": 50, "job": "baker"}])
    >>> [features.name_of(i) for i in range(features.n_features)]
    ['age', 'job=baker', 'job=clerk']
    >>> features.encode({"age": 20, "job": "clerk"}).indices.tolist()
    [0, 2]
    """

    def __init__(
        self, indexer: Indexer | None = None, text: Collection[str] = (), ngrams: int = 1
    ) -> None:
        self._indexer = indexer or Hashing()
        self._naming = Naming(frozenset(text), ngrams)
        # What each column holds; empty while it has only been missing.
        self._kinds: dict[str, str] = {}
        self._scales: Scales | None = None

    @classmethod
    def fit(
        cls, source: Iterable[Batch | AnyRecord], text: Collection[str] = (), ngrams: int = 1
    ) -> "FeatureMap":
        """Read a source once to number its features, in the sorted order of their names."""
        learning = cls(None, text, ngrams)
        names: set[str] = set()
        width = 0
        for item in source:
            batch = item if isinstance(item, Batch) else batch_of([item])
            if isinstance(batch.content, csr_array):
                width = max(width, int(batch.content.indices.max(initial=-1)) + 1)
            names.update(learning._names(batch))
        learning._indexer = Numbered(width) if width and not names else Dictionary(names)
        return learning

    def learn_scales(
        self, source: Iterable[Batch | AnyRecord], rows: int = SCALE_ROWS
    ) -> "FeatureMap":
        """Learn from the first ``rows`` rows of a source how all values are scaled from now on.

        No label is looked at. What was learned stays, and is saved with the map.

        >>> people = [{"age": 30}, {"age": 50}]
        >>> features = FeatureMap.fit(people).learn_scales(people)
        >>> features.encode({"age": 45}).values.tolist()
        [0.5]
        """
        require_whole(1, rows=rows)
        if self._scales is not None:
            raise InvalidParameter(
                f"scales are learned once, and were learned from {self._scales.rows} rows already"
            )
        lesson = Lesson(self._naming, self._indexer)
        for item in source:
            batch = item if isinstance(item, Batch) else batch_of([item])
            lesson.take(batch.head(rows - lesson.rows))
            if lesson.rows == rows:
                break
        self._scales = lesson.scales()
        return self

    @property
    def scales(self) -> Scales | None:
        """What :meth:`learn_scales` learned."""
        return self._scales

    @property
    def n_features(self) -> int:
        return self._indexer.n_features

    @property
    def text(self) -> frozenset[str]:
        """The columns that are cut into words."""
        return self._naming.text

    @property
    def kinds(self) -> dict[str, str]:
        """The kind of each column met so far (number, string, list), empty if not known yet."""
        return dict(self._kinds)

    def known(self) -> tuple[Sequence[str], Places]:
        """Give the names that are known, and the column and the sign of each.

        >>> names, places = FeatureMap.fit([{"age": 39, "job": "clerk"}]).known()
        >>> list(names), places.indices.tolist()
        (['age', 'job=clerk'], [0, 1])
        """
        names = self._indexer.names
        return names, self._indexer.find(names)

    def name_of(self, index: int) -> str:
        """Give the name of a column; a hashed one may have several, or none that is known."""
        return self._indexer.name_of(index)

    def features(self, fields: Mapping[str, Any], where: str = "a record") -> list[Feature]:
        """Give the named numbers of a record's fields, checking its columns."""
        found: list[Feature] = []
        for name, value in fields.items():
            self._note(name, kind_of(name, value), where)
            found.extend(self._naming.features(name, value))
        return found

    def aside(self, *, names: bool = True) -> "FeatureMap":
        """Give a map that encodes the same, and keeps to itself which new columns it meets.

        Without ``names`` it remembers none of them, so that threads may have one each.

        >>> features = FeatureMap.fit([{"age": 39}])
        >>> features.aside().kinds, features.aside() is features
        ({'age': 'number'}, False)
        """
        other = copy.copy(self)
        other._kinds = dict(self._kinds)
        if not names:
            other._indexer = self._indexer.aside()
        return other

    def encode(self, record: AnyRecord) -> Row:
        """Encode one record."""
        lines = self._encoded(batch_of([record]))
        return Row(lines.indices, lines.values)

    def encode_many(self, records: Iterable[AnyRecord]) -> Matrix:
        """Encode records into a matrix with one row for each."""
        return self.encode_batch(batch_of(list(records)))

    def encode_batch(self, batch: Batch) -> Matrix:
        """Encode a batch of a reader: the same rows as record by record, faster."""
        return self._encoded(batch).matrix(self.n_features)

    def _encoded(self, batch: Batch) -> Lines:
        content = batch.content
        if isinstance(content, csr_array):
            return self._encode_numbered(content)
        if isinstance(content, Tokens):
            return self._encode_tokens(content)
        if isinstance(content, dict):
            return self._encode_columns(content, batch.ids)
        return self._encode_fields(content, batch.ids)

    def get_state(self) -> State:
        return {
            "indexer": self._indexer.get_state(),
            "text": sorted(self._naming.text),
            "ngrams": self._naming.ngrams,
            "kinds": dict(self._kinds),
            "scales": None if self._scales is None else self._scales.get_state(),
        }

    def set_state(self, state: State) -> None:
        kinds, text = saved_part(state, "kinds", dict), saved_part(state, "text", list)
        known = ("", "number", "string", "list", "mapping")
        if not all(kind in known for kind in kinds.values()):
            raise InvalidParameter(
                f"saved kinds must be number, string or list, got {shown(kinds)}"
            )
        if not all(isinstance(name, str) for name in text):
            raise InvalidParameter(f"a saved text must be names of columns, got {shown(text)}")
        self._indexer = indexer_from(saved_part(state, "indexer", dict))
        self._naming = Naming(frozenset(text), saved_whole(state, "ngrams"))
        self._kinds = dict(kinds)
        # Files of earlier versions have none.
        self.set_scales(state.get("scales"))

    def set_scales(self, state: State | None) -> None:
        """Take over what another map learned; None is nothing."""
        self._scales = None if state is None else Scales.from_state(state, self.n_features)

    def _encode_fields(self, records: list[dict[str, Any]], ids: Sequence[str]) -> Lines:
        found = [self.features(f, f"record {i}") for f, i in zip(records, ids, strict=True)]
        indptr = np.cumsum([0, *map(len, found)])
        names = [name for features in found for name, _ in features]
        values = np.array([value for features in found for _, value in features], dtype=np.float64)
        places = self._indexer.find(names)
        return _merged(indptr, places.indices, placed(values, names, places, self._scales))

    def _encode_columns(self, columns: Columns, ids: Sequence[str]) -> Lines:
        entries: list[Entries] = []
        where = f"record {ids[0]} or a later one" if ids else "a record"
        for name, column in columns.items():
            self._note(name, column_kind(column), where)
            entries.extend(column_entries(name, column, self._naming, self._indexer, self._scales))
        return _in_order(assemble(entries, len(ids)))

    def _encode_numbered(self, X: Matrix) -> Lines:
        seen, inverse = np.unique(X.indices, return_inverse=True)
        names = [str(index) for index in seen.tolist()]
        places = self._indexer.find(names)
        values = X.data.astype(np.float64)
        if self._scales is not None:
            terms = self._scales.terms(names, places.indices)
            values = scaled(values, *(term[inverse] for term in terms))
        indptr, columns = X.indptr.astype(np.int64), places.indices[inverse]
        return _merged(indptr, columns, single(values, _NAMELESS) * places.signs[inverse])

    def _encode_tokens(self, tokens: Tokens) -> Lines:
        places, values = self._indexer.find_tokens(tokens), tokens.values
        if self._scales is not None:
            values = scaled(values, *self._scales.terms_of_hashes(tokens.hashes, places.indices))
        return _merged(tokens.indptr, places.indices, single(values, _NAMELESS) * places.signs)

    def _names(self, batch: Batch) -> Iterator[str]:
        """Give the names of a batch's features, and take note of its columns."""
        content = batch.content
        if isinstance(content, Tokens):
            _, first = np.unique(content.hashes, return_index=True)
            yield from map(content.name, first.tolist())
        elif isinstance(content, dict):
            for name, column in content.items():
                self._note(name, column_kind(column), f"record {batch.ids[0]} or a later one")
                yield from column_names(name, column, self._naming)
        elif not isinstance(content, csr_array):
            for fields, number in zip(content, batch.ids, strict=True):
                yield from (name for name, _ in self.features(fields, f"record {number}"))

    def _note(self, name: str, kind: str | None, where: str) -> None:
        """Refuse a column that is unknown to a fitted map, or that changed its kind."""
        before = self._kinds.get(name)
        # A namespace may have the name of a column; only a fitted map has no room for its features.
        if kind == "mapping" and (self._indexer.open or not before):
            return
        if name not in self._kinds and not self._indexer.open:
            known = some_of(self._kinds) or "none"
            raise BadRecord(f"{where} has a column {name!r} that is not known, known are {known}")
        if not before:
            self._kinds[name] = kind or ""
        elif kind not in (None, before):
            raise BadRecord(
                f"{where} has a {kind} in column {name!r}, where a {before} was expected as before"
            )


def _merged(
    indptr: NDArray[np.int64], columns: NDArray[np.int32], values: NDArray[np.float32]
) -> Lines:
    return _in_order(Lines(indptr, columns.copy(), values))


def _in_order(lines: Lines) -> Lines:
    """Sort each row and add up what fell into one column."""
    merged = np.empty_like(lines.indptr)
    merge_rows(lines.indptr, lines.indices, lines.values, merged)
    return Lines(merged, lines.indices[: merged[-1]], lines.values[: merged[-1]])
