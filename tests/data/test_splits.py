import hashlib

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from askance.data.splits import coins, permutation, seed_for, train_test


def test_a_seed_is_the_digest_of_the_joined_parts():
    digest = hashlib.blake2b(b"permutation|adult|3", digest_size=8).hexdigest()
    assert seed_for("permutation", "adult", 3) == int(digest, 16)


def test_seeds_differ_by_purpose_dataset_and_permutation():
    seeds = {seed_for(p, d, j) for p in ("coins", "permutation") for d in "ab" for j in range(50)}
    assert len(seeds) == 200


@given(st.text(max_size=5), st.integers(0, 100), st.integers(0, 300))
def test_a_permutation_holds_every_example_once_and_is_repeatable(name, j, n):
    order = permutation(name, j, n)
    assert order.dtype == np.int64
    assert sorted(order.tolist()) == list(range(n))
    assert np.array_equal(order, permutation(name, j, n))


def test_repetitions_have_different_orders_and_coins():
    assert not np.array_equal(permutation("adult", 0, 100), permutation("adult", 1, 100))
    assert not np.array_equal(coins("adult", 0, 100), coins("adult", 1, 100))


def test_coins_are_uniform_on_the_half_open_unit_interval():
    drawn = np.sort(coins("adult", 3, 20_000))
    assert drawn[0] >= 0
    assert drawn[-1] < 1
    gap = np.abs(drawn - np.arange(20_000) / 20_000).max()
    # The Kolmogorov-Smirnov distance exceeds 1.95 / sqrt(n) with probability 0.001.
    assert gap < 1.95 / np.sqrt(20_000)


@given(st.integers(0, 1000))
def test_a_split_keeps_the_order_and_gives_four_fifths(n):
    train, test = train_test(np.arange(n))
    assert [*train, *test] == list(range(n))
    assert 5 * len(train) <= 4 * n < 5 * (len(train) + 1)
