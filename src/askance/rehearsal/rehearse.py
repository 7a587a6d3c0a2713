"""One algorithm on a labelled file within a label budget, and passive learning beside it."""

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from askance.data.features.records import Record
from askance.data.reading.intake import Intake
from askance.engine import CHUNK
from askance.engine.drivers import drive
from askance.errors import BadRecord
from askance.live import ActiveLearner
from askance.live.budget import Budget
from askance.plots.curve import Curve, label_budgets, sum_up
from askance.presets import make_learner, suggested
from askance.rehearsal.comparison import Contestant, run_permutation, within
from askance.rehearsal.held import Held, coin_seed
from askance.sparse import rows_of
from askance.types import Label, Question, ResultRow, Row

__all__ = ["Asked", "Plan", "Rehearsal", "rehearse", "rehearse_stream"]

OnStep = Callable[[int, int], None]
"""Called now and then with the examples and labels so far."""

STEP = 256
"""Examples between two calls of it."""

_WITHOUT_END = 2**62
"""Labels that nobody has."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be run: an algorithm, its parameters, a label budget and a seed."""

    algorithm: str
    parameters: dict[str, Any]
    budget: int
    seed: int = 0

    def __post_init__(self) -> None:
        # What cannot be learned with is refused before a file is read.
        make_learner(self.algorithm, n_features=0, **self.setting)
        Budget(total=self.budget)

    @property
    def setting(self) -> dict[str, Any]:
        """The parameters, and what is suggested for others."""
        return suggested(self.algorithm, self.parameters)

    def learner(self, intake: Intake) -> ActiveLearner:
        """A fresh learner for a file."""
        return ActiveLearner(
            self.algorithm,
            random_state=coin_seed(self.seed),
            budget=Budget(total=self.budget),
            features=intake.features,
            reading=intake.reading.as_state(),
            **self.setting,
        )

    def passive(self) -> Contestant:
        """Passive learning with the same oracle."""
        same = {k: v for k, v in self.parameters.items() if k == "learning_rate"}
        return Contestant("passive", "passive", suggested("passive", same))


class Asked(NamedTuple):
    """A record whose label was bought."""

    record: Record
    label: Label
    weight: float
    probability: float


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """What came of it.

    ``results`` and ``passive`` are errors at label budgets, and at the end; passive learning buys
    as many labels where that can be known, else its budget. ``everything`` is passive learning with
    all labels, ``commoner`` the error of always saying the commoner class.
    ``measure`` says what an error is: that on ``tested`` examples
    held out, or the progressive error, of predictions before each label was known.
    """

    plan: Plan
    learner: ActiveLearner
    results: list[ResultRow]
    passive: list[ResultRow]
    everything: ResultRow
    commoner: float
    asked: list[Asked]
    measure: str
    examples: int
    tested: int
    unlabelled: int

    def curves(self) -> list[Curve]:
        """The algorithm and passive learning, as curves of one run each."""
        runs = {"passive": self.passive} | {self.plan.algorithm: self.results}
        return [sum_up(name, [rows]) for name, rows in reversed(runs.items())]


def rehearse(
    intake: Intake, held: Held, plan: Plan, on_step: OnStep = lambda *_: None
) -> Rehearsal:
    """Learn from a permutation of most of a file, and test on the rest."""
    learner = plan.learner(intake)
    learner.classes = intake.classes
    train, test = held.split(plan.seed)
    buyer = _Buyer(learner, plan.budget, _error_on(learner, held, test))
    questions: dict[int, Question] = {}
    for i, row, label in _examples(held, train):
        question = buyer.see(row, label)
        if question.wanted:
            questions[i] = question
        if buyer.examples % STEP == 0:
            on_step(buyer.examples, buyer.labels)
        if buyer.labels == plan.budget:
            break
    records = held.records(questions)
    budgets = label_budgets(max(1, buyer.labels))
    passive = run_permutation(held.narrow(), plan.passive(), budgets, plan.seed)
    return Rehearsal(
        plan=plan,
        learner=learner,
        results=buyer.close(),
        passive=within(passive),
        everything=passive[-1],
        commoner=_rarer(int(np.count_nonzero(held.labels[test] > 0)), len(test)),
        asked=[_asked(records[i], int(held.labels[i]), q) for i, q in questions.items()],
        measure="test error",
        examples=len(train),
        tested=len(test),
        unlabelled=held.unlabelled,
    )


