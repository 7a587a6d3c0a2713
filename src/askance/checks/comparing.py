"""What the suites are made of: demands, exact comparison of states, refusals."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from askance.errors import AskanceError

__all__ = ["demand", "is_refused", "same"]


def demand(holds: bool, sentence: str) -> None:
    """Raise AssertionError with this sentence unless the condition holds.

    >>> demand(1 > 2, "one is not larger than two")
    Traceback (most recent call last):
    AssertionError: one is not larger than two
    """
    if not holds:
        raise AssertionError(sentence)


def same(a: Any, b: Any) -> bool:
    """Whether two states are equal in every type and every bit.

    >>> same({"w": np.zeros(2), "k": [1, 2.0]}, {"w": np.zeros(2), "k": [1, 2.0]})
    True
    >>> same(0.0, -0.0), same(1, 1.0), same(np.zeros(2), np.zeros(2, np.float32))
    (False, False, False)
    """
    if type(a) is not type(b):
        return False
    if isinstance(a, np.ndarray):
        return bool(a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes())
    if isinstance(a, Mapping):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(map(same, a, b))
    return a.hex() == b.hex() if isinstance(a, float) else bool(a == b)


def is_refused(call: Callable[..., object], *arguments: object) -> bool:
    """Whether a call raises one of askance's own errors.

    >>> from askance.validation import check_coin
    >>> is_refused(check_coin, 2.0), is_refused(check_coin, 0.5)
    (True, False)
    """
    try:
        call(*arguments)
    except AskanceError:
        return True
    return False
