"""Compiled steps against the readable verbs: the same bits for one row at a time."""

import copy
import os
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import askance
from askance.checks.comparing import same
from askance.engine import Group
from askance.engine.drivers import Driver, Steps, Verbs
from askance.kernels import steps
from askance.kernels._records import tabulate
from askance.types import Decision, Label, Row

N_FEATURES = 12
INTERPRETED = os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")

IWAL = {
    "c0": st.sampled_from([1e-3, 0.1, 8.0]),
    "disagreement": st.sampled_from(["sensitivity", "margin"]),
    "learning_rate": st.sampled_from([0.1, 3.0]),
}
specs = st.one_of(
    st.sampled_from(
        [
            ("passive", {}),
            ("margin", {"b": 0.5}),
            ("online_active_cover", {"oracular": True, "c0": 0.1}),
        ]
    ),
    st.tuples(
        st.sampled_from(["iwal0", "iwal1"]),
        st.fixed_dictionaries(
            IWAL | {"c1": st.sampled_from([1.0, 3.0]), "c2": st.sampled_from([1.0, 5.0])}
        ),
    ),
    st.tuples(st.sampled_from(["oracular_iwal0", "oracular_iwal1"]), st.fixed_dictionaries(IWAL)),
    st.tuples(
        st.just("online_active_cover"),
        st.fixed_dictionaries(
            {
                "c0": st.sampled_from([1e-3, 0.1, 8.0]),
                "cover_size": st.sampled_from([1, 3, 12]),
                "alpha": st.sampled_from([1.0, 2.0]),
                "beta_scale": st.sampled_from([0.5, 10**0.5]),
            }
        ),
    ),
)


def draw_rows(generator: np.random.Generator, n: int) -> list[tuple[Row, Label]]:
    """Noisy rows of very different sizes, some empty."""
    truth = generator.normal(size=N_FEATURES)
    examples = []
    for _ in range(n):
        indices = np.flatnonzero(generator.random(N_FEATURES) < 0.4)
        values = generator.normal(size=len(indices)) * 10.0 ** generator.integers(
            -2, 3, len(indices)
        )
        score = (np.sign(values) * truth[indices]).sum() + 2.0 * generator.normal()
        examples.append((Row(indices, values), 1 if score > 0 else -1))
    return examples


def walk(driver: Driver, seed: int, length: int) -> list[Decision | Label]:
    """Decisions and predictions of a run whose labels come late, out of order, or never."""
    generator = np.random.default_rng(seed)
    waiting: list[tuple[Row, Decision, Label]] = []
    said: list[Decision | Label] = []
    for x, label in draw_rows(generator, length):
        decision = driver.offer(x, float(generator.random()))
        said += [decision, driver.predict(x)]
        if decision.queried:
            waiting.append((x, decision, label))
        while waiting and generator.random() < 0.6:
            row, decided, answer = waiting.pop(int(generator.integers(len(waiting))))
            if generator.random() < 0.1:
                driver.learn(row, decided._replace(queried=False), None)
            else:
                driver.learn(row, decided, answer)
    return said


@settings(max_examples=8 if INTERPRETED else 60)
@given(specs, st.integers(0, 999), st.sampled_from(["float32", "float64"]))
def test_steps_give_the_bits_of_the_verbs(
    spec: tuple[str, dict[str, Any]], seed: int, dtype: str
) -> None:
    name, parameters = spec
    learner, plain = (
        askance.make_learner(name, n_features=N_FEATURES, dtype=dtype, **parameters)
        for _ in range(2)
    )
    length = 40 if INTERPRETED else 150
    assert walk(Steps(learner), seed, length) == walk(Verbs(plain), seed, length)
    assert same(learner.get_state(), plain.get_state())


@pytest.mark.parametrize(
    ("indices", "values"),
    [
        ([5], [1.0]),
        ([1, 0], [1.0, 1.0]),
        ([0], [np.nan]),
        ([0], [1.0, 2.0]),
        ([-1], [1.0]),
        ([0, 1, 2], [1.0, 1.0, 1.0]),
    ],
)
def test_a_kernel_does_nothing_with_a_bad_row(indices: list[int], values: list[float]) -> None:
    group = Group.of(askance.make_learner("online_active_cover", n_features=5, cover_size=3))
    group.fit_rows(2)
    parts = group.record()
    given = tabulate(parts), group.row.values, np.array(indices), np.array(values)
    before = copy.deepcopy(parts)
    assert steps.offer(*given, 0, 0.0, 0.5)[0] == 0
    decision = 1, True, 1.0, True, 0, np.inf, 0.0
    assert steps.learn(*given, 0, 0.0, *decision, 1) < 0.0
    assert steps.predict(*given) == 0
    assert same(parts, before)


@pytest.mark.parametrize("coin", [-0.1, 1.0, np.nan])
def test_a_kernel_does_nothing_with_a_bad_coin(coin: float) -> None:
    group = Group.of(askance.make_learner("iwal1", n_features=2))
    group.fit_rows(2)
    parts = group.record()
    before = copy.deepcopy(parts)
    row = np.array([1]), np.array([1.0])
    assert steps.offer(tabulate(parts), group.row.values, *row, 0, 0.0, coin)[0] == 0
    assert same(parts, before)
