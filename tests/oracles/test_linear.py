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
from askance.oracles import linear
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


@pytest.mark.parametrize(("dtype", "tolerance"), [("float64", 1e-9), ("float32", 1e-3)])
@pytest.mark.parametrize("rates", RATES)
@given(seed=seeds, length=st.integers(1, 60), learning_rate=st.floats(0.01, 20.0))
def test_the_exact_flip_weight_flips_and_no_less(
    dtype: str, tolerance: float, rates: str, seed: int, length: int, learning_rate: float
) -> None:
    """By brute force: an opposite label with that weight, learned into a copy of the oracle."""
    settings = {"rates": rates, "dtype": dtype, "learning_rate": learning_rate}
    oracle = trained(seed, length, **settings)
    x = make_stream(seed + 1)[0].row
    oracle.observe(x)
    f, weight = oracle.margin(x), oracle.exact_flip_weight(x)
    assert (weight == 0.0) == (f == 0.0)
    assume(abs(f) > 0.01 and math.isfinite(weight))
    for factor, stays in ((1 - tolerance, True), (1 + tolerance, False)):
        copy = make(**settings)
        copy.set_state(oracle.get_state())
        copy.learn(x, -oracle.predict(x), factor * weight)
        assert (copy.predict(x) == oracle.predict(x)) == stays


def test_the_flip_weight_at_the_rates_of_weight_one_does_not_flip() -> None:
    """What the name could promise and adaptive rates do not keep: here it falls short."""
    oracle, x = make(n_features=1, dtype="float64"), row([0], [2.0])
    oracle.observe(x)
    oracle.learn(x, 1, 5.0)
    claimed, weight = oracle.flip_weight(x), oracle.exact_flip_weight(x)
    assert weight > 1.5 * claimed > 1.5
    oracle.learn(x, -1, claimed)
    assert oracle.predict(x) == 1


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
    assert oracle.exact_flip_weight(x) == pytest.approx(1.0, rel=1e-9)
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
        assert math.isfinite(oracle.exact_flip_weight(x))


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
        ({"lanes": 0}, "lanes must be a whole number from 1 on, got 0"),
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


def csr(indptr: Any, indices: Any, values: Any, *, flag: bool = False) -> Any:
    """A CSR array of 3 features that SciPy did not look at."""
    X = csr_array((1, 3))
    X.indptr, X.indices, X.data = np.asarray(indptr), np.asarray(indices), np.asarray(values)
    if flag:
        X.has_canonical_format = True
    return X


BAD_MATRICES = {
    "too large": (([0, 1], [3], [1.0]), "feature indices must lie in 0..2, got 3"),
    "far out": (([0, 1], [2**40], [1.0]), f"must lie in 0..2, got {2**40}"),
    "negative": (([0, 1], [-5], [1.0]), "feature indices must lie in 0..2, got -5"),
    "wrapped": (([0, 1], np.array([2**63], np.uint64), [1.0]), "must lie in 0..2, got -9"),
    "starts beyond": (([0, 10**9], [0], [1.0]), "must hold as many, got 1 indices"),
    "starts below": (([-(10**9), 1], [0], [1.0]), "row starts must run from 0 to 1"),
    "starts negative": (([0, -1], [0], [1.0]), "must hold as many"),
    "one start": (([1], [0], [1.0]), "1 rows must have 2 row starts, got 1"),
    "no start": ((np.zeros(0, int), [0], [1.0]), "1 rows must have 2 row starts, got 0"),
    "real starts": (([0.0, 1.0], [0], [1.0]), "row starts must be numbers"),
    "real indices": (([0, 1], [0.0], [1.0]), "feature indices must be numbers"),
    "few values": (([0, 2], [0, 1], [1.0]), "got 2 indices and 1 values"),
    "complex": (([0, 1], [0], [1j]), "feature values must be numbers"),
    "least int": (([0, 1], [0], [-(2**63)]), "must be finite and at most 1e+15, got -9"),
    "nan": (([0, 1], [0], [math.nan]), "must be finite and at most 1e+15, got nan"),
}


@pytest.mark.parametrize("flag", [False, True])
@pytest.mark.parametrize("rates", RATES)
@pytest.mark.parametrize("fault", BAD_MATRICES)
def test_matrices_that_lie_are_refused(fault: str, rates: str, flag: bool, refused: Any) -> None:
    arrays, message = BAD_MATRICES[fault]
    with refused(InvalidRow, message):
        make(n_features=3, rates=rates).margins(csr(*arrays, flag=flag))


@pytest.mark.parametrize("rates", RATES)
@pytest.mark.parametrize("indices", [[2, 0], [1, 1]])
def test_unsorted_matrices_are_sorted_unless_they_say_they_are(
    indices: list[int], rates: str, refused: Any
) -> None:
    oracle = make(n_features=3, rates=rates)
    oracle.observe(row([0, 1, 2], [1.0, 2.0, 3.0]))
    oracle.learn(row([0, 1, 2], [1.0, 2.0, 3.0]), 1, 1.0)
    arrays = [0, 2], indices, [1.0, 2.0]
    dense = csr_array(csr(*arrays).toarray())
    assert oracle.margins(csr(*arrays)).tolist() == oracle.margins(dense).tolist()
    with refused(InvalidRow, f"got {indices[1]} after {indices[0]}"):
        oracle.margins(csr(*arrays, flag=True))


