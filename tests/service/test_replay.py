import json

import pytest
import sqlalchemy as sa
from tests.service.conftest import (
    REFITTING,
    answer_all,
    folded,
    made_records,
    refit_done,
    settings,
    state_of,
)
from tests.service.test_fold import Walk, first_refit

from askance.service.replay import check_stream
from askance.service.schema import events


@pytest.mark.parametrize("name", ["iwal1", *REFITTING])
@pytest.mark.parametrize("erases", [False, True])
def test_every_decision_is_made_again(session, name, erases):
    stream = session.create(REFITTING.get(name, settings)())
    walk = Walk(session, stream, 3)
    if not erases:
        walk.erase = walk.offer
    walk.run(40)
    refit_done(session, stream)
    session.offer(stream, made_records(12, seed=99, start=walk.count))
    session.log.mend(stream)
    report = check_stream(session.log, stream)
    assert report.differences == []
    assert report.events == session.log.last(stream)
    assert (report.unchecked > 0) == erases
    refits = sum(event.kind == "refitted" for event in session.log.read(stream))
    seen = session.status(stream).seen
    assert report.checked + report.unchecked + report.refits == seen + refits
    assert report.checked > 0
    assert (report.refits > 0) == (name in REFITTING)


def test_what_was_erased_cannot_be_checked(session):
    stream = session.create(settings())
    session.offer(stream, made_records(30))
    session.erase(stream, "10", "root")
    session.offer(stream, made_records(30, start=30))
    session.log.mend(stream)
    report = check_stream(session.log, stream)
    assert report.wrong == 0
    assert (report.checked, report.unchecked) == (40, 20)


@pytest.mark.parametrize("name", ["iwal1", *REFITTING])
def test_what_was_answered_and_then_erased_can_be_replayed(session, name):
    stream = session.create(REFITTING.get(name, settings)())
    session.offer(stream, made_records(60))
    answer_all(session, stream)
    refit_done(session, stream)
    served = session.stream(stream).fold.served_at
    assert (served > 0) == (name in REFITTING)
    session.erase(stream, "0", "root")
    refit_done(session, stream)
    opened = session.stream(stream)
    assert (opened.fold.served_at > served) == (name in REFITTING)
    assert state_of(folded(session, stream).learner) == state_of(opened.learner)
    session.offer(stream, made_records(20, seed=1, start=60))
    session.log.mend(stream)
    report = check_stream(session.log, stream)
    assert report.differences == []
    assert report.checked == 20


@pytest.mark.parametrize("name", ["auto", "batch_iwal"])
def test_a_refit_of_what_was_erased_is_not_made_again(session, name):
    stream, count = first_refit(session, name)
    session.erase(stream, "0", "root")
    session.log.mend(stream)
    report = check_stream(session.log, stream)
    assert report.differences == []
    assert report.events == session.log.last(stream)
    assert (report.checked, report.unchecked, report.refits) == (0, count + 1, 0)


@pytest.mark.parametrize("part", ["coin", "decision"])
def test_a_forged_decision_is_noticed(session, engine, part):
    stream = session.create(settings())
    session.offer(stream, made_records(30))
    session.log.mend(stream)
    mine = (events.c.stream == stream) & (events.c.number == 7)
    with engine.begin() as connection:
        data = json.loads(connection.scalar(sa.select(events.c.data).where(mine)))
        if part == "coin":
            data["coin"] /= 2
        else:
            data["decision"][2] /= 2
        connection.execute(events.update().where(mine).values(data=json.dumps(data)))
    report = check_stream(session.log, stream)
    assert report.wrong == 1
    assert report.differences[0].startswith("example 7 ")


@pytest.mark.parametrize(("name", "part"), [("auto", "share"), ("active_cover", "error")])
def test_a_forged_refit_is_noticed(session, engine, name, part):
    stream = session.create(REFITTING[name]())
    session.offer(stream, made_records(40))
    answer_all(session, stream)
    refit_done(session, stream)
    session.log.mend(stream)
    mine = (events.c.stream == stream) & (events.c.kind == "refitted")
    with engine.begin() as connection:
        found = connection.execute(sa.select(events.c.position, events.c.data).where(mine)).first()
        data = json.loads(found.data)
        data[part] += 0.5
        changed = mine & (events.c.position == found.position)
        connection.execute(events.update().where(changed).values(data=json.dumps(data)))
    report = check_stream(session.log, stream)
    assert report.wrong == 1
    assert report.differences[0].startswith(f"the refit at {found.position} has ")
