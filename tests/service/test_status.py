from tests.service.conftest import answer_all, made_records, settings

from askance.service.status import point_due


def test_charts_grow_slowly():
    assert all(point_due(n) for n in range(1, 200))
    assert not point_due(0)
    assert sum(map(point_due, range(10_000))) < 1000


def test_a_chart_has_a_point_for_each_label_and_forgets_what_was_undone(session):
    stream = session.create(settings())
    session.offer(stream, made_records(40))
    answer_all(session, stream, most=10)
    assert [point.labels for point in session.chart(stream)] == list(range(1, 11))
    last = session.chart(stream)[-1]
    error = session.status(stream).error
    assert (last.error, last.low, last.high) == (error.estimate, error.low, error.high)
    assert sum(last.classes.values()) == 10
    for _ in range(3):
        session.undo(stream, "ann")
    answer_all(session, stream, most=1)
    assert [point.labels for point in session.chart(stream)] == list(range(1, 9))


def test_a_chart_ends_with_what_is_known_now(session):
    stream = session.create(settings(learner="passive"))
    session.offer(stream, made_records(410))
    answer_all(session, stream, most=403)
    assert not point_due(403)
    points = session.chart(stream)
    assert [point.labels for point in points[-2:]] == [402, 403]
    # What was taken back is not shown, and a point of as many labels is of now.
    for _ in range(3):
        session.undo(stream, "ann")
    shown = session.chart(stream)
    assert [point.labels for point in shown[-2:]] == [398, 400]
    assert shown[-1].classes == session.status(stream).classes


def test_a_chart_has_the_classes_without_a_label(session):
    stream = session.create(settings(classes=("ham", "spam", "eggs"), learner="coal"))
    assert session.chart(stream) == []
    session.offer(stream, made_records(5))
    answer_all(session, stream, most=1)
    (point,) = session.chart(stream)
    assert sorted(point.classes.values()) == [0, 0, 1]
    assert list(point.classes) == ["ham", "spam", "eggs"]


def test_a_new_stream_has_a_status(session):
    stream = session.create(settings())
    status = session.status(stream)
    assert (status.seen, status.error, status.reason) == (0, None, "Nothing has come in yet.")
