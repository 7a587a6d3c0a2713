"""What an example does to all lanes: how far each is pushed, where that leaves it, its update.

Everything here comes after the sweeps of :mod:`askance.kernels.lanes` and before the next example.
"""

import math

import numpy as np

from askance.kernels._jit import inlined, kernel
from askance.kernels._vectors import add_updates
from askance.kernels.costs import squared_step
from askance.kernels.formulas import sign
from askance.kernels.lanes import VECTOR, WIDE, RowBuffer, find_rates, lane_movement, sweep_rates
from askance.kernels.linear import ADAPTIVE, rate_factor
from askance.kernels.logistic import (
    LARGE,
    SMALL,
    best_guess,
    better_guess,
    extreme_step,
    first_guess,
    is_usual,
    second_guess,
    usual_step,
)
from askance.kernels.pass_records import Pass
from askance.types import Floats

__all__ = [
    "ANY",
    "any_from",
    "commit",
    "commit_costs",
    "commit_lane",
    "find_doubts",
    "find_pushes",
    "flips",
    "has_tiny",
]

EDGE = 1e-9
"""A push that differs by no more from what it takes may or may not flip a prediction."""

ANY = -1.0
"""Expected of an update whose end changes nothing: the walk is right wherever it ends."""

TINY_VALUE = 1e-12
"""A smaller feature may lose its gradient to underflow, and then no bound on a movement holds."""


@inlined
def flips(p: Pass, n: int, norm: float, lane: int, tiny: bool) -> bool:
    """Whether the update of an opposed lane carries its prediction over to the target.

    That is so if the push, learning rate times weight times movement, exceeds ``revert`` of the
    margin. A movement at another part than the trial's lies within the root of the parts' quotient
    of the trial's; only where that leaves it open is the lane's own sum computed, and only at the
    very edge the step itself. No bound holds for a row that has a ``tiny`` value.
    """
    lanes, work = p.lanes, p.work
    weight = work.weights[lane]
    # With this example on top of the counts, as the commit will have it; nothing is kept here.
    factor = rate_factor(ADAPTIVE, lanes.norms[lane] + weight * norm, lanes.totals[lane] + weight)
    strength = lanes.learning_rates[lane] * weight
    needed = work.revert[lane]
    part, trial = np.float64(work.parts[lane]), np.float64(work.trials[lane])
    moved: float = np.float64(work.moved[lane])
    if part != trial:
        # The sums were made with the trial's part. Most walks are settled by what those sums bound,
        # and a sum over the features is saved; the margins of 0.1% cover rounding in float32. The
        # bound: no term of a movement, x z / sqrt(G), is negative, since z has the sign of x, and
        # (G + trial x^2) / (G + part x^2) lies between trial / part and 1 whatever G is.
        if part > 0.0 and trial > 0.0 and not tiny:
            push = strength * factor * moved
            slack = math.sqrt(trial / part)
            if push * min(slack, 1.0) > needed * 1.001:
                return True
            if push * max(slack, 1.0) < needed * 0.999:
                return False
        moved = lane_movement(p.row, n, lanes.gradients, lane, part)
    # In the order in which the commit multiplies: near the edge both must have the same bits.
    push = strength * (factor * moved)
    if push > needed * (1.0 + EDGE):
        return True
    if push < needed * (1.0 - EDGE) or moved <= 0.0:
        return False
    # At the edge rounding decides, so it must be the rounding of the step that will be made. By
    # the sign, not by a comparison with 0: a margin of 0 has reached -1, but not +1.
    opposed = -abs(np.float64(work.margins[lane]))
    target = work.targets[lane]
    return bool(sign(target * (opposed + _step(opposed, work.decay[lane], push))) == target)


