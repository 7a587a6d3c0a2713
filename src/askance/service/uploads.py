"""Files: their records wait until people have answered, so that every question counts.

An application sends examples as they come. A file is there at once, and if all of it were offered
at once, the learner would decide about everything before it had learned anything.
"""

import json
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import sqlalchemy as sa

from askance.data.features import FeatureMap
from askance.data.features.columns import some_of
from askance.data.reading.intake import Reading
from askance.data.reading.readers import read_batches
from askance.errors import BadRecord, InvalidParameter
from askance.service.fold import map_from, map_state
from askance.service.offering import (
    MOST_EXAMPLES,
    check_example,
    encoded,
    freeze_map,
    map_of,
    offer_examples,
)
from askance.service.reasons import spent
from askance.service.schema import backlog, events
from askance.service.stream import OpenStream
from askance.types import Row

__all__ = [
    "KeptRecords",
    "erase_waiting",
    "feed",
    "is_hungry",
    "keep_file",
    "keep_records",
    "still_to_come",
    "waiting_records",
]

AT_ONCE = 16
"""Records that are offered at a time, so that not many questions are asked ahead."""

MOST_TURNS = 100
"""How often that is done for one who waits."""

_LOOKED_UP = 500
"""Ids that are looked up at a time."""

_KEEPING = threading.Lock()
"""Held until records are on the disk: the places of the next ones follow theirs."""


class KeptRecords(NamedTuple):
    """How many records came, and how many of them were not there already."""

    records: int
    new: int


def keep_file(stream: OpenStream, source: Path, reading: Reading, prefix: str) -> KeptRecords:
    """Keep the records of a file; ids of records begin with the ``prefix``."""
    return keep_records(stream, _records(stream, source, reading, prefix))


def keep_records(
    stream: OpenStream, records: Iterable[tuple[str, Mapping[str, Any]]]
) -> KeptRecords:
    """Keep records with their ids, to be offered later; those that are there already are not.

    They are read, checked and encoded without the lock: nobody waits for a large file.
    """
    kept = [(id, check_example(id, record)) for id, record in records]
    if not kept:
        raise BadRecord("the file holds no records")
    texts = [(id, json.dumps(record)) for id, record in kept]
    while True:
        known = _known_map(stream)
        features = _tried_map(stream, known, [record for _, record in kept])
        with _KEEPING:
            new = _new_ones(stream, texts)
            if _is_kept(stream, new, known, features):
                return KeptRecords(len(kept), len(new))


