"""The one loop over a stream: a learner decides, labels are bought where it asks, it learns.

Learners go by rows (the three verbs, or ``ask`` and ``tell`` of an ``ActiveLearner``), by
blocks (those that can say how far a block may go), or by a compiled pass (those over the linear
oracle, many settings at once). However they go, they are counted and measured in one way, and give
the same bits. What comes of each is a :class:`~askance.types.Run`.
"""

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

import numpy as np

from askance.engine import CHUNK, Group, chunks_of, drive, is_compilable, stream_of_rows
from askance.engine import run_settings as run_compiled
from askance.engine.class_group import ClassGroup, has_class_pass
from askance.engine.drivers import Verbs
from askance.kernels.passes import Stream
from askance.learners.streaming import StreamingLearner
from askance.live import ActiveLearner
from askance.live.in_blocks import InBlocks, goes_in_blocks
from askance.protocols import BlockLearner, Learner, n_classes_of
from askance.simulate.contestants import Contestant, Seat, done_of, labels_left, place_of
from askance.simulate.loop import (
    LabelSource,
    OnQuery,
    OnStep,
    Tally,
    no_coin,
    walk_blocks,
    walk_rows,
)
from askance.simulate.measuring import (
    BUDGETS,
    Labelled,
    check_budgets,
    check_test,
    error_of_blocks,
    test_error,
)
from askance.sparse import from_rows, rows_of
from askance.types import Decision, Floats, Label, Matrix, Row, Run
from askance.validation import check_coin, check_row, require_label

__all__ = [
    "run_blocks",
    "run_matrix",
    "run_readable",
    "run_rows",
    "simulate",
    "simulate_settings",
]

T = TypeVar("T")


def simulate(
    learner: Learner | ActiveLearner,
    stream: Iterable[tuple[Row, Label]],
    coins: Iterable[float] | None,
    test: Labelled,
    *,
    budgets: Sequence[int] = BUDGETS,
    to_the_end: bool = False,
    progress: OnStep | None = None,
) -> Run:
    """Test error at each label budget, after the budget's last label was learned.

    A budget that is not reached by the end of the stream has the error of the final classifier and
    the number of labels really bought. A learner over the linear oracle is run by a compiled pass,
    one that decides in blocks by blocks, any other by its three verbs; the results are the same
    bits. Passes and blocks read the stream some thousand examples ahead.

    Parameters
    ----------
    learner
        Any learner, fresh or not.
    stream
        Examples with their labels; a label is used only where the learner asks.
    coins
        One uniform number in [0, 1) for each example; None for an ``ActiveLearner``.
    test
        Labelled examples to measure the error on.
    budgets
        Increasing numbers of labels.
    to_the_end
        Whether the run goes on after the last budget, to the end of the stream.
    progress
        Called now and then with the examples and labels so far.

    Examples
    --------
    >>> import askance
    >>> x, y = askance.as_row([1.0, 0.0]), askance.as_row([0.0, 1.0])
    >>> stream = [(x, 1), (y, -1)] * 20
    >>> learner = askance.make_learner("passive", n_features=2)
    >>> run = simulate(learner, stream, [0.5] * 40, stream, budgets=[10, 100])
    >>> for row in run.rows:
    ...     print(row)
    ResultRow(budget=10, queries=10, examples=10, error=0.0, reached=True)
    ResultRow(budget=100, queries=40, examples=40, error=0.0, reached=False)
    >>> run.examples, run.queries, run.error, run.ended
    (40, 40, 0.0, 'stream over')
    """
    check_budgets(budgets)
    check_test(test, n_classes_of(learner))
    if coins is not None and not isinstance(learner, ActiveLearner):
        if isinstance(learner, StreamingLearner) and is_compilable(learner):
            return _run_pass(learner, _tossed(stream, coins), test, budgets, to_the_end, progress)
        if isinstance(learner, StreamingLearner) and has_class_pass(learner):
            given = learner, _tossed(stream, coins), test
            return _run_class_pass(*given, budgets, to_the_end, progress)
        if isinstance(learner, BlockLearner):
            tally = Tally(budgets, to_the_end=to_the_end, error=error_of_blocks(learner, test))
            return _run_chunks(learner, _tossed(stream, coins), tally, progress)
    return run_readable(
        learner, stream, coins, test, budgets=budgets, to_the_end=to_the_end, progress=progress
    )


