import math
from datetime import date

import pytest
from tests.service.conftest import made_records, quick_auto, settings

from askance.errors import BadRecord
from askance.service.offering import CHUNK, DEEPEST, MOST_EXAMPLES
from askance.types import Decision


def test_what_is_written_down_is_what_was_decided(session):
    stream = session.create(settings())
    offered = session.offer(stream, made_records(3 * CHUNK))
    session.log.mend(stream)
    events = [e for e in session.log.read(stream) if e.kind == "offered"]
    assert [e.number for e in events] == list(range(3 * CHUNK))
    for told, event in zip(offered, events, strict=True):
        decision = Decision(*event.data["decision"])
        assert decision.queried == (event.data["coin"] < decision.probability) == told.wanted
        assert event.wanted == told.wanted
        assert told.probability == decision.probability


@pytest.mark.parametrize("make", [settings, quick_auto])
def test_batches_make_no_difference(session, make):
    """However the examples come, the same is decided about each."""
    records = made_records(150)
    decisions = []
    for size in (1, 7, 150):
        stream = session.create(make(total=40, seed=3))
        # The map is frozen by the first batch, so that must be the same.
        session.offer(stream, records[:20])
        for start in range(20, 150, size):
            session.offer(stream, records[start : start + size])
        session.log.mend(stream)
        events = [e for e in session.log.read(stream) if e.kind == "offered"]
        decisions.append([(e.data["coin"], e.data["decision"]) for e in events])
    assert decisions[0] == decisions[1] == decisions[2]
    asked = sum(d is not None and d[3] for _, d in decisions[0])
    assert asked == 40 if make is settings else asked < 40


@pytest.mark.parametrize("id", ["", "a" * 1001, "a\0b", "\ud800"])
def test_ids_are_checked(session, id):
    stream = session.create(settings())
    with pytest.raises(BadRecord, match="an id must be text"):
        session.offer(stream, [(id, {"x": 1})])


def test_a_batch_has_an_end(session):
    stream = session.create(settings())
    with pytest.raises(BadRecord, match=f"a batch may have {MOST_EXAMPLES} examples"):
        session.offer(stream, made_records(MOST_EXAMPLES + 1))


def test_fields_that_are_ignored_are_kept_and_not_learned_from(session):
    stream = session.create(settings(ignore=("picture",), hide=("x",)))
    session.offer(stream, [("a", {"picture": "data:image/png;base64,AA", "x": 2.0})])
    assert session.stream(stream).learner.features.kinds == {"x": "number"}
    assert session.lease(stream, "ann")[0].record == {"picture": "data:image/png;base64,AA"}


def test_only_ids_that_were_given_are_looked_for(session, monkeypatch):
    stream, looked_for = session.create(settings()), []
    find = session.log.find
    monkeypatch.setattr(session.log, "find", lambda s, k: looked_for.extend(k) or find(s, k))
    records = [(None, record) for _, record in made_records(3 * CHUNK)]
    session.offer(stream, [*records, ("mine", {"x": 1.0})])
    assert looked_for == ["x:mine"]
    assert session.status(stream).seen == 3 * CHUNK + 1
    assert not session.offer(stream, [("mine", {"x": 1.0})])[0].new


def test_what_another_call_brings_between_two_turns_is_not_offered_again(session):
    stream, records = session.create(settings()), made_records(2 * CHUNK)
    opened = session.stream(stream)
    opened.lock = Between(opened.lock, 2, lambda: session.offer(stream, records[-3:]))
    offered = session.offer(stream, records)
    assert [o.new for o in offered] == [True] * (2 * CHUNK - 3) + [False] * 3
    assert session.status(stream).seen == 2 * CHUNK


class Between:
    """A lock; after it was let go so many times, something happens once."""

    def __init__(self, lock, times, what):
        self.lock, self.times, self.what = lock, times, what

    def __enter__(self):
        self.lock.__enter__()

    def __exit__(self, *error):
        self.lock.__exit__()
        self.times -= 1
        if not self.times:
            self.what()


@pytest.mark.parametrize("wrap", [lambda inner: {"a": inner}, lambda inner: [inner]])
def test_a_record_is_not_nested_without_end(session, wrap):
    stream = session.create(settings())
    deep = 1
    for _ in range(DEEPEST + 1):
        deep = wrap(deep)
    with pytest.raises(BadRecord, match="nested more than 20 deep"):
        session.offer(stream, [("deep", {"a": deep})])
    assert session.stream(stream).learner is None


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("\ud800", "half a character"),
        ({"a": ["\ud800"]}, "half a character"),
        ([{"\ud800": 1}], "half a character"),
        ([math.inf], "contains inf, expected finite numbers"),
        (date(2026, 1, 1), "contains a date, expected what JSON has"),
    ],
)
def test_a_record_that_could_not_be_shown_is_refused(session, value, reason):
    """Also where it is not learned from: the question about it would keep others from theirs."""
    stream = session.create(settings(ignore=("note",)))
    for record in ({"x": 1, "note": value}, {"x": 1, "note": [value]}):
        with pytest.raises(BadRecord, match=f"the record of 'a' .*{reason}"):
            session.offer(stream, [("a", record)])
    assert session.stream(stream).learner is None


def test_a_field_whose_name_could_not_be_shown_is_refused(session):
    stream = session.create(settings(ignore=("\ud800",)))
    with pytest.raises(BadRecord, match="half a character"):
        session.offer(stream, [("a", {"x": 1, "\ud800": 1})])


def test_a_number_that_is_missing_is_null_at_any_depth(session):
    stream = session.create(settings(ignore=("note",)))
    record = {"x": math.nan, "note": [{"y": math.nan}, "a\0b", True, None]}
    session.offer(stream, [("a", record)])
    shown = session.lease(stream, "ann")[0].record
    assert shown == {"x": None, "note": [{"y": None}, "a\0b", True, None]}


def test_of_an_id_twice_in_a_batch_the_first_counts(session):
    stream = session.create(settings())
    first, _, again = session.offer(stream, [("a", {"x": 1}), ("b", {"x": 3}), ("a", {"x": 2})])
    assert (first.new, again.new, again.number) == (True, False, first.number)
    assert session.status(stream).seen == 2
    assert session.lease(stream, "ann")[0].record == {"x": 1}


def test_what_comes_later_does_not_change_the_map(session):
    """Neither a prediction nor a batch that is refused decides what columns may hold."""
    stream = session.create(settings())
    session.offer(stream, [("a", {"x": 1.0})])
    kinds = session.stream(stream).learner.features.kinds
    session.predict(stream, [{"x": 2.0, "new": "text"}])
    with pytest.raises(BadRecord, match="where a number was expected"):
        session.offer(stream, [("b", {"late": "text", "x": "one"})])
    session.offer(stream, [("c", {"x": 2.0, "new": 5.0, "late": 5.0})])
    assert session.stream(stream).learner.features.kinds == kinds == {"x": "number"}
