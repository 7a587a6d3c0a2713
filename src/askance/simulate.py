"""Drive a learner over a labelled stream that hides its labels."""

import itertools
from collections.abc import Callable, Iterable, Sequence

from askance.errors import InvalidParameter
from askance.protocols import Learner
from askance.types import Label, ResultRow, Row

__all__ = ["BUDGETS", "simulate", "test_error"]

BUDGETS = tuple(10 * 2**q for q in range(11))
"""Label budgets of ``sec:exp_setup``: 10 to 10,240, doubling."""

Labelled = Sequence[tuple[Row, Label]]


def test_error(learner: Learner, test: Labelled) -> float:
    """Share of the test examples that the learner's classifier gets wrong.

    >>> import askance
    >>> x = askance.as_row([1.0])
    >>> test_error(askance.make_learner("passive", n_features=1), [(x, 1), (x, -1)])
    0.5
    """
    if not test:
        raise InvalidParameter("a test set must hold at least one example, got none")
    return sum(learner.predict(x) != label for x, label in test) / len(test)


def simulate(
    learner: Learner,
    stream: Iterable[tuple[Row, Label]],
    coins: Iterable[float],
    test: Labelled,
    *,
    budgets: Sequence[int] = BUDGETS,
    progress: Callable[[int, int], None] | None = None,
) -> list[ResultRow]:
    """Test error at each label budget, after the budget's last label was learned.

    A budget that is not reached by the end of the stream has the error of the final classifier and
    the number of labels really asked. The run stops when the last budget is reached.

    Parameters
    ----------
    learner
        Any learner, fresh or not.
    stream
        Examples with their labels; a label is looked at only where the learner asks.
    coins
        One uniform number in [0, 1) for each example.
    test
        Labelled examples to measure the error on.
    budgets
        Increasing numbers of labels.
    progress
        Called after each example with the examples and labels so far.

    Examples
    --------
    >>> import askance
    >>> x, y = askance.as_row([1.0, 0.0]), askance.as_row([0.0, 1.0])
    >>> stream = [(x, 1), (y, -1)] * 20
    >>> learner = askance.make_learner("passive", n_features=2)
    >>> for row in simulate(learner, stream, [0.5] * 40, stream, budgets=[10, 100]):
    ...     print(row)
    ResultRow(budget=10, queries=10, examples=10, error=0.0, reached=True)
    ResultRow(budget=100, queries=40, examples=40, error=0.0, reached=False)
    """
    waiting = _checked(budgets)
    results: list[ResultRow] = []
    examples = queries = 0
    for (x, hidden), coin in zip(stream, coins, strict=False):
        if not waiting:
            break
        decision = learner.decide(x, coin)
        learner.learn(x, decision, hidden if decision.queried else None)
        examples += 1
        queries += decision.queried
        if queries == waiting[0]:
            error = test_error(learner, test)
            results.append(ResultRow(waiting.pop(0), queries, examples, error, True))
        if progress is not None:
            progress(examples, queries)
    if waiting:
        error = test_error(learner, test)
        results += [ResultRow(budget, queries, examples, error, False) for budget in waiting]
    return results


def _checked(budgets: Sequence[int]) -> list[int]:
    increasing = all(a < b for a, b in itertools.pairwise(budgets))
    if not budgets or budgets[0] < 1 or not increasing:
        raise InvalidParameter(f"budgets must be positive and increase, got {list(budgets)}")
    return list(budgets)
