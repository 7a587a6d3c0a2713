"""The loop under :mod:`askance.simulate`, by rows and by blocks, and what it counts."""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from askance.engine import Driver
from askance.errors import InvalidParameter
from askance.live import ActiveLearner
from askance.protocols import n_classes_of
from askance.types import Decision, Ending, Floats, Label, Matrix, ResultRow, Row, Run
from askance.validation import check_structure, require_label

__all__ = [
    "Asking",
    "Blocks",
    "Deciding",
    "LabelSource",
    "Measure",
    "OnQuery",
    "OnStep",
    "Place",
    "Tally",
    "no_coin",
    "walk_blocks",
    "walk_rows",
]

T = TypeVar("T")

LabelSource = Callable[[T], Label]
"""Gives the label of what stands beside a row: a number, a record, the hidden label itself.

It is called only where a label is bought, and for progressive errors. It may raise: then what was
bought before stays learned, and the question under way is withdrawn.
"""

Measure = Callable[[], float]
"""The error of a learner as it is now."""

OnQuery = Callable[[T, float], None]
"""Called for each bought label, once it is learned, with its example and its probability P."""

OnStep = Callable[[int, int], None]
"""Called now and then with the examples and labels so far, and before an error is passed on."""


class Tally:
    """Counts examples, labels and mistakes, and notes the error when a budget is reached.

    Parameters
    ----------
    budgets
        Numbers of labels at which the error is noted, increasing.
    limit
        How many labels may be bought, if not as many as the learner wants.
    error
        How the error is measured; by default not at all.
    progressive
        Whether the error is instead the share of mistakes among all predictions so far. Then
        nothing is over before the stream is.
    to_the_end
        Whether the run goes on after the last budget.
    done
        Tells after each label whether no more are needed.
    """

    def __init__(
        self,
        budgets: Sequence[int] = (),
        *,
        limit: int | None = None,
        error: Measure | None = None,
        progressive: bool = False,
        to_the_end: bool = False,
        done: Callable[[], object] | None = None,
    ) -> None:
        self.examples = self.queries = self.mistakes = 0
        self.progressive = progressive
        self._waiting = list(budgets)
        self._limit = limit
        self._error = self._mistaken if progressive else error
        self._to_the_end = to_the_end or not budgets
        self._rows: list[ResultRow] = []
        self._done, self.is_done = done, False
        self._look()

    def _look(self) -> None:
        """See what is left, and the number of labels that will change it next."""
        self.spent = self.is_done or (self._limit is not None and self.queries >= self._limit)
        """Whether no label may be bought any more."""
        done = self.spent or not (self._waiting or self._to_the_end)
        self.over = done and not self.progressive
        """Whether nothing is left to buy or to measure."""
        stops = self._waiting[:1] + ([] if self._limit is None else [self._limit])
        self._stop = min(stops, default=math.inf)

    def count(self, queries: int, examples: int = 1) -> None:
        """Count what was learned; the error is measured if that reaches the next budget."""
        self.examples += examples
        self.queries += queries
        if queries and self.queries >= self._stop:
            if self._waiting and self.queries == self._waiting[0]:
                self._rows.append(self._row(self._waiting.pop(0), self._measured(), True))
            self._look()
        if queries and self._done is not None and self._done():
            self.is_done = True
            self._look()

    def affordable(self, decisions: list[Decision]) -> list[Decision]:
        """Decisions up to the one that takes the last label, or reaches the next budget."""
        queried = [i for i, decision in enumerate(decisions) if decision.queried]
        left = self._stop - self.queries if self._done is None else 1
        return decisions if len(queried) < left else decisions[: queried[int(left) - 1] + 1]

    def close(self) -> Run:
        """What was noted, and how it ended, which stands for the budgets that were not reached."""
        fresh = bool(self._rows) and self._rows[-1].examples == self.examples
        error = self._rows[-1].error if fresh else self._measured()
        missing = [self._row(budget, error, False) for budget in self._waiting]
        stop: Ending = "budget spent" if self.spent else "last budget reached"
        stop = "target reached" if self.is_done else stop
        ended = stop if self.over else "stream over"
        return Run((*self._rows, *missing), self.examples, self.queries, error, ended)

    def _row(self, budget: int, error: float, reached: bool) -> ResultRow:
        return ResultRow(budget, self.queries, self.examples, error, reached)

    def _measured(self) -> float:
        return math.nan if self._error is None else self._error()

    def _mistaken(self) -> float:
        return self.mistakes / self.examples if self.examples else math.nan


# ------------------------------------------------------------------ by rows


