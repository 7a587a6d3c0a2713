"""Whole-stream passes: every setting of a grid decides and learns on one sweep of each example.

The formulas are those of the readable learners; only the loop differs.
"""

import math

import numpy as np

from askance.kernels._jit import inlined, kernel
from askance.kernels.exponential import exp_negative
from askance.kernels.formulas import (
    importance_weight,
    iwal_aggressive_term,
    iwal_probability,
    iwal_slow_term,
    least_q_squared,
    margin_probability,
    min_query_probability,
    query_probability,
    regret_threshold,
    sign,
)
from askance.kernels.lanes import (
    Lanes,
    RowBuffer,
    Scratch,
    load_row,
    sweep_decay,
    sweep_margins,
    sweep_movements,
)
from askance.kernels.linear import (
    ADAPTIVE,
    margin,
    observe,
    rate_factor,
    reverting_weight,
    row_fault,
    squared_norm,
)
from askance.kernels.logistic import confidence, slope_squared
from askance.kernels.pass_records import (
    COVER,
    FIRST,
    IWAL,
    MARGIN,
    PASSIVE,
    Decisions,
    Grid,
    Progress,
    Stream,
)
from askance.kernels.updates import commit, commit_lane
from askance.kernels.walks import walk_covers
from askance.types import Floats, Integers

__all__ = [
    "COVER",
    "IWAL",
    "MARGIN",
    "PASSIVE",
    "Decisions",
    "Grid",
    "Progress",
    "Stream",
    "bad_row",
    "count_mistakes",
    "decide",
    "learn",
    "run",
]


@inlined
def decide(
    row: RowBuffer,
    n: int,
    norm: float,
    coin: float,
    lanes: Lanes,
    grid: Grid,
    progress: Progress,
    work: Scratch,
    out: Decisions,
) -> None:
    """Decide for every setting; only ``work`` and ``out`` are written.

    ``norm`` is the square of that of the scaled row.
    """
    settings = grid.kinds.shape[0]
    sweep_margins(row, n, lanes.weights, work.margins)
    sweep_decay(work)
    _sweep_sensitivities(row, n, lanes, grid, work)
    for s in range(settings):
        f = np.float64(work.margins[s])
        k = progress.k[s]
        out.predicted[s] = sign(f)
        out.inside[s] = True
        out.k[s] = k
        out.threshold[s] = math.inf
        out.floor[s] = 0.0
        if grid.kinds[s] == PASSIVE:
            out.probability[s] = 1.0
            out.floor[s] = 1.0
        elif grid.kinds[s] == MARGIN:
            out.probability[s] = margin_probability(f, grid.b[s])
        else:
            gap = 0.0
            if k > 0.0:
                gap = _error_gap(k, norm, lanes, grid, work, s)
            mean_error = progress.error_sums[s] / k if k > 0.0 else 0.0
            if grid.kinds[s] == IWAL:
                _decide_iwal(gap, mean_error, k, grid, out, s)
            else:
                _decide_cover(gap, mean_error, k, grid, progress, work, out, s)
        out.queried[s] = coin < out.probability[s]


@inlined
def _sweep_sensitivities(row: RowBuffer, n: int, lanes: Lanes, grid: Grid, work: Scratch) -> None:
    """Movements of the ERMs under a unit-weight update with the opposite label."""
    settings = grid.kinds.shape[0]
    needed = False
    for s in range(settings):
        needed = needed or (grid.kinds[s] >= IWAL and not grid.by_margin[s])
        work.parts[s] = slope_squared(-1.0, work.decay[s], work.confidence[s])
    if needed:
        sweep_movements(row, n, lanes.gradients, work.parts[:settings], work.moved[:settings])


@inlined
def _error_gap(k: float, norm: float, lanes: Lanes, grid: Grid, work: Scratch, s: int) -> float:
    """G of one setting, by either disagreement test."""
    if grid.by_margin[s]:
        return reverting_weight(work.revert[s], lanes.learning_rates[s] / math.sqrt(k)) / k
    factor = rate_factor(ADAPTIVE, lanes.norms[s] + norm, lanes.totals[s] + 1.0)
    sensitivity = lanes.learning_rates[s] * factor * np.float64(work.moved[s])
    return reverting_weight(work.revert[s], sensitivity) / k


@inlined
def _decide_iwal(
    gap: float, mean_error: float, k: float, grid: Grid, out: Decisions, s: int
) -> None:
    if k == 0.0:
        out.probability[s] = 1.0
        return
    a = iwal_slow_term(mean_error if grid.error_dependent[s] else 1.0, k, grid.c0[s])
    b = iwal_aggressive_term(k, grid.c0[s])
    out.threshold[s] = a + b
    if grid.oracular[s]:
        out.inside[s] = gap <= a + b
        out.probability[s] = 1.0 if out.inside[s] else 0.0
    else:
        out.probability[s] = iwal_probability(gap, a, b, grid.c1[s], grid.c2[s])


@inlined
def _decide_cover(
    gap: float,
    mean_error: float,
    k: float,
    grid: Grid,
    progress: Progress,
    work: Scratch,
    out: Decisions,
    s: int,
) -> None:
    out.threshold[s] = regret_threshold(mean_error, k, grid.c0[s], grid.alpha[s])
    out.floor[s] = min_query_probability(mean_error, k)
    out.inside[s] = k < FIRST or gap <= out.threshold[s]
    if not out.inside[s]:
        out.probability[s] = 0.0
    elif grid.oracular[s] or k < FIRST:
        out.probability[s] = 1.0
    else:
        q_squared = least_q_squared(out.floor[s])
        # Unsigned: numba need not look whether an index counts from the end.
        for lane in range(np.uint64(grid.first[s]), np.uint64(grid.first[s + 1])):
            differs = sign(np.float64(work.margins[lane])) != out.predicted[s]
            q_squared += progress.multipliers[lane] if differs else 0.0
        out.probability[s] = query_probability(q_squared)


