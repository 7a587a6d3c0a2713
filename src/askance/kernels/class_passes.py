"""Whole-stream passes of one learner of several classes: its lanes ride the sweeps of a cover.

The formulas are those of the readable learners; only the loop differs.
"""

import math

import numpy as np

from askance.kernels._jit import inlined, kernel
from askance.kernels._records import record_at
from askance.kernels.classes import (
    best_two,
    least_winning_weight,
    least_winning_weight_of_costs,
)
from askance.kernels.costs import cost_radius, find_ranges, mark_wanted, range_limit
from askance.kernels.formulas import (
    importance_weight,
    iwal_aggressive_term,
    iwal_probability,
    iwal_slow_term,
    margin_probability,
)
from askance.kernels.lanes import (
    load_row,
    sweep_decay,
    sweep_margins,
    sweep_movements,
    sweep_rates,
)
from askance.kernels.linear import ADAPTIVE, flip_weight, observe, rate_factor, squared_norm
from askance.kernels.logistic import slope_squared
from askance.kernels.pass_records import COAL, MARGIN, PASSIVE, ClassPass, Stream
from askance.kernels.updates import commit, commit_costs
from askance.types import Floats, Integers

__all__ = ["count_wrong", "decide_class", "learn_class", "run_classes", "score_classes"]


@inlined
def score_classes(p: ClassPass, n: int) -> tuple[int, float]:
    """Margins or costs of all classes; the best one and its lead."""
    b, c = p.base, p.classes
    sweep_margins(b.row, n, b.lanes.weights, b.work.margins)
    for y in range(c.scores.shape[0]):
        c.scores[y] = np.float64(b.work.margins[y])
    return best_two(c.scores, -1.0 if c.squared[0] else 1.0)


@inlined
def decide_class(p: ClassPass, n: int, norm: float, coin: float) -> None:
    """Decide on the current row; only ``work``, ``classes`` and ``decided`` are written.

    ``norm`` is the square of that of the scaled row.
    """
    b, out = p.base, p.base.decided
    kind, k = b.grid.kinds[0], b.progress.k[0]
    best, lead = score_classes(p, n)
    out.predicted[0] = float(best)
    out.inside[0] = True
    out.k[0] = k
    out.threshold[0] = math.inf
    out.floor[0] = 0.0
    out.probability[0] = 1.0
    if kind == PASSIVE:
        out.floor[0] = 1.0
    elif kind == MARGIN:
        out.probability[0] = margin_probability(0.5 * lead, b.grid.b[0])
    elif kind == COAL:
        _decide_coal(p, n, norm, k)
    elif k > 0.0:
        _decide_iwal(p, n, norm, 0.5 * lead, k)
    out.queried[0] = coin < out.probability[0]


@inlined
def _decide_coal(p: ClassPass, n: int, norm: float, k: float) -> None:
    c, grid, out = p.classes, p.base.grid, p.base.decided
    t, classes = k + 1.0, float(c.scores.shape[0])
    _sweep_sensitivities(p, n, norm, 0.0, c.up)
    radius = cost_radius(classes, t, grid.c0[0]) if k > 0.0 else math.inf
    find_ranges(c.scores, c.up, radius, c.low, c.high)
    out.threshold[0] = range_limit(t, grid.c1[0])
    mark_wanted(c.low, c.high, out.threshold[0], c.wanted)
    asks = False
    for y in range(c.wanted.shape[0]):
        asks = asks or c.wanted[y]
    out.inside[0] = asks
    out.probability[0] = 1.0 if asks else 0.0


@inlined
def _decide_iwal(p: ClassPass, n: int, norm: float, half: float, k: float) -> None:
    grid, progress, out = p.base.grid, p.base.progress, p.base.decided
    gap = _error_gap(p, n, norm, half, k)
    mean_error = progress.error_sums[0] / k
    a = iwal_slow_term(mean_error if grid.error_dependent[0] else 1.0, k, grid.c0[0])
    b = iwal_aggressive_term(k, grid.c0[0])
    out.threshold[0] = a + b
    out.probability[0] = iwal_probability(gap, a, b, grid.c1[0], grid.c2[0])


@inlined
def _error_gap(p: ClassPass, n: int, norm: float, half: float, k: float) -> float:
    """G, by the ``"sensitivity"`` or the ``"margin"`` test."""
    b, c = p.base, p.classes
    if b.grid.by_margin[0]:
        return flip_weight(half, b.lanes.learning_rates[0] / math.sqrt(k)) / k
    _sweep_sensitivities(p, n, norm, 1.0, c.up)
    if c.squared[0]:
        return least_winning_weight_of_costs(c.scores, c.up, c.costs) / k
    _sweep_sensitivities(p, n, norm, -1.0, c.down)
    return least_winning_weight(c.scores, c.up, c.down) / k


