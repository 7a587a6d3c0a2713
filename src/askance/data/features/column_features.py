"""Whole columns -> entries of sparse rows: the same features as value by value, faster."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from askance.data.features.columns import (
    Column,
    Entries,
    Numbers,
    Objects,
    Struct,
    Words,
    one_per_row,
)
from askance.data.features.indexers import Indexer, Places
from askance.data.features.naming import Feature, Naming, category
from askance.data.features.scales import Scales, scaled
from askance.data.text.vwtext import within
from askance.errors import BadRecord

__all__ = ["column_entries", "column_kind", "column_names", "placed", "single"]


def column_kind(column: Column) -> str | None:
    """Tell what a column holds; None is nothing at all."""
    if isinstance(column, Struct):
        return "mapping"
    if isinstance(column, Words):
        return "string" if (column.codes >= 0).any() else None
    if isinstance(column, Objects):
        return "list" if any(value is not None for value in column.values) else None
    return None if np.isnan(column).all() else "number"


def column_names(name: str, column: Column, naming: Naming) -> Iterator[str]:
    """Give the names of a column's features, perhaps repeated."""
    if isinstance(column, Struct):
        for key, child in column.children.items():
            yield from column_names(within(name, key), child, naming)
    elif isinstance(column, Words | Objects):
        for value in _present(column):
            yield from (feature for feature, _ in naming.features(name, value))
    elif not np.isnan(column).all():
        yield name


def _present(column: Words | Objects) -> Sequence[Any]:
    if isinstance(column, Objects):
        return column.values
    return [column.values[code] for code in np.unique(column.codes).tolist() if code >= 0]


def column_entries(
    name: str, column: Column, naming: Naming, indexer: Indexer, scales: Scales | None = None
) -> Iterator[Entries]:
    """Give a column's entries, or its children's."""
    if isinstance(column, Struct):
        for key, child in column.children.items():
            yield from column_entries(within(name, key), child, naming, indexer, scales)
    elif isinstance(column, Objects):
        parts = [list(naming.features(name, value)) for value in column.values]
        yield _ragged(parts, np.arange(len(parts)), indexer, scales)
    elif isinstance(column, Words) and name in naming.text:
        parts = [list(naming.features(name, value)) for value in column.values]
        yield _ragged([*parts, []], column.codes, indexer, scales)
    elif isinstance(column, Words):
        yield _categories(name, column, indexer, scales)
    else:
        yield _numbers(name, column, indexer, scales)


def _numbers(name: str, column: Numbers, indexer: Indexer, scales: Scales | None) -> Entries:
    places = indexer.find([name])
    known = column if scales is None else scaled(column, *scales.terms([name], places.indices))
    values = single(np.where(np.isnan(column), 0.0, known), [name])
    return one_per_row(int(places.indices[0]), values * places.signs[0])


def _categories(name: str, column: Words, indexer: Indexer, scales: Scales | None) -> Entries:
    """Place one feature for each distinct value; the last place answers the code -1, missing."""
    names = [category(name, value) for value in column.values]
    places = indexer.find(names)
    values = placed(np.ones(len(names)), names, places, scales)
    indices = np.append(places.indices, np.int32(0))
    return one_per_row(indices[column.codes], np.append(values, np.float32(0))[column.codes])


def placed(
    values: NDArray[np.float64], names: Sequence[str], places: Places, scales: Scales | None
) -> NDArray[np.float32]:
    """Give features the values that they have in their places."""
    if scales is not None:
        values = scaled(values, *scales.terms(names, places.indices))
    return single(values, names) * places.signs


def _ragged(
    parts: list[list[Feature]], codes: NDArray[Any], indexer: Indexer, scales: Scales | None
) -> Entries:
    """Place any number of features for each distinct value."""
    names = [name for part in parts for name, _ in part]
    places = indexer.find(names)
    given = np.array([v for part in parts for _, v in part], dtype=np.float64)
    values = placed(given, names, places, scales)
    lengths = np.array([len(part) for part in parts])
    starts = np.cumsum(lengths) - lengths
    rows = np.concatenate(([0], np.cumsum(lengths[codes])))
    # For each entry: its place within its row, counted from where the row's value starts.
    take = np.arange(rows[-1]) - np.repeat(rows[:-1] - starts[codes], lengths[codes])
    return Entries(rows, places.indices[take], values[take])


def single(values: NDArray[np.float64], names: Sequence[str]) -> NDArray[np.float32]:
    """Bring values to single precision, where they must be finite."""
    with np.errstate(over="ignore", under="ignore"):
        rounded = values.astype(np.float32)
    if not np.isfinite(rounded).all():
        wrong = int(np.argmin(np.isfinite(rounded)))
        name = names[wrong] if len(names) == len(values) else names[0]
        raise BadRecord(f"feature {name!r} is {values[wrong]}, a finite number was expected")
    return rounded
