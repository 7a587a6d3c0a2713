"""The paper's measures, as functions of arrays.

Errors are arrays ``[permutation, setting, budget]`` or with fewer axes, the budgets last. Gains are
one array ``[permutation, setting]`` for each data set, which may differ in their permutations.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from askance.types import Floats, Integers

__all__ = [
    "auc",
    "auc_gain",
    "auc_gain_per_data",
    "auc_literal",
    "best_fixed",
    "best_per_data",
    "first",
    "gain_curve",
    "gains",
    "halves",
    "interval",
    "keeping",
    "median_gains",
    "quartile",
    "resamples",
]

Gains = Sequence[Floats]


def auc_literal(errors: Floats, queries: Integers) -> Floats:
    r"""Area under test error against log labels really asked, as the paper's formula reads.

    .. math:: \frac12 \sum_q (e_{q+1} + e_q) \log_2 \frac{n_{q+1}}{n_q}

    A budget that was never reached adds nothing, so an algorithm wins by not asking:

    >>> float(auc_literal(np.array([0.5, 0.5, 0.5]), np.array([10, 10, 10])))
    0.0

    Paper: ``sec:exp_setup``.
    """
    asked = np.maximum(np.asarray(queries, np.float64), 1.0)
    steps = np.diff(np.log2(asked), axis=-1)
    area: Floats = ((errors[..., 1:] + errors[..., :-1]) * steps).sum(axis=-1) / 2.0
    return area


def auc(errors: Floats, budgets: Sequence[int]) -> Floats:
    """Area over the whole range of budgets: one never reached has the final classifier's error.

    >>> float(auc(np.array([0.5, 0.5, 0.5]), [1, 2, 4]))
    1.0
    """
    return auc_literal(errors, np.asarray(budgets))


def gains(base: Floats, areas: Floats) -> Floats:
    """Relative gain of areas ``[permutation, setting]`` over the base's ``[permutation]``.

    >>> gains(np.array([2.0]), np.array([[1.0, 3.0]])).tolist()
    [[0.5, -0.5]]
    """
    return (base[:, None] - areas) / base[:, None]


def median_gains(by_data: Gains) -> Floats:
    """Median over permutations: ``[data set, setting]``."""
    return np.array([np.median(some, axis=0) for some in by_data])


def auc_gain_per_data(by_data: Gains) -> float:
    """Gain with the best setting for each data set, AUC-GAIN*.

    >>> auc_gain_per_data([np.array([[0.1, 0.3]]), np.array([[0.2, 0.0]])])
    0.25

    Paper: ``eq:auc-gain-per-data``.
    """
    return float(median_gains(by_data).max(axis=1).mean())


def auc_gain(by_data: Gains) -> float:
    """Gain with the best setting across data sets, AUC-GAIN.

    >>> round(auc_gain([np.array([[0.1, 0.3]]), np.array([[0.2, 0.0]])]), 12)
    0.15

    Paper: ``eq:auc-gain``.
    """
    return float(median_gains(by_data).mean(axis=0).max())


def best_fixed(by_data: Gains) -> int:
    """The setting p* that gives :func:`auc_gain`; the first of equals."""
    return int(median_gains(by_data).mean(axis=0).argmax())


def best_per_data(by_data: Gains) -> list[int]:
    """The settings p*_d, one for each data set, that give :func:`auc_gain_per_data`."""
    best: list[int] = median_gains(by_data).argmax(axis=1).tolist()
    return best


Statistic = Callable[[Floats], Floats]
"""From ``[permutation, budget]`` to ``[budget]``."""


def quartile(q: float) -> Statistic:
    """The statistic that takes a quantile over permutations.

    >>> quartile(0.5)(np.array([[1.0], [5.0], [2.0]])).tolist()
    [2.0]
    """

    def of(values: Floats) -> Floats:
        found: Floats = np.quantile(values, q, axis=0)
        return found

    return of


def first(values: Floats) -> Floats:
    """The statistic that takes the first permutation alone.

    >>> first(np.array([[1.0], [5.0]])).tolist()
    [1.0]
    """
    one: Floats = values[0]
    return one


def gain_curve(
    base: Sequence[Floats],
    errors: Sequence[Floats],
    statistic: Statistic,
    divisor: int | None = None,
) -> Floats:
    """Relative improvement in test error at each budget, averaged over data sets.

    Both are one array ``[permutation, budget]`` for each data set. As printed, the paper divides by
    the base's error at one budget (``divisor``, counted from 0); without it, by that at the same
    budget. Where the base makes no mistake, a relative gain does not exist and is left out.

    >>> one = np.array([[0.4, 0.2]])
    >>> gain_curve([one], [one / 2], quartile(0.5)).tolist()
    [0.5, 0.5]
    >>> gain_curve([one], [one / 2], quartile(0.5), divisor=0).tolist()
    [0.5, 0.25]

    Paper: ``eq:rel-err-gain``.
    """
    curves = []
    for before, after in zip(base, errors, strict=True):
        below = before if divisor is None else before[:, [divisor]]
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = (before - after) / below
        curves.append(statistic(np.where(below > 0.0, ratio, np.nan)))
    return _mean_of_known(np.array(curves))


def _mean_of_known(values: Floats) -> Floats:
    known = np.isfinite(values)
    count = np.maximum(known.sum(axis=0), 1)
    mean: Floats = np.where(known, values, 0.0).sum(axis=0) / count
    return np.where(known.any(axis=0), mean, np.nan)


def resamples(
    by_data: Gains, statistic: Callable[[Gains], float], *, repeats: int = 200, seed: int = 0
) -> Floats:
    """A statistic of resampled data sets and, within each, permutations.

    The same seed draws the same data sets and permutations for every algorithm, so that algorithms
    can be compared draw by draw. A statistic that takes the best of several settings chooses it
    anew in each, and on the very data that it is judged by. Give it one setting to keep that one.

    >>> gains = [np.array([[0.1, 0.3]])]
    >>> resamples(gains, auc_gain, repeats=2).tolist()
    [0.3, 0.3]
    >>> resamples(keeping(gains, [0]), auc_gain, repeats=2).tolist()
    [0.1, 0.1]
    """
    rng = np.random.default_rng(seed)
    return np.array([statistic(_resampled(by_data, rng)) for _ in range(repeats)])


def keeping(by_data: Gains, settings: Sequence[int]) -> list[Floats]:
    """Gains with one setting left on each data set.

    >>> keeping([np.array([[0.1, 0.3]]), np.array([[0.2, 0.0]])], [1, 0])
    [array([[0.3]]), array([[0.2]])]
    """
    return [some[:, [p]] for some, p in zip(by_data, settings, strict=True)]


def halves(by_data: Gains, *, repeats: int = 50, seed: int = 0) -> Floats:
    """Gain of one setting on random halves of the data sets that had no say in choosing it.

    The data sets are parted at random, and each half chooses the setting that the other one judges:
    two values a time, which a lucky half cannot raise both. The same seed parts them alike for
    every algorithm. There are no halves of a single data set.

    >>> halves([np.array([[0.1, 0.3]]), np.array([[0.2, 0.0]])], repeats=1).round(9).tolist()
    [0.0, 0.1]
    """
    known, rng = median_gains(by_data), np.random.default_rng(seed)
    size = len(known) // 2
    found = []
    for _ in range(repeats if size else 0):
        order = rng.permutation(len(known))
        one, two = known[order[:size]], known[order[size:]]
        for choosers, judges in ((one, two), (two, one)):
            found.append(judges[:, choosers.mean(axis=0).argmax()].mean())
    return np.array(found)


def interval(draws: Floats, level: float = 0.9) -> tuple[float, float]:
    """The middle of the draws: all but an equal share at both ends.

    >>> interval(np.arange(101.0), 0.5)
    (25.0, 75.0)
    """
    low, high = np.quantile(draws, [(1 - level) / 2, (1 + level) / 2]).tolist()
    return low, high


def _resampled(by_data: Gains, rng: Any) -> list[Floats]:
    chosen = rng.integers(len(by_data), size=len(by_data)).tolist()
    return [by_data[d][rng.integers(len(by_data[d]), size=len(by_data[d]))] for d in chosen]
