"""The loop over t of ``alg:cover``, for the members of all covers at once.

Whether a member's update flips its prediction decides the weights of all later members, and needs a
sum over features. So a walk first guesses it from the last example, and from how far both rows move
the ERM; then the sums of all members are computed in one sweep, and where they confirm the guess,
as for most settings, the walk was the real one. Outside the region no weight depends on another
member.
"""

import numpy as np

from askance.kernels import cover
from askance.kernels._jit import inlined, kernel
from askance.kernels.formulas import least_q_squared, query_probability, sign
from askance.kernels.lanes import Lanes, RowBuffer, Scratch, sweep_rates
from askance.kernels.logistic import slope_squared
from askance.kernels.pass_records import FIRST, Decisions, Grid, Progress
from askance.kernels.updates import ANY, any_from, find_doubts, find_pushes, flips, has_tiny
from askance.types import Floats

__all__ = ["walk_covers"]


@inlined
def walk_covers(
    row: RowBuffer,
    n: int,
    norm: float,
    lanes: Lanes,
    grid: Grid,
    progress: Progress,
    work: Scratch,
    decided: Decisions,
) -> None:
    """Find what the members of all covers learn, and update their multipliers.

    The rates and pushes of all lanes are left for the commit; the parts of the ERMs must be there.
    """
    settings, count = grid.kinds.shape[0], lanes.weights.shape[1]
    for s in range(settings):
        if _walks(grid, progress, decided, s):
            _guess(row, n, norm, lanes, grid, progress, work, decided, s)
    for lane in range(count):
        work.trials[lane] = work.parts[lane]
    sweep_rates(row, n, lanes.gradients, work.parts, work.moved, work.rates, 0, count)
    find_pushes(lanes, work, norm, 0, count)
    find_doubts(work.targets, work.margins, work.pushes, work.revert, work.expected, work.doubts)
    tiny = has_tiny(row, n)
    for s in range(settings):
        members = work.doubts[grid.first[s] : grid.first[s + 1]]
        if _walks(grid, progress, decided, s) and any_from(1.0, members):
            _walk_again(row, n, norm, tiny, lanes, grid, progress, work, decided, s)


@inlined
def _walks(grid: Grid, progress: Progress, decided: Decisions, s: int) -> bool:
    """Whether the cover of a setting, if it has one, learns from this example."""
    alone = grid.first[s] == grid.first[s + 1]
    return not (alone or progress.done[s] or decided.k[s] < FIRST - 1.0)


@inlined
def _cost_gap(grid: Grid, work: Scratch, decided: Decisions, s: int, q_squared: float) -> float:
    """The cost gap of a member of which the ones before it leave this q squared."""
    regret = cover.regret_weight(grid.beta2[s], decided.k[s], decided.threshold[s])
    agrees = decided.predicted[s] == work.targets[s]
    p = query_probability(q_squared)
    return cover.cost_gap(regret, agrees, work.weights[s], decided.inside[s], grid.alpha[s], p)


@inlined
def _guess(
    row: RowBuffer,
    n: int,
    norm: float,
    lanes: Lanes,
    grid: Grid,
    progress: Progress,
    work: Scratch,
    decided: Decisions,
    s: int,
) -> None:
    """The walk of one setting, as far as it needs no sum over features."""
    begin, end = grid.first[s], grid.first[s + 1]
    if decided.inside[s]:
        _copy(progress.numerators[begin:end], work.numerators[begin:end])
        _copy(progress.denominators[begin:end], work.denominators[begin:end])
        _copy(progress.multipliers[begin:end], work.multipliers[begin:end])
        _walk(row, n, norm, True, False, lanes, grid, progress, work, decided, s)
        return
    target, weight = decided.predicted[s], -_cost_gap(grid, work, decided, s, 1.0)
    _fill(work.targets[begin:end], target)
    _fill(work.weights[begin:end], weight)
    _weigh(
        target, weight, work.margins[begin:end], work.decay[begin:end],
        work.confidence[begin:end], work.parts[begin:end],
    )  # fmt: skip
    _expect(progress.numerators[begin:end], work.expected[begin:end])


