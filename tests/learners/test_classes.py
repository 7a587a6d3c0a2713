"""Several classes: two of them are the binary learner, and their order does not matter."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import askance
from askance.checks.comparing import same
from askance.checks.made_examples import Example, make_stream
from askance.errors import InvalidParameter
from askance.learners.iwal import IWAL0, IWAL1
from askance.learners.margin import MarginSampling
from askance.learners.passive import Passive
from askance.learners.streaming import StreamingLearner
from askance.oracles.classes import LinearClasses
from askance.types import Decision

TWO: dict[str, tuple[type[Any], dict[str, Any]]] = {
    "passive": (Passive, {}),
    "margin": (MarginSampling, {"b": 0.3}),
    "iwal0": (IWAL0, {"c0": 0.02}),
    "iwal1": (IWAL1, {"c0": 0.01, "c1": 5.0, "c2": 5.0}),
    "by_margin": (IWAL1, {"c0": 0.002, "disagreement": "margin"}),
    "exact": (IWAL1, {"c0": 0.02, "disagreement": "exact"}),
}
FOUR: dict[str, dict[str, Any]] = {
    "passive": {},
    "margin": {},
    "iwal0": {"c0": 0.001},
    "iwal1": {"c0": 0.005},
    "coal": {"c0": 0.001},
}
STREAM = make_stream(seed=7, n_features=4, length=300, n_classes=4)


def walked(learner: StreamingLearner, stream: list[Example]) -> list[Decision]:
    decisions = []
    for row, label, coin in stream:
        decisions.append(learner.decide(row, coin))
        learner.learn(row, decisions[-1], label if decisions[-1].queried else None)
    return decisions


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", TWO)
def test_two_lanes_are_the_binary_learner_bit_by_bit(name: str, dtype: str) -> None:
    kind, parameters = TWO[name]
    oracle = {"n_features": 4, "dtype": dtype, "learning_rate": 0.4}
    one = kind(askance.make_learner("passive", **oracle).erm, **parameters)
    two = kind(LinearClasses(2, **oracle), **parameters)
    stream = make_stream(seed=3, n_features=4, length=300)
    codes = [step._replace(label=(step.label + 1) // 2) for step in stream]
    found = walked(two, codes)
    assert [d._replace(predicted=2 * d.predicted - 1) for d in found] == walked(one, stream)
    assert two.get_state()["error_sum"] == one.get_state()["error_sum"]
    first, second, _ = two.get_state()["erm"]["lanes"]
    assert same(second, one.get_state()["erm"])
    assert (first["weights"] == -second["weights"]).all()
    assert name == "passive" or len(stream) > sum(d.queried for d in found) > 0


@pytest.mark.parametrize("name", FOUR)
def test_permuted_classes_give_permuted_answers(name: str) -> None:
    order = np.array([2, 0, 3, 1])
    one, two = (askance.make_learner(name, n_features=4, n_classes=4, **FOUR[name]) for _ in "ab")
    permuted = [step._replace(label=int(order[step.label])) for step in STREAM]
    # Classes that were not seen yet are tied, and ties go to the first: so all are seen before.
    for learner, stream in ((one, STREAM), (two, permuted)):
        for row, label, _ in stream[:20]:
            learner.learn(row, Decision(label, True, 1.0, True, 0, 1.0, 0.0), label)
    for mine, other in zip(walked(one, STREAM[20:]), walked(two, permuted[20:]), strict=True):
        assert other == mine._replace(predicted=int(order[mine.predicted]))
    scores = one.margins(STREAM[0].row)
    assert two.margins(STREAM[0].row)[order].tolist() == scores.tolist()


@pytest.mark.parametrize("name", FOUR)
def test_costs_of_0_and_1_are_plain_classification(name: str) -> None:
    """Of squared lanes, which ``coal`` always has."""
    plain = 1.0 - np.eye(4)
    first = askance.make_learner(name, n_features=4, cost_matrix=plain, **FOUR[name])
    oracle = LinearClasses(4, n_features=4, loss="squared", learning_rate=first.erm.learning_rate)
    second = type(first)(oracle, **FOUR[name])  # type: ignore[arg-type]
    if name == "margin":
        second.b = first.b  # type: ignore[attr-defined]
    assert walked(first, STREAM) == walked(second, STREAM)
    assert same(first.get_state(), second.get_state())
    assert first.error_sum == second.error_sum


@pytest.mark.parametrize("name", FOUR)
@pytest.mark.parametrize(
    ("factor", "shift"), [(2.0**-7, 0.0), (32.0, 0.0), (1.0, 5.0), (4.0, -64.0)]
)
def test_the_unit_of_costs_changes_no_question(name: str, factor: float, shift: float) -> None:
    costs = np.array([[0, 4, 1, 2], [1, 0, 3, 1], [2, 1, 0, 1], [4, 2, 1, 0]], float)
    one, two = (
        askance.make_learner(name, n_features=4, cost_matrix=matrix, **FOUR[name])
        for matrix in (costs, costs * factor + shift)
    )
    assert walked(one, STREAM) == walked(two, STREAM)
    assert same(one.get_state(), two.get_state())


@pytest.mark.parametrize("name", FOUR)
def test_it_learns(name: str) -> None:
    learner = askance.make_learner(name, n_features=4, n_classes=4, **FOUR[name])
    decisions = walked(learner, STREAM)
    late = list(zip(decisions, STREAM, strict=True))[150:]
    wrong = sum(decision.predicted != step.label for decision, step in late)
    assert wrong / len(late) < 0.4
    asked = sum(decision.queried for decision in decisions)
    assert asked == 300 if name == "passive" else asked < 270


def test_a_class_that_comes_late_is_as_if_known_beforehand() -> None:
    early, late = (askance.make_learner("passive", n_features=4, n_classes=n) for n in (4, 3))
    first = [step for step in STREAM if step.label < 3]
    walked(early, first)
    walked(late, first)
    late.add_class()
    assert late.n_classes == 4
    assert same(early.get_state()["erm"], late.get_state()["erm"])
    assert walked(early, STREAM) == walked(late, STREAM)
    assert same(early.get_state()["erm"], late.get_state()["erm"])


def test_mistakes_count_what_they_cost() -> None:
    costs = [[0, 8, 2], [1, 0, 1], [4, 1, 0]]
    learner = askance.make_learner("passive", n_features=1, cost_matrix=costs)
    x = askance.as_row([1.0])
    decision = learner.decide(x, 0.5)
    assert decision.predicted == 0
    learner.learn(x, decision, 2)
    assert learner.mean_error == 0.5


@pytest.mark.parametrize("name", ["online_active_cover", "oracular_iwal0", "oracular_iwal1"])
def test_others_say_what_to_use_instead(name: str, refused: Any) -> None:
    with refused(
        InvalidParameter,
        f"{name} is for two classes without costs, got 3 classes; auto, coal, passive, margin",
    ):
        askance.make_learner(name, n_features=1, n_classes=3)
    with refused(InvalidParameter, "got 2 classes and a cost matrix; auto, coal"):
        askance.make_learner(name, n_features=1, cost_matrix=[[0, 1], [2, 0]])
    assert askance.make_learner(name, n_features=1, n_classes=2).n_classes is None


def test_a_binary_learner_has_no_lanes(refused: Any) -> None:
    learner = askance.make_learner("iwal1", n_features=1, n_classes=2)
    assert learner.n_classes is None
    with refused(InvalidParameter, "a learner of labels -1 and +1 has one score for both"):
        learner.add_class()


@pytest.mark.parametrize("name", FOUR)
def test_a_file_brings_everything_back(name: str, tmp_path: Path) -> None:
    """Questions that are still open, and a class that came late, too."""
    live = askance.ActiveLearner(name, n_features=4, n_classes=3, random_state=5, **FOUR[name])
    open_questions: list[tuple[askance.Question, int]] = []
    for row, label, _ in STREAM[:120]:
        question = live.ask(row)
        if question.wanted:
            open_questions.append((question, label % 3))
        if len(open_questions) > 4:
            live.tell(*open_questions.pop(0))
    live.learner.add_class()  # type: ignore[attr-defined]
    live.save(tmp_path / "learner.askance")
    again = askance.ActiveLearner.load(tmp_path / "learner.askance")
    assert same(live.learner.get_state(), again.learner.get_state())
    for one in (live, again):
        for question, label in reversed(open_questions):
            one.tell(question, label)
    for row, label, _ in STREAM[120:]:
        first, second = live.ask(row), again.ask(row)
        assert first == second
        if first.wanted:
            live.tell(first, label)
            again.tell(second, label)
    assert same(live.learner.get_state(), again.learner.get_state())
