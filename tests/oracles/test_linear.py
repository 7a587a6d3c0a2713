"""The linear oracle: its contract, its promises about weights, and what it refuses."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from askance.checks import check_online_oracle
from askance.checks.made_examples import bad_rows, make_stream
from askance.errors import InvalidLabel, InvalidParameter, InvalidRow
from askance.oracles.linear import LinearOracle, LinearState, linear_oracles
from askance.sparse import row_at
from askance.types import Row

RATES = ["adaptive", "constant", "decaying"]
DTYPES = ["float32", "float64"]
seeds = st.integers(0, 2**32 - 1)


def make(**settings: Any) -> LinearOracle:
    return LinearOracle(LinearState(**({"n_features": 5} | settings)))


def row(indices: Any, values: Any) -> Row:
    return Row(np.array(indices), np.array(values))


def trained(seed: int, length: int = 20, **settings: Any) -> LinearOracle:
    oracle = make(**settings)
    for x, label, coin in make_stream(seed, length=length):
        oracle.observe(x)
        oracle.learn(x, label, 1.0 / (coin + 0.2))
    return oracle


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("rates", RATES)
@pytest.mark.parametrize("seed", [0, 1])
def test_contract(rates: str, dtype: str, seed: int) -> None:
    check_online_oracle(lambda: make(rates=rates, dtype=dtype), seed=seed)


def test_contract_of_one_lane_among_several() -> None:
    check_online_oracle(lambda: linear_oracles(LinearState(n_features=5, lanes=3))[1])


@given(seeds, st.floats(1e-3, 100.0), st.floats(1e-3, 100.0), st.sampled_from([-1, 1]))
def test_with_constant_rates_two_weights_are_one(
    seed: int, a: float, b: float, target: int
) -> None:
    x = make_stream(seed)[0].row
    apart, together = (trained(seed, rates="constant", dtype="float64") for _ in range(2))
    apart.learn(x, target, a)
    apart.learn(x, target, b)
    together.learn(x, target, a + b)
    assert apart.margin(x) == pytest.approx(together.margin(x), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("dtype", DTYPES)
@given(seed=seeds)
def test_constant_rates_flip_at_the_flip_weight(dtype: str, seed: int) -> None:
    """Rates that do not move: the step is the oracle's own."""
    oracle = trained(seed, rates="constant", dtype=dtype)
    x = make_stream(seed + 1)[0].row
    oracle.observe(x)
    f = oracle.margin(x)
    oracle.learn(x, -oracle.predict(x), oracle.flip_weight(x))
    assert abs(oracle.margin(x)) < (1e-9 if dtype == "float64" else 1e-5) * max(1.0, abs(f))


@given(seeds)
def test_a_unit_flip_weight_is_exact_for_adaptive_rates(seed: int) -> None:
    """Where the flip weight is 1, the rates it is computed with are those of the update."""
    oracle = trained(seed, dtype="float64")
    x = make_stream(seed + 1)[0].row
    oracle.observe(x)
    lower, upper = 1e-6, 1e6
    original = oracle.state.learning_rate
    assume(oracle.flip_weight(x) > 0.0)
    for _ in range(200):
        rate = math.sqrt(lower * upper)
        object.__setattr__(oracle.state, "learning_rate", rate)
        lower, upper = (rate, upper) if oracle.flip_weight(x) > 1.0 else (lower, rate)
    assert original == 0.4
    assert oracle.flip_weight(x) == pytest.approx(1.0, rel=1e-9)
    f = oracle.margin(x)
    oracle.learn(x, -oracle.predict(x), 1.0)
    assert abs(oracle.margin(x)) < 1e-7 * max(1.0, abs(f))


@pytest.mark.parametrize("factor", [8.0, 2.0**-20])
def test_adaptive_rates_do_not_care_about_units(factor: float) -> None:
    """All values of a feature times a power of two: the same margins in float64."""
    plain, scaled = make(dtype="float64"), make(dtype="float64")
    for x, label, _ in make_stream(seed=5):
        units = np.where(x.indices == 2, factor, 1.0)
        other = Row(x.indices, x.values * units)
        for oracle, seen in ((plain, x), (scaled, other)):
            oracle.observe(seen)
            oracle.learn(seen, label, 1.0)
        assert scaled.margin(other) == pytest.approx(plain.margin(x), rel=1e-9, abs=1e-12)