@dataclass(eq=False)
class Place(ABC, Generic[T]):
    """A learner at work in the loop by rows; subclasses say how it is asked and told."""

    tally: Tally
    label_of: LabelSource[T]
    on_query: OnQuery[T] | None

    def see(self, x: Row, item: T) -> bool:
        """Ask about one example, and buy its label if it is wanted; whether that was the last."""
        tally = self.tally
        predicted, queried, probability = self._ask(x)
        if queried:
            try:
                self._tell(x, self.label_of(item))
            except BaseException:
                tally.count(0, self._withdraw())
                raise
            if self.on_query is not None:
                self.on_query(item, probability)
        if tally.progressive:
            tally.mistakes += predicted != self.label_of(item)
        if queried:
            tally.count(1)
        else:
            # As count(0), without a call: most examples are not queried.
            tally.examples += 1
        return tally.over

    @abstractmethod
    def _ask(self, x: Row) -> tuple[Label, bool, float]:
        """The prediction, whether the label is wanted, and with what probability."""

    @abstractmethod
    def _tell(self, x: Row, label: Label) -> None:
        """Learn the label of the example that was asked about last."""

    @abstractmethod
    def _withdraw(self) -> int:
        """Give that question up, and return how many examples were learned by it: 0 or 1."""


@dataclass(eq=False)
class Deciding(Place[T]):
    """A learner by its verbs, or by compiled steps, with coins."""

    driver: Driver
    coins: Iterator[float]
    n_classes: int | None = None

    def _ask(self, x: Row) -> tuple[Label, bool, float]:
        # Drawn whether it is needed or not: all learners of a stream have the same coins.
        coin = next(self.coins, None)
        if coin is None:
            raise no_coin(self.tally.examples)
        if self.tally.spent:
            return self.driver.predict(x), False, 0.0
        self._open = decision = self.driver.offer(x, coin)
        return decision.predicted, decision.queried, decision.probability

    def _tell(self, x: Row, label: Label) -> None:
        self.driver.learn(x, self._open, require_label(label, self.n_classes))

    def _withdraw(self) -> int:
        # To decide has changed nothing.
        return 0


@dataclass(eq=False)
class Asking(Place[T]):
    """An active learner, which draws its coins and keeps its budget itself."""

    learner: ActiveLearner

    def _ask(self, x: Row) -> tuple[Label, bool, float]:
        if self.tally.is_done:
            return self.learner.predict(x), False, 0.0
        self._open = question = self.learner.ask(x)
        return question.predicted, question.wanted, question.probability

    def _tell(self, x: Row, label: Label) -> None:
        self.learner.tell(self._open, label)

    def _withdraw(self) -> int:
        self.learner.withdraw(self._open)
        return 1


def walk_rows(
    places: Sequence[Place[T]], examples: Iterable[tuple[Row, T]], progress: OnStep | None = None
) -> None:
    """Show each example to all places, until they are over; ``progress`` is told of the first."""
    first = places[0].tally
    working = [place for place in places if not place.tally.over]
    if not working:
        return
    for x, item in examples:
        ended = False
        try:
            for place in working:
                if place.see(x, item):
                    ended = True
        finally:
            if progress is not None:
                progress(first.examples, first.queries)
        if ended:
            working = [place for place in working if not place.tally.over]
            if not working:
                return


def no_coin(tossed: int) -> InvalidParameter:
    """The error for an example beyond the last coin."""
    return InvalidParameter(f"every example needs a coin, got {tossed} coins and more examples")


# ------------------------------------------------------------------ by blocks


class Blocks(Protocol):
    """What a loop by blocks needs of a learner: :class:`~askance.protocols.BlockLearner` has it."""

    @property
    def remaining(self) -> int: ...

    def decide_many(self, X: Matrix, coins: Floats) -> list[Decision]: ...

    def learn_many(
        self, X: Matrix, decisions: Sequence[Decision], labels: Sequence[Label | None]
    ) -> None: ...


def walk_blocks(
    learner: Blocks,
    X: Matrix,
    coins: Floats,
    label_of: LabelSource[int],
    tally: Tally,
    *,
    on_query: OnQuery[int] | None = None,
    on_block: Callable[[Sequence[Decision]], None] | None = None,
    progress: OnStep | None = None,
) -> None:
    """Show rows, as many at a time as the learner can decide at once, until it is over."""
    check_structure(X)
    start, n_classes = 0, n_classes_of(learner)
    while start < X.shape[0] and not tally.over:
        part = X[start : start + learner.remaining]
        decided = learner.decide_many(part, coins[start : start + part.shape[0]])
        labels: list[Label | None] = []
        try:
            for i, decision in enumerate(tally.affordable(decided), start):
                labels.append(require_label(label_of(i), n_classes) if decision.queried else None)
        finally:
            # If the next label cannot be had, those that were bought are learned all the same.
            decisions = decided[: len(labels)]
            if decisions:
                learner.learn_many(part[: len(labels)], decisions, labels)
                bought = [i for i, decision in enumerate(decisions) if decision.queried]
                tally.count(len(bought), len(decisions))
                if on_query is not None:
                    for i in bought:
                        on_query(start + i, decisions[i].probability)
                if on_block is not None:
                    on_block(decisions)
                if progress is not None:
                    progress(tally.examples, tally.queries)
        start += len(decisions)
