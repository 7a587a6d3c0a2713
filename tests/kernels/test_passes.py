"""Compiled passes against the readable learners: the same bits, whoever rides along."""

import os
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import askance
from askance.engine import Group, run_settings, stream_of_rows
from askance.learners.streaming import StreamingLearner
from askance.simulate import run_readable, simulate
from askance.types import Label, Row

N_FEATURES = 12
INTERPRETED = bool(os.environ.get("NUMBA_DISABLE_JIT"))

Spec = tuple[str, dict[str, Any]]

c0s = st.sampled_from([1e-3, 0.01, 0.1, 1.0, 8.0])
common = {
    "c0": c0s,
    "learning_rate": st.sampled_from([0.025, 0.4, 3.0]),
    "disagreement": st.sampled_from(["sensitivity", "margin"]),
}
one_oracle = st.one_of(
    st.tuples(
        st.sampled_from(["iwal0", "iwal1"]),
        st.fixed_dictionaries(common | {"c1": st.sampled_from([1.0, 3.0])}),
    ),
    st.tuples(st.sampled_from(["oracular_iwal0", "oracular_iwal1"]), st.fixed_dictionaries(common)),
)
cover = st.tuples(
    st.just("online_active_cover"),
    st.fixed_dictionaries(
        common
        | {
            "cover_size": st.sampled_from([1, 3, 6, 13]),
            "alpha": st.sampled_from([1.0, 2.0]),
            "beta_scale": st.floats(-1.0, 2.0).map(lambda exponent: 10.0**exponent),
        }
    ),
)
simple = st.sampled_from(
    [
        ("passive", {}),
        ("margin", {"b": 0.5}),
        ("online_active_cover", {"oracular": True, "c0": 0.1}),
    ]
)
specs: st.SearchStrategy[list[Spec]] = st.lists(
    st.one_of(cover, cover, one_oracle, simple), min_size=1, max_size=6
)


