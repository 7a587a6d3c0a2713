"""Synthetic streams with known best classifiers, and what a learner does on them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from askance.learners.epochs import EpochLearner
from askance.simulate import run_blocks
from askance.sparse import from_dense
from askance.types import Bools, Decision, Floats, Integers, Matrix

__all__ = ["CERTAINTY", "Instance", "Trace", "hard_instance", "threshold_stream", "trace_of"]

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


def trace_of(
    learner: EpochLearner,
    instance: Instance,
    coins: Floats,
    on_epoch: Callable[[], None] = lambda: None,
) -> Trace:
    """Run a learner over an instance; every query is answered at once.

    ``on_epoch`` is called when an epoch has ended, and when the stream has.
    """
    decisions: list[Decision] = []
    epoch, reported = learner.epoch, 0

    def note(block: Sequence[Decision]) -> None:
        nonlocal epoch, reported
        decisions.extend(block)
        if learner.epoch > epoch:
            epoch, reported = learner.epoch, len(decisions)
            on_epoch()

    run_blocks(learner, instance.X, coins, instance.labels.__getitem__, on_block=note)
    if reported < len(decisions):
        on_epoch()
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
    certain = np.ones(n)
    if np.isfinite(omega):
        certain = np.minimum(CERTAINTY * (2 * np.abs(x - cut)) ** (1 / omega - 1), 1.0)
    agrees = rng.random(n) < (1 + certain) / 2
    labels = np.where((x > cut) == agrees, 1, -1)
    return Instance(from_dense(x[:, None]), labels, cut)
