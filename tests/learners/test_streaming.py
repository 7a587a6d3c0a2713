"""The clock, the error estimate and what a decision makes of an example."""

import math
from typing import Any

import pytest

import askance
from askance.errors import InvalidLabel, InvalidParameter, LabelConflict, LabelMissing
from askance.learners.passive import Passive
from askance.types import Decision
from askance.validation import check_coin

X = askance.as_row([1.0])


def decision(**changes: Any) -> Decision:
    plain = {
        "predicted": 1,
        "in_disagreement": True,
        "probability": 0.25,
        "queried": True,
        "k": 0,
        "threshold": math.inf,
        "floor": 0.0,
    }
    return Decision(**(plain | changes))


def test_the_error_sums_weights_and_the_clock_counts_examples(scripted: Any) -> None:
    """W = 4 wrong, 4 right, 0 unqueried, 1 predicted: e = 4/4."""
    learner = Passive(scripted())
    assert learner.mean_error == 0.0
    learner.learn(X, decision(), -1)
    learner.learn(X, decision(), 1)
    learner.learn(X, decision(queried=False), None)
    learner.learn(X, decision(queried=False, in_disagreement=False, probability=0.0), None)
    assert learner.k == 4
    assert learner.mean_error == 1.0
    assert [weight for _, weight in learner.erm.taught] == [4.0, 4.0, 0.0, 1.0]
    assert learner.erm.taught[3] == (1, 1.0)
    assert learner.erm.observed == 4


def test_the_error_compares_with_the_prediction_as_decided(scripted: Any) -> None:
    learner = Passive(scripted(margin=5.0))
    learner.learn(X, decision(predicted=-1, probability=1.0), -1)
    assert learner.mean_error == 0.0
    learner.learn(X, decision(predicted=-1, probability=1.0), 1)
    assert learner.mean_error == 0.5


@pytest.mark.parametrize("label", [0, 2, -2, True, math.nan, "yes"])
def test_bad_labels(scripted: Any, refused: Any, label: Any) -> None:
    learner = Passive(scripted())
    with refused(InvalidLabel, f"a label must be -1 or +1, got {label!r}"):
        learner.learn(X, decision(), label)
    assert (learner.k, learner.erm.observed) == (0, 0)


def test_missing_and_uncalled_for_labels(scripted: Any, refused: Any) -> None:
    learner = Passive(scripted())
    with refused(LabelMissing, "a label was asked for, got None, expected -1 or +1"):
        learner.learn(X, decision(), None)
    with refused(LabelConflict, "no label was asked for, got -1, expected None"):
        learner.learn(X, decision(queried=False), -1)
    assert (learner.k, learner.erm.observed) == (0, 0)


@pytest.mark.parametrize("coin", [-1e-9, 1.0, math.nan, math.inf])
def test_bad_coins(refused: Any, coin: float) -> None:
    with refused(InvalidParameter, f"a coin must lie in [0, 1), got {coin}"):
        check_coin(coin)


def test_good_coins() -> None:
    check_coin(0.0)
    check_coin(math.nextafter(1.0, 0.0))
