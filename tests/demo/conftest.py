from collections.abc import Callable

import numpy as np
import pytest

from askance.demo.runs import Contestant, Curve, Size, compare

SMALL = Size(permutations=2, stream=300, test=200)

FAST = (
    Contestant("margin sampling", "margin", {"b": 0.1}),
    Contestant("passive", "passive", {}),
)


@pytest.fixture(scope="session")
def small():
    return SMALL


@pytest.fixture(scope="session")
def fast():
    return FAST


@pytest.fixture(scope="session")
def curves():
    return compare(FAST, size=SMALL, seed=5)


@pytest.fixture
def curve() -> Callable[..., Curve]:
    """A made-up curve at doubling budgets."""

    def make(medians, asked, final=0.02):
        median = np.array(medians)
        budgets = tuple(10 * 2**q for q in range(len(medians)))
        return Curve("one", budgets, 0.8 * median, median, 1.2 * median, asked, final)

    return make
