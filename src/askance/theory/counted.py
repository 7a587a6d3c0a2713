"""Active Cover on a finite world by counts: streams so long that the theory's constants bind.

Within an epoch nothing changes, so of its examples only their numbers matter: how many fell on
each point with each label, and how many of those were asked about. These are drawn at once, and an
epoch of 10^14 examples costs what one of a hundred does. Region, radius and (OP), whose expectation
is over the world itself, are the learner's own.
"""

import numpy as np

from askance.learners.active_cover import ActiveCover
from askance.learners.constants import Constants
from askance.learners.epoch_fits import Block, fit_erm
from askance.learners.sample import Snapshot
from askance.learners.schedules import FIRST_END, epoch_end_after
from askance.sparse import stacked
from askance.theory.analysis import Analysis, EpochFacts, Findings
from askance.theory.domain import Domain
from askance.types import Floats, Matrix

__all__ = ["CountedStream", "counted_run"]


class _CountedCover(ActiveCover):
    """Active Cover that is handed Z-tilde whole."""

    def open_after(self, sample: Snapshot, points: Matrix) -> tuple[Block, float]:
        """Open the epoch after this sample; decide for every point of the world, and give P_min."""
        self.epoch += 1
        self._serving = fit_erm(self.oracle, sample, 0)
        opening = self._opener()(self._serving, points, self.epoch)
        return opening.block(points, self.classifier.predict_many(points)), opening.floor


class CountedStream:
    """Z-tilde by counts: the weight of each point of a world with each label.

    Parameters
    ----------
    domain
        The world.
    rng
        Draws how many examples fall where, and which of them are asked about.

    Examples
    --------
    >>> from askance.theory.domain import threshold_domain
    >>> stream = CountedStream(threshold_domain(4, 0.0), np.random.default_rng(0))
    >>> everything = Block(np.ones(4, int), np.ones(4, bool), np.ones(4))
    >>> stream.draw(10**12, everything).sum(), int(stream.asked)
    (np.float64(0.0), 1000000000000)
    """

    def __init__(self, domain: Domain, rng: np.random.Generator) -> None:
        self._domain, self._rng = domain, rng
        points = len(domain.votes)
        self.X = stacked([domain.points, domain.points])
        self.targets = np.repeat([-1, 1], points)
        self._law = np.concatenate([1 - domain.positive, domain.positive]) / points
        self.bought = np.zeros(2 * points)
        self.predicted = np.zeros(2 * points)
        self.asked = 0

    def draw(self, length: int, block: Block) -> Floats:
        """An epoch of that length; returns the ``bias`` of :class:`EpochFacts`."""
        counts = self._rng.multinomial(length, self._law)
        inside = np.tile(block.inside, 2)
        probability = np.where(inside, np.tile(block.probability, 2), 1.0)
        queries = self._rng.binomial(np.where(inside, counts, 0), probability)
        self.bought += queries / probability
        self.asked += int(queries.sum())
        outside = np.where(inside, 0, counts)
        at_points = outside.reshape(2, -1).sum(axis=0)
        added = np.tile(at_points, 2) * (self.targets == np.tile(block.predicted, 2))
        self.predicted += added
        return (self.errors(added) - self.errors(outside)) / length

    def errors(self, weights: Floats) -> Floats:
        """Mistakes of every classifier on the points with both labels, at these weights."""
        return self._domain.oracle.errors(self.X, self.targets, weights)

    def snapshot(self, offered: int) -> Snapshot:
        """Z-tilde."""
        weights = self.bought + self.predicted
        kept = np.flatnonzero(weights > 0)
        return Snapshot(self.X[kept], self.targets[kept], weights[kept], offered)


def counted_run(
    domain: Domain, constants: Constants, doublings: int, rng: np.random.Generator
) -> tuple[list[Findings], int]:
    """What the analysis says of every epoch up to 3 * 2^doublings examples, and labels asked.

    Examples
    --------
    >>> from askance.theory.domain import threshold_domain
    >>> domain, rng = threshold_domain(9, 0.1), np.random.default_rng(0)
    >>> practical = Constants.practical(c0=1.0, alpha=1.0, beta_scale=3.0)
    >>> found, asked = counted_run(domain, practical, 40, rng)
    >>> found[-1].end, int(found[-1].good.sum()), asked < 5000
    (3298534883328, 1, True)
    """
    points = domain.points
    learner = _CountedCover(domain.oracle, constants)
    stream, analysis = CountedStream(domain, rng), Analysis(domain, constants)
    everywhere = np.ones(len(domain.votes))
    block = Block(learner.classifier.predict_many(points), everywhere > 0, everywhere)
    findings: list[Findings] = []
    start, end, floor = 0, FIRST_END, 1.0
    while start < FIRST_END * 2**doublings:
        bias = stream.draw(end - start, block)
        facts = EpochFacts(
            start=start,
            end=end,
            erm=domain.index(learner),
            inside=block.inside,
            probability=block.probability,
            floor=floor,
            errors=stream.errors(stream.bought + stream.predicted) / end,
            weighted_errors=stream.errors(stream.bought) / end,
            bias=bias,
        )
        findings.append(analysis.add(facts))
        block, floor = learner.open_after(stream.snapshot(end), points)
        start, end = end, epoch_end_after("doubling", end)
    return findings, stream.asked
