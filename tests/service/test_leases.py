from askance.service.books import AskedQuestion
from askance.service.leases import Leases
from askance.service.resolution import GivenVote


def asked(number=0, **votes):
    question = AskedQuestion(number, "x", 0.0, 1.0)
    for position, (actor, label) in enumerate(votes.items(), start=1):
        question.votes[position] = GivenVote(position, actor, label)
    return question


def test_a_question_is_kept_for_one_person_at_a_time():
    leases = Leases(60.0)
    leases.give(0, "ann", 0.0)
    assert not leases.is_free(asked(), "bob", 1, 59.0)
    assert leases.is_free(asked(), "ann", 1, 59.0)


def test_nothing_is_kept_for_people_who_left():
    leases = Leases(60.0)
    leases.give(0, "ann", 0.0)
    assert leases.is_free(asked(), "bob", 1, 60.0)


def test_with_overlap_as_many_people_as_replies_are_wanted():
    leases = Leases(60.0)
    leases.give(0, "ann", 0.0)
    assert leases.is_free(asked(), "bob", 2, 1.0)
    leases.give(0, "bob", 1.0)
    assert not leases.is_free(asked(), "eve", 2, 2.0)
    assert not leases.is_free(asked(ann="a"), "eve", 2, 2.0)
    assert leases.is_free(asked(ann="a"), "eve", 2, 61.5)


def test_nobody_is_asked_twice():
    assert not Leases(60.0).is_free(asked(ann="a"), "ann", 2, 0.0)
    assert not Leases(60.0).is_free(asked(ann=None), "ann", 2, 0.0)


def test_a_skip_leaves_its_place_to_others():
    assert Leases(60.0).is_free(asked(ann=None), "bob", 1, 0.0)


def test_only_what_one_still_has_can_be_renewed():
    leases = Leases(60.0)
    leases.give(0, "ann", 0.0)
    assert leases.renew("bob", [0], 1.0) == []
    assert leases.renew("ann", [0, 5], 59.0) == [0]
    assert leases.of("ann", 118.0) == [0]
    assert leases.renew("ann", [0], 119.0) == []


def test_what_is_undone_comes_first():
    leases = Leases(60.0)
    leases.give(3, "ann", 0.0)
    leases.give(1, "ann", 0.0, first=True)
    assert leases.of("ann", 1.0) == [1, 3]


def test_a_lease_can_end_for_one_and_for_all():
    leases = Leases(60.0)
    for person in ("ann", "bob"):
        leases.give(0, person, 0.0)
    leases.end(0, "ann")
    assert leases.holders(0, 1.0) == {"bob"}
    leases.end(0)
    assert leases.holders(0, 1.0) == set()


def test_what_is_given_first_stays_first_whatever_others_do():
    leases = Leases(60.0)
    for number in (0, 1):
        leases.give(number, "ann", now=0.0)
    leases.end(0, "ann")
    for number in (0, 1):
        leases.give(number, "bob", now=1.0)
    leases.renew("bob", [1, 0], now=2.0)
    assert leases.of("bob", 3.0) == [0, 1]
    leases.give(1, "bob", now=3.0, first=True)
    assert leases.of("bob", 4.0) == [1, 0]
    leases.end(1)
    assert leases.of("bob", 4.0) == [0]
