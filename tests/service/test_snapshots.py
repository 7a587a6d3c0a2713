import pytest
import sqlalchemy as sa
from tests.service.conftest import REFITTING, answer_all, made_records, refit_done, settings

from askance.live import ActiveLearner
from askance.service.schema import snapshots
from askance.service.snapshots import KEPT, LearnerSnapshots, learner_bytes


def test_the_newest_are_kept(session, engine):
    stream = session.create(settings())
    session.offer(stream, made_records(5))
    opened = session.stream(stream)
    for _ in range(6):
        answer_all(session, stream, most=1)
        opened.snapshot()
        session.log.mend(stream)
    with engine.connect() as connection:
        kept = list(connection.scalars(sa.select(snapshots.c.position)))
    assert len(kept) == KEPT
    assert max(kept) == opened.fold.position


def test_a_snapshot_before_a_position(session):
    stream = session.create(settings())
    session.offer(stream, made_records(5))
    opened = session.stream(stream)
    opened.snapshot()
    session.log.mend(stream)
    kept = opened.fold.snapshots
    at = opened.fold.position
    assert kept.latest().position == at
    assert kept.latest(at) is None
    assert kept.latest(at + 1).position == at


def test_a_damaged_one_is_skipped(engine, caplog):
    kept = LearnerSnapshots(engine, "s", settings())
    assert kept.load(b"nonsense") is None
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
