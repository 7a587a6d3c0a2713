"""What a classifier learns from labels that were asked at random, as many as it takes."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from askance.learners.kept_rows import KEPT
from askance.presets import make_learner
from askance.rehearsal.held import Held
from askance.simulate import Contestant
from askance.types import Ending, ResultRow, Run

__all__ = [
    "Needed",
    "asks_at_random",
    "labels_needed",
    "more_budgets",
    "random_sample_rows",
    "run_of",
]

GROWTH = 1.35
"""By how much the labels grow before the error is looked at again."""

MOST_TIMES = 10
"""Times the labels that were bought after which the search is given up."""


class Needed(NamedTuple):
    """The fewest ``labels`` tried whose error was as low; if none ``reached`` it, the most."""

    labels: int
    reached: bool


def asks_at_random(one: Contestant) -> bool:
    """Whether a contestant is ``auto`` without its questions: a mixture of labels at random.

    >>> asks_at_random(Contestant("at random", "auto", {"uniform_share": 1.0}))
    True
    """
    return one.algorithm == "auto" and one.parameters.get("uniform_share") == 1


def random_sample_rows(
    held: Held, one: Contestant, sizes: Iterable[int], seed: int, j: int = 0
) -> Iterator[ResultRow]:
    """The test error of the mixture at numbers of labels, each when it is asked for.

    A permutation is a random order, so its first examples are a random sample; and as nothing
    depends on a classifier, none is fitted in between.
    """
    train, test = held.split(seed, j)
    learner = make_learner(
        "auto", n_features=held.n_features, **(one.parameters | held.about_classes)
    )
    shown, X = held.csr[train[:KEPT]], held.csr[test]
    for size in sizes:
        rows = train[:size]
        n = len(rows)
        classifier = learner.oracle.fit(held.csr[rows], held.labels[rows], np.ones(n), shown)
        error = held.loss(learner.said_by(classifier, X), test)
        yield ResultRow(size, n, n, error, n == size)


def run_of(rows: Sequence[ResultRow]) -> Run:
    """The run that ended with the last of some ``rows``.

    >>> run_of([ResultRow(10, 10, 10, 0.25, True)]).ended
    'last budget reached'
    """
    last = rows[-1]
    ended: Ending = "last budget reached" if last.reached else "stream over"
    return Run(tuple(rows), last.examples, last.queries, last.error, ended)


def more_budgets(bought: int, examples: int) -> list[int]:
    """Numbers of labels beyond those bought, up to ten times as many or all.

    >>> more_budgets(100, 400)
    [135, 183, 248, 335, 400]
    """
    most = min(examples, MOST_TIMES * bought)
    found: list[int] = []
    size = bought
    while size < most:
        size = min(int(np.ceil(size * GROWTH)), most)
        found.append(size)
    return found


def labels_needed(error: float, rows: Iterable[ResultRow]) -> Needed:
    """How many labels the first of some ``rows`` has whose error is as low.

    >>> labels_needed(0.1, [ResultRow(10, 10, 10, 0.3, True), ResultRow(20, 20, 20, 0.1, True)])
    Needed(labels=20, reached=True)
    """
    labels = 0
    for row in rows:
        labels = row.queries
        if row.error <= error:
            return Needed(labels, True)
    return Needed(labels, False)
