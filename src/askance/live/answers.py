"""The rows that a live learner keeps: those that await a label, and those that have one.

In a file each of their arrays is one member, however many rows there are.
"""

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from askance.errors import FileUnreadable
from askance.types import Decision, Label, Row, State, WeightedSample

__all__ = [
    "Answer",
    "Pending",
    "answers_from",
    "answers_state",
    "pending_from",
    "pending_state",
    "sample_of",
]

Answer = tuple[Label, Row | None, float]
"""A label, its row (None if an old file did not keep it), and the probability of asking."""

Pending = tuple[Row, Decision]
"""A row whose label is awaited, and what was decided for it."""


def sample_of(answers: Mapping[int, Answer], n: int, width: int | None) -> WeightedSample:
    """The weighted sample of ``n`` offered examples, in the order of the questions.

    >>> x = Row(np.array([1]), np.array([3.0]))
    >>> sample = sample_of({4: (1, x, 0.5), 2: (-1, x, 1.0)}, n=6, width=2)
    >>> sample.ids.tolist(), sample.y.tolist(), sample.weight.tolist(), sample.n
    ([2, 4], [-1, 1], [1.0, 2.0], 6)
    """
    ids = sorted(answers)
    rows = [row for id in ids if (row := answers[id][1]) is not None]
    if len(rows) < len(ids):
        raise FileUnreadable(
            f"{len(ids) - len(rows)} labels come from a file of an older askance, which kept no "
            "rows, so there is no weighted sample"
        )
    packed = _packed(rows)
    if width is None:
        width = int(packed["indices"].max(initial=-1)) + 1
    # Several estimators, trees among them, take no 64-bit indices.
    small = np.int32 if max(width, len(packed["indices"])) < 2**31 else np.int64
    places = packed["indices"].astype(small), packed["indptr"].astype(small)
    parts = packed["values"].astype(np.float64), *places
    return WeightedSample(
        X=csr_array(parts, shape=(len(ids), width)),
        y=np.array([answers[id][0] for id in ids], np.int8),
        weight=1.0 / np.array([answers[id][2] for id in ids], np.float64),
        n=n,
        ids=np.array(ids, np.int64),
    )


def answers_state(answers: Mapping[int, Answer]) -> State:
    """The answers as arrays; from an old file, only their ids and labels."""
    rows = [row for _, row, _ in answers.values() if row is not None]
    return {
        "ids": np.array(list(answers), np.int64),
        "labels": np.array([label for label, _, _ in answers.values()], np.int8),
        "probabilities": np.array([p for _, _, p in answers.values()], np.float64),
        "kept": np.array([row is not None for _, row, _ in answers.values()], np.bool_),
        "rows": _packed(rows),
    }


def answers_from(state: State | Sequence[Sequence[int]]) -> dict[int, Answer]:
    """The answers of :func:`answers_state`, or the pairs of id and label that files once held."""
    if not isinstance(state, dict):
        return {id: (label, None, np.nan) for id, label in state}
    rows = iter(_unpacked(state["rows"]))
    kept = [next(rows) if is_kept else None for is_kept in state["kept"].tolist()]
    columns = state["labels"].tolist(), kept, state["probabilities"].tolist()
    return dict(zip(state["ids"].tolist(), zip(*columns, strict=True), strict=True))


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


def pending_from(state: State | Sequence[State]) -> dict[int, Pending]:
    """The questions of :func:`pending_state`, or those that files once held one by one."""
    if not isinstance(state, dict):
        return {
            item["id"]: (Row(item["indices"], item["values"]), Decision(**item["decision"]))
            for item in state
        }
    columns = [state["decisions"][name].tolist() for name in Decision._fields]
    decisions = map(Decision._make, zip(*columns, strict=True))
    pairs = zip(_unpacked(state["rows"]), decisions, strict=True)
    return dict(zip(state["ids"].tolist(), pairs, strict=True))


def _packed(rows: Sequence[Row]) -> dict[str, Any]:
    """Rows one after the other, in the precision that they have."""
    return {
        "indptr": np.cumsum([0, *(len(row.indices) for row in rows)]),
        "indices": np.concatenate([np.zeros(0, np.int32), *(row.indices for row in rows)]),
        "values": np.concatenate([np.zeros(0, np.float32), *(row.values for row in rows)]),
    }


def _unpacked(packed: State) -> list[Row]:
    """Views of the packed rows."""
    spans = [slice(*ends) for ends in itertools.pairwise(packed["indptr"].tolist())]
    return [Row(packed["indices"][span], packed["values"][span]) for span in spans]
