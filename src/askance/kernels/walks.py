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
from askance.kernels.lanes import sweep_rates
from askance.kernels.logistic import slope_squared
from askance.kernels.pass_records import FIRST, Pass, Progress
from askance.kernels.updates import ANY, any_from, find_doubts, find_pushes, flips, has_tiny
from askance.types import Floats

__all__ = ["trains", "walk_covers"]


@inlined
def walk_covers(p: Pass, n: int, norm: float) -> None:
    """Find what the members of all covers learn, and update their multipliers.

    The rates and pushes of all lanes are left for the commit; the parts of the ERMs must be there.
    """
    lanes, work, first = p.lanes, p.work, p.grid.first
    settings, count = p.grid.kinds.shape[0], lanes.weights.shape[1]
    for s in range(settings):
        if _walks(p, s):
            _guess(p, n, norm, s)
    # The sums below are those of these parts; a second walk that changes a part must know that. The
    # ERMs, whose parts no walk changes, ride along: the commit needs their rates too.
    for lane in range(count):
        work.trials[lane] = work.parts[lane]
    sweep_rates(p.row, n, lanes.gradients, work.parts, work.moved, work.rates, 0, count)
    find_pushes(p, norm, 0, count)
    find_doubts(work.targets, work.margins, work.pushes, work.revert, work.expected, work.doubts)
    tiny = has_tiny(p.row, n)
    # A single doubt sends its whole setting on a second walk: each flip decides what later members
    # learn. Other settings share nothing with it.
    for s in range(settings):
        if _walks(p, s) and any_from(1.0, work.doubts[first[s] : first[s + 1]]):
            _walk_again(p, n, norm, tiny, s)


@inlined
def trains(p: Pass, s: int) -> bool:
    """Whether the members of a setting, if it has some, learn from this example."""
    return not p.progress.done[s] and p.decided.k[s] >= FIRST - 1.0


@inlined
def _walks(p: Pass, s: int) -> bool:
    """Whether a setting has members, and they learn from this example."""
    return p.grid.first[s] < p.grid.first[s + 1] and trains(p, s)


@inlined
def _cost_gap(p: Pass, s: int, q_squared: float) -> float:
    """The cost gap of a member of which the ones before it leave this q squared."""
    grid, work, decided = p.grid, p.work, p.decided
    regret = cover.regret_weight(grid.beta2[s], decided.k[s], decided.threshold[s])
    agrees = decided.predicted[s] == work.targets[s]
    probability = query_probability(q_squared)
    return cover.cost_gap(
        regret, agrees, work.weights[s], decided.inside[s], grid.alpha[s], probability
    )


@inlined
def _guess(p: Pass, n: int, norm: float, s: int) -> None:
    """The walk of one setting, as far as it needs no sum over features."""
    progress, work, decided = p.progress, p.work, p.decided
    begin, end = p.grid.first[s], p.grid.first[s + 1]
    if decided.inside[s]:
        # Kept aside, since the guess writes the real ones: a wrong one is taken back from here.
        _copy(progress.numerators[begin:end], work.numerators[begin:end])
        _copy(progress.denominators[begin:end], work.denominators[begin:end])
        _copy(progress.multipliers[begin:end], work.multipliers[begin:end])
        _walk(p, n, norm, True, False, s)
        return
    # Outside, all members learn the prediction with one weight: the gap has no q in it, and is
    # never positive, so the other label is never the cheaper one.
    target, weight = decided.predicted[s], -_cost_gap(p, s, 1.0)
    _fill(work.targets[begin:end], target)
    _fill(work.weights[begin:end], weight)
    _weigh(
        target, weight, work.margins[begin:end], work.decay[begin:end],
        work.confidence[begin:end], work.parts[begin:end],
    )  # fmt: skip
    _expect(progress.numerators[begin:end], work.expected[begin:end])


@inlined
def _walk_again(p: Pass, n: int, norm: float, tiny: bool, s: int) -> None:
    """The walk of one setting, now that the sums over features are there."""
    progress, work, decided = p.progress, p.work, p.decided
    begin, end = p.grid.first[s], p.grid.first[s + 1]
    if decided.inside[s]:
        _copy(work.numerators[begin:end], progress.numerators[begin:end])
        _copy(work.denominators[begin:end], progress.denominators[begin:end])
        _copy(work.multipliers[begin:end], progress.multipliers[begin:end])
        _walk(p, n, norm, False, tiny, s)
        # Parts may be others now, and the commit needs the rates of what is really learned.
        sweep_rates(p.row, n, p.lanes.gradients, work.parts, work.moved, work.rates, begin, end)
        find_pushes(p, norm, begin, end)
        return
    # What is learned was no guess here, so the sums stand. Only the numerators of members that
    # still disagree after their update have to follow; the guess has not touched them.
    gap = _cost_gap(p, s, 1.0)
    for lane in range(begin, end):
        differs = sign(np.float64(work.margins[lane])) != decided.predicted[s]
        if differs and not flips(p, n, norm, lane, tiny):
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
    # Outside the gap is not positive, so a numerator of 0 stays 0, and no denominator counts.
    for lane in range(numerators.shape[0]):
        expected[lane] = 1.0 if numerators[lane] != 0.0 else ANY


@inlined
def _walk(p: Pass, n: int, norm: float, guess: bool, tiny: bool, s: int) -> None:
    """The members of one setting, inside the region, one after the other."""
    grid, work, decided = p.grid, p.work, p.decided
    predicted, learning_rate = decided.predicted[s], p.lanes.learning_rates[s]
    if guess:
        # Rows that move the ERM far move the members far.
        now, last = np.float64(work.moved[s]), work.paces[s]
        learning_rate *= now / last if last > 0.0 else 1.0
        work.paces[s] = now
    q_squared = float(least_q_squared(decided.floor[s]))
    changed, gap, target, weight = True, 0.0, predicted, 0.0
    # Unsigned: numba need not look whether an index counts from the end.
    for lane in range(np.uint64(grid.first[s]), np.uint64(grid.first[s + 1])):
        # Only a multiplier moves q, and with it the costs: most members share them with the last.
        if changed:
            changed, gap = False, _cost_gap(p, s, q_squared)
            target, weight = (predicted if gap <= 0.0 else -predicted), abs(gap)
        f = np.float64(work.margins[lane])
        agreement = target * f
        work.targets[lane] = target
        work.weights[lane] = weight
        work.parts[lane] = weight * slope_squared(
            agreement, work.decay[lane], work.confidence[lane]
        )
        # An update never carries a member away from its target, only towards it. So one that agrees
        # needs no sum, and no guess about it can be wrong.
        settled = agreement > 0.0
        if guess:
            settled |= learning_rate * weight * work.reach[lane] > work.revert[lane]
        elif not settled and weight > 0.0:
            settled = flips(p, n, norm, int(lane), tiny)
        work.expected[lane] = settled
        if (target if settled else sign(f)) != predicted:
            multiplier = _disagree(gap, q_squared, True, p.progress, lane)
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
