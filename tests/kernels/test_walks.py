"""The walk over the cover does not depend on what it guesses."""

import numpy as np
import pytest

import askance
from askance.engine import Group, stream_of
from askance.types import Integers

NEVER: Integers = np.array([10**9])


def walk(seed: int, c0: float, dtype: str, spoil: bool) -> list[bytes]:
    """All bits of a run of three covers; what guesses are made from may be spoiled before each row.

    That is how far the margins of members and of the ERM could be moved at the last example.
    """
    rng = np.random.default_rng(seed)
    n, d = 60, 5
    rows = rng.normal(size=(n, d))
    labels = np.where(rows @ rng.normal(size=d) + rng.normal(size=n) > 0.0, 1, -1)
    stream = stream_of(
        d * np.arange(n + 1), np.tile(np.arange(d), n), rows.ravel(), labels, rng.random(n),
        n_features=d,
    )  # fmt: skip
    settings = [
        askance.make_learner("online_active_cover", n_features=0, c0=c0, cover_size=size)
        for size in (2, 9, 21)
    ]
    group = Group(settings, d, dtype)
    for i in range(n):
        if spoil:
            for guessed_from in (group.work.reach, group.work.paces):
                guessed_from[:] = rng.choice([0.0, 1e-3, 1.0, 1e3], len(guessed_from))
        group.advance(stream._replace(labels=stream.labels[: i + 1]), i, NEVER)
    state = group.lanes.weights, group.lanes.gradients, group.lanes.norms, group.lanes.totals
    return [array.tobytes() for array in (*state, *group.progress)]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("c0", [0.001, 0.1, 8.0])
@pytest.mark.parametrize("seed", range(3))
def test_wrong_guesses_change_no_bit(seed: int, c0: float, dtype: str) -> None:
    assert walk(seed, c0, dtype, True) == walk(seed, c0, dtype, False)
