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

from askance.errors import InvalidLabel, InvalidParameter
from askance.estimate.sequences import FixedError
from askance.types import Floats, Integers, Interval
from askance.validation import check_share, check_weights, require_labels, shown

__all__ = [
    "Ratio",
    "confusion",
    "confusion_table",
    "cost",
    "crossfit_error",
    "error_of_sample",
    "measures",
    "ratios_of",
    "scaled_costs",
    "wilson",
]


class Ratio(NamedTuple):
    """Sums over the cells of the confusion table, by rows: labels by rows, predictions by columns.

    Without ``below`` it is a mean over all examples of the stream.
    """

    above: Floats
    below: Floats | None = None


def ratios_of(classes: Sequence[object]) -> dict[str, tuple[Ratio, ...]]:
    """The measures that ``classes`` have; each is the average of its ratios.

    Of two classes, the second is the positive one, and the base rate is its share in the stream.

    >>> list(ratios_of((-1, 1)))
    ['error', 'base rate', 'precision', 'recall', 'F1', 'balanced accuracy']
    >>> list(ratios_of("abc"))[:5]
    ['error', 'balanced accuracy', 'macro precision', 'macro F1', 'share of a']
    """
    k = len(classes)
    true, said = (np.repeat(np.eye(k), k, axis=1), np.tile(np.eye(k), k))
    hits = true * said
    shares, recalls = ([Ratio(row) for row in true], list(map(Ratio, hits, true)))
    precisions = list(map(Ratio, hits, said))
    balances = list(map(Ratio, 2 * hits, true + said))
    error = {"error": (Ratio(1.0 - hits.sum(axis=0)),)}
    if k == 2:
        own = {
            "base rate": shares,
            "precision": precisions,
            "recall": recalls,
            "F1": balances,
        }
        alone = {name: (each[1],) for name, each in own.items()}
        return {**error, **alone, "balanced accuracy": tuple(recalls)}
    each = {"share": shares, "precision": precisions, "recall": recalls}
    return {
        **error,
        "balanced accuracy": tuple(recalls),
        "macro precision": tuple(precisions),
        "macro F1": tuple(balances),
        **{
            f"{name} of {one}": (ratio,)
            for name, ratios in each.items()
            for one, ratio in zip(classes, ratios, strict=True)
        },
    }


_SIGNS = (-1, 1)
"""The classes unless others are named."""

_CELLS = {
    "true positives": (1, 1),
    "false positives": (0, 1),
    "false negatives": (1, 0),
    "true negatives": (0, 0),
}


class _Cells(NamedTuple):
    """Sums of weights and of squared weights in the cells, over n examples."""

    first: Floats
    second: Floats
    n: int
    classes: Sequence[object]

    @property
    def labelled(self) -> int:
        """How many classes have a label."""
        k = len(self.classes)
        return int(np.count_nonzero(self.first.reshape(k, k).sum(axis=1)))


