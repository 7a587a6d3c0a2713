"""Coordinate ascent on the dual of (OP): query probabilities from calls to an ERM oracle.

Paper: ``alg:coord``, with expectations over a sample.
"""

import logging
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from askance.errors import InvalidParameter
from askance.kernels.optimization import (
    coordinate_step,
    dual_objective,
    query_odds,
    query_probabilities,
    rescaling,
)
from askance.learners.sample import Snapshot
from askance.protocols import BatchClassifier, BatchOracle
from askance.sparse import stacked
from askance.types import Floats, Integers, Matrix

__all__ = ["Constraint", "Cover", "Limits", "Problem", "Solution", "Step", "solve"]

_LOG = logging.getLogger("askance")


class Limits(NamedTuple):
    """The numbers of (OP) in one epoch.

    Parameters
    ----------
    alpha
        Factor of the disagreement mass in b(h).
    regret_scale
        Factor of the empirical regret in b(h): 2 beta^2 gamma tau Delta.
    slack
        The constant term of b(h): xi tau Delta^2.
    floor
        P_min.
    """

    alpha: float
    regret_scale: float
    slack: float
    floor: float


@dataclass(frozen=True)
class Constraint:
    """One variance constraint ``eq:queryp``, on the sample: its classifier and its bound.

    Parameters
    ----------
    classifier
        The first classifier found with these predictions.
    disagrees
        Indices, among the points inside the region, where it differs from the ERM.
    bound
        b(h).
    """

    classifier: BatchClassifier
    disagrees: Integers
    bound: float


@dataclass(frozen=True)
class Problem:
    """(OP) on a sample: what is known of the points, of Z-tilde and of the epoch.

    Parameters
    ----------
    points, predicted
        Unlabelled points **inside** the disagreement region, and the ERM's predictions there.
    count
        Size of the whole unlabelled sample, inside and outside.
    sample
        Z-tilde.
    erm
        The ERM on Z-tilde.
    limits
        The epoch's numbers.
    """

    points: Matrix
    predicted: Integers
    count: int
    sample: Snapshot
    erm: BatchClassifier
    limits: Limits
    _joined: Matrix = field(init=False, repr=False)
    _erm_error: float = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_joined", stacked([self.sample.X, self.points]))
        object.__setattr__(self, "_erm_error", self.sample.error(self.erm))

    @property
    def region_share(self) -> float:
        """Pr(D_m) on the sample."""
        return len(self.predicted) / self.count

    def constraint(self, classifier: BatchClassifier) -> tuple[tuple[bytes, float], Constraint]:
        """The classifier's constraint, and the key that equal classifiers share."""
        differs = classifier.predict_many(self.points) != self.predicted
        error = self.sample.error(classifier)
        limits = self.limits
        # An oracle that minimises a surrogate may find a smaller error than its "ERM" has; without
        # the clip (OP) could then have no solution. For an exact oracle the clip does nothing.
        regret = max(error - self._erm_error, 0.0)
        mass = 2 * limits.alpha**2 * float(np.count_nonzero(differs)) / self.count
        bound = mass + limits.regret_scale * regret + limits.slack
        key = (np.packbits(differs).tobytes(), round(error, 12))
        return key, Constraint(classifier, np.flatnonzero(differs), bound)

    def most_violated(self, oracle: BatchOracle, probability: Floats) -> BatchClassifier:
        """The classifier whose constraint is violated most, by one call to the oracle.

        Paper: ``appendix:most_violated_erm``, ``eq:cost``.
        """
        signed = (2 * self.limits.alpha**2 - 1 / probability) / self.count
        side = np.where(signed >= 0, self.predicted, -self.predicted)
        targets = np.concatenate([self.sample.targets, side])
        scale = self.limits.regret_scale / self.sample.offered
        weights = np.concatenate([scale * self.sample.weights, np.abs(signed)])
        return oracle.fit(self._joined, targets, weights)


class Step(NamedTuple):
    """One pass through the loop of ``alg:coord``, after the rescaling."""

    dual: float
    violation: float
    called_oracle: bool


class Cover(NamedTuple):
    """Classifiers with their multipliers: P at any point, sampled or new.

    Paper: ``eqn:primal-dual``.
    """

    classifiers: tuple[BatchClassifier, ...]
    multipliers: Floats
    floor: float

    def mass(self, X: Matrix, predicted: Integers) -> Floats:
        """The multipliers of the classifiers that differ from the ERM, summed at each point."""
        total = np.zeros(X.shape[0])
        for classifier, multiplier in zip(self.classifiers, self.multipliers, strict=True):
            if multiplier > 0:
                total += multiplier * (classifier.predict_many(X) != predicted)
        return total

    def probability(self, X: Matrix, predicted: Integers) -> Floats:
        """P at points inside the region, given the ERM's predictions there."""
        return query_probabilities(self.mass(X, predicted), self.floor)


