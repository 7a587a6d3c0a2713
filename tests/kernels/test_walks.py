"""The walk over the cover does not depend on what it guesses."""

import numpy as np
import pytest

import askance
from askance.engine import Group, stream_of
from askance.kernels.pass_records import Stream
from askance.sparse import from_dense, rows_of
from askance.types import Floats, Integers

NEVER: Integers = np.array([10**9])


def noisy(rng: np.random.Generator, n: int, d: int) -> tuple[Floats, Integers]:
    """Rows, and labels that a linear classifier gets wrong now and then."""
    rows = rng.normal(size=(n, d))
    return rows, np.where(rows @ rng.normal(size=d) + rng.normal(size=n) > 0.0, 1, -1)


def streamed(rows: Floats, labels: Integers, coins: Floats) -> Stream:
    n, d = rows.shape
    indptr, indices = d * np.arange(n + 1), np.tile(np.arange(d), n)
    return stream_of(indptr, indices, rows.ravel(), labels, coins, n_features=d)


def walk(seed: int, c0: float, dtype: str, spoil: bool) -> list[bytes]:
    """All bits of a run of three covers; what guesses are made from may be spoiled before each row.

    That is how far the margins of members and of the ERM could be moved at the last example.
    """
    rng = np.random.default_rng(seed)
    n, d = 60, 5
    stream = streamed(*noisy(rng, n, d), rng.random(n))
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


@pytest.mark.parametrize("beta_scale", [0.1, 1.0, 10.0, 30.0, 100.0])
@pytest.mark.parametrize("seed", [0, 4])
def test_members_shrink_outside_however_small_they_are(seed: int, beta_scale: float) -> None:
    """A large scale gives the regret little weight: numerators are small, and shrink by little."""
    rng = np.random.default_rng(seed)
    n, d = 80, 5
    (rows, labels), coins = noisy(rng, n, d), rng.random(n)
    parameters = {"c0": 0.01, "cover_size": 6, "beta_scale": beta_scale, "dtype": "float64"}
    learner = askance.make_learner("online_active_cover", n_features=d, **parameters)
    group = Group([learner], d, "float64")
    group.advance(streamed(rows, labels, coins), 0, NEVER)
    for x, label, coin in zip(
        rows_of(from_dense(rows)), labels.tolist(), coins.tolist(), strict=True
    ):
        decision = learner.decide(x, coin)
        learner.learn(x, decision, label if decision.queried else None)
    assert group.progress.numerators[1:7].tolist() == learner.numerators
