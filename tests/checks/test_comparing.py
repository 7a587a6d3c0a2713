"""Exact comparison: equal means equal in every bit."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askance.checks.comparing import demand, is_refused, same
from askance.errors import InvalidRow

plain = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
trees = st.recursive(plain, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner))


@given(trees)
def test_everything_equals_itself(tree: object) -> None:
    assert same(tree, tree)
    assert same([tree, np.arange(3)], [tree, np.arange(3)])


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (1, 1.0),
        (1, True),
        (0.0, -0.0),
        (1.0, math.nextafter(1.0, 2.0)),
        ([1], [1, 1]),
        ([1], (1,)),
        ({"a": 1}, {"b": 1}),
        ({"a": 1}, {"a": 1, "b": 1}),
        ({"a": [1, {"b": 2}]}, {"a": [1, {"b": 3}]}),
        (np.zeros(2), np.zeros(3)),
        (np.zeros(2), np.array([0.0, -0.0])),
        (np.zeros(2), np.zeros(2, np.float32)),
        (np.zeros(2), [0.0, 0.0]),
        (np.zeros((1, 2)), np.zeros((2, 1))),
    ],
)
def test_differences_are_seen(a: object, b: object) -> None:
    assert not same(a, b)
    assert not same(b, a)


def test_demand() -> None:
    demand(True, "never said")
    with pytest.raises(AssertionError, match=r"^said$"):
        demand(False, "said")


def test_only_our_own_errors_are_refusals() -> None:
    def refuse(error: type[Exception]) -> None:
        raise error("no")

    assert is_refused(refuse, InvalidRow)
    assert not is_refused(str, 3)
    with pytest.raises(ZeroDivisionError):
        is_refused(refuse, ZeroDivisionError)
