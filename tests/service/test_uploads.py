import pytest
from tests.service.conftest import answer_all, settings

from askance.data.reading.intake import Reading
from askance.errors import BadRecord
from askance.service.schema import backlog
from askance.service.uploads import AT_ONCE, feed, waiting_records


@pytest.fixture
def uploaded(session, tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("name,x,secret\n" + "".join(f"p{i},{i % 7},s\n" for i in range(100)))
    stream = session.create(settings())
    reading = Reading(id="name", ignore=("secret",))
    assert session.upload(stream, path, reading, "file-") == 100
    return stream


def test_records_wait_until_questions_are_wanted(session, uploaded):
    opened = session.stream(uploaded)
    assert waiting_records(opened) == 100
    question = session.lease(uploaded, "ann")[0]
    assert (question.id, question.record) == ("file-p0", {"x": 0.0})
    assert waiting_records(opened) == 100 - AT_ONCE
    answer_all(session, uploaded)
    assert waiting_records(opened) == 0
    assert session.status(uploaded).seen == 100


def test_what_was_offered_before_is_known_when_it_comes_again(session, uploaded, monkeypatch):
    session.lease(uploaded, "ann")
    seen = session.status(uploaded).seen
    opened = session.stream(uploaded)
    with session.log.engine.begin() as connection:
        row = {"stream": uploaded, "place": 1, "key": "file-p0", "record": '{"x": 0.0}'}
        connection.execute(backlog.insert(), row)
    assert feed(opened)
    assert session.status(uploaded).seen == seen + AT_ONCE - 1


def test_a_paused_stream_is_not_fed(session, uploaded):
    session.set_state(uploaded, "paused", "root")
    assert session.lease(uploaded, "ann") == []
    assert waiting_records(session.stream(uploaded)) == 100


def test_an_empty_file_is_refused(session, tmp_path):
    (tmp_path / "none.csv").write_text("a,b\n")
    with pytest.raises(BadRecord):
        session.upload(session.create(settings()), tmp_path / "none.csv")


def test_numbered_features_are_fields_too(session, tmp_path):
    (tmp_path / "rows.libsvm").write_text("1 1:0.5 7:2\n-1 3:1\n")
    stream = session.create(settings())
    session.upload(stream, tmp_path / "rows.libsvm")
    assert session.lease(stream, "ann")[0].record == {"0": 0.5, "6": 2.0}


def test_records_wait_while_no_label_may_be_bought(session, clock, tmp_path):
    (tmp_path / "rows.csv").write_text("x\n" + "1\n" * 100)
    stream = session.create(settings(per_hour=3))
    session.upload(stream, tmp_path / "rows.csv")
    answer_all(session, stream)
    left = waiting_records(session.stream(stream))
    assert left == 100 - AT_ONCE
    assert session.lease(stream, "ann") == []
    assert session.why_nothing(stream, "ann") == "The labels of this hour are spent."
    clock.turn(3601)
    assert session.lease(stream, "ann")
    assert waiting_records(session.stream(stream)) < left


def test_a_missing_number_is_none(session, tmp_path):
    (tmp_path / "rows.csv").write_text("x,y\n1,2\n,3\n")
    stream = session.create(settings())
    session.upload(stream, tmp_path / "rows.csv")
    assert [q.record for q in session.lease(stream, "ann")] == [
        {"x": 1, "y": 2},
        {"x": None, "y": 3},
    ]


def test_who_waits_is_told_how_many_records_are_left(session, uploaded, monkeypatch):
    monkeypatch.setattr("askance.service.uploads.MOST_TURNS", 0)
    assert session.lease(uploaded, "ann") == []
    expected = "100 records of files are still to be looked at."
    assert session.why_nothing(uploaded, "ann") == expected
