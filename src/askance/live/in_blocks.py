"""An active learner by whole blocks, where all labels can be had at once."""

from collections.abc import Sequence
from typing import cast

import numpy as np

from askance.live.active_learner import ActiveLearner
from askance.live.judging import learn_shown
from askance.live.telling import enter_label
from askance.protocols import BlockLearner
from askance.sparse import rows_of
from askance.types import Decision, Floats, Label, Matrix
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
        judging = live._judging
        self.decide_many = self._learner.decide_many if judging is None else judging.decide_block

    @property
    def remaining(self) -> int:
        """How many examples, at least one, can be decided before anything changes."""
        return self._learner.remaining

    @property
    def n_classes(self) -> int | None:
        """The number of classes if labels are codes."""
        return self._live.n_classes

    def coins(self, count: int) -> Floats:
        """The coins of the next examples."""
        return np.array(self._live._coins.next(count))

    def learn_many(
        self, X: Matrix, decisions: Sequence[Decision], labels: Sequence[Label | None]
    ) -> None:
        """Learn a block, and write down what was asked and answered."""
        live, asker, judging = self._live, self._live._asker, self._live._judging
        with live._lock:
            coins = self.coins(len(decisions))
            held = np.zeros(len(coins), bool) if judging is None else judging.takes(coins)
            learned = learn_shown(self._learner, X, decisions, labels, held)
            wanted = [i for i, decision in enumerate(decisions) if decision.queried]
            rows = dict(zip(wanted, rows_of(X[wanted], wide=True), strict=True))
            for i, decision in enumerate(decisions):
                apart, k = bool(held[i]), learned[i]
                question = asker.enter(decision, rows.get(i), held=apart, learned=k)
                if question.wanted:
                    enter_label(asker, question.id, require_label(labels[i], live.n_classes), k)
            asker.follow()
