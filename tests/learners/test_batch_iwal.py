"""IWAL and Oracular CAL in epochs against the closed forms of the paper."""

import math
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq

from askance.errors import InvalidParameter
from askance.learners.batch_iwal import BatchIWAL
from askance.oracles.thresholds import ThresholdOracle
from askance.sparse import from_dense

X = from_dense(np.random.default_rng(0).random((96, 1)))
LABELS = np.where(X.toarray()[:, 0] > 0.4, 1, -1)
NOISY = np.where(np.random.default_rng(1).random(96) < 0.2, -LABELS, LABELS)


def trained(labels: np.ndarray, **settings: object) -> BatchIWAL:
    learner = BatchIWAL(ThresholdOracle(), **settings)
    coins = np.random.default_rng(2).random(96)
    while learner.k < 96:
        part = slice(learner.k, learner.k + learner.remaining)
        decisions = learner.decide_many(X[part], coins[part])
        y = [int(v) if d.queried else None for v, d in zip(labels[part], decisions, strict=True)]
        learner.learn_many(X[part], decisions, y)
    return learner


def gaps(learner: BatchIWAL) -> np.ndarray:
    """The smallest regret of a threshold that flips each point, by trying them all."""
    sample = learner.sample
    known = np.sort(np.concatenate([sample.X.toarray()[:, 0], X.toarray()[:, 0]]))
    cuts = np.concatenate([[-1.0], (known[1:] + known[:-1]) / 2, [2.0]])
    votes = np.where(sample.X.toarray() > cuts, 1, -1)
    errors = sample.weights @ (votes != sample.targets[:, None]) / sample.offered
    flips = np.where(X.toarray() > cuts, 1, -1) != learner.predict_many(X)[:, None]
    return np.where(flips, errors - errors.min(), np.inf).min(axis=1)


@pytest.mark.parametrize("error_dependent", [False, True])
@pytest.mark.parametrize("oracular", [False, True])
def test_probabilities_follow_the_thresholds(error_dependent: bool, oracular: bool) -> None:
    learner = trained(
        NOISY,
        c0=0.01,
        c1=5 + 2 * math.sqrt(2),
        c2=5.0,
        error_dependent=error_dependent,
        oracular=oracular,
    )
    b = 0.01 * math.log(97) / 96
    error = learner.sample.error(learner.classifier) if error_dependent else 1.0
    a = math.sqrt(b * error)
    decisions = learner.decide_many(X, np.full(96, 0.5))
    found = gaps(learner)
    assert decisions[0].threshold == pytest.approx(a + b)
    inside = found <= a + b + 1e-12 if oracular else np.ones(96, bool)
    assert [d.in_disagreement for d in decisions] == inside.tolist()
    c1, c2 = 5 + 2 * math.sqrt(2), 5.0
    for gap, decision in zip(found, decisions, strict=True):
        if gap <= a + b:
            assert decision.probability == 1.0
        elif oracular:
            assert decision.probability == 0.0
        else:
            root = brentq(
                lambda s, gap=gap: (c1 / math.sqrt(s) - c1 + 1) * a + (c2 / s - c2 + 1) * b - gap,
                1e-9,
                1.0,
                xtol=1e-14,
            )
            assert decision.probability == pytest.approx(root, rel=1e-6)
    assert 0 < np.mean(found <= a + b) < 1


def test_iwal_ignores_and_oracular_learns_what_it_did_not_ask() -> None:
    iwal, oracular = (trained(LABELS, c0=0.01, oracular=o) for o in (False, True))
    asked = sum(record.queries for record in iwal.epochs)
    assert len(iwal.sample.weights) == asked < 96
    assert len(oracular.sample.weights) == 96
    assert oracular.sample.weights.tolist() == [1.0] * 96
    assert oracular.sample.targets.tolist() == LABELS.tolist()


def test_the_fast_rule_serves_iwal_too() -> None:
    exact = trained(LABELS, c0=0.01, oracular=True)
    known = BatchIWAL(ThresholdOracle(), c0=0.01, oracular=True, region="known", probes=96)
    known.set_state(exact.get_state())
    # Every point was probed, so the rules agree at these points.
    coins = np.full(96, 0.5)
    assert known.decide_many(X, coins) == exact.decide_many(X, coins)


def test_c0_must_be_positive() -> None:
    with pytest.raises(InvalidParameter, match="c0 must be positive and finite, got 0"):
        BatchIWAL(ThresholdOracle(), c0=0)
    with pytest.raises(InvalidParameter, match="c1 must be at least 1 and finite"):
        BatchIWAL(ThresholdOracle(), c0=1, c1=0.5)


@pytest.mark.parametrize("name", ["oracular", "error_dependent"])
@pytest.mark.parametrize("value", [1, "no", None])
def test_a_switch_is_true_or_false(refused: Any, name: str, value: object) -> None:
    with refused(InvalidParameter, f"{name} must be True or False, got {value!r}"):
        BatchIWAL(ThresholdOracle(), c0=1.0, **{name: value})
