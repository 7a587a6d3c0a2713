import pytest
from tests.service.conftest import made_records, quick_auto, settings

from askance.errors import BadRecord
from askance.service.offering import CHUNK, MOST_EXAMPLES
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


@pytest.mark.parametrize("id", ["", "a" * 1001, "a\0b"])
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
