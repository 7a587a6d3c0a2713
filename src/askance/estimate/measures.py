r"""Precision, recall and the like from a weighted sample, each with an interval at a fixed time.

A sample estimates how many examples of the stream fall into each cell of the confusion table: the
sum of the weights there. Every measure is a mean or a ratio of such sums. Its variance is that of
the delta method over examples, asked about or not. The interval is Wilson's, for as many labels as
would have that variance; unlike a normal interval it stays within 0 and 1, and says something
where no mistake was seen.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from askance.errors import InvalidParameter
from askance.estimate.sequences import FixedError
from askance.types import Floats, Integers, Interval
from askance.validation import check_share, check_weights, require_labels, shown

__all__ = ["RATIOS", "Ratio", "confusion", "cost", "error_of_sample", "measures", "wilson"]


class Ratio(NamedTuple):
    """Sums over the cells (predicted, label) = (+, +), (+, -), (-, +), (-, -).

    Without ``below`` it is a mean over all examples of the stream.
    """

    above: tuple[float, ...]
    below: tuple[float, ...] | None = None


_RECALL = Ratio((1, 0, 0, 0), (1, 0, 1, 0))
_SPECIFICITY = Ratio((0, 0, 0, 1), (0, 1, 0, 1))

RATIOS: dict[str, tuple[Ratio, ...]] = {
    "error": (Ratio((0, 1, 1, 0)),),
    "base rate": (Ratio((1, 0, 1, 0)),),
    "precision": (Ratio((1, 0, 0, 0), (1, 1, 0, 0)),),
    "recall": (_RECALL,),
    "F1": (Ratio((2, 0, 0, 0), (2, 1, 1, 0)),),
    "balanced accuracy": (_RECALL, _SPECIFICITY),
}
"""Each is the average of its ratios. The base rate is the share of +1 in the stream."""

_CELLS = ("true positives", "false positives", "false negatives", "true negatives")


class _Cells(NamedTuple):
    """Sums of weights and of squared weights in the four cells, over n examples."""

    first: Floats
    second: Floats
    n: int


def measures(
    predicted: Integers,
    labels: Integers,
    weights: Floats,
    n: int,
    *,
    alpha: float = 0.05,
    names: Sequence[str] = tuple(RATIOS),
) -> dict[str, Interval]:
    """Measures of a classifier on a weighted sample.

    Parameters
    ----------
    predicted
        What the classifier says of each labelled example, -1 or +1. It must not have been taught by
        these labels.
    labels
        -1 or +1.
    weights
        1/P, where P is the probability with which the label was asked.
    n
        Examples that were offered, asked about or not.
    alpha
        How often an interval may be wrong, about, at a time that was fixed beforehand.
    names
        Which of :data:`RATIOS`.

    Examples
    --------
    >>> labels = np.array([1, 1, 1, -1, -1, -1, -1, -1] * 20)
    >>> predicted = np.array([1, 1, -1, -1, -1, -1, -1, 1] * 20)
    >>> found = measures(predicted, labels, np.full(160, 2.0), n=320)
    >>> for name, (estimate, low, high, *_) in found.items():
    ...     print(f"{name} {estimate:.2f}, between {low:.2f} and {high:.2f}")
    error 0.25, between 0.19 and 0.33
    base rate 0.38, between 0.29 and 0.46
    precision 0.67, between 0.54 and 0.77
    recall 0.67, between 0.54 and 0.77
    F1 0.67, between 0.56 and 0.76
    balanced accuracy 0.73, between 0.66 and 0.80
    """
    cells = _cells(predicted, labels, weights, n, alpha)
    return {name: _measured(name, RATIOS[name], cells, alpha) for name in names}


def confusion(
    predicted: Integers, labels: Integers, weights: Floats, n: int, *, alpha: float = 0.05
) -> dict[str, Interval]:
    """How many of the n examples fall into each cell of the confusion table.

    ``predicted``, ``labels``, ``weights``, ``n`` and ``alpha`` are those of :func:`measures`.

    >>> one = np.array([1, -1] * 50)
    >>> found = confusion(one, one, np.full(100, 3.0), n=300)
    >>> found["true positives"].estimate, found["false positives"].estimate
    (150.0, 0.0)
    """
    cells = _cells(predicted, labels, weights, n, alpha)
    found = {}
    for name, above in zip(_CELLS, np.eye(4), strict=True):
        share = _measured(name, (Ratio(tuple(above)),), cells, alpha)
        found[name] = _stretched(share, 0.0, float(n))
    return found


def cost(
    predicted: Integers,
    labels: Integers,
    weights: Floats,
    n: int,
    *,
    costs: Floats,
    alpha: float = 0.05,
) -> Interval:
    """The mean cost of an example.

    Parameters
    ----------
    predicted, labels, weights, n, alpha
        As for :func:`measures`.
    costs
        Of each prediction, by rows, for each label, by columns, -1 before +1: ``costs[1, 0]`` is
        what a false alarm costs.

    Examples
    --------
    >>> one = np.array([1, -1] * 50)
    >>> found = cost(one, 0 * one + 1, np.ones(100), 100, costs=np.array([[0, 10], [1, 0]]))
    >>> found.estimate, round(found.low, 2), round(found.high, 2)
    (5.0, 4.04, 5.96)
    """
    table = np.asarray(costs, np.float64)
    if table.shape != (2, 2) or not np.isfinite(table).all() or np.ptp(table) == 0:
        raise InvalidParameter(
            "costs must be two rows of two finite numbers that are not all alike, "
            f"got {shown(table.tolist())}"
        )
    least, span = float(table.min()), float(np.ptp(table))
    above = tuple(((table - least) / span)[[1, 1, 0, 0], [1, 0, 1, 0]].tolist())
    cells = _cells(predicted, labels, weights, n, alpha)
    share = _measured("cost", (Ratio(above),), cells, alpha)
    return _stretched(share, least, span)


def error_of_sample(
    losses: Floats, weights: Floats, n: int, *, floor: float | None = None, alpha: float = 0.05
) -> Interval:
    """The error of a classifier that was not taught by these labels, at any time.

    Parameters
    ----------
    losses
        1 where the classifier was wrong, else 0.
    weights, n
        As for :func:`measures`.
    floor
        A number that P is never below, known before the first label. Without it the upper bound
        is valid and of little use, since P is not known where no label was asked for.
    alpha
        The chance that the interval is ever wrong, however often one looks while labels come.

    Examples
    --------
    >>> losses = np.array([1.0, *[0.0] * 19] * 15)
    >>> found = error_of_sample(losses, np.full(300, 20.0), n=6000, floor=0.05)
    >>> round(found.estimate, 2), round(found.low, 2), round(found.high, 2)
    (0.05, 0.02, 0.11)
    """
    check_weights(weights, n)
    sequence = FixedError(alpha=alpha, floor=floor)
    right = 0.0 if floor is None else 1.0
    for loss, weight in zip(losses.tolist(), weights.tolist(), strict=True):
        # 1/(1/P) may fall short of P.
        sequence.add(loss, max(1.0 / weight, floor or 0.0), right=right)
    sequence.skip(n - len(weights), right=right)
    return sequence.interval()


def wilson(share: float, labels: float, alpha: float) -> tuple[float, float]:
    """Wilson's interval for a share that was seen in so many ``labels``, to a level 1 - ``alpha``.

    >>> low, high = wilson(0.0, 100, 0.05)
    >>> low, round(high, 3)
    (0.0, 0.037)
    """
    z2 = float(ndtri(1.0 - alpha / 2.0)) ** 2
    middle = (share + z2 / (2 * labels)) / (1 + z2 / labels)
    half = math.sqrt(z2 * (share * (1 - share) / labels + z2 / (4 * labels**2))) / (1 + z2 / labels)
    return max(middle - half, 0.0), min(middle + half, 1.0)


def _cells(predicted: Integers, labels: Integers, weights: Floats, n: int, alpha: float) -> _Cells:
    check_share(alpha=alpha)
    check_weights(weights, n)
    said, true = require_labels(predicted), require_labels(labels)
    if not len(said) == len(true) == len(weights):
        raise InvalidParameter(
            "each label needs one prediction and one weight, "
            f"got {len(true)} labels, {len(said)} predictions and {len(weights)} weights"
        )
    place = 2 * (said < 0) + (true < 0)
    inside = place == np.arange(4)[:, None]
    return _Cells(inside @ weights, inside @ weights**2, n)


def _measured(name: str, ratios: Sequence[Ratio], cells: _Cells, alpha: float) -> Interval:
    share, slopes = 0.0, np.zeros(4)
    used = np.zeros(4, bool)
    for above, below in ratios:
        whole = float(cells.n) if below is None else float(np.dot(below, cells.first))
        if whole == 0:
            raise InvalidParameter(
                f"the {name} needs labels that it counts, got none in its denominator, "
                "expected predictions and labels of both classes"
            )
        one = float(np.dot(above, cells.first)) / whole
        share += one / len(ratios)
        slopes += (np.array(above) - one * np.array(below or (0,) * 4)) / whole / len(ratios)
        used |= np.array(below or (1,) * 4) > 0
    # The delta method: each of the n examples is in one cell with its weight, or in none.
    drift = float(slopes @ cells.first)
    variance = float(slopes**2 @ cells.second) - drift**2 / cells.n
    share = min(share, 1.0)
    if 0 < share < 1 and variance > 0:
        labels = share * (1 - share) / variance
    else:
        labels = float(cells.first[used].sum() ** 2 / cells.second[used].sum())
    low, high = wilson(share, labels, alpha)
    return Interval(share, low, high, 1.0 - alpha, name, "at a fixed time")


def _stretched(share: Interval, least: float, span: float) -> Interval:
    estimate, low, high = (least + span * one for one in share[:3])
    return share._replace(estimate=estimate, low=low, high=high)
