"""Sentences: rounded, and honest about when they hold."""

import math

import pytest

from askance.estimate import sentence
from askance.types import Interval


@pytest.mark.parametrize(
    ("holds", "words"),
    [
        ("at any time", "whenever you look"),
        ("at a fixed time", "at a time fixed beforehand"),
        ("without a guarantee", "without a guarantee"),
    ],
)
def test_it_says_when_it_holds(holds, words):
    found = sentence(Interval(0.5, 0.25, 0.996, 0.999, "recall", holds))
    assert found == f"recall about 50%, at least 25% and at most 100% (99.9%, {words})"


def test_before_the_first_label_nothing_is_known():
    found = sentence(Interval(math.nan, 0.0, 1.0, 0.9, "error", "at any time"))
    assert found.startswith("error not known yet, at least 0.0% and at most 100% (90%,")


@pytest.mark.parametrize(("share", "words"), [(0.0994, "9.9%"), (0.0996, "10%"), (0.004, "0.4%")])
def test_small_shares_have_a_decimal(share, words):
    found = sentence(Interval(share, share, share, 0.95, "error", "at any time"))
    assert found.startswith(f"error about {words}, at least {words} and at most {words} ")
