"""What will be decided, and taking in what was: for whoever writes it down in between."""

import itertools
from collections.abc import Sequence

import numpy as np

from askance.live.asking import Asker
from askance.live.judging import has_no_label, unasked
from askance.protocols import PacedLearner
from askance.sparse import row_at
from askance.types import Decision, Floats, Matrix, Row

__all__ = ["foretold", "look_ahead", "take_in"]


def foretold(asker: Asker, X: Matrix) -> list[tuple[float, Decision | None]]:
    """Coins and decisions of the first rows, as many as are decided before anything changes."""
    ledger, budget = asker.ledger, asker.ledger.budget
    if not X.shape[0]:
        return []
    if asker.limited and not ledger.is_open(asker.questions.seen):
        return [(asker.coins.ahead[-1], None)]
    block = X[: 1 if asker.blocks is None else asker.blocks.remaining]
    if asker.limited and budget.labels is not None:
        block = X[:1]
    coins = asker.coins.next(block.shape[0])
    decisions = _decided(asker, block, np.array(coins))
    if budget.total is not None:
        wanted = [i for i, decision in enumerate(decisions) if decision.queried]
        left = budget.total - ledger.bought
        decisions = decisions[: wanted[left - 1] + 1 if left <= len(wanted) else None]
    known = [None if has_no_label(decision) else decision for decision in decisions]
    return list(zip(coins, known, strict=False))


def _decided(asker: Asker, X: Matrix, coins: Floats) -> list[Decision]:
    learner, judging, blocks = asker.learner, asker.judging, asker.blocks
    if blocks is not None:
        return (blocks.decide_many if judging is None else judging.decide_block)(X, coins)
    x, coin = row_at(X, 0), float(coins[0])
    return [learner.decide(x, coin) if judging is None else judging.foretell(x, coin)]


def take_in(asker: Asker, X: Matrix, decisions: Sequence[Decision | None]) -> None:
    """Learn and enter what was decided for rows; nothing is decided anew."""
    start = 0
    while start < len(decisions):
        quiet = [d for d in itertools.takewhile(_is_quiet, decisions[start:]) if d]
        if quiet and asker.blocks is not None:
            coins = np.array(asker.coins.next(len(quiet)))
            asker.pass_over(asker.blocks, X[start : start + len(quiet)], quiet, coins)
            start += len(quiet)
        if start < len(decisions):
            _take_in_one(asker, row_at(X, start), decisions[start])
            start += 1


def _is_quiet(decision: Decision | None) -> bool:
    return decision is not None and not decision.queried


def _take_in_one(asker: Asker, row: Row, decision: Decision | None) -> None:
    judging = asker.judging
    if decision is None:
        asker.refuse(0)
        return
    held = judging is not None and bool(judging.takes(asker.coins.ahead[-1]))
    if not held and not (decision.queried and decision.in_disagreement):
        asker.learn(row, unasked(decision), None)
    asker.enter(decision, row, held=held)
    if not held and decision.queried and decision.in_disagreement and asker.defer is not None:
        asker.defer(decision)
    if judging is not None:
        asker.follow()


def look_ahead(asker: Asker, X: Matrix) -> None:
    """Do what can be done before the next rows come; it saves time, no more."""
    learner, judging = asker.learner, asker.judging
    if isinstance(learner, PacedLearner):
        if judging is not None:
            coins = np.array(asker.coins.next(X.shape[0]))
            X = X[np.flatnonzero(~judging.takes(coins))]
        learner.foresee(X)
