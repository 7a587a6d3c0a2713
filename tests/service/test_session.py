"""The session as people use it, without HTTP."""

import threading

import pytest
from tests.service.conftest import (
    REFITTING,
    answer_all,
    folded,
    made_records,
    quick_auto,
    quick_epochs,
    refit_done,
    settings,
    state_of,
    truth,
)

from askance.errors import BadRecord, InvalidLabel, LabelConflict, UnknownQuestion
from askance.live import ActiveLearner
from askance.service.session import UnknownStream


def test_an_example_is_offered_once(session):
    stream = session.create(settings())
    first = session.offer(stream, made_records(20))
    again = session.offer(stream, made_records(30))
    assert [o.number for o in first] == list(range(20))
    assert [(o.number, o.wanted, o.probability) for o in again[:20]] == [
        (o.number, o.wanted, o.probability) for o in first
    ]
    assert [o.new for o in again] == [False] * 20 + [True] * 10
    assert session.status(stream).seen == 30


def test_nothing_of_a_batch_happens_if_a_record_cannot_be_read(session):
    stream = session.create(settings())
    session.offer(stream, made_records(3))
    with pytest.raises(BadRecord, match="town"):
        session.offer(stream, [("new", {"x": 1.0}), ("bad", {"town": 3})])
    assert session.status(stream).seen == 3
    assert session.offer(stream, [("new", {"x": 1.0})])[0].new


def test_the_feature_map_is_frozen_by_the_first_batch(session):
    stream = session.create(settings())
    session.offer(stream, made_records(50))
    scales = session.stream(stream).learner.features.scales.get_state()
    session.offer(stream, [(f"b{i}", {"x": 1000.0 * i}) for i in range(50)])
    after = session.stream(stream).learner.features.scales.get_state()
    assert {k: str(v) for k, v in scales.items()} == {k: str(v) for k, v in after.items()}


def test_two_people_never_get_the_same_question(session):
    stream = session.create(settings())
    session.offer(stream, made_records(10))
    first = {q.number for q in session.lease(stream, "ann")}
    second = {q.number for q in session.lease(stream, "bob")}
    assert len(first) == len(second) == 2
    assert not first & second
    assert {q.number for q in session.lease(stream, "ann")} == first


def test_nothing_is_reserved_for_those_who_left(session, clock):
    stream = session.create(settings(lease=60))
    session.offer(stream, made_records(2))
    mine = [q.number for q in session.lease(stream, "ann")]
    assert session.lease(stream, "bob") == []
    assert session.why_nothing(stream, "bob") == "Others are at the 2 open questions."
    clock.turn(50)
    assert session.heartbeat(stream, "ann", mine[:1]) == mine[:1]
    clock.turn(20)
    assert [q.number for q in session.lease(stream, "bob")] == mine[1:]


def test_a_late_answer_counts_unless_somebody_was_faster(session, clock):
    stream = session.create(settings(lease=60))
    session.offer(stream, made_records(2))
    first, second = (q.number for q in session.lease(stream, "ann"))
    clock.turn(61)
    session.lease(stream, "bob")
    assert session.answer(stream, "ann", first, "ham", key="1").counts
    session.answer(stream, "bob", second, "spam", key="2")
    late = session.answer(stream, "ann", second, "ham", key="3")
    assert not late.counts
    entry = session.history(stream, "ann")[0]
    assert (entry.vote.label, entry.vote.counts, entry.outcome) == ("ham", False, "spam")
    assert session.status(stream).classes == {"ham": 1, "spam": 1}


def test_a_retry_is_harmless_and_another_answer_needs_another_id(session):
    stream = session.create(settings())
    session.offer(stream, made_records(3))
    receipt = session.answer(stream, "ann", 0, "ham", key="k")
    assert session.answer(stream, "ann", 0, "ham", key="k") == receipt
    with pytest.raises(LabelConflict, match="another answer has this id"):
        session.answer(stream, "ann", 1, "ham", key="k")
    with pytest.raises(LabelConflict, match="already"):
        session.answer(stream, "ann", 0, "spam", key="k2")
    with pytest.raises(InvalidLabel, match="one of ham, spam"):
        session.answer(stream, "ann", 1, "eggs", key="k3")
    with pytest.raises(UnknownQuestion):
        session.answer(stream, "ann", 99, "ham", key="k4")
    assert session.status(stream).answered == 1


