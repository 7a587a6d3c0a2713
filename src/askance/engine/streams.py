"""Rows with labels and coins as the compiled passes take them, checked where they enter."""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from askance.errors import InvalidParameter, InvalidRow
from askance.kernels import linear, passes
from askance.types import Label, Matrix, Row
from askance.validation import (
    require_codes,
    require_coins,
    require_indptr,
    require_labels,
    require_native,
    require_whole,
)

__all__ = [
    "CHUNK",
    "check_start",
    "check_width",
    "chunks_of",
    "stream_of",
    "stream_of_matrix",
    "stream_of_rows",
]


CHUNK = 4096
"""Rows between two looks at the progress, an interrupt and what can be compacted."""


def stream_of(
    indptr: Any,
    indices: Any,
    values: Any,
    labels: Any,
    coins: Any = (),
    *,
    n_features: int,
    n_classes: int | None = None,
) -> passes.Stream:
    """Checked arrays of a CSR matrix with labels -1 and +1 and, for training, one coin per row.

    If there is a number of classes, the labels are their codes.

    Compiled code looks at no bounds, so an array that lies about its rows would read or write
    memory that is not its own. The stream keeps the number of features it was checked for.

    >>> stream_of([0, 1], [7], [1.0], [1], n_features=3)
    Traceback (most recent call last):
    askance.errors.InvalidRow: row 0 must have increasing indices below 3 and finite values of at \
most 1e+15
    """
    require_whole(n_features=n_features)
    at = require_native(indices, "iu", "feature indices")
    real = require_native(values, "fiub", "feature values")
    if len(at) != len(real):
        raise InvalidRow(f"{len(at)} feature indices must have as many values, got {len(real)}")
    known = require_labels(labels) if n_classes is None else require_codes(labels, n_classes)
    starts = require_indptr(indptr, len(known), len(at))
    stream = passes.Stream(starts, at, real, known, require_coins(coins, len(known)), n_features)
    bad = passes.bad_row(stream)
    if bad >= 0:
        raise InvalidRow(
            f"row {bad} must have increasing indices below {n_features} and finite values of at "
            f"most {linear.LARGEST_VALUE:g}"
        )
    return stream


def check_width(stream: passes.Stream, n_features: int) -> None:
    """Raise unless the stream was checked for no more features than some lanes have."""
    if stream.n_features > n_features:
        raise InvalidRow(
            f"a stream must have at most {n_features} features, got {stream.n_features}"
        )


def check_start(stream: passes.Stream, start: int) -> None:
    """Raise unless a pass can learn from the stream, from row ``start`` on."""
    rows = len(stream.labels)
    if len(stream.coins) < rows:
        raise InvalidParameter(
            f"a stream to learn from must have {rows} coins, one per row, got {len(stream.coins)}"
        )
    if not 0 <= start <= rows:
        raise InvalidParameter(f"a pass must start at a row from 0 to {rows}, got {start}")


def stream_of_matrix(
    X: Matrix, labels: Any, coins: Any = (), n_classes: int | None = None
) -> passes.Stream:
    """:func:`stream_of` a CSR array, as wide as it is."""
    parts = X.indptr, X.indices, X.data, labels, coins
    return stream_of(*parts, n_features=X.shape[1], n_classes=n_classes)


def stream_of_rows(
    examples: Iterable[tuple[Row, Label]],
    coins: Iterable[float] = (),
    n_classes: int | None = None,
) -> passes.Stream:
    """Rows and labels as a checked stream, as wide as its largest index asks for."""
    pairs = list(examples)
    lengths = [len(x.indices) for x, _ in pairs]
    indices = np.concatenate([np.zeros(0, np.int64), *(x.indices for x, _ in pairs)])
    return stream_of(
        np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        indices.astype(np.int64),
        np.concatenate([np.zeros(0), *(x.values for x, _ in pairs)]).astype(np.float64),
        np.array([label for _, label in pairs]),
        np.fromiter(coins, np.float64),
        n_features=int(indices.max(initial=-1)) + 1,
        n_classes=n_classes,
    )


def chunks_of(stream: passes.Stream) -> Iterator[passes.Stream]:
    """Cut a stream into the pieces that :func:`run_settings` takes."""
    for start in range(0, len(stream.labels), CHUNK):
        stop = min(start + CHUNK, len(stream.labels))
        # Views of all but the row starts, which count from 0 in each piece.
        first, last = stream.indptr[start], stream.indptr[stop]
        yield passes.Stream(
            stream.indptr[start : stop + 1] - first,
            stream.indices[first:last],
            stream.values[first:last],
            stream.labels[start:stop],
            stream.coins[start:stop],
            stream.n_features,
        )
