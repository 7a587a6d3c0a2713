"""Synthetic streams with known best classifiers, and what a learner does on them."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from askance.learners.epochs import EpochLearner
from askance.simulate import run_blocks
from askance.sparse import from_dense
from askance.types import Bools, Decision, Floats, Integers, Matrix

__all__ = [
    "CERTAINTY",
    "Instance",
    "Trace",
    "certainty",
    "hard_instance",
    "threshold_stream",
    "trace_of",
]

CERTAINTY = 0.8


@dataclass(frozen=True)
class Instance:
    """Examples with their hidden labels; ``best`` names h* (an index or a cut)."""

    X: Matrix
    labels: Integers
    best: float


@dataclass(frozen=True)
class Trace:
    """What a learner decided for each example: whom it asked, who was inside, with what P."""

    queried: Bools
    inside: Bools
    probability: Floats

    def queries_at(self, n: Integers) -> Integers:
        """Labels asked among the first n examples."""
        return np.concatenate([[0], np.cumsum(self.queried)])[n]

    def inside_at(self, n: Integers) -> Integers:
        """Examples inside the region among the first n."""
        return np.concatenate([[0], np.cumsum(self.inside)])[n]


def trace_of(
    learner: EpochLearner,
    instance: Instance,
    coins: Floats,
    on_epoch: Callable[[Sequence[Decision]], None] = lambda decisions: None,
) -> Trace:
    """Run a learner over an instance; every query is answered at once.

    ``on_epoch`` is called with the decisions so far when an epoch has ended and the next can be
    seen (for ``fresh``, once its points for (OP) are there), and when the stream has ended.
    """
    decisions: list[Decision] = []
    epoch, reported = learner.epoch, 0

    def note(block: Sequence[Decision]) -> None:
        nonlocal epoch, reported
        decisions.extend(block)
        if learner.epoch > epoch and not (learner.fresh and learner.threshold == math.inf):
            epoch, reported = learner.epoch, len(decisions)
            on_epoch(decisions)

    run_blocks(learner, instance.X, coins, instance.labels.__getitem__, on_block=note)
    if reported < len(decisions):
        on_epoch(decisions)
    return Trace(
        queried=np.array([d.queried for d in decisions]),
        inside=np.array([d.in_disagreement for d in decisions]),
        probability=np.array([d.probability for d in decisions]),
    )


def hard_instance(size: int, n: int, epsilon: float, rng: np.random.Generator) -> Instance:
    """A stream of ``sec:example``, with the votes of all ``size`` classifiers in each example.

    With probability epsilon, y = h*(x) and every other classifier flips a coin; otherwise y is a
    coin and all classifiers agree but for one, drawn at random, that is not h*. h* has a random
    index. See :class:`~askance.oracles.finite.VoteOracle` for the layout.
    """
    best = int(rng.integers(size))
    common = rng.choice([-1, 1], size=n)
    informative = rng.random(n) < epsilon
    labels = np.where(informative, common, rng.choice([-1, 1], size=n))
    dissent = rng.random((int(informative.sum()), size)) < 0.5
    dissent[:, best] = False
    alone = rng.integers(size - 1, size=n)
    alone += alone >= best
    groups = iter(dissent)
    columns = [
        np.flatnonzero(next(groups)) if special else alone[i : i + 1]
        for i, special in enumerate(informative)
    ]
    indptr = np.concatenate([[0], np.cumsum([len(c) + 1 for c in columns])])
    indices = np.concatenate([np.concatenate([[0], c + 1]) for c in columns])
    values = np.ones(len(indices))
    values[indptr[:-1]] = common
    return Instance(csr_array((values, indices, indptr), shape=(n, size + 1)), labels, best)


def threshold_stream(n: int, cut: float, omega: float, rng: np.random.Generator) -> Instance:
    """Uniform points on [0, 1] labelled by a threshold under Tsybakov noise of exponent omega.

    |2 eta(x) - 1| = CERTAINTY (2 |x - cut|)^(1/omega - 1), at most 1, so that the regret of a cut
    at distance d is proportional to d^(1/omega) (``eqn:tsybakov``); omega = inf means no noise.
    """
    x = rng.random(n)
    agrees = rng.random(n) < (1 + certainty(np.abs(x - cut), omega)) / 2
    labels = np.where((x > cut) == agrees, 1, -1)
    return Instance(from_dense(x[:, None]), labels, cut)


def certainty(distance: Floats, omega: float) -> Floats:
    """How far from a coin the label is at this distance from the cut, |2 eta(x) - 1|.

    >>> certainty(np.array([0.5, 0.125]), 0.5).tolist(), certainty(np.array([0.1]), np.inf).tolist()
    ([0.8, 0.2], [1.0])
    """
    if not np.isfinite(omega):
        return np.ones(len(distance))
    certain: Floats = np.minimum(CERTAINTY * (2 * distance) ** (1 / omega - 1), 1.0)
    return certain
