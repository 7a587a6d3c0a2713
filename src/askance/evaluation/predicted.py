"""What a classifier says of the records of a sample: by a file of predictions, or by a model."""

import json
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from askance.data.features import FeatureMap
from askance.data.features.columns import some_of
from askance.data.features.indexers import Numbered
from askance.data.features.records import Batch
from askance.data.reading.labels import label_text
from askance.data.reading.readers import read_columns
from askance.data.text.libsvm import read_all
from askance.errors import BadRecord
from askance.evaluation.stored_sample import StoredSample
from askance.live import ActiveLearner
from askance.storage.tables import unmarked
from askance.types import Bools, Matrix

__all__ = ["Said", "predicted_by_file", "predicted_by_model"]

_TRUTH = {"true": 1.0, "false": 0.0}

MOST_CLASSES = 100
"""Classes that predictions may have."""


class Said(NamedTuple):
    """What a classifier predicts for each label of a sample.

    ``taught`` tells which of the labels it was taught by, as far as that can be known, and
    ``classes`` which predictions it has a name for, the positive one last.
    """

    predictions: list[str]
    taught: Bools
    classes: tuple[str, ...] = ()


def predicted_by_file(sample: StoredSample, path: str | Path, column: str, id: str = "id") -> Said:
    r"""Predictions for the labels of a sample, by the ids of their records.

    What taught them is not known here, and is for their owner to say.

    Parameters
    ----------
    sample
        What is judged by.
    path
        A table of CSV, TSV or Parquet, with a prediction for each label and maybe for others.
    column, id
        The columns of the predictions and of the ids.
    """
    table = {unmarked(name): values for name, values in read_columns(path).items()}
    for role, name in (("predictions", column), ("ids", id)):
        if name not in table:
            raise BadRecord(f"{path} has no column {name!r} of {role}, it has {some_of(table)}")
    ids = [None if one is None else str(unmarked(one)) for one in table[id]]
    said = dict(zip(ids, table[column], strict=True))
    _check_ids(sample.ids, sample.source)
    _check_ids([one for one in ids if one is not None], str(path))
    _check_known(sample, said, str(path))
    found = [label_text(unmarked(said[one])) for one in sample.ids]
    if None in found:
        one = sample.ids[found.index(None)]
        raise BadRecord(f"{path} has no prediction for the id {one!r}, each label needs one")
    predictions = [one for one in found if one is not None]
    _check_classes(sample, predictions, f"the column {column!r} of {path}")
    return Said(predictions, np.zeros(len(predictions), bool))


def _check_ids(ids: Sequence[str], source: str) -> None:
    seen: set[str] = set()
    for one in ids:
        if one in seen:
            raise BadRecord(f"{source} has the id {one!r} twice, ids must differ")
        seen.add(one)


def _check_known(sample: StoredSample, said: Collection[str | None], path: str) -> None:
    missing = [one for one in sample.ids if one not in said]
    if missing:
        many = "any" if len(missing) == len(sample.ids) else f"{len(missing):,}"
        raise BadRecord(
            f"{path} has no prediction for {many} of the {len(sample.ids):,} labels of "
            f"{sample.source}, such as that of the id {missing[0]!r}"
        )


def _check_classes(sample: StoredSample, predictions: Sequence[str], where: str) -> None:
    """A column of other things is no column of predictions."""
    known, found = set(sample.labels), set(predictions)
    if not known & found or len(known | found) > MOST_CLASSES:
        raise BadRecord(
            f"{where} predicts {some_of(map(repr, sorted(found)))}, but the labels of "
            f"{sample.source} are {some_of(map(repr, sorted(known)))}"
        )


def predicted_by_model(sample: StoredSample, live: ActiveLearner) -> Said:
    """What the classifier of ``live`` says of the records of a sample, and which have taught it.

    A label has taught it if the learner has bought one for a record with the same features, under
    whatever name and in whatever file. Two records that only look alike cannot be told apart.
    """
    live.settle()
    X = _encoded(sample, live)
    names, said = [str(label_text(name)) for name in live.classes], live.predict_many(X)
    codes = (said > 0).astype(int) if live.n_classes is None else said
    _check_classes(sample, names, "the model")
    known = live.weighted_sample()
    shown = np.ones(len(known.ids), bool)
    if live.hold_out:
        shown = ~np.isin(known.ids, live.weighted_sample(held_out=True).ids)
    bought = set(_fingerprints(known.X[np.flatnonzero(shown)]))
    taught = np.array([one in bought for one in _fingerprints(X)])
    return Said([names[code] for code in codes.tolist()], taught, tuple(names))


def _fingerprints(X: Matrix) -> list[bytes]:
    """The same for the same features, in whatever precision they are kept."""
    indices, values = X.indices.astype(np.int64), X.data.astype(np.float32)
    spans = zip(X.indptr[:-1].tolist(), X.indptr[1:].tolist(), strict=True)
    return [indices[a:b].tobytes() + values[a:b].tobytes() for a, b in spans]


def _encoded(sample: StoredSample, live: ActiveLearner) -> Matrix:
    """The records as the model sees them."""
    features = live.features or FeatureMap(Numbered(live.n_features))
    ids, kinds, numbered = sample.ids, features.kinds, sample.records.get("features")
    content: Any
    if numbered is not None and not kinds:
        content = _numbered(numbered, sample.source)
    else:
        missing = [name for name in kinds if sample.record_column(name, kinds) is None]
        if missing or not sample.records:
            raise BadRecord(
                f"{sample.source} has no column {some_of(map(repr, missing or ['features']))} as "
                f"the model expects, its records have {some_of(sample.records) or 'none'}"
            )
        # What has names inside, such as a namespace, is not among the columns.
        names = dict.fromkeys(filter(sample.is_mapping, sample.records), "mapping") | kinds
        content = [{} for _ in ids]
        for name, kind in names.items():
            for record, value in zip(content, sample.record_column(name, names) or (), strict=True):
                if value is not None:
                    record[name] = _typed(value, kind, f"column {name!r} of {sample.source}")
    return features.encode_batch(Batch(ids, np.zeros(len(ids), np.int8), content))


def _numbered(texts: Sequence[str | None], source: str) -> Matrix:
    """Rows of numbered features: LIBSVM text that counts from 0, or JSON."""
    lines = []
    for text in texts:
        line = text or ""
        if line.startswith("{"):
            pairs = _typed(line, "mapping", f"column 'features' of {source}").items()
            line = " ".join(f"{name}:{value}" for name, value in pairs)
        lines.append(f"0 {line}\n")
    return read_all("".join(lines).encode(), source, base=0).csr


def _typed(value: Any, kind: str, where: str) -> Any:
    """A cell as its column has it: CSV holds texts only."""
    if not isinstance(value, str) or kind == "string":
        return value
    try:
        if kind in ("list", "mapping"):
            return json.loads(value)
        return _TRUTH[value.lower()] if value.lower() in _TRUTH else float(value)
    except ValueError:
        raise BadRecord(f"{where} has {value[:60]!r} where a {kind} was expected") from None