def test_first_step_by_hand() -> None:
    """One feature of size 3 and the constant: each scaled to 1, so that nothing depends on 3.

    Gradient sums are 9/4 and 1/4, movement 2 + 2, factor sqrt(1/2), so that the push is
    0.5 * 4 / sqrt(2), and both weights take half of the step.
    """
    oracle = make(learning_rate=0.5, dtype="float64")
    x = row([1], [3.0])
    oracle.observe(x)
    oracle.learn(x, 1, 1.0)
    f = oracle.margin(x)
    assert f + math.exp(f) == pytest.approx(1.0 + math.sqrt(2.0), rel=1e-14)
    weights = oracle.get_state()["weights"]
    assert weights[1] == pytest.approx(f / 2) == weights[5]
    assert oracle.get_state()["gradients"].tolist() == [0.0, 2.25, 0.0, 0.0, 0.0, 0.25]


def test_decaying_rates_by_hand() -> None:
    """The empty row has the constant alone: total weight 4 halves the rate."""
    oracle = make(learning_rate=0.5, rates="decaying", dtype="float64")
    empty = row([], [])
    oracle.learn(empty, 1, 4.0)
    f = oracle.margin(empty)
    assert f + math.exp(f) == pytest.approx(1.0 + 0.5 * 4.0 / 2.0, rel=1e-14)


def test_scales_are_shared_and_weights_are_not() -> None:
    first, second = linear_oracles(LinearState(n_features=2, lanes=2))
    x = row([0, 1], [4.0, -2.0])
    first.observe(x)
    first.learn(x, 1, 1.0)
    assert second.get_state()["scales"].tolist() == [4.0, 2.0, 1.0]
    assert second.margin(x) == 0.0
    assert not second.get_state()["weights"].any()
    assert first.predict(x) == 1


def test_a_new_scale_touches_no_weight_and_counts_before_it_is_observed() -> None:
    oracle = trained(seed=3)
    x = row([0], [1e6])
    before = oracle.margin(x)
    weights = oracle.get_state()["weights"]
    oracle.observe(x)
    assert oracle.margin(x) == before
    assert oracle.get_state()["weights"].tolist() == weights.tolist()
    assert abs(before) < 50.0


@pytest.mark.parametrize("kind", [np.int32, np.uint8, np.uint64, np.int64])
@pytest.mark.parametrize("value", [np.float32, np.float64, np.int64, np.bool_, np.uint8])
def test_any_kind_of_number_will_do(kind: type, value: type) -> None:
    oracle, plain = make(), make()
    x = Row(np.array([0, 3], kind), np.array([1, 1], value))
    same = row([0, 3], [1.0, 1.0])
    for each, seen in ((oracle, x), (plain, same)):
        each.observe(seen)
        each.learn(seen, -1, 2.0)
    assert oracle.margin(x) == plain.margin(same)
    assert oracle.predict(x) == -1


def test_an_empty_row_and_weight_zero_are_legal() -> None:
    oracle = make()
    empty = row([], [])
    oracle.observe(empty)
    oracle.learn(empty, 1, 0.0)
    assert (oracle.margin(empty), oracle.flip_weight(empty)) == (0.0, 0.0)
    oracle.learn(empty, 1, 2.0)
    assert oracle.predict(empty) == 1
    no_features = LinearOracle(LinearState(n_features=0))
    no_features.learn(empty, -1, 1.0)
    assert no_features.predict(empty) == -1


@pytest.mark.parametrize("rates", RATES)
@pytest.mark.parametrize("size", [1e15, 1e-15, 1e-30, 1e-320])
def test_extreme_values_stay_finite(rates: str, size: float) -> None:
    oracle = make(rates=rates)
    for label in (1, -1, 1):
        x = row([0, 1], [size, -1.0])
        oracle.observe(x)
        oracle.learn(x, label, 3.0)
        assert math.isfinite(oracle.margin(x))
        assert math.isfinite(oracle.flip_weight(x))


MESSAGES = {
    "a NaN": "feature values must be finite and at most 1e+15, got nan at index 0",
    "an infinite value": "feature values must be finite and at most 1e+15, got -inf at index 4",
    "a repeated index": "feature indices must increase without repeats, got 0 after 0",
    "unsorted indices": "feature indices must increase without repeats, got 0 after 4",
    "an index beyond the last feature": "feature indices must lie in 0..4, got 5",
    "a negative index": "feature indices must lie in 0..4, got -1",
    "more indices than values": "a row needs as many indices as values",
}


