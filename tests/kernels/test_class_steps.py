"""Steps of several classes refuse, without a trace, what they cannot take."""

from typing import Any

import numpy as np
import pytest

import askance
from askance.checks.comparing import same
from askance.engine.class_group import ClassGroup
from askance.kernels import class_steps

GOOD = np.array([0, 1]), np.array([1.0, -1.0])
BAD = {
    "beyond the features": (np.array([0, 9]), np.array([1.0, 1.0])),
    "not finite": (np.array([0, 1]), np.array([1.0, np.nan])),
    "unsorted": (np.array([1, 0]), np.array([1.0, 1.0])),
    "unequal": (np.array([0, 1]), np.array([1.0])),
    "too long": (np.arange(3), np.ones(3)),
}
DECIDED = 0, True, 1.0, True, 0, 1.0, 1.0


@pytest.fixture
def group() -> ClassGroup:
    made = ClassGroup(askance.make_learner("coal", n_features=4, n_classes=3))
    made.fit_rows(2)
    return made


@pytest.mark.parametrize("fault", BAD)
def test_bad_rows_are_refused(fault: str, group: ClassGroup) -> None:
    before = group.learner.get_state()
    given: Any = group.table, group.row.values, *BAD[fault]
    assert class_steps.predict(*given) == class_steps.REFUSED
    assert class_steps.offer(*given, 0, 0.0, 0.5)[0] == class_steps.REFUSED
    assert class_steps.learn(*given, 0, 0.0, *DECIDED, 1) == -1.0
    assert same(before, group.learner.get_state())


@pytest.mark.parametrize(("predicted", "label"), [(0, 3), (0, -1), (3, 0), (-1, 0)])
def test_what_is_no_class_is_refused(predicted: int, label: int, group: ClassGroup) -> None:
    before = group.learner.get_state()
    given: Any = group.table, group.row.values, *GOOD, 0, 0.0, predicted, *DECIDED[1:], label
    assert class_steps.learn(*given) == -1.0
    assert same(before, group.learner.get_state())


@pytest.mark.parametrize("coin", [-0.1, 1.0, float("nan")])
def test_bad_coins_are_refused(coin: float, group: ClassGroup) -> None:
    found = class_steps.offer(group.table, group.row.values, *GOOD, 0, 0.0, coin)
    assert found[0] == class_steps.REFUSED


def test_good_ones_are_taken(group: ClassGroup) -> None:
    given = group.table, group.row.values, *GOOD
    assert class_steps.offer(*given, 0, 0.0, 0.5) == (0, True, 1.0, True, 0, 0.5, 0.0)
    assert class_steps.learn(*given, 0, 0.0, *DECIDED, 2) == 1.0
    assert class_steps.predict(*given) == 2
