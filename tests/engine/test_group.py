"""What can be compiled, and how settings are laid out and leave."""

from typing import Any

import numpy as np
import pytest

import askance
from askance.engine import Group, is_compilable
from askance.engine.drivers import Steps
from askance.engine.group import table_of
from askance.errors import InvalidParameter
from askance.learners.passive import Passive
from askance.oracles.linear import LinearOracle, LinearState, linear_oracles


class Mine(Passive):
    """A subclass may decide otherwise."""


def test_only_what_a_pass_knows_is_compilable() -> None:
    state = LinearState(n_features=1, lanes=2)
    assert is_compilable(askance.make_learner("online_active_cover", n_features=1))
    assert not is_compilable(Mine(LinearOracle(LinearState(n_features=1))))
    assert not is_compilable(Passive(LinearOracle(state)))
    assert not is_compilable(Passive(linear_oracles(state)[1]))
    assert is_compilable(askance.make_learner("iwal0", n_features=1, disagreement="margin"))
    assert not is_compilable(askance.make_learner("iwal0", n_features=1, disagreement="exact"))


def test_a_group_of_nothing_is_refused() -> None:
    with pytest.raises(InvalidParameter, match="a group takes one or more compilable learners"):
        Group([], n_features=1)


def test_the_exact_test_is_never_run_as_another(refused: Any) -> None:
    learner = askance.make_learner("oracular_iwal1", n_features=1, disagreement="exact")
    for build in (Group.of, Steps, lambda one: Group([one], n_features=1)):
        with refused(InvalidParameter, "compilable learners"):
            build(learner)


def test_the_lanes_of_a_cover_lie_together_after_all_first_classifiers() -> None:
    sizes = [3, 0, 12, 3]
    settings = [
        askance.make_learner("online_active_cover", n_features=0, cover_size=s, oracular=s == 0)
        for s in sizes
    ]
    group = Group(settings, n_features=5)
    assert group.order.tolist() == [0, 1, 2, 3]
    assert group.grid.first.tolist() == [4, 7, 7, 19, 22]
    assert group.lanes.weights.shape == (6, 4 + sum(sizes) + 2)


@pytest.mark.parametrize(("n_features", "lanes"), [(9_999, 16), (43_000, 16), (44_000, 13)])
def test_memory_is_eight_bytes_per_feature_and_lane_but_for_a_megabyte(
    n_features: int, lanes: int
) -> None:
    """Lanes that fill the last vector are there only while they take less."""
    group = Group([askance.make_learner("online_active_cover", n_features=0)], n_features)
    taken = group.lanes.weights.nbytes + group.lanes.gradients.nbytes
    assert taken == 8 * (n_features + 1) * lanes
    assert taken <= 8 * (n_features + 1) * 13 + 2**20


@pytest.mark.parametrize(
    "spoil",
    [
        lambda weights: weights.astype("float64"),
        lambda weights: np.asfortranarray(weights),
        lambda weights: weights[::2],
        lambda weights: weights[:, 0],
    ],
)
def test_arrays_of_another_kind_get_no_address(spoil: Any, refused: Any) -> None:
    learner = askance.make_learner("online_active_cover", n_features=3, cover_size=2)
    record = Group.of(learner).record()
    lanes = record.lanes._replace(gradients=spoil(record.lanes.gradients))
    with refused(
        InvalidParameter, "gradients must be contiguous, of float32 and 2 dimensions, got"
    ):
        table_of(record._replace(lanes=lanes))