@inlined
def learn(
    row: RowBuffer,
    n: int,
    norm: float,
    label: float,
    lanes: Lanes,
    grid: Grid,
    progress: Progress,
    work: Scratch,
    decided: Decisions,
) -> None:
    """Let every setting learn what its decision and the label make of the example.

    The margins in ``work`` must be those of this row.
    """
    observe(row.indices[:n], row.values[:n], lanes.scales)
    settings = grid.kinds.shape[0]
    trains = False
    for s in range(settings):
        begun = decided.k[s] >= FIRST - 1.0
        if progress.done[s]:
            work.weights[s] = work.parts[s] = 0.0
        else:
            _learn_erm(label, grid, progress, work, decided, s)
            trains = trains or begun
        if progress.done[s] or not begun:
            _rest(grid, work, s)
    if not trains or grid.first[settings] == settings:
        commit(row, n, lanes, work, norm, False)
        return
    walk_covers(row, n, norm, lanes, grid, progress, work, decided)
    commit(row, n, lanes, work, norm, True)


@inlined
def _rest(grid: Grid, work: Scratch, s: int) -> None:
    """Let no member of a setting learn."""
    for lane in range(grid.first[s], grid.first[s + 1]):
        work.weights[lane] = work.parts[lane] = 0.0


@inlined
def _learn_passively(
    row: RowBuffer,
    n: int,
    norm: float,
    label: float,
    lanes: Lanes,
    progress: Progress,
    work: Scratch,
    decided: Decisions,
) -> None:
    """``decide`` and ``learn`` of a lone passive learner: all that is left of them."""
    f = margin(row.indices[:n], row.scaled[:n], lanes.weights, 0)
    observe(row.indices[:n], row.values[:n], lanes.scales)
    work.margins[0] = f
    work.decay[0] = exp_negative(-abs(f))
    work.targets[0] = label
    work.weights[0] = 1.0
    work.confidence[0] = confidence(work.decay[0])
    work.parts[0] = slope_squared(label * f, work.decay[0], work.confidence[0])
    commit_lane(row, n, lanes, work, 0, norm, False)
    decided.queried[0] = True
    if sign(f) != label:
        progress.error_sums[0] += 1.0
    progress.k[0] += 1.0


@inlined
def _learn_erm(
    label: float, grid: Grid, progress: Progress, work: Scratch, decided: Decisions, s: int
) -> None:
    """Y* and W of one setting, its clock and its error."""
    if not decided.inside[s]:
        target, weight = decided.predicted[s], 1.0
    else:
        weight = importance_weight(decided.probability[s], decided.queried[s])
        target = label if decided.queried[s] else 1.0
        if grid.kinds[s] == MARGIN and decided.queried[s]:
            weight = 1.0
    work.targets[s] = target
    work.weights[s] = weight
    agreement = target * np.float64(work.margins[s])
    work.parts[s] = weight * slope_squared(agreement, work.decay[s], work.confidence[s])
    if decided.predicted[s] != target:
        progress.error_sums[s] += weight
    progress.k[s] += 1.0


@kernel
def bad_row(stream: Stream) -> int:
    """The first row that cannot be learned from, or -1."""
    for i in range(stream.labels.shape[0]):
        start, stop = stream.indptr[i], stream.indptr[i + 1]
        indices, values = stream.indices[start:stop], stream.values[start:stop]
        if row_fault(indices, values, stream.n_features) >= 0:
            return i
    return -1


@kernel
def count_mistakes(
    test: Stream, row: RowBuffer, scales: Floats, weights: Floats, margins: Floats, wrong: Integers
) -> None:
    """Add to ``wrong`` the test rows that each lane of ``weights`` gets wrong."""
    for i in range(test.labels.shape[0]):
        n = load_row(test.indices, test.values, test.indptr[i], test.indptr[i + 1], scales, row)
        sweep_margins(row, n, weights, margins)
        for lane in range(margins.shape[0]):
            wrong[lane] += sign(np.float64(margins[lane])) != test.labels[i]


@kernel
def run(
    stream: Stream,
    start: int,
    stop: int,
    lanes: Lanes,
    row: RowBuffer,
    grid: Grid,
    progress: Progress,
    work: Scratch,
    decided: Decisions,
    budgets: Integers,
) -> int:
    """Run rows ``start`` to ``stop`` of a stream, or up to the first at which a budget is reached.

    Returns the row to go on from. Settings that are done learn nothing any more.
    """
    alone = lanes.weights.shape[1] == 1 and grid.kinds[0] == PASSIVE and not progress.done[0]
    for i in range(start, stop):
        n = load_row(
            stream.indices, stream.values, stream.indptr[i], stream.indptr[i + 1], lanes.scales, row
        )
        norm, label = squared_norm(row.scaled[:n]), float(stream.labels[i])
        if alone:
            _learn_passively(row, n, norm, label, lanes, progress, work, decided)
        else:
            decide(row, n, norm, stream.coins[i], lanes, grid, progress, work, decided)
            learn(row, n, norm, label, lanes, grid, progress, work, decided)
        reached = False
        for s in range(grid.kinds.shape[0]):
            if decided.queried[s] and not progress.done[s]:
                progress.queries[s] += 1
                for q in range(budgets.shape[0]):
                    reached = reached or budgets[q] == progress.queries[s]
        if reached:
            return i + 1
    return stop
