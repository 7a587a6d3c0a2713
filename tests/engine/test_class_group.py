"""Learners of several classes on the compiled road: who rides, and what is refused."""

from typing import Any

import numpy as np
import pytest

import askance
from askance.checks.comparing import same
from askance.checks.made_examples import make_stream
from askance.engine import is_compilable, stream_of
from askance.engine.class_group import ClassGroup, has_class_pass
from askance.engine.drivers import ClassSteps, Verbs, drive
from askance.errors import InvalidLabel, InvalidParameter, InvalidRow
from askance.learners.coal import Coal
from askance.oracles.classes import LinearClasses

STREAM = make_stream(seed=4, n_features=5, length=120, n_classes=3)
ROWS = [0, 1, 2], [0, 1], [1.0, 1.0]


class Own(Coal):
    """A subclass may decide in another way."""


def test_who_rides() -> None:
    coal = askance.make_learner("coal", n_features=2, n_classes=3)
    assert has_class_pass(coal)
    assert not is_compilable(coal)
    assert not has_class_pass(Own(LinearClasses(3, n_features=2, loss="squared")))
    plain: list[dict[str, Any]] = [
        {"algorithm": "iwal1"},
        {"algorithm": "iwal1", "n_classes": 3, "disagreement": "exact"},
        {"algorithm": "coal", "n_classes": 3, "rates": "constant"},
    ]
    for parameters in plain:
        assert not has_class_pass(askance.make_learner(n_features=2, **parameters))
    assert isinstance(drive(coal), ClassSteps)
    assert isinstance(drive(askance.make_learner(n_features=2, **plain[1])), Verbs)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", ["coal", "passive", "margin", "iwal0", "iwal1"])
def test_steps_are_the_verbs_also_where_labels_and_classes_come_late(name: str, dtype: str) -> None:
    one, two = (
        askance.make_learner(name, n_features=5, n_classes=3, dtype=dtype) for _ in range(2)
    )
    drivers = Verbs(one), ClassSteps(two)
    late: list[Any] = []
    for i, (row, label, coin) in enumerate(STREAM):
        decisions = [driver.offer(row, coin) for driver in drivers]
        assert decisions[0] == decisions[1]
        assert [type(field) for field in decisions[1]] == [type(field) for field in decisions[0]]
        assert drivers[0].predict(row) == drivers[1].predict(row)
        late += [(row, decisions[0], label)] * decisions[0].queried
        if i % 3 == 0:
            for row_, decision, answer in reversed(late):
                for driver in drivers:
                    driver.learn(row_, decision, answer)
            late = []
        if i in (40, 80):
            for learner in (one, two):
                learner.add_class()
        if i == 60:
            two.set_state(one.get_state())
        assert same(one.get_state(), two.get_state())
    assert one.n_classes == 5


def test_steps_check_both_classes(refused: Any) -> None:
    learner = askance.make_learner("coal", n_features=5, n_classes=3)
    driver = ClassSteps(learner)
    row = STREAM[0].row
    decision = driver.offer(row, 0.5)
    with refused(InvalidLabel, "a label must be a code from 0 to 2, got 3"):
        driver.learn(row, decision, 3)
    with refused(InvalidLabel, "a label must be a code from 0 to 2, got 7"):
        driver.learn(row, decision._replace(predicted=7), 1)
    assert learner.k == 0


def test_streams_that_do_not_fit_are_refused(refused: Any) -> None:
    group = ClassGroup(askance.make_learner("coal", n_features=2, n_classes=3))
    never = np.array([9])
    with refused(InvalidRow, "a stream must have at most 2 features, got 5"):
        group.advance(stream_of(*ROWS, [0, 1], [0.5] * 2, n_features=5, n_classes=3), 0, never)
    with refused(InvalidParameter, "labels must be codes from 0 to 2, got others"):
        group.advance(stream_of(*ROWS, [0, 3], [0.5] * 2, n_features=2, n_classes=4), 0, never)
    with refused(InvalidParameter, "labels must be codes from 0 to 2, got others"):
        group.test_error(stream_of(*ROWS, [1, -1], n_features=2))
    good = stream_of(*ROWS, [0, 1], [0.5] * 2, n_features=2, n_classes=3)
    with refused(InvalidParameter, "must have 2 coins, one per row, got 0"):
        group.advance(good._replace(coins=good.coins[:0]), 0, never)
    with refused(InvalidParameter, "must start at a row from 0 to 2, got 3"):
        group.advance(good, 3, never)
    with refused(InvalidParameter, "a pass of several classes takes a learner over their lanes"):
        ClassGroup(askance.make_learner("iwal1", n_features=2))
    with refused(InvalidLabel, "a label must be a code from 0 to 2, got 3 in row 1"):
        stream_of(*ROWS, [0, 3], n_features=2, n_classes=3)
    with refused(InvalidLabel, "labels must be codes in one dimension"):
        stream_of(*ROWS, ["a", "b"], n_features=2, n_classes=3)


def test_a_group_goes_on_where_its_learner_stands() -> None:
    """And its learner where the group stood."""
    one, two = (askance.make_learner("iwal1", n_features=5, n_classes=3, c0=0.01) for _ in "ab")
    for row, label, coin in STREAM:
        for learner in (one, two):
            decision = learner.decide(row, coin)
            if learner is two and learner.k % 2:
                steps = ClassSteps(learner)
                assert steps.offer(row, coin) == decision
                if decision.queried:
                    steps.learn(row, decision, label)
            else:
                learner.learn(row, decision, label if decision.queried else None)
    assert same(one.get_state(), two.get_state())