def measures(
    predicted: Sequence[object] | Integers,
    labels: Sequence[object] | Integers,
    weights: Floats,
    n: int,
    *,
    classes: Sequence[object] = _SIGNS,
    alpha: float = 0.05,
    names: Sequence[str] | None = None,
) -> dict[str, Interval]:
    """Measures of a classifier on a weighted sample.

    The estimate is NaN where a class is never predicted, and its precision so not known.

    Parameters
    ----------
    predicted
        What the classifier says of each labelled example. It must not have been taught by these
        labels.
    labels
        What is true.
    weights
        1/P, where P is the probability with which the label was asked.
    n
        Examples that were offered, asked about or not.
    classes
        What labels and predictions are; of two, the second is the positive one.
    alpha
        How often an interval may be wrong, about, at a time that was fixed beforehand.
    names
        Which of :func:`ratios_of` the classes; all if not given.

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
    cells, ratios = _cells(predicted, labels, weights, n, classes), ratios_of(classes)
    return {name: _measured(name, ratios[name], cells, alpha) for name in names or ratios}


def confusion_table(
    predicted: Sequence[object] | Integers,
    labels: Sequence[object] | Integers,
    weights: Floats,
    n: int,
    *,
    classes: Sequence[object] = _SIGNS,
    alpha: float = 0.05,
) -> list[list[Interval]]:
    """How many of the n examples have each label, by rows, and each prediction, by columns.

    ``predicted``, ``labels``, ``weights``, ``n``, ``classes`` and ``alpha`` are those of
    :func:`measures`.

    >>> found = confusion_table("aabc", "abbc", np.full(4, 3.0), n=12, classes="abc")
    >>> [[cell.estimate for cell in row] for row in found]
    [[3.0, 0.0, 0.0], [3.0, 3.0, 0.0], [0.0, 0.0, 3.0]]
    """
    cells, k = _cells(predicted, labels, weights, n, classes), len(classes)
    found = []
    for i, above in enumerate(np.eye(k * k)):
        name = f"{classes[i // k]} predicted as {classes[i % k]}"
        found.append(_stretched(_measured(name, (Ratio(above),), cells, alpha), 0.0, float(n)))
    return [found[start : start + k] for start in range(0, k * k, k)]


def confusion(
    predicted: Integers, labels: Integers, weights: Floats, n: int, *, alpha: float = 0.05
) -> dict[str, Interval]:
    """How many of the n examples fall into each cell of the confusion table of -1 and +1.

    ``predicted``, ``labels``, ``weights``, ``n`` and ``alpha`` are those of :func:`measures`.

    >>> one = np.array([1, -1] * 50)
    >>> found = confusion(one, one, np.full(100, 3.0), n=300)
    >>> found["true positives"].estimate, found["false positives"].estimate
    (150.0, 0.0)
    """
    table = confusion_table(predicted, labels, weights, n, alpha=alpha)
    return {name: table[true][said]._replace(of=name) for name, (true, said) in _CELLS.items()}


def cost(
    predicted: Sequence[object] | Integers,
    labels: Sequence[object] | Integers,
    weights: Floats,
    n: int,
    *,
    costs: Floats,
    classes: Sequence[object] = _SIGNS,
    alpha: float = 0.05,
) -> Interval:
    """The mean cost of an example.

    Parameters
    ----------
    predicted, labels, weights, n, classes, alpha
        As for :func:`measures`.
    costs
        For each label, by rows, of each prediction, by columns, in the order of the classes:
        ``costs[0, 1]`` is what a false alarm costs.

    Examples
    --------
    >>> one = np.array([1, -1] * 50)
    >>> found = cost(one, 0 * one + 1, np.ones(100), 100, costs=np.array([[0, 1], [10, 0]]))
    >>> found.estimate, round(found.low, 2), round(found.high, 2)
    (5.0, 4.04, 5.96)
    """
    table, least, span = scaled_costs(costs, len(classes))
    cells = _cells(predicted, labels, weights, n, classes)
    share = _measured("cost", (Ratio(table.ravel()),), cells, alpha)
    return _stretched(share, least, span)


def scaled_costs(costs: Floats, k: int) -> tuple[Floats, float, float]:
    """The costs of ``k`` classes as losses from 0 to 1, the least cost, and the span above it.

    >>> losses, least, span = scaled_costs(np.array([[0, 5], [10, 0]]), 2)
    >>> losses.tolist(), least, span
    ([[0.0, 0.5], [1.0, 0.0]], 0.0, 10.0)
    """
    table = np.asarray(costs, np.float64)
    if table.shape != (k, k) or not np.isfinite(table).all() or np.ptp(table) == 0:
        raise InvalidParameter(
            f"costs must be {k} rows of {k} finite numbers that are not all alike, "
            f"got {shown(table.tolist())}"
        )
    least, span = float(table.min()), float(np.ptp(table))
    return (table - least) / span, least, span


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
    (0.05, 0.02, 0.1)
    """
    check_weights(weights, n)
    sequence = FixedError(alpha=alpha, floor=floor)
    right = 0.0 if floor is None else 1.0
    for loss, weight in zip(losses.tolist(), weights.tolist(), strict=True):
        # 1/(1/P) may fall short of P.
        sequence.add(loss, max(1.0 / weight, floor or 0.0), right=right)
    sequence.skip(n - len(weights), right=right)
    return sequence.interval()


