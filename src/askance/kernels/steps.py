"""One row of one learner at a time, for callers in Python.

Handing an array over from Python costs more than the work on a short one. So what a pass keeps in
some fifty arrays comes here packed into few, and the tuples of :mod:`askance.kernels.passes` are
made of views: all float64 quantities are rows of ``numbers``, those in the state's precision rows
of ``floats``, and a quantity by setting, of which there is one, is the first entry of its row.
"""

from collections.abc import Sequence

import numpy as np

from askance.kernels._jit import inlined, kernel
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

__all__ = ["Flags", "learn", "offer", "pack", "predict"]

Flags = np.ndarray[tuple[int], np.dtype[np.bool_]]


def pack(
    rates: Floats, grid: Grid, progress: Progress, work: Scratch, out: Decisions
) -> tuple[Floats, Flags, Integers, Floats]:
    """``numbers``, ``flags``, ``integers`` and ``floats`` of a single setting.

    >>> one, flag, whole = np.ones(1), np.ones(1, bool), np.ones(1, int)
    >>> grid = Grid(whole, flag, flag, flag, one, one, one, one, one, one, np.array([0, 1]))
    >>> progress = Progress(one, one, whole, flag, one, one, one)
    >>> work = Scratch(*[one] * 16, rates=np.ones((5, 1)))
    >>> out = Decisions(one, flag, one, flag, one, one, one)
    >>> [array.shape for array in pack(one, grid, progress, work, out)]
    [(26, 1), (6,), (4,), (10, 1)]
    """
    numbers = _rows([*work[5:16], rates, progress.multipliers, *progress[:2], *grid[4:10]], 5)
    flags = np.concatenate([*grid[1:4], progress.done, out.inside, out.queried])
    integers = np.concatenate([grid.kinds, progress.queries, grid.first])
    return numbers, flags, integers, np.concatenate([np.stack(work[:5]), work.rates])


def _rows(arrays: Sequence[Floats], more: int) -> Floats:
    """Arrays as the first entries of rows, and some rows of zeros."""
    packed: Floats = np.zeros((len(arrays) + more, arrays[0].shape[0]))
    for row, array in zip(packed, arrays, strict=False):
        row[: array.shape[0]] = array
    return packed


@inlined
def _progress(numbers: Floats, flags: Flags, integers: Integers, ratios: Floats) -> Progress:
    return Progress(
        numbers[13, :1],
        numbers[14, :1],
        integers[1:2],
        flags[3:4],
        ratios[0],
        ratios[1],
        numbers[12, : ratios.shape[1]],
    )


@inlined
def _grid(numbers: Floats, flags: Flags, integers: Integers) -> Grid:
    return Grid(
        integers[:1],
        flags[:1],
        flags[1:2],
        flags[2:3],
        numbers[15, :1],
        numbers[16, :1],
        numbers[17, :1],
        numbers[18, :1],
        numbers[19, :1],
        numbers[20, :1],
        integers[2:],
    )


@inlined
def _scratch(numbers: Floats, floats: Floats) -> Scratch:
    return Scratch(
        floats[0],
        floats[1],
        floats[2],
        floats[3],
        floats[4],
        numbers[0],
        numbers[1],
        numbers[2],
        numbers[3],
        numbers[4],
        numbers[5],
        numbers[6],
        numbers[7],
        numbers[8],
        numbers[9],
        numbers[10],
        floats[5:],
    )


@inlined
def _decisions(numbers: Floats, flags: Flags) -> Decisions:
    return Decisions(
        numbers[21, :1],
        flags[4:5],
        numbers[22, :1],
        flags[5:6],
        numbers[23, :1],
        numbers[24, :1],
        numbers[25, :1],
    )


@inlined
def _is_bad(indices: Integers, values: Floats, scales: Floats) -> bool:
    n_features = scales.shape[0] - 1
    return indices.shape[0] != values.shape[0] or row_fault(indices, values, n_features) >= 0


@kernel
def predict(
    weights: Floats,
    scales: Floats,
    entries: Floats,
    places: Integers,
    indices: Integers,
    values: Floats,
) -> int:
    """The prediction of the first lane, or 0 for a row that cannot be learned from.

    ``entries`` and ``places`` have room for one entry more than the row has.

    >>> room = np.zeros((2, 3)), np.zeros(3, np.int64)
    >>> state = np.array([[2.0], [-3.0], [0.0]]), np.ones(3)
    >>> predict(*state, *room, np.array([0]), np.array([1.0]))
    1
    >>> predict(*state, *room, np.array([2]), np.array([1.0]))
    0
    """
    if _is_bad(indices, values, scales):
        return 0
    row = RowBuffer(places, entries[0], entries[1])
    n = load_row(indices, values, 0, indices.shape[0], scales, row)
    return sign(margin(row.indices[:n], row.scaled[:n], weights, 0))


@kernel
def offer(
    weights: Floats,
    gradients: Floats,
    scales: Floats,
    norms: Floats,
    totals: Floats,
    ratios: Floats,
    numbers: Floats,
    flags: Flags,
    integers: Integers,
    floats: Floats,
    entries: Floats,
    places: Integers,
    indices: Integers,
    values: Floats,
    k: int,
    error_sum: float,
    coin: float,
) -> tuple[int, bool, float, bool, int, float, float]:
    """Decide on a row, and learn it at once if its label is not wanted: the fields of a Decision.

    A prediction of 0 says that the row cannot be learned from; then nothing has happened.
    """
    if _is_bad(indices, values, scales):
        return 0, False, 0.0, False, k, 0.0, 0.0
    row = RowBuffer(places, entries[0], entries[1])
    lanes = Lanes(weights, gradients, scales, norms, totals, numbers[11, : weights.shape[1]])
    grid, progress = _grid(numbers, flags, integers), _progress(numbers, flags, integers, ratios)
    work, out = _scratch(numbers, floats), _decisions(numbers, flags)
    progress.k[0], progress.error_sums[0] = float(k), error_sum
    for lane in range(1, ratios.shape[1]):
        progress.multipliers[lane] = multiplier(float(ratios[0, lane]), float(ratios[1, lane]))
    n = load_row(indices, values, 0, indices.shape[0], scales, row)
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


@kernel
def learn(
    weights: Floats,
    gradients: Floats,
    scales: Floats,
    norms: Floats,
    totals: Floats,
    ratios: Floats,
    numbers: Floats,
    flags: Flags,
    integers: Integers,
    floats: Floats,
    entries: Floats,
    places: Integers,
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

    It is negative for a row that cannot be learned from; then nothing has happened.
    """
    if _is_bad(indices, values, scales):
        return -1.0
    row = RowBuffer(places, entries[0], entries[1])
    lanes = Lanes(weights, gradients, scales, norms, totals, numbers[11, : weights.shape[1]])
    grid, progress = _grid(numbers, flags, integers), _progress(numbers, flags, integers, ratios)
    work, out = _scratch(numbers, floats), _decisions(numbers, flags)
    progress.k[0], progress.error_sums[0] = float(k), error_sum
    out.predicted[0], out.inside[0] = float(predicted), inside
    out.probability[0], out.queried[0] = probability, queried
    out.k[0], out.threshold[0], out.floor[0] = float(decided_k), threshold, floor
    n = load_row(indices, values, 0, indices.shape[0], scales, row)
    sweep_margins(row, n, weights, work.margins)
    sweep_decay(work)
    norm = squared_norm(row.scaled[:n])
    learn_all(row, n, norm, float(label), lanes, grid, progress, work, out)
    return float(progress.error_sums[0])
