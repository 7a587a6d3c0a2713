"""Each check of the oracles' contract catches the fault it is about."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from askance.checks import check_online_oracle, online_oracle_checks
from askance.checks.made_examples import make_stream
from askance.oracles.linear import LinearOracle, LinearState
from askance.types import Label, Row, State


class Good(LinearOracle):
    def __init__(self) -> None:
        super().__init__(LinearState(n_features=5))


class LearnsWeightZero(Good):
    def learn(self, x: Row, target: Label, weight: float) -> float:
        return super().learn(x, target, max(weight, 1e-3))


class PredictsNumpy(Good):
    def predict(self, x: Row) -> Label:
        return np.int64(super().predict(x))  # type: ignore[return-value]


class PredictsZero(Good):
    def predict(self, x: Row) -> Label:
        return int(np.sign(self.margin(x)))


class ReadingLearns(Good):
    def flip_weight(self, x: Row) -> float:
        self.observe(Row(x.indices, 2.0 * np.asarray(x.values)))
        return super().flip_weight(x)


class NegativeFlip(Good):
    def flip_weight(self, x: Row) -> float:
        return math.copysign(super().flip_weight(x), self.margin(x))


class ObservesEachTime(Good):
    def observe(self, x: Row) -> None:
        super().observe(x)
        self.state.scales[:] *= 2.0


class LearnsTheOpposite(Good):
    def learn(self, x: Row, target: Label, weight: float) -> float:
        return super().learn(x, -target if target in (-1, 1) else target, weight)


class FlipsTooEarly(Good):
    def flip_weight(self, x: Row) -> float:
        return 1e-3 * super().flip_weight(x)


class FlipsAtTheRatesOfWeightOne(Good):
    def exact_flip_weight(self, x: Row) -> float:
        return self.flip_weight(x)


class ForgetsGradients(Good):
    def get_state(self) -> State:
        return super().get_state() | {"gradients": np.zeros(6, np.float32)}


class HandsOutItsArrays(Good):
    def get_state(self) -> State:
        return super().get_state() | {"weights": self.state.weights[:, 0]}


class TakesBadRows(Good):
    def margin(self, x: Row) -> float:
        return super().margin(x) if np.all(np.isfinite(x.values)) else 0.0


class TakesBadTargets(Good):
    def learn(self, x: Row, target: Label, weight: float) -> float:
        return super().learn(x, target, weight) if target != 2 else 0.0


class TakesNegativeWeights(Good):
    def learn(self, x: Row, target: Label, weight: float) -> float:
        return super().learn(x, target, abs(weight))


class ReturnsTheOldMargin(Good):
    def learn(self, x: Row, target: Label, weight: float) -> float:
        before = self.margin(x)
        super().learn(x, target, weight)
        return before


FAULTS: dict[type[Good], str] = {
    LearnsWeightZero: "weight 0 changes nothing",
    ReturnsTheOldMargin: "learn returns the margin that it leaves",
    PredictsNumpy: "predictions are exactly -1 or +1",
    PredictsZero: "predictions are exactly -1 or +1",
    ReadingLearns: "reading changes nothing",
    NegativeFlip: "flip weights are not negative",
    ObservesEachTime: "observe is idempotent",
    LearnsTheOpposite: "learning moves the margin towards the target",
    FlipsTooEarly: "the flip weight flips",
    FlipsAtTheRatesOfWeightOne: "the exact flip weight, if there is one, flips and no less",
    ForgetsGradients: "state round-trips",
    HandsOutItsArrays: "states share no memory",
    TakesBadRows: "bad rows are refused without change",
    TakesBadTargets: "bad targets and weights are refused without change",
    TakesNegativeWeights: "bad targets and weights are refused without change",
}


def test_a_good_oracle_passes() -> None:
    check_online_oracle(Good)
    check_online_oracle(Good, seed=7)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_each_fault_is_caught_by_its_check(fault: Callable[[], Any]) -> None:
    check = dict(online_oracle_checks())[FAULTS[fault]]  # type: ignore[index]
    with pytest.raises(AssertionError) as caught:
        check(fault, make_stream(seed=0))
    assert "\n" not in str(caught.value)
    with pytest.raises(AssertionError):
        check_online_oracle(fault)


def test_every_check_has_a_fault() -> None:
    assert {name for name, _ in online_oracle_checks()} == set(FAULTS.values())