def crossfit_error(losses: Floats, weights: Floats, *, alpha: float = 0.05) -> Interval:
    """The error of a classifier by predictions of its labels from parts that did not see them.

    It is narrow, as every label counts, but nothing is guaranteed: the parts are smaller than what
    the classifier was fitted to, they share labels, and which labels there are depends on others.

    Parameters
    ----------
    losses
        1 where such a prediction was wrong, else 0.
    weights
        1/P of each label.
    alpha
        How often the interval would be wrong if labels were independent, about.

    Examples
    --------
    >>> found = crossfit_error(np.array([1.0, 0.0, 0.0, 0.0] * 25), np.ones(100))
    >>> round(found.estimate, 2), round(found.low, 2), round(found.high, 2), found.holds
    (0.25, 0.18, 0.34, 'without a guarantee')
    """
    check_share(alpha=alpha)
    check_weights(weights, max(len(weights), 1))
    whole = float(weights.sum())
    share = float(weights @ losses) / whole
    variance = float(weights**2 @ (losses - share) ** 2) / whole**2
    labels = share * (1 - share) / variance if variance > 0 else whole**2 / float(weights @ weights)
    low, high = wilson(share, labels, alpha)
    return Interval(share, low, high, 1.0 - alpha, "error by cross-fitting", "without a guarantee")


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


def _cells(
    predicted: Sequence[object] | Integers,
    labels: Sequence[object] | Integers,
    weights: Floats,
    n: int,
    classes: Sequence[object],
) -> _Cells:
    check_weights(weights, n)
    said, true = _places(predicted, classes), _places(labels, classes)
    if not len(said) == len(true) == len(weights):
        raise InvalidParameter(
            "each label needs one prediction and one weight, "
            f"got {len(true)} labels, {len(said)} predictions and {len(weights)} weights"
        )
    k = len(classes)
    place = k * true + said
    first, second = (np.zeros(k * k) for _ in range(2))
    np.add.at(first, place, weights)
    np.add.at(second, place, weights**2)
    return _Cells(first, second, n, classes)


def _places(values: Sequence[object] | Integers, classes: Sequence[object]) -> Integers:
    """The place of each value among the classes."""
    if classes is _SIGNS:
        found: Integers = (require_labels(values) > 0).astype(np.int64)
        return found
    known = {name: place for place, name in enumerate(classes)}
    if len(known) < max(len(classes), 2):
        raise InvalidParameter(f"classes must be two or more that differ, got {shown(classes)}")
    for value in values:
        if value not in known:
            raise InvalidLabel(f"a label must be one of {shown(classes)}, got {shown(value)}")
    return np.array([known[value] for value in values], np.int64)


def _measured(name: str, ratios: Sequence[Ratio], cells: _Cells, alpha: float) -> Interval:
    check_share(alpha=alpha)
    share, slopes = 0.0, np.zeros(cells.first.size)
    used = np.zeros(cells.first.size, bool)
    for above, below in ratios:
        whole = float(cells.n) if below is None else float(below @ cells.first)
        if whole == 0:
            if cells.labelled < 2:
                raise InvalidParameter(
                    f"the {name} needs labels of all classes, got those of one class only"
                )
            return Interval(math.nan, 0.0, 1.0, 1.0 - alpha, name, "at a fixed time")
        one = float(above @ cells.first) / whole
        share += one / len(ratios)
        slopes += (above - (0.0 if below is None else one * below)) / whole / len(ratios)
        used |= np.ones_like(used) if below is None else below > 0
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