@dataclass(frozen=True)
class Solution:
    """What ``alg:coord`` returned, and how it got there.

    Parameters
    ----------
    cover
        The classifiers found, with their multipliers.
    probability
        P at the sample's points inside the region.
    steps
        One record for each pass through the loop; the last holds the violation at the end.
    converged
        Whether every constraint holds within the tolerance, as far as the oracle can see.
    """

    cover: Cover
    probability: Floats
    steps: tuple[Step, ...]
    converged: bool

    @property
    def dual(self) -> float:
        """The dual objective reached."""
        return self.steps[-1].dual

    @property
    def iterations(self) -> int:
        """Coordinate steps taken."""
        return len(self.steps) - 1


def solve(
    problem: Problem,
    oracle: BatchOracle,
    *,
    tolerance: float,
    max_iterations: int = 100_000,
    reuse: bool = True,
) -> Solution:
    """Solve (OP) on a sample to within ``tolerance`` in every variance constraint.

    Paper: ``alg:coord``.

    Parameters
    ----------
    problem
        The sample and the epoch's numbers.
    oracle
        Finds the most violated constraint.
    tolerance
        The additive violation epsilon at which to stop.
    max_iterations
        Give up after so many steps, with a warning; ``thm:opt_converge`` bounds them, but by a
        number that can be astronomical.
    reuse
        Step on a classifier already found while one of them is violated by more than the
        tolerance, and call the oracle only then. The proof of ``thm:opt_converge`` asks no more of
        a step than such a violation, so all its bounds remain; ``False`` is the paper's letter,
        one call for every step.
    """
    if not tolerance > 0:
        raise InvalidParameter(f"tolerance must be positive, got {tolerance}")
    state = _State(problem)
    steps: list[Step] = []
    while True:
        state.rescale()
        chosen, called = state.next_violated(tolerance) if reuse else None, False
        if chosen is None:
            chosen, called = state.add(problem.most_violated(oracle, state.probability)), True
        violation = state.violation(chosen)
        steps.append(Step(state.dual, violation, called))
        if violation <= tolerance or len(steps) > max_iterations:
            break
        state.step(chosen, violation)
    if violation > tolerance:
        _LOG.warning("(OP) stopped after %d steps, violation %.3g", max_iterations, violation)
    return Solution(state.cover(), state.probability, tuple(steps), violation <= tolerance)


class _State:
    """Multipliers, and the quantities at the sample's points that follow from them."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._constraints: list[Constraint] = []
        self._position: dict[tuple[bytes, float], int] = {}
        self._multipliers: list[float] = []
        self._charge = 0.0
        self._turn = 0
        self._mass = np.zeros(len(problem.predicted))
        self._refresh()

    def _refresh(self) -> None:
        self._odds = query_odds(self._mass, self._problem.limits.floor)
        self.probability = query_probabilities(self._mass, self._problem.limits.floor)
        self._inverse = 1 / self.probability

    @property
    def dual(self) -> float:
        problem = self._problem
        return dual_objective(self._mass, problem.limits.floor, problem.count, self._charge)

    def rescale(self) -> None:
        problem = self._problem
        scale = rescaling(self._mass, problem.limits.floor, problem.count, self._charge)
        if scale < 1:
            self._multipliers = [scale * multiplier for multiplier in self._multipliers]
            self._mass = scale * self._mass
            self._charge *= scale
            self._refresh()

    def add(self, classifier: BatchClassifier) -> int:
        """Position of the classifier's constraint: the old one if an equal was found before."""
        key, constraint = self._problem.constraint(classifier)
        position = self._position.setdefault(key, len(self._constraints))
        if position == len(self._constraints):
            self._constraints.append(constraint)
            self._multipliers.append(0.0)
        return position

    def violation(self, position: int) -> float:
        """E[I_h / P] - b(h)."""
        constraint = self._constraints[position]
        spent = float(np.sum(self._inverse[constraint.disagrees]))
        return spent / self._problem.count - constraint.bound

    def next_violated(self, tolerance: float) -> int | None:
        """The next classifier in turn that is violated by more than the tolerance, if any is."""
        size = len(self._constraints)
        for turn in range(self._turn, self._turn + size):
            position = turn % size
            if self.violation(position) > tolerance:
                self._turn = position + 1
                return position
        return None

    def step(self, position: int, violation: float) -> None:
        constraint = self._constraints[position]
        odds = self._odds[constraint.disagrees]
        increase = coordinate_step(violation, odds, self._problem.count)
        self._multipliers[position] += increase
        self._mass[constraint.disagrees] += increase
        self._charge += increase * constraint.bound
        self._refresh()

    def cover(self) -> Cover:
        classifiers = tuple(constraint.classifier for constraint in self._constraints)
        return Cover(classifiers, np.array(self._multipliers), self._problem.limits.floor)