@inlined
def _sweep_sensitivities(p: ClassPass, n: int, norm: float, target: float, found: Floats) -> None:
    """Rate times movement of the lane of each class under an update of unit weight."""
    b, c, classes = p.base, p.classes, found.shape[0]
    lanes, work = b.lanes, b.work
    if c.squared[0]:
        # With the spare lane and the rates: a label of weight 1 that comes at once needs them.
        for lane in range(classes + 1):
            work.parts[lane] = 1.0
        count = lanes.weights.shape[1]
        sweep_rates(b.row, n, lanes.gradients, work.parts, work.moved, work.rates, 0, count)
    else:
        sweep_decay(work)
        for y in range(classes):
            agreement = target * c.scores[y]
            work.parts[y] = slope_squared(agreement, work.decay[y], work.confidence[y])
        sweep_movements(b.row, n, lanes.gradients, work.parts[:classes], work.moved[:classes])
    for y in range(classes):
        factor = rate_factor(ADAPTIVE, lanes.norms[y] + norm, lanes.totals[y] + 1.0)
        found[y] = lanes.learning_rates[y] * factor * np.float64(work.moved[y])


@inlined
def learn_class(p: ClassPass, n: int, norm: float, label: int, ready: bool) -> None:
    """Learn what the decision and the label make of the example, which has been scored.

    ``ready`` says that it was decided just now, so that the rates are those of a weight of 1.
    """
    b, c = p.base, p.classes
    progress, decided = b.progress, b.decided
    # Only now, since decide must change nothing. The row was scaled as if it had been observed.
    observe(b.row.indices[:n], b.row.values[:n], b.lanes.scales)
    progress.k[0] += 1.0
    if not decided.queried[0]:
        return
    weight = importance_weight(decided.probability[0], True)
    if b.grid.kinds[0] in (MARGIN, COAL):
        weight = 1.0
    best = int(decided.predicted[0])
    if best != label:
        progress.error_sums[0] += weight * (c.costs[label, best] - c.costs[label, label])
    if c.squared[0]:
        _set_costs(p, label, weight)
        commit_costs(b, n, norm, ready)
    else:
        _set_targets(p, label, weight)
        commit(b, n, norm, False)


@inlined
def _set_costs(p: ClassPass, label: int, weight: float) -> None:
    work, costs = p.base.work, p.classes.costs
    for lane in range(costs.shape[0] + 1):
        work.targets[lane] = costs[label, lane] if lane < costs.shape[0] else 1.0
        work.weights[lane] = work.parts[lane] = weight


@inlined
def _set_targets(p: ClassPass, label: int, weight: float) -> None:
    work = p.base.work
    sweep_decay(work)
    for lane in range(p.classes.costs.shape[0] + 1):
        target = 1.0 if lane == label else -1.0
        agreement = target * np.float64(work.margins[lane])
        work.targets[lane], work.weights[lane] = target, weight
        work.parts[lane] = weight * slope_squared(
            agreement, work.decay[lane], work.confidence[lane]
        )


@kernel
def run_classes(
    table: Integers, room: Floats, stream: Stream, start: int, stop: int, budgets: Integers
) -> int:
    """Run rows ``start`` to ``stop`` of a stream, or up to the first at which a budget is reached.

    As :func:`~askance.kernels.passes.run`, for one learner of several classes.
    """
    p = record_at(table, ClassPass, room.dtype)
    b = p.base
    for i in range(start, stop):
        first, last = stream.indptr[i], stream.indptr[i + 1]
        n = load_row(stream.indices, stream.values, first, last, b.lanes.scales, b.row)
        norm = squared_norm(b.row.scaled[:n])
        decide_class(p, n, norm, stream.coins[i])
        learn_class(p, n, norm, int(stream.labels[i]), b.grid.kinds[0] == COAL)
        if b.decided.queried[0]:
            b.progress.queries[0] += 1
            for q in range(budgets.shape[0]):
                if budgets[q] == b.progress.queries[0]:
                    return i + 1
    return stop


@kernel
def count_wrong(table: Integers, room: Floats, test: Stream) -> int:
    """How many test rows the learner gets wrong."""
    p = record_at(table, ClassPass, room.dtype)
    wrong = 0
    for i in range(test.labels.shape[0]):
        first, last = test.indptr[i], test.indptr[i + 1]
        n = load_row(test.indices, test.values, first, last, p.base.lanes.scales, p.base.row)
        wrong += score_classes(p, n)[0] != test.labels[i]
    return wrong
