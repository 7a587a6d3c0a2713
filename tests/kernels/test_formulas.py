"""The scalar equations against values worked out by hand, and properties that define them."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askance.kernels.formulas import (
    beta_squared,
    importance_weight,
    iwal_aggressive_term,
    iwal_probability,
    iwal_slow_term,
    margin_probability,
    min_query_probability,
    query_probability,
    regret_threshold,
    sign,
)

errors = st.floats(0.0, 1.0)
times = st.integers(1, 10**7).map(float)
constants = st.floats(1e-6, 100.0)
terms = st.floats(1e-8, 10.0)


def test_sign_of_zero_is_minus_one() -> None:
    assert [sign(f) for f in (-2.0, -0.0, 0.0, 5e-324, 3.0)] == [-1, -1, -1, 1, 1]


@pytest.mark.parametrize(
    ("alpha", "factor"), [(1.0, 4.0), (2.0, 4.0), (3.0, 6.0)], ids=["one", "two", "three"]
)
def test_threshold_by_hand(alpha: float, factor: float) -> None:
    """At e = 1/4, t = e^2 (so that log t = 2), c0 = 1."""
    t = math.exp(2.0)
    expected = 0.5 / math.e + factor * 2.0 / t
    assert regret_threshold(0.25, t, 1.0, alpha) == pytest.approx(expected, rel=1e-14)


def test_threshold_before_any_example_rules_nothing_out() -> None:
    assert regret_threshold(0.0, 0.0, 0.1, 1.0) == math.inf
    assert regret_threshold(0.0, 1.0, 0.1, 1.0) == 0.0


@given(errors, times, constants)
def test_threshold_scales_with_c0(error: float, t: float, c0: float) -> None:
    """The slow term grows with the root of c0 and the fast one with c0."""
    slow = regret_threshold(error, t, c0, 1.0) - regret_threshold(0.0, t, c0, 1.0)
    four = regret_threshold(error, t, 4 * c0, 1.0)
    fast = regret_threshold(0.0, t, c0, 1.0)
    assert four == pytest.approx(2 * slow + 4 * fast, rel=1e-9, abs=1e-15)


def test_floor_by_hand() -> None:
    t = math.exp(3.0)
    assert min_query_probability(4.0 / t, t) == pytest.approx(1 / 5, rel=1e-14)
    assert min_query_probability(0.0, t) == pytest.approx(1 / 3, rel=1e-14)
    assert min_query_probability(0.0, 1.0) == 0.5
    assert min_query_probability(0.0, 0.0) == 0.5


@given(errors, times)
def test_floor_is_positive_and_at_most_half(error: float, t: float) -> None:
    floor = min_query_probability(error, t)
    assert 0.0 < floor <= 0.5
    assert floor >= min_query_probability(error, 4 * t)


def test_query_probability_by_hand() -> None:
    assert query_probability(0.25) == pytest.approx(1 / 3, rel=1e-15)
    assert query_probability(16.0) == 0.8


@given(st.floats(1e-300, 1e300))
def test_query_probability_solves_its_equation(q_squared: float) -> None:
    """P/(1 - P) is q."""
    p = query_probability(q_squared)
    assert 0.0 < p <= 1.0
    assert p * (1.0 + math.sqrt(q_squared)) == pytest.approx(math.sqrt(q_squared), rel=1e-14)


def test_beta_squared_by_hand() -> None:
    assert beta_squared(c0=0.25, alpha=3.0, beta_scale=2.0) == 3.0
    default = beta_squared(c0=0.1, alpha=1.0, beta_scale=math.sqrt(10.0))
    assert default == pytest.approx(1.0, rel=1e-14)


@given(st.floats(1e-12, 1.0))
def test_importance_weights_are_unbiased(p: float) -> None:
    mean = p * importance_weight(p, True) + (1 - p) * importance_weight(p, False)
    assert mean == pytest.approx(1.0, rel=1e-12)


def test_iwal_terms_by_hand() -> None:
    """The eighth example: log 8 = 3 log 2, over 7."""
    b = 0.5 * 3 * math.log(2) / 7
    assert iwal_aggressive_term(7.0, 0.5) == pytest.approx(b, rel=1e-14)
    assert iwal_slow_term(1.0, 7.0, 0.5) == pytest.approx(math.sqrt(b), rel=1e-14)
    assert iwal_slow_term(0.09, 7.0, 0.5) == pytest.approx(0.3 * math.sqrt(b), rel=1e-14)
    assert iwal_slow_term(0.0, 7.0, 0.5) == 0.0


@pytest.mark.parametrize("c", [(1.0, 1.0), (5 + 2 * math.sqrt(2), 5.0)], ids=["plain", "analysis"])
@given(a=st.floats(0.0, 10.0), b=terms, excess=st.floats(0.0, 1e6))
def test_iwal_probability_solves_its_equation(
    c: tuple[float, float], a: float, b: float, excess: float
) -> None:
    c1, c2 = c
    gap = (a + b) + excess
    p = iwal_probability(gap, a, b, c1, c2)
    assert 0.0 < p <= 1.0 + 1e-15
    z = 1 / math.sqrt(p)
    left = c2 * b * z * z + c1 * a * z
    assert left == pytest.approx(gap + (c1 - 1) * a + (c2 - 1) * b, rel=1e-9)


@given(a=st.floats(0.0, 10.0), b=terms, c1=st.floats(1.0, 8.0), c2=st.floats(1.0, 8.0))
def test_iwal_probability_joins_on_at_the_threshold(
    a: float, b: float, c1: float, c2: float
) -> None:
    at, above = a + b, math.nextafter(a + b, math.inf)
    assert iwal_probability(at, a, b, c1, c2) == 1.0
    assert iwal_probability(above, a, b, c1, c2) == pytest.approx(1.0, abs=1e-9)
    assert iwal_probability(above, a, b, c1, c2) <= 1.0


@given(st.floats(0.0, 5.0), terms, st.floats(0.0, 1e3), st.floats(0.0, 1e3))
def test_iwal_probability_falls_with_the_gap(a: float, b: float, g: float, h: float) -> None:
    low, high = sorted((g, h))
    fewer, more = (iwal_probability(gap, a, b, 1.0, 1.0) for gap in (high, low))
    assert fewer <= more * (1 + 1e-15)
    if high > 1.001 * max(low, a + b):
        assert fewer < more


def test_iwal_never_asks_where_nothing_flips() -> None:
    assert iwal_probability(math.inf, 0.1, 0.1, 1.0, 1.0) == 0.0
    assert 0.0 <= iwal_probability(1e308, 1e-8, 1e-8, 1.0, 1.0) < 1e-100


@given(st.floats(-1e6, 1e6), st.floats(1e-6, 1e3))
def test_margin_probability(f: float, b: float) -> None:
    p = margin_probability(f, b)
    assert 0.0 < p <= 1.0
    assert p == margin_probability(-f, b)
    assert p * (b + abs(f)) == pytest.approx(b, rel=1e-12)
    assert margin_probability(b, b) == 0.5
