"""One algorithm on a labelled file within a label budget, and passive learning beside it."""

import functools
import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from askance.data.features.records import Record
from askance.data.reading.intake import Intake
from askance.errors import BadRecord
from askance.exports.classifier import names_by_column
from askance.live import ActiveLearner
from askance.live.budget import Budget
from askance.plots.curve import Curve, label_budgets, sum_up
from askance.presets import checked, suggested
from askance.rehearsal.at_random import (
    Needed,
    asks_at_random,
    labels_needed,
    more_budgets,
    random_sample_rows,
    run_of,
)
from askance.rehearsal.comparison import run_permutation
from askance.rehearsal.held import MOST_LABELS, Held, coin_seed, giveaways, usual_budget
from askance.simulate import Contestant, Measure, OnStep, Seat, run_matrix, run_rows
from askance.sparse import rows_of
from askance.types import Label, Row, Run, State

__all__ = ["BoughtRecord", "Plan", "Rehearsal", "rehearse", "rehearse_stream"]

STEP = 256
"""Examples between two reports of the progress."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be run: an algorithm, its parameters, a label budget and a seed.

    Without a ``budget`` it is :func:`~askance.rehearsal.held.usual_budget`. ``judging`` has what
    :class:`~askance.live.active_learner.ActiveLearner` takes to judge and to stop.
    """

    algorithm: str
    parameters: dict[str, Any]
    budget: int | None
    seed: int = 0
    judging: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        # What cannot be learned with is refused before a file is read.
        checked(self.algorithm, self.setting)
        Budget(total=self.budget)
        if self.judging:
            ActiveLearner(self.algorithm, n_features=1, **self.judging, **self.setting)

    @property
    def setting(self) -> dict[str, Any]:
        """The parameters, and what is suggested for others."""
        return suggested(self.algorithm, self.parameters)

    def within(self, examples: int | None) -> "tuple[Plan, int]":
        """The same for so many examples, if that is known, with its budget, which is told too."""
        budget = self.budget
        if budget is None:
            budget = MOST_LABELS if examples is None else usual_budget(examples)
        return replace(self, budget=budget), budget

    def learner(
        self, intake: Intake, horizon: int | None, about: State | None = None
    ) -> ActiveLearner:
        """A fresh learner for a file of so many examples; ``about`` is known of its classes."""
        reading = intake.reading
        if len(intake.classes) > 2:
            reading = replace(reading, classes=intake.classes)
        return ActiveLearner(
            self.algorithm,
            random_state=coin_seed(self.seed),
            budget=Budget(total=self.budget),
            horizon=horizon,
            features=intake.features,
            reading=reading.as_state(),
            classes=intake.classes,
            **self.judging,
            **(self.setting | (about or {})),
        )

    def passive(self) -> Contestant:
        """Passive learning with the online linear oracle."""
        same = {k: v for k, v in self.parameters.items() if k == "learning_rate"}
        return Contestant("passive", "passive", suggested("passive", same))

    def at_random(self) -> Contestant:
        """What the algorithm is judged by: the same classifier, of examples chosen at random."""
        if self.algorithm != "auto":
            return self.passive()
        return Contestant("passive", "auto", self.parameters | {"uniform_share": 1.0})


