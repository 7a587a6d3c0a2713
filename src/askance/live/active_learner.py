"""Ask and tell: the facade for people over the three verbs of a learner.

What was decided stays as decided, however late its label comes; a pending question enters the
clock when it is learned.
"""

import copy
import dataclasses
import math
import operator
import os
import threading
from collections.abc import Iterable, Mapping
from concurrent.futures import Executor
from typing import Any, Self

import numpy as np
from scipy.special import expit

from askance.data.features import FeatureMap
from askance.data.features.records import Record
from askance.engine import drive
from askance.errors import InvalidParameter, UnknownQuestion
from askance.learners.streaming import StreamingLearner
from askance.live.budget import Budget, Ledger
from askance.live.coins import Coins
from askance.live.questions import AT_ONCE, Questions
from askance.live.saving import KIND, checked_classes, read_saved
from askance.oracles.linear import LinearOracle
from askance.presets import make_learner, preset_of
from askance.protocols import BlockLearner, LateLearner, Learner, PacedLearner
from askance.sparse import as_matrix, as_row, from_rows, row_at, rows_of
from askance.storage.states import write_state
from askance.types import (
    Decision,
    Floats,
    Label,
    Matrix,
    Question,
    Reason,
    Row,
    State,
    Stats,
    WeightedSample,
)
from askance.validation import require_label

__all__ = ["CLASSES", "ActiveLearner"]

CLASSES = ("-1", "+1")
"""What the two classes are called unless their names are given."""


