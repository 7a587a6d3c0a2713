"""The logistic step against arbitrary precision, and what an importance weight means."""

import math

import mpmath
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from askance.kernels import logistic

LARGEST = float(np.finfo(np.float64).max)


def exact_step(a: float, push: float) -> mpmath.mpf:
    """Solve d + e^a expm1(d) = push with Lambert's function, to 60 digits and more.

    a' + e^a' = c, with c = a + e^a + push, is solved by a' = c - W(e^c); where e^c is too large
    for that, by Newton's method on a' = log(c - a').
    """
    digits = 60 + int(abs(a) / 2) if abs(a) < 800 else 800
    with mpmath.workdps(min(digits + 320, 1500)):
        a, push = mpmath.mpf(a), mpmath.mpf(push)
        c = a + mpmath.exp(a) + push
        after = c - mpmath.lambertw(mpmath.exp(c)).real if c < 500 else mpmath.log(c)
        for _ in range(60):
            grown = mpmath.exp(after)
            change = (after + grown - c) / (1 + grown)
            after -= change
            if abs(change) < mpmath.mpf(10) ** -(min(digits + 300, 1480)):
                break
        return after - a


@given(st.floats(-60.0, 60.0), st.floats(1e-12, 1e6))
@example(0.0, 1.0)
@example(1e-300, 1e-300)
@example(37.0, 1e-3)
@example(-745.0, 800.0)
@example(700.0, 1e300)
@example(0.5, LARGEST)
@example(-300.0, 1e301)
@example(-50.0, 50.0)
@example(5.0, 5e-300)
@example(-2.0, 1e-200)
def test_step_to_machine_precision(a: float, push: float) -> None:
    found, exact = logistic.logistic_step(a, push), exact_step(a, push)
    assert abs(found - exact) <= 1e-15 * exact + 1e-307


@given(st.floats(-LARGEST, LARGEST), st.floats(0.0, LARGEST))
@example(-LARGEST, LARGEST)
@example(LARGEST, LARGEST)
@example(-LARGEST, 5e-324)
@example(-1e17, 1e17)
@example(-1e20, 1e21)
@example(1489.0, LARGEST)
def test_step_of_every_finite_input_is_finite_and_bounded(a: float, push: float) -> None:
    """0 <= d <= push, and d <= log1p(push e^-a): the two terms of the equation, each alone."""
    step = logistic.logistic_step(a, push)
    assert 0.0 <= step <= push
    if a > 0:
        bound = mpmath.log1p(mpmath.mpf(push) * mpmath.exp(-mpmath.mpf(a)))
        assert step <= bound * (1 + 1e-14) + 1e-307


@given(st.floats(-40.0, 40.0), st.floats(1e-9, 1e4), st.floats(1e-9, 1e4))
def test_two_pushes_are_one(a: float, first: float, second: float) -> None:
    """The definition of importance-weight awareness."""
    d = logistic.logistic_step(a, first)
    apart = d + logistic.logistic_step(a + d, second)
    assert apart == pytest.approx(logistic.logistic_step(a, first + second), rel=1e-12)


@given(st.floats(-500.0, 500.0))
def test_revert_brings_the_margin_to_zero(f: float) -> None:
    assert logistic.logistic_step(-abs(f), logistic.revert(f)) == pytest.approx(abs(f), rel=1e-14)
    assert logistic.revert(f) == logistic.revert(-f)


def test_revert_by_hand() -> None:
    assert logistic.revert(-math.log(4.0)) == pytest.approx(math.log(4.0) + 0.75, rel=1e-15)


@given(st.floats(-700.0, 700.0))
def test_gradient_is_that_of_the_loss(a: float) -> None:
    with mpmath.workdps(700):
        exact = 1 / (1 + mpmath.exp(mpmath.mpf(a))) ** 2
    assert logistic.gradient_squared(a) == pytest.approx(float(exact), rel=2e-15, abs=1e-307)


@given(st.floats(-60.0, 60.0), st.floats(0.0, 3.0))
def test_steps_are_exact_around_the_bounds_at_which_corrections_are_added(
    a: float, bound: float
) -> None:
    """``bound`` is the first guess: the push over 1 + e^a."""
    push = bound * (1.0 + math.exp(a))
    found, exact = logistic.logistic_step(a, push), exact_step(a, push)
    assert abs(found - exact) <= 1e-15 * exact + 1e-307
