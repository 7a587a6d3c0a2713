"""Decision trees grown from few examples: forests and boosted trees.

One rule serves them all: a node is split where the weighted sum of squared means of its two sides
is largest. For shares of classes that is Gini's criterion, for residuals that of least squares.
Nothing is drawn here: random numbers are an argument, as coins are.
"""

import math

import numpy as np

from askance.kernels._jit import allocating, kernel
from askance.types import Floats, Integers

__all__ = ["boost", "grow_forest", "grow_tree", "leaf_of"]

WIDE = 8
"""Ranks for each example up to which a node counts examples by rank; beyond, it sorts them."""

SMALL = 1e-12
"""A spread of targets below which a node is a leaf."""


@allocating
def grow_tree(
    ranks: Integers,
    values: Floats,
    targets: Floats,
    weights: Floats,
    rows: Integers,
    draws: Floats,
    limits: Integers,
    start: int,
    columns: Integers,
    thresholds: Floats,
    rights: Integers,
    leaves: Floats,
) -> int:
    """Write a tree from node ``start`` on, and say where it ends.

    ``ranks[j, i]`` is the place of example i's value of feature j among ``values[j]``. ``rows``
    are the examples to learn from, in an order that is not kept. ``limits`` are the number of
    features to try at each node, the largest depth, and 1 where thresholds are drawn instead of
    searched for. Nodes are as :func:`~askance.kernels.scoring.sum_leaves` reads them.
    """
    width, classes = ranks.shape[0], targets.shape[1]
    tries, deepest, drawn = limits[0], limits[1], limits[2] == 1
    features = np.arange(width)
    waiting = np.empty((len(rows) + 1, 4), np.int64)
    waiting[0] = (0, len(rows), 0, -1)
    total, left = np.empty(classes), np.empty(classes)
    room = ranks.shape[1] + 1
    places, masses, sums = np.empty(room, np.int64), np.empty(room), np.empty((room, classes))
    top, node, draw = 1, start, 0
    while top > 0:
        top -= 1
        begin, end, depth, parent = waiting[top]
        some = rows[begin:end]
        if parent >= 0:
            rights[parent] = node
        mass, spread = _sum_up(some, weights, targets, total)
        for k in range(classes):
            leaves[node, k] = total[k] / mass
        columns[node], thresholds[node], rights[node] = -1, 0.0, -1
        best, chosen, threshold, tried = -math.inf, -1, 0.0, 0
        if end - begin == 1 or depth == deepest or spread <= SMALL * mass:
            tried = width
        while tried < width and (tried < tries or chosen < 0):
            other = tried + int(draws[draw % len(draws)] * (width - tried))
            feature = features[other]
            features[other], features[tried] = features[tried], feature
            draw, tried = draw + 1, tried + 1
            low, high = _span(some, ranks[feature])
            if low == high:
                continue
            if drawn:
                lowest, highest = values[feature, low], values[feature, high]
                at = lowest + draws[draw % len(draws)] * (highest - lowest)
                at, draw = lowest if at >= highest else at, draw + 1
                side = _sum_side(some, weights, targets, ranks[feature], values[feature], at, left)
                gain = _gain(left, side, total, mass)
            else:
                if high - low < WIDE * len(some):
                    count = high - low + 1
                    _by_rank(
                        some, weights, targets, ranks[feature], low, count, places, masses, sums
                    )
                else:
                    count = len(some)
                    _sorted(some, weights, targets, ranks[feature], places, masses, sums)
                gain, at = _search(values[feature], count, places, masses, sums, total, mass, left)
            if gain > best:
                best, chosen, threshold = gain, feature, at
        if chosen >= 0:
            middle = begin + _part(some, ranks[chosen], values[chosen], threshold)
            columns[node], thresholds[node] = chosen, threshold
            # The left side is next, so that its node follows this one.
            waiting[top] = (middle, end, depth + 1, node)
            waiting[top + 1] = (begin, middle, depth + 1, -1)
            top += 2
        node += 1
    return node


