import pytest

from askance.demo.runs import Contestant, Size, compare

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
