"""Every learner keeps the contract, in both precisions."""

from collections.abc import Callable
from typing import Any

import pytest

import askance
from askance.checks import learner_checks
from askance.checks.made_examples import Example, make_stream
from askance.protocols import Learner

LEARNERS: dict[str, dict[str, Any]] = {
    **{name: {"algorithm": name} for name in askance.ALGORITHMS},
    "online_active_cover": {"algorithm": "online_active_cover", "cover_size": 3, "c0": 0.1},
    "oracular_cover": {"algorithm": "online_active_cover", "oracular": True, "c0": 0.1},
    "cover_by_margin": {
        "algorithm": "online_active_cover",
        "cover_size": 2,
        "c0": 0.1,
        "disagreement": "margin",
    },
    "iwal0": {"algorithm": "iwal0", "c0": 0.02},
    "iwal1": {"algorithm": "iwal1", "c0": 0.05, "c1": 5 + 2 * 2**0.5, "c2": 5.0},
    "iwal1_by_margin": {"algorithm": "iwal1", "c0": 0.001, "disagreement": "margin"},
    "oracular_iwal0": {"algorithm": "oracular_iwal0", "c0": 0.05},
    "oracular_iwal1": {"algorithm": "oracular_iwal1", "c0": 0.3},
}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize(("check", "function"), learner_checks(), ids=dict(learner_checks()))
def test_contract(
    check: str,
    function: Callable[[Callable[[], Learner], list[Example]], None],
    name: str,
    dtype: str,
) -> None:
    def factory() -> Learner:
        return askance.make_learner(n_features=4, learning_rate=0.4, dtype=dtype, **LEARNERS[name])

    function(factory, make_stream(seed=3, n_features=4, length=40))


@pytest.mark.parametrize("name", LEARNERS)
def test_the_stream_of_the_contract_shows_both_sides(name: str) -> None:
    """Without examples that are not asked, half of the contract would hold for nothing."""
    learner = askance.make_learner(n_features=4, learning_rate=0.4, **LEARNERS[name])
    decisions = []
    for row, label, coin in make_stream(seed=3, n_features=4, length=40):
        decision = learner.decide(row, coin)
        learner.learn(row, decision, label if decision.queried else None)
        decisions.append(decision)
    asked = sum(decision.queried for decision in decisions)
    inside = sum(decision.in_disagreement for decision in decisions)
    if name == "passive":
        assert asked == inside == 40
    elif "oracular" in name or "cover" in name:
        assert 3 <= asked <= inside < 40
    else:
        assert 1 <= asked < inside == 40
