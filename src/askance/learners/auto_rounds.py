"""``auto`` over a pool that is decided in rounds, where a round may be spread over machines.

What decides does not change while a round lasts, however many rows it has. Labels come between the
rounds, and only a new round makes use of them.
"""

import copy
from collections.abc import Sequence
from typing import NamedTuple

from askance.learners.auto import Auto
from askance.learners.kept_rows import KEPT
from askance.learners.outcomes import Outcomes
from askance.learners.pacing import Pace
from askance.learners.verdicts import Verdicts, verdicts_of
from askance.protocols import ProbabilisticClassifier
from askance.types import Floats, Label, Matrix, Row
from askance.validation import check_matrix, require_coins, require_whole

__all__ = ["AutoInRounds", "Rule"]

_MANY = 2**53


class Rule(NamedTuple):
    """All that decides in a round; it can be sent anywhere, and decides there as it does here."""

    classifier: ProbabilisticClassifier | None
    pace: Pace
    outcomes: Outcomes

    def verdicts(self, X: Matrix, coins: Floats) -> Verdicts:
        """Decide for the rows of a CSR array."""
        check_matrix(X, None)
        coins = require_coins(coins, X.shape[0])
        shares = self.outcomes.shares(self.classifier, X)
        margins = self.outcomes.ranks(self.classifier, X, shares)
        return verdicts_of(shares, margins, self.pace, coins, self.outcomes)


class AutoInRounds(Auto):
    """:class:`~askance.learners.auto.Auto`, changed by :meth:`turn` only.

    The first round asks about all rows alike. Parameters are those of ``Auto``.

    Examples
    --------
    >>> import askance
    >>> learner = askance.make_learner("auto", n_features=2, budget=50, horizon=1000, rounds=True)
    >>> learner.decide(askance.as_row([1.0, 0.0]), coin=0.5).probability
    0.05
    """

    def turn(self) -> Rule:
        """Begin a round: fit to all labels that have come, and set the pace anew."""
        labels = len(self._labelled)
        if labels > self._fitted:
            self._serve(self._begin(labels, self.kept_rows))
        self._pace = self._paced()
        return Rule(self._serving, self._pace, copy.copy(self._outcomes))

    def keep(self, rows: Matrix) -> None:
        """Keep these rows in place of others: they say what margins the next round will have.

        They should be a uniform sample of the rows that come.
        """
        check_matrix(rows, self.n_features)
        self._kept.replace(rows)

    def pass_over(self, count: int) -> None:
        """Count examples that were decided elsewhere and not asked about."""
        require_whole(0, count=count)
        self._offered += count
        self.k += count

    def _offer(self, examples: int, k: int) -> None:
        """Count examples; what lies before the k-th of a round is counted by `pass_over`."""
        self._offered += examples

    @property
    def remaining(self) -> int:
        """As many as there are: nothing changes by what is decided or learned."""
        return _MANY

    def _labels_to_change(self) -> int:
        return _MANY

    def _keep(self, rows: Sequence[Row], margins: Floats) -> None:
        """Rows are kept by :meth:`keep` alone."""

    def _keeps(self, k: int, kept: int) -> int:
        return min(kept, KEPT)

    def _change(self, label: Label | None) -> None:
        """Nothing is due before the next round."""

    def _phase(self) -> tuple[bool, int]:
        """There is no opening, and without kept rows there is nothing to focus on."""
        _, classes = super()._phase()
        return False, classes if self._kept else min(classes, 1)
