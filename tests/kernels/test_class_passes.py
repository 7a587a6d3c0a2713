"""A pass over the lanes of classes has the bits of the readable learner."""

from typing import Any

import numpy as np
import pytest

import askance
from askance.checks.comparing import same
from askance.checks.made_examples import make_stream
from askance.engine import stream_of_rows
from askance.engine.class_group import ClassGroup
from askance.kernels.class_passes import count_wrong
from askance.learners.streaming import StreamingLearner

COSTS = [[0, 1, 2, 1], [3, 0, 1, 1], [1, 1, 0, 2], [1, 2, 3, 0]]
LEARNERS: dict[str, dict[str, Any]] = {
    "coal": {"algorithm": "coal", "c0": 0.001},
    "coal with costs": {"algorithm": "coal", "c0": 0.005, "cost_matrix": COSTS},
    "passive": {"algorithm": "passive"},
    "passive with costs": {"algorithm": "passive", "cost_matrix": COSTS},
    "margin": {"algorithm": "margin"},
    "margin with costs": {"algorithm": "margin", "cost_matrix": COSTS},
    "iwal0": {"algorithm": "iwal0", "c0": 0.001},
    "iwal1": {"algorithm": "iwal1", "c0": 0.005, "c1": 2.0, "c2": 3.0},
    "iwal1 by margin": {"algorithm": "iwal1", "c0": 0.005, "disagreement": "margin"},
    "iwal1 with costs": {"algorithm": "iwal1", "c0": 0.001, "cost_matrix": COSTS},
}
NEVER = np.array([10**9])


def made(name: str, n_classes: int, dtype: str = "float32") -> StreamingLearner:
    parameters = dict(LEARNERS[name])
    if "cost_matrix" in parameters:
        n_classes = 4
    return askance.make_learner(n_features=7, n_classes=n_classes, dtype=dtype, **parameters)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("n_classes", [3, 4, 18], ids=["padded", "odd", "wide"])
@pytest.mark.parametrize("name", LEARNERS)
def test_a_pass_is_the_readable_loop(name: str, n_classes: int, dtype: str) -> None:
    readable, compiled = (made(name, n_classes, dtype) for _ in range(2))
    count = readable.n_classes or 0
    stream = make_stream(seed=9, n_features=7, length=250, n_classes=count)
    queried = 0
    for row, label, coin in stream:
        decision = readable.decide(row, coin)
        readable.learn(row, decision, label if decision.queried else None)
        queried += decision.queried
    group = ClassGroup(compiled)
    rows = stream_of_rows(((s.row, s.label) for s in stream), (s.coin for s in stream), count)
    assert group.advance(rows, 0, NEVER) == 250
    group.store()
    assert group.progress.queries[0] == queried
    assert same(readable.get_state(), compiled.get_state())
    wrong = sum(readable.predict(step.row) != step.label for step in stream)
    assert count_wrong(group.table, group.row.values, rows) == wrong
    assert "passive" in name or 0 < queried < 250


def test_a_pass_stops_at_a_budget() -> None:
    learner = made("passive", 3)
    stream = make_stream(seed=9, n_features=7, length=30, n_classes=3)
    group = ClassGroup(learner)
    rows = stream_of_rows(((s.row, s.label) for s in stream), (s.coin for s in stream), 3)
    assert group.advance(rows, 0, np.array([5, 12])) == 5
    assert group.advance(rows, 5, np.array([5, 12])) == 12
    assert group.advance(rows, 12, np.array([5, 12])) == 30
