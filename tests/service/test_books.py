import pytest
from tests.service.conftest import settings

from askance.errors import LabelConflict, UnknownQuestion
from askance.service.books import Books
from askance.service.resolution import QuestionOutcome
from askance.types import Event

DECISION = [-1, True, 0.5, True, 0, 0.1, 0.0, False]


def books(**chosen):
    found = Books(settings(**chosen))
    found.apply(Event(3, "offered", 10.0, number=0, key="x:a", data={"decision": DECISION}))
    return found


def reply(position, label, actor="ann", **data):
    kind = "skipped" if label is None else "answered"
    return Event(position, kind, 0.0, actor, 0, data={"label": label, **data})


def test_a_question_is_open_until_it_is_answered():
    found = books()
    assert list(found.open) == [0]
    assert found.question(0).id == "a"
    assert found.apply(reply(4, "ham")) == ("open", QuestionOutcome(4, "ham"))
    assert not found.open
    assert found.labels["ham"] == 1


def test_undoing_opens_it_again_and_a_change_keeps_its_position():
    found = books()
    found.apply(reply(4, "ham"))
    changed = Event(5, "changed", 0.0, "ann", 0, data={"answer": 4, "label": "spam"})
    assert found.apply(changed) == (QuestionOutcome(4, "ham"), QuestionOutcome(4, "spam"))
    assert found.labels == {"ham": 0, "spam": 1}
    undone = Event(6, "undone", 0.0, "ann", 0, data={"answer": 4})
    assert found.apply(undone) == (QuestionOutcome(4, "spam"), "open")
    assert list(found.open) == [0]
    assert found.votes_of["ann"] == {}


def test_an_example_about_which_nothing_was_asked_is_no_question():
    found = books()
    quiet = [-1, True, 0.5, False, 0, 0.1, 0.0, False]
    found.apply(Event(4, "offered", 11.0, number=1, wanted=False, data={"decision": quiet}))
    assert found.last_offer == 11.0
    with pytest.raises(UnknownQuestion, match="no question was asked about example 1"):
        found.question(1)


def test_what_is_erased_is_open_no_more():
    found = books()
    found.apply(reply(4, "ham"))
    found.apply(Event(5, "erased", 0.0, "root", 0))
    assert found.labels["ham"] == 0
    assert not found.open
    with pytest.raises(LabelConflict, match="was erased"):
        found.check_vote(0, 4, "ann", may_all=False)


@pytest.mark.parametrize(("now", "expected"), [(3609.0, "hour"), (3611.0, None)])
def test_labels_of_an_hour(now, expected):
    assert books(per_hour=1).refusal(now) == expected


def test_states_follow_their_events():
    found = books()
    for kind, state in (("paused", "paused"), ("resumed", "running"), ("stopped", "stopped")):
        found.apply(Event(9, kind, 0.0, data={"reason": "enough"}))
        assert found.state == state
    assert found.ended == "enough"
