"""Classifiers of ``auto``: one that is on its way, perhaps in the background, and one that serves.

Whether it is fitted in the background changes the time and no bit.
"""

import logging
import math
from collections.abc import Sequence
from concurrent.futures import Future
from typing import Any, NamedTuple

from askance.learners.sample import matrix_from_state, matrix_state
from askance.protocols import ProbabilisticClassifier, ProbabilisticOracle
from askance.types import Floats, Integers, Matrix, State
from askance.validation import saved_part, saved_whole

__all__ = [
    "Refit",
    "Served",
    "check_versions",
    "first_fit",
    "fit_all",
    "is_lost",
    "next_fit",
    "refit_from",
    "refit_state",
]

_LOG = logging.getLogger("askance")

FIRST = 20
"""Labels that are bought before there is a classifier."""

GROWTH = 0.4
"""By how much the labels grow before the classifier is fitted again."""


class Served(NamedTuple):
    """A ``classifier`` of so many ``labels``, and the uniform ``share`` since then.

    ``fitted_to`` are targets and weights 1/P of these labels as they were then.
    """

    classifier: ProbabilisticClassifier | None
    labels: int
    share: float
    fitted_to: tuple[Integers, Floats] | None = None


class Refit(NamedTuple):
    """A classifier on its way: of the first ``labels`` labels and the ``rows`` kept by then.

    With it comes the guard's, if it wants one.
    """

    labels: int
    rows: Matrix
    future: Future[list[ProbabilisticClassifier]] | None


def is_lost(future: Future[Any] | None) -> bool:
    """Whether nothing will come of a future: there is none, or what was to fulfil it died.

    >>> future = Future()
    >>> is_lost(None), is_lost(future), future.cancel(), is_lost(future)
    (True, False, True, True)
    """
    if future is None or future.cancelled():
        return True
    return future.done() and future.exception() is not None


def fit_all(
    oracle: ProbabilisticOracle, samples: Sequence[tuple[Matrix, Integers, Floats]], rows: Matrix
) -> list[ProbabilisticClassifier]:
    """A classifier of each sample, and of the rows; here or in another process."""
    return [oracle.fit(*sample, rows) for sample in samples]


def first_fit(budget: int | None) -> int:
    """The number of labels at which the first classifier is due.

    >>> first_fit(None), first_fit(40)
    (20, 8)
    """
    return FIRST if budget is None else max(1, min(FIRST, budget // 5))


def next_fit(fitted: int, classes: int, budget: int | None) -> int:
    """The number of labels at which a new one is due, after one of ``fitted`` labels.

    >>> next_fit(100, 2, None), next_fit(100, 1, None)
    (140, 101)
    """
    # One class is as good as none: the first label of another counts at once.
    growth = GROWTH if classes > 1 else 0.0
    return max(first_fit(budget), fitted + 1, math.ceil(fitted * (1 + growth)))


def refit_state(begun: Refit | None) -> list[Any] | None:
    """A classifier on its way, for a file; it is fitted anew when that is read."""
    return None if begun is None else [begun.labels, matrix_state(begun.rows)]


def refit_from(state: State, labels: int, n_features: int | None) -> Refit | None:
    """The one that a file says is on its way, of so many labels in all."""
    if state["begun"] is None:
        return None
    at, rows = saved_part(state, "begun", list)
    count = saved_whole({"labels": at}, "labels", most=labels)
    return Refit(count, matrix_from_state(rows, n_features), None)


def check_versions(saved: State, versions: State) -> None:
    """Warn if a classifier is fitted again by other versions than it was."""
    if saved != versions:
        _LOG.warning(
            "this learner was saved with %s and is fitted again with %s: its next questions "
            "and predictions may differ", *map(_listed, (saved, versions))
        )  # fmt: skip


def _listed(versions: State) -> str:
    return ", ".join(f"{name} {version}" for name, version in sorted(versions.items())) or "others"
