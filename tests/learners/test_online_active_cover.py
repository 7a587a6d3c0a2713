"""Online Active Cover against numbers that were worked out by hand.

With c0 = alpha = beta_scale = 1, k = 10 and a threshold of 0.05 the regret term weighs
2 * 1 * 10 * 0.05 = 1; with a floor of 1/4 the first member finds q = 1/2 and p = 1/3, so that
disagreeing inside the region costs 2 - 3 = -1.
"""

import math
from typing import Any

import pytest

import askance
from askance.errors import InvalidParameter
from askance.learners.online_active_cover import OnlineActiveCover
from askance.types import Decision

X = askance.as_row([1.0])
UNIT = {"c0": 1.0, "alpha": 1.0, "beta_scale": 1.0}

INSIDE = Decision(
    predicted=1,
    in_disagreement=True,
    probability=0.5,
    queried=True,
    k=10,
    threshold=0.05,
    floor=0.25,
)
UNQUERIED = Decision(1, True, 0.5, False, 10, 0.05, 0.25)
OUTSIDE = Decision(1, False, 0.0, False, 10, 0.05, 0.25)


def test_the_first_three_labels_are_always_asked(scripted: Any) -> None:
    learner = OnlineActiveCover(scripted(flip=math.inf), [scripted()])
    for k in range(3):
        decision = learner.decide(X, 0.999)
        assert (decision.k, decision.in_disagreement, decision.probability) == (k, True, 1.0)
        assert decision.queried
        learner.learn(X, decision, 1)
    fourth = learner.decide(X, 0.0)
    assert (fourth.in_disagreement, fourth.probability, fourth.queried) == (False, 0.0, False)


def test_the_region_ends_at_the_threshold(scripted: Any) -> None:
    """After 8 examples with e = 1/2: sqrt(c0/16) + 4 c0 log(8)/8."""
    threshold = math.sqrt(0.25 / 16) + 4 * 0.25 * math.log(8) / 8
    for factor, inside in ((0.999, True), (1.001, False)):
        learner = OnlineActiveCover(scripted(flip=8 * threshold * factor), [scripted()], c0=0.25)
        learner.k, learner.error_sum = 8, 4.0
        decision = learner.decide(X, 0.0)
        assert decision.threshold == pytest.approx(threshold, rel=1e-14)
        assert decision.in_disagreement == inside


def test_the_query_probability_sums_the_multipliers_of_those_who_disagree(scripted: Any) -> None:
    """Floor 1/(sqrt(8 * 1/2) + log 8), and q^2 = (2 floor)^2 + 1/2 + 2."""
    members = [scripted(-1.0), scripted(1.0), scripted(-1.0), scripted(-1.0)]
    learner = OnlineActiveCover(scripted(flip=0.0), members)
    learner.k, learner.error_sum = 8, 4.0
    learner.numerators, learner.denominators = [2.0, 5.0, 1.0, 0.0], [4.0, 1.0, 0.5, 0.0]
    assert learner.multipliers == [0.5, 5.0, 2.0, 0.0]
    floor = 1 / (2 + math.log(8))
    q = math.sqrt(4 * floor**2 + 2.5)
    decision = learner.decide(X, 0.5)
    assert decision.floor == pytest.approx(floor, rel=1e-14)
    assert decision.probability == pytest.approx(q / (1 + q), rel=1e-14)
    assert decision.queried
    assert not learner.decide(X, decision.probability).queried


def make(members: list[Any], scripted: Any, **settings: float) -> OnlineActiveCover:
    return OnlineActiveCover(scripted(), members, **(UNIT | settings))


def test_a_queried_mistake_by_hand(scripted: Any) -> None:
    """Label -1 against the prediction +1, with weight 2: costs (2, -1), then (2, 0), (2, 0).

    The first member ends up disagreeing: numerator 6, denominator 1/q^3 = 8, multiplier 3/4, so
    that the next finds q^2 = 1 and p = 1/2. The second ends up agreeing, and counts for nothing in
    the third's q, whatever its multiplier. The third disagrees:
    numerator 4, denominator 1. Each starts out predicting the opposite of how it ends.
    """
    members = [scripted(1.0, after=-1.0), scripted(-1.0, after=1.0), scripted(1.0, after=-1.0)]
    learner = make(members, scripted)
    learner.numerators, learner.denominators = [0.0, 3.0, 0.0], [0.0, 1.0, 0.0]
    learner.learn(X, INSIDE, -1)
    assert learner.erm.taught == [(-1, 2.0)]
    taught = [member.taught for member in members]
    assert taught[0] == [(-1, pytest.approx(3.0))]
    assert taught[1] == taught[2] == [(-1, pytest.approx(2.0))]
    assert learner.numerators == pytest.approx([6.0, 3.0, 4.0])
    assert learner.denominators == pytest.approx([8.0, 1.0, 1.0])
    assert learner.multipliers == pytest.approx([0.75, 3.0, 4.0])


def test_a_queried_confirmation_by_hand(scripted: Any) -> None:
    """Label +1 as predicted, with weight 2: costs (0, 2 - 1)."""
    members = [scripted(after=-1.0)]
    learner = make(members, scripted)
    learner.numerators, learner.denominators = [5.0], [2.0]
    learner.learn(X, INSIDE, 1)
    assert members[0].taught == [(1, pytest.approx(1.0))]
    assert learner.numerators == pytest.approx([3.0])
    assert learner.denominators == pytest.approx([10.0])


def test_an_unqueried_example_still_trains_the_cover(scripted: Any) -> None:
    """Weight 0 for the ERM; costs (0, -1) for the cover."""
    members = [scripted(after=-1.0)]
    learner = make(members, scripted)
    learner.learn(X, UNQUERIED, None)
    assert [weight for _, weight in learner.erm.taught] == [0.0]
    assert members[0].taught == [(-1, pytest.approx(1.0))]
    assert learner.numerators == pytest.approx([2.0])
    assert learner.denominators == pytest.approx([8.0])


