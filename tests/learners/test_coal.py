"""COAL: its decision by hand, its clock, its single costs."""

import math
from typing import Any

import numpy as np
import pytest

import askance
from askance.checks.comparing import same
from askance.checks.made_examples import make_stream
from askance.errors import InvalidLabel, InvalidParameter
from askance.kernels.costs import cost_reach
from askance.learners.coal import Coal
from askance.oracles.classes import LinearClasses
from askance.oracles.linear import LinearOracle, LinearState

X = askance.as_row([1.0, 0.5])


class Scripted(LinearClasses):
    """Lanes whose costs and sensitivity are told."""

    def __init__(self, costs: list[float], sensitivity: float) -> None:
        super().__init__(len(costs), n_features=2, loss="squared")
        self.told, self.sensitivity = np.array(costs), sensitivity

    def margins(self, x: Any) -> Any:
        return self.told

    def sensitivities(self, x: Any, target: float = 0.0, weight: float = 1.0) -> Any:
        return np.full(len(self.told), self.sensitivity)


def coal(costs: list[float], sensitivity: float, k: int, **options: float) -> Coal:
    learner = Coal(Scripted(costs, sensitivity), **options)  # type: ignore[arg-type]
    learner.k = k
    return learner


def test_the_first_example_leaves_everything_open() -> None:
    found = coal([0.0, 0.9, 0.9], 0.0, k=0).ranges(X)
    assert (found.low.tolist(), found.high.tolist()) == ([0.0] * 3, [1.0] * 3)
    assert (found.open, found.wanted.tolist()) == (3, [True] * 3)


def test_ranges_by_hand() -> None:
    """The 11th example of three classes: Delta = c0 ln 30, eta = c1 / sqrt(11)."""
    learner = coal([0.2, 0.5, 1.4], 0.01, k=10, c0=0.3, c1=0.4)
    found = learner.ranges(X)
    allowed = 0.01 * 0.3 * math.log(3 * 10)
    for y, cost in enumerate([0.2, 0.5, 1.0]):
        assert found.high[y] == pytest.approx(cost + cost_reach(1 - cost, allowed), rel=1e-14)
        assert found.low[y] == pytest.approx(cost - cost_reach(cost, allowed), rel=1e-14)
    decision = learner.decide(X, 0.5)
    assert decision.threshold == 0.4 / math.sqrt(11)
    assert decision.probability == float(found.wanted.any())


@pytest.mark.parametrize(
    ("costs", "sensitivity", "open", "asked"),
    [
        ([0.1, 0.15, 0.9], 1e-2, 2, True),  # two may be the best
        ([0.1, 0.9, 0.9], 1e-4, 1, False),  # one is far ahead
        ([0.1, 0.10001, 0.9], 1e-9, 2, False),  # two may, but both are known well
    ],
)
def test_it_asks_where_the_best_is_open_and_a_range_is_large(
    costs: list[float], sensitivity: float, open: int, asked: bool
) -> None:
    learner = coal(costs, sensitivity, k=100)
    decision = learner.decide(X, 0.999)
    assert learner.ranges(X).open == open
    assert (decision.queried, decision.in_disagreement) == (asked, asked)
    assert decision.probability == (1.0 if asked else 0.0)
    assert coal(costs, sensitivity, k=100).decide(X, 0.0).queried == asked


def test_ties_go_to_the_first_class_and_argmin_sees_unclipped_costs() -> None:
    assert coal([0.3, 0.2, 0.2], 0.1, k=5).decide(X, 0.5).predicted == 1
    assert coal([-0.1, -0.2, 0.4], 0.1, k=5).decide(X, 0.5).predicted == 1


def test_a_label_teaches_all_lanes_its_row_of_costs() -> None:
    costs = np.array([[0.0, 2.0, 4.0], [1.0, 0.0, 4.0], [3.0, 1.0, 0.0]])
    learner = askance.make_learner("coal", n_features=2, cost_matrix=costs, dtype="float64")
    for _ in range(400):
        learner.learn(X, learner.decide(X, 0.5)._replace(queried=True), 1)
    assert learner.lanes.margins(X) == pytest.approx(costs[1] / 4.0, abs=1e-6)
    assert learner.margins(X) == pytest.approx(-costs[1] / 4.0, abs=1e-6)
    assert learner.predict(X) == 1


