import numpy as np
import pytest
from scipy import stats

from askance.scale.draws import draws_of, philox

KEYS = [(0, 0), (5, 7), (2**64 - 1, 2**63 + 3)]


@pytest.mark.parametrize("key", KEYS)
def test_the_words_are_those_of_numpys_philox(key):
    counters = np.random.default_rng(0).integers(1, 2**63, (4, 30), dtype=np.uint64)
    words = philox(counters, key)
    for i in range(30):
        whole = sum(int(word) << (64 * j) for j, word in enumerate(counters[:, i]))
        # numpy counts on before it draws.
        twin = np.random.Philox(key=key[0] + (key[1] << 64), counter=whole - 1)
        assert twin.random_raw(4).tolist() == words[:, i].tolist()


def test_a_row_draws_the_same_wherever_it_stands():
    ids = [f"row {i}" for i in range(100)]
    whole = draws_of(3, ids, 0, 100)
    backwards = draws_of(3, ids[::-1], 50, 100)
    assert all((a == b[::-1]).all() for a, b in zip(whole, backwards, strict=True))
    numbered = draws_of(3, None, 0, 100)
    assert (numbered.coin[40:60] == draws_of(3, None, 40, 20).coin).all()


def test_ids_numbers_and_seeds_have_coins_of_their_own():
    numbers = draws_of(3, None, 0, 50)
    others = [draws_of(4, None, 0, 50), draws_of(3 + 2**64, None, 0, 50)]
    others.append(draws_of(3, [str(i) for i in range(50)], 0, 50))
    for other in others:
        assert not np.isin(numbers.coin, other.coin).any()


@pytest.mark.parametrize("ids", [None, [f"id-{i}" for i in range(20_000)]])
def test_the_three_numbers_are_uniform_and_tell_nothing_of_each_other(ids):
    draws = np.array(draws_of(11, ids, 0, 20_000))
    assert draws.min() >= 0
    assert draws.max() < 1
    for numbers in draws:
        assert stats.kstest(numbers, "uniform").pvalue > 1e-4
    assert abs(np.corrcoef(draws) - np.eye(3)).max() < 0.03
    counts = np.bincount(draws_of(11, ids, 0, 20_000).rounds(5))
    assert len(counts) == 5
    assert stats.chisquare(counts).pvalue > 1e-4