def make_stream(seed: int, n: int) -> list[tuple[Row, Label]]:
    """Noisy rows of very different sizes, some empty."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=N_FEATURES)
    examples = []
    for _ in range(n):
        indices = np.flatnonzero(rng.random(N_FEATURES) < 0.4)
        values = rng.normal(size=len(indices)) * 10.0 ** rng.integers(-2, 3, len(indices))
        noise = rng.normal() * 2
        label = 1 if (np.sign(values) * truth[indices]).sum() + noise > 0 else -1
        examples.append((Row(indices, values), label))
    return examples


def make(spec: Spec, dtype: str) -> StreamingLearner:
    name, parameters = spec
    return askance.make_learner(name, n_features=N_FEATURES, dtype=dtype, **parameters)


def assert_same_state(group: Group, place: int, learner: StreamingLearner) -> None:
    state: Any = learner.erm
    state = state.state
    lanes = [place, *range(*group.grid.first[place : place + 2].tolist())]
    assert np.array_equal(state.weights, group.lanes.weights[:, lanes])
    assert np.array_equal(state.gradients, group.lanes.gradients[:, lanes])
    assert np.array_equal(state.scales, group.lanes.scales)
    assert np.array_equal(state.norms, group.lanes.norms[lanes])
    assert np.array_equal(state.totals, group.lanes.totals[lanes])
    assert learner.k == group.progress.k[place]
    assert learner.error_sum == group.progress.error_sums[place]
    numerators = group.progress.numerators[lanes[1:]].tolist()
    assert getattr(learner, "numerators", []) == numerators
    denominators = group.progress.denominators[lanes[1:]].tolist()
    assert getattr(learner, "denominators", []) == denominators


@settings(max_examples=5 if INTERPRETED else 40)
@given(specs, st.integers(0, 999), st.sampled_from(["float32", "float64"]))
def test_a_pass_leaves_the_bits_of_the_readable_loop(
    chosen: list[Spec], seed: int, dtype: str
) -> None:
    examples = make_stream(seed, 60 if INTERPRETED else 250)
    coins = np.random.default_rng(seed).random(len(examples)).tolist()
    group = Group([make(spec, dtype) for spec in chosen], N_FEATURES, dtype)
    stream = stream_of_rows(examples, coins)
    assert group.advance(stream, 0, np.array([10**9])) == len(examples)
    for place, position in enumerate(group.order):
        learner = make(chosen[position], dtype)
        queries = 0
        for (x, label), coin in zip(examples, coins, strict=True):
            decision = learner.decide(x, coin)
            queries += decision.queried
            learner.learn(x, decision, label if decision.queried else None)
        assert queries == group.progress.queries[place]
        assert_same_state(group, place, learner)


@settings(max_examples=4 if INTERPRETED else 25)
@given(specs, st.integers(0, 999), st.integers(1, 120))
def test_checkpoints_chunks_and_company_change_nothing(
    chosen: list[Spec], seed: int, chunk: int
) -> None:
    examples = make_stream(seed, 50 if INTERPRETED else 200)
    train, test = examples[: len(examples) * 4 // 5], examples[len(examples) * 4 // 5 :]
    coins = np.random.default_rng(seed).random(len(train)).tolist()
    budgets = [2, 5, 11, 30]
    group = Group([make(spec, "float32") for spec in chosen], N_FEATURES)
    pieces = [
        stream_of_rows(train[i : i + chunk], coins[i : i + chunk])
        for i in range(0, len(train), chunk)
    ]
    together = run_settings(group, pieces, stream_of_rows(test), budgets)
    for spec, results in zip(chosen, together, strict=True):
        alone = run_readable(make(spec, "float32"), train, coins, test, budgets=budgets)
        assert results == alone


@pytest.mark.parametrize("name", askance.ALGORITHMS)
def test_simulate_is_the_readable_loop(name: str) -> None:
    examples = make_stream(3, 120)
    coins = np.random.default_rng(3).random(100).tolist()
    runs = []
    for drive in (simulate, run_readable):
        learner = askance.make_learner(name, n_features=N_FEATURES)
        results = drive(learner, examples[:100], coins, examples[100:], budgets=[5, 20, 80])
        runs.append((results, learner))
    assert runs[0][0] == runs[1][0]
    assert runs[0][1].k == runs[1][1].k
    # The learner goes on from where the pass left it.
    x, label = examples[0]
    for _, learner in runs:
        decision = learner.decide(x, 0.5)
        learner.learn(x, decision, label if decision.queried else None)
    assert runs[0][1].erm.margin(x) == runs[1][1].erm.margin(x)


def tiny_mixed_with_large(rng: np.random.Generator) -> Row:
    return Row(np.arange(4), rng.normal(size=4) * 10.0 ** rng.choice([-30.0, -19.0, 0.0], 4))


def tiny_and_new(rng: np.random.Generator) -> Row:
    """Features of which the square is a number in single precision, and a part of it is none.

    Most have no gradient yet, so that a member moves along them or not, as its weight decides.
    """
    indices = np.sort(rng.choice(400, 4, replace=False))
    return Row(indices, rng.choice([-1, 1], 4) * 10.0 ** rng.uniform(-22.8, -22.2, 4))


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("draw", [tiny_mixed_with_large, tiny_and_new])
def test_tiny_values_fall_back_to_whole_sums(
    draw: Callable[[np.random.Generator], Row], seed: int
) -> None:
    """Values whose gradients underflow are outside the bound that spares sums."""
    rng = np.random.default_rng(seed)
    # The constant alone at first, so that it moves a member less than a new feature does.
    nothing = Row(np.arange(0), np.zeros(0))
    examples = [(nothing if i < 20 else draw(rng), int(rng.choice([-1, 1]))) for i in range(100)]
    coins = rng.random(100).tolist()
    parameters: dict[str, Any] = {"n_features": 400, "cover_size": 12, "c0": 1.0, "beta_scale": 3.0}
    learner = askance.make_learner("online_active_cover", **parameters)
    group = Group([learner], 400)
    group.advance(stream_of_rows(examples, coins), 0, np.array([10**9]))
    for (x, label), coin in zip(examples, coins, strict=True):
        decision = learner.decide(x, coin)
        learner.learn(x, decision, label if decision.queried else None)
    assert_same_state(group, 0, learner)
