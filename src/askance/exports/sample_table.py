"""The weighted sample as a table."""

import itertools
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from askance.data.features.records import Record
from askance.exports.classifier import names_by_column
from askance.live import ActiveLearner
from askance.storage.tables import write_table
from askance.types import Floats, Matrix, Row

__all__ = ["record_columns", "write_model_sample", "write_sample"]


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
    own: dict[str, Any] = {
        "id": np.array(ids, np.str_),
        "label": np.array(labels, np.str_),
        "weight": np.asarray(weights, np.float64),
        "probability": np.asarray(probabilities, np.float64),
        "n": np.full(len(ids), n, np.int64),
    }
    with write_table(path, raw=raw) as write:
        write(own | _renamed(columns or {}, own))


def write_model_sample(path: str | Path, live: ActiveLearner, *, raw: bool = False) -> None:
    """Write the weighted sample of ``live``, all that it knows of each record as JSON by name.

    Ids are those of the questions: the number of the example, from 0 on.
    """
    sample = live.weighted_sample()
    write_sample(
        path,
        ids=list(map(str, sample.ids.tolist())),
        labels=[live.classes[int(y > 0)] for y in sample.y.tolist()],
        weights=sample.weight,
        probabilities=1.0 / sample.weight,
        n=sample.n,
        columns={"features": [json.dumps(row) for row in _named_rows(live, sample.X)]},
        raw=raw,
    )


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


def _renamed(columns: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    renamed: dict[str, Any] = {}
    for name, values in columns.items():
        free = name
        while free in own or free in renamed or (free != name and free in columns):
            free = f"_{free}"
        renamed[free] = values
    return renamed
