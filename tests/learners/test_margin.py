"""Margin sampling: the honest baseline, with its bias."""

from typing import Any

import pytest

import askance
from askance.errors import InvalidParameter
from askance.learners.margin import MarginSampling

X = askance.as_row([1.0])


@pytest.mark.parametrize(("margin", "probability"), [(0.0, 1.0), (-0.5, 0.5), (1.5, 0.25)])
def test_probability_by_hand(scripted: Any, margin: float, probability: float) -> None:
    decision = MarginSampling(scripted(margin), b=0.5).decide(X, 0.3)
    assert decision.probability == probability
    assert decision.queried == (probability > 0.3)
    assert decision.in_disagreement


def test_what_is_asked_has_weight_one_and_the_rest_none(scripted: Any) -> None:
    erm = scripted(margin=1.5)
    learner = MarginSampling(erm, b=0.5)
    learner.learn(X, learner.decide(X, 0.2), -1)
    learner.learn(X, learner.decide(X, 0.9), None)
    assert [weight for _, weight in erm.taught] == [1.0, 0.0]
    assert erm.taught[0][0] == -1
    assert (learner.k, learner.mean_error) == (2, 0.5)


@pytest.mark.parametrize("b", [0.0, -1.0, float("nan"), float("inf")])
def test_b_must_be_positive(scripted: Any, refused: Any, b: float) -> None:
    with refused(InvalidParameter, f"b must be positive and finite, got {b}"):
        MarginSampling(scripted(), b=b)
