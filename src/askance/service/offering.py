"""Examples come in: each is encoded, decided for once, and written down with its coin."""

import json
import math
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from typing import Any, NamedTuple

import numpy as np

from askance.data.features import FeatureMap
from askance.data.features.indexers import Hashing
from askance.data.features.records import Batch, Record
from askance.data.reading.intake import text_columns
from askance.errors import BadRecord
from askance.service.fold import map_state
from askance.service.log import can_be_key
from askance.service.stream import NotWritten, OpenStream
from askance.sparse import row_at
from askance.types import Decision, Event, ExampleContent, Matrix
from askance.validation import is_encodable, shown

__all__ = [
    "MOST_EXAMPLES",
    "Offered",
    "check_example",
    "encoded",
    "freeze_map",
    "map_of",
    "offer_examples",
]

MOST_EXAMPLES = 1000
"""Examples of one batch."""

CHUNK = 64
"""Examples that are decided before somebody else has a turn."""

LONGEST_ID = 1000
"""Characters of an id."""

DEEPEST = 20
"""How deep a record may be nested: nothing that reads or shows one should run out of stack."""


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

    One that was offered before, or earlier in the batch, is not offered again: what was decided
    then is told. If a record cannot be read, nothing of the batch happens.
    """
    named = _named(examples)
    found: dict[str, Offered] = {}
    futures: list[Future[None]] = []
    # An id that was made here is new.
    given = {f"x:{id}" for id, _ in examples if id is not None}
    with stream.lock:
        if stream.books.state != "running":
            return [Offered(id, None, False, stream.books.state, 0.0, None) for id, _ in named]
        known = _found(stream, list(given), futures)
        # The first of an id counts, as it does in two batches.
        firsts = dict(reversed(named))
        new = {id: firsts[id] for id, _ in named if f"x:{id}" not in known}
        if new:
            futures += freeze_map(stream, map_of(stream, list(new.values())))
            X = encoded(stream, list(new.values()))
        fold, seen = stream.fold, _seen(stream)
    pairs = list(new.items())
    for start in range(0, len(pairs), CHUNK):
        some = dict(pairs[start : start + CHUNK])
        with stream.lock:
            if stream.fold is not fold:
                # It was read anew: these rows may be of a map that was not written.
                raise NotWritten
            if _seen(stream) != seen:
                # Another call has brought examples between two turns, perhaps the same.
                again = given.intersection(f"x:{id}" for id in some)
                known |= _found(stream, list(again), futures)
            left = [i for i, id in enumerate(some, start) if f"x:{id}" not in known]
            if left and stream.books.state == "running":
                futures.append(_decide(stream, [pairs[i] for i in left], X[left], found))
            seen = _seen(stream)
    stream.wait(futures)
    found |= {
        id: _told(known[f"x:{id}"], id, stream.settings.class_name, new=False)
        for id, _ in named
        if f"x:{id}" in known
    }
    return list(_each_told([id for id, _ in named], found, stream.books.state))


def _found(
    stream: OpenStream, keys: Sequence[str], futures: list["Future[None]"]
) -> dict[str, Event]:
    """The events with these keys, which another call may have brought and not written yet."""
    futures += stream.unwritten(keys)
    return stream.find(keys)


def _seen(stream: OpenStream) -> int:
    return 0 if stream.learner is None else stream.learner.seen


def _each_told(ids: Iterable[str], found: dict[str, Offered], state: str) -> Iterator[Offered]:
    """What is told about each id; where it comes again, that it is not new."""
    for id in ids:
        told = found.get(id) or Offered(id, None, False, state, 0.0, None)
        found[id] = told._replace(new=False)
        yield told


def _named(
    examples: Sequence[tuple[str | None, Mapping[str, Any]]],
) -> list[tuple[str, dict[str, Any]]]:
    """Examples that can be kept, each with an id."""
    if len(examples) > MOST_EXAMPLES:
        raise BadRecord(f"a batch may have {MOST_EXAMPLES} examples, got {len(examples)}")
    named = [(uuid.uuid4().hex if id is None else id, record) for id, record in examples]
    return [(id, check_example(id, record)) for id, record in named]


def encoded(
    stream: OpenStream, records: Sequence[Mapping[str, Any]], features: FeatureMap | None = None
) -> Matrix:
    """Records as rows, by the feature map of the stream unless another is given."""
    features = features or map_of(stream, records)
    numbered = [
        Record(str(i), None, _learned_from(stream, record))
        for i, record in enumerate(records, start=1)
    ]
    # The map is frozen: what a record has that the first batch had not is not remembered.
    return features.aside().encode_many(numbered)


def _learned_from(stream: OpenStream, record: Mapping[str, Any]) -> dict[str, Any]:
    return {name: v for name, v in record.items() if name not in stream.settings.ignore}


def check_example(id: str, record: Mapping[str, Any]) -> dict[str, Any]:
    """The record as it is kept; an example that cannot be is refused, before anything happens."""
    if not can_be_key(id, LONGEST_ID):
        raise BadRecord(f"an id must be text of 1 to {LONGEST_ID} characters, got {shown(id)}")
    try:
        return _kept_fields(record, DEEPEST)
    except ValueError as error:
        raise BadRecord(f"the record of {shown(id)} {error}") from None


def _kept_fields(fields: Mapping[str, Any], left: int) -> dict[str, Any]:
    if not all(isinstance(name, str) for name in fields):
        raise ValueError("has a name that is no text")
    return {_kept(name, left): _kept(value, left) for name, value in fields.items()}


def _kept(value: Any, left: int) -> Any:
    """A value as JSON has it; a missing number is NaN in Python and null there."""
    kind = type(value)
    # Most values, and all names, are of these kinds.
    if kind is int or (kind is str and value.isascii()) or (kind is float and value - value == 0):
        return value
    if isinstance(value, dict | list | tuple):
        if not left:
            raise ValueError(f"is nested more than {DEEPEST} deep")
        if isinstance(value, dict):
            return _kept_fields(value, left - 1)
        return [_kept(item, left - 1) for item in value]
    if isinstance(value, float) and math.isnan(value):
        return None
    _check_plain(value)
    return value


def _check_plain(value: object) -> None:
    if isinstance(value, str):
        if not is_encodable(value):
            raise ValueError("contains half a character (a lone surrogate), expected whole ones")
    elif isinstance(value, float):
        if math.isinf(value):
            raise ValueError(f"contains {value}, expected finite numbers")
    elif not isinstance(value, int | None):
        raise ValueError(f"contains a {type(value).__name__}, expected what JSON has")


def map_of(stream: OpenStream, first: Sequence[Mapping[str, Any]]) -> FeatureMap:
    """The feature map of a stream, or one of the first records, if there is none yet."""
    if stream.learner is not None and stream.learner.features is not None:
        return stream.learner.features
    settings = stream.settings
    records = [_learned_from(stream, record) for record in first]
    ids = [str(place) for place in range(1, len(first) + 1)]
    batch = Batch(ids, np.zeros(len(first), np.int8), records)
    text = text_columns(batch) if settings.text is None else settings.text
    features = FeatureMap(Hashing(settings.bits), text, settings.ngrams)
    features.encode_batch(batch)
    if settings.scale:
        features.learn_scales([batch])
    return features


def freeze_map(stream: OpenStream, features: FeatureMap) -> list["Future[None]"]:
    """Let this be the map of a stream from now on, if it has none yet."""
    if stream.learner is not None:
        return []
    return [stream.happen(stream.event("mapped", data={"features": map_state(features)}))]


def _decide(
    stream: OpenStream,
    some: Sequence[tuple[str, dict[str, Any]]],
    X: Matrix,
    found: dict[str, Offered],
) -> "Future[None]":
    """Decide for examples, take them in, and write them down."""
    events: list[Event] = []
    with stream.changing():
        while len(events) < len(some):
            start = len(events)
            events += _decide_next(stream, some[start:], X[start:], found)
        held = {
            event.number: ExampleContent(json.dumps(record), row_at(X, i))
            for i, (event, (_, record)) in enumerate(zip(events, some, strict=True))
            if event.number is not None
        }
        future = stream.write(events, held)
    stream.look_after_refits()
    stream.snapshot(force=False)
    if any(event.wanted for event in events):
        stream.told(stream, "questions")
    return future


def _decide_next(
    stream: OpenStream,
    some: Sequence[tuple[str, dict[str, Any]]],
    X: Matrix,
    found: dict[str, Offered],
) -> list[Event]:
    """Decide for as many as can be decided at once, and take them in."""
    learner, name = stream.learner, stream.settings.class_name
    assert learner is not None
    spent = stream.books.refusal(stream.clock())
    limited = stream.settings.per_hour is not None or stream.settings.per_day is not None
    block: list[Event] = []
    for i, (coin, decision) in enumerate(learner.foretell(X[:1] if limited else X)):
        id, _ = some[i]
        fact = None if spent else decision
        data: dict[str, Any] = {"coin": coin, "decision": _plain(fact)}
        if fact is None:
            data["reason"] = spent or "budget"
        wanted, number = fact is not None and bool(fact.queried), learner.seen + i
        event = stream.event(
            "offered", after=i, number=number, key=f"x:{id}", wanted=wanted, data=data
        )
        block.append(event)
        found[id] = _told(event, id, name)
    stream.fold.apply_offers(block, X[: len(block)])
    return block


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
