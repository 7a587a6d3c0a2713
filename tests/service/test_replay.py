import json

import pytest
import sqlalchemy as sa
from tests.service.conftest import made_records, quick_auto, refit_done, settings
from tests.service.test_fold import Walk

from askance.service.replay import check_stream
from askance.service.schema import events


@pytest.mark.parametrize("make", [settings, quick_auto])
def test_every_decision_is_made_again(session, make):
    stream = session.create(make() if make is settings else make(rate=0.6))
    walk = Walk(session, stream, 3)
    walk.erase = walk.offer
    walk.run(40)
    if make is quick_auto:
        refit_done(session, stream)
    session.log.mend(stream)
    report = check_stream(session.log, stream)
    assert report.differences == []
    assert report.unchecked == 0
    assert report.checked == session.status(stream).seen
    assert (report.refits > 0) == (make is quick_auto)


def test_what_was_erased_cannot_be_checked(session):
    stream = session.create(settings())
    session.offer(stream, made_records(30))
    session.erase(stream, "10", "root")
    session.offer(stream, made_records(30, start=30))
    session.log.mend(stream)
    report = check_stream(session.log, stream)
    assert report.wrong == 0
    assert (report.checked, report.unchecked) == (40, 20)


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
