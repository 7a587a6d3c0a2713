"""The first rows of a source -> scales: the same ones by records and by whole columns."""

from collections import defaultdict
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from askance.data.features.columns import Column, Words, values_of
from askance.data.features.indexers import Indexer, Places
from askance.data.features.naming import Naming, leaves
from askance.data.features.records import Batch, Columns
from askance.data.features.scales import Scales, common_spread, is_sparse, moments, sparse_sizes
from askance.data.text.vwtext import Tokens
from askance.types import Floats, Integers

__all__ = ["Lesson"]


class Lesson:
    """Takes batches, and gives the scales that they teach.

    >>> from askance.data.features.indexers import Hashing
    >>> lesson = Lesson(Naming(), Hashing())
    >>> lesson.take(Batch(["1", "2"], np.zeros(2, np.int8), {"age": np.array([30.0, 50.0])}))
    >>> lesson.scales().get_state()["centred"]
    {'age': [40.0, 10.0]}
    """

    def __init__(self, naming: Naming, indexer: Indexer) -> None:
        self.rows = 0
        self._naming, self._indexer = naming, indexer
        self._numbers: defaultdict[str, list[Floats]] = defaultdict(list)
        self._sparse: list[tuple[Integers, Floats]] = []
        self._words: list[tuple[Integers, Integers]] = []

    def take(self, batch: Batch) -> None:
        """Look at all rows of a batch."""
        content = batch.content
        if isinstance(content, csr_array):
            seen, inverse = np.unique(content.indices, return_inverse=True)
            places = self._indexer.find([str(index) for index in seen.tolist()])
            each = Places(places.indices[inverse], places.signs[inverse])
            self._take_sparse(each, content.data)
        elif isinstance(content, Tokens):
            self._take_sparse(self._indexer.find_tokens(content), content.values)
        elif isinstance(content, dict):
            self._take_columns(content)
        else:
            pairs = ((i, *item) for i, fields in enumerate(content) for item in fields.items())
            self._take_values(pairs)
        self.rows += len(batch.ids)

    def scales(self) -> Scales:
        """What was learned."""
        centred: dict[str, tuple[float, float]] = {}
        for name, parts in self._numbers.items():
            values = np.concatenate(parts)
            if is_sparse(np.count_nonzero(values), self.rows):
                self._take_named([name] * len(values), values)
            else:
                centre, spread = moments(values)
                centred[name] = (float(centre), float(spread))
        spreads = self._sizes() | self._commonness()
        columns = np.array(sorted(j for j, spread in spreads.items() if spread != 1.0), np.int64)
        found = np.array([spreads[j] for j in columns.tolist()], np.float64)
        return Scales(self.rows, centred, columns, found)

    def _take_columns(self, columns: Columns) -> None:
        for name, column in columns.items():
            if isinstance(column, np.ndarray):
                self._numbers[name].append(column[~np.isnan(column)])
            elif not self._is_category(name, column):
                self._take_values((i, name, value) for i, value in enumerate(values_of(column)))

    def _is_category(self, name: str, column: Column) -> bool:
        """A category is 1 or nothing: there is nothing to learn."""
        return isinstance(column, Words) and name not in self._naming.text

    def _take_values(self, values: Any) -> None:
        """Take values with their rows and columns, as records have them."""
        numbers: defaultdict[str, list[float]] = defaultdict(list)
        loose: list[tuple[str, float]] = []
        words: list[tuple[int, str]] = []
        for row, column, value in values:
            for name, item, in_namespace in leaves(column, value):
                if isinstance(item, str):
                    if name in self._naming.text:
                        words += ((row, word) for word, _ in self._naming.words(name, item))
                elif in_namespace:
                    loose.append((name, item))
                else:
                    numbers[name].append(item)
        for name, found in numbers.items():
            self._numbers[name].append(np.array(found))
        self._take_named([name for name, _ in loose], np.array([v for _, v in loose], np.float64))
        if words:
            places = self._indexer.find([word for _, word in words])
            known, rows = places.signs != 0.0, np.array([row for row, _ in words])
            self._words.append((self.rows + rows[known], places.indices[known]))

    def _take_named(self, names: list[str], values: Floats) -> None:
        if names:
            self._take_sparse(self._indexer.find(names), values)

    def _take_sparse(self, places: Places, values: Floats) -> None:
        known = places.signs != 0.0
        self._sparse.append((places.indices[known], values[known].astype(np.float64)))

    def _sizes(self) -> dict[int, float]:
        if not self._sparse:
            return {}
        columns, values = map(np.concatenate, zip(*self._sparse, strict=True))
        return dict(zip(*(part.tolist() for part in sparse_sizes(columns, values)), strict=True))

    def _commonness(self) -> dict[int, float]:
        if not self._words:
            return {}
        pairs = np.unique(np.hstack([np.stack(part) for part in self._words]), axis=1)
        columns, with_word = np.unique(pairs[1], return_counts=True)
        spreads = common_spread(self.rows, with_word)
        return dict(zip(columns.tolist(), spreads.tolist(), strict=True))