def test_an_answer_that_is_undone_was_never_given(session):
    stream, twin = session.create(settings()), session.create(settings())
    for each in (stream, twin):
        session.offer(each, made_records(6))
    for number in range(3):
        session.answer(stream, "ann", number, "ham", key=f"a{number}")
    undone = session.undo(stream, "ann")
    assert undone.number == 2
    assert session.lease(stream, "ann")[0].number == 2, "it waits for the same person again"
    for number in range(2):
        session.answer(twin, "ann", number, "ham", key=f"a{number}")
    assert state_of(session.stream(stream).learner) == state_of(session.stream(twin).learner)
    session.undo(stream, "ann")
    session.undo(stream, "ann")
    assert session.undo(stream, "ann") is None


def test_a_changed_answer_is_as_if_it_had_been_given_so(session):
    stream, twin = session.create(settings()), session.create(settings())
    for each, label in ((stream, "ham"), (twin, "spam")):
        session.offer(each, made_records(30))
        receipt = session.answer(each, "ann", 0, label, key="first")
        for number in range(1, 10):
            session.answer(each, "ann", number, "ham", key=f"k{number}")
        if each == stream:
            position = receipt.position
    session.change(stream, "ann", 0, position, "spam")
    assert state_of(session.stream(stream).learner) == state_of(session.stream(twin).learner)
    assert session.status(stream).classes == {"ham": 9, "spam": 1}
    entry = session.history(stream, "ann")[-1]
    assert (entry.vote.label, entry.outcome) == ("spam", "spam")


def test_an_answer_can_become_a_skip_and_back(session):
    stream = session.create(settings(total=3))
    session.offer(stream, made_records(10))
    receipt = session.answer(stream, "ann", 0, "ham", key="k")
    session.change(stream, "ann", 0, receipt.position, None)
    status = session.status(stream)
    assert (status.answered, status.withdrawn, status.left) == (0, 1, 1)
    session.change(stream, "ann", 0, receipt.position, "spam")
    status = session.status(stream)
    assert (status.answered, status.withdrawn, status.left) == (1, 0, 0)


def test_only_one_s_own_answers_can_be_changed(session):
    stream = session.create(settings())
    session.offer(stream, made_records(3))
    receipt = session.answer(stream, "ann", 0, "ham", key="k")
    with pytest.raises(LabelConflict, match="no answer of yours"):
        session.change(stream, "bob", 0, receipt.position, "spam")
    assert session.change(stream, "root", 0, receipt.position, "spam", admin=True).label == "spam"


def test_a_skip_gives_the_label_back(session):
    stream = session.create(settings(total=2))
    session.offer(stream, made_records(5))
    assert session.status(stream).left == 0
    session.answer(stream, "ann", 0, None, key="s")
    assert session.status(stream).left == 1
    assert session.offer(stream, made_records(1, start=99))[0].wanted


def test_a_question_that_is_withdrawn_is_refunded(session):
    stream = session.create(settings(total=2))
    session.offer(stream, made_records(2))
    session.withdraw(stream, 0, "root")
    assert session.status(stream).left == 1
    session.answer(stream, "ann", 1, "ham", key="k")
    with pytest.raises(LabelConflict, match="decided"):
        session.withdraw(stream, 1, "root")


def test_overlap_goes_by_the_majority(session):
    stream = session.create(settings(overlap=3))
    session.offer(stream, made_records(4))
    for person, label in (("ann", "ham"), ("bob", "spam"), ("eve", "spam")):
        assert session.status(stream).answered == 0
        assert session.lease(stream, person)[0].number == 0
        session.answer(stream, person, 0, label, key=person)
    assert session.status(stream).classes == {"ham": 0, "spam": 1}
    late = session.answer(stream, "joe", 0, "ham", key="joe")
    assert not late.counts


def test_an_admin_decides_ties(session):
    stream = session.create(settings(overlap=2))
    session.offer(stream, made_records(1))
    session.answer(stream, "ann", 0, "ham", key="a")
    session.answer(stream, "bob", 0, "spam", key="b")
    assert [q.number for q in session.ties(stream)] == [0]
    assert "wait for an admin" in session.why_nothing(stream, "eve")
    assert not session.answer(stream, "eve", 0, "ham", key="e").counts
    assert session.answer(stream, "root", 0, "spam", key="r", admin=True).counts
    assert session.ties(stream) == []
    assert session.status(stream).classes["spam"] == 1
    assert session.agreement(stream).questions == 1


def test_a_change_can_break_a_tie_and_make_one(session):
    stream = session.create(settings(overlap=2))
    session.offer(stream, made_records(3))
    session.answer(stream, "ann", 0, "ham", key="a")
    position = session.answer(stream, "bob", 0, "spam", key="b").position
    session.change(stream, "bob", 0, position, "ham")
    assert session.status(stream).classes["ham"] == 1
    session.change(stream, "bob", 0, position, "spam")
    assert [q.number for q in session.ties(stream)] == [0]
    assert state_of(folded(session, stream).learner) == state_of(session.stream(stream).learner)