def run_readable(
    learner: Learner | ActiveLearner,
    stream: Iterable[tuple[Row, Label]],
    coins: Iterable[float] | None,
    test: Labelled,
    *,
    budgets: Sequence[int] = BUDGETS,
    to_the_end: bool = False,
    progress: OnStep | None = None,
) -> Run:
    """:func:`simulate` by the three verbs, one example after the other, for any learner.

    ``learner``, ``stream``, ``coins``, ``test``, ``budgets``, ``to_the_end`` and ``progress`` are
    those of :func:`simulate`.
    """
    check_budgets(budgets)
    check_test(test, n_classes_of(learner))
    seat: Seat[Label] = Seat(learner, coins)
    tally = Tally(
        budgets,
        limit=labels_left(seat),
        error=lambda: test_error(learner, test),
        to_the_end=to_the_end,
        done=done_of(seat),
    )
    walk_rows([place_of(seat, tally, _itself, Verbs)], stream, progress)
    return tally.close()


def run_rows(
    seats: Sequence[Seat[T]],
    examples: Iterable[tuple[Row, T]],
    label_of: LabelSource[T],
    *,
    progressive: bool = False,
    progress: OnStep | None = None,
) -> list[Run]:
    """Show each example to several learners in turn, so that the stream is read once.

    Parameters
    ----------
    seats
        The learners. ``progress`` is told of the first.
    examples
        Rows, each with anything that ``label_of`` finds its label by.
    label_of
        Gives a label that is bought.
    progressive
        Whether the error is that of the predictions before each label was known. Then the run goes
        on to the end of the stream when the labels are spent, without learning, so that all are
        judged on the same predictions. Otherwise it ends when all have spent theirs.
    progress
        Called after each example with the examples and labels so far.

    Examples
    --------
    >>> import askance
    >>> live = ActiveLearner("passive", n_features=1, budget=askance.Budget(total=2))
    >>> x = askance.as_row([1.0])
    >>> bought = []
    >>> seat = Seat(live, on_query=lambda day, probability: bought.append(day))
    >>> days = ["Monday", "Tuesday", "Wednesday"]
    >>> (run,) = run_rows([seat], [(x, day) for day in days], lambda day: +1)
    >>> bought, run.examples, run.ended
    (['Monday', 'Tuesday'], 2, 'budget spent')
    """
    tallies = [
        Tally(
            seat.budgets,
            limit=labels_left(seat),
            error=seat.error,
            progressive=progressive,
            done=done_of(seat),
        )
        for seat in seats
    ]
    seated = zip(seats, tallies, strict=True)
    walk_rows(
        [place_of(seat, tally, label_of, drive) for seat, tally in seated], examples, progress
    )
    return [tally.close() for tally in tallies]


def run_matrix(
    seat: Seat[int], X: Matrix, label_of: LabelSource[int], progress: OnStep | None = None
) -> Run:
    """Show the rows of a matrix to an active learner, by blocks where it decides in blocks.

    Parameters
    ----------
    seat
        An ``ActiveLearner``, and what is to be known of it.
    X
        A CSR array with one example per row.
    label_of
        Gives the label of a row by its number.
    progress
        Called now and then with the examples and labels so far.

    Examples
    --------
    >>> import askance
    >>> from askance.sparse import from_dense
    >>> live = ActiveLearner("passive", n_features=1, budget=askance.Budget(total=2))
    >>> run_matrix(Seat(live), from_dense(np.ones((9, 1))), lambda row: +1).ended
    'budget spent'
    """
    live = seat.learner
    if isinstance(live, ActiveLearner) and goes_in_blocks(live):
        blocks = InBlocks(live)
        tally = Tally(seat.budgets, limit=labels_left(seat), error=seat.error, done=done_of(seat))
        walk_blocks(
            blocks, X, blocks.coins(X.shape[0]), label_of, tally,
            on_query=seat.on_query, progress=progress,
        )  # fmt: skip
        return tally.close()
    # The types for which the learners' steps are compiled.
    examples = zip(rows_of(X, wide=True), itertools.count(), strict=False)
    (run,) = run_rows([seat], examples, label_of, progress=progress)
    return run


