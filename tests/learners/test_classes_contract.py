"""Every learner of several classes keeps the contract, in both precisions."""

from collections.abc import Callable
from typing import Any

import pytest

import askance
from askance.checks import learner_checks
from askance.checks.made_examples import Example, make_stream
from askance.protocols import Learner

COSTS = [[0, 1, 2], [3, 0, 1], [1, 1, 0]]
LEARNERS: dict[str, dict[str, Any]] = {
    "coal": {"algorithm": "coal", "c0": 0.01},
    "coal_with_costs": {"algorithm": "coal", "c0": 0.01, "cost_matrix": COSTS},
    "passive": {"algorithm": "passive"},
    "margin": {"algorithm": "margin"},
    "iwal0": {"algorithm": "iwal0", "c0": 0.002},
    "iwal1": {"algorithm": "iwal1", "c0": 0.005},
    "iwal1_with_costs": {"algorithm": "iwal1", "c0": 0.002, "cost_matrix": COSTS},
    "iwal1_exactly": {"algorithm": "iwal1", "c0": 0.002, "disagreement": "exact"},
}
CHECKS = learner_checks()


def made(name: str, dtype: str) -> Learner:
    return askance.make_learner(n_features=4, n_classes=3, dtype=dtype, **LEARNERS[name])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize(("check", "function"), CHECKS, ids=dict(CHECKS))
def test_contract(
    check: str,
    function: Callable[[Callable[[], Learner], list[Example]], None],
    name: str,
    dtype: str,
) -> None:
    function(lambda: made(name, dtype), make_stream(seed=3, n_features=4, length=40, n_classes=3))


@pytest.mark.parametrize("name", LEARNERS)
def test_the_stream_of_the_contract_shows_both_sides(name: str) -> None:
    """Without examples that are not asked, half of the contract would hold for nothing."""
    learner, asked = made(name, "float32"), 0
    for row, label, coin in make_stream(seed=3, n_features=4, length=40, n_classes=3):
        decision = learner.decide(row, coin)
        learner.learn(row, decision, label if decision.queried else None)
        asked += decision.queried
    assert asked == 40 if name == "passive" else 1 <= asked < 40
