"""Files: their records wait until people have answered, so that every question counts.

An application sends examples as they come. A file is there at once, and if all of it were offered
at once, the learner would decide about everything before it had learned anything.
"""

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from askance.data.reading.intake import Reading
from askance.data.reading.readers import read_batches
from askance.errors import BadRecord
from askance.service.offering import MOST_EXAMPLES, freeze_map, offer_examples
from askance.service.reasons import spent
from askance.service.schema import backlog
from askance.service.stream import OpenStream
from askance.types import Row

__all__ = ["feed", "is_hungry", "keep_file", "keep_records", "waiting_records"]

AT_ONCE = 16
"""Records that are offered at a time, so that not many questions are asked ahead."""

MOST_TURNS = 100
"""How often that is done for one who waits."""


def keep_file(stream: OpenStream, source: Path, reading: Reading, prefix: str) -> int:
    """Keep the records of a file; how many there were. Ids of records begin with the ``prefix``."""
    return keep_records(stream, _records(stream, source, reading, prefix))


def keep_records(stream: OpenStream, records: Iterable[tuple[str, Mapping[str, Any]]]) -> int:
    """Keep records with their ids, to be offered later."""
    with stream.lock:
        mine = backlog.c.stream == stream.id
        with stream.log.engine.connect() as connection:
            place = connection.scalar(sa.select(sa.func.max(backlog.c.place)).where(mine)) or 0
        rows = [
            {"stream": stream.id, "place": at, "key": id, "record": json.dumps(record)}
            for at, (id, record) in enumerate(records, start=place + 1)
        ]
        if not rows:
            raise BadRecord("the file holds no records")
        first = [json.loads(str(row["record"])) for row in rows[:MOST_EXAMPLES]]
        stream.wait(
            [*freeze_map(stream, first), stream.write([], None, [(backlog.insert(), rows)])]
        )
    return len(rows)


def _records(
    stream: OpenStream, source: Path, reading: Reading, prefix: str
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    strings = (*reading.strings, *(stream.settings.text or ()), *stream.settings.ignore)
    for batch in read_batches(source, reading.format, None, reading.id, None, strings):
        for record in batch.records():
            fields = record.fields
            if isinstance(fields, Row):
                pairs = zip(fields.indices.tolist(), fields.values.tolist(), strict=True)
                fields = {str(index): value for index, value in pairs}
            # A missing number is NaN in a column, which JSON does not know.
            left = {
                name: None if isinstance(v, float) and math.isnan(v) else v
                for name, v in fields.items()
                if name not in reading.ignore
            }
            yield f"{prefix}{record.id}", left


def waiting_records(stream: OpenStream) -> int:
    """How many records of files were not offered yet."""
    query = sa.select(sa.func.count()).where(backlog.c.stream == stream.id)
    with stream.log.engine.connect() as connection:
        return connection.scalar(query) or 0


def is_hungry(stream: OpenStream) -> bool:
    """Whether a stream runs and may buy labels."""
    with stream.lock:
        stats = None if stream.learner is None else stream.learner.stats()
        is_spent = stats is not None and spent(stream.books, stats, stream.clock()) is not None
        return stream.books.state == "running" and not is_spent


def feed(stream: OpenStream) -> bool:
    """Offer the next records of files; whether there were any.

    While no label may be bought they wait for better times, as they were left out else.
    """
    if not is_hungry(stream):
        return False
    mine = backlog.c.stream == stream.id
    query = backlog.select().where(mine).order_by(backlog.c.place).limit(AT_ONCE)
    with stream.log.engine.connect() as connection:
        rows = connection.execute(query).all()
    if rows:
        # If this ends in between, they are offered again, and known by their ids.
        offer_examples(stream, [(row.key, json.loads(row.record)) for row in rows])
        gone = backlog.delete().where(mine & (backlog.c.place <= rows[-1].place))
        stream.wait([stream.write([], None, [(gone, [{}])])])
    return bool(rows)
