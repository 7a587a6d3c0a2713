"""IWAL: its equation, its Oracular variants, and the mean of its weights."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import askance
from askance.errors import InvalidParameter
from askance.kernels.logistic import logistic_step, revert
from askance.learners.iwal import IWAL0, IWAL1, OracularIWAL0, OracularIWAL1
from askance.types import Decision, Label, Row, State

X = askance.as_row([1.0])
CLASSES = [IWAL0, IWAL1, OracularIWAL0, OracularIWAL1]


def at(learner: IWAL0, k: int, error: float) -> IWAL0:
    learner.k, learner.error_sum = k, error * k
    return learner


@pytest.mark.parametrize("kind", CLASSES)
def test_the_first_label_is_always_asked(kind: type[IWAL0], scripted: Any) -> None:
    decision = kind(scripted(margin=-9.0, flip=math.inf)).decide(X, 0.999)
    assert (decision.queried, decision.probability, decision.in_disagreement) == (True, 1.0, True)
    assert (decision.predicted, decision.k) == (-1, 0)


@pytest.mark.parametrize(("kind", "error"), [(IWAL0, 1.0), (IWAL1, 0.25)])
@pytest.mark.parametrize("c", [(1.0, 1.0), (5 + 2 * math.sqrt(2), 5.0)])
def test_the_probability_solves_its_equation(
    kind: type[IWAL0], error: float, c: tuple[float, float], scripted: Any
) -> None:
    """The 33rd example: log 33 over 32."""
    c1, c2 = c
    learner = at(kind(scripted(flip=32 * 0.9), c0=0.1, c1=c1, c2=c2), 32, 0.25)
    decision = learner.decide(X, 0.5)
    b = 0.1 * math.log(33) / 32
    a = math.sqrt(b * error)
    assert decision.threshold == pytest.approx(a + b, rel=1e-14)
    z = 1 / math.sqrt(decision.probability)
    assert z > 1.0
    assert c2 * b * z * z + c1 * a * z == pytest.approx(
        0.9 + (c1 - 1) * a + (c2 - 1) * b, rel=1e-12
    )
    assert decision.in_disagreement


@pytest.mark.parametrize(("kind", "oracular"), [(IWAL0, OracularIWAL0), (IWAL1, OracularIWAL1)])
def test_below_the_threshold_all_ask_surely(
    kind: type[IWAL0], oracular: type[IWAL0], scripted: Any
) -> None:
    threshold = at(kind(scripted(), c0=0.1), 32, 0.25).decide(X, 0.5).threshold
    for each in (kind, oracular):
        learner = at(each(scripted(flip=32 * threshold * 0.999), c0=0.1), 32, 0.25)
        decision = learner.decide(X, 0.999)
        assert (decision.probability, decision.queried) == (1.0, True)
        assert decision.threshold == threshold
        above = at(each(scripted(flip=32 * threshold * 1.001), c0=0.1), 32, 0.25).decide(X, 0.0)
        assert above.probability < 1.0
        assert above.in_disagreement == (each is kind)


@pytest.mark.parametrize("kind", [OracularIWAL0, OracularIWAL1])
def test_oracular_learns_its_prediction_beyond_the_threshold(
    kind: type[IWAL0], scripted: Any
) -> None:
    learner = at(kind(scripted(margin=-3.0, flip=1e9)), 32, 0.25)
    decision = learner.decide(X, 0.0)
    assert (decision.probability, decision.queried, decision.in_disagreement) == (0.0, False, False)
    learner.learn(X, decision, None)
    assert learner.erm.taught == [(-1, 1.0)]
    assert learner.mean_error == 8.0 / 33


def test_iwal_weighs_what_it_asks_by_the_inverse_probability(scripted: Any) -> None:
    learner = at(IWAL1(scripted(flip=32 * 0.9)), 32, 0.25)
    asked = learner.decide(X, 0.0)
    learner.learn(X, asked, -1)
    assert learner.erm.taught == [(-1, 1 / asked.probability)]
    assert learner.mean_error == (8.0 + 1 / asked.probability) / 33
    learner.learn(X, learner.decide(X, 0.999), None)
    assert learner.erm.taught[1][1] == 0.0
    assert learner.k == 34


def test_an_error_of_zero_leaves_the_fast_term_only(scripted: Any) -> None:
    decision = at(IWAL1(scripted(), c0=0.5), 9, 0.0).decide(X, 0.5)
    assert decision.threshold == pytest.approx(0.5 * math.log(10) / 9, rel=1e-14)


def test_the_margin_rule_is_a_choice(scripted: Any) -> None:
    """The scripted oracle would never flip, while its margin is nearly nothing."""
    by_margin = at(OracularIWAL0(scripted(margin=1e-9, flip=1e9), disagreement="margin"), 9, 0.2)
    by_oracle = at(OracularIWAL0(scripted(margin=1e-9, flip=1e9)), 9, 0.2)
    assert by_margin.decide(X, 0.5).queried
    assert not by_oracle.decide(X, 0.5).queried


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"c0": -1.0}, "c0 must be positive and finite, got -1.0"),
        ({"c0": 0.0}, "c0 must be positive and finite, got 0.0"),
        ({"c0": math.nan}, "c0 must be positive and finite, got nan"),
        ({"c1": 0.5}, "c1 must be at least 1 and finite, got 0.5"),
        ({"c2": math.nan}, "c2 must be at least 1 and finite, got nan"),
        (
            {"disagreement": "entropy"},
            "disagreement must be sensitivity, margin or exact, got 'entropy'",
        ),
    ],
)
def test_bad_parameters(
    scripted: Any, refused: Any, parameters: dict[str, Any], message: str
) -> None:
    with refused(InvalidParameter, message):
        IWAL1(scripted(), **parameters)


class Scalar:
    """One weight and constant rates: an online oracle fast enough for thousands of runs."""

    learning_rate = 1.0

    def __init__(self) -> None:
        self.w = 0.0
        self.last_weight = 0.0

    def observe(self, x: Row) -> None:
        pass

    def margin(self, x: Row) -> float:
        return self.w * x.values.item()

    def predict(self, x: Row) -> Label:
        return 1 if self.margin(x) > 0 else -1

    def learn(self, x: Row, target: Label, weight: float) -> float:
        self.last_weight = weight
        v = x.values.item()
        step = logistic_step(target * self.w * v, self.learning_rate * weight * v * v)
        self.w += target * step / v
        return self.w * v

    def flip_weight(self, x: Row) -> float:
        return revert(self.margin(x)) / (self.learning_rate * x.values.item() ** 2)

    def get_state(self) -> State:
        return {"w": self.w}

    def set_state(self, state: State) -> None:
        self.w = state["w"]


LENGTH, RUNS = 10, 24_000
ROWS = [Row(np.array([0]), np.array([v])) for v in np.linspace(0.4, 1.2, LENGTH)]
LABELS = [1, 1, -1, 1, 1, 1, -1, 1, -1, 1]


def weights_of_runs(make: Callable[[Scalar], IWAL0]) -> tuple[Any, Any]:
    """Weight and probability of each example in each of many whole runs, on their own coins."""
    weights, probabilities = np.zeros((2, RUNS, LENGTH))
    for run, coins in enumerate(np.random.default_rng(20).random((RUNS, LENGTH)).tolist()):
        learner = make(erm := Scalar())
        for i, (x, label, coin) in enumerate(zip(ROWS, LABELS, coins, strict=True)):
            decision = learner.decide(x, coin)
            given = label if decision.queried else None
            probabilities[run, i] = decision.probability
            learner.learn(x, decision, given)
            weights[run, i] = erm.last_weight
    return weights, probabilities


def excess_and_half_width(weights: Any, probabilities: Any) -> tuple[Any, Any]:
    """Mean of W - 1 at each index over the runs where P >= 0.05 there, and 4 standard errors.

    P is known before the coin falls, so leaving out the runs where it is small biases nothing.
    """
    excess = np.where(probabilities >= 0.05, weights - 1.0, 0.0)
    return excess.mean(axis=0), 4.0 * excess.std(axis=0) / math.sqrt(RUNS)


class Crooked(IWAL1):
    """Weights that look plausible and are wrong."""

    def target(self, decision: Decision, label: Label | None) -> tuple[Label, float]:
        target, weight = super().target(decision, label)
        return target, math.sqrt(weight)


@pytest.mark.parametrize(("kind", "c0"), [(IWAL0, 0.1), (IWAL1, 0.12)])
def test_mean_weight_is_one_at_every_example(kind: type[IWAL0], c0: float) -> None:
    weights, probabilities = weights_of_runs(lambda erm: kind(erm, c0=c0))
    excess, half_width = excess_and_half_width(weights, probabilities)
    assert (probabilities >= 0.05).mean() > 0.99
    assert (probabilities.mean(axis=0) < 0.95).sum() >= LENGTH // 2
    assert half_width.max() <= 0.05
    assert np.all(np.abs(excess) <= half_width)


def test_weights_that_are_not_inverse_probabilities_fail_the_same_test() -> None:
    weights, probabilities = weights_of_runs(lambda erm: Crooked(erm, c0=0.12))
    excess, half_width = excess_and_half_width(weights, probabilities)
    assert half_width.max() <= 0.05
    assert np.any(np.abs(excess) > half_width)