def test_labels_of_an_hour_and_of_a_day(session, clock):
    stream = session.create(settings(per_hour=3, per_day=5))
    asked = session.offer(stream, made_records(10))
    assert [o.wanted for o in asked] == [True] * 3 + [False] * 7
    assert {o.reason for o in asked[3:]} == {"hour"}
    answer_all(session, stream)
    assert session.why_nothing(stream, "ann") == "The labels of this hour are spent."
    clock.turn(3601)
    asked = session.offer(stream, made_records(10, start=10))
    assert sum(o.wanted for o in asked) == 2
    assert asked[-1].reason == "day"
    clock.turn(86400)
    assert session.offer(stream, made_records(1, start=20))[0].wanted


def test_a_budget_that_is_spent_is_a_reason(session):
    stream = session.create(settings(total=2))
    offered = session.offer(stream, made_records(5))
    assert [o.reason for o in offered] == [None, None, "budget", "budget", "budget"]
    answer_all(session, stream)
    assert session.why_nothing(stream, "ann") == "The budget of 2 labels is spent."


def test_pausing_and_stopping(session):
    stream = session.create(settings())
    session.offer(stream, made_records(3))
    session.set_state(stream, "paused", "root")
    assert session.lease(stream, "ann") == []
    assert session.status(stream).reason == "This stream is paused."
    assert session.offer(stream, [("new", {"x": 1})])[0].reason == "paused"
    assert session.answer(stream, "ann", 0, "ham", key="k").counts, "what one has counts"
    session.set_state(stream, "resumed", "root")
    assert session.lease(stream, "ann")
    assert session.offer(stream, [("new", {"x": 1})])[0].new


def test_rules_end_the_questions(session):
    stream = session.create(settings(stop={"labels": 4}))
    told = []
    session.listeners.append(lambda stream, topic: told.append(topic))
    session.offer(stream, made_records(9))
    assert answer_all(session, stream) == 4
    assert session.status(stream).state == "stopped"
    assert session.why_nothing(stream, "ann") == "The questions have ended: 4 labels were given."
    assert told[-1] == "stopped"


def test_the_error_ends_the_questions(session):
    stream = session.create(settings(stop={"error": 0.4}))
    for start in range(0, 4000, 200):
        session.offer(stream, made_records(200, seed=start, start=start))
        answer_all(session, stream)
    status = session.status(stream)
    assert status.state == "stopped"
    assert status.error.high < 0.4
    assert "the error is below 0.4" in status.reason


def test_what_is_erased_is_gone_and_left_out(session):
    stream, twin = session.create(settings()), session.create(settings())
    records = made_records(40)
    for each in (stream, twin):
        session.offer(each, records[:20])
    for number in range(10):
        session.answer(stream, "ann", number, truth(records[number][1]), key=f"k{number}")
    session.erase(stream, "3", "root")
    entry = next(e for e in session.history(stream, "ann") if e.number == 3)
    assert entry.record is None
    assert session.status(stream).answered == 9
    with pytest.raises(LabelConflict, match="erased"):
        session.answer(stream, "bob", 3, "ham", key="late")
    with pytest.raises(UnknownQuestion):
        session.erase(stream, "nobody", "root")
    # As if the example had been refused.
    opened = session.stream(stream)
    assert 3 not in opened.learner.weighted_sample().ids
    assert opened.learner.stats().refused == 1
    assert state_of(folded(session, stream).learner) == state_of(opened.learner)


def test_predictions_and_the_model(session, tmp_path):
    stream = session.create(settings())
    with pytest.raises(LabelConflict, match="nothing has come in yet"):
        session.predict(stream, [{"x": 1.0}])
    with pytest.raises(LabelConflict, match="nothing has come in yet"):
        session.model(stream)
    session.offer(stream, made_records(300))
    answer_all(session, stream)
    fresh = [record for _, record in made_records(200, seed=9)]
    predicted = [p.label for p in session.predict(stream, fresh)]
    assert sum(p == truth(r) for p, r in zip(predicted, fresh, strict=True)) > 150
    path = tmp_path / "model.askance"
    path.write_bytes(session.model(stream))
    loaded = ActiveLearner.load(path)
    assert [loaded.classes[loaded.predict(r) > 0] for r in fresh] == predicted


def test_exports(session, tmp_path):
    stream = session.create(settings())
    session.offer(stream, [("=1+1", {"x": 1.0, "note": "=cmd()"}), ("b", {"x": 2.0, "note": "@a"})])
    session.answer(stream, "ann", 0, "ham", key="k")
    session.export(stream, tmp_path / "labels.csv")
    head, line = (tmp_path / "labels.csv").read_text().splitlines()
    assert head.startswith("id,label,weight,probability,n")
    assert line.startswith("'=1+1,ham,1,1,2")
    assert line.endswith("'=cmd()")
    session.export(stream, tmp_path / "labels.parquet")
    assert (tmp_path / "labels.parquet").stat().st_size


