"""Names and parameters become learners."""

from typing import Any

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

import askance
from askance.errors import InvalidParameter
from askance.learners.active_cover import ActiveCover
from askance.learners.batch_iwal import BatchIWAL
from askance.learners.iwal import IWAL1
from askance.learners.online_active_cover import OnlineActiveCover
from askance.oracles.estimator import EstimatorOracle
from askance.oracles.linear import LinearOracle, LinearState, linear_oracles
from askance.presets import MOST_MEMBERS, SUGGESTED, constructed


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


def test_auto_hands_the_options_of_its_mixture_on() -> None:
    options: dict[str, Any] = {"members": ["forest"], "fit_clip": 5.0, "vote_clip": 2.0}
    oracle: Any = askance.make_learner("auto", n_features=3, seed=4, **options).oracle
    assert {name: getattr(oracle, name) for name in options} == options
    assert (oracle.seed, oracle.n_features) == (4, 3)


def test_oracular_has_no_cover() -> None:
    learner = askance.make_learner("online_active_cover", n_features=3, oracular=True)
    assert isinstance(learner, OnlineActiveCover)
    assert learner.cover_oracles == []


@pytest.mark.parametrize(
    ("name", "parameters", "message"),
    [
        ("svm", {}, "algorithm must be one of auto, coal, online_active_cover, passive"),
        ("iwal0", {"c0": -2}, "c0 must be positive and finite, got -2"),
        (
            "iwal0",
            {"mellowness": 1},
            "iwal0 has no parameter 'mellowness'; its parameters are c0, c1,",
        ),
        (
            "passive",
            {"c0": 1.0},
            "passive has no parameter 'c0'; its parameters are learning_rate, rates",
        ),
        ("iwal1", {"c1": "x"}, "c1 must be at least 1 and finite, got 'x'"),
        ("iwal1", {"rates": ["constant"]}, "rates must be one of adaptive, constant, decaying"),
        ("iwal1", {"estimator": 3}, "iwal1 takes no estimator"),
        ("active_cover", {}, "active_cover needs an estimator=, got none"),
        ("online_active_cover", {"cover_size": 2.5}, "cover_size must be a whole number"),
        ("online_active_cover", {"cover_size": -1}, "cover_size must be a whole number"),
        ("online_active_cover", {"cover_size": True}, "cover_size must be a whole number"),
        ("online_active_cover", {"cover_size": 10**9}, "from 0 to 10,000, got 1000000000"),
        ("online_active_cover", {"cover_size": MOST_MEMBERS + 1}, "from 0 to 10,000, got 10001"),
        ("online_active_cover", {"b": 1}, "no parameter 'b'; its parameters are cover_size, c0,"),
        ("online_active_cover", {"oracular": 1}, "oracular must be True or False, got 1"),
        ("online_active_cover", {"oracular": "no"}, "oracular must be True or False, got 'no'"),
        ("online_active_cover", {"cover_size": 0}, "empty if and only if oracular, got 0"),
        ("online_active_cover", {"cover_size": 2, "oracular": True}, "got 2 cover oracles"),
        ("margin", {"dtype": "int8"}, "dtype must be float32 or float64, got 'int8'"),
        ("auto", {"members": ["oak"]}, "members must be some of logistic regression, forest"),
        ("auto", {"members": "forest"}, "online linear, got 'forest'"),
        ("auto", {"members": []}, "got []"),
        ("auto", {"fit_clip": 0.9}, "fit_clip must be at least 1 and finite, got 0.9"),
        ("auto", {"vote_clip": "x"}, "vote_clip must be at least 1 and finite, got 'x'"),
        ("auto", {"members": ["forest"], "estimator": GaussianNB()}, "no parameter 'members'"),
    ],
)
def test_bad_names_and_parameters(
    name: str, parameters: dict[str, Any], message: str, refused: Any
) -> None:
    with refused(InvalidParameter, message):
        askance.make_learner(name, n_features=2, **parameters)


# One set of defaults


@pytest.mark.parametrize("name", askance.ALGORITHMS)
def test_a_name_means_what_is_suggested(name: str) -> None:
    bare = askance.make_learner(name, n_features=2)
    named = askance.make_learner(name, n_features=2, **SUGGESTED[name])
    erm = named.erm
    assert isinstance(bare.erm, LinearOracle)
    assert isinstance(erm, LinearOracle)
    assert bare.erm.learning_rate == erm.learning_rate == SUGGESTED[name]["learning_rate"]
    for parameter in ("c0", "b"):
        assert getattr(bare, parameter, None) == SUGGESTED[name].get(parameter)
    assert askance.ActiveLearner(name, n_features=2).preset == {
        "algorithm": name,
        "n_features": 2,
        **SUGGESTED[name],
    }


def test_files_of_version_2_know_the_defaults_of_their_time() -> None:
    """Those of the constructors, which stay the paper's."""
    for name in askance.ALGORITHMS:
        state = LinearState(n_features=1, lanes=2 if name == "online_active_cover" else 1)
        erm, *cover = linear_oracles(state)
        kind = type(askance.make_learner(name, n_features=1))
        learner: Any = kind(erm, cover) if cover else kind(erm)  # type: ignore[call-arg]
        for parameter, value in constructed(name).items():
            found = state if parameter == "learning_rate" else learner
            assert getattr(found, parameter) == value


# Over any estimator


@pytest.mark.parametrize(
    ("name", "kind", "switches"),
    [
        ("active_cover", ActiveCover, {}),
        ("batch_iwal", BatchIWAL, {"oracular": False}),
        ("oracular_cal", BatchIWAL, {"oracular": True}),
    ],
)
def test_algorithms_that_learn_in_batches(name: str, kind: type, switches: dict[str, Any]) -> None:
    learner = askance.make_learner(name, n_features=2, estimator=DecisionTreeClassifier(), probes=3)
    assert type(learner) is kind
    assert (learner.unlabeled, learner.n_features) == (2000, 2)
    shown = {"region": "known", "probes": 3, **switches}
    assert {attribute: getattr(learner, attribute) for attribute in shown} == shown
    oracle = learner.oracle
    assert isinstance(oracle, EstimatorOracle)
    assert (oracle.estimator.random_state, oracle.dense) == (0, False)


def test_estimators_that_take_no_sparse_matrices_get_dense_ones() -> None:
    learner = askance.make_learner("active_cover", n_features=2, estimator=GaussianNB())
    oracle = learner.oracle
    assert isinstance(oracle, EstimatorOracle)
    assert oracle.dense


def test_bad_parameters_of_batches(refused: Any) -> None:
    with refused(
        InvalidParameter, "active_cover has no parameter 'c1'; its parameters are c0, alpha"
    ):
        askance.make_learner("active_cover", n_features=2, estimator=GaussianNB(), c1=1.0)
    with refused(
        InvalidParameter, "oracular_cal has no parameter 'oracular'; its parameters are c0"
    ):
        askance.make_learner("oracular_cal", n_features=2, estimator=GaussianNB(), oracular=False)
    with refused(InvalidParameter, "fit must take sample_weight, that of KNeighborsClassifier"):
        askance.make_learner("batch_iwal", n_features=2, estimator=KNeighborsClassifier())
