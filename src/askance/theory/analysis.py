"""The inequalities of the paper's analysis, evaluated on a world that can be enumerated."""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from askance.learners.constants import Constants, TheoryConstants
from askance.theory.domain import Domain
from askance.types import Bools, Floats

__all__ = ["Analysis", "EpochFacts", "Findings", "Inequality"]

# As much as the learner's own test of A_m allows.
_TIE = 1e-9


class Inequality(NamedTuple):
    """An inequality for every classifier or pair that it speaks of: ``left`` <= ``right``.

    ``trivial`` is the largest value that the regret or error in question can have: a bound above it
    says nothing about it.

    Examples
    --------
    >>> claim = Inequality(np.array([1.0, 2.0]), np.array([4.0, 4.0]), trivial=3.0)
    >>> claim.holds, claim.tightest, claim.says_something
    (True, (2.0, 4.0), False)
    """

    left: Floats
    right: Floats
    trivial: float

    @property
    def holds(self) -> bool:
        # Sums of equal numbers in different orders differ in their last bits.
        return bool(np.all(self.left <= self.right * (1 + 1e-9)))

    @property
    def tightest(self) -> tuple[float, float]:
        """Both sides where the left one uses the largest share of its bound."""
        at = np.unravel_index(np.argmax(self.left / self.right), np.shape(self.left))
        return float(self.left[at]), float(np.broadcast_to(self.right, np.shape(self.left))[at])

    @property
    def says_something(self) -> bool:
        return bool(np.min(self.right) < self.trivial)


@dataclass(frozen=True)
class EpochFacts:
    """One epoch, looked at when it has closed: what it used, and the sample that it left.

    Parameters
    ----------
    start, end
        tau_{m-1} and tau_m.
    erm
        Index of h_m.
    inside, probability, floor
        D_m and P_m at every point of the world, and P_min,m; what P says outside does not matter.
    errors, weighted_errors
        err(h, Z-tilde_m) and err(h, Z_m) of every classifier (``eqn:labeled``).
    bias
        For every classifier: how often it differs from the targets that the sample has outside the
        region, less how often from the hidden labels there, over the length of the epoch.
    """

    start: int
    end: int
    erm: int
    inside: Bools
    probability: Floats
    floor: float
    errors: Floats
    weighted_errors: Floats
    bias: Floats


class Findings(NamedTuple):
    """What an epoch says: the claims by label, A_{m+1}, Pr(D_m), and the bias.

    ``bias`` has, for every h and every h-bar of A_m, by how much the regret of h to h-bar on the
    epoch's sample exceeds that on the hidden labels (``lemma:favorable_bias``).
    """

    end: int
    claims: dict[str, Inequality]
    good: Bools
    region: float
    bias: Floats