def _new_ones(stream: OpenStream, texts: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Those whose ids neither wait nor were offered; the first of an id counts."""
    firsts: dict[str, str] = {}
    for id, text in texts:
        firsts.setdefault(id, text)
    mine, offered = backlog.c.stream == stream.id, events.c.stream == stream.id
    ids = list(firsts)
    with stream.log.engine.connect() as connection:
        there = set(connection.scalars(sa.select(backlog.c.key).where(mine)))
        for start in range(0, len(ids), _LOOKED_UP):
            keys = [f"x:{id}" for id in ids[start : start + _LOOKED_UP]]
            query = sa.select(events.c.key).where(offered & events.c.key.in_(keys))
            there.update(key.removeprefix("x:") for key in connection.scalars(query))
    return [(id, text) for id, text in firsts.items() if id not in there]


def _known_map(stream: OpenStream) -> FeatureMap | None:
    with stream.lock:
        return None if stream.learner is None else stream.learner.features


def _is_same(one: FeatureMap | None, other: FeatureMap | None) -> bool:
    """Whether maps are the same; the past that is folded again makes an equal one."""
    if one is None or other is None:
        return one is other
    return one is other or map_state(one) == map_state(other)


def _tried_map(
    stream: OpenStream, known: FeatureMap | None, records: Sequence[Mapping[str, Any]]
) -> FeatureMap:
    """The map of a stream, or one of the first records; all records can be encoded by it."""
    if known is None:
        features = map_of(stream, records[:MOST_EXAMPLES])
    else:
        # A copy: what a map remembers of names is for one thread.
        features = map_from(map_state(known), stream.settings)
    # All are tried now: one that cannot be offered would keep questions from everybody later.
    encoded(stream, records, features)
    return features


def _is_kept(
    stream: OpenStream,
    texts: Sequence[tuple[str, str]],
    known: FeatureMap | None,
    features: FeatureMap,
) -> bool:
    """Keep records, unless the stream has got another map since they were tried."""
    query = sa.select(sa.func.max(backlog.c.place)).where(backlog.c.stream == stream.id)
    with stream.log.engine.connect() as connection:
        place = connection.scalar(query) or 0
    rows = [
        {"stream": stream.id, "place": at, "key": id, "record": text}
        for at, (id, text) in enumerate(texts, start=place + 1)
    ]
    with stream.lock:
        if not _is_same(_known_map(stream), known):
            return False
        futures = freeze_map(stream, features)
        if rows:
            futures.append(stream.write([], None, [(backlog.insert(), rows)]))
    stream.wait(futures)
    return True


def erase_waiting(stream: OpenStream, id: str) -> bool:
    """Forget the record of an id that waits to be offered; whether there was one."""
    mine = (backlog.c.stream == stream.id) & (backlog.c.key == id)
    with stream.log.engine.connect() as connection:
        waits = connection.scalar(sa.select(backlog.c.place).where(mine).limit(1)) is not None
    if waits:
        stream.wait([stream.write([], None, [(backlog.delete().where(mine), [{}])])])
    return waits


def _records(
    stream: OpenStream, source: Path, reading: Reading, prefix: str
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    strings = (*reading.strings, *(stream.settings.text or ()), *stream.settings.ignore)
    # A column that is named must be there: it may be a typo, and hold the labels.
    missing, names = set(reading.ignore) - {reading.id}, dict[str, None]()
    for batch in read_batches(source, reading.format, None, reading.id, None, strings):
        for record in batch.records():
            fields = record.fields
            if isinstance(fields, Row):
                pairs = zip(fields.indices.tolist(), fields.values.tolist(), strict=True)
                fields = {str(index): value for index, value in pairs}
            if missing:
                missing.difference_update(fields)
                names.update(dict.fromkeys(fields))
            left = {name: v for name, v in fields.items() if name not in reading.ignore}
            yield f"{prefix}{record.id}", left
    if missing and names:
        raise InvalidParameter(
            f"{source} has no column {min(missing)!r} to leave out, "
            f"its columns are {some_of(names)}"
        )


def waiting_records(stream: OpenStream) -> int:
    """How many records of files were not offered yet."""
    query = sa.select(sa.func.count()).where(backlog.c.stream == stream.id)
    with stream.log.engine.connect() as connection:
        return connection.scalar(query) or 0


def still_to_come(stream: OpenStream) -> str | None:
    """A sentence if records of files wait, and questions about them may be asked."""
    left = waiting_records(stream)
    if not left or not is_hungry(stream):
        return None
    return f"{left:,} records of files are still to be looked at, as people answer."


def is_hungry(stream: OpenStream) -> bool:
    """Whether a stream runs and may buy labels."""
    with stream.lock:
        stats = None if stream.learner is None else stream.learner.stats()
        is_spent = stats is not None and spent(stream.books, stats, stream.clock()) is not None
        return stream.books.state == "running" and not is_spent


def feed(stream: OpenStream, wanted: Callable[[], bool] = lambda: True) -> bool:
    """Offer the next records of files, if they are still ``wanted``; whether there were any.

    While no label may be bought they wait, since otherwise they would be left out.
    """
    with stream.feeding:
        return wanted() and is_hungry(stream) and _feed(stream)


def _feed(stream: OpenStream) -> bool:
    mine = backlog.c.stream == stream.id
    query = backlog.select().where(mine).order_by(backlog.c.place).limit(AT_ONCE)
    with stream.log.engine.connect() as connection:
        rows = connection.execute(query).all()
    if rows:
        # If this ends in between, they are offered again, and known by their ids.
        told = offer_examples(stream, [(row.key, json.loads(row.record)) for row in rows])
        # One that was not taken, because the stream was paused just now, waits on.
        taken = backlog.c.key.in_([one.id for one in told if one.number is not None])
        gone = backlog.delete().where(mine & (backlog.c.place <= rows[-1].place) & taken)
        stream.wait([stream.write([], None, [(gone, [{}])])])
    return bool(rows)
