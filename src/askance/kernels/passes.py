"""Whole-stream passes: every setting of a grid decides and learns on one sweep of each example.

The formulas are those of the readable learners; only the loop differs.
"""

import math

import numpy as np

from askance.kernels._jit import inlined, kernel
from askance.kernels._records import record_at
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
    RowBuffer,
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
    COAL,
    COVER,
    FIRST,
    IWAL,
    MARGIN,
    PASSIVE,
    Decisions,
    Grid,
    Pass,
    Progress,
    Stream,
)
from askance.kernels.updates import commit, commit_lane
from askance.kernels.walks import trains, walk_covers
from askance.types import Floats, Integers

__all__ = [
    "COAL",
    "COVER",
    "IWAL",
    "MARGIN",
    "PASSIVE",
    "Decisions",
    "Grid",
    "Pass",
    "Progress",
    "Stream",
    "bad_row",
    "count_mistakes",
    "decide",
    "learn",
    "run",
    "run_passive",
]


@inlined
def decide(p: Pass, n: int, norm: float, coin: float) -> None:
    """Decide for every setting; only ``work`` and ``decided`` are written.

    ``norm`` is the square of that of the scaled row.
    """
    grid, progress, work, out = p.grid, p.progress, p.work, p.decided
    settings = grid.kinds.shape[0]
    sweep_margins(p.row, n, p.lanes.weights, work.margins)
    sweep_decay(work)
    _sweep_sensitivities(p, n)
    for s in range(settings):
        f = np.float64(work.margins[s])
        k = progress.k[s]
        out.predicted[s] = sign(f)
        # As it is for an algorithm that has no region, no test and no floor; others write over it.
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
                gap = _error_gap(p, k, norm, s)
            mean_error = progress.error_sums[s] / k if k > 0.0 else 0.0
            if grid.kinds[s] == IWAL:
                _decide_iwal(p, gap, mean_error, k, s)
            else:
                _decide_cover(p, gap, mean_error, k, s)
        out.queried[s] = coin < out.probability[s]


@inlined
def _sweep_sensitivities(p: Pass, n: int) -> None:
    """Movements of the ERMs under a unit-weight update with the opposite label."""
    grid, work = p.grid, p.work
    settings = grid.kinds.shape[0]
    needed = False
    for s in range(settings):
        needed = needed or (grid.kinds[s] >= IWAL and not grid.by_margin[s])
        # -1 stands for any opposed agreement: of it only the sign is looked at.
        work.parts[s] = slope_squared(-1.0, work.decay[s], work.confidence[s])
    if needed:
        parts, moved = work.parts[:settings], work.moved[:settings]
        sweep_movements(p.row, n, p.lanes.gradients, parts, moved)


@inlined
def _error_gap(p: Pass, k: float, norm: float, s: int) -> float:
    """G of one setting, by the ``"sensitivity"`` or the ``"margin"`` test."""
    lanes, work = p.lanes, p.work
    if p.grid.by_margin[s]:
        return reverting_weight(work.revert[s], lanes.learning_rates[s] / math.sqrt(k)) / k
    factor = rate_factor(ADAPTIVE, lanes.norms[s] + norm, lanes.totals[s] + 1.0)
    sensitivity = lanes.learning_rates[s] * factor * np.float64(work.moved[s])
    return reverting_weight(work.revert[s], sensitivity) / k


@inlined
def _decide_iwal(p: Pass, gap: float, mean_error: float, k: float, s: int) -> None:
    grid, out = p.grid, p.decided
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
def _decide_cover(p: Pass, gap: float, mean_error: float, k: float, s: int) -> None:
    grid, out = p.grid, p.decided
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
            differs = sign(np.float64(p.work.margins[lane])) != out.predicted[s]
            q_squared += p.progress.multipliers[lane] if differs else 0.0
        out.probability[s] = query_probability(q_squared)


@inlined
def learn(p: Pass, n: int, norm: float, label: float) -> None:
    """Let every setting learn what its decision and the label make of the example.

    The margins in ``work`` must be those of this row.
    """
    # Only now, since decide must change nothing. The row was scaled as if it had been observed.
    observe(p.row.indices[:n], p.row.values[:n], p.lanes.scales)
    grid, progress, work = p.grid, p.progress, p.work
    for s in range(grid.kinds.shape[0]):
        # A setting that is done stays in its lanes until the next chunk; weight 0 changes nothing.
        if progress.done[s]:
            work.weights[s] = work.parts[s] = 0.0
        else:
            _learn_erm(p, label, s)
        if not trains(p, s):
            _rest(p, s)
    # The ERMs learn with the members, in one commit: no member looks at the ERM's new weights.
    commit(p, n, norm, _walk_if_any(p, n, norm, p.covers))


