"""Records of arrays that kernels find by their addresses."""

from typing import Any, NamedTuple

import numpy as np
import pytest

from askance.kernels._jit import kernel
from askance.kernels._records import (
    Flag,
    Own,
    OwnMatrix,
    Real,
    Switch,
    Whole,
    record_at,
    tabulate,
)
from askance.types import Floats, Integers


class Inner(NamedTuple):
    flags: Flag
    rows: OwnMatrix
    exact: Real


class Outer(NamedTuple):
    sums: Own
    inner: Inner
    counts: Whole
    more: Switch


@kernel
def _turn(record: Any, more: bool | None) -> None:
    if more is not None:
        record.counts[1] += 1


@kernel
def _move(table: Integers, kind: Floats) -> None:
    """Add the last row of the matrix to the sums, and count it."""
    record = record_at(table, Outer, kind.dtype)
    rows = record.inner.rows
    for column in range(rows.shape[1]):
        record.sums[column] += rows[rows.shape[0] - 1, column]
    record.counts[0] += 1
    record.inner.flags[1] = True
    record.inner.exact[0] += 0.1
    _turn(record, record.more)


@pytest.mark.parametrize("more", [True, None])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_arrays_are_found_and_changed_by_their_addresses(dtype: str, more: bool | None) -> None:
    rows = np.arange(6).reshape(2, 3).astype(dtype)
    inner = Inner(np.zeros(2, bool), rows, np.zeros(1))
    record = Outer(np.ones(3, dtype), inner, np.zeros(2, np.int64), more)
    kept, table = rows.copy(), tabulate(record)
    for _ in range(2):
        _move(table, record.sums)
    assert record.sums.tolist() == [7.0, 9.0, 11.0]
    assert record.counts.tolist() == [2, 2 if more else 0]
    assert inner.flags.tolist() == [False, True]
    assert inner.exact.tolist() == [0.2]
    assert np.array_equal(rows, kept)
