import random
from itertools import pairwise

import pytest
import sqlalchemy as sa
from tests.service.conftest import REFITTING, answer_all, made_records, refit_done, settings

from askance.live import ActiveLearner
from askance.service.schema import snapshots
from askance.service.snapshots import KEPT, NEAR, LearnerSnapshots, kept, learner_bytes


def test_so_many_are_kept_and_the_newest_is_one(session, engine):
    stream = session.create(settings())
    opened, taken = session.stream(stream), []
    for batch in range(KEPT + 5):
        session.offer(stream, made_records(2, start=2 * batch))
        opened.snapshot()
        session.log.mend(stream)
        taken.append(opened.fold.position)
        with engine.connect() as connection:
            found = set(connection.scalars(sa.select(snapshots.c.position)))
        assert len(found) == min(len(taken), KEPT)
        assert {taken[-1]} <= found <= set(taken)


RHYTHMS = {
    "every refit": lambda draw: 40,
    "every 5,000": lambda draw: 5000,
    "now and then": lambda draw: int(10 ** draw.uniform(0.5, 3.5)),
}


@pytest.mark.parametrize("rhythm", RHYTHMS)
def test_the_way_to_an_old_answer_is_some_times_as_long_as_it_is_old(rhythm):
    draw = random.Random(3)
    held, newest = set(), 0
    while newest < 1_000_000:
        step = RHYTHMS[rhythm](draw)
        newest += step
        held = kept(held, newest) | {newest}
        assert len(held) <= KEPT
        back = [*sorted(newest - at for at in held), newest]
        # A change just before the one is folded from the other.
        longest = max(there / max(here, NEAR, step) for here, there in pairwise(back))
        assert longest < 8


def test_one_that_is_not_on_the_disk_yet_stays(session, engine):
    """What to drop is found in the database, where a snapshot may still be on its way."""
    stream = session.create(settings())
    session.offer(stream, made_records(2))
    opened = session.stream(stream)
    session.log.mend(stream)
    of_this = opened.fold.snapshots
    first, second = (of_this.saving(opened.learner, at, 0) for at in (10, 20))
    with engine.begin() as connection:
        for statement, rows in first + second:
            connection.execute(statement, rows)
    with engine.connect() as connection:
        assert {10, 20} <= set(connection.scalars(sa.select(snapshots.c.position)))


def test_a_snapshot_before_a_position(session):
    stream = session.create(settings())
    session.offer(stream, made_records(5))
    opened = session.stream(stream)
    opened.snapshot()
    session.log.mend(stream)
    of_this = opened.fold.snapshots
    at = opened.fold.position
    assert of_this.latest().position == at
    assert of_this.latest(at) is None
    assert of_this.latest(at + 1).position == at


def test_a_damaged_one_is_skipped(engine, caplog):
    of_this = LearnerSnapshots(engine, "s", settings())
    assert of_this.load(b"nonsense") is None
    assert "skipped a damaged snapshot" in caplog.text


@pytest.mark.parametrize("name", REFITTING)
def test_what_is_known_is_not_fitted_again(session, monkeypatch, name):
    stream = session.create(REFITTING[name]())
    session.offer(stream, made_records(60))
    answer_all(session, stream)
    refit_done(session, stream)
    opened = session.stream(stream)
    saved = learner_bytes(opened.learner)
    kind = type(opened.refitting.oracle)
    fit = kind.fit

    def checked(oracle, X, targets, *rest):
        assert not len(targets), "only a learner that has seen nothing is fitted"
        return fit(oracle, X, targets, *rest)

    monkeypatch.setattr(kind, "fit", checked)
    loaded = opened.fold.snapshots.load(saved, opened.learner)
    assert isinstance(loaded, ActiveLearner)
    assert loaded.learner.classifier is opened.refitting.classifier is not None
