import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askance.errors import InvalidParameter
from askance.learners.constants import Constants


@given(st.floats(0, 50), st.integers(10, 10**7), st.floats(1e-6, 0.07), st.floats(1, 5))
def test_theory_constants_obey_the_paper(
    log_size: float, n: int, delta: float, alpha: float
) -> None:
    c = Constants.theory(log_size, n, delta, alpha)
    n_epsilon_log = 32 * (log_size + math.log(1 / delta) + math.log(n)) * math.log(n)
    assert c.eta >= 864
    assert c.xi <= 1 / (8 * n_epsilon_log) * (1 + 1e-9)
    assert c.beta_squared <= c.eta / (864 * c.gamma * n_epsilon_log) * (1 + 1e-9)
    assert c.gamma >= c.eta / 4
    assert c.c1 >= 2 * alpha * math.sqrt(6)
    assert c.c2 >= c.eta * c.c1**2 / 4
    assert c.c3 >= 1


def test_theory_terms_by_hand() -> None:
    # log(|H|/delta) = 4 and tau = n = 100: epsilon = .32 (4 + log 100).
    c = Constants.theory(4 + math.log(0.1), 100, 0.1)
    epsilon = 0.32 * (4 + math.log(100))
    delta_m = 2 * 6**0.5 * math.sqrt(epsilon * 0.25) + 864 * 24 / 4 * epsilon * math.log(100)
    terms = c.terms(error=0.25, tau=100)
    assert terms.threshold == pytest.approx(216 * delta_m)
    assert terms.limits.slack == pytest.approx(c.xi * 100 * delta_m**2)
    assert terms.limits.regret_scale == pytest.approx(2 * c.beta_squared * 216 * 100 * delta_m)
    assert terms.limits.floor == pytest.approx(
        1 / (math.sqrt(25 / (100 * epsilon)) + math.log(100))
    )
    assert terms.tolerance == terms.limits.slack


def test_practical_terms_by_hand() -> None:
    terms = Constants.practical(0.5, 2.0, 4.0, 10.0).terms(error=0.08, tau=100)
    threshold = 0.02 + 4 * 0.5 * math.log(100) / 100
    assert terms.threshold == pytest.approx(threshold)
    assert terms.limits.alpha == 2.0
    assert terms.limits.regret_scale == pytest.approx(2 * 2.0 * 100 * threshold / (0.5 * 16))
    assert terms.limits.slack == pytest.approx(2.0 * 100 * threshold**2 / (0.5 * 10))
    assert terms.limits.floor == pytest.approx(1 / (math.sqrt(8) + math.log(100)))
    assert terms.tolerance == terms.limits.slack
    tiny = Constants.practical(1e-9, 1.0, 4.0).terms(error=0.0, tau=100)
    assert tiny.tolerance == 1e-3


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Constants.practical(0.0, 1.0, 1.0), "c0 must be positive and finite, got 0.0"),
        (
            lambda: Constants.practical(1.0, 0.5, 1.0),
            "alpha must be at least 1 and finite",
        ),
        (lambda: Constants.practical(1.0, 1.0, 0.0), "beta_scale must be positive"),
        (lambda: Constants.practical(1.0, 1.0, 1.0, 0.0), "xi_scale must be positive"),
        (lambda: Constants.theory(-1.0, 100, 0.1), "log_class_size must be at least 0"),
        (lambda: Constants.theory(1.0, 3, 0.1), "n must be above 3, got 3"),
        (lambda: Constants.theory(1.0, 100, 0.5), "delta must be between 0 and 1/e, got 0.5"),
    ],
)
def test_values_out_of_range_are_named(make: object, message: str) -> None:
    with pytest.raises(InvalidParameter, match=message):
        make()


def test_the_theory_needs_a_class_that_is_large_enough_for_its_delta(refused) -> None:
    least = 0.5 * math.log(192.0)
    Constants.theory(log_class_size=least + math.log(0.3) + 1e-9, n=100, delta=0.3)
    with refused(InvalidParameter, "log(|H|/delta) must be above log(192)/2, got 2.6"):
        Constants.theory(log_class_size=least + math.log(0.3) - 1e-9, n=100, delta=0.3)
