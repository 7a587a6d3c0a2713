from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from askance.data.features.assembly import merge_rows

# Eighths add up without rounding, so that a plain sum is the right answer.
entry = st.tuples(st.integers(0, 40), st.integers(-8, 8).map(lambda k: k / 8))


def merge(rows):
    indptr = np.cumsum([0, *map(len, rows)])
    indices = np.array([i for row in rows for i, _ in row], dtype=np.int32)
    values = np.array([v for row in rows for _, v in row], dtype=np.float32)
    merged = np.empty_like(indptr)
    merge_rows(indptr, indices, values, merged)
    pairs = list(zip(indices.tolist(), values.tolist(), strict=True))
    return [pairs[a:b] for a, b in pairwise(merged)]


@settings(deadline=None)
@given(st.lists(st.lists(entry, max_size=100), max_size=5))
def test_rows_are_sorted_and_equal_columns_added(rows):
    expected = []
    for row in rows:
        sums: dict[int, float] = {}
        for index, value in row:
            sums[index] = sums.get(index, 0) + value
        expected.append([(i, v) for i, v in sorted(sums.items()) if v])
    assert merge(rows) == expected


@settings(deadline=None)
@given(st.lists(st.floats(-1e6, 1e6, width=32), min_size=2, max_size=90), st.randoms())
def test_the_order_of_arrival_changes_no_bit(values, random):
    row = [(3, value) for value in values]
    shuffled = random.sample(row, len(row))
    assert merge([row]) == merge([shuffled])


@settings(deadline=None, max_examples=20)
@given(st.integers(0, 2**32 - 1), st.sampled_from([127, 128, 129, 1000, 5000]))
def test_long_rows_are_sorted_too(seed, n):
    rng = np.random.default_rng(seed)
    indices, eighths = rng.integers(0, n // 2, n), rng.integers(-8, 9, n)
    sums = np.bincount(indices, eighths / 8)
    expected = [(i, v) for i, v in enumerate(sums.tolist()) if v]
    assert merge([list(zip(indices.tolist(), (eighths / 8).tolist(), strict=True))]) == [expected]
