"""The package's own exponentials against arbitrary precision."""

import math

import mpmath
from hypothesis import given
from hypothesis import strategies as st

from askance.kernels.exponential import exp_negative, expm1, log_rough


@given(st.floats(-700.0, 700.0))
def test_expm1_is_right_to_a_few_last_places(x: float) -> None:
    with mpmath.workdps(60):
        exact = mpmath.expm1(x)
        assert abs(mpmath.mpf(expm1(x)) - exact) <= 1.2e-15 * abs(exact)


@given(st.floats(max_value=0.0, allow_infinity=False))
def test_exp_negative_is_right_down_to_e_to_the_minus_700(x: float) -> None:
    with mpmath.workdps(60):
        exact = mpmath.exp(max(x, -700.0))
        assert abs(mpmath.mpf(exp_negative(x)) - exact) <= 6e-16 * exact


@given(st.floats(1.0, 1e300))
def test_log_rough_is_a_fair_start(x: float) -> None:
    assert abs(log_rough(x) - math.log(x)) < 1e-4