@inlined
def _walk_if_any(p: Pass, n: int, norm: float, covers: bool | None) -> bool:
    """Walk over the covers, if there are some and one trains; whether that was done."""
    # numba prunes a branch on an argument that is None before it compiles what is in it.
    if covers is not None:
        for s in range(p.grid.kinds.shape[0]):
            if trains(p, s):
                walk_covers(p, n, norm)
                return True
    return False


@inlined
def _rest(p: Pass, s: int) -> None:
    """Let no member of a setting learn."""
    for lane in range(p.grid.first[s], p.grid.first[s + 1]):
        p.work.weights[lane] = p.work.parts[lane] = 0.0


@inlined
def _learn_passively(p: Pass, n: int, norm: float, label: float) -> None:
    """``decide`` and ``learn`` of a lone passive learner: all that is left of them."""
    row, lanes, progress, work = p.row, p.lanes, p.progress, p.work
    f = margin(row.indices[:n], row.scaled[:n], lanes.weights, 0)
    observe(row.indices[:n], row.values[:n], lanes.scales)
    work.margins[0] = f
    work.decay[0] = exp_negative(-abs(f))
    work.targets[0] = label
    work.weights[0] = 1.0
    work.confidence[0] = confidence(work.decay[0])
    work.parts[0] = slope_squared(label * f, work.decay[0], work.confidence[0])
    commit_lane(p, n, norm, 0, False)
    p.decided.queried[0] = True
    if sign(f) != label:
        progress.error_sums[0] += 1.0
    progress.k[0] += 1.0


@inlined
def _learn_erm(p: Pass, label: float, s: int) -> None:
    """Y* and W of one setting, its clock and its error."""
    progress, work, decided = p.progress, p.work, p.decided
    if not decided.inside[s]:
        target, weight = decided.predicted[s], 1.0
    else:
        weight = importance_weight(decided.probability[s], decided.queried[s])
        # What is not queried has weight 0, and so no label: any target will do, and 1 is the one
        # that the readable learners write down.
        target = label if decided.queried[s] else 1.0
        if p.grid.kinds[s] == MARGIN and decided.queried[s]:
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
    table: Integers, room: Floats, stream: Stream, start: int, stop: int, budgets: Integers
) -> int:
    """Run rows ``start`` to ``stop`` of a stream, or up to the first at which a budget is reached.

    ``table`` holds a :class:`Pass`; ``room``, the values of its row, tells the precision. Returns
    the row to go on from. Settings that are done learn nothing any more.
    """
    p = record_at(table, Pass, room.dtype)
    for i in range(start, stop):
        n = _load(p, stream, i)
        norm = squared_norm(p.row.scaled[:n])
        decide(p, n, norm, stream.coins[i])
        learn(p, n, norm, float(stream.labels[i]))
        # The caller looks at the classifiers as they are at a budget, before the next row.
        if _count_queries(p, budgets):
            return i + 1
    return stop


@kernel
def run_passive(
    table: Integers, room: Floats, stream: Stream, start: int, stop: int, budgets: Integers
) -> int:
    """``run`` for a lone passive learner, which needs a fraction of it."""
    p = record_at(table, Pass, room.dtype)
    for i in range(start, stop):
        n = _load(p, stream, i)
        _learn_passively(p, n, squared_norm(p.row.scaled[:n]), float(stream.labels[i]))
        if _count_queries(p, budgets):
            return i + 1
    return stop


@inlined
def _load(p: Pass, stream: Stream, i: int) -> int:
    start, stop = stream.indptr[i], stream.indptr[i + 1]
    return load_row(stream.indices, stream.values, start, stop, p.lanes.scales, p.row)


@inlined
def _count_queries(p: Pass, budgets: Integers) -> bool:
    """Count the queries of this example; whether a setting has reached a budget with it."""
    progress = p.progress
    reached = False
    for s in range(p.grid.kinds.shape[0]):
        if p.decided.queried[s] and not progress.done[s]:
            progress.queries[s] += 1
            for q in range(budgets.shape[0]):
                reached = reached or budgets[q] == progress.queries[s]
    return reached
