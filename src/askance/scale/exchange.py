"""Questions as files for people and their tools, and the answers that come back.

Tables have a row for each question. A ``.json`` file holds tasks of Label Studio, with the id and
P in the task's meta, and comes back as its JSON export.
"""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from askance.data.features.records import Record
from askance.data.reading.labels import label_text
from askance.data.reading.readers import read_answers_of
from askance.data.reading.sources import open_bytes
from askance.errors import BadRecord, InvalidParameter
from askance.exports.sample_table import columns_beside, record_columns
from askance.scale.book import PoolQuestion
from askance.storage.files import write_atomically
from askance.storage.tables import check_table_path, write_table

__all__ = ["check_questions_path", "read_answers", "write_questions"]


def check_questions_path(path: str | Path) -> None:
    """Refuse a path whose suffix names no format; ``-`` is standard output.

    >>> check_questions_path("questions.xls")
    Traceback (most recent call last):
    askance.errors.InvalidParameter: questions.xls must end in .csv, .tsv, .parquet, .pq or .json
    """
    try:
        if not _is_json(path):
            check_table_path(path)
    except InvalidParameter:
        raise InvalidParameter(f"{path} must end in .csv, .tsv, .parquet, .pq or .json") from None


def write_questions(
    path: str | Path, questions: Sequence[PoolQuestion], *, raw: bool = False
) -> None:
    r"""Write questions with a column ``label`` to fill in, or as tasks; the file appears whole.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "questions.csv"
    >>> write_questions(path, [PoolQuestion("=a", 1, 0.25, {"size": 3.0})])
    >>> path.read_text()
    "id,label,probability,round,size\n'=a,,0.25,1,3\n"
    """
    check_questions_path(path)
    if _is_json(path):
        tasks = [_task(question) for question in questions]
        with write_atomically(path) as file:
            file.write(json.dumps(tasks, indent=1).encode())
        return
    own: dict[str, Any] = {
        "id": [question.id for question in questions],
        "label": [""] * len(questions),
        "probability": [question.probability for question in questions],
        "round": [question.round for question in questions],
    }
    fields = record_columns(Record(q.id, None, q.fields) for q in questions)
    with write_table(path, raw=raw) as write:
        write(own | columns_beside(fields, own))


def _is_json(path: str | Path) -> bool:
    return Path(path).suffix.lower() == ".json"


def _task(question: PoolQuestion) -> dict[str, Any]:
    meta = {"id": question.id, "probability": question.probability, "round": question.round}
    return {"data": dict(question.fields), "meta": meta}


def read_answers(
    source: str | Path, *, id: str = "id", label: str = "label", format: str | None = None
) -> list[tuple[str, str]]:
    r"""Read ids with labels; rows without a label are left out.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "answers.csv"
    >>> _ = path.write_text("id,label\n7,spam\n8,\n9,1.0\n")
    >>> read_answers(path)
    [('7', 'spam'), ('9', '1')]
    """
    if format is None and _is_json(source):
        return list(_choices(source))
    found: list[tuple[str, str]] = []
    for row, (known, value) in enumerate(read_answers_of(source, id, label, format), start=1):
        text = label_text(value)
        if text is None and isinstance(value, str):
            # Not a number is a number, but as a text it is somebody's label, or a typo.
            text = value.strip() or None
        if text is None:
            continue
        if known is None:
            raise BadRecord(f"row {row:,} of {source} has the label {text!r} and no {id!r}")
        found.append((known, text))
    return found


def _choices(source: str | Path) -> Iterator[tuple[str, str]]:
    """The choices of a JSON export of Label Studio."""
    with open_bytes(source) as stream:
        try:
            tasks = json.loads(stream.read())
        except (ValueError, RecursionError) as error:
            raise BadRecord(f"{source} is not JSON: {error}") from None
    if not isinstance(tasks, list):
        raise BadRecord(f"{source} must hold a list of tasks, got {type(tasks).__name__}")
    for number, task in enumerate(tasks, start=1):
        try:
            labels = {label_text(label) for label in _labels(task)}
            id = str(task["meta"]["id"])
        except (KeyError, TypeError, AttributeError):
            raise BadRecord(
                f"task {number:,} of {source} must have meta with an id and annotations with "
                "choices, as written by askance ask"
            ) from None
        if len(labels - {None}) > 1:
            two = " and ".join(sorted(map(repr, labels)))
            raise BadRecord(f"task {number:,} of {source} was answered {two}, expected one label")
        yield from ((id, label) for label in labels if label is not None)


def _labels(task: Any) -> Iterator[str]:
    for annotation in task.get("annotations") or []:
        if not annotation.get("was_cancelled"):
            for result in annotation["result"]:
                if result["type"] == "choices":
                    yield from result["value"]["choices"]
