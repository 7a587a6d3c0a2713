import itertools
from collections import Counter

import pytest

from askance.service.resolution import GivenVote, QuestionOutcome, decided


def votes(*labels, start=1):
    return [GivenVote(start + i, f"p{i}", label) for i, label in enumerate(labels)]


def test_nobody_has_decided_nothing():
    assert decided([], 1, 1) == "open"


@pytest.mark.parametrize("overlap", [1, 2, 3, 4, 5])
def test_every_vote_of_few_people_goes_to_the_most_frequent_label(overlap):
    for labels in itertools.product("abc", repeat=overlap):
        (first, most), *others = Counter(labels).most_common()
        expected = "tie" if others and others[0][1] == most else QuestionOutcome(overlap, first)
        assert decided(votes(*labels), overlap, 1) == expected


def test_replies_beyond_the_overlap_change_nothing():
    assert decided(votes("a", "b", "b"), 1, 1) == QuestionOutcome(1, "a")
    assert decided(votes("a", "b", "b"), 2, 1) == "tie"


def test_skips_do_not_count_as_answers():
    assert decided(votes(None, "a"), 1, 2) == QuestionOutcome(2, "a")
    assert decided(votes(None, "a"), 2, 2) == "open"
    assert decided(votes("a", None, None, "b"), 2, 2) == QuestionOutcome(3, None)


def test_what_is_only_kept_does_not_count():
    late = GivenVote(1, "eve", "b", counts=False)
    assert decided([late, *votes("a", start=2)], 1, 1) == QuestionOutcome(2, "a")


def test_the_word_of_an_admin_decides_a_tie_where_it_stands():
    tied = votes("a", "b")
    final = GivenVote(7, "root", "b", final=True)
    assert decided([*tied, final], 2, 1) == QuestionOutcome(7, "b")