class ActiveLearner:
    """A learner that is asked about examples and told labels, now, later or never.

    Parameters
    ----------
    learner
        The name of an algorithm (see :func:`askance.make_learner`), or any learner of your own.
        A name means the same learner as at the command line.
    random_state
        Seed of the coins, one for each example.
    budget
        How many labels may be bought; without one, as many as the learner wants.
    horizon
        How many examples will come, for a learner that spreads its budget over them.
    features
        How records become rows. It is saved with the learner, gives ``n_features`` to one that is
        named, and lets records and mappings of names be asked about.
    classes
        What -1 and +1 are called outside; saved with the learner.
    reading
        How the records are read from files: ``format``, ``label``, ``id``, ``positive`` and
        ``strings`` of :func:`askance.data.reading.readers.read`; saved with the learner.
    **parameters
        With a name: ``n_features``, the parameters of the algorithm, and the ``estimator`` of one
        that goes by batches.

    Examples
    --------
    >>> learner = ActiveLearner("online_active_cover", n_features=2, random_state=7)
    >>> question = learner.ask([1.0, 0.0])
    >>> question.wanted, question.weight
    (True, 1.0)
    >>> learner.tell(question, +1)
    >>> learner.predict([1.0, 0.0])
    1
    >>> learner.stats().answered
    1
    """

    def __init__(
        self,
        learner: str | Learner,
        *,
        random_state: int = 0,
        budget: Budget | None = None,
        horizon: int | None = None,
        features: FeatureMap | None = None,
        classes: tuple[str, str] = CLASSES,
        reading: Mapping[str, Any] | None = None,
        **parameters: Any,
    ) -> None:
        self.features = features
        self.classes, self.reading = checked_classes(classes), dict(reading or {})
        self._preset: State | None = None
        if isinstance(learner, str):
            if features is not None:
                parameters.setdefault("n_features", features.n_features)
            self.learner: Learner = make_learner(learner, **parameters)
            self._preset = preset_of(learner, parameters)
        elif parameters:
            raise InvalidParameter(
                f"parameters go with the name of an algorithm, got {', '.join(parameters)}"
            )
        else:
            self.learner = learner
        self._take_the_wheel()
        # A row has no length; a dense vector of another length can be told by the learner's.
        state = getattr(getattr(self.learner, "erm", None), "state", self.learner)
        self._n_features: int | None = getattr(state, "n_features", None)
        if not (budget is None or isinstance(budget, Budget)):
            raise InvalidParameter(f"budget must be a Budget or None, got {budget!r}")
        self._ledger, self._limited = Ledger(Budget()), False
        if budget is not None or horizon is not None:
            self.set_budget(budget or Budget(), horizon)
        self._coins = Coins(random_state)
        self._questions = Questions()

    def _take_the_wheel(self) -> None:
        """Set up what cannot be copied or pickled."""
        driver = drive(self.learner)
        self._predict, self._offer, self._learn = driver.predict, driver.offer, driver.learn
        self._defer = self.learner.defer if isinstance(self.learner, LateLearner) else None
        self._blocks = (
            self.learner
            if isinstance(self.learner, PacedLearner) and isinstance(self.learner, BlockLearner)
            else None
        )
        self._lock = threading.RLock()

    def __getstate__(self) -> State:
        with self._lock:
            made_anew = ("_predict", "_offer", "_learn", "_defer", "_blocks", "_lock")
            kept = {name: value for name, value in vars(self).items() if name not in made_anew}
            # The deep copy may be pickled or changed when the lock is open again.
            return copy.deepcopy(kept)

    def __setstate__(self, state: State) -> None:
        vars(self).update(state)
        self._take_the_wheel()

    @property
    def preset(self) -> State:
        """The algorithm and its parameters, or the class of a learner of your own."""
        return dict(self._preset or {"algorithm": type(self.learner).__name__})

    @property
    def budget(self) -> Budget:
        """How many labels may be bought."""
        return self._ledger.budget

    def set_budget(self, budget: Budget, horizon: int | None = None) -> None:
        """Change the budget from here on; what was bought before counts.

        A learner that spreads its budget is told of it, and of the ``horizon``: how many examples
        there will be in all. A budget per window is its rate.
        """
        with self._lock:
            self._ledger.budget = budget
            self._limited = budget != Budget()
            if isinstance(self.learner, PacedLearner):
                self.learner.plan(*_plan(budget, horizon))

    def settle(self) -> None:
        """Let all labels so far speak in predictions, where a learner refits only now and then."""
        with self._lock:
            if isinstance(self.learner, PacedLearner):
                self.learner.settle()

    def work_in(self, executor: Executor | None) -> None:
        """Let a learner that refits do so in an ``executor``, while it goes on asking.

        It matters only where the learner's ``lag`` gives it the time, and changes no bit.
        """
        with self._lock:
            if isinstance(self.learner, PacedLearner):
                self.learner.work_in(executor)

    def members(self) -> dict[str, float]:
        """What a classifier that is a mixture is made of, with weights; else nothing.

        >>> ActiveLearner("auto", n_features=1).members()
        {}
        """
        with self._lock:
            return dict(getattr(getattr(self.learner, "classifier", None), "weights", {}))

    @property
    def n_features(self) -> int:
        """The number of features, as far as the learner knows it; else 0."""
        return self._n_features or 0

    def predict(self, x: Any) -> Label:
        """The current prediction, -1 or +1."""
        with self._lock:
            return self._predict(self._row(x))

    def margin(self, x: Any) -> float:
        """The score whose sign is the prediction; 0 counts as -1."""
        with self._lock:
            if isinstance(self.learner, PacedLearner):
                return float(self.margins(from_rows([self._row(x)]))[0])
            return float(self._scorer().margin(self._row(x)))

    def probability(self, x: Any) -> float:
        """The probability of +1: the learner's own, or 1/(1 + e^-margin)."""
        with self._lock:
            if isinstance(self.learner, PacedLearner):
                return float(self.probabilities(from_rows([self._row(x)]))[0])
            return float(expit(self.margin(x)))

    def probabilities(self, X: Matrix) -> Floats:
        """The probability of +1 for each row: the learner's own, or as logistic regression has it.

        The latter is 1/(1 + e^-margin).
        """
        with self._lock:
            if isinstance(self.learner, PacedLearner):
                return self.learner.probabilities(as_matrix(X))[:, 1]
            second: Floats = expit(self.margins(X))
            return second

    def margins(self, X: Matrix) -> Floats:
        """The margin of each row of a CSR array, or of any other matrix."""
        with self._lock:
            if isinstance(self.learner, PacedLearner):
                return 2.0 * self.probabilities(X) - 1.0
            scorer = self._scorer()
            if isinstance(scorer, LinearOracle):
                return scorer.margins(as_matrix(X))
            return np.array([scorer.margin(row) for row in rows_of(X)], np.float64)

    def ask(self, x: Any) -> Question:
        """Offer an example, and learn whether its label is wanted.

        ``x`` is whatever :func:`askance.as_row` takes, or a record if ``features`` are given. An
        example whose label is not wanted is learned at once, or, while no label may be bought, left
        out of everything.
        """
        with self._lock:
            row = x if type(x) is Row else self._row(x)
            questions, coins = self._questions, self._coins.ahead
            id = questions.seen
            if self._limited and not self._ledger.is_open(id):
                predicted = self._predict(row)
                self._coins.advance()
                questions.seen = id + 1
                questions.refused += 1
                return Question(id, False, "budget", 0.0, 0.0, predicted)
            decision = self._offer(row, coins[-1])
            # What advance() does, without the time that a call takes.
            coins.pop()
            if not coins:
                self._refill()
            questions.seen = id + 1
            predicted, inside, probability, queried, *_ = decision
            reason: Reason | None = None
            weight = 0.0
            questions.unjudged.append(probability if queried else -probability)
            if queried:
                indices, values = row
                # Row(...), like Question(...) below, would take more than twice as long.
                kept = tuple.__new__(Row, (np.array(indices), np.array(values)))
                questions.pending[id] = kept, decision
                self._ledger.buy(id)
                if self._defer is not None:
                    self._defer(decision)
                weight = 1.0 / probability
            else:
                questions.count(inside, self.learner.k)
                reason = "coin" if inside else "outside"
            return tuple.__new__(Question, (id, queried, reason, probability, weight, predicted))

    def ask_many(self, X: Matrix) -> list[Question]:
        """Offer rows in their order, up to the first whose label is wanted.

        The questions are those of :meth:`ask`; a learner that decides in blocks is faster this way.

        >>> learner = ActiveLearner("auto", n_features=1, rate=0.5)
        >>> [question.wanted for question in learner.ask_many(np.ones((9, 1)))]
        [True]
        """
        with self._lock:
            rows, asked = as_matrix(X), list[Question]()
            while len(asked) < rows.shape[0] and not (asked and asked[-1].wanted):
                asked += self._ask_block(rows, len(asked))
            return asked

    def _ask_block(self, X: Matrix, start: int) -> list[Question]:
        """Offer some of the rows from there on, one of them at least."""
        learner, books = self._blocks, self._questions
        if learner is not None and (not self._limited or self._ledger.is_open(books.seen)):
            block = X[start : start + learner.remaining]
            coins = np.array(self._coins.next(block.shape[0]))
            decisions = learner.decide_many(block, coins)
            wanted = (i for i, decision in enumerate(decisions) if decision.queried)
            quiet = decisions[: next(wanted, len(decisions))]
            if quiet:
                learner.learn_many(block[: len(quiet)], quiet, [None] * len(quiet))
                before = learner.k - len(quiet)
                return [self._pass(decision, before + i) for i, decision in enumerate(quiet, 1)]
        return [self.ask(row_at(X, start))]

    def _pass(self, decision: Decision, learned: int) -> Question:
        """Enter into the books that an example was learned without a label."""
        books = self._questions
        self._coins.advance()
        books.keep(decision)
        id, books.seen = books.seen, books.seen + 1
        if self._limited:
            # A window moves on with every example.
            self._ledger.is_open(id)
        books.count(decision.in_disagreement, learned)
        reason: Reason = "coin" if decision.in_disagreement else "outside"
        return Question(id, False, reason, decision.probability, 0.0, decision.predicted)

    def look_ahead(self, X: Matrix) -> None:
        """Do what can be done before the next rows are asked about; it saves time, no more."""
        with self._lock:
            if isinstance(self.learner, PacedLearner):
                self.learner.foresee(as_matrix(X))

    def tell(self, question: Question | int, label: Label) -> None:
        """Give the ``label``, -1 or +1, of a ``question`` that wanted one, or of its id."""
        with self._lock:
            id = question.id if type(question) is Question else _id(question)
            known = require_label(label)
            if id not in self._questions.pending:
                self._questions.check_pending(id, known, {})
            self._take(id, known)

    def tell_many(self, answers: Iterable[tuple[Question | int, Label]]) -> None:
        """Give several ``answers``, (question, label); if one cannot be taken, none is."""
        with self._lock:
            checked: dict[int, Label] = {}
            for question, label in answers:
                id, known = _id(question), require_label(label)
                self._questions.check_pending(id, known, checked)
                checked[id] = known
            for id, label in checked.items():
                self._take(id, label)

    def withdraw(self, question: Question | int) -> None:
        """Give up on a ``question``: it is learned as not queried and its label refunded."""
        with self._lock:
            id, questions = _id(question), self._questions
            questions.check_pending(id, None, {})
            row, decision = questions.pending[id]
            self._learn(row, decision._replace(queried=False), None)
            questions.count(decision.in_disagreement, self.learner.k)
            del questions.pending[id]
            questions.withdrawn.add(id)
            self._ledger.refund(id)

    def pending(self) -> list[int]:
        """Ids of the questions that still want a label, oldest first."""
        with self._lock:
            return list(self._questions.pending)

    def weighted_sample(self) -> WeightedSample:
        """The labels so far with their rows and weights, for any other model to learn from.

        >>> learner = ActiveLearner("iwal1", n_features=2)
        >>> learner.tell(learner.ask([1.0, 0.0]), +1)
        >>> X, y, weight, n, ids = learner.weighted_sample()
        >>> X.toarray().tolist(), y.tolist(), weight.tolist(), n, ids.tolist()
        ([[1.0, 0.0]], [1], [1.0], 1, [0])
        """
        with self._lock:
            return self._questions.sample(self._n_features)

    def stats(self) -> Stats:
        """Counts, rates and a warning, as they are now."""
        with self._lock:
            return self._questions.stats(self.learner.k, self.learner.mean_error)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write everything to one file, atomically."""
        with self._lock:
            write_state(path, KIND, self._get_state())

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        learner: Learner | None = None,
        *,
        estimator: Any = None,
    ) -> Self:
        """Read a saved learner.

        A ``learner`` of your own is handed in, built as it was, and so is an ``estimator`` that is
        not one of :data:`askance.oracles.estimator.ESTIMATORS` with plain parameters.
        """
        saved = read_saved(path)
        chosen, parameters = saved.chosen(learner, estimator)
        with saved.checked(handed_in=learner is not None or estimator is not None):
            loaded = cls(
                chosen,
                budget=saved.budget,
                features=saved.features,
                classes=saved.classes,
                reading=saved.reading,
                **parameters,
            )
            loaded._preset = saved.preset
            loaded.learner.set_state(saved.state["learner"])
        with saved.checked():
            loaded._coins.set_state(saved.state)
            loaded._questions.set_state(saved.state, loaded._n_features)
            bought = {*loaded._questions.pending, *loaded._questions.bought}
            loaded._ledger.set_state(saved.state["ledger"], bought)
            loaded._check_clock()
        return loaded

    def _check_clock(self) -> None:
        """A streaming learner has learned what the books say, and more if driven by its verbs."""
        books, k = self._questions, self.learner.k
        learned = books.seen - books.refused - len(books.pending)
        if isinstance(self.learner, StreamingLearner) and k < learned:
            raise InvalidParameter(f"a saved k must be at least {learned}, got {k}")

    def _get_state(self) -> State:
        return {
            "preset": self._preset,
            "class": type(self.learner).__name__,
            "learner": self.learner.get_state(),
            "features": None if self.features is None else self.features.get_state(),
            "classes": list(self.classes),
            "reading": self.reading,
            "budget": dataclasses.asdict(self._ledger.budget),
            "ledger": self._ledger.get_state(),
            **self._coins.get_state(),
            **self._questions.get_state(),
        }

    def _refill(self) -> None:
        """What is due now and then."""
        self._coins.draw()
        if len(self._questions.unjudged) >= AT_ONCE:
            self._questions.judge()

    def _take(self, id: int, label: Label) -> None:
        questions = self._questions
        row, decision = questions.pending[id]
        self._learn(row, decision, label)
        questions.count(decision.in_disagreement, self.learner.k)
        del questions.pending[id]
        questions.bought[id] = label, row, decision.probability
        questions.unjudged.append((decision.probability, decision.predicted != label))

    def _scorer(self) -> Any:
        """The oracle that predicts, if it has margins."""
        scorer = getattr(self.learner, "erm", None)
        if not hasattr(scorer, "margin"):
            raise InvalidParameter(
                f"a {type(self.learner).__name__} gives no margins, only predictions"
            )
        return scorer

    def _row(self, x: Any) -> Row:
        if self.features is not None and isinstance(x, Record | Mapping):
            return self.features.encode(x)
        return as_row(x, self._n_features)


def _plan(budget: Budget, horizon: int | None) -> tuple[int | None, int | None, float | None]:
    """Labels that can be bought in all, examples, and the rate at which a window lets them.

    >>> _plan(Budget(total=500, labels=20, per=1000), 10_000)
    (200, 10000, 0.02)
    """
    total = budget.total
    if budget.labels is None or budget.per is None:
        return total, horizon, None
    rate = min(budget.labels / budget.per, 1.0)
    if total is not None and horizon is not None:
        total = min(total, math.ceil(rate * horizon))
    return total, horizon, rate


def _id(question: Question | int) -> int:
    if isinstance(question, Question):
        return question.id
    if isinstance(question, bool):
        raise UnknownQuestion(f"no question has the id {question!r}, expected a whole number")
    try:
        return operator.index(question)
    except TypeError:
        message = f"no question has the id {question!r}, expected a whole number"
        raise UnknownQuestion(message) from None
