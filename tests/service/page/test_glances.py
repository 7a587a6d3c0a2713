import math

import pytest
from tests.service.conftest import settings

from askance.service.page.glances import Glance, share_text
from askance.types import Interval, StreamStatus

STATUS = {
    "id": "s",
    "name": "mail",
    "state": "running",
    "seen": 200,
    "refused": 0,
    "asked": 22,
    "answered": 18,
    "waiting": 4,
    "tied": 0,
    "withdrawn": 0,
    "left": 0,
    "query_rate": 0.11,
    "rate_now": 0.05,
    "error": None,
    "classes": {"ham": 10, "spam": 8},
    "reason": None,
    "refitting": False,
    "fitted": 0,
    "warning": None,
}


def glance(**changed):
    total = changed.pop("total", 400)
    return Glance.of(StreamStatus(**(STATUS | changed)), settings(total=total))


def test_labels_spent_and_left():
    assert (glance().labels, glance().left) == (18, 382)
    assert glance(total=None).left is None


def test_the_error_with_its_interval():
    error = Interval(0.0612, 0.031, 0.112, 0.95, "error", "at any time")
    found = glance(error=error)
    assert (found.error, found.interval) == ("about 6.1%", "95% interval 3.1% to 11%")


@pytest.mark.parametrize(
    "error", [None, Interval(math.nan, 0.0, 0.4, 0.95, "error", "at any time")]
)
def test_an_error_that_is_not_known(error):
    assert glance(error=error).error == "not known yet"


def test_an_interval_that_is_wide_says_that_labels_are_few():
    few = glance(error=Interval(0.0, 0.0, 1.0, 0.95, "error", "at any time"))
    assert few.error == "about 0%"
    assert few.interval == "95% interval 0% to 100%; too few labels to say more"
    assert few.error_of == "mean error of its predictions so far"
    some = glance(error=Interval(0.2, 0.1, 0.6, 0.95, "error", "at any time"))
    assert "too few" not in some.interval


@pytest.mark.parametrize(
    ("changed", "can_ask"),
    [
        ({"left": 5, "waiting": 0}, True),
        ({"left": None, "waiting": 0}, True),
        ({"left": 0, "waiting": 1}, True),
        ({"left": 0, "waiting": 0}, False),
        ({"left": 5, "state": "paused"}, False),
    ],
)
def test_whether_there_is_anything_to_answer(changed, can_ask):
    assert glance(**changed).can_ask == can_ask


def test_there_is_always_a_reason():
    assert glance().reason == "4 questions wait."
    assert glance(waiting=1).reason == "1 question waits."
    assert glance(waiting=0, reason="Nothing has come in yet.").reason == "Nothing has come in yet."


def test_how_much_was_asked():
    assert glance(left=5).rate == "asks about 5.0% now"
    # Where nothing can be asked, there is no now.
    assert glance(left=0).rate == glance(left=5, state="paused").rate == "asked about 11%"
    assert glance(asked=0).rate == "nothing asked yet"


@pytest.mark.parametrize(
    ("share", "text"), [(0, "0%"), (0.0001, "0.0%"), (0.0994, "9.9%"), (0.0996, "10%"), (1, "100%")]
)
def test_shares(share, text):
    assert share_text(share) == text


@pytest.mark.parametrize(
    ("classes", "room"), [(("0", "1"), "brief"), (("ham", "spam"), ""), (("x", "y" * 20), "wordy")]
)
def test_names_of_classes_have_the_room_that_they_need(classes, room):
    shown = Glance.of(StreamStatus(**STATUS), settings(classes=classes))
    assert shown.room == room
