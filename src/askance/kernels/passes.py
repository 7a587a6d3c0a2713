"""Whole-stream passes: every setting of a grid decides and learns on one sweep of each example.

A setting is one learner with its parameters. Its ERM is lane s, and the members of its cover are
the lanes from ``first[s]`` to ``first[s + 1]``. The formulas are those of the readable learners;
only the loop differs.
"""

import math
from typing import NamedTuple

import numpy as np

from askance.kernels import cover
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
    commit,
    commit_lane,
    flips,
    has_tiny,
    load_row,
    sweep_decay,
    sweep_margins,
    sweep_movements,
    sweep_rates,
)
from askance.kernels.linear import (
    ADAPTIVE,
    margin,
    observe,
    rate_factor,
    reverting_weight,
    row_fault,
    slope_squared,
    squared_norm,
)
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

PASSIVE, MARGIN, IWAL, COVER = 0, 1, 2, 3

FIRST = 3.0
"""The labels of the first three examples are always asked by the cover."""


class Grid(NamedTuple):
    """Parameters by setting, and ``first``: where the lanes of each cover begin, and the end."""

    kinds: Integers
    oracular: np.ndarray[tuple[int], np.dtype[np.bool_]]
    error_dependent: np.ndarray[tuple[int], np.dtype[np.bool_]]
    by_margin: np.ndarray[tuple[int], np.dtype[np.bool_]]
    c0: Floats
    c1: Floats
    c2: Floats
    b: Floats
    alpha: Floats
    beta2: Floats
    first: Integers


class Progress(NamedTuple):
    """What settings have counted, and the multipliers of their cover members by lane."""

    k: Floats
    error_sums: Floats
    queries: Integers
    done: np.ndarray[tuple[int], np.dtype[np.bool_]]
    numerators: Floats
    denominators: Floats
    multipliers: Floats


class Decisions(NamedTuple):
    """The fields of a Decision by setting."""

    predicted: Floats
    inside: np.ndarray[tuple[int], np.dtype[np.bool_]]
    probability: Floats
    queried: np.ndarray[tuple[int], np.dtype[np.bool_]]
    k: Floats
    threshold: Floats
    floor: Floats


class Stream(NamedTuple):
    """Rows in CSR form with their labels; for the training stream also one coin a row."""

    indptr: Integers
    indices: Integers
    values: Floats
    labels: Integers
    coins: Floats


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
        work.parts[s] = work.against_slopes[s]
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
        for lane in range(grid.first[s], grid.first[s + 1]):
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
    settings, count = grid.kinds.shape[0], lanes.weights.shape[1]
    trains = False
    for lane in range(count):
        work.weights[lane] = 0.0
        work.targets[lane] = 1.0
        work.parts[lane] = 0.0
        work.trials[lane] = -1.0
    for s in range(settings):
        if not progress.done[s]:
            _learn_erm(label, grid, progress, work, decided, s)
            trains = trains or decided.k[s] >= FIRST - 1.0
    if not trains or count == settings:
        commit(row, n, lanes, work, norm)
        return
    tiny = has_tiny(row, n)
    _walk_cover(row, n, norm, tiny, lanes, grid, progress, work, decided, True)
    for lane in range(count):
        work.trials[lane] = work.parts[lane]
    sweep_rates(row, n, lanes.gradients, work.trials, work.rates, work.moved)
    _walk_cover(row, n, norm, tiny, lanes, grid, progress, work, decided, False)
    commit(row, n, lanes, work, norm)


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
    work.parts[0] = slope_squared(label * f, work.decay[0])
    work.trials[0] = -1.0
    commit_lane(row, n, lanes, work, 0, norm)
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
    agrees = target * np.float64(work.margins[s]) > 0.0
    work.parts[s] = weight * (work.with_slopes[s] if agrees else work.against_slopes[s])
    if decided.predicted[s] != target:
        progress.error_sums[s] += weight
    progress.k[s] += 1.0


@inlined
def _walk_cover(
    row: RowBuffer,
    n: int,
    norm: float,
    tiny: bool,
    lanes: Lanes,
    grid: Grid,
    progress: Progress,
    work: Scratch,
    decided: Decisions,
    trial: bool,
) -> None:
    """The loop over t of ``alg:cover`` for all settings.

    Whether a member's update flips its prediction decides the weights of all later members, and
    needs a sum over features; so a trial walk first guesses it from the last example, all sums are
    computed in one sweep at the guessed weights, and the real walk then rarely needs another.
    Outside the region no weight depends on another member, so nothing is guessed.
    """
    for s in range(grid.kinds.shape[0]):
        alone = grid.first[s] == grid.first[s + 1]
        if alone or progress.done[s] or decided.k[s] < FIRST - 1.0:
            continue
        if not trial:
            _walk(row, n, norm, tiny, lanes, grid, progress, work, decided, s)
        elif decided.inside[s]:
            _guess(lanes, grid, progress, work, decided, s)
        else:
            _weigh_outside(grid, work, decided, s)