class BoughtRecord(NamedTuple):
    """A record whose label was bought."""

    record: Record
    label: Label
    probability: float

    @property
    def weight(self) -> float:
        """The importance weight 1/P of the label."""
        return 1.0 / self.probability


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """What came of it.

    ``active`` and ``passive`` are the runs of the algorithm and of passive learning, which buys as
    many labels where that can be known, else its budget. ``everything`` is passive learning with
    all labels, ``majority`` the error of always predicting the majority class. ``needed`` is the
    number of labels asked at random that do as well, if it was looked for.
    ``measure`` says what an error is: that on ``tested`` examples
    held out, or the progressive error, of predictions before each label was known.
    ``giveaways`` are columns that tell every label by themselves; ``sorted_by`` is the class that a
    stream has first, so many times in a row that it cannot be chance.
    """

    plan: Plan
    learner: ActiveLearner
    active: Run
    passive: Run
    everything: Run
    needed: Needed | None
    majority: float
    bought: list[BoughtRecord]
    measure: str
    examples: int
    tested: int
    unlabelled: int
    giveaways: list[str] = field(default_factory=list)
    sorted_by: str | None = None

    def curves(self) -> list[Curve]:
        """The algorithm and passive learning, as curves of one run each."""
        runs = {"passive": self.passive} | {self.plan.algorithm: self.active}
        return [sum_up(name, [run]) for name, run in reversed(runs.items())]


def rehearse(
    intake: Intake,
    held: Held,
    plan: Plan,
    on_step: OnStep = lambda *_: None,
    *,
    match: bool = True,
) -> Rehearsal:
    """Learn from a permutation of most of a file, and test on the rest.

    ``match`` says whether to look for the number of labels asked at random that do as well.
    """
    train, test = held.split(plan.seed)
    plan, budget = plan.within(len(train))
    learner = plan.learner(intake, len(train), held.about_classes)
    queried: dict[int, float] = {}
    seat: Seat[int] = Seat(
        learner,
        budgets=label_budgets(budget),
        error=_error_on(learner, held, test),
        on_query=lambda i, probability: queried.__setitem__(int(train[i]), probability),
    )
    labels = held.labels[train].tolist()
    active = run_matrix(seat, held.csr[train], labels.__getitem__, _now_and_then(on_step))
    learner.settle()
    records = held.records(queried)
    budgets = label_budgets(max(1, active.queries))
    more = more_budgets(active.queries, len(train)) if match else []
    sizes, narrow = [*budgets, *more], held.narrow()
    everything = run_permutation(narrow, plan.passive(), sizes, plan.seed, to_the_end=True)
    rows = iter(everything.rows)
    if asks_at_random(plan.at_random()):
        rows = random_sample_rows(narrow, plan.at_random(), sizes, plan.seed)
    first = list(itertools.islice(rows, len(budgets)))
    needed = labels_needed(active.error, itertools.chain(first, rows)) if match else None
    return Rehearsal(
        plan=plan,
        learner=learner,
        active=active,
        passive=run_of(first),
        everything=everything,
        needed=needed,
        majority=held.constant_loss(test),
        bought=[BoughtRecord(records[i], int(held.labels[i]), p) for i, p in queried.items()],
        measure=held.measure,
        examples=len(train),
        tested=len(test),
        unlabelled=held.unlabelled,
        giveaways=_columns_of(learner, giveaways(held), intake),
    )


def _columns_of(learner: ActiveLearner, features: list[int], intake: Intake) -> list[str]:
    """The user's columns that features come from, as far as they have one; else their names."""
    names = [name for known in names_by_column(learner, features).values() for name in known]
    columns = [
        next((one for one in intake.columns if name.startswith((f"{one}=", f"{one}^"))), name)
        for name in names
    ]
    return list(dict.fromkeys(columns))


