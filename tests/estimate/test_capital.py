"""Capitals: fair by enumeration, inverted exactly, and never in favour of the interval."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askance.estimate.capital import (
    BETS_ABOVE,
    BETS_BELOW,
    GUESSES,
    MEANS,
    SHARES_ABOVE,
    ChangingCapital,
    FixedCapital,
    allowed_guess,
    log_average,
    weighted_term,
)

# A world of three points: how likely each is, how often the classifier is wrong there, and P.
SHARE = np.array([0.5, 0.3, 0.2])
WRONG = np.array([0.02, 0.2, 0.6])
P = np.array([0.02, 0.3, 1.0])
GUESS = np.array([0.9, 0.4, 0.7])


def outcomes(shifts, rate, guess):
    """Every term that one example can have, one for each shift, with its probability."""
    allowed = allowed_guess(guess[:, None], P[:, None], shifts) / GUESSES
    terms = [allowed, *(weighted_term(v, P[:, None], allowed) for v in (0.0, 1.0))]
    chances = [SHARE * (1 - P), SHARE * P * (1 - rate), SHARE * P * rate]
    return np.concatenate(terms), np.concatenate(chances)


@pytest.mark.parametrize("rate", [WRONG, 1 - WRONG], ids=["wrong", "right"])
@pytest.mark.parametrize("guess", [0 * GUESS, GUESS, 0 * GUESS + 1], ids=["none", "some", "one"])
@pytest.mark.parametrize("bets", [BETS_BELOW, BETS_ABOVE], ids=["below", "above"])
def test_a_bet_is_fair_where_the_mean_is_true(rate, guess, bets):
    """One example multiplies every capital by 1 on average, whatever is guessed."""
    shifts = np.array([0.0, 3.0, 49.0])
    terms, chances = outcomes(shifts, rate, guess)
    mean = np.array([SHARE @ rate])
    fixed = np.exp(FixedCapital(mean, shifts, bets).gains(terms))
    assert np.allclose(np.einsum("o,o...->...", chances, fixed), 1.0, atol=1e-12)
    for usual in (0.0, 1.0):
        changing = np.exp(ChangingCapital(shifts, bets, usual).gains(terms))
        kept = np.einsum("o,o...->...", chances, changing)
        taken = np.exp(-bets / (1 + shifts[:, None]) * (mean - usual))
        assert (kept * taken <= 1.0 + 1e-12).all()
        # Not by far: a bound that never gains anything would pass too.
        assert (kept * taken).max() > 0.99


def test_a_guess_that_looks_at_the_label_is_not_fair():
    shifts = np.array([49.0])
    terms, chances = outcomes(shifts, WRONG, GUESS)
    peeking = terms.copy()
    wrong = slice(6, 9)
    better = allowed_guess(np.ones((3, 1)), P[:, None], shifts) / GUESSES
    peeking[wrong] = weighted_term(1.0, P[:, None], better * 0.1)
    gains = FixedCapital(np.array([SHARE @ WRONG]), shifts, BETS_ABOVE).gains(peeking)
    assert (chances @ np.exp(gains)[:, 0, :, 0] > 1.0001).any()


@given(st.floats(0, 1), st.floats(1e-6, 1), st.sampled_from([0.0, 1.0, 3.0, 255.0, 1e5]))
def test_no_term_is_below_its_shift(guess, probability, shift):
    allowed = allowed_guess(guess, probability, np.array([shift])) / GUESSES
    assert 0 <= allowed <= guess + 1e-9
    assert (weighted_term(0.0, probability, allowed) >= -shift - 1e-9 / probability).all()


def test_a_guess_of_one_is_whole_where_the_floor_is_known():
    floors = np.random.default_rng(0).uniform(1e-4, 1, 10_000)
    assert (allowed_guess(1.0, floors, 1 / floors - 1) == GUESSES).all()
    assert allowed_guess(1.0, 1.0, np.zeros(1)) == GUESSES


def test_averages_of_capitals():
    logs = np.random.default_rng(0).normal(0, 300, (2, 3, 4))
    expected = np.logaddexp.reduce(logs.reshape(6, 4)) - math.log(6)
    assert np.allclose(log_average(logs), expected)


def some_terms(seed, n=400, floor=0.05):
    generator = np.random.default_rng(seed)
    probability = np.where(generator.random(n) < 0.2, 0.8, floor)
    loss = generator.random(n) < np.where(probability > 0.5, 0.3, 0.04)
    return np.where(generator.random(n) < probability, loss / probability, 0.0)


def root(function, needed):
    """Where a falling function of the mean reaches what is needed, by bisection."""
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if function(middle) >= needed else (low, middle)
    return low


def twin_fixed(terms, shift, bets, needed):
    """L as the formula has it, term by term."""

    def capital(m):
        if m <= 0:
            return math.inf
        each = [sum(math.log1p(b / (m + shift) * (z - m)) for z in terms) for b in bets]
        return np.logaddexp.reduce(each) - math.log(len(bets))

    return root(capital, needed)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("side", ["below", "above"])
def test_the_grid_and_its_chords_give_the_bound_and_never_a_narrower_one(seed, side):
    needed, floor = math.log(40), 0.05
    terms = some_terms(seed)
    shift, bets, means = 0.0, BETS_BELOW, MEANS
    if side == "above":
        terms, shift, bets, means = 1 - terms, 1 / floor - 1, BETS_ABOVE, 1 - MEANS[::-1]
    capital = FixedCapital(means, np.array([shift]), bets)
    wealth = capital.gains(terms[:, None]).sum(axis=0)
    found = float(capital.least_mean(wealth, np.asarray(len(terms)), needed))
    exact = twin_fixed(terms.tolist(), shift, bets.tolist(), needed)
    assert 0 < exact < 1
    assert exact - 0.008 * min(exact, 1 - exact) < found <= exact + 1e-9


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("side", ["below", "above"])
def test_newtons_steps_find_the_bound(seed, side):
    needed, floor = math.log(40), 0.05
    terms, shift, usual = some_terms(seed), 0.0, 0.0
    bets = 8 * BETS_BELOW
    if side == "above":
        terms, shift, usual, bets = 1 - terms, 1 / floor - 1, 1.0, BETS_ABOVE
    capital = ChangingCapital(np.array([shift]), bets, usual)
    wealth = capital.gains(terms[:, None]).sum(axis=0)
    found = float(capital.least_mean(wealth, np.asarray(len(terms)), needed))

    def log_capital(m):
        scaled = [b / (1 + shift) for b in bets.tolist()]
        each = [sum(math.log1p(b * (z - usual)) - b * (m - usual) for z in terms) for b in scaled]
        return np.logaddexp.reduce(each) - math.log(len(each))

    exact = root(log_capital, needed)
    assert 0 < exact < 1
    assert exact - 1e-6 < found <= exact + 1e-9


def stitched(terms, alpha):
    """The empirical-Bernstein sequence that Vowpal Wabbit has: Karampatziakis et al. (2021)."""
    t, eta = len(terms), 1.1
    sums = np.concatenate([[0.0], np.cumsum(terms)])
    usual = np.minimum(1, (sums[:-1] + 0.5) / np.arange(1, t + 1))
    V = max(1.0, float(np.sum((terms - usual) ** 2)))
    zeta = 10.5844484649508  # of 1.1
    a = eta * math.log(math.log(eta * V, eta) + 1) + math.log(zeta / alpha)
    g1, g2 = (eta**0.25 + eta**-0.25) / math.sqrt(2), (math.sqrt(eta) + 1) / 2
    return max(0.0, (sums[-1] - math.sqrt(g1**2 * a * V + g2**2 * a**2) - g2 * a) / t)


@pytest.mark.parametrize("n", [200, 1000, 10_000])
def test_sharper_than_the_stitched_empirical_bernstein_sequence(n):
    floor = 0.05
    shift = 1 / floor - 1
    terms = some_terms(7, n, floor)
    below = ChangingCapital(np.zeros(1), 8 * BETS_BELOW, 0.0)
    above = ChangingCapital(np.array([shift]), BETS_ABOVE, 1.0)
    low, right = (
        float(one.least_mean(one.gains(z[:, None]).sum(axis=0), np.asarray(n), math.log(40)))
        for one, z in ((below, terms), (above, 1 - terms))
    )
    assert low >= stitched(terms, 0.025)
    assert right >= (1 + shift) * stitched((1 - terms + shift) / (1 + shift), 0.025) - shift


def test_before_any_term_nothing_is_excluded():
    for capital in (FixedCapital(MEANS, np.zeros(1), BETS_BELOW), ChangingCapital(*ONE)):
        wealth = np.zeros_like(capital.gains(np.zeros(1)))
        assert capital.least_mean(wealth, np.asarray(0), math.log(40)) == 0


ONE = np.array([9.0]), BETS_ABOVE, 1.0


def test_the_grid_ends_where_it_must():
    """A capital that is above or below everywhere."""
    capital = FixedCapital(MEANS, np.zeros(1), BETS_BELOW)
    wealth = capital.gains(np.full((10_000, 1), 1e6)).sum(axis=0)
    assert capital.least_mean(wealth, np.asarray(1), math.log(40)) == MEANS[-1]
    wealth = capital.gains(np.zeros((10_000, 1))).sum(axis=0)
    assert capital.least_mean(wealth, np.asarray(1), math.log(40)) == 0


def test_the_money_is_all_there_before_the_first_term():
    shifts = np.array([0.0, 9.0])
    for capital in (
        FixedCapital(MEANS, shifts, BETS_ABOVE, SHARES_ABOVE),
        ChangingCapital(shifts, BETS_ABOVE, 1.0, SHARES_ABOVE),
    ):
        wealth = np.zeros_like(capital.gains(np.zeros(2))) + capital.start
        axis = wealth.shape.index(len(BETS_ABOVE))
        shares = np.moveaxis(np.exp(wealth), axis, -1) / len(BETS_ABOVE)
        assert np.allclose(shares, SHARES_ABOVE)
    assert np.isclose(SHARES_ABOVE.sum(), 1)
    assert (FixedCapital(MEANS, shifts, BETS_BELOW).start == 0).all()
