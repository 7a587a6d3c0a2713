"""Errors on test examples, and budgets and test sets that are none."""

from typing import Any

import numpy as np
import pytest

import askance
from askance import simulate as simulation
from askance.checks.made_examples import make_stream
from askance.errors import InvalidLabel, InvalidParameter
from askance.learners.active_cover import ActiveCover
from askance.learners.constants import Constants
from askance.oracles.thresholds import ThresholdOracle
from askance.simulate.measuring import error_of_blocks
from askance.sparse import from_dense, rows_of

STREAM = make_stream(seed=8, n_features=4, length=60)
LABELLED = [(step.row, step.label) for step in STREAM]
COINS = [step.coin for step in STREAM]


def test_the_error_of_blocks_is_that_of_the_learner_now() -> None:
    line = np.linspace(0, 1, 40)[:, None]
    test = [(x, 1 if i > 25 else -1) for i, x in enumerate(rows_of(line))]
    constants = Constants.practical(c0=1.0, alpha=1.0, beta_scale=3.0)
    learner = ActiveCover(ThresholdOracle(), constants)
    error = error_of_blocks(learner, test)
    before = error()
    assert before == simulation.test_error(learner, test)
    labels = [label for _, label in test]
    simulation.run_blocks(learner, from_dense(line), np.zeros(40), labels.__getitem__)
    assert error() == simulation.test_error(learner, test) != before


@pytest.mark.parametrize("budgets", [[], [0, 1], [5, 5], [8, 4], [-1]])
def test_bad_budgets(budgets: list[int], refused: Any) -> None:
    learner = askance.make_learner("passive", n_features=4)
    with refused(InvalidParameter, f"budgets must be positive and increase, got {budgets}"):
        simulation.simulate(learner, LABELLED, COINS, LABELLED, budgets=budgets)
    assert learner.k == 0


def test_an_empty_test_set_is_refused(refused: Any) -> None:
    with refused(InvalidParameter, "a test set must hold at least one example, got none"):
        simulation.simulate(askance.make_learner("passive", n_features=4), LABELLED, COINS, [])


@pytest.mark.parametrize("label", [2, 0, True])
def test_a_test_label_that_is_none_is_refused(label: Any, refused: Any) -> None:
    learner = askance.make_learner("passive", n_features=4)
    with refused(InvalidLabel, f"a label must be -1 or +1, got {label!r}"):
        simulation.simulate(learner, LABELLED, COINS, [(LABELLED[0][0], label)])
