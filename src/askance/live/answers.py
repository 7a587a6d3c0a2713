"""The rows that a live learner keeps: those that await a label, and those whose label was bought.

In a file each of their arrays is one member, however many rows there are.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from askance.errors import InvalidParameter
from askance.learners.sample import matrix_from_state, matrix_state
from askance.sparse import from_rows
from askance.types import Bools, Decision, Integers, Label, Row, State, WeightedSample
from askance.validation import MOST, saved_array, saved_part

__all__ = [
    "Bought",
    "Pending",
    "bought_from",
    "bought_state",
    "pending_from",
    "pending_state",
    "sample_of",
]

Bought = tuple[Label, Row, float]
"""A bought label, its row, and the probability with which it was asked."""

Pending = tuple[Row, Decision]
"""A row whose label is awaited, and what was decided for it."""


def sample_of(bought: Mapping[int, Bought], n: int, width: int | None) -> WeightedSample:
    """The weighted sample of ``n`` offered examples, in the order of the questions.

    >>> x = Row(np.array([1]), np.array([3.0]))
    >>> sample = sample_of({4: (1, x, 0.5), 2: (-1, x, 1.0)}, n=6, width=2)
    >>> sample.ids.tolist(), sample.y.tolist(), sample.weight.tolist(), sample.n
    ([2, 4], [-1, 1], [1.0, 2.0], 6)
    """
    ids = sorted(bought)
    X = from_rows([bought[id][1] for id in ids])
    if width is None:
        width = int(X.indices.max(initial=-1)) + 1
    # Several estimators, trees among them, take no 64-bit indices.
    small = np.int32 if max(width, X.nnz) < 2**31 else np.int64
    parts = X.data, X.indices.astype(small), X.indptr.astype(small)
    return WeightedSample(
        X=csr_array(parts, shape=(len(ids), width)),
        y=_labels_array([bought[id][0] for id in ids]),
        weight=1.0 / np.array([bought[id][2] for id in ids], np.float64),
        n=n,
        ids=np.array(ids, np.int64),
    )


def bought_state(bought: Mapping[int, Bought]) -> State:
    """The bought labels as arrays."""
    return {
        "ids": np.array(list(bought), np.int64),
        "labels": _labels_array([label for label, _, _ in bought.values()]),
        "probabilities": np.array([p for _, _, p in bought.values()], np.float64),
        "rows": _packed([row for _, row, _ in bought.values()]),
    }


def _labels_array(labels: Sequence[Label]) -> Integers:
    """Labels as small as they can be; those of two classes always are."""
    return np.array(labels, np.int8 if max(labels, default=0) < 128 else np.int32)


def bought_from(
    state: State, n_features: int | None = None, n_classes: int | None = None
) -> dict[int, Bought]:
    """The bought labels of :func:`bought_state`, checked."""
    ids = _ids(state)
    labels = _signs(state, "labels", len(ids), n_classes)
    probabilities = _probabilities(state, "probabilities", len(ids))
    rows = _unpacked(state, len(ids), n_features)
    return dict(zip(ids, zip(labels, rows, probabilities, strict=True), strict=True))


def pending_state(pending: Mapping[int, Pending]) -> State:
    """The pending questions as arrays."""
    decisions = [decision for _, decision in pending.values()]
    fields = zip(*decisions, strict=True) if decisions else ((),) * len(Decision._fields)
    return {
        "ids": np.array(list(pending), np.int64),
        "rows": _packed([row for row, _ in pending.values()]),
        "decisions": {
            name: np.array(values) for name, values in zip(Decision._fields, fields, strict=True)
        },
    }


def pending_from(
    state: State, n_features: int | None = None, n_classes: int | None = None
) -> dict[int, Pending]:
    """The questions of :func:`pending_state`, checked."""
    ids, fields = _ids(state), saved_part(state, "decisions", dict)
    count = len(ids)
    inside = saved_array(fields, "in_disagreement", "b", length=count)
    queried = saved_array(fields, "queried", "b", length=count)
    # Files of version 3 and before knew no uniform share.
    fields.setdefault("uniform", np.zeros(count, bool))
    k = saved_array(fields, "k", "i", length=count)
    floor = saved_array(fields, "floor", "f", length=count)
    threshold = np.asarray(fields["threshold"])
    # A threshold may be infinite, where there is no test, or -1 where no margin is below it.
    finite = saved_array({"threshold": threshold[threshold < np.inf]}, "threshold", "f")
    if threshold.shape != (count,) or np.isnan(threshold).any() or (finite < -1).any():
        raise InvalidParameter(f"saved thresholds must be {count} numbers from -1 on, got others")
    if not (queried.all() and ((k >= 0) & (k < MOST)).all() and (floor >= 0).all()):
        raise InvalidParameter("saved decisions must be queried, with k and floor from 0 on")
    columns = (
        _signs(fields, "predicted", count, n_classes),
        inside.tolist(),
        _probabilities(fields, "probability", count),
        queried.tolist(),
        k.tolist(),
        threshold.tolist(),
        floor.tolist(),
        saved_array(fields, "uniform", "b", length=count).tolist(),
    )
    decisions = map(Decision._make, zip(*columns, strict=True))
    pairs = zip(_unpacked(state, count, n_features), decisions, strict=True)
    return dict(zip(ids, pairs, strict=True))


def _ids(state: State) -> list[int]:
    ids: list[int] = saved_array(state, "ids", "i").tolist()
    if len(set(ids)) < len(ids):
        raise InvalidParameter("saved ids must differ, got one twice")
    return ids


def _signs(state: State, name: str, count: int, n_classes: int | None) -> list[Label]:
    signs = saved_array(state, name, "i", length=count)
    if n_classes is None:
        _require(np.isin(signs, (-1, 1)), name, "-1 or +1")
    else:
        _require((signs >= 0) & (signs < n_classes), name, f"codes from 0 to {n_classes - 1}")
    listed: list[Label] = signs.tolist()
    return listed


def _probabilities(state: State, name: str, count: int) -> list[float]:
    found = saved_array(state, name, "f", length=count)
    _require((found > 0) & (found <= 1), name, "above 0 and at most 1")
    listed: list[float] = found.tolist()
    return listed


def _require(good: Bools, name: str, expected: str) -> None:
    if not good.all():
        raise InvalidParameter(f"saved {name} must be {expected}, got something else")


def _packed(rows: Sequence[Row]) -> State:
    """Rows one after the other, in half the room where all of them are of single precision."""
    packed = matrix_state(from_rows(rows))
    if all(row.values.dtype == np.float32 for row in rows):
        packed["values"] = packed["values"].astype(np.float32)
    if packed["width"] < 2**31:
        packed["indices"] = packed["indices"].astype(np.int32)
    return packed


def _unpacked(state: State, count: int, n_features: int | None) -> list[Row]:
    """Views of the packed rows."""
    packed = saved_part(state, "rows", dict)
    if "width" not in packed:
        # Version 2 kept none.
        indices: Any = saved_array(packed, "indices", "i")
        packed = packed | {"width": int(indices.max(initial=0)) + 1}
    X = matrix_from_state(packed, n_features)
    if X.shape[0] != count or not X.has_canonical_format:
        raise InvalidParameter(f"saved rows must be {count}, with indices that increase")
    # In the form that the steps are compiled for.
    indices, spans = X.indices.astype(np.int64), pairwise(X.indptr.tolist())
    return [Row(indices[start:stop], X.data[start:stop]) for start, stop in spans]