def test_outside_the_region_only_the_regret_counts(scripted: Any) -> None:
    """Costs (0, 1): towards the prediction; the numerator falls, not below 0."""
    members = [scripted(after=-1.0), scripted(after=-1.0), scripted(after=-1.0)]
    learner = make(members, scripted)
    learner.numerators, learner.denominators = [5.0, 1.5, 0.0], [2.0, 1.0, 0.0]
    learner.learn(X, OUTSIDE, None)
    assert learner.erm.taught == [(1, 1.0)]
    assert [member.taught for member in members] == [[(1, pytest.approx(1.0))]] * 3
    assert learner.numerators == pytest.approx([3.0, 0.0, 0.0])
    assert learner.denominators == [2.0, 1.0, 0.0]


def test_beta_and_alpha_enter_the_costs(scripted: Any) -> None:
    """beta^2 = 2 / (1/4 * 4^2) = 1/2 and 2 alpha^2 = 8: costs (1, 8 - 3)."""
    members = [scripted()]
    learner = make(members, scripted, c0=0.25, alpha=2.0, beta_scale=4.0)
    learner.learn(X, INSIDE, -1)
    assert members[0].taught == [(1, pytest.approx(4.0))]


def test_a_late_label_uses_what_was_decided(scripted: Any) -> None:
    """Ninety examples and their errors later, the numbers of the first case still hold."""
    members = [scripted(1.0, after=-1.0)]
    learner = make(members, scripted)
    learner.k, learner.error_sum = 100, 30.0
    learner.erm.f = -5.0
    learner.learn(X, INSIDE, -1)
    assert members[0].taught == [(-1, pytest.approx(3.0))]
    assert learner.denominators == pytest.approx([8.0])
    assert (learner.k, learner.error_sum) == (101, 32.0)


@pytest.mark.parametrize(("k", "trains"), [(0, False), (1, False), (2, True), (3, True)])
def test_the_cover_learns_from_the_third_example_on(scripted: Any, k: int, trains: bool) -> None:
    members = [scripted()]
    learner = make(members, scripted)
    learner.learn(X, Decision(1, True, 1.0, True, k, 0.05, 0.5), -1)
    assert bool(members[0].taught) == trains
    assert len(learner.erm.taught) == 1


def test_the_floor_binds_the_first_three_examples_too(scripted: Any) -> None:
    """The third example: k = 2 and e = 1/2, log 2 + 1 < 2, so that the floor is 1/2."""
    learner = make([scripted()], scripted)
    learner.k, learner.error_sum = 2, 1.0
    decision = learner.decide(X, 0.5)
    assert decision.floor == 0.5
    assert decision.threshold == pytest.approx(math.sqrt(1 / 4) + 2 * math.log(2), rel=1e-14)


def test_oracular_asks_surely_inside_and_never_outside(scripted: Any) -> None:
    learner = OnlineActiveCover(scripted(flip=0.0), oracular=True)
    learner.k, learner.error_sum = 50, 5.0
    assert learner.decide(X, 0.999).queried
    assert learner.decide(X, 0.999).probability == 1.0
    learner.erm.flip = 1e9
    assert learner.decide(X, 0.0).probability == 0.0


def test_the_margin_rule_is_a_choice(scripted: Any) -> None:
    for disagreement, inside in (("margin", True), ("sensitivity", False)):
        erm = scripted(margin=1e-9, flip=1e9)
        learner = OnlineActiveCover(erm, [scripted()], disagreement=disagreement)
        learner.k = 9
        assert learner.decide(X, 0.0).in_disagreement == inside


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"c0": -0.1}, "c0 must be positive and finite, got -0.1"),
        ({"beta_scale": 0.0}, "beta_scale must be positive and finite, got 0.0"),
        ({"alpha": 0.9}, "alpha must be at least 1 and finite, got 0.9"),
        ({"alpha": math.inf}, "alpha must be at least 1 and finite, got inf"),
        ({"alpha": math.nan}, "alpha must be at least 1 and finite, got nan"),
        ({"oracular": True}, "got 1 cover oracles with oracular=True"),
        ({"oracular": 0}, "oracular must be True or False, got 0"),
        ({"oracular": "no"}, "oracular must be True or False, got 'no'"),
        ({"disagreement": "luck"}, "disagreement must be sensitivity, margin or exact, got 'luck'"),
    ],
)
def test_bad_parameters(
    scripted: Any, refused: Any, parameters: dict[str, Any], message: str
) -> None:
    with refused(InvalidParameter, message):
        OnlineActiveCover(scripted(), [scripted()], **parameters)


def test_a_cover_must_have_members_unless_oracular(scripted: Any, refused: Any) -> None:
    with refused(InvalidParameter, "the cover must be empty if and only if oracular, got 0"):
        OnlineActiveCover(scripted())


def test_a_state_of_another_cover_size_is_refused(scripted: Any, refused: Any) -> None:
    small, large = (make([scripted() for _ in range(n)], scripted) for n in (1, 2))
    small.erm.f = 7.0
    with refused(InvalidParameter, "a saved cover must have 2 members, got 1"):
        large.set_state(small.get_state())
    assert large.erm.f == 1.0


def test_defaults_are_those_of_the_appendix(scripted: Any) -> None:
    learner = OnlineActiveCover(scripted(), [scripted()])
    assert learner.alpha == 1.0
    assert learner.beta_scale == pytest.approx(math.sqrt(10))
    assert len(askance.make_learner("online_active_cover", n_features=1).numerators) == 12
