"""Groups hold every setting once, alike ones together, and fit the cache."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import askance
from askance.engine import Group
from askance.engine.grouping import GROUP_BYTES, LEAST_LANES, cover_size, groups

specs = st.lists(
    st.one_of(
        st.sampled_from([(name, {}) for name in ("passive", "margin", "iwal0", "oracular_iwal1")]),
        st.tuples(
            st.just("online_active_cover"),
            st.fixed_dictionaries({"cover_size": st.sampled_from([3, 12, 48])}),
        ),
    ),
    min_size=1,
    max_size=60,
)


@given(specs, st.sampled_from([1, 100, 10**6]), st.sampled_from(["float32", "float64"]))
def test_groups_are_a_partition_of_alike_settings_that_fit(
    chosen: list[tuple[str, dict[str, Any]]], n_features: int, dtype: str
) -> None:
    settings = [askance.make_learner(name, n_features=0, **given) for name, given in chosen]
    found = groups(settings, n_features, dtype)
    assert sorted(position for group in found for position in group) == list(range(len(settings)))
    for group in found:
        assert group == sorted(group)
        alike = {(type(settings[i]), cover_size(settings[i])) for i in group}
        assert len(alike) == 1
        lanes = sum(1 + cover_size(settings[i]) for i in group)
        state = 2 * (4 if dtype == "float32" else 8) * (n_features + 1) * lanes
        assert state <= GROUP_BYTES or lanes <= LEAST_LANES


def test_a_group_is_closed_only_when_full() -> None:
    settings = [askance.make_learner("iwal1", n_features=0) for _ in range(300)]
    first, second = groups(settings, n_features=255)[:2]
    group = Group([settings[i] for i in first], n_features=255)
    assert group.lanes.weights.nbytes + group.lanes.gradients.nbytes == GROUP_BYTES
    assert (first[0], second[0]) == (0, len(first))
