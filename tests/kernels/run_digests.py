"""Print a digest of a run of every learner in both precisions; run as a script.

The digest covers every bit of every decision and of the final state.
"""

import hashlib
import sys
from typing import Any

import numpy as np

import askance
from askance.checks.made_examples import make_stream
from askance.engine import stream_of_rows
from askance.engine.class_group import ClassGroup

RUNS: list[tuple[str, dict[str, Any]]] = [
    *((name, {}) for name in askance.ALGORITHMS),
    ("online_active_cover", {"cover_size": 3, "c0": 0.01, "alpha": 3.0}),
    ("online_active_cover", {"oracular": True, "c0": 0.01}),
    ("iwal0", {"disagreement": "margin", "c0": 0.001}),
    ("iwal1", {"rates": "constant", "c0": 0.001}),
    ("passive", {"rates": "decaying"}),
]
CLASSES: list[tuple[str, dict[str, Any]]] = [
    ("coal", {"c0": 0.01}),
    ("passive", {}),
    ("margin", {}),
    ("iwal0", {"c0": 0.001}),
    ("iwal1", {"c0": 0.001, "cost_matrix": [[0, 1, 2], [3, 0, 1], [1, 1, 0]]}),
]


def leaves(value: Any) -> bytes:
    """All bits of a tree of plain values and arrays."""
    if isinstance(value, dict):
        return b"".join(leaves(value[key]) for key in sorted(value))
    if isinstance(value, list):
        return b"".join(map(leaves, value))
    return value.tobytes() if isinstance(value, np.ndarray) else repr(value).encode()


def digest(name: str, **parameters: Any) -> str:
    learner = askance.make_learner(name, n_features=6, **parameters)
    seen = hashlib.sha256()
    stream = make_stream(seed=11, n_features=6, length=120, n_classes=parameters.get("n_classes"))
    for row, label, coin in stream:
        decision = learner.decide(row, coin)
        learner.learn(row, decision, label if decision.queried else None)
        seen.update(repr(decision).encode())
    seen.update(leaves(learner.get_state()))
    return seen.hexdigest()


def digest_of_pass(name: str, **parameters: Any) -> str:
    """Of a learner of three classes, by a compiled pass."""
    learner = askance.make_learner(name, n_features=6, n_classes=3, **parameters)
    stream = make_stream(seed=11, n_features=6, length=120, n_classes=3)
    group, (rows, labels, coins) = ClassGroup(learner), zip(*stream, strict=True)
    examples = stream_of_rows(zip(rows, labels, strict=True), coins, n_classes=3)
    group.advance(examples, 0, np.array([120]))
    group.store()
    return hashlib.sha256(leaves(learner.get_state())).hexdigest()


if __name__ == "__main__":
    for name, parameters in CLASSES:
        for dtype in ("float32", "float64"):
            found = digest(name, n_classes=3, dtype=dtype, **parameters)
            sys.stdout.write(f"{name} of 3 {parameters} {dtype} {found}\n")
            found = digest_of_pass(name, dtype=dtype, **parameters)
            sys.stdout.write(f"{name} of 3 by a pass {parameters} {dtype} {found}\n")
    for name, parameters in RUNS:
        for dtype in ("float32", "float64"):
            found = digest(name, dtype=dtype, **parameters)
            sys.stdout.write(f"{name} {parameters} {dtype} {found}\n")
    # It has trees of its own in place of an online oracle of some precision.
    found = digest("auto", budget=15, horizon=120, lag=4)
    sys.stdout.write(f"auto {found}\n")