@kernel
def find_doubts(
    targets: Floats,
    margins: Floats,
    pushes: Floats,
    reverts: Floats,
    expected: Floats,
    doubts: Floats,
) -> None:
    """Write 1 where an update may end on the other side of its target than ``expected``, else 0.

    1 is expected to reach the target, 0 is not, and of ANY nothing is expected.

    >>> doubts, needed, expected = np.zeros(3), np.full(3, 2.0), np.array([1.0, 0.0, ANY])
    >>> find_doubts(np.ones(3), np.full(3, -1.0), needed + 1.0, needed, expected, doubts)
    >>> doubts.tolist()
    [0.0, 1.0, 0.0]
    """
    # Without branches, so that it vectorises: doubts are looked for in all lanes of every example.
    # A push at the edge neither reaches nor stays, so it is doubted whichever was expected; a
    # doubt too many costs a second walk, and one too few would cost the bits.
    for lane in range(doubts.shape[0]):
        agrees = targets[lane] * np.float64(margins[lane]) > 0.0
        reaches = agrees | (pushes[lane] > reverts[lane] * (1.0 + EDGE))
        stays = pushes[lane] < reverts[lane] * (1.0 - EDGE)
        doubt = not (reaches if expected[lane] == 1.0 else stays)
        doubts[lane] = 1.0 if doubt and expected[lane] != ANY else 0.0


@kernel
def has_tiny(row: RowBuffer, n: int) -> bool:
    """Whether a value is so small that its gradient may underflow.

    >>> bool(has_tiny(RowBuffer(np.array([0]), np.array([1e-15]), np.array([1.0]), np.zeros(1)), 1))
    True
    """
    # Counted to the end: a loop that may leave early does not vectorise.
    count = 0
    for i in range(n):
        count += 0.0 < abs(row.values[i]) < TINY_VALUE
    return count > 0


@kernel
def _step(agreement: float, decay: float, push: float) -> float:
    if is_usual(agreement, push):
        return usual_step(agreement, decay, push)
    return extreme_step(agreement, push)


@inlined
def commit(p: Pass, n: int, norm: float, ready: bool) -> None:
    """Let all lanes learn their targets and weights; weight 0 leaves a lane as it was.

    Few learning lanes are visited one by one; many are swept over together. ``ready`` says that the
    rates and pushes of all are there already.
    """
    lanes, work = p.lanes, p.work
    count = lanes.weights.shape[1]
    learning = 0
    for lane in range(count):
        learning += work.weights[lane] > 0.0
    # A sweep costs about as much as six lanes on their own: the vectors are wide, but each entry
    # of the row reads and writes all lanes, those that learn nothing too. Which way is taken
    # changes no bit: lanes share nothing but the row, and each sums over it in its order.
    if learning * 6 <= count or count == 1:
        for lane in range(count):
            if work.weights[lane] > 0.0:
                commit_lane(p, n, norm, lane, ready)
        return
    if not ready:
        sweep_rates(p.row, n, lanes.gradients, work.parts, work.moved, work.rates, 0, count)
        find_pushes(p, norm, 0, count)
    _find_updates(p, norm)
    _apply(p, n)


@inlined
def commit_costs(p: Pass, n: int, norm: float, ready: bool) -> None:
    """``commit`` where the targets are costs and the loss is squared.

    ``ready`` says that the rates of all lanes are there already.
    """
    lanes, work = p.lanes, p.work
    count = lanes.weights.shape[1]
    if not ready:
        sweep_rates(p.row, n, lanes.gradients, work.parts, work.moved, work.rates, 0, count)
    find_pushes(p, norm, 0, count)
    _count(norm, work.weights, lanes.norms, lanes.totals)
    for lane in range(work.steps.shape[0]):
        gap = work.targets[lane] - np.float64(work.margins[lane])
        step, reach = squared_step(gap, work.pushes[lane]), work.reach[lane]
        learns = work.weights[lane] > 0.0 and reach > 0.0
        work.updates[lane] = step / reach * work.factors[lane] if learns else 0.0
    _apply(p, n)


