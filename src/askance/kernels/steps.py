"""One row of one learner at a time, for callers in Python.

Handing an array over from Python costs more than the work on a short one. So the arrays of a group
of one setting stay where they are, and what is handed over is a table of their addresses; only the
values of its row are handed over themselves, as ``room``, and tell the precision of the state.
"""

from typing import Any

import numpy as np

from askance.kernels._jit import array_at, brief, inlined, matrix_at
from askance.kernels.cover import multiplier
from askance.kernels.formulas import sign
from askance.kernels.lanes import (
    Lanes,
    RowBuffer,
    Scratch,
    load_row,
    sweep_decay,
    sweep_margins,
)
from askance.kernels.linear import margin, row_fault, squared_norm
from askance.kernels.passes import Decisions, Grid, Progress
from askance.kernels.passes import decide as decide_all
from askance.kernels.passes import learn as learn_all
from askance.types import Floats, Integers

__all__ = ["learn", "offer", "predict"]

ROW = 0
STATE = ROW + len(RowBuffer._fields)
GRID = STATE + len(Lanes._fields)
PROGRESS = GRID + len(Grid._fields)
WORK = PROGRESS + len(Progress._fields)
OUT = WORK + len(Scratch._fields)
"""Where in a table the arrays of each tuple begin, in this order; one setting has them all."""


@inlined
def _row(table: Integers, values: Floats) -> RowBuffer:
    kind = values.dtype
    scaled, rates = array_at(table, ROW + 2, kind), array_at(table, ROW + 3, kind)
    return RowBuffer(array_at(table, ROW, np.int64), values, scaled, rates)


@inlined
def _lanes(table: Integers, kind: Any) -> Lanes:
    return Lanes(
        matrix_at(table, STATE, kind),
        matrix_at(table, STATE + 1, kind),
        array_at(table, STATE + 2, kind),
        array_at(table, STATE + 3, np.float64),
        array_at(table, STATE + 4, np.float64),
        array_at(table, STATE + 5, np.float64),
    )


@inlined
def _grid(table: Integers) -> Grid:
    return Grid(
        array_at(table, GRID, np.int64),
        array_at(table, GRID + 1, np.bool_),
        array_at(table, GRID + 2, np.bool_),
        array_at(table, GRID + 3, np.bool_),
        array_at(table, GRID + 4, np.float64),
        array_at(table, GRID + 5, np.float64),
        array_at(table, GRID + 6, np.float64),
        array_at(table, GRID + 7, np.float64),
        array_at(table, GRID + 8, np.float64),
        array_at(table, GRID + 9, np.float64),
        array_at(table, GRID + 10, np.int64),
    )


@inlined
def _progress(table: Integers) -> Progress:
    return Progress(
        array_at(table, PROGRESS, np.float64),
        array_at(table, PROGRESS + 1, np.float64),
        array_at(table, PROGRESS + 2, np.int64),
        array_at(table, PROGRESS + 3, np.bool_),
        array_at(table, PROGRESS + 4, np.float64),
        array_at(table, PROGRESS + 5, np.float64),
        array_at(table, PROGRESS + 6, np.float64),
    )


@inlined
def _scratch(table: Integers, kind: Any) -> Scratch:
    return Scratch(
        array_at(table, WORK, kind),
        array_at(table, WORK + 1, kind),
        array_at(table, WORK + 2, kind),
        array_at(table, WORK + 3, kind),
        array_at(table, WORK + 4, kind),
        array_at(table, WORK + 5, np.float64),
        array_at(table, WORK + 6, np.float64),
        array_at(table, WORK + 7, np.float64),
        array_at(table, WORK + 8, np.float64),
        array_at(table, WORK + 9, np.float64),
        array_at(table, WORK + 10, np.float64),
        array_at(table, WORK + 11, np.float64),
        array_at(table, WORK + 12, np.float64),
        array_at(table, WORK + 13, np.float64),
        array_at(table, WORK + 14, np.float64),
        array_at(table, WORK + 15, np.float64),
        array_at(table, WORK + 16, np.float64),
        array_at(table, WORK + 17, np.float64),
        array_at(table, WORK + 18, np.float64),
        array_at(table, WORK + 19, np.float64),
        array_at(table, WORK + 20, np.float64),
        matrix_at(table, WORK + 21, kind),
    )