def test_the_clock_counts_what_was_not_asked() -> None:
    learner = askance.make_learner("coal", n_features=2, n_classes=3)
    learner.learn(X, learner.decide(X, 0.5)._replace(queried=False), None)
    assert learner.k == 1
    assert not learner.lanes.margins(X).any()


def test_single_costs_teach_their_lanes_only(refused: Any) -> None:
    learner = askance.make_learner("coal", n_features=2, n_classes=3, per_cost=True)
    assert isinstance(learner, Coal)
    decision = learner.decide(X, 0.5)
    assert learner.wanted_costs(X) == [0, 1, 2]
    learner.learn_costs(X, decision, {1: 0.5})
    assert (learner.lanes.margins(X) != 0).tolist() == [False, True, False]
    assert (learner.k, learner.error_sum) == (1, 0.0)
    learner.learn_costs(X, decision._replace(predicted=2), {2: 0.25})
    assert learner.error_sum == 0.25
    before = learner.get_state()
    with refused(InvalidLabel, "a cost must lie from 0 to 1, got 1.5"):
        learner.learn_costs(X, decision, {0: 1.5})
    with refused(InvalidLabel, "a label must be a code from 0 to 2, got 7"):
        learner.learn_costs(X, decision, {7: 0.5})
    with refused(InvalidParameter, "single costs are learned with per_cost=True", "queried=False"):
        learner.learn_costs(X, decision._replace(queried=False), {0: 0.5})
    assert same(before, learner.get_state())
    learner.per_cost = False
    with refused(InvalidParameter, "per_cost=False"):
        learner.learn_costs(X, decision, {0: 0.5})


def test_single_costs_ask_for_less_than_whole_rows() -> None:
    """And are wanted of classes that may be the best only."""
    learner = askance.make_learner("coal", n_features=4, n_classes=5, per_cost=True, c0=0.01)
    assert isinstance(learner, Coal)
    asked = examples = 0
    for row, label, coin in make_stream(seed=2, n_features=4, length=300, n_classes=5):
        decision, wanted = learner.decide(row, coin), learner.wanted_costs(row)
        assert decision.queried == bool(wanted)
        asked, examples = asked + len(wanted), examples + decision.queried
        if decision.queried:
            learner.learn_costs(row, decision, {y: float(y != label) for y in wanted})
        else:
            learner.learn(row, decision, None)
    assert 0 < asked < 5 * examples


def test_only_lanes_of_costs_will_do(refused: Any) -> None:
    for erm in (LinearClasses(3, n_features=1), LinearOracle(LinearState(n_features=1))):
        with refused(InvalidParameter, "coal needs an oracle of squared loss"):
            Coal(erm)  # type: ignore[arg-type]


def test_what_it_does_not_ask_about_is_no_guess_and_can_be_audited() -> None:
    stream = make_stream(seed=2, n_features=4, length=400, n_classes=3)
    plain, audited = (
        askance.ActiveLearner(
            "coal", n_features=4, n_classes=3, c0=1e-6, random_state=0, audit=audit
        )
        for audit in (0.0, 0.2)
    )
    for live in (plain, audited):
        for row, label, _ in stream:
            question = live.ask(row)
            if question.wanted:
                live.tell(question, label)
    stats = plain.stats()
    assert stats.query_rate < 0.5
    assert stats.predicted_share == 0.0
    assert stats.warning is None
    assert stats.error is None
    assert audited.stats().error is not None
    # An audited label only judges: the learner is the one without audit.
    assert same(plain.learner.get_state(), audited.learner.get_state())
    weights = set(audited.weighted_sample().weight.tolist())
    assert weights == {1.0, 5.0}
