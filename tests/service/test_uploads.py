import contextlib
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest
from tests.service.conftest import answer_all, settings

from askance.data.reading.intake import Reading
from askance.errors import BadRecord, InvalidParameter, UnknownQuestion
from askance.service import uploads
from askance.service.offering import MOST_EXAMPLES
from askance.service.schema import backlog
from askance.service.session import Session
from askance.service.uploads import AT_ONCE, feed, keep_file, waiting_records


@pytest.fixture
def uploaded(session, tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("name,x,secret\n" + "".join(f"p{i},{i % 7},s\n" for i in range(100)))
    stream = session.create(settings())
    reading = Reading(id="name", ignore=("secret",))
    assert session.upload(stream, path, reading, "file-").records == 100
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


def test_what_is_erased_while_it_is_offered_does_not_come_back(session, uploaded, monkeypatch):
    opened, offer = session.stream(uploaded), uploads.offer_examples
    erased = threading.Thread(target=session.erase, args=(uploaded, "file-p0", "root"))

    def slowly(stream, examples):
        erased.start()
        erased.join(0.2)
        return offer(stream, examples)

    monkeypatch.setattr(uploads, "offer_examples", slowly)
    assert feed(opened)
    erased.join()
    found = session.log.find(uploaded, ["x:file-p0"])["x:file-p0"]
    assert opened.contents([found.number])[found.number].record is None


def test_what_is_not_taken_because_of_a_pause_waits_on(session, uploaded, monkeypatch):
    opened, hungry = session.stream(uploaded), uploads.is_hungry

    def then_paused(stream):
        found = hungry(stream)
        session.set_state(uploaded, "paused", "root")
        return found

    with monkeypatch.context() as pausing:
        pausing.setattr(uploads, "is_hungry", then_paused)
        feed(opened)
    assert waiting_records(opened) == 100
    session.set_state(uploaded, "resumed", "root")
    assert len(session.lease(uploaded, "ann")) == 2


def test_many_who_lack_questions_at_once_are_not_fed_more_than_they_need(session, uploaded):
    with ThreadPoolExecutor(20) as people:
        found = list(people.map(lambda i: session.lease(uploaded, f"p{i}"), range(20)))
    assert all(len(questions) == 2 for questions in found)
    assert session.status(uploaded).seen <= 40 + 2 * AT_ONCE


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
    expected = "100 records of files are still to be looked at, as people answer."
    assert session.why_nothing(uploaded, "ann") == expected


def test_a_record_that_cannot_be_offered_is_refused_with_its_file(session, tmp_path):
    """Else it would keep questions from everybody as soon as its turn came."""
    path = tmp_path / "mixed.jsonl"
    path.write_text('{"x": 1}\n' * (MOST_EXAMPLES + 1) + '{"x": "one"}\n')
    stream = session.create(settings())
    with pytest.raises(BadRecord, match="record 1002 has a string in column 'x'"):
        session.upload(stream, path, Reading(), "")
    assert waiting_records(session.stream(stream)) == 0
    assert session.stream(stream).learner is None
    with pytest.raises(BadRecord, match="an id must be text"):
        session.upload(stream, path, Reading(), "\0")


def test_what_waits_can_be_erased(session, uploaded):
    session.erase(uploaded, "file-p40", "root")
    assert waiting_records(session.stream(uploaded)) == 99
    answer_all(session, uploaded)
    assert session.status(uploaded).seen == 99
    with pytest.raises(UnknownQuestion):
        session.erase(uploaded, "file-p40", "root")


def test_a_stream_says_that_records_wait(session, uploaded):
    assert session.status(uploaded).reason == (
        "100 records of files are still to be looked at, as people answer."
    )
    session.set_state(uploaded, "paused", "root")
    assert session.status(uploaded).reason == "This stream is paused."


class HeldUp:
    """A step of the upload that waits until it may go on, the first time."""

    def __init__(self, monkeypatch, name):
        self.reached, self.go_on, self.calls = threading.Event(), threading.Event(), 0
        self._real = getattr(uploads, name)
        monkeypatch.setattr(uploads, name, self)

    def __call__(self, *given):
        self.calls += 1
        self.reached.set()
        assert self.go_on.wait(60)
        return self._real(*given)


@contextlib.contextmanager
def in_between(monkeypatch, name, upload):
    """While an upload is held up at a step, in a thread; it ends well afterwards."""
    step = HeldUp(monkeypatch, name)
    with ThreadPoolExecutor(2) as threads:
        future = threads.submit(upload)
        try:
            assert step.reached.wait(60)
            yield step, threads
        finally:
            step.go_on.set()
        future.result(60)


@pytest.mark.parametrize("step", ["read_batches", "check_example", "map_of", "encoded"])
def test_nobody_waits_for_a_file_that_is_read(session, tmp_path, monkeypatch, step):
    path = tmp_path / "rows.csv"
    path.write_text("x\n1\n2\n")
    stream = session.create(settings())
    if step != "map_of":
        session.offer(stream, [("a", {"x": 1.0})])
    with in_between(monkeypatch, step, partial(session.upload, stream, path)) as (_, threads):
        used = threads.submit(answer_all if step != "map_of" else Session.status, session, stream)
        used.result(30)
    assert waiting_records(session.stream(stream)) == 2


def test_nobody_waits_for_the_disk_that_takes_a_file(session, tmp_path, monkeypatch):
    (tmp_path / "rows.csv").write_text("x\n1\n2\n")
    stream = session.create(settings())
    go_on, reached, real = threading.Event(), threading.Event(), session.log._failure

    def slowly(jobs):
        reached.set()
        assert go_on.wait(60)
        return real(jobs)

    with ThreadPoolExecutor(2) as threads:
        monkeypatch.setattr(session.log, "_failure", slowly)
        first = threads.submit(session.upload, stream, tmp_path / "rows.csv", None, "a")
        try:
            assert reached.wait(60)
            threads.submit(session.status, stream).result(30)
        finally:
            go_on.set()
        assert first.result(60).records == 2


def test_files_at_once_have_places_of_their_own(session, tmp_path):
    (tmp_path / "rows.csv").write_text("x\n" + "1\n" * 50)
    stream = session.create(settings())
    with ThreadPoolExecutor(8) as threads:
        found = threads.map(
            lambda i: session.upload(stream, tmp_path / "rows.csv", None, f"{i}-"), range(8)
        )
        assert list(found) == [(50, 50)] * 8
    assert waiting_records(session.stream(stream)) == 400


@pytest.mark.parametrize(("line", "kept"), [("one", 0), ("1", 1)])
def test_a_file_is_tried_again_by_the_map_that_came_meanwhile(
    session, tmp_path, monkeypatch, line, kept
):
    (tmp_path / "rows.csv").write_text(f"x\n{line}\n")
    stream = session.create(settings())
    refused = contextlib.nullcontext() if kept else pytest.raises(BadRecord, match="column 'x'")
    upload = partial(session.upload, stream, tmp_path / "rows.csv")
    with refused, in_between(monkeypatch, "encoded", upload) as (step, _):
        session.offer(stream, [("a", {"x": 1.0})])
    assert step.calls == 2
    assert waiting_records(session.stream(stream)) == kept


def test_an_equal_map_is_no_reason_to_try_again(session, tmp_path, monkeypatch):
    """Else people who change replies would keep a large file out."""
    (tmp_path / "rows.csv").write_text("x\n1\n2\n")
    stream = session.create(settings())
    session.offer(stream, [("a", {"x": 1.0})])
    upload = partial(session.upload, stream, tmp_path / "rows.csv")
    with in_between(monkeypatch, "encoded", upload) as (step, _):
        old = session.stream(stream).learner.features
        session.log.mend(stream)
        with session.stream(stream).lock:
            session.stream(stream).fold.refold(1)
        assert session.stream(stream).learner.features is not old
    assert step.calls == 1


def test_a_file_is_tried_by_a_copy_of_the_map(session, tmp_path):
    """What the stream's own map remembers of names is written under the lock only."""
    (tmp_path / "rows.csv").write_text("x,town\n1,Rome\n")
    stream = session.create(settings())
    session.offer(stream, [("a", {"x": 1.0, "town": "Bern"})])
    features = session.stream(stream).learner.features
    before = features.get_state()["indexer"]["names"]
    session.upload(stream, tmp_path / "rows.csv")
    assert features.get_state()["indexer"]["names"] == before


def test_what_is_there_already_is_counted_and_not_kept_again(session, tmp_path):
    stream = session.create(settings(learner="passive"))
    opened, path = session.stream(stream), tmp_path / "mail.csv"
    path.write_text("id,size\n" + "".join(f"{i},{i}\n" for i in range(40)))
    reading = Reading(id="id")
    assert keep_file(opened, path, reading, "") == (40, 40)
    # Some of them were offered by now, others wait.
    assert session.lease(stream, "ann")
    assert 0 < waiting_records(opened) < 40
    before = waiting_records(opened)
    assert keep_file(opened, path, reading, "") == (40, 0)
    path.write_text("id,size\n39,1\n40,2\n40,3\n41,4\n")
    assert keep_file(opened, path, reading, "") == (4, 2)
    assert waiting_records(opened) == before + 2
    # The first of an id counts.
    assert session.upload(stream, path, reading).records == 4
    while questions := session.lease(stream, "ann"):
        for question in questions:
            if question.id == "40":
                assert question.record == {"size": 2}
            session.answer(stream, "ann", question.number, "ham", key=question.id)
    assert session.status(stream).seen == 42


def test_a_column_to_leave_out_must_be_there(session, tmp_path):
    stream = session.create(settings())
    opened, table, lines = session.stream(stream), tmp_path / "a.csv", tmp_path / "a.jsonl"
    table.write_text("id,size,label\n1,2,ham\n")
    wrong = "a.csv has no column 'labl' to leave out, its columns are size, label"
    with pytest.raises(InvalidParameter, match=wrong):
        keep_file(opened, table, Reading(id="id", ignore=("labl", "size")), "")
    assert waiting_records(opened) == 0
    # A record of JSON lines may lack a field that others have.
    lines.write_text('{"size": 1}\n{"size": 2, "label": "ham"}\n{"size": 3}\n')
    with pytest.raises(InvalidParameter, match="no column 'labl'"):
        keep_file(opened, lines, Reading(ignore=("labl",)), "b")
    assert keep_file(opened, lines, Reading(ignore=("label",)), "b") == (3, 3)
    assert keep_file(opened, table, Reading(id="id", ignore=("id", "label")), "").new == 1