def test_unknown_streams(session):
    with pytest.raises(UnknownStream):
        session.status("none")


@pytest.mark.parametrize("name", REFITTING)
def test_refits_are_made_elsewhere_and_replay(session, name):
    stream = session.create(REFITTING[name]())
    for start in range(0, 400, 40):
        session.offer(stream, made_records(40, seed=start, start=start))
        answer_all(session, stream)
        refit_done(session, stream)
    opened = session.stream(stream)
    status = session.status(stream)
    assert 20 < status.fitted <= status.answered
    assert not status.refitting
    assert state_of(folded(session, stream).learner) == state_of(opened.learner)
    (prediction,) = session.predict(stream, [{"x": 0.9, "y": 0.9}])
    assert prediction.label == "spam"
    assert (prediction.probabilities is not None) == (name == "auto")


@pytest.mark.parametrize("name", REFITTING)
def test_a_change_is_fitted_again_at_once(session, name):
    stream = session.create(REFITTING[name]())
    session.offer(stream, made_records(120))
    answer_all(session, stream)
    refit_done(session, stream)
    opened = session.stream(stream)
    entry = session.history(stream, "ann", 500)[-1]
    served = opened.fold.served_at
    # Held, so that the new classifier cannot serve while it is looked at.
    with opened.lock:
        session.change(stream, "ann", entry.number, entry.vote.position, "ham")
        assert not opened.fold.is_clean
        assert opened.refitting.coming is not None
        assert state_of(folded(session, stream).learner) == state_of(opened.learner)
    refit_done(session, stream)
    assert opened.fold.served_at > served
    assert opened.fold.is_clean
    assert state_of(folded(session, stream).learner) == state_of(opened.learner)


@pytest.mark.parametrize("name", REFITTING)
def test_a_stream_is_the_same_after_a_restart(session, engine, clock, name):
    stream = session.create(REFITTING[name]())
    for start in range(0, 200, 50):
        session.offer(stream, made_records(50, seed=start, start=start))
        answer_all(session, stream, most=20)
        refit_done(session, stream)
    before = state_of(session.stream(stream).learner)
    session._streams.pop(stream).close()
    after = session.stream(stream)
    assert state_of(after.learner) == before
    assert session.status(stream).waiting == len(after.books.open)


def test_many_people_at_once(session):
    stream = session.create(settings())
    session.offer(stream, made_records(200))
    given: dict[str, int] = {}

    def work(person):
        given[person] = answer_all(session, stream, person)

    people = [threading.Thread(target=work, args=(f"p{i}",)) for i in range(8)]
    for one in people:
        one.start()
    for one in people:
        one.join()
    status = session.status(stream)
    assert sum(given.values()) == status.answered == status.asked
    assert status.waiting == 0


@pytest.mark.parametrize("make", [settings, quick_auto])
def test_any_number_of_classes(session, tmp_path, make):
    names = ("low", "middle", "high")
    stream = session.create(make(classes=names, **({} if make is settings else {"rate": 0.8})))
    for start in range(0, 120, 40):
        session.offer(stream, made_records(40, seed=start, start=start))
        while questions := session.lease(stream, "ann"):
            for question in questions:
                label = names[min(int(question.record["x"] * 3), 2)]
                session.answer(stream, "ann", question.number, label, key=str(question.number))
        refit_done(session, stream)
    status = session.status(stream)
    assert set(status.classes) == set(names)
    assert min(status.classes.values()) > 0
    assert status.error is not None
    assert state_of(folded(session, stream).learner) == state_of(session.stream(stream).learner)
    (prediction,) = session.predict(stream, [{"x": 0.95, "y": 0.5}])
    assert prediction.label == "high"
    if make is quick_auto:
        assert prediction.probabilities.keys() == set(names)
    session.export(stream, tmp_path / "labels.csv")
    assert ",middle," in (tmp_path / "labels.csv").read_text()


@pytest.mark.parametrize("learner", ["auto", "batch_iwal"])
def test_a_model_can_be_read_after_an_answer_was_taken_back(session, tmp_path, learner):
    chosen = quick_auto(rate=1.0) if learner == "auto" else quick_epochs(learner)
    stream = session.create(chosen)
    session.offer(stream, made_records(3 if learner == "batch_iwal" else 25))
    answer_all(session, stream)
    refit_done(session, stream)
    session.undo(stream, "ann")
    path = tmp_path / "model.askance"
    path.write_bytes(session.model(stream))
    assert ActiveLearner.load(path).seen == session.status(stream).seen