@kernel
def _sum_up(rows: Integers, weights: Floats, targets: Floats, total: Floats) -> tuple[float, float]:
    """The mass of some examples and the spread of their targets, whose sums go to ``total``."""
    mass, spread = 0.0, 0.0
    total[:] = 0.0
    for i in rows:
        mass += weights[i]
        for k in range(len(total)):
            total[k] += weights[i] * targets[i, k]
            spread += weights[i] * targets[i, k] * targets[i, k]
    for k in range(len(total)):
        spread -= total[k] * total[k] / mass
    return mass, spread


@kernel
def _span(rows: Integers, ranks: Integers) -> tuple[int, int]:
    """The lowest and the highest rank of some examples."""
    low = high = ranks[rows[0]]
    for i in rows:
        low, high = min(low, ranks[i]), max(high, ranks[i])
    return low, high


@kernel
def _sum_side(
    rows: Integers,
    weights: Floats,
    targets: Floats,
    ranks: Integers,
    values: Floats,
    threshold: float,
    left: Floats,
) -> float:
    """The mass of the examples up to a threshold, the sums of whose targets go to ``left``."""
    side = 0.0
    left[:] = 0.0
    for i in rows:
        if values[ranks[i]] <= threshold:
            side += weights[i]
            for k in range(len(left)):
                left[k] += weights[i] * targets[i, k]
    return side


@kernel
def _by_rank(
    rows: Integers,
    weights: Floats,
    targets: Floats,
    ranks: Integers,
    low: int,
    count: int,
    places: Integers,
    masses: Floats,
    sums: Floats,
) -> None:
    """Sum up the examples of each rank."""
    masses[:count] = 0.0
    sums[:count] = 0.0
    for place in range(count):
        places[place] = low + place
    for i in rows:
        place = ranks[i] - low
        masses[place] += weights[i]
        for k in range(sums.shape[1]):
            sums[place, k] += weights[i] * targets[i, k]


@allocating
def _sorted(
    rows: Integers,
    weights: Floats,
    targets: Floats,
    ranks: Integers,
    places: Integers,
    masses: Floats,
    sums: Floats,
) -> None:
    """Write down the examples in the order of their ranks."""
    for at, key in enumerate(np.sort(ranks[rows] * len(ranks) + rows)):
        i = key % len(ranks)
        places[at], masses[at] = key // len(ranks), weights[i]
        for k in range(sums.shape[1]):
            sums[at, k] = weights[i] * targets[i, k]


@kernel
def _search(
    values: Floats,
    count: int,
    places: Integers,
    masses: Floats,
    sums: Floats,
    total: Floats,
    mass: float,
    left: Floats,
) -> tuple[float, float]:
    """The largest gain over all thresholds between two ranks, and its threshold."""
    best, threshold, side, last = -math.inf, 0.0, 0.0, places[0]
    left[:] = 0.0
    for at in range(count):
        # A rank that no example here has.
        if masses[at] == 0.0:
            continue
        if places[at] > last:
            gain = _gain(left, side, total, mass)
            if gain > best:
                best, threshold = gain, _between(values[last], values[places[at]])
            last = places[at]
        side += masses[at]
        for k in range(len(left)):
            left[k] += sums[at, k]
    return best, threshold


@kernel
def _gain(left: Floats, side: float, total: Floats, mass: float) -> float:
    """Of two sides the weighted sum of squared means."""
    gain = 0.0
    for k in range(len(total)):
        rest = total[k] - left[k]
        gain += left[k] * left[k] / side + rest * rest / (mass - side)
    return gain


@kernel
def _between(low: float, high: float) -> float:
    middle = low / 2.0 + high / 2.0
    return low if middle >= high else middle