def run_blocks(
    learner: BlockLearner,
    X: Matrix,
    coins: Floats,
    label_of: LabelSource[int],
    *,
    limit: int | None = None,
    on_query: OnQuery[int] | None = None,
    on_block: Callable[[Sequence[Decision]], None] | None = None,
    progress: OnStep | None = None,
) -> Run:
    """Show a matrix to a learner, as many rows at a time as it can decide at once.

    Parameters
    ----------
    learner
        Decides in blocks, as learners in epochs do.
    X
        A CSR array with one example per row.
    coins
        One uniform number in [0, 1) for each row.
    label_of
        Gives the label of a row by its number.
    limit
        How many labels may be bought, if not as many as the learner wants.
    on_query
        Called for each bought label.
    on_block
        Called with the decisions of each block, once it is learned.
    progress
        Called after each block with the examples and labels so far.

    Examples
    --------
    >>> from askance.learners.active_cover import ActiveCover
    >>> from askance.learners.constants import Constants
    >>> from askance.oracles.thresholds import ThresholdOracle
    >>> from askance.sparse import from_dense
    >>> constants = Constants.practical(c0=1.0, alpha=1.0, beta_scale=3.0)
    >>> learner, x = ActiveCover(ThresholdOracle(), constants), np.linspace(0, 1, 9)
    >>> label_of = np.where(x > 0.5, 1, -1).__getitem__
    >>> run_blocks(learner, from_dense(x[:, None]), np.zeros(9), label_of, limit=4).ended
    'budget spent'
    """
    tally = Tally(limit=limit)
    walk_blocks(
        learner, X, coins, label_of, tally, on_query=on_query, on_block=on_block, progress=progress
    )
    return tally.close()


def simulate_settings(
    settings: Sequence[Contestant],
    n_features: int,
    stream: Stream,
    test: Stream,
    *,
    budgets: Sequence[int] = BUDGETS,
    to_the_end: bool = False,
) -> list[Run]:
    """:func:`simulate` for many settings at once, side by side in one compiled pass.

    A setting that no pass is compiled for goes by the readable loop, on its own.

    Parameters
    ----------
    settings
        Algorithms with their parameters.
    n_features
        Number of features of the stream.
    stream, test
        Examples to learn from, with their coins, and to test on: ``askance.engine.stream_of``.
    budgets, to_the_end
        Those of :func:`simulate`.
    """
    check_budgets(budgets)
    plain = [one.learner(n_features=0) for one in settings]
    in_pass = [is_compilable(learner) for learner in plain]
    runs: Iterator[Run] = iter(())
    if together := list(itertools.compress(plain, in_pass)):
        group = Group(together, n_features)
        runs = iter(run_compiled(group, chunks_of(stream), test, budgets, to_the_end=to_the_end))
    tested = [] if all(in_pass) else list(_examples(test))

    def alone(one: Contestant) -> Run:
        learner, coins = one.learner(n_features), stream.coins.tolist()
        given = learner, _examples(stream), coins, tested
        return run_readable(*given, budgets=budgets, to_the_end=to_the_end)

    return [
        next(runs) if passed else alone(one) for one, passed in zip(settings, in_pass, strict=True)
    ]