def test_matrices_of_other_shapes_and_kinds(refused: Any) -> None:
    oracle = make(n_features=3, dtype="float64")
    x = row([0, 2], [1.0, 2.0])
    oracle.observe(x)
    oracle.learn(x, 1, 1.0)
    expected = [oracle.margin(x)]
    for kind in (">f8", "longdouble", ">i4", "u1"):
        X = csr(np.array([0, 2], ">i8"), np.array([0, 2], ">i2"), np.array([1, 2], kind))
        assert oracle.margins(X).tolist() == pytest.approx(expected, rel=1e-12)
    roomy = csr([0, 2], [0, 2, 77], [1.0, 2.0, math.nan])
    assert oracle.margins(roomy).tolist() == pytest.approx(expected, rel=1e-12)
    with refused(InvalidRow, "examples must have 3 features, got 4"):
        oracle.margins(csr_array((1, 4)))
    with refused(InvalidRow, "must come as a CSR array, got csc_array"):
        oracle.margins(csr_array((1, 3)).tocsc())


METHODS = {
    "observe": lambda oracle, x: oracle.observe(x),
    "margin": lambda oracle, x: oracle.margin(x),
    "predict": lambda oracle, x: oracle.predict(x),
    "learn": lambda oracle, x: oracle.learn(x, 1, 1.0),
    "flip_weight": lambda oracle, x: oracle.flip_weight(x),
    "exact_flip_weight": lambda oracle, x: oracle.exact_flip_weight(x),
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("rates", RATES)
@pytest.mark.parametrize("fault", [*MESSAGES, "a wrapped index", "a far index"])
def test_every_method_refuses_bad_rows(fault: str, rates: str, method: str, refused: Any) -> None:
    more = {
        "a wrapped index": Row(np.array([0, 2**64 - 1], np.uint64), np.ones(2)),
        "a far index": row([2**40], [1.0]),
    }
    oracle = make(rates=rates)
    before = oracle.get_state()
    with refused(InvalidRow):
        METHODS[method](oracle, {**bad_rows(5), **more}[fault])
    after = oracle.get_state()
    assert all(np.array_equal(before[name], after[name]) for name in before)


@pytest.mark.parametrize("rates", RATES)
@pytest.mark.parametrize("kinds", [(">i8", ">f8"), ("<i2", ">f4"), ("u8", "longdouble")])
def test_rows_in_any_byte_order(kinds: tuple[str, str], rates: str) -> None:
    oracle = make(rates=rates)
    plain = row([0, 3], [1.0, 2.0])
    oracle.observe(plain)
    oracle.learn(plain, 1, 1.0)
    x = Row(np.array([0, 3], kinds[0]), np.array([1.0, 2.0], kinds[1]))
    assert oracle.margin(x) == oracle.margin(plain)


@pytest.mark.parametrize("n_features", [2**31 - 1, 10**12, 2**62, 2**63, 10**30])
def test_absurd_sizes_are_refused_before_memory_is_asked_for(n_features: int, refused: Any) -> None:
    with refused(InvalidParameter, f"from 0 to {2**31 - 2}, got {n_features}"):
        LinearState(n_features=n_features)


def test_many_classifiers_of_many_features_are_refused_too(refused: Any) -> None:
    with refused(InvalidParameter, "must fit into at most 64 GiB, got", "GiB", "2000000000"):
        LinearState(n_features=2_000_000_000, lanes=49)


def test_a_state_that_the_machine_cannot_hold(monkeypatch: Any, refused: Any) -> None:
    monkeypatch.setattr(linear, "MOST_BYTES", 2**70)
    with refused(InvalidParameter, "must fit into what this machine can give, got 1.6e+10 GiB"):
        LinearState(n_features=2**31 - 2, lanes=10**9)


@pytest.mark.parametrize("lanes", [0, -1, True, 1.5, "two"])
def test_lanes_are_counted(lanes: Any, refused: Any) -> None:
    with refused(InvalidParameter, f"lanes must be a whole number from 1 on, got {lanes!r}"):
        LinearState(n_features=1, lanes=lanes)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"weights": None}, "saved weights must be an array, got None"),
        ({"weights": [0.0] * 6}, "saved weights must be an array, got [0.0"),
        ({"weights": np.zeros((6, 1), np.float32)}, "got (6, 1) of float32"),
        ({"weights": np.full(6, np.nan, np.float32)}, "saved weights must be finite, got"),
        ({"gradients": np.full(6, np.inf, np.float32)}, "saved gradients must be finite"),
        ({"gradients": np.full(6, -1.0, np.float32)}, "saved gradients must not be negative"),
        ({"scales": np.full(6, -1.0, np.float32)}, "saved scales must not be negative"),
        ({"scales": np.zeros(6, ">f4")}, "6 entries of float32, got (6,) of >f4"),
        ({"norm": math.nan}, "a saved norm must be finite, from 0.0 to inf, got nan"),
        ({"norm": None}, "a saved norm must be finite, from 0.0 to inf, got None"),
        ({"total": -1.0}, "a saved total must be finite, from 0.0 to inf, got -1.0"),
        ({"total": "3"}, "a saved total must be finite, from 0.0 to inf, got '3'"),
    ],
)
def test_a_forged_state_is_refused_whole(changed: Any, message: str, refused: Any) -> None:
    oracle = trained(seed=1)
    before = oracle.get_state()
    with refused(InvalidParameter, message):
        oracle.set_state({**before, **changed})
    after = oracle.get_state()
    assert all(np.array_equal(before[name], after[name]) for name in before)


@pytest.mark.parametrize("width", [4, 6])
def test_a_matrix_of_another_width_is_refused(width: int, refused: Any) -> None:
    oracle = LinearOracle(LinearState(n_features=5))
    with refused(InvalidRow, f"examples must have 5 features, got {width}"):
        oracle.margins(csr_array(np.ones((2, width))))
