"""COAL three times: the library, the twin, and Vowpal Wabbit where it can be compared.

It can in simulation, with costs of single classes, on examples of weight 1, from the same past: the
twin is forced to learn what Vowpal Wabbit learned. It cannot outside of simulation, where it never
learns; nor where a label is asked as a whole, which it has no way to do with a range test; nor
after a file, which forgets its clock.
"""

import math
import random
import sys
from functools import cache
from typing import Any

import numpy as np
import pytest
from coal_twin import Coal as Twin
from coal_twin import Departures, Range, vowpal_wabbit
from scipy.optimize import minimize
from twin import Row
from vw_driver import Cost, cs_active_steps, float32

import askance
from askance.learners.coal import Coal

K = 4
SIZE = 700
CLOSE = 1e-5  # of costs and relative sensitivities; measured: 2e-6
RANGE = 5e-3  # of ranges; measured: 1e-3, where the search stops a step earlier in float32

RUNS: dict[str, tuple[str, dict[str, Any]]] = {
    "adax": ("--adax --mellowness 0.01", {}),
    "mellow": ("--adax --mellowness 1 --range_c 0.2", {}),
    "raw costs": (
        "--adax --mellowness 0.01 --cost_min -1 --cost_max 7",
        {"low": -1.0, "high": 7.0},
    ),
    "dummy label": ("--mellowness 0.01", {"dummy_label": True}),
}


@cache
def stream() -> list[tuple[Row, list[float]]]:
    """Few features, some of which keep outgrowing their past; costs between 0 and 1."""
    rng = random.Random(2017)
    truth = [[rng.gauss(0, 1) for _ in range(8)] for _ in range(K)]
    made = []
    for _ in range(SIZE):
        row = {j: float32(rng.gauss(0, 1)) for j in rng.sample(range(8), 5)}
        if rng.random() < 0.1:
            row[8 + rng.randrange(4)] = float32(rng.expovariate(0.3))
        scores = [sum(w[j] * x for j, x in row.items() if j < 8) for w in truth]
        best = scores.index(max(scores))
        costs = [
            0.0 if y == best else float32(rng.choice((1.0, 0.25 + 0.5 * rng.random())))
            for y in range(K)
        ]
        made.append((row, costs))
    return made


def scaled(low: float, high: float) -> list[tuple[Row, list[float]]]:
    """The stream with costs between these bounds."""
    return [
        (row, [float32(low + (high - low) * cost) for cost in costs]) for row, costs in stream()
    ]


@cache
def vw_steps(name: str) -> list[list[Cost]]:
    options, departs = RUNS[name]
    rows = scaled(departs.get("low", 0.0), departs.get("high", 1.0))
    return cs_active_steps(rows, K, options)


def parameters(name: str) -> tuple[float, float]:
    return (1.0, 0.2) if name == "mellow" else (0.01, 0.5)


def forced(name: str, departs: Departures) -> list[list[Range]]:
    """What the twin finds, learning what Vowpal Wabbit learned."""
    twin = Twin(K, *parameters(name), 0.5, departs)
    found = []
    for (row, costs), steps in zip(scaled(departs.low, departs.high), vw_steps(name), strict=True):
        found.append(twin.decide(row))
        twin.learn(row, costs, [step.learned for step in steps])
    return found


def gaps(name: str, found: list[list[Range]], spread: float) -> tuple[float, float, float, int]:
    """Largest distances of costs, sensitivities and ranges; how many wishes differ."""
    pairs = [
        (mine, theirs)
        for ours, others in zip(found, vw_steps(name), strict=True)
        for mine, theirs in zip(ours, others, strict=True)
    ]
    costs = max(abs(m.cost - v.cost) / (spread * (1 + abs(v.cost / spread))) for m, v in pairs)
    differing = [(m, v) for m, v in pairs if m.sensitivity != v.sensitivity]
    sensitivities = max(abs(m.sensitivity / v.sensitivity - 1) for m, v in differing)
    ranges = max(max(abs(m.low - v.low), abs(m.high - v.high)) / spread for m, v in pairs)
    return costs, sensitivities, ranges, sum(m.wanted != v.learned for m, v in pairs)


@pytest.mark.vw
@pytest.mark.parametrize("name", RUNS)
def test_the_twin_finds_what_vowpal_wabbit_finds(name: str) -> None:
    departs = vowpal_wabbit(**RUNS[name][1])
    costs, sensitivities, ranges, wishes = gaps(
        name, forced(name, departs), departs.high - departs.low
    )
    assert costs < CLOSE
    assert sensitivities < CLOSE
    assert ranges < RANGE
    assert wishes == 0
    asked = sum(step.learned for steps in vw_steps(name) for step in steps)
    assert 0.1 < asked / (K * SIZE) < 1.0


