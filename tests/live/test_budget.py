"""Label budgets: totals, rates and refunds."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askance.errors import InvalidParameter
from askance.live.budget import Budget, Ledger


def test_without_a_limit_everything_may_be_bought() -> None:
    ledger = Ledger(Budget())
    for example in range(50):
        assert ledger.is_open(example)
        ledger.buy(example)
    assert ledger.bought == 50


def test_a_total_is_spent_and_refunded() -> None:
    ledger = Ledger(Budget(total=2))
    ledger.buy(0)
    assert ledger.is_open(1)
    ledger.buy(1)
    assert not ledger.is_open(2)
    ledger.refund(0)
    assert ledger.is_open(3)
    assert ledger.bought == 1


@given(
    labels=st.integers(1, 4),
    per=st.integers(1, 9),
    wishes=st.lists(st.booleans(), min_size=1, max_size=60),
)
def test_a_rate_holds_in_every_window_and_refuses_nothing_else(
    labels: int, per: int, wishes: list[bool]
) -> None:
    """Against counting the window anew each time."""
    ledger = Ledger(Budget(labels=labels, per=per))
    bought: list[int] = []
    for example, wish in enumerate(wishes):
        inside = sum(example - per < other <= example for other in bought)
        assert ledger.is_open(example) == (inside < labels)
        if wish and ledger.is_open(example):
            ledger.buy(example)
            bought.append(example)
    for start in range(len(wishes)):
        assert sum(start <= other < start + per for other in bought) <= labels


def test_a_refund_frees_the_window() -> None:
    ledger = Ledger(Budget(labels=1, per=10, total=5))
    ledger.buy(0)
    assert not ledger.is_open(1)
    ledger.refund(0)
    assert ledger.is_open(1)
    ledger.buy(1)
    assert ledger.is_open(11)
    ledger.refund(1)
    assert ledger.bought == 0


def test_state_round_trips() -> None:
    ledger, restored = (Ledger(Budget(labels=2, per=5, total=9)) for _ in range(2))
    for example in (0, 3):
        ledger.buy(example)
    restored.set_state(ledger.get_state(), {0, 3})
    assert restored.get_state() == ledger.get_state() == {"bought": 2, "recent": [0, 3]}
    assert [restored.is_open(i) for i in (4, 5)] == [False, True]


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({"total": 0}, "total must be a whole number from 1 on, got 0"),
        ({"total": -3}, "total must be a whole number from 1 on, got -3"),
        ({"total": 2.5}, "total must be a whole number from 1 on, got 2.5"),
        ({"labels": 0, "per": 5}, "labels must be a whole number from 1 on, got 0"),
        ({"labels": 5, "per": 0}, "per must be a whole number from 1 on, got 0"),
        ({"labels": 5}, "a rate needs labels and per, got labels=5 and per=None"),
        ({"per": 5}, "a rate needs labels and per, got labels=None and per=5"),
    ],
)
def test_bad_limits(limits: dict[str, Any], message: str, refused: Any) -> None:
    with refused(InvalidParameter, message):
        Budget(**limits)


def test_a_budget_can_be_counted(refused):
    assert Budget(total=2**53).total == 2**53
    with refused(InvalidParameter, "total must be at most 2 ** 53, got 1000"):
        Budget(total=10**30)
