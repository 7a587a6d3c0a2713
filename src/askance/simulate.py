"""Drive a learner over a labelled stream that hides its labels."""

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence

from askance.engine import CHUNK, Group, is_compilable, run_settings, stream_of_rows
from askance.errors import InvalidParameter
from askance.kernels.passes import Stream
from askance.learners.streaming import StreamingLearner
from askance.protocols import Learner
from askance.types import Label, ResultRow, Row
from askance.validation import check_coin, require_label

__all__ = ["BUDGETS", "run_readable", "simulate", "test_error"]

BUDGETS = tuple(10 * 2**q for q in range(11))
"""Label budgets of ``sec:exp_setup``: 10 to 10,240, doubling."""

Labelled = Sequence[tuple[Row, Label]]


def test_error(learner: Learner, test: Labelled) -> float:
    """Share of the ``test`` examples that the classifier of a ``learner`` gets wrong.

    >>> import askance
    >>> x = askance.as_row([1.0])
    >>> test_error(askance.make_learner("passive", n_features=1), [(x, 1), (x, -1)])
    0.5
    """
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
    the number of labels really asked. The run stops when the last budget is reached. A learner over
    the linear oracle is run by a compiled pass, any other by its three verbs; the results are the
    same bits. A pass reads the stream some thousand examples ahead.

    Parameters
    ----------
    learner
        Any learner, fresh or not.
    stream
        Examples with their labels; a label is used only where the learner asks.
    coins
        One uniform number in [0, 1) for each example.
    test
        Labelled examples to measure the error on.
    budgets
        Increasing numbers of labels.
    progress
        Called now and then with the examples and labels so far.

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
    _check(budgets)
    if not test:
        raise InvalidParameter("a test set must hold at least one example, got none")
    for _, label in test:
        require_label(label)
    if isinstance(learner, StreamingLearner) and is_compilable(learner):
        return _run_compiled(learner, _tossed(stream, coins), test, budgets, progress)
    return run_readable(learner, stream, coins, test, budgets=budgets, progress=progress)


def run_readable(
    learner: Learner,
    stream: Iterable[tuple[Row, Label]],
    coins: Iterable[float],
    test: Labelled,
    *,
    budgets: Sequence[int] = BUDGETS,
    progress: Callable[[int, int], None] | None = None,
) -> list[ResultRow]:
    """:func:`simulate` by the three verbs, one example after the other, for any learner.

    ``learner``, ``stream``, ``coins``, ``test``, ``budgets`` and ``progress`` are those of
    :func:`simulate`.
    """
    waiting = list(budgets)
    results: list[ResultRow] = []
    examples = queries = 0
    for (x, hidden), coin in _tossed(stream, coins):
        decision = learner.decide(x, coin)
        learner.learn(x, decision, hidden if decision.queried else None)
        examples += 1
        queries += decision.queried
        if queries == waiting[0]:
            error = test_error(learner, test)
            results.append(ResultRow(waiting.pop(0), queries, examples, error, True))
        if progress is not None:
            progress(examples, queries)
        if not waiting:
            return results
    error = test_error(learner, test)
    return results + [ResultRow(budget, queries, examples, error, False) for budget in waiting]


def _run_compiled(
    learner: StreamingLearner,
    stream: Iterable[tuple[tuple[Row, Label], float]],
    test: Labelled,
    budgets: Sequence[int],
    progress: Callable[[int, int], None] | None,
) -> list[ResultRow]:
    """:func:`simulate` by a compiled pass over the learner's own arrays."""
    group = Group.of(learner)
    check = learner.erm.predict

    def chunks() -> Iterator[Stream]:
        source = iter(stream)
        while chunk := list(itertools.islice(source, CHUNK)):
            for (x, label), coin in chunk:
                check(x)
                require_label(label)
                check_coin(coin)
            yield stream_of_rows((pair for pair, _ in chunk), (coin for _, coin in chunk))

    for x, _ in test:
        check(x)
    try:
        return run_settings(group, chunks(), stream_of_rows(test), budgets, progress)[0]
    finally:
        group.store()


def _tossed(
    stream: Iterable[tuple[Row, Label]], coins: Iterable[float]
) -> Iterator[tuple[tuple[Row, Label], float]]:
    """Each example with its coin; there must be one for each."""
    source = iter(coins)
    for i, pair in enumerate(stream):
        coin = next(source, None)
        if coin is None:
            raise InvalidParameter(f"every example needs a coin, got {i} coins and more examples")
        yield pair, coin


def _check(budgets: Sequence[int]) -> None:
    increasing = all(a < b for a, b in itertools.pairwise(budgets))
    if not budgets or budgets[0] < 1 or not increasing:
        raise InvalidParameter(f"budgets must be positive and increase, got {list(budgets)}")