def rehearse_stream(intake: Intake, plan: Plan, on_step: OnStep = lambda *_: None) -> Rehearsal:
    """Learn from a file in its own order, read once, and count mistakes before each label.

    When the budget is spent, the stream goes on without learning, so that all are judged on the
    same predictions.
    """
    learner = plan.learner(intake)
    buyer = _Buyer(learner, plan.budget)
    passive, everything = (
        _Passive(plan.passive(), intake.features.n_features, budget)
        for budget in (plan.budget, _WITHOUT_END)
    )
    asked: list[Asked] = []
    unlabelled = positives = 0
    for records, i, row, label in _stream(intake):
        if label == 0:
            unlabelled += 1
            continue
        positives += label > 0
        question = buyer.see(row, label)
        if question.wanted:
            asked.append(_asked(records()[i], label, question))
        passive.see(row, label)
        everything.see(row, label)
        if buyer.examples % STEP == 0:
            on_step(buyer.examples, buyer.labels)
    if not buyer.examples:
        raise BadRecord(f"{intake.source} has no record with a label")
    learner.classes = intake.classes
    return Rehearsal(
        plan=plan,
        learner=learner,
        results=buyer.close(),
        passive=passive.close(),
        everything=everything.close()[-1],
        commoner=_rarer(positives, buyer.examples),
        asked=asked,
        measure="progressive error",
        examples=buyer.examples,
        tested=buyer.examples,
        unlabelled=unlabelled,
    )


def _rarer(positives: int, n: int) -> float:
    return min(positives, n - positives) / n


def _asked(record: Record, label: Label, question: Question) -> Asked:
    return Asked(record, label, question.weight, question.probability)


def _examples(held: Held, order: Any) -> Iterator[tuple[int, Row, Label]]:
    """Number, features and label of each example."""
    for start in range(0, len(order), CHUNK):
        rows = order[start : start + CHUNK]
        examples = rows_of(held.csr[rows], wide=True)
        yield from zip(rows.tolist(), examples, held.labels[rows].tolist(), strict=True)


def _stream(intake: Intake) -> Iterator[tuple[Callable[[], list[Record]], int, Row, Label]]:
    """Features and label of each example, and where its record is found if it is wanted."""
    for rows in intake:
        batch = rows.batch
        records = functools.cache(lambda batch=batch: list(batch.records()))
        examples = zip(rows_of(rows.csr, wide=True), batch.labels.tolist(), strict=True)
        for i, (row, label) in enumerate(examples):
            yield records, i, row, label


def _error_on(learner: ActiveLearner, held: Held, rows: Any) -> Callable[[], float]:
    """A function that gives the share of these examples which the learner gets wrong now."""
    csr, labels = held.csr[rows], held.labels[rows]
    return lambda: float(np.mean((learner.margins(csr) > 0) != (labels > 0)))


class _Books:
    """Counts examples, labels and mistakes, and notes the error when a budget is reached."""

    def __init__(self, budget: int, error: Callable[[], float] | None = None) -> None:
        self.budgets = label_budgets(budget)
        self.examples = self.labels = self.mistakes = 0
        self._error = error or self._progressive
        self._noted: list[ResultRow] = []

    def count(self, mistaken: bool, bought: bool) -> None:
        self.examples += 1
        self.mistakes += mistaken
        self.labels += bought
        if bought and self.labels == self.budgets[len(self._noted)]:
            self._noted.append(self._row(self.labels, True))

    def close(self) -> list[ResultRow]:
        """What was noted; for budgets that were not reached, and for the end, how it ended."""
        missing = self.budgets[len(self._noted) :]
        end = self._row(self.budgets[-1], not missing)
        return [*self._noted, *(end._replace(budget=budget) for budget in missing), end]

    def _row(self, budget: int, reached: bool) -> ResultRow:
        return ResultRow(budget, self.labels, self.examples, self._error(), reached)

    def _progressive(self) -> float:
        return self.mistakes / self.examples


class _Buyer(_Books):
    """An active learner with its budget."""

    def __init__(
        self, learner: ActiveLearner, budget: int, error: Callable[[], float] | None = None
    ) -> None:
        super().__init__(budget, error)
        self._learner = learner

    def see(self, row: Row, label: Label) -> Question:
        question = self._learner.ask(row)
        if question.wanted:
            self._learner.tell(question, label)
        self.count(question.predicted != label, question.wanted)
        return question


class _Passive(_Books):
    """A passive learner that buys the first labels."""

    def __init__(self, one: Contestant, n_features: int, budget: int) -> None:
        super().__init__(budget)
        learner = make_learner(one.algorithm, n_features=n_features, **one.parameters)
        self._driver = drive(learner)

    def see(self, row: Row, label: Label) -> None:
        predicted = self._driver.predict(row)
        buys = self.labels < self.budgets[-1]
        if buys:
            self._driver.learn(row, self._driver.offer(row, 0.0), label)
        self.count(predicted != label, buys)
