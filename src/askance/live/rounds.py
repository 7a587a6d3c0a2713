"""A round of questions that was decided elsewhere, written into the books of a live learner."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from askance.errors import InvalidParameter
from askance.learners.auto_rounds import AutoInRounds
from askance.live.active_learner import ActiveLearner
from askance.live.questions import RECENT
from askance.sparse import as_matrix, rows_of
from askance.types import Decision, Integers, Label, Matrix, Row

__all__ = ["Asked", "asked_of", "enter_round", "in_rounds"]


class Asked(NamedTuple):
    """All questions of a learner: P of those that wait, labels of the answered, the withdrawn."""

    pending: dict[int, float]
    answered: dict[int, Label]
    withdrawn: frozenset[int]


def asked_of(live: ActiveLearner) -> Asked:
    """How the questions of a learner stand.

    >>> asked_of(ActiveLearner("passive", n_features=1)).pending
    {}
    """
    with live._lock:
        books = live._questions
        return Asked(
            {id: decision.probability for id, (_, decision) in books.pending.items()},
            {id: label for id, (label, _, _) in books.bought.items()},
            frozenset(books.withdrawn),
        )


def in_rounds(live: ActiveLearner) -> AutoInRounds:
    """The learner of ``live``, which must go in rounds.

    >>> in_rounds(ActiveLearner("auto", n_features=1, rounds=True)).k
    0
    """
    if not isinstance(live.learner, AutoInRounds):
        raise InvalidParameter(
            f"a pool is asked about by auto with rounds, got a {type(live.learner).__name__}"
        )
    return live.learner


def enter_round(
    live: ActiveLearner, X: Matrix, decisions: Sequence[Decision], passed: Mapping[float, int]
) -> list[int]:
    """Open the questions of a round, and give their ids.

    Parameters
    ----------
    live
        The learner whose rule has decided.
    X, decisions
        The rows that are asked about and what was decided for them; their ``k`` count through the
        examples of the round, behind those of earlier ones.
    passed
        How many examples were not asked about, by their probability.

    Examples
    --------
    >>> live = ActiveLearner("auto", n_features=1, rounds=True)
    >>> decision = live.learner.decide(Row(np.array([0]), np.array([1.0])), coin=0.0)
    >>> enter_round(live, np.ones((1, 1)), [decision._replace(k=2)], {0.1: 4})
    [2]
    >>> live.stats().seen, live.pending()
    (5, [2])
    """
    with live._lock:
        learner, books = in_rounds(live), live._questions
        books.judge()
        first, unasked = books.seen, sum(passed.values())
        examples = unasked + len(decisions)
        positions = np.array([decision.k - first for decision in decisions], np.int64)
        _check_positions(positions, examples)
        for row, decision in zip(rows_of(as_matrix(X), wide=True), decisions, strict=True):
            books.pending[decision.k] = Row(row.indices.copy(), row.values.copy()), decision
            live._ledger.buy(decision.k)
            learner.defer(decision)
            if books.error is not None:
                books.error.add(None, decision.probability)
        learner.pass_over(unasked)
        for probability, count in sorted(passed.items()):
            if books.error is not None:
                books.error.skip(count, probability=probability)
        if books.places is not None:
            P = np.array([decision.probability for decision in decisions])
            books.places.count_round(positions, P, examples, min(passed, default=1.0))
        books.recent.extend([False] * min(unasked, RECENT))
        books.seen += examples
        return [decision.k for decision in decisions]


def _check_positions(positions: Integers, count: int) -> None:
    if not (np.diff(positions, prepend=-1, append=count) > 0).all():
        raise InvalidParameter(
            f"the questions of a round must count up within its {count} examples, got others"
        )
