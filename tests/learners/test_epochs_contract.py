"""Learners in epochs keep the contract of every learner."""

import pytest
from sklearn.tree import DecisionTreeClassifier

from askance.checks.learner import learner_checks
from askance.checks.made_examples import make_stream
from askance.learners.active_cover import ActiveCover
from askance.learners.batch_iwal import BatchIWAL
from askance.learners.constants import Constants
from askance.oracles.estimator import EstimatorOracle
from askance.oracles.thresholds import StumpOracle
from askance.protocols import Learner

CONSTANTS = Constants.practical(c0=0.3, alpha=1.0, beta_scale=10**0.5)


def exact_cover() -> Learner:
    return ActiveCover(StumpOracle(5), CONSTANTS, n_features=5)


def unit_cover() -> Learner:
    return ActiveCover(StumpOracle(5), CONSTANTS, schedule="unit", n_features=5)


def tree_cover() -> Learner:
    oracle = EstimatorOracle(DecisionTreeClassifier(max_depth=2, random_state=0), n_features=5)
    return ActiveCover(oracle, CONSTANTS, region="known", known_from=0, probes=2, n_features=5)


def thinned_cover() -> Learner:
    return ActiveCover(StumpOracle(5), CONSTANTS, reservoir=20, n_features=5)


def told_cover() -> Learner:
    return ActiveCover(StumpOracle(5), CONSTANTS, lag=None, n_features=5)


def iwal() -> Learner:
    return BatchIWAL(StumpOracle(5), c0=0.3, n_features=5)


def oracular() -> Learner:
    return BatchIWAL(StumpOracle(5), c0=0.3, oracular=True, error_dependent=True, n_features=5)


@pytest.mark.parametrize(
    "factory", [exact_cover, unit_cover, tree_cover, thinned_cover, told_cover, iwal, oracular]
)
@pytest.mark.parametrize(("name", "check"), learner_checks(), ids=dict(learner_checks()))
def test_contract(factory: object, name: str, check: object) -> None:
    check(factory, make_stream(seed=1, n_features=5))
