"""Which settings of a grid ride in one pass."""

from collections.abc import Sequence

import numpy as np

from askance.learners.streaming import StreamingLearner

__all__ = ["cover_size", "groups"]

GROUP_BYTES = 2**19
"""State of one group: with the rest of a pass it stays in the second-level cache."""

LEAST_LANES = 64
"""Fewer would leave the sweeps too short, whatever the number of features."""


def cover_size(setting: StreamingLearner) -> int:
    """Members of a learner's cover; 0 for one that has none.

    >>> import askance
    >>> cover_size(askance.make_learner("online_active_cover", n_features=1, cover_size=6))
    6
    """
    return len(getattr(setting, "cover_oracles", ()))


def groups(
    settings: Sequence[StreamingLearner], n_features: int, dtype: str = "float32"
) -> list[list[int]]:
    """Positions of the settings, group by group.

    Settings of one kind and cover size come together, in the order they were given; a group is
    closed when its state would no longer fit the cache.

    Parameters
    ----------
    settings
        Learners that a :class:`askance.engine.Group` takes.
    n_features
        Number of features of the stream.
    dtype
        Precision of the state.

    Examples
    --------
    >>> import askance
    >>> settings = [askance.make_learner(name, n_features=0) for name in ("iwal0", "passive")] * 2
    >>> groups(settings, n_features=100)
    [[0, 2], [1, 3]]
    """
    per_lane = 2 * np.dtype(dtype).itemsize * (n_features + 1)
    most = max(GROUP_BYTES // per_lane, LEAST_LANES)
    alike: dict[tuple[type[StreamingLearner], int], list[int]] = {}
    for position, setting in enumerate(settings):
        alike.setdefault((type(setting), cover_size(setting)), []).append(position)
    return [
        positions[start : start + size]
        for (_, members), positions in alike.items()
        for size in [max(most // (1 + members), 1)]
        for start in range(0, len(positions), size)
    ]
