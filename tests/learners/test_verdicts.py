"""Decisions for many rows: those of each row by itself."""

import numpy as np

from askance.learners.outcomes import Outcomes
from askance.learners.pacing import Pace
from askance.learners.verdicts import verdicts_of


def test_a_row_is_decided_as_among_others():
    rng = np.random.default_rng(0)
    second, coins = rng.random(200), rng.random(200)
    shares, margins = np.column_stack([1 - second, second]), np.abs(2 * second - 1)
    pace = Pace(0.3, 0.8, 0.4, 0.1, 0.05)
    found = verdicts_of(shares, margins, pace, coins, Outcomes())
    for i in range(200):
        P = 0.8 if margins[i] < 0.3 else 0.1
        expected = (1 if second[i] > 0.5 else -1, P, coins[i] < P, coins[i] < 0.05)
        assert tuple(values[0] for values in found.at(np.array([i]))) == expected
    assert 0 < found.uniform.sum() < found.queried.sum() < 200