@inlined
def _cost_gap(grid: Grid, work: Scratch, decided: Decisions, s: int, q_squared: float) -> float:
    """The cost gap of a member of which the ones before it leave this q squared."""
    regret = cover.regret_weight(grid.beta2[s], decided.k[s], decided.threshold[s])
    agrees = decided.predicted[s] == work.targets[s]
    p = query_probability(q_squared)
    return cover.cost_gap(regret, agrees, work.weights[s], decided.inside[s], grid.alpha[s], p)


@inlined
def _guess(
    lanes: Lanes, grid: Grid, progress: Progress, work: Scratch, decided: Decisions, s: int
) -> None:
    """The trial walk of one setting: only ``parts`` are written."""
    predicted = decided.predicted[s]
    learning_rate = lanes.learning_rates[s]
    q_squared = float(least_q_squared(decided.floor[s]))
    gap = _cost_gap(grid, work, decided, s, q_squared)
    for lane in range(grid.first[s], grid.first[s + 1]):
        agreement, weight = predicted * np.float64(work.margins[lane]), abs(gap)
        settled = agreement > 0.0 if gap <= 0.0 else agreement < 0.0
        if settled:
            work.parts[lane] = weight * work.with_slopes[lane]
        else:
            work.parts[lane] = weight * work.against_slopes[lane]
            settled = learning_rate * weight * work.reach[lane] > work.revert[lane]
        if settled == (gap > 0.0):
            multiplier = _disagree(gap, q_squared, True, progress, True, lane)
            if multiplier != 0.0:
                q_squared += multiplier
                gap = _cost_gap(grid, work, decided, s, q_squared)


@inlined
def _weigh_outside(grid: Grid, work: Scratch, decided: Decisions, s: int) -> None:
    """What the members of one setting learn: all the same."""
    begin, end = grid.first[s], grid.first[s + 1]
    gap = _cost_gap(grid, work, decided, s, 1.0)
    target, weight = (decided.predicted[s] if gap <= 0.0 else -decided.predicted[s]), abs(gap)
    _fill(work.targets[begin:end], target)
    _fill(work.weights[begin:end], weight)
    _weigh(
        target, weight, work.margins[begin:end], work.with_slopes[begin:end],
        work.against_slopes[begin:end], work.parts[begin:end],
    )  # fmt: skip


@kernel
def _fill(array: Floats, value: float) -> None:
    for lane in range(array.shape[0]):
        array[lane] = value


@kernel
def _weigh(
    target: float,
    weight: float,
    margins: Floats,
    with_slopes: Floats,
    against_slopes: Floats,
    parts: Floats,
) -> None:
    for lane in range(margins.shape[0]):
        agreeing, opposed = with_slopes[lane], against_slopes[lane]
        settled = target * np.float64(margins[lane]) > 0.0
        parts[lane] = weight * (agreeing if settled else opposed)


@inlined
def _walk(
    row: RowBuffer,
    n: int,
    norm: float,
    tiny: bool,
    lanes: Lanes,
    grid: Grid,
    progress: Progress,
    work: Scratch,
    decided: Decisions,
    s: int,
) -> None:
    """The real walk of one setting."""
    predicted, inside = decided.predicted[s], decided.inside[s]
    q_squared = float(least_q_squared(decided.floor[s]))
    gap = _cost_gap(grid, work, decided, s, q_squared)
    for lane in range(grid.first[s], grid.first[s + 1]):
        if not inside and gap <= 0.0 and progress.numerators[lane] == 0.0:
            continue  # a disagreement would change nothing
        f = np.float64(work.margins[lane])
        target, weight = (predicted if gap <= 0.0 else -predicted), abs(gap)
        settled = target * f > 0.0
        slope = work.with_slopes[lane] if settled else work.against_slopes[lane]
        work.targets[lane] = target
        work.weights[lane] = weight
        work.parts[lane] = weight * slope
        if weight > 0.0 and not settled:
            settled = flips(row, n, lanes, work, lane, norm, tiny)
        if (target if settled else sign(f)) != predicted:
            multiplier = _disagree(gap, q_squared, inside, progress, False, lane)
            if inside and multiplier != 0.0:
                q_squared += multiplier
                gap = _cost_gap(grid, work, decided, s, q_squared)


@inlined
def _disagree(
    gap: float, q_squared: float, inside: bool, progress: Progress, trial: bool, lane: int
) -> float:
    """The multiplier of a member that disagrees after its update; a trial keeps nothing of it."""
    # As plain floats: interpreted, those of an array would warn where these become infinite.
    q_squared, gap = float(q_squared), float(gap)
    numerator = cover.numerator_step(float(progress.numerators[lane]), gap, True)
    denominator = cover.denominator_step(float(progress.denominators[lane]), q_squared, inside)
    multiplier = cover.multiplier(numerator, denominator)
    if not trial:
        progress.numerators[lane] = numerator
        progress.denominators[lane] = denominator
        progress.multipliers[lane] = multiplier
    return multiplier


@kernel
def bad_row(stream: Stream, n_features: int) -> int:
    """The first row that cannot be learned from, or -1."""
    for i in range(stream.labels.shape[0]):
        start, stop = stream.indptr[i], stream.indptr[i + 1]
        if row_fault(stream.indices[start:stop], stream.values[start:stop], n_features) >= 0:
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