class Analysis:
    """Sums over epochs, and from them both sides of the inequalities.

    With practical constants there are those of ``thm:regret`` alone: the others speak of epsilon_m.

    Paper: ``lemma:favorable_bias``, ``lemma:reg_err_concen``, ``prop:dev-regret-bias``,
    ``prop:err-emp-best``, ``thm:main-regret``, ``thm:regret``.
    """

    def __init__(self, domain: Domain, constants: Constants) -> None:
        self._domain, self._constants = domain, constants
        self._best = domain.best
        self._true_regrets = domain.errors() - domain.errors()[domain.best]
        points, classifiers = domain.votes.shape
        self._region_errors = np.zeros(classifiers)
        self._expected = np.zeros(classifiers)
        self._error_variance = np.zeros(classifiers)
        self._point_variance = np.zeros(points)
        self._erm_regret = 0.0
        self._past_regrets = np.zeros(classifiers)
        # Of Z-tilde_0, which is empty.
        self._regrets = np.zeros(classifiers)
        self._good = np.ones(classifiers, dtype=bool)

    @property
    def best_error(self) -> float:
        """The error of h* inside the regions, summed over the examples so far."""
        return float(self._region_errors[self._best])

    def add(self, facts: EpochFacts) -> Findings:
        """Take an epoch in, and say what follows for the sample at its end."""
        domain, best = self._domain, self._best
        length, inside = facts.end - facts.start, facts.inside
        inverse = np.where(inside, 1 / np.where(inside, facts.probability, 1.0), 0.0)
        errors = domain.errors(inside)
        unlike = (domain.votes != domain.votes[:, [facts.erm]]) & ~inside[:, None]
        self._region_errors += length * errors
        self._expected += length * (unlike.mean(axis=0) + errors)
        self._error_variance += length * domain.errors(inverse)
        self._point_variance += length * (~inside + inverse)
        self._erm_regret += length * float(errors[facts.erm] - errors[best])
        self._past_regrets += length * (self._regrets + self._regrets[best])
        self._regrets = facts.errors - facts.errors.min()
        bias = facts.bias[:, None] - facts.bias[self._good][None, :]
        tau, error = facts.end, _least(facts.errors)
        threshold = self._constants.terms(error, tau).threshold
        self._good = self._regrets <= threshold + _TIE
        claims = self._theorem(threshold, tau)
        if isinstance(self._constants, TheoryConstants):
            claims |= self._lemma(facts, self._constants)
            claims |= self._induction(facts, self._constants)
        return Findings(tau, claims, self._good, float(inside.mean()), bias)

    def _theorem(self, threshold: float, tau: int) -> dict[str, Inequality]:
        """``thm:regret``; the threshold is gamma Delta_m, and gamma = eta / 4."""
        regrets, best = self._true_regrets, self._best
        # Delta*_m has h*'s error in the regions in place of the ERM's on the sample.
        bound = 16 * self._constants.terms(self.best_error / tau, tau).threshold
        most = float(regrets.max())
        return {
            "eqn:regret": Inequality(regrets[self._good], np.array([bound]), most),
            "eq:h_best": Inequality(self._regrets[[best]], np.array([threshold]), most),
        }

    def _lemma(self, facts: EpochFacts, constants: TheoryConstants) -> dict[str, Inequality]:
        """``lemma:reg_err_concen``, for every pair and for every classifier."""
        tau, epsilon = facts.end, constants.epsilon(facts.end)
        gaps = facts.errors - self._expected / tau
        error_gaps = facts.weighted_errors - self._region_errors / tau
        votes, share = self._domain.votes, self._point_variance / len(self._domain.votes)
        pairs = np.maximum(share.sum() - votes.T @ (share[:, None] * votes), 0.0) / 2
        rest = epsilon / facts.floor
        return {
            "eqn:dev-bias": Inequality(
                np.abs(gaps[:, None] - gaps[None, :]),
                np.sqrt(epsilon / tau * pairs) + rest,
                float(self._true_regrets.max()),
            ),
            "eq:dev-label": Inequality(
                np.abs(error_gaps), np.sqrt(epsilon / tau * self._error_variance) + rest, 1.0
            ),
        }

    def _induction(self, facts: EpochFacts, constants: TheoryConstants) -> dict[str, Inequality]:
        """The two propositions, and ``thm:main-regret``."""
        tau, best = facts.end, self._best
        epsilon, error = constants.epsilon(tau), _least(facts.errors)
        delta = constants.delta_m(error, tau)
        region = self.best_error / tau
        expected = self._expected / tau
        biased = expected - expected[best]
        deviation = np.abs(facts.errors - facts.errors[best] - biased)
        error_gap = np.array([abs(region - error)])
        past = 2 * constants.gamma * epsilon * delta * self._past_regrets
        terms = (
            2 * constants.alpha * math.sqrt(epsilon / tau * self._erm_regret)
            + 2 * constants.alpha * math.sqrt(3 * epsilon * region)
            + np.sqrt(constants.beta_squared * past)
        )
        most = float(self._true_regrets.max())
        return {
            "prop:dev-regret-bias": Inequality(deviation, biased / 4 + terms + 4 * delta, most),
            "prop:err-emp-best": Inequality(
                error_gap, region / 2 + 1.5 * delta + self._regrets[[best]], 1.0
            ),
            "eqn:main-regret": Inequality(deviation, biased / 2 + constants.eta / 4 * delta, most),
            "eq:err_dev": Inequality(
                error_gap, np.array([region / 2 + constants.eta / 2 * delta]), 1.0
            ),
        }


def _least(errors: Floats) -> float:
    """The ERM's error; sums that cancel may leave a little less than nothing."""
    return max(float(errors.min()), 0.0)