def _examples(stream: Stream) -> Iterator[tuple[Row, Label]]:
    """The rows of a checked stream with their labels."""
    for (start, stop), label in zip(
        itertools.pairwise(stream.indptr.tolist()), stream.labels.tolist(), strict=True
    ):
        yield Row(stream.indices[start:stop], stream.values[start:stop]), int(label)


def _itself(label: Label) -> Label:
    return label


def _run_chunks(
    learner: BlockLearner,
    stream: Iterable[tuple[tuple[Row, Label], float]],
    tally: Tally,
    progress: OnStep | None,
) -> Run:
    """:func:`simulate` by blocks, of rows that are read as they are needed."""
    source = iter(stream)
    while not tally.over and (chunk := list(itertools.islice(source, CHUNK))):
        pairs = [pair for pair, _ in chunk]
        for x, _ in pairs:
            check_row(x, None)
        X, coins = from_rows([x for x, _ in pairs]), np.array([coin for _, coin in chunk])
        labels = [label for _, label in pairs]
        walk_blocks(learner, X, coins, labels.__getitem__, tally, progress=progress)
    return tally.close()


def _run_pass(
    learner: StreamingLearner,
    stream: Iterable[tuple[tuple[Row, Label], float]],
    test: Labelled,
    budgets: Sequence[int],
    to_the_end: bool,
    progress: OnStep | None,
) -> Run:
    """:func:`simulate` by a compiled pass over the learner's own arrays."""
    group, chunks, tested = Group.of(learner), _chunks(learner, stream), _tested(learner, test)
    try:
        (run,) = run_compiled(group, chunks, tested, budgets, progress, to_the_end=to_the_end)
    finally:
        group.store()
    return run


def _run_class_pass(
    learner: StreamingLearner,
    stream: Iterable[tuple[tuple[Row, Label], float]],
    test: Labelled,
    budgets: Sequence[int],
    to_the_end: bool,
    progress: OnStep | None,
) -> Run:
    """:func:`simulate` by a compiled pass of several classes, over the learner's own arrays."""
    group, tested = ClassGroup(learner), _tested(learner, test)
    tally = Tally(budgets, error=lambda: group.test_error(tested), to_the_end=to_the_end)
    chunks, queries, stops = _chunks(learner, stream), group.progress.queries, np.array(budgets)
    try:
        while not tally.over and (chunk := next(chunks, None)) is not None:
            start = 0
            while start < len(chunk.labels) and not tally.over:
                before = int(queries[0])
                stop = group.advance(chunk, start, stops)
                tally.count(int(queries[0]) - before, stop - start)
                start = stop
            if progress is not None:
                progress(tally.examples, tally.queries)
    finally:
        group.store()
    return tally.close()


def _chunks(
    learner: StreamingLearner, stream: Iterable[tuple[tuple[Row, Label], float]]
) -> Iterator[Stream]:
    """The stream in the pieces that a pass takes, checked by the learner."""
    source, n_classes = iter(stream), n_classes_of(learner)
    while chunk := list(itertools.islice(source, CHUNK)):
        for (x, label), coin in chunk:
            learner.erm.predict(x)
            require_label(label, n_classes)
            check_coin(coin)
        pairs, coins = (pair for pair, _ in chunk), (coin for _, coin in chunk)
        yield stream_of_rows(pairs, coins, n_classes)


def _tested(learner: StreamingLearner, test: Labelled) -> Stream:
    """The test examples as a pass takes them, checked by the learner."""
    for x, _ in test:
        learner.erm.predict(x)
    return stream_of_rows(test, n_classes=n_classes_of(learner))


def _tossed(
    stream: Iterable[tuple[Row, Label]], coins: Iterable[float]
) -> Iterator[tuple[tuple[Row, Label], float]]:
    """Each example with its coin."""
    source = iter(coins)
    for i, pair in enumerate(stream):
        coin = next(source, None)
        if coin is None:
            raise no_coin(i)
        yield pair, coin
