"""An active learner by whole blocks, where all labels can be had at once."""

from collections.abc import Sequence
from typing import cast

import numpy as np

from askance.live.active_learner import ActiveLearner
from askance.protocols import BlockLearner
from askance.sparse import rows_of
from askance.types import Decision, Floats, Label, Matrix, Row
from askance.validation import require_label

__all__ = ["InBlocks", "goes_in_blocks"]


def goes_in_blocks(live: ActiveLearner) -> bool:
    """Whether ``live`` decides in blocks, has no budget per window and no question open.

    >>> [goes_in_blocks(ActiveLearner(name, n_features=1)) for name in ("auto", "passive")]
    [True, False]
    """
    is_plain = live.budget.labels is None and not live.pending()
    return is_plain and isinstance(live.learner, BlockLearner)


class InBlocks:
    """The learner of ``live``, whose books are kept, so that it ends as if asked and told by rows.

    Whoever shows it examples sees to it that the labels last.
    """

    def __init__(self, live: ActiveLearner) -> None:
        self._live, self._learner = live, cast(BlockLearner, live.learner)
        self.decide_many = self._learner.decide_many

    @property
    def remaining(self) -> int:
        """How many examples, at least one, can be decided before anything changes."""
        return self._learner.remaining

    def coins(self, count: int) -> Floats:
        """The coins of the next examples."""
        return np.array(self._live._coins.next(count))

    def learn_many(
        self, X: Matrix, decisions: Sequence[Decision], labels: Sequence[Label | None]
    ) -> None:
        """Learn a block, and write down what was asked and answered."""
        live = self._live
        with live._lock:
            self._learner.learn_many(X, decisions, labels)
            questions, ledger = live._questions, live._ledger
            first = questions.seen
            wanted = [i for i, decision in enumerate(decisions) if decision.queried]
            # Copies, so that a label does not keep its whole block.
            for i, row in zip(wanted, rows_of(X[wanted], wide=True), strict=True):
                kept = Row(row.indices.copy(), row.values.copy())
                bought = require_label(labels[i])
                questions.bought[first + i] = bought, kept, decisions[i].probability
                ledger.buy(first + i)
            before = self._learner.k - len(decisions)
            for i, (decision, label) in enumerate(zip(decisions, labels, strict=True), start=1):
                live._coins.advance()
                questions.keep(decision, label)
                questions.count(decision.in_disagreement, before + i)
            questions.seen = first + len(decisions)
