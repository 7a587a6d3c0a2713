"""The three forms of the disagreement test."""

import math
from typing import Any

import numpy as np
import pytest

import askance
from askance.errors import InvalidParameter
from askance.learners.disagreement import check_disagreement, error_gap

X = askance.as_row([1.0])


def test_sensitivity_asks_the_oracle(scripted: Any) -> None:
    assert error_gap(scripted(flip=6.0), X, 123.0, 4, "sensitivity") == 1.5


def test_exact_asks_the_oracle_for_the_root() -> None:
    learner = askance.make_learner("passive", n_features=1)
    for _ in range(8):
        learner.learn(X, learner.decide(X, 0.5), 1)
    root, claimed = learner.erm.exact_flip_weight(X), learner.erm.flip_weight(X)
    assert root != pytest.approx(claimed, rel=0.01)
    assert error_gap(learner.erm, X, 123.0, 8, "exact") == root / 8


def test_exact_needs_an_oracle_that_has_it(scripted: Any, refused: Any) -> None:
    check_disagreement("sensitivity", scripted())
    with refused(InvalidParameter, "needs an oracle with an exact_flip_weight", "ScriptedOracle"):
        check_disagreement("exact", scripted())


def test_margin_is_the_rule_of_the_papers_time(scripted: Any) -> None:
    """At f = -log 2: (log 2 + 1/2) sqrt(k) / eta, over k."""
    found = error_gap(scripted(flip=6.0), X, -math.log(2.0), 16, "margin")
    assert found == pytest.approx((math.log(2.0) + 0.5) * 4.0 / 0.5 / 16.0, rel=1e-14)


def test_margin_is_the_flip_weight_of_decaying_rates_on_the_empty_row() -> None:
    """After k - 1 examples of weight 1, the k-th is counted: rate eta / sqrt(k), norm 1."""
    learner = askance.make_learner("passive", n_features=1, rates="decaying", dtype="float64")
    empty = askance.as_row(np.zeros(1))
    for _ in range(8):
        learner.learn(empty, learner.decide(empty, 0.5), 1)
    flip = learner.erm.flip_weight(empty)
    f = learner.erm.margin(empty)
    assert error_gap(learner.erm, empty, f, 9, "margin") == pytest.approx(flip / 9, rel=1e-12)


def test_a_zero_margin_has_no_gap(scripted: Any) -> None:
    assert error_gap(scripted(), X, 0.0, 7, "margin") == 0.0
