"""What can be compiled, and how settings are laid out and leave."""

import pytest

import askance
from askance.engine import Group, is_compilable
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


def test_a_group_of_nothing_is_refused() -> None:
    with pytest.raises(InvalidParameter, match="a group takes one or more compilable learners"):
        Group([], n_features=1)


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
