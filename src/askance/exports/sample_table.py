"""The weighted sample as a table."""

import itertools
import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from askance.data.features.records import Record
from askance.exports.classifier import names_by_column
from askance.live import ActiveLearner
from askance.storage.tables import write_table
from askance.types import Floats, Matrix, Row

__all__ = [
    "AUDITED",
    "BASIC",
    "HELD_OUT",
    "ORIGIN",
    "columns_beside",
    "record_columns",
    "write_model_sample",
    "write_sample",
]

BASIC = ("id", "label", "weight", "probability", "n")
"""Columns that every sample has."""

AUDITED = "+audit"
"""Stands behind the name of an algorithm that was audited."""

HELD_OUT = ("held_out", "n_held_out")
"""Columns of a learner that holds labels out, whether each was, and of how many such examples."""

ORIGIN = ("position", "least", "unanswered", "algorithm", "floor")
"""Columns that say where labels stood in the stream, and how they were asked for."""


def write_sample(
    path: str | Path,
    *,
    ids: Sequence[str],
    labels: Sequence[str],
    weights: Floats,
    probabilities: Floats,
    n: int,
    columns: Mapping[str, Sequence[Any]] | None = None,
    raw: bool = False,
) -> None:
    r"""Write a weighted sample to CSV or Parquet, as the suffix says, one row for each label.

    Parameters
    ----------
    path
        The file, which appears whole or not at all.
    ids, labels
        Of the labelled records, by the names that their owner gave.
    weights, probabilities
        1/P and P.
    n
        How many examples were offered and not refused; the same in each row.
    columns
        The records' own columns, see :func:`record_columns`; one with a name of those above gets an
        underscore in front.
    raw
        Keep texts that a spreadsheet would run as formulas; otherwise CSV has them with an
        apostrophe in front.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "sample.csv"
    >>> one = dict(ids=["ann"], labels=["yes"], weights=np.array([2.0]), n=9)
    >>> write_sample(path, **one, probabilities=np.array([0.5]), columns={"age": [39.0]})
    >>> path.read_text()
    'id,label,weight,probability,n,age\nann,yes,2,0.5,9,39\n'
    """
    own = _basic(ids, labels, weights, probabilities, n)
    with write_table(path, raw=raw) as write:
        write(own | columns_beside(columns or {}, own))


def write_model_sample(
    path: str | Path,
    live: ActiveLearner,
    *,
    ids: Sequence[str] | None = None,
    columns: Mapping[str, Sequence[Any]] | None = None,
    raw: bool = False,
) -> None:
    """Write the weighted sample of ``live``, with what is needed to judge a classifier by it.

    Beside the columns of :func:`write_sample` these are the ``position`` of each label, ``least``
    and ``unanswered`` as in :class:`~askance.types.LabelPlaces`, the ``algorithm`` and its
    ``floor``, the last two the same in each row. What is not known is left empty. A learner that
    holds labels out adds whether each was, ``held_out``, and ``n_held_out``, of how many examples.

    Parameters
    ----------
    path, raw
        As for :func:`write_sample`.
    live
        The learner that has bought the labels.
    ids, columns
        Of the labelled records, in the order of the questions. Without them, an id is that of the
        pool's row, or the number of the question, from 0 on, and all that the learner knows of a
        record is there as JSON by name.
    """
    sample = live.weighted_sample()
    if ids is None:
        of_pool = {number: id for number, id, _ in (live.pool or {}).get("asked", [])}
        ids = [of_pool.get(number, str(number)) for number in sample.ids.tolist()]
    if columns is None:
        columns = {"features": [json.dumps(row) for row in _named_rows(live, sample.X)]}
    labels = [live.name_of(y) for y in sample.y.tolist()]
    own = _basic(ids, labels, sample.weight, 1.0 / sample.weight, sample.n) | _origin(live)
    with write_table(path, raw=raw) as write:
        write(own | columns_beside(columns, own))


def _basic(
    ids: Sequence[str], labels: Sequence[str], weights: Floats, probabilities: Floats, n: int
) -> dict[str, Any]:
    names = (np.array(texts, np.str_) for texts in (ids, labels))
    numbers = (np.asarray(values, np.float64) for values in (weights, probabilities))
    return dict(zip(BASIC, (*names, *numbers, np.full(len(ids), n, np.int64)), strict=True))


def _origin(live: ActiveLearner) -> dict[str, Any]:
    """Where labels stood and how they were asked for; columns of None where that is not known."""
    places, labels = live.label_places(), live.stats().answered
    known: dict[str, Any] = dict.fromkeys(ORIGIN, [None] * labels)
    if places is not None:
        known["position"], known["least"] = places.positions, places.least
        known["unanswered"] = [" ".join(map(repr, missing)) for missing in places.unanswered]
    name = live.preset["algorithm"] + (AUDITED if live.audit else "")
    known |= {"algorithm": np.full(labels, name), "floor": [live.floor] * labels}
    if live.hold_out:
        apart = live.weighted_sample(held_out=True)
        held = np.isin(live.weighted_sample().ids, apart.ids)
        values = np.where(held, "yes", "no"), np.full(labels, apart.n, np.int64)
        known |= dict(zip(HELD_OUT, values, strict=True))
    return known


def _named_rows(live: ActiveLearner, X: Matrix) -> Iterator[dict[str, float]]:
    """Rows by name; a column that several names share, or none, by its number."""
    names: dict[int, tuple[str, float]] = {}
    for column, known in names_by_column(live, np.unique(X.indices).tolist()).items():
        alone = len(known) == 1
        names[column] = next(iter(known.items())) if alone else (f"#{column}", 1.0)
    for start, stop in itertools.pairwise(X.indptr.tolist()):
        pairs = zip(X.indices[start:stop].tolist(), X.data[start:stop].tolist(), strict=True)
        yield {names[column][0]: names[column][1] * value for column, value in pairs}


def record_columns(records: Iterable[Record]) -> dict[str, list[Any]]:
    """The fields of ``records`` as columns, None where a record has none.

    A record with numbered features has them in one column, as LIBSVM text that counts from 0.

    >>> record_columns([Record("1", None, {"age": 39}), Record("2", 1, {"job": "clerk"})])
    {'age': [39, None], 'job': [None, 'clerk']}
    """
    fields = [_fields(record) for record in records]
    names = dict.fromkeys(name for each in fields for name in each)
    return {name: [each.get(name) for each in fields] for name in names}


def _fields(record: Record) -> Mapping[str, Any]:
    fields = record.fields
    if not isinstance(fields, Row):
        return fields
    # As they are, since a number of single precision is shorter than the same one in double.
    pairs = zip(fields.indices.tolist(), fields.values, strict=True)
    return {"features": " ".join(f"{index}:{value!s}" for index, value in pairs)}


def columns_beside(columns: Mapping[str, Any], own: Collection[str]) -> dict[str, Any]:
    """Columns of records that stand beside our ``own``: a name that is taken gets underscores.

    >>> columns_beside({"n": 1, "_n": 2, "age": 3}, own=BASIC)
    {'__n': 1, '_n': 2, 'age': 3}
    """
    found: dict[str, Any] = {}
    for name, values in columns.items():
        free = name
        while free in own or free in found or (free != name and free in columns):
            free = f"_{free}"
        found[free] = values
    return found
