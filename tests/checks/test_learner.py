"""Each check of the learners' contract catches the fault it is about."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from askance.checks import check_learner, learner_checks
from askance.checks.made_examples import make_stream
from askance.learners.iwal import IWAL1, OracularIWAL0
from askance.learners.streaming import StreamingLearner
from askance.oracles.linear import LinearOracle, LinearState
from askance.types import Decision, Label, Row, State


def oracle() -> LinearOracle:
    return LinearOracle(LinearState(n_features=5))


class Good(IWAL1):
    def __init__(self) -> None:
        super().__init__(oracle(), c0=0.05)


class DecidingCounts(Good):
    def decide(self, x: Row, coin: float) -> Decision:
        decision = super().decide(x, coin)
        self.error_sum += 0.01
        return decision


class Moody(Good):
    """Keeps a mood that no state shows."""

    mood = 0

    def decide(self, x: Row, coin: float) -> Decision:
        self.mood += 1
        decision = super().decide(x, coin)
        return decision._replace(floor=1e-3 * self.mood)


class NumpyQueried(Good):
    def decide(self, x: Row, coin: float) -> Decision:
        decision = super().decide(x, coin)
        return decision._replace(queried=np.bool_(decision.queried))  # type: ignore[arg-type]


class ProbabilityAboveOne(Good):
    def decide(self, x: Row, coin: float) -> Decision:
        return super().decide(x, coin)._replace(probability=1.5)


class AsksOutside(OracularIWAL0):
    def __init__(self) -> None:
        super().__init__(oracle(), c0=0.05)

    def decide(self, x: Row, coin: float) -> Decision:
        decision = super().decide(x, coin)
        return decision._replace(probability=max(decision.probability, 0.1))


class CoinMayEqual(Good):
    def decide(self, x: Row, coin: float) -> Decision:
        decision = super().decide(x, coin)
        return decision._replace(queried=bool(coin <= decision.probability))


class CoinUpsideDown(Good):
    def decide(self, x: Row, coin: float) -> Decision:
        decision = super().decide(x, coin)
        return decision._replace(queried=bool(1 - coin < decision.probability))


class TakesAnyCoin(Good):
    def decide(self, x: Row, coin: float) -> Decision:
        return super().decide(x, min(max(coin, 0.0), 0.999))


class ClockCountsLabels(Good):
    def learn(self, x: Row, decision: Decision, label: Label | None) -> None:
        super().learn(x, decision, label)
        self.k -= label is None


class TakesAnyLabel(Good):
    def learn(self, x: Row, decision: Decision, label: Label | None) -> None:
        super().learn(x, decision, label if decision.queried else None)


class LearnsThenRefuses(Good):
    def learn(self, x: Row, decision: Decision, label: Label | None) -> None:
        self.error_sum += 1e-3
        super().learn(x, decision, label)


class TakesBadRows(Good):
    def decide(self, x: Row, coin: float) -> Decision:
        fit = x.indices.shape == x.values.shape and np.all(np.isfinite(x.values))
        return super().decide(x if fit else Row(x.indices[:0], x.values[:0]), coin)


class ForgetsItsError(Good):
    def get_state(self) -> State:
        return super().get_state() | {"error_sum": 0.0}


class PicklesBadly(Good):
    def __reduce__(self) -> Any:
        return (type(self), ())


class RemembersWhatItDecided(Good):
    """Learns from its last decision, not from the one that it is handed."""

    last: Decision | None = None

    def decide(self, x: Row, coin: float) -> Decision:
        self.last = super().decide(x, coin)
        return self.last

    def target(self, decision: Decision, label: Label | None) -> tuple[Label, float]:
        target, weight = super().target(decision, label)
        return target, weight if self.last is not None else 2.0 * weight


class WantsTheSameObject(Good):
    """Recognises the row that it decided on by where it lies in memory."""

    last: Row | None = None

    def decide(self, x: Row, coin: float) -> Decision:
        self.last = x
        return super().decide(x, coin)

    def learn(self, x: Row, decision: Decision, label: Label | None) -> None:
        super().learn(x, decision, label)
        self.error_sum += 1e-3 * (x is self.last)


class NeedsTheLatestDecision(Good):
    def learn(self, x: Row, decision: Decision, label: Label | None) -> None:
        super().learn(x, decision, label)
        self.k = decision.k + 1


class PredictsNumpy(Good):
    def predict(self, x: Row) -> Label:
        return np.int64(super().predict(x))  # type: ignore[return-value]


FAULTS: dict[type[StreamingLearner], str] = {
    DecidingCounts: "decide changes nothing",
    Moody: "equal inputs give equal decisions",
    NumpyQueried: "a decision holds exact types",
    ProbabilityAboveOne: "probabilities lie in [0, 1], and are 0 outside the region",
    AsksOutside: "probabilities lie in [0, 1], and are 0 outside the region",
    CoinMayEqual: "queried means that the coin fell below the probability",
    CoinUpsideDown: "a lower coin never un-queries",
    TakesAnyCoin: "coins outside [0, 1) are refused",
    ClockCountsLabels: "the clock counts every learn",
    TakesAnyLabel: "unfit labels are refused without change",
    LearnsThenRefuses: "unfit labels are refused without change",
    TakesBadRows: "bad rows are refused without change",
    ForgetsItsError: "state round-trips",
    PicklesBadly: "pickling round-trips",
    RemembersWhatItDecided: "replay equals live",
    WantsTheSameObject: "delay 0 equals no delay",
    NeedsTheLatestDecision: "labels may come late and out of order",
    PredictsNumpy: "predictions are exactly labels",
}


def test_a_good_learner_passes() -> None:
    check_learner(Good)
    check_learner(Good, seed=7)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_each_fault_is_caught_by_its_check(fault: Callable[[], Any]) -> None:
    check = dict(learner_checks())[FAULTS[fault]]  # type: ignore[index]
    with pytest.raises(AssertionError) as caught:
        check(fault, make_stream(seed=0))
    assert "\n" not in str(caught.value)


def test_every_check_has_a_fault() -> None:
    assert {name for name, _ in learner_checks()} == set(FAULTS.values())
