r"""The weighted sample estimates a fixed classifier's error: for which learners without bias.

The world is known: points of a grid, each equally likely, and the probability of each point's
label. So the true error of a classifier h is known, and T = (sum of w 1(h wrong)) / n of one run
has that mean if every example may be asked, with the probability that its weight tells. T is the
end of a martingale, whose variance is estimated by the sum of squares of its steps,

.. math:: V = (\sum w^2 1(wrong) - n T^2) / n^2,

and over many seeds, sum(T - err) / sqrt(sum V) is about standard normal. The level of the tests is
1 in 1,000, two-sided; seeds are fixed, so that they give the same answer every time. What is biased
must exceed the same level many times over.
"""

import os
from typing import Any, NamedTuple

import numpy as np
import pytest

from askance.live import ActiveLearner
from askance.live.budget import Budget
from askance.types import Row

pytestmark = pytest.mark.skipif(
    os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"),
    reason="so many runs need compiled code",
)

LEVEL = 3.29
"""Exceeded by 1 in 1,000 of what is standard normal."""

SEEDS = 1200

SIDE = np.linspace(-1.0, 1.0, 8)
GRID = np.array([(a, b) for a in SIDE for b in SIDE])
POSITIVE = np.where(GRID.sum(axis=1) > 0.0, 0.9, 0.1)
ROWS = [Row(np.array([0, 1]), point.copy()) for point in GRID]


def fixed(first: Any) -> Any:
    """h: a classifier that has nothing to do with any run."""
    return np.where(first > 0.2, 1, -1)


WRONG = np.where(fixed(GRID[:, 0]) > 0, 1.0 - POSITIVE, POSITIVE)
ERROR = float(WRONG.mean())


class Run(NamedTuple):
    """T and V, the share of mistakes among the labels alone, how many were asked, and where."""

    estimate: float
    variance: float
    unweighted: float
    asked: float
    inside: float
    """The error of h on the examples inside the region, over all examples."""


def one(seed: int, name: str, n: int, **settings: Any) -> Run:
    generator = np.random.default_rng([seed, 1])
    points = generator.integers(len(GRID), size=n)
    labels = np.where(generator.random(n) < POSITIVE[points], 1, -1)
    # A rate at which every algorithm asks about a part of so short a stream.
    settings = {"learning_rate": 0.4} | settings
    live = ActiveLearner(name, n_features=2, random_state=seed, **settings)
    inside = 0.0
    for point, label in zip(points.tolist(), labels.tolist(), strict=True):
        question = live.ask(ROWS[point])
        inside += 0.0 if question.reason == "outside" else WRONG[point]
        if question.wanted:
            live.tell(question, label)
    X, y, weight, offered, _ = live.weighted_sample()
    wrong = fixed(X[:, [0]].toarray().ravel()) != y
    estimate = float(weight[wrong].sum()) / offered
    variance = (float((weight[wrong] ** 2).sum()) - offered * estimate**2) / offered**2
    return Run(estimate, variance, float(wrong.mean()), len(y) / offered, inside / offered)


def runs(name: str, seeds: int = SEEDS, n: int = 200, **settings: Any) -> Run:
    """Many runs, one column for each number."""
    return Run(*np.array([one(seed, name, n, **settings) for seed in range(seeds)]).T)


def z(found: Run, expected: Any = ERROR) -> float:
    return float((found.estimate - expected).sum() / np.sqrt(np.sum(found.variance)))


UNBIASED: dict[str, dict[str, Any]] = {
    "passive": {},
    "iwal0": {"c0": 0.1},
    "iwal1": {"c0": 0.2},
    "margin": {"b": 0.3},
}


@pytest.mark.parametrize("name", UNBIASED)
def test_the_weighted_error_is_the_true_error(name: str) -> None:
    """On average over seeds, and in each run within its confidence interval of 95% as often.

    Weights have long tails, so that normal intervals of one run hold a little less often.
    """
    found = runs(name, **UNBIASED[name])
    assert abs(z(found)) < LEVEL
    # A bias of one part in twenty would be seen, even where chance works against it.
    assert 2 * LEVEL * np.sqrt(np.sum(found.variance)) / SEEDS < ERROR / 20
    covered = np.abs(found.estimate - ERROR) <= 1.96 * np.sqrt(found.variance)
    assert 0.90 < np.mean(covered) < 0.98
    if name != "passive":
        assert np.mean(found.asked) < 0.7
        spread = np.std(found.unweighted, ddof=1) / np.sqrt(SEEDS)
        assert abs(np.mean(found.unweighted) - ERROR) > 3 * LEVEL * spread


BIASED: dict[str, dict[str, Any]] = {
    "online_active_cover": {"c0": 0.3, "cover_size": 3},
    "oracular_iwal0": {"c0": 0.1},
    "oracular_iwal1": {"c0": 0.5},
}


@pytest.mark.parametrize("name", BIASED)
def test_the_cover_and_the_oracular_variants_see_their_region_only(name: str) -> None:
    """Far too small for the whole error, and right for the error inside the region."""
    found = runs(name, seeds=100, **BIASED[name])
    assert np.mean(found.inside) < 0.8 * ERROR
    assert z(found) < -3 * LEVEL
    # That of all examples inside, whose labels are not all known: so it adds its own variance.
    gaps = found.estimate - found.inside
    assert abs(np.mean(gaps)) < LEVEL * np.std(gaps, ddof=1) / np.sqrt(100)


def test_at_a_spent_budget_the_estimate_is_biased() -> None:
    """Where the run ends depends on the coins: after a label, when the sum has just grown."""
    found = runs("margin", seeds=1000, n=100, b=0.02, budget=Budget(total=3))
    assert z(found) > LEVEL
    gaps = found.estimate - ERROR
    assert np.mean(gaps) > LEVEL * np.std(gaps, ddof=1) / np.sqrt(1000)
