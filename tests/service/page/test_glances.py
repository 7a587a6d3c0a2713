import math

import pytest
from tests.service.conftest import settings

from askance.service.page.glances import Glance, share_text
from askance.service.status import StreamStatus
from askance.types import Interval

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
    assert (found.error, found.interval) == ("6.1%", "3.1% to 11%, 95% sure")


@pytest.mark.parametrize(
    "error", [None, Interval(math.nan, 0.0, 1.0, 0.95, "error", "at any time")]
)
def test_an_error_that_is_not_known(error):
    assert glance(error=error).error == "not known yet"


def test_there_is_always_a_reason():
    assert glance().reason == "4 questions wait."
    assert glance(waiting=1).reason == "1 question waits."
    assert glance(waiting=0, reason="Nothing has come in yet.").reason == "Nothing has come in yet."


def test_how_much_was_asked():
    assert glance().rate == "asked about 11%"
    assert glance(asked=0).rate == "nothing asked yet"


@pytest.mark.parametrize(
    ("share", "text"), [(0, "0.0%"), (0.0994, "9.9%"), (0.0996, "10%"), (1, "100%")]
)
def test_shares(share, text):
    assert share_text(share) == text