@pytest.mark.vw
@pytest.mark.parametrize(
    ("name", "switch"),
    [
        ("adax", {"shared_normaliser": False}),
        ("adax", {"clipped_step": False}),
        ("adax", {"loss_guard": False}),
        ("adax", {"own_scales": False}),
        ("adax", {"late_rescale": False}),
        ("adax", {"searched": False}),
        ("dummy label", {"dummy_label": False}),
        ("raw costs", {"low": 0.0, "high": 1.0}),
    ],
    ids=str,
)
def test_each_departure_shows(name: str, switch: dict[str, Any]) -> None:
    """Without it the twin is far from Vowpal Wabbit."""
    departs = vowpal_wabbit(**(RUNS[name][1] | switch))
    found = gaps(name, forced(name, departs), 1.0)
    assert max(found[0] / CLOSE, found[1] / CLOSE, found[2] / RANGE) > 2.0


@pytest.mark.parametrize("per_cost", [False, True], ids=["labels", "single costs"])
def test_the_library_is_the_twin_without_departures(per_cost: bool) -> None:
    """Step by step: costs, ranges and questions."""
    matrix = 1.0 - np.eye(K)
    twin = Twin(K, 0.01, 0.5, 0.5, Departures(per_cost=per_cost))
    learner = askance.make_learner(
        "coal", n_features=12, n_classes=K, c0=0.01, dtype="float64", per_cost=per_cost
    )
    assert isinstance(learner, Coal)
    asked = 0
    for row, costs in stream():
        label = costs.index(0.0)
        x = askance.as_row(row)
        mine, theirs = learner.ranges(x), twin.decide(row)
        for y, other in enumerate(theirs):
            assert mine.costs[y] == pytest.approx(other.cost, abs=1e-9)
            assert mine.low[y] == pytest.approx(other.low, abs=1e-7)
            assert mine.high[y] == pytest.approx(other.high, abs=1e-7)
        wanted = [one.wanted for one in theirs]
        assert mine.wanted.tolist() == wanted
        decision = learner.decide(x, 0.5)
        assert (decision.queried, decision.predicted) == (any(wanted), twin.predict(row))
        asked += decision.queried
        twin.learn(row, matrix[label].tolist(), wanted)
        if per_cost and decision.queried:
            told = {y: float(matrix[label, y]) for y in range(K) if wanted[y]}
            learner.learn_costs(x, decision, told)
        else:
            learner.learn(x, decision, label if decision.queried else None)
    assert 0 < asked < SIZE


def test_batch_ranges_are_those_of_the_ellipsoid() -> None:
    """Least squares within Delta of the best lie between c - and c + sqrt(Delta x' A^-1 x)."""
    rng = np.random.default_rng(5)
    X, costs, delta = rng.normal(size=(60, 4)), rng.random(60), 0.3
    A = X.T @ X
    best = np.linalg.solve(A, X.T @ costs)

    def loss(theta: Any) -> float:
        return float(((X @ theta - costs) ** 2).sum())

    for x in rng.normal(size=(5, 4)):
        half = np.sqrt(delta * x @ np.linalg.solve(A, x))
        for side in (-1.0, 1.0):
            found = minimize(
                lambda theta, side=side, x=x: -side * (x @ theta),
                best,
                constraints={"type": "ineq", "fun": lambda t: loss(best) + delta - loss(t)},
                options={"ftol": 1e-12, "maxiter": 500},
            )
            assert side * (x @ found.x - x @ best) == pytest.approx(half, rel=1e-4)
            # By the weight of an example beyond: its own least squares reach no farther.
            for weight in (0.1, 10.0, 1000.0):
                A_w = A + weight * np.outer(x, x)
                moved = np.linalg.solve(A_w, X.T @ costs + weight * (x @ best + side * 1e3) * x)
                theta = best + (moved - best) * np.sqrt(delta / (loss(moved) - loss(best)))
                assert side * (x @ theta - x @ best) == pytest.approx(half, rel=1e-6)


def test_the_online_range_beside_that_of_least_squares(capsys: pytest.CaptureFixture[str]) -> None:
    """An approximation: its ratio to the exact range is printed, and no more is claimed."""
    rng = np.random.default_rng(6)
    ratios = []
    for size in (100, 1000, 10000):
        X = rng.uniform(-1.0, 1.0, size=(size, 10))
        labels = (X @ rng.normal(size=(10, 3))).argmax(axis=1)
        learner = askance.make_learner("coal", n_features=10, n_classes=3, dtype="float64")
        assert isinstance(learner, Coal)
        for x, label in zip(X, labels.tolist(), strict=True):
            row = askance.as_row(x)
            learner.learn(row, learner.decide(row, 0.5)._replace(queried=True), label)
        whole = np.c_[X, np.ones(size)]
        A = whole.T @ whole
        delta = 0.1 * np.log(3 * size)
        found = []
        for x in rng.uniform(-1.0, 1.0, size=(50, 10)):
            known = learner.ranges(askance.as_row(x))
            one = np.r_[x, 1.0]
            exact = 2 * np.sqrt(delta * one @ np.linalg.solve(A, one))
            inside = (known.low > 0) & (known.high < 1)
            found += ((known.high - known.low)[inside] / exact).tolist()
        ratios.append((size, float(np.median(found)), min(found), max(found)))
    with capsys.disabled():
        for size, median, least, most in ratios:
            said = f"{median:.2f} ({least:.2f} to {most:.2f})"
            sys.stdout.write(f"\nonline over exact range after {size} examples: {said}")
    assert all(0.0 < least <= most < math.inf for _, _, least, most in ratios)
