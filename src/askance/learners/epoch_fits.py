"""What decides in an epoch is one record, made by one function: here, or in another process.

Its arguments are parameters and data without a learner, so that they can be sent anywhere.
"""

from collections.abc import Callable, Mapping
from concurrent.futures import Future
from typing import Any, NamedTuple, Protocol

import numpy as np

from askance.errors import InvalidParameter
from askance.learners.sample import Snapshot
from askance.protocols import BatchClassifier, BatchOracle
from askance.sparse import empty
from askance.types import Bools, Floats, Integers, Matrix, State
from askance.validation import saved_part, saved_whole

__all__ = ["Begun", "Block", "EpochFit", "Opener", "Opening", "begun_from", "fit_epoch", "fit_erm"]


class Block(NamedTuple):
    """Decisions for many points, before the coins: predictions, region, query probabilities."""

    predicted: Integers
    inside: Bools
    probability: Floats


class Opening(Protocol):
    """What decides in an epoch that is open, and its threshold and floor."""

    @property
    def threshold(self) -> float: ...

    @property
    def floor(self) -> float: ...

    def block(self, X: Matrix, predicted: Integers) -> Block:
        """Region and query probabilities of points, given the ERM's predictions."""


class EpochFit(NamedTuple):
    """What an epoch has: Z-tilde as it began, with so many ``labels``, the ERM and its error.

    ``opening`` is None before the epoch is open, and always in the first.
    """

    sample: Snapshot
    labels: int
    erm: BatchClassifier
    error: float
    opening: Opening | None

    @property
    def facts(self) -> State:
        """What is written down of it.

        >>> EpochFit.told({"labels": 5, "k": 12, "error": 0.25}).facts
        {'labels': 5, 'k': 12, 'error': 0.25}
        """
        return {"labels": self.labels, "k": self.sample.offered, "error": self.error}

    @staticmethod
    def told(facts: Mapping[str, Any]) -> "EpochFit":
        """One of which only the facts are known: it can be entered, and decides nothing."""
        sample = Snapshot(empty(), np.zeros(0, np.int8), np.zeros(0), facts["k"])
        return EpochFit(sample, facts["labels"], _Unknown(), facts["error"], None)


Opener = Callable[[EpochFit, Matrix, int], Opening]
"""Opens an epoch, of this number; the points stand for X. It can be pickled."""


class Begun(NamedTuple):
    """An epoch on its way, of the first ``k`` examples, with so many ``labels`` among them."""

    k: int
    labels: int
    future: Future[EpochFit] | None

    @property
    def state(self) -> list[int]:
        """For a file; it is fitted anew when that is read."""
        return [self.k, self.labels]


def begun_from(state: State, k: int) -> Begun | None:
    """The one that a file says is on its way, at most of k examples; earlier versions had none."""
    if state.get("begun") is None:
        return None
    at, labels = saved_part(state, "begun", list)
    count = saved_whole({"k": at}, "k", most=k)
    return Begun(count, saved_whole({"labels": labels}, "labels", most=count), None)


def fit_erm(oracle: BatchOracle, sample: Snapshot, labels: int) -> EpochFit:
    """The ERM on Z-tilde and its error; the epoch is not open yet."""
    erm = oracle.fit(sample.X, sample.targets, sample.weights)
    return EpochFit(sample, labels, erm, sample.error(erm), None)


def fit_epoch(
    oracle: BatchOracle, opener: Opener, sample: Snapshot, labels: int, points: Matrix, epoch: int
) -> EpochFit:
    """All that an epoch needs; here or in another process."""
    fit = fit_erm(oracle, sample, labels)
    return fit._replace(opening=opener(fit, points, epoch))


class _Unknown:
    """In the place of a classifier that was not fitted again."""

    def _refuse(self, of: Any) -> Any:
        raise InvalidParameter("an epoch that was passed over has no classifier, got a row for it")

    predict = predict_many = _refuse