@kernel
def _apply(p: Pass, n: int) -> None:
    """Add the gradient parts and the updates of all lanes."""
    row, work = p.row, p.work
    indices, values = row.indices, row.values
    gradients, weights = p.lanes.gradients, p.lanes.weights
    parts, updates, rates = work.parts, work.updates, work.rates
    count = weights.shape[1]
    # One sweep for both: the rates are already those after the gradient parts are added. A lane
    # that learns nothing has part 0 and update 0.
    wide, whole = count - count % WIDE, count - count % VECTOR
    for begin in range(0, wide, WIDE):
        add_updates(WIDE, begin, n, indices, values, gradients, weights, parts, updates, rates)
    for begin in range(wide, whole, VECTOR):
        add_updates(VECTOR, begin, n, indices, values, gradients, weights, parts, updates, rates)
    for lane in range(whole, count):
        _apply_lane(p, n, lane)


@inlined
def _apply_lane(p: Pass, n: int, lane: int) -> None:
    """``_apply`` for a single lane."""
    row, lanes, work = p.row, p.lanes, p.work
    part, update = work.parts[lane], work.updates[lane]
    for i in range(n):
        j = row.indices[i]
        lanes.gradients[j, lane] += part * (row.values[i] * row.values[i])
        lanes.weights[j, lane] += update * work.rates[i, lane]


@inlined
def commit_lane(p: Pass, n: int, norm: float, lane: int, ready: bool) -> None:
    """``commit`` for a single lane."""
    lanes, work = p.lanes, p.work
    if not ready:
        find_rates(p.row, n, lanes.gradients, work.parts, work.moved, work.rates, lane)
    weight, target = work.weights[lane], work.targets[lane]
    # Counted before the step, whose rates include this example: so the first one is finite.
    lanes.norms[lane] += weight * norm
    lanes.totals[lane] += weight
    factor = rate_factor(ADAPTIVE, lanes.norms[lane], lanes.totals[lane])
    moved = factor * np.float64(work.moved[lane])
    # Kept for the next example, whose walk guesses from it how far this lane can be pushed.
    work.reach[lane] = moved
    agreement = target * np.float64(work.margins[lane])
    step = _step(agreement, work.decay[lane], lanes.learning_rates[lane] * weight * moved)
    # In the order of linear.learn, which the readable learners call: other brackets, other bits.
    work.updates[lane] = target * step / moved * factor if moved > 0.0 else 0.0
    _apply_lane(p, n, lane)


@inlined
def find_pushes(p: Pass, norm: float, begin: int, end: int) -> None:
    """How far some neighbouring lanes would be pushed."""
    lanes, work = p.lanes, p.work
    # Slices from 0 on, each an argument of its own: loops over such arrays vectorise.
    _find_pushes(
        norm, work.weights[begin:end], lanes.norms[begin:end], lanes.totals[begin:end],
        lanes.learning_rates[begin:end], work.moved[begin:end], work.factors[begin:end],
        work.reach[begin:end], work.pushes[begin:end],
    )  # fmt: skip


@kernel
def _find_pushes(
    norm: float,
    weights: Floats,
    norms: Floats,
    totals: Floats,
    learning_rates: Floats,
    moved: Floats,
    factors: Floats,
    reach: Floats,
    pushes: Floats,
) -> None:
    # As commit_lane has it, but without counting: a second walk may still change the weights.
    for lane in range(norms.shape[0]):
        weight = weights[lane]
        squares = norms[lane] + weight * norm
        squares = squares if squares > 0.0 else 1.0  # a lane that has learned nothing yet
        factor = rate_factor(ADAPTIVE, squares, totals[lane] + weight)
        factors[lane] = factor
        reach[lane] = factor * np.float64(moved[lane])
        pushes[lane] = learning_rates[lane] * weight * reach[lane]


