"""What a labelling leaves: the labels with their records as CSV."""

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from askance.data.records import Fields, Record
from askance.files import write_atomically
from askance.labelling.record_view import number_text
from askance.labelling.session import Session
from askance.types import Row

__all__ = ["write_labels"]

_OWN = ("id", "label", "probability", "weight")


def write_labels(session: Session, path: Path) -> None:
    """Write one row for each label given: id, label, probability, weight, and the record.

    A column of the record that bears one of the first four names gets an underscore in front.
    """
    negative, positive = session.settings.classes
    names = {"yes": positive, "no": negative}
    pairs = zip(session.journal.answers, session.records, strict=True)
    labelled = [(given, record) for given, record in pairs if given.answer in names]
    columns = list(dict.fromkeys(name for _, record in labelled for name in _columns(record)))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*_OWN, *_renamed(columns)])
    for given, record in labelled:
        values = _columns(record)
        own = (given.id, names[given.answer], given.probability, 1.0 / given.probability)
        writer.writerow([*own, *(_cell(values.get(name)) for name in columns)])
    with write_atomically(path) as file:
        file.write(text.getvalue().encode("utf-8", "backslashreplace"))


def _columns(record: Record) -> Mapping[str, Any]:
    fields: Fields = record.fields
    if isinstance(fields, Row):
        pairs = zip(fields.indices.tolist(), fields.values.tolist(), strict=True)
        return {"features": " ".join(f"{index}:{value!r}" for index, value in pairs)}
    return fields


def _renamed(columns: Sequence[str]) -> Iterator[str]:
    taken = {*_OWN, *columns}
    for name in columns:
        free = name
        while name in _OWN and free in taken:
            free = f"_{free}"
        taken.add(free)
        yield free


def _cell(value: Any) -> Any:
    if isinstance(value, float):
        return number_text(value)
    return json.dumps(value) if isinstance(value, list | dict) else value
