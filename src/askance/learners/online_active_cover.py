"""Online Active Cover: ``alg:cover`` of the paper, whole."""

import math
from collections.abc import Sequence
from typing import cast

import numpy as np

from askance.errors import InvalidParameter
from askance.kernels import cover
from askance.kernels.formulas import (
    beta_squared,
    least_q_squared,
    min_query_probability,
    query_probability,
    regret_threshold,
    sign,
)
from askance.learners.disagreement import Disagreement, check_disagreement, error_gap
from askance.learners.streaming import StreamingLearner
from askance.protocols import OnlineOracle
from askance.types import Decision, Floats, Label, Row, State
from askance.validation import (
    check_coin,
    require_at_least_one,
    require_positive,
    require_switch,
    saved_number,
    saved_part,
)

__all__ = ["OnlineActiveCover"]

FIRST = 3
"""The labels of the first three examples are always asked."""


class OnlineActiveCover(StreamingLearner):
    """Ask where good classifiers disagree, with a probability found by a small cover of them.

    Paper: ``alg:cover``; parameters and defaults from ``appendix:hyper-parameters``.

    Parameters
    ----------
    erm
        O_0, the online oracle whose classifier predicts.
    cover_oracles
        O_1 to O_l, further online oracles; none if ``oracular``.
    c0
        Scale of the threshold: larger asks more.
    alpha
        At least 1; weight of the variance constraints.
    beta_scale
        Larger gives the regret term less influence.
    oracular
        Always ask inside the region (the remark under ``eq:iwal_threshold``).
    disagreement
        ``"sensitivity"``, ``"margin"`` or ``"exact"``, see :mod:`askance.learners.disagreement`.

    Examples
    --------
    >>> import askance
    >>> learner = askance.make_learner("online_active_cover", n_features=1, cover_size=3, c0=0.1)
    >>> x = askance.as_row([1.0])
    >>> for _ in range(5):
    ...     decision = learner.decide(x, coin=0.9)
    ...     learner.learn(x, decision, +1 if decision.queried else None)
    >>> learner.k, learner.predict(x)
    (5, 1)
    """

    def __init__(
        self,
        erm: OnlineOracle,
        cover_oracles: Sequence[OnlineOracle] = (),
        *,
        c0: float = 1.0,
        alpha: float = 1.0,
        beta_scale: float = math.sqrt(10.0),
        oracular: bool = False,
        disagreement: Disagreement = "sensitivity",
    ) -> None:
        require_positive(c0=c0, beta_scale=beta_scale)
        require_at_least_one(alpha=alpha)
        require_switch(oracular=oracular)
        if bool(cover_oracles) == oracular:
            found = f"{len(cover_oracles)} cover oracles with oracular={oracular}"
            raise InvalidParameter(f"the cover must be empty if and only if oracular, got {found}")
        check_disagreement(disagreement, erm)
        super().__init__(erm)
        self.cover_oracles = list(cover_oracles)
        self.c0, self.alpha, self.beta_scale = c0, alpha, beta_scale
        self.oracular = oracular
        self.disagreement: Disagreement = disagreement
        self.ratios: Floats = np.zeros((2, 1 + len(self.cover_oracles)))
        """Numerators and denominators by lane; the ERM, lane 0, has none."""

    @property
    def numerators(self) -> list[float]:
        """nu_t of ``eq:cover:update_num``."""
        return cast(list[float], self.ratios[0, 1:].tolist())

    @numerators.setter
    def numerators(self, values: Sequence[float]) -> None:
        self.ratios[0, 1:] = values

    @property
    def denominators(self) -> list[float]:
        """omega_t of ``eq:cover:update_den``."""
        return cast(list[float], self.ratios[1, 1:].tolist())

    @denominators.setter
    def denominators(self, values: Sequence[float]) -> None:
        self.ratios[1, 1:] = values

    @property
    def multipliers(self) -> list[float]:
        """lambda_t of ``eq:cover:update_lambda``."""
        pairs = zip(self.numerators, self.denominators, strict=True)
        return [cover.multiplier(*pair) for pair in pairs]

    def decide(self, x: Row, coin: float) -> Decision:
        """Steps 14 to 25 of ``alg:cover``: region, floor, query probability, coin."""
        check_coin(coin)
        f = self.erm.margin(x)
        predicted = sign(f)
        threshold = regret_threshold(self.mean_error, float(self.k), self.c0, self.alpha)
        floor = min_query_probability(self.mean_error, float(self.k))
        in_disagreement = (
            self.k < FIRST or error_gap(self.erm, x, f, self.k, self.disagreement) <= threshold
        )
        probability = self._query_probability(x, predicted, floor) if in_disagreement else 0.0
        return self.decided(
            predicted, in_disagreement, probability, coin, threshold=threshold, floor=floor
        )

    def _query_probability(self, x: Row, predicted: Label, floor: float) -> float:
        """P_i of ``alg:cover``, inside the region."""
        if self.oracular or self.k < FIRST:
            return 1.0
        q_squared = least_q_squared(floor)
        for oracle, multiplier in zip(self.cover_oracles, self.multipliers, strict=True):
            if oracle.predict(x) != predicted:
                q_squared += multiplier
        return query_probability(q_squared)

    def learn(self, x: Row, decision: Decision, label: Label | None) -> None:
        """Steps 7 to 13 of ``alg:cover``: the ERM first, then the cover from the third example."""
        super().learn(x, decision, label)
        if decision.k >= FIRST - 1:
            self._learn_cover(x, decision, label)

    def _learn_cover(self, x: Row, decision: Decision, label: Label | None) -> None:
        """The loop over t of ``alg:cover``, with k, threshold and floor as they were decided."""
        predicted, inside = decision.predicted, decision.in_disagreement
        target, weight = self.target(decision, label)
        beta2 = beta_squared(self.c0, self.alpha, self.beta_scale)
        regret = cover.regret_weight(beta2, float(decision.k), decision.threshold)
        q_squared = least_q_squared(decision.floor)
        numerators, denominators = self.numerators, self.denominators
        for t, oracle in enumerate(self.cover_oracles):
            p = query_probability(q_squared)
            gap = cover.cost_gap(regret, predicted == target, weight, inside, self.alpha, p)
            oracle.observe(x)
            margin = oracle.learn(x, predicted if gap <= 0.0 else -predicted, abs(gap))
            disagrees = sign(margin) != predicted
            numerators[t] = cover.numerator_step(numerators[t], gap, disagrees)
            denominators[t] = cover.denominator_step(
                denominators[t], q_squared, disagrees and inside
            )
            if disagrees:
                q_squared += cover.multiplier(numerators[t], denominators[t])
        self.numerators, self.denominators = numerators, denominators

    def get_state(self) -> State:
        return super().get_state() | {
            "cover": [oracle.get_state() for oracle in self.cover_oracles],
            "numerators": self.numerators,
            "denominators": self.denominators,
        }

    def set_state(self, state: State) -> None:
        members = saved_part(state, "cover", list)
        found, expected = len(members), len(self.cover_oracles)
        if found != expected:
            raise InvalidParameter(f"a saved cover must have {expected} members, got {found}")
        numerators = _saved_ratios(state, "numerators", expected, least=-math.inf)
        denominators = _saved_ratios(state, "denominators", expected, least=0.0)
        super().set_state(state)
        for oracle, saved in zip(self.cover_oracles, members, strict=True):
            oracle.set_state(saved)
        self.numerators, self.denominators = numerators, denominators


def _saved_ratios(state: State, name: str, count: int, least: float) -> list[float]:
    values = saved_part(state, name, list)
    if len(values) != count:
        raise InvalidParameter(f"saved {name} must be {count} numbers, got {len(values)}")
    return [saved_number({name: value}, name, least) for value in values]