@kernel
def _part(rows: Integers, ranks: Integers, values: Floats, threshold: float) -> int:
    """Bring those up to a threshold to the front, and count them."""
    middle, last = 0, len(rows)
    while middle < last:
        i = rows[middle]
        if values[ranks[i]] <= threshold:
            middle += 1
        else:
            last -= 1
            rows[middle], rows[last] = rows[last], i
    return middle


@kernel
def leaf_of(
    i: int,
    node: int,
    ranks: Integers,
    values: Floats,
    columns: Integers,
    thresholds: Floats,
    rights: Integers,
) -> int:
    """The leaf into which an example falls, from a tree's first node on."""
    while columns[node] >= 0:
        value = values[columns[node], ranks[columns[node], i]]
        node = node + 1 if value <= thresholds[node] else rights[node]
    return node


@allocating
def grow_forest(
    ranks: Integers,
    values: Floats,
    targets: Floats,
    weights: Floats,
    draws: Floats,
    limits: Integers,
    roots: Integers,
    columns: Integers,
    thresholds: Floats,
    rights: Integers,
    leaves: Floats,
    unseen: Floats,
) -> int:
    """Write a tree for each row of ``weights``, which are 0 for examples that it does not see.

    Those have the mean of such trees' leaves in ``unseen``.
    """
    end = 0
    count = np.zeros(ranks.shape[1])
    unseen[:] = 0.0
    for tree in range(len(weights)):
        roots[tree] = start = end
        rows = np.flatnonzero(weights[tree])
        end = grow_tree(
            ranks, values, targets, weights[tree], rows, draws[tree], limits, start,
            columns, thresholds, rights, leaves,
        )  # fmt: skip
        for i in range(ranks.shape[1]):
            if weights[tree, i] == 0.0:
                unseen[i] += leaves[leaf_of(i, start, ranks, values, columns, thresholds, rights)]
                count[i] += 1
    for i in range(ranks.shape[1]):
        # An example that every tree has seen is as good as unknown.
        unseen[i] = (unseen[i] + (count[i] == 0) / targets.shape[1]) / max(count[i], 1)
    return end


@allocating
def boost(
    ranks: Integers,
    values: Floats,
    targets: Floats,
    weights: Floats,
    draws: Floats,
    limits: Integers,
    rate: float,
    roots: Integers,
    columns: Integers,
    thresholds: Floats,
    rights: Integers,
    leaves: Floats,
) -> int:
    """Write trees each of which corrects the sum of those before it.

    They are grown to the residuals of the softmax of that sum, and each leaf takes one step of
    Newton's method along each class, times ``rate``. Each row of ``weights`` is 0 for the examples
    that its tree does not see.
    """
    n, classes = targets.shape
    scores = np.zeros((n, classes))
    shares = np.empty((n, classes))
    places = np.empty(n, np.int64)
    end = 0
    for tree in range(len(weights)):
        for i in range(n):
            largest = scores[i].max()
            whole = 0.0
            for k in range(classes):
                shares[i, k] = math.exp(scores[i, k] - largest)
                whole += shares[i, k]
            for k in range(classes):
                shares[i, k] /= whole
        residuals = targets - shares
        roots[tree] = start = end
        end = grow_tree(
            ranks, values, residuals, weights[tree], np.flatnonzero(weights[tree]), draws[tree],
            limits, start, columns, thresholds, rights, leaves,
        )  # fmt: skip
        curves = np.zeros((end - start, classes))
        leaves[start:end] = 0.0
        for i in range(n):
            places[i] = leaf_of(i, start, ranks, values, columns, thresholds, rights)
            for k in range(classes):
                leaves[places[i], k] += weights[tree, i] * residuals[i, k]
                curves[places[i] - start, k] += weights[tree, i] * shares[i, k] * (1 - shares[i, k])
        for node in range(start, end):
            for k in range(classes):
                curve = curves[node - start, k]
                step = leaves[node, k] * (classes - 1) / classes
                leaves[node, k] = rate * step / curve if curve > 1e-150 else 0.0
        for i in range(n):
            scores[i] += leaves[places[i]]
    return end