@inlined
def _find_updates(p: Pass, norm: float) -> None:
    """The scalar update of each lane, and its counts."""
    lanes, work = p.lanes, p.work
    # Only now: the pushes were found with this example on top of what was counted before it.
    _count(norm, work.weights, lanes.norms, lanes.totals)
    usual = _find_guesses(
        work.targets, work.margins, work.decay, work.confidence, work.pushes, work.agreements,
        work.steps,
    )  # fmt: skip
    _find_steps(work.agreements, work.decay, work.pushes, usual, work.steps)
    for lane in range(work.steps.shape[0]):
        step, reach = work.targets[lane] * work.steps[lane], work.reach[lane]
        # Where nothing moves there is no direction to step in: 0/0 would put nan into the weights.
        learns = work.weights[lane] > 0.0 and reach > 0.0
        work.updates[lane] = step / reach * work.factors[lane] if learns else 0.0


@kernel
def _count(norm: float, weights: Floats, norms: Floats, totals: Floats) -> None:
    for lane in range(norms.shape[0]):
        norms[lane] += weights[lane] * norm
        totals[lane] += weights[lane]


@kernel
def _find_guesses(
    targets: Floats,
    margins: Floats,
    decay: Floats,
    confidence: Floats,
    pushes: Floats,
    agreements: Floats,
    steps: Floats,
) -> int:
    """Agreements with the targets and first guesses of the steps; how many lanes are usual."""
    usual = 0
    for lane in range(steps.shape[0]):
        agreement = targets[lane] * np.float64(margins[lane])
        agreements[lane] = agreement
        steps[lane] = first_guess(agreement, decay[lane], confidence[lane], pushes[lane])
        usual += is_usual(agreement, pushes[lane])
    return usual


@kernel
def _find_steps(
    agreements: Floats, decay: Floats, pushes: Floats, usual: int, steps: Floats
) -> None:
    """``logistic_step`` of all lanes from first guesses, the unusual ones in a loop of their own.

    The parts of ``usual_step`` each have one too: in a long one, lanes would wait for each other.
    """
    # Most steps are small and need no second guess, so whole blocks of lanes go without.
    for begin in range(0, steps.shape[0], WIDE):
        end = begin + WIDE
        if any_from(SMALL, steps[begin:end]):
            _find_larger(
                agreements[begin:end], decay[begin:end], pushes[begin:end], steps[begin:end]
            )
    for lane in range(steps.shape[0]):
        steps[lane] = best_guess(steps[lane], agreements[lane], decay[lane], pushes[lane])
    # Almost never: so the loop above need not choose lane by lane, and stays a vector loop.
    if usual < steps.shape[0]:
        for lane in range(steps.shape[0]):
            if not is_usual(agreements[lane], pushes[lane]):
                steps[lane] = extreme_step(agreements[lane], pushes[lane])


@kernel
def any_from(least: float, numbers: Floats) -> bool:
    """Whether any number is ``least`` or more; all are looked at, several at once.

    >>> bool(any_from(2.0, np.array([1.0, 2.0]))), bool(any_from(2.0, np.zeros(1)))
    (True, False)
    """
    count = 0
    for i in range(numbers.shape[0]):
        count += numbers[i] >= least
    return count > 0


@kernel
def _find_larger(agreements: Floats, decay: Floats, pushes: Floats, steps: Floats) -> None:
    """Bring the guesses of steps that are not small close enough for the last correction."""
    # For all lanes of the block, but each keeps what usual_step would choose for it alone: what its
    # neighbours need must not change its bits.
    for lane in range(steps.shape[0]):
        step = steps[lane]
        guess = second_guess(step, agreements[lane], decay[lane], pushes[lane])
        steps[lane] = guess if step >= SMALL else step
    if any_from(LARGE, steps):
        for lane in range(steps.shape[0]):
            step = steps[lane]
            guess = better_guess(step, agreements[lane], decay[lane], pushes[lane])
            steps[lane] = guess if step >= LARGE else step
