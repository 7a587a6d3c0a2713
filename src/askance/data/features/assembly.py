"""Columns to sparse rows, and rows put in order."""

import numpy as np
from numpy.typing import NDArray

from askance.kernels._jit import kernel

__all__ = ["count_column", "merge_rows", "place_column"]

Whole = NDArray[np.int64]
Indices = NDArray[np.int32]
Values = NDArray[np.float32]


@kernel
def count_column(rows: Whole, values: Values, counts: Whole) -> None:
    """Add a column's non-zero entries to the count of each row.

    ``rows`` says where each row's entries start, as in CSR; empty means one entry for each row.
    """
    if len(rows) == 0:
        for i in range(len(values)):
            if values[i] != 0.0:
                counts[i] += 1
        return
    for i in range(len(rows) - 1):
        for k in range(rows[i], rows[i + 1]):
            if values[k] != 0.0:
                counts[i] += 1


@kernel
def place_column(
    rows: Whole,
    columns: Indices,
    values: Values,
    start: int,
    stop: int,
    cursor: Whole,
    indices: Indices,
    out: Values,
) -> None:
    """Write some rows' non-zero entries of a column at each row's cursor, and move the cursor."""
    if len(rows) == 0:
        for i in range(start, stop):
            if values[i] != 0.0:
                indices[cursor[i]] = columns[i]
                out[cursor[i]] = values[i]
                cursor[i] += 1
        return
    for i in range(start, stop):
        for k in range(rows[i], rows[i + 1]):
            if values[k] != 0.0:
                indices[cursor[i]] = columns[k]
                out[cursor[i]] = values[k]
                cursor[i] += 1


@kernel
def _sort_row(indices: Indices, values: Values) -> None:
    """Sort one row in place by index, then by value."""
    # Shell's method: a few lines compile in a tenth of the time that numba's own sort takes, which
    # is seconds of everybody's first run. Rows are short, and equal pairs need no order.
    n = len(indices)
    gap = 1
    while 3 * gap < n:
        gap = 3 * gap + 1
    while gap > 0:
        for k in range(gap, n):
            index = indices[k]
            value = values[k]
            j = k
            while j >= gap and (
                indices[j - gap] > index or (indices[j - gap] == index and values[j - gap] > value)
            ):
                indices[j] = indices[j - gap]
                values[j] = values[j - gap]
                j -= gap
            indices[j] = index
            values[j] = value
        gap //= 3


@kernel
def merge_rows(indptr: Whole, indices: Indices, values: Values, merged: Whole) -> None:
    """Sort each row by index in place and add up equal indices, leaving out zeros.

    Equal indices are added from the smallest value to the largest, in double precision: so the
    result does not depend on the order in which a row's features came. ``merged`` takes the new
    row starts.
    """
    end = 0
    merged[0] = 0
    for i in range(len(indptr) - 1):
        start = indptr[i]
        stop = indptr[i + 1]
        _sort_row(indices[start:stop], values[start:stop])
        k = start
        while k < stop:
            index = indices[k]
            total = 0.0
            while k < stop and indices[k] == index:
                total += float(values[k])
                k += 1
            if np.float32(total) != 0.0:
                indices[end] = index
                values[end] = np.float32(total)
                end += 1
        merged[i + 1] = end
