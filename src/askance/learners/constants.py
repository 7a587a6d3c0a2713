"""The constants of ``alg:main``: those of the theory, and those that people can use."""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass

from askance.errors import InvalidParameter
from askance.kernels.formulas import beta_squared, min_query_probability, regret_threshold
from askance.learners.coordinate_ascent import Limits
from askance.validation import require_at_least_one, require_positive

__all__ = ["Constants", "EpochTerms", "PracticalConstants", "TheoryConstants"]

_EPSILON_SCALE = 32.0
_ETA = 864.0


@dataclass(frozen=True, slots=True)
class EpochTerms:
    """What one epoch needs: ``threshold``, ``limits`` of (OP) and the solver's ``tolerance``."""

    threshold: float
    limits: Limits
    tolerance: float


class Constants(ABC):
    """Turns the error of the ERM on Z-tilde and its size into the numbers of the next epoch."""

    @abstractmethod
    def terms(self, error: float, tau: int) -> EpochTerms:
        """Threshold, (OP) and tolerance after ``tau`` examples with the ERM's error ``error``."""

    @staticmethod
    def theory(
        log_class_size: float, n: int, delta: float, alpha: float = 1.0
    ) -> "TheoryConstants":
        """Constants that obey ``eqn:constants``; at everyday n they make every bound vacuous.

        >>> Constants.theory(log_class_size=5.0, n=1000, delta=0.05).gamma
        216.0
        """
        return TheoryConstants(log_class_size=log_class_size, n=n, delta=delta, alpha=alpha)

    @staticmethod
    def practical(
        c0: float, alpha: float, beta_scale: float, xi_scale: float = 100.0
    ) -> "PracticalConstants":
        """Constants of ``appendix:hyper-parameters``, with a slack to match.

        >>> constants = Constants.practical(c0=1.0, alpha=1.0, beta_scale=10**0.5)
        >>> round(constants.terms(error=0.25, tau=100).threshold, 6)
        0.234207
        """
        return PracticalConstants(c0=c0, alpha=alpha, beta_scale=beta_scale, xi_scale=xi_scale)


@dataclass(frozen=True, slots=True)
class TheoryConstants(Constants):
    """The least wasteful constants that ``eqn:constants`` allows.

    Paper: ``eqn:constants``, ``eq:Delta``, ``eq:pmin``.

    Parameters
    ----------
    log_class_size
        The logarithm of the number of classifiers.
    n
        Length of the stream.
    delta
        The probability with which the bounds may fail, below 1/e.
    alpha
        At least 1; weight of the variance constraints.
    """

    log_class_size: float
    n: int
    delta: float
    alpha: float = 1.0

    def __post_init__(self) -> None:
        _require(self.log_class_size >= 0, "log_class_size", self.log_class_size, "at least 0")
        _require(self.n > 3, "n", self.n, "above 3")
        _require(0 < self.delta < 1 / math.e, "delta", self.delta, "between 0 and 1/e")
        _require(self.alpha >= 1, "alpha", self.alpha, "at least 1")
        # Else the union bound in the proof of thm:regret does not hold.
        ratio = self.log_class_size - math.log(self.delta)
        _require(ratio > math.log(192) / 2, "log(|H|/delta)", ratio, "above log(192)/2")

    @property
    def eta(self) -> float:
        return _ETA

    @property
    def gamma(self) -> float:
        return self.eta / 4

    @property
    def c1(self) -> float:
        return 2 * self.alpha * math.sqrt(6)

    @property
    def c2(self) -> float:
        return self.eta * self.c1**2 / 4

    @property
    def c3(self) -> float:
        return 1.0

    def epsilon(self, tau: int) -> float:
        """epsilon_m of ``alg:main``."""
        log_ratio = self.log_class_size - math.log(self.delta)
        return _EPSILON_SCALE * (log_ratio + math.log(tau)) / tau

    @property
    def xi(self) -> float:
        return 1 / (8 * self.n * self.epsilon(self.n) * math.log(self.n))

    @property
    def beta_squared(self) -> float:
        return self.eta / (864 * self.gamma * self.n * self.epsilon(self.n) * math.log(self.n))

    def delta_m(self, error: float, tau: int) -> float:
        """Delta_m of ``eq:Delta``."""
        epsilon = self.epsilon(tau)
        return self.c1 * math.sqrt(epsilon * error) + self.c2 * epsilon * math.log(tau)

    def terms(self, error: float, tau: int) -> EpochTerms:
        delta = self.delta_m(error, tau)
        slack = self.xi * tau * delta**2
        root = math.sqrt(tau * error / (self.n * self.epsilon(self.n)))
        floor = min(self.c3 / (root + math.log(tau)), 0.5)
        regret_scale = 2 * self.beta_squared * self.gamma * tau * delta
        limits = Limits(self.alpha, regret_scale, slack, floor)
        return EpochTerms(self.gamma * delta, limits, tolerance=slack)


@dataclass(frozen=True, slots=True)
class PracticalConstants(Constants):
    """The experiments' constants: ``eq:cover_threshold`` stands in for gamma Delta_m.

    Paper: ``appendix:hyper-parameters``.

    Parameters
    ----------
    c0
        Scale of the threshold: larger asks more.
    alpha
        At least 1; weight of the variance constraints.
    beta_scale
        Larger gives the regret term less influence.
    xi_scale
        Larger gives the variance constraints less slack.
    least_tolerance
        Precision beyond which (OP) is not solved.
    """

    c0: float
    alpha: float
    beta_scale: float
    xi_scale: float = 100.0
    least_tolerance: float = 1e-3

    def __post_init__(self) -> None:
        require_positive(c0=self.c0, xi_scale=self.xi_scale)
        if self.beta_scale != math.inf:
            # Infinite makes beta 0, which leaves its term out.
            require_positive(beta_scale=self.beta_scale)
        require_at_least_one(alpha=self.alpha)

    def terms(self, error: float, tau: int) -> EpochTerms:
        threshold = regret_threshold(error, float(tau), self.c0, self.alpha)
        weight = 2 * beta_squared(self.c0, self.alpha, self.beta_scale)
        slack = self.alpha * tau * threshold**2 / (self.c0 * self.xi_scale)
        floor = min_query_probability(error, float(tau))
        limits = Limits(self.alpha, weight * tau * threshold, slack, floor)
        return EpochTerms(threshold, limits, tolerance=max(slack, self.least_tolerance))


def _require(holds: bool, name: str, value: float, expected: str) -> None:
    if not holds:
        raise InvalidParameter(f"{name} must be {expected}, got {value}")
