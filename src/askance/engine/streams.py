"""Rows with labels and coins as the compiled passes take them, checked where they enter."""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from askance.errors import InvalidRow
from askance.kernels import linear, passes
from askance.types import Label, Row

__all__ = ["CHUNK", "chunks_of", "stream_of", "stream_of_rows"]


CHUNK = 4096
"""Rows between two looks at the progress, an interrupt and what can be compacted."""


def stream_of(
    indptr: Any, indices: Any, values: Any, labels: Any, coins: Any = (), *, n_features: int
) -> passes.Stream:
    """Checked arrays of a CSR matrix with labels -1 and +1 and, for training, one coin a row."""
    stream = passes.Stream(
        np.ascontiguousarray(indptr, np.int64),
        np.ascontiguousarray(indices),
        np.ascontiguousarray(values),
        np.ascontiguousarray(labels, np.int8),
        np.ascontiguousarray(coins, np.float64),
    )
    bad = passes.bad_row(stream, n_features)
    if bad >= 0:
        raise InvalidRow(
            f"row {bad} must have increasing indices below {n_features} and finite values of at "
            f"most {linear.LARGEST_VALUE:g}"
        )
    return stream


def stream_of_rows(
    examples: Iterable[tuple[Row, Label]], coins: Iterable[float] = ()
) -> passes.Stream:
    """Rows and labels as a stream, unchecked: for rows that an oracle has checked."""
    pairs = list(examples)
    lengths = [len(x.indices) for x, _ in pairs]
    return passes.Stream(
        np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        np.concatenate([np.zeros(0, np.int64), *(x.indices for x, _ in pairs)]).astype(np.int64),
        np.concatenate([np.zeros(0), *(x.values for x, _ in pairs)]).astype(np.float64),
        np.array([label for _, label in pairs], np.int8),
        np.fromiter(coins, np.float64),
    )


def chunks_of(stream: passes.Stream) -> Iterator[passes.Stream]:
    """Cut a stream into the pieces that :func:`run_settings` takes."""
    for start in range(0, len(stream.labels), CHUNK):
        stop = min(start + CHUNK, len(stream.labels))
        first, last = stream.indptr[start], stream.indptr[stop]
        yield passes.Stream(
            stream.indptr[start : stop + 1] - first,
            stream.indices[first:last],
            stream.values[first:last],
            stream.labels[start:stop],
            stream.coins[start:stop],
        )