@inlined
def _decisions(table: Integers) -> Decisions:
    return Decisions(
        array_at(table, OUT, np.float64),
        array_at(table, OUT + 1, np.bool_),
        array_at(table, OUT + 2, np.float64),
        array_at(table, OUT + 3, np.bool_),
        array_at(table, OUT + 4, np.float64),
        array_at(table, OUT + 5, np.float64),
        array_at(table, OUT + 6, np.float64),
    )


@inlined
def _is_bad(table: Integers, indices: Integers, values: Floats) -> bool:
    """Whether a row cannot be learned from, or there is no room for it."""
    n = indices.shape[0]
    if n != values.shape[0] or n >= table[ROW, 1]:
        return True
    return row_fault(indices, values, table[STATE, 1] - 1) >= 0


@brief
def predict(table: Integers, room: Floats, indices: Integers, values: Floats) -> int:
    """The prediction of the first lane; 0 for a row that is too long or cannot be learned from."""
    if _is_bad(table, indices, values):
        return 0
    row, lanes = _row(table, room), _lanes(table, room.dtype)
    n = load_row(indices, values, 0, indices.shape[0], lanes.scales, row)
    return sign(margin(row.indices[:n], row.scaled[:n], lanes.weights, 0))


@brief
def offer(
    table: Integers,
    room: Floats,
    indices: Integers,
    values: Floats,
    k: int,
    error_sum: float,
    coin: float,
) -> tuple[int, bool, float, bool, int, float, float]:
    """Decide on a row, and learn it at once if its label is not wanted: the fields of a Decision.

    A prediction of 0 says that the row is too long or cannot be learned from, or that the coin does
    not lie in [0, 1); then nothing has happened.
    """
    if _is_bad(table, indices, values) or not 0.0 <= coin < 1.0:
        return 0, False, 0.0, False, k, 0.0, 0.0
    row, lanes = _row(table, room), _lanes(table, room.dtype)
    grid, progress = _grid(table), _progress(table)
    work, out = _scratch(table, room.dtype), _decisions(table)
    progress.k[0], progress.error_sums[0] = float(k), error_sum
    for lane in range(1, progress.multipliers.shape[0]):
        progress.multipliers[lane] = multiplier(
            float(progress.numerators[lane]), float(progress.denominators[lane])
        )
    n = load_row(indices, values, 0, indices.shape[0], lanes.scales, row)
    norm = squared_norm(row.scaled[:n])
    decide_all(row, n, norm, coin, lanes, grid, progress, work, out)
    if not out.queried[0]:
        learn_all(row, n, norm, 1.0, lanes, grid, progress, work, out)
    return (
        int(out.predicted[0]),
        bool(out.inside[0]),
        float(out.probability[0]),
        bool(out.queried[0]),
        k,
        float(out.threshold[0]),
        float(out.floor[0]),
    )


@brief
def learn(
    table: Integers,
    room: Floats,
    indices: Integers,
    values: Floats,
    k: int,
    error_sum: float,
    predicted: int,
    inside: bool,
    probability: float,
    queried: bool,
    decided_k: int,
    threshold: float,
    floor: float,
    label: int,
) -> float:
    """Learn a row as it was decided, with its label where that was asked; the new error sum.

    It is negative for a row that is too long or cannot be learned from; then nothing has happened.
    """
    if _is_bad(table, indices, values):
        return -1.0
    row, lanes = _row(table, room), _lanes(table, room.dtype)
    grid, progress = _grid(table), _progress(table)
    work, out = _scratch(table, room.dtype), _decisions(table)
    progress.k[0], progress.error_sums[0] = float(k), error_sum
    out.predicted[0], out.inside[0] = float(predicted), inside
    out.probability[0], out.queried[0] = probability, queried
    out.k[0], out.threshold[0], out.floor[0] = float(decided_k), threshold, floor
    n = load_row(indices, values, 0, indices.shape[0], lanes.scales, row)
    sweep_margins(row, n, lanes.weights, work.margins)
    sweep_decay(work)
    norm = squared_norm(row.scaled[:n])
    learn_all(row, n, norm, float(label), lanes, grid, progress, work, out)
    return float(progress.error_sums[0])
