"""What is measured of a run: the error on test examples, at numbers of labels."""

import itertools
from collections.abc import Sequence

import numpy as np

from askance.errors import InvalidParameter
from askance.protocols import BlockLearner, Classifier
from askance.simulate.loop import Measure
from askance.sparse import from_rows
from askance.types import Label, Row
from askance.validation import require_label

__all__ = ["BUDGETS", "Labelled", "check_budgets", "check_test", "error_of_blocks", "test_error"]

BUDGETS = tuple(10 * 2**q for q in range(11))
"""Label budgets of ``sec:exp_setup``: 10 to 10,240, doubling."""

Labelled = Sequence[tuple[Row, Label]]
"""Examples with their labels."""


def test_error(classifier: Classifier, test: Labelled) -> float:
    """Share of the ``test`` examples that a ``classifier`` or a learner gets wrong.

    >>> import askance
    >>> x = askance.as_row([1.0])
    >>> test_error(askance.make_learner("passive", n_features=1), [(x, 1), (x, -1)])
    0.5
    """
    return sum(classifier.predict(x) != label for x, label in test) / len(test)


def error_of_blocks(learner: BlockLearner, test: Labelled) -> Measure:
    """:func:`test_error` of a learner, as it is when measured, by one prediction for all rows."""
    X, labels = from_rows([x for x, _ in test]), np.array([label for _, label in test])
    return lambda: float(np.mean(learner.predict_many(X) != labels))


def check_budgets(budgets: Sequence[int]) -> None:
    """Raise unless label budgets are positive and increase."""
    increasing = all(a < b for a, b in itertools.pairwise(budgets))
    if not budgets or budgets[0] < 1 or not increasing:
        raise InvalidParameter(f"budgets must be positive and increase, got {list(budgets)}")


def check_test(test: Labelled, n_classes: int | None = None) -> None:
    """Raise unless there is something to test on, with labels -1 and +1, or codes."""
    if not test:
        raise InvalidParameter("a test set must hold at least one example, got none")
    for _, label in test:
        require_label(label, n_classes)
