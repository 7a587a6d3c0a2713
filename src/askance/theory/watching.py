"""A learner's epochs on a world that can be enumerated, as the analysis wants them."""

import math
from collections.abc import Sequence

import numpy as np

from askance.learners.active_cover import ActiveCover
from askance.learners.schedules import FIRST_END
from askance.theory.analysis import Analysis, EpochFacts, Findings
from askance.theory.domain import Domain
from askance.theory.instances import Instance
from askance.types import Decision, Floats

__all__ = ["Watch"]


class Watch:
    """Looks at the end of every epoch, with the world and the hidden labels at hand.

    Parameters
    ----------
    domain
        The world.
    learner
        Asked, never told.
    stream
        What the learner is shown.
    """

    def __init__(self, domain: Domain, learner: ActiveCover, stream: Instance) -> None:
        self._domain, self._learner, self._stream = domain, learner, stream
        self._points = domain.points
        self.analysis = Analysis(domain, learner.constants)
        self.findings: list[Findings] = []
        self._seen = 0
        self._look()

    def _look(self) -> None:
        """What serves the epoch that opens: the answers at every point of the world."""
        answers = self._learner.decide_many(self._points, np.zeros(self._points.shape[0]))
        self._inside = np.array([d.in_disagreement for d in answers])
        self._probability = np.array([d.probability for d in answers])
        self._floor = answers[0].floor
        self._erm = self._domain.index(self._learner)

    def __call__(self, decisions: Sequence[Decision]) -> None:
        """To be called by :func:`~askance.theory.instances.trace_of` at the end of an epoch."""
        record, sample = self._learner.epochs[-1], self._learner.sample
        # What was bought has a weight above 1, but for the first epoch, where P is 1.
        bought = sample.weights > 1
        bought[:FIRST_END] = True
        facts = EpochFacts(
            start=record.start,
            end=record.end,
            erm=self._erm,
            inside=self._inside,
            probability=self._probability,
            floor=self._floor,
            errors=self._errors(np.ones(len(bought), dtype=bool)),
            weighted_errors=self._errors(bought),
            bias=self._bias(decisions) / (record.end - record.start),
        )
        self.findings.append(self.analysis.add(facts))
        self._look()

    def _errors(self, chosen: np.ndarray) -> Floats:
        sample, oracle = self._learner.sample, self._domain.oracle
        errors: Floats = oracle.errors(sample.X, sample.targets, sample.weights * chosen)
        return errors / sample.offered

    def _bias(self, decisions: Sequence[Decision]) -> Floats:
        """Mistakes on the sample's targets outside the region, less those on the hidden labels."""
        rows = np.arange(self._seen, len(decisions))
        new = decisions[self._seen :]
        self._seen = len(decisions)
        # Without a threshold an example outside was spent on (OP), and is in no sample.
        outside = np.array([not d.in_disagreement and d.threshold < math.inf for d in new])
        kept = outside | [d.queried for d in new]
        targets = self._learner.sample.targets[-int(kept.sum()) :][outside[kept]]
        X, ones = self._stream.X[rows[outside]], np.ones(len(targets))
        errors = self._domain.oracle.errors
        return errors(X, targets, ones) - errors(X, self._stream.labels[rows[outside]], ones)