@inlined
def _walk_again(
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
    """The walk of one setting, now that the sums over features are there."""
    begin, end = grid.first[s], grid.first[s + 1]
    if decided.inside[s]:
        _copy(work.numerators[begin:end], progress.numerators[begin:end])
        _copy(work.denominators[begin:end], progress.denominators[begin:end])
        _copy(work.multipliers[begin:end], progress.multipliers[begin:end])
        _walk(row, n, norm, False, tiny, lanes, grid, progress, work, decided, s)
        sweep_rates(row, n, lanes.gradients, work.parts, work.moved, work.rates, begin, end)
        find_pushes(lanes, work, norm, begin, end)
        return
    gap = _cost_gap(grid, work, decided, s, 1.0)
    for lane in range(begin, end):
        differs = sign(np.float64(work.margins[lane])) != decided.predicted[s]
        if differs and not flips(row, n, lanes, work, lane, norm, tiny):
            _disagree(gap, 1.0, False, progress, lane)


@kernel
def _copy(source: Floats, target: Floats) -> None:
    for lane in range(source.shape[0]):
        target[lane] = source[lane]


@kernel
def _fill(array: Floats, value: float) -> None:
    for lane in range(array.shape[0]):
        array[lane] = value


@kernel
def _weigh(
    target: float,
    weight: float,
    margins: Floats,
    decay: Floats,
    confidence: Floats,
    parts: Floats,
) -> None:
    for lane in range(margins.shape[0]):
        agreement = target * np.float64(margins[lane])
        parts[lane] = weight * slope_squared(agreement, decay[lane], confidence[lane])


@kernel
def _expect(numerators: Floats, expected: Floats) -> None:
    """Expect of members outside the region that they agree, if disagreeing changes anything."""
    for lane in range(numerators.shape[0]):
        expected[lane] = 1.0 if numerators[lane] != 0.0 else ANY


@inlined
def _walk(
    row: RowBuffer,
    n: int,
    norm: float,
    guess: bool,
    tiny: bool,
    lanes: Lanes,
    grid: Grid,
    progress: Progress,
    work: Scratch,
    decided: Decisions,
    s: int,
) -> None:
    """The members of one setting, inside the region, one after the other."""
    predicted, learning_rate = decided.predicted[s], lanes.learning_rates[s]
    if guess:
        # Rows that move the ERM far move the members far.
        now, last = np.float64(work.moved[s]), work.paces[s]
        learning_rate *= now / last if last > 0.0 else 1.0
        work.paces[s] = now
    q_squared = float(least_q_squared(decided.floor[s]))
    changed, gap, target, weight = True, 0.0, predicted, 0.0
    # Unsigned: numba need not look whether an index counts from the end.
    for lane in range(np.uint64(grid.first[s]), np.uint64(grid.first[s + 1])):
        if changed:
            changed, gap = False, _cost_gap(grid, work, decided, s, q_squared)
            target, weight = (predicted if gap <= 0.0 else -predicted), abs(gap)
        f = np.float64(work.margins[lane])
        agreement = target * f
        work.targets[lane] = target
        work.weights[lane] = weight
        work.parts[lane] = weight * slope_squared(
            agreement, work.decay[lane], work.confidence[lane]
        )
        settled = agreement > 0.0
        if guess:
            settled |= learning_rate * weight * work.reach[lane] > work.revert[lane]
        elif not settled and weight > 0.0:
            settled = flips(row, n, lanes, work, int(lane), norm, tiny)
        work.expected[lane] = settled
        if (target if settled else sign(f)) != predicted:
            multiplier = _disagree(gap, q_squared, True, progress, lane)
            q_squared += multiplier
            changed = multiplier != 0.0


@inlined
def _disagree(gap: float, q_squared: float, inside: bool, progress: Progress, lane: int) -> float:
    """The new multiplier of a member that disagrees after its update."""
    # As plain floats: interpreted, those of an array would warn where these become infinite.
    q_squared, gap = float(q_squared), float(gap)
    numerator = cover.numerator_step(float(progress.numerators[lane]), gap, True)
    denominator = cover.denominator_step(float(progress.denominators[lane]), q_squared, inside)
    multiplier = cover.multiplier(numerator, denominator)
    progress.numerators[lane] = numerator
    progress.denominators[lane] = denominator
    progress.multipliers[lane] = multiplier
    return multiplier
