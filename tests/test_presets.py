"""Names and parameters become learners."""

from typing import Any

import numpy as np
import pytest

import askance
from askance.errors import InvalidParameter
from askance.learners.iwal import IWAL1
from askance.learners.online_active_cover import OnlineActiveCover
from askance.oracles.linear import LinearOracle


@pytest.mark.parametrize("name", askance.ALGORITHMS)
def test_every_name_builds_a_learner_that_learns(name: str) -> None:
    mellow = {} if name in ("passive", "margin") else {"c0": 1.0}
    learner = askance.make_learner(name, n_features=2, **mellow)
    x, y = askance.as_row([1.0, 0.0]), askance.as_row([0.0, 1.0])
    for coin in np.random.default_rng(4).random(10).tolist():
        for row, label in ((x, 1), (y, -1)):
            decision = learner.decide(row, coin)
            learner.learn(row, decision, label if decision.queried else None)
    assert (learner.predict(x), learner.predict(y)) == (1, -1)


def test_parameters_reach_the_oracle_and_the_learner() -> None:
    learner = askance.make_learner(
        "iwal1", n_features=3, c0=0.5, c1=2.0, learning_rate=0.9, rates="constant", dtype="float64"
    )
    assert isinstance(learner, IWAL1)
    assert (learner.c0, learner.c1, learner.c2) == (0.5, 2.0, 1.0)
    erm = learner.erm
    assert isinstance(erm, LinearOracle)
    assert (erm.state.learning_rate, erm.state.rates, erm.state.dtype) == (
        0.9,
        "constant",
        "float64",
    )


def test_the_cover_and_its_erm_are_lanes_of_one_state() -> None:
    learner = askance.make_learner("online_active_cover", n_features=3, cover_size=4)
    assert isinstance(learner, OnlineActiveCover)
    lanes = [learner.erm, *learner.cover_oracles]
    assert [lane.lane for lane in lanes] == [0, 1, 2, 3, 4]
    assert len({id(lane.state) for lane in lanes}) == 1


def test_oracular_has_no_cover() -> None:
    learner = askance.make_learner("online_active_cover", n_features=3, oracular=True)
    assert isinstance(learner, OnlineActiveCover)
    assert learner.cover_oracles == []


@pytest.mark.parametrize(
    ("name", "parameters", "message"),
    [
        ("svm", {}, "algorithm must be one of online_active_cover, passive"),
        ("iwal0", {"c0": -2}, "c0 must be positive and finite, got -2"),
        ("iwal0", {"mellowness": 1}, "iwal0 cannot take its parameters: got an unexpected"),
        ("passive", {"c0": 1.0}, "passive cannot take its parameters"),
        ("online_active_cover", {"cover_size": 2.5}, "cover_size must be a whole number"),
        ("online_active_cover", {"cover_size": -1}, "cover_size must be a whole number"),
        ("online_active_cover", {"cover_size": 0}, "empty if and only if oracular, got 0"),
        ("online_active_cover", {"cover_size": 2, "oracular": True}, "got 2 cover oracles"),
        ("margin", {"dtype": "int8"}, "dtype must be float32 or float64, got 'int8'"),
    ],
)
def test_bad_names_and_parameters(
    name: str, parameters: dict[str, Any], message: str, refused: Any
) -> None:
    with refused(InvalidParameter, message):
        askance.make_learner(name, n_features=2, **parameters)