def rehearse_stream(intake: Intake, plan: Plan, on_step: OnStep = lambda *_: None) -> Rehearsal:
    """Learn from a file in its own order, read once, and count mistakes before each label.

    When the budget is spent, the stream goes on without learning, so that all are judged on the
    same predictions.
    """
    horizon = _count(intake) if plan.algorithm == "auto" else None
    plan, budget = plan.within(horizon)
    intake.settle()
    many = len(intake.classes) > 2
    about = {"n_classes": len(intake.classes)} if many else {}
    learner = plan.learner(intake, horizon)
    budgets = label_budgets(budget)
    bought: list[BoughtRecord] = []

    def keep(at: _At, probability: float) -> None:
        bought.append(BoughtRecord(at.records()[at.number], at.label, probability))

    # Passive learning asks whatever its coin is.
    rival = plan.passive()
    rival = rival._replace(parameters=rival.parameters | about)
    first, all_of_them = (rival.learner(intake.features.n_features) for _ in range(2))

    def add_class(name: str) -> None:
        learner.add_class(name)
        for one in (first, all_of_them):
            one.add_class()

    reader = _Reader(intake, add_class)
    active, passive, everything = run_rows(
        [
            Seat(learner, budgets=budgets, on_query=keep),
            Seat(first, itertools.repeat(0.0), budgets, limit=budget),
            Seat(all_of_them, itertools.repeat(0.0)),
        ],
        reader,
        lambda at: at.label,
        progressive=True,
        progress=_now_and_then(on_step),
    )
    n = active.examples
    if not n:
        raise BadRecord(f"{intake.source} has no record with a label")
    if not many:
        learner.classes = intake.classes
    return Rehearsal(
        plan=plan,
        learner=learner,
        active=active,
        passive=passive,
        everything=everything,
        needed=None,
        majority=1 - max(reader.counts.values()) / n,
        bought=bought,
        measure="progressive error",
        examples=n,
        tested=n,
        unlabelled=reader.unlabelled,
        sorted_by=learner.name_of(reader.first) if reader.is_sorted() else None,
    )


def _count(intake: Intake) -> int | None:
    """How many examples a file has, if it can be read twice."""
    if not Path(intake.source).is_file():
        return None
    again = Intake(intake.source, intake.reading)
    return sum(int(np.count_nonzero(rows.batch.labels)) for rows in again)


def _now_and_then(on_step: OnStep) -> OnStep:
    told = 0

    def step(examples: int, labels: int) -> None:
        nonlocal told
        if examples >= told + STEP:
            told = examples
            on_step(examples, labels)

    return step


class _At(NamedTuple):
    """An example in a file: its label, and where its record is found if it is wanted."""

    label: Label
    number: int
    records: Callable[[], list[Record]]


class _Reader:
    """The labelled examples of a file in its own order, with counts of what was met so far."""

    def __init__(self, intake: Intake, add_class: Callable[[str], None]) -> None:
        self._intake, self._add_class = intake, add_class
        self._known = len(intake.classes)
        self.unlabelled = self.in_a_row = self.n = 0
        self.counts: Counter[Label] = Counter()
        self.first: Label = 0

    def is_sorted(self) -> bool:
        """Whether the first class comes so often in a row as one order in a million has it."""
        share = self.counts[self.first] / max(self.n, 1)
        return 0 < share < 1 and self.in_a_row * math.log(share) < math.log(1e-6)

    def __iter__(self) -> Iterator[tuple[Row, _At]]:
        for rows in self._intake:
            batch = rows.batch
            records = functools.cache(lambda batch=batch: list(batch.records()))
            labelled = zip(rows_of(rows.csr, wide=True), batch.labels.tolist(), strict=True)
            for number, (row, label) in enumerate(labelled):
                self.unlabelled += label == 0
                if label:
                    known = self._met(label)
                    self.in_a_row += self.in_a_row == self.n and known == self.first
                    self.n += 1
                    yield row, _At(known, number, records)

    def _met(self, label: int) -> Label:
        """Count a label; of three classes or more it is the number of one, perhaps a new one."""
        if self._known > 2:
            for name in self._intake.classes[self._known : label]:
                self._add_class(name)
                self._known += 1
            label -= 1
        if not self.n:
            self.first = label
        self.counts[label] += 1
        return label


def _error_on(learner: ActiveLearner, held: Held, rows: Any) -> Measure:
    """A function that gives the share of these examples which the learner gets wrong now."""
    matrix = held.csr[rows]

    def measure() -> float:
        learner.settle()
        if learner.n_classes is None:
            return held.loss(np.where(learner.margins(matrix) > 0, 1, -1), rows)
        return held.loss(learner.predict_many(matrix), rows)

    return measure
