"""Examples come in: each is encoded, decided for once, and written down with its coin."""

import json
import uuid
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from typing import Any, NamedTuple

import numpy as np

from askance.data.features import FeatureMap
from askance.data.features.indexers import Hashing
from askance.data.features.records import Batch, Record
from askance.data.reading.intake import text_columns
from askance.errors import BadRecord
from askance.service.fold import map_state
from askance.service.stream import OpenStream
from askance.sparse import row_at
from askance.types import Decision, Event, ExampleContent, Matrix
from askance.validation import shown

__all__ = ["MOST_EXAMPLES", "Offered", "encoded", "freeze_map", "offer_examples"]

MOST_EXAMPLES = 1000
"""Examples of one batch."""

CHUNK = 64
"""Examples that are decided before somebody else has a turn."""

LONGEST_ID = 1000
"""Characters of an id."""


class Offered(NamedTuple):
    """What was decided about an example: its id, its number, and whether its label is wanted.

    ``reason`` says why not. ``predicted`` is the class that the learner expects. ``new`` is false
    if it was offered before.
    """

    id: str
    number: int | None
    wanted: bool
    reason: str | None
    probability: float
    predicted: str | None
    new: bool = True


def offer_examples(
    stream: OpenStream, examples: Sequence[tuple[str | None, Mapping[str, Any]]]
) -> list[Offered]:
    """Offer examples, each with the id that its sender gave it and its record.

    One that was offered before is not offered again: what was decided then is told. If a record
    cannot be read, nothing of the batch happens.
    """
    named = [(_checked_id(id), dict(record)) for id, record in examples]
    if len(named) > MOST_EXAMPLES:
        raise BadRecord(f"a batch may have {MOST_EXAMPLES} examples, got {len(named)}")
    found: dict[str, Offered] = {}
    futures: list[Future[None]] = []
    with stream.lock:
        if stream.books.state != "running":
            return [Offered(id, None, False, stream.books.state, 0.0, None) for id, _ in named]
        known = stream.find([f"x:{id}" for id, _ in named])
        new = {id: record for id, record in named if f"x:{id}" not in known}
        if new:
            futures += freeze_map(stream, list(new.values()))
            X = encoded(stream, list(new.values()))
    pairs = list(new.items())
    for start in range(0, len(pairs), CHUNK):
        some = dict(pairs[start : start + CHUNK])
        # Another call may have brought the same examples between two turns.
        with stream.lock:
            known |= stream.find([f"x:{id}" for id in some])
            left = [i for i, id in enumerate(some, start) if f"x:{id}" not in known]
            if left and stream.books.state == "running":
                futures.append(_decide(stream, [pairs[i] for i in left], X[left], found))
    stream.wait(futures)
    settings = stream.settings
    for id, _ in named:
        if f"x:{id}" in known:
            found[id] = _told(known[f"x:{id}"], id, settings.class_name, new=False)
    stopped = stream.books.state
    return [found.get(id) or Offered(id, None, False, stopped, 0.0, None) for id, _ in named]


def encoded(stream: OpenStream, records: Sequence[Mapping[str, Any]]) -> Matrix:
    """Records as rows; the stream must have its feature map."""
    assert stream.learner is not None
    assert stream.learner.features is not None
    numbered = [
        Record(str(i), None, _learned_from(stream, record))
        for i, record in enumerate(records, start=1)
    ]
    return stream.learner.features.encode_many(numbered)


def _learned_from(stream: OpenStream, record: Mapping[str, Any]) -> dict[str, Any]:
    return {name: v for name, v in record.items() if name not in stream.settings.ignore}


def _checked_id(id: str | None) -> str:
    if id is None:
        return uuid.uuid4().hex
    if not (isinstance(id, str) and 1 <= len(id) <= LONGEST_ID and "\0" not in id):
        raise BadRecord(f"an id must be text of 1 to {LONGEST_ID} characters, got {shown(id)}")
    return id


def freeze_map(stream: OpenStream, first: Sequence[Mapping[str, Any]]) -> list["Future[None]"]:
    """Make the feature map of the first records, if there is none yet."""
    if stream.learner is not None:
        return []
    settings = stream.settings
    records = [_learned_from(stream, record) for record in first]
    ids = [str(place) for place in range(1, len(first) + 1)]
    batch = Batch(ids, np.zeros(len(first), np.int8), records)
    text = text_columns(batch) if settings.text is None else settings.text
    features = FeatureMap(Hashing(settings.bits), text, settings.ngrams)
    features.encode_batch(batch)
    if settings.scale:
        features.learn_scales([batch])
    return [stream.happen(stream.event("mapped", data={"features": map_state(features)}))]


def _decide(
    stream: OpenStream,
    some: Sequence[tuple[str, dict[str, Any]]],
    X: Matrix,
    found: dict[str, Offered],
) -> "Future[None]":
    """Decide for examples, take them in, and write them down."""
    fold, learner, name = stream.fold, stream.learner, stream.settings.class_name
    assert learner is not None
    events: list[Event] = []
    held: dict[int, ExampleContent] = {}
    while len(events) < len(some):
        start = len(events)
        spent = stream.books.refusal(stream.clock())
        limited = stream.settings.per_hour is not None or stream.settings.per_day is not None
        told = learner.foretell(X[start : start + 1] if limited else X[start:])
        block: list[Event] = []
        for i, (coin, decision) in enumerate(told):
            id, record = some[start + i]
            fact = None if spent else decision
            data: dict[str, Any] = {"coin": coin, "decision": _plain(fact)}
            if fact is None:
                data["reason"] = spent or "budget"
            wanted, number = fact is not None and bool(fact.queried), learner.seen + i
            event = stream.event(
                "offered", after=i, number=number, key=f"x:{id}", wanted=wanted, data=data
            )
            block.append(event)
            held[number] = ExampleContent(json.dumps(record), row_at(X, start + i))
            found[id] = _told(event, id, name)
        fold.apply_offers(block, X[start : start + len(block)])
        events += block
    stream.look_after_refits()
    future = stream.write(events, held)
    stream.snapshot(force=False)
    if any(event.wanted for event in events):
        stream.told(stream, "questions")
    return future


def _plain(decision: Decision | None) -> list[Any] | None:
    """A decision as JSON has it."""
    if decision is None:
        return None
    return [value.item() if isinstance(value, np.generic) else value for value in decision]


def _told(event: Event, id: str, name: Any, *, new: bool = True) -> Offered:
    decision = event.data["decision"]
    if decision is None:
        return Offered(id, event.number, False, event.data["reason"], 0.0, None, new)
    predicted, inside, probability, *_ = decision
    reason = None if event.wanted else ("coin" if inside else "outside")
    return Offered(id, event.number, event.wanted, reason, probability, name(predicted), new)
