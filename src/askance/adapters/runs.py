"""What the adapters share: their settings, and runs over matrices whose labels are asked for."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from askance.errors import InvalidParameter
from askance.learners.active_cover import ActiveCover
from askance.live import ActiveLearner
from askance.live.budget import Budget
from askance.sparse import rows_of
from askance.types import Decision, Floats, Label, Matrix

__all__ = ["Answer", "Asked", "EpochRun", "Run", "StreamRun", "budget_of", "settings_of"]

Answer = Callable[[int], Label]
"""Gives the label, -1 or +1, of a row by its number."""


def budget_of(label_budget: int | None) -> Budget:
    """A total of labels as a budget.

    >>> budget_of(0)
    Traceback (most recent call last):
    askance.errors.InvalidParameter: label_budget must be a positive whole number or None, got 0
    """
    try:
        return Budget(total=label_budget)
    except InvalidParameter:
        raise InvalidParameter(
            f"label_budget must be a positive whole number or None, got {label_budget!r}"
        ) from None


def settings_of(parameters: dict[str, Any] | None, **named: Any) -> dict[str, Any]:
    """Join named parameters, where they are not None, and further ones.

    >>> settings_of({"cover_size": 6}, c0=0.1, learning_rate=None)
    {'c0': 0.1, 'cover_size': 6}
    """
    return {name: value for name, value in named.items() if value is not None} | (parameters or {})


@dataclass(slots=True)
class Asked:
    """What one pass over a matrix has bought so far.

    ``rows`` are the numbers of the rows whose labels were asked, ``weights`` their importance
    weights, and ``offered`` counts the rows that were offered before the budget was spent.
    """

    rows: list[int] = field(default_factory=list)
    weights: list[float] = field(default_factory=list)
    offered: int = 0


class Run(Protocol):
    """A learner that can be shown one matrix after the other."""

    def show(self, X: Matrix, answer: Answer, asked: Asked) -> None:
        """Offer the rows of a CSR array in turn, asking for the labels that are wanted.

        If an answer fails, what was bought before is learned and noted in ``asked``.
        """


class StreamRun:
    """A streaming learner, one row after the other.

    >>> from askance.sparse import from_dense
    >>> run, asked = StreamRun(ActiveLearner("passive", n_features=2)), Asked()
    >>> run.show(from_dense(np.eye(2)), [+1, -1].__getitem__, asked)
    >>> asked
    Asked(rows=[0, 1], weights=[1.0, 1.0], offered=2)
    """

    def __init__(self, learner: ActiveLearner) -> None:
        self.learner = learner

    def show(self, X: Matrix, answer: Answer, asked: Asked) -> None:
        for i, row in enumerate(rows_of(X, wide=True)):
            question = self.learner.ask(row)
            if question.reason == "budget":
                return
            asked.offered += 1
            if question.wanted:
                try:
                    self.learner.tell(question, answer(i))
                except BaseException:
                    self.learner.withdraw(question)
                    raise
                asked.rows.append(i)
                asked.weights.append(question.weight)


class EpochRun:
    """Active Cover, as many rows at a time as its epoch has left.

    Parameters
    ----------
    learner
        Active Cover over any batch oracle.
    coins
        Gives one uniform number for each row.
    budget
        How many labels may be asked for, if not as many as the learner wants.
    """

    def __init__(
        self, learner: ActiveCover, coins: np.random.Generator, budget: int | None
    ) -> None:
        self.learner = learner
        self._coins = coins
        self._left = budget

    def show(self, X: Matrix, answer: Answer, asked: Asked) -> None:
        start = 0
        coins = self._coins.random(X.shape[0])
        while start < X.shape[0] and self._left != 0:
            part = X[start : start + self.learner.remaining]
            decisions = self._affordable(part, coins[start : start + part.shape[0]])
            labels: list[Label | None] = []
            try:
                for i, decision in enumerate(decisions):
                    labels.append(answer(start + i) if decision.queried else None)
            finally:
                if labels:
                    self._learn(part[: len(labels)], decisions[: len(labels)], labels, asked)
            start += len(decisions)

    def _learn(
        self, X: Matrix, decisions: list[Decision], labels: list[Label | None], asked: Asked
    ) -> None:
        self.learner.learn_many(X, decisions, labels)
        bought = [i for i, decision in enumerate(decisions) if decision.queried]
        self._left = None if self._left is None else self._left - len(bought)
        asked.rows.extend(asked.offered + i for i in bought)
        asked.weights.extend(1.0 / decisions[i].probability for i in bought)
        asked.offered += len(decisions)

    def _affordable(self, X: Matrix, coins: Floats) -> list[Decision]:
        """Decide for these rows, up to the one that takes the last label."""
        decisions = self.learner.decide_many(X, coins)
        asked = np.flatnonzero([decision.queried for decision in decisions])
        if self._left is None or len(asked) < self._left:
            return decisions
        return decisions[: asked[self._left - 1] + 1]