@pytest.mark.parametrize("fault", MESSAGES)
def test_bad_rows_get_one_sentence(fault: str, refused: Any) -> None:
    with refused(InvalidRow, MESSAGES[fault], "got"):
        make().learn(bad_rows(5)[fault], 1, 1.0)


def test_rows_of_the_wrong_kind(refused: Any) -> None:
    with refused(InvalidRow, "integer indices and real values, got float64 and float64"):
        make().margin(row([0.5], [1.0]))
    with refused(InvalidRow, "got int64 and complex128"):
        make().margin(row([0], [1j]))
    with refused(InvalidRow, "in one dimension, got shapes (1, 1) and (1, 1)"):
        make().margin(row([[0]], [[1.0]]))


@pytest.mark.parametrize("target", [0, 2, None, "spam"])
def test_bad_targets(target: Any, refused: Any) -> None:
    with refused(InvalidLabel, "a target must be -1 or +1", f"got {target!r}"):
        make().learn(row([0], [1.0]), target, 1.0)


@pytest.mark.parametrize("weight", [-0.5, math.nan, math.inf])
def test_bad_weights(weight: float, refused: Any) -> None:
    with refused(InvalidParameter, "a weight must be finite and not negative", f"got {weight}"):
        make().learn(row([0], [1.0]), 1, weight)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n_features": -1}, "n_features must be a whole number from 0 to 2147483646, got -1"),
        ({"learning_rate": 0.0}, "learning_rate must be positive and finite, got 0.0"),
        ({"learning_rate": math.inf}, "learning_rate must be positive and finite, got inf"),
        ({"learning_rate": math.nan}, "learning_rate must be positive and finite, got nan"),
        ({"rates": "magic"}, "rates must be one of adaptive, constant, decaying, got 'magic'"),
        ({"dtype": "float16"}, "dtype must be float32 or float64, got 'float16'"),
        ({"lanes": 0}, "lane must lie in 0..-1, got 0"),
    ],
)
def test_bad_settings(settings: dict[str, Any], message: str, refused: Any) -> None:
    with refused(InvalidParameter, message):
        make(**settings)


def test_a_lane_must_exist(refused: Any) -> None:
    with refused(InvalidParameter, "lane must lie in 0..1, got 2"):
        LinearOracle(LinearState(n_features=1, lanes=2), lane=2)


def test_a_state_of_another_size_or_precision_is_refused_without_change(refused: Any) -> None:
    oracle = trained(seed=1)
    before = oracle.get_state()
    for other in (trained(seed=1, n_features=6), trained(seed=1, dtype="float64")):
        with refused(InvalidParameter, "saved weights must have 6 entries of float32, got"):
            oracle.set_state(other.get_state())
    after = oracle.get_state()
    assert all(np.array_equal(before[name], after[name]) for name in before)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("rates", RATES)
@given(seed=st.integers(0, 2**32 - 1), size=st.sampled_from([0.01, 1.0, 100.0]))
@settings(max_examples=10)
def test_many_margins_are_those_of_each_row(rates: str, dtype: str, seed: int, size: float) -> None:
    """Also where values are larger than all that were seen."""
    oracle = trained(seed, rates=rates, dtype=dtype)
    X = np.random.default_rng(seed).normal(size=(20, 5)) * size
    X[np.abs(X) < 0.3 * size] = 0.0
    sparse = csr_array(X)
    each = [oracle.margin(row_at(sparse, i)) for i in range(20)]
    scale = np.abs(oracle.state.weights).max() + 1.0
    rounding = (1e-5 if dtype == "float32" else 1e-12) * scale * max(size, 1.0)
    assert np.allclose(oracle.margins(sparse), each, rtol=0, atol=rounding)


@pytest.mark.parametrize("rates", RATES)
@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=10)
def test_coefficients_are_those_of_a_linear_function(rates: str, seed: int) -> None:
    """Within what was seen: the margin of an example is its product with them."""
    oracle = trained(seed, rates=rates, dtype="float64")
    weights, intercept = oracle.coefficients()
    for x, _, _ in make_stream(seed, length=20):
        product = float(weights[x.indices] @ x.values) + intercept
        assert product == pytest.approx(oracle.margin(x), rel=1e-9, abs=1e-9)
