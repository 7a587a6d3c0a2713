"""One uniform number for each example, the same after a save at any moment."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askance.errors import InvalidParameter
from askance.live.coins import AHEAD, Coins


def taken(coins: Coins, count: int) -> list[float]:
    found = []
    for _ in range(count):
        found.append(coins.ahead[-1])
        coins.advance()
    return found


@given(st.integers(0, 2**32), st.integers(0, 3 * AHEAD), st.integers(1, 2 * AHEAD))
def test_coins_are_those_of_the_generator_and_go_on_after_a_save(seed, before, after) -> None:
    expected = np.random.default_rng(seed).random(before + after).tolist()
    coins = Coins(seed)
    assert taken(coins, before) == expected[:before]
    restored = Coins(seed + 1)
    restored.set_state(coins.get_state())
    assert taken(restored, after) == taken(coins, after) == expected[before:]


@pytest.mark.parametrize(
    "forged",
    [
        {"coin": 1.0},
        {"coin": float("nan")},
        {"generator": None},
        {"generator": {"bit_generator": "MT19937"}},
        {"generator": {"bit_generator": "PCG64", "state": {"state": -1, "inc": 1}}},
    ],
)
def test_a_forged_state_is_refused(forged: Any, refused: Any) -> None:
    coins = Coins(3)
    with refused(InvalidParameter, "a saved"):
        coins.set_state({**coins.get_state(), **forged})
    assert taken(coins, 1) == taken(Coins(3), 1)


@pytest.mark.parametrize("seed", [-1, "x", 1.5, None, True])
def test_a_seed_is_a_whole_number(seed: Any, refused: Any) -> None:
    with refused(InvalidParameter, "random_state must be a whole number from 0 on, got"):
        Coins(seed)
