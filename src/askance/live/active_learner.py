"""Ask and tell: the facade for people over the three verbs of a learner.

What was decided stays as decided, however late its label comes; a pending question enters the
clock when it is learned.
"""

import copy
import dataclasses
import os
import threading
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Executor
from typing import Any, Self

from askance.data.features import FeatureMap
from askance.data.features.records import Record
from askance.errors import InvalidParameter
from askance.estimate import crossfit_error
from askance.live.asking import Asker
from askance.live.budget import Budget, Ledger
from askance.live.coins import Coins
from askance.live.foretelling import foretold, look_ahead, take_in
from askance.live.judging import Judging
from askance.live.predicting import Predicting
from askance.live.questions import Questions
from askance.live.saving import KIND, checked_classes, read_saved
from askance.live.signs import in_signs
from askance.live.stopping import Stopping, Until
from askance.live.telling import id_of, take_label, withdraw_question
from askance.presets import make_learner, preset_of
from askance.protocols import Learner, PacedLearner, n_classes_of
from askance.sparse import as_matrix, as_row
from askance.storage.states import write_state
from askance.types import (
    Decision,
    Floats,
    Integers,
    Label,
    LabelPlaces,
    Matrix,
    Question,
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
        What -1 and +1 are called outside; saved with the learner. With three or more names, labels
        are codes from 0 on, in the order of the names.
    reading
        How the records are read from files: ``format``, ``label``, ``id``, ``positive`` and
        ``strings`` of :func:`askance.data.reading.readers.read`; saved with the learner.
    hold_out
        The share of the stream, and so about of the labels, that only judges: the learner is not
        shown those examples, the budget counts their labels, and ``stats().current`` is the error
        of its classifier by them. See :class:`askance.live.judging.Judging`.
    audit
        The probability with which a label is asked for where the learner never would, outside its
        region. The budget counts such labels, the learner does not learn them. With it the
        weighted sample stands for all examples, and ``stats().error`` is known.
    until
        What is aimed at; :meth:`done` tells when it was reached, and nothing else changes by it.
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

    def __init__(  # noqa: PLR0913 - each is a choice of its own
        self,
        learner: str | Learner,
        *,
        random_state: int = 0,
        budget: Budget | None = None,
        horizon: int | None = None,
        features: FeatureMap | None = None,
        classes: Sequence[str] = CLASSES,
        reading: Mapping[str, Any] | None = None,
        hold_out: float = 0.0,
        audit: float = 0.0,
        until: Until | None = None,
        **parameters: Any,
    ) -> None:
        self.features = features
        self.classes, self.reading = checked_classes(classes), dict(reading or {})
        # What is kept of a pool that is asked about in rounds.
        self.pool: State | None = None
        self._preset: State | None = None
        if isinstance(learner, str):
            if features is not None:
                parameters.setdefault("n_features", features.n_features)
            if len(self.classes) > 2:
                parameters.setdefault("n_classes", len(self.classes))
            self.learner: Learner = make_learner(learner, **parameters)
            self._preset = preset_of(learner, parameters)
        elif parameters:
            raise InvalidParameter(
                f"parameters go with the name of an algorithm, got {', '.join(parameters)}"
            )
        else:
            self.learner = learner
        self.learner = in_signs(self.learner)
        self._check_classes()
        # A row has no length; a dense vector of another length can be told by the learner's.
        state = getattr(getattr(self.learner, "erm", None), "state", self.learner)
        self._n_features: int | None = getattr(state, "n_features", None)
        if not (budget is None or isinstance(budget, Budget)):
            raise InvalidParameter(f"budget must be a Budget or None, got {budget!r}")
        self._ledger = Ledger(Budget())
        judged = bool(hold_out or audit)
        self._judging = Judging(self.learner, self._ledger, hold_out, audit) if judged else None
        self._coins = Coins(random_state)
        self._questions = Questions(
            self.n_classes,
            self._judging,
            guesses=getattr(self.learner, "learns_guesses", True),
        )
        self._stopping = None if until is None else Stopping(until, self.learner, hold_out)
        self._take_the_wheel()
        if budget is not None or horizon is not None:
            self.set_budget(budget or Budget(), horizon)

    def _check_classes(self) -> None:
        """Name the classes of a learner that has more than two, where nobody did."""
        known = self.n_classes
        if known is not None and self.classes == CLASSES:
            self.classes = tuple(map(str, range(known)))
        if len(self.classes) != (known or 2):
            raise InvalidParameter(
                f"a learner of {known or 2} classes must have as many names, got "
                f"{len(self.classes)}"
            )

    def _take_the_wheel(self) -> None:
        """Set up what cannot be copied or pickled."""
        self._asker = Asker(
            self.learner,
            self._questions,
            self._ledger,
            self._coins,
            self._judging,
            self._stopping,
        )
        self._predicting = Predicting(self.learner, self._asker.predict, self._n_features)
        self._lock = threading.RLock()

    def __getstate__(self) -> State:
        with self._lock:
            made_anew = ("_asker", "_predicting", "_lock")
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
        there will be in all, by default as many as it planned for. A budget per window is its rate.
        """
        with self._lock:
            self._asker.set_budget(budget, horizon)

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
    def n_classes(self) -> int | None:
        """The number of classes if labels are codes; None where they are -1 and +1."""
        return n_classes_of(self.learner)

    def add_class(self, name: str) -> Label:
        """Make room for a class that was not known before, and return its code.

        >>> learner = ActiveLearner("auto", n_features=1, classes=("ham", "spam", "ads"))
        >>> learner.add_class("phish"), learner.classes[-1]
        (3, 'phish')
        """
        with self._lock:
            classes = checked_classes((*self.classes, name))
            many = self._predicting.many
            if many is None:
                raise InvalidParameter(
                    f"a class can be added to three or more, got a learner of two and {name!r}"
                )
            many.add_class()
            self.classes = classes
            self._questions.n_classes = self.n_classes
            if self._preset is not None:
                self._preset["n_classes"] = self.n_classes
            return len(self.classes) - 1

    @property
    def n_features(self) -> int:
        """The number of features, as far as the learner knows it; else 0."""
        return self._n_features or 0

    @property
    def seen(self) -> int:
        """How many examples were offered."""
        return self._questions.seen

    def predict(self, x: Any) -> Label:
        """The current prediction, -1 or +1, or a code where there are more classes."""
        with self._lock:
            return self._asker.predict(self._row(x))

    def predict_many(self, X: Matrix) -> Integers:
        """The current prediction for each row of a CSR array, or of any other matrix.

        >>> import numpy as np
        >>> ActiveLearner("passive", n_features=1).predict_many(np.ones((2, 1))).tolist()
        [-1, -1]
        """
        with self._lock:
            return self._predicting.predict_many(X)

    def name_of(self, label: Label) -> str:
        """What the class of a label is called.

        >>> ActiveLearner("passive", n_features=1, classes=("ham", "spam")).name_of(-1)
        'ham'
        """
        return self.classes[int(label > 0) if self.n_classes is None else label]

    def margin(self, x: Any) -> float:
        """The score whose sign is the prediction; 0 counts as -1."""
        with self._lock:
            return self._predicting.margin(self._row(x))

    def probability(self, x: Any) -> float:
        """The probability of +1: the learner's own, or 1/(1 + e^-margin)."""
        with self._lock:
            return self._predicting.probability(self._row(x))

    def probabilities(self, X: Matrix) -> Floats:
        """The probability of +1 for each row: the learner's own, or as logistic regression has it.

        The latter is 1/(1 + e^-margin). Where there are more classes than two, each row has the
        probabilities of all of them.
        """
        with self._lock:
            return self._predicting.probabilities(X)

    def margins(self, X: Matrix) -> Floats:
        """The margin of each row of a CSR array, or of any other matrix.

        Where there are more classes than two, each row has the scores of all of them.
        """
        with self._lock:
            return self._predicting.margins(X)

    def ask(self, x: Any) -> Question:
        """Offer an example, and learn whether its label is wanted.

        ``x`` is whatever :func:`askance.as_row` takes, or a record if ``features`` are given. An
        example whose label is not wanted is learned at once, or, while no label may be bought, left
        out of everything.
        """
        with self._lock:
            return self._asker.ask(x if type(x) is Row else self._row(x))

    def ask_many(self, X: Matrix) -> list[Question]:
        """Offer rows in their order, up to the first whose label is wanted.

        The questions are those of :meth:`ask`; a learner that decides in blocks is faster this way.

        >>> import numpy as np
        >>> learner = ActiveLearner("auto", n_features=1, rate=0.5)
        >>> [question.wanted for question in learner.ask_many(np.ones((9, 1)))]
        [True]
        """
        with self._lock:
            rows, asked = as_matrix(X), list[Question]()
            while len(asked) < rows.shape[0] and not (asked and asked[-1].wanted):
                asked += self._asker.ask_block(rows, len(asked))
            return asked

    def foretell(self, X: Matrix) -> list[tuple[float, Decision | None]]:
        """What will be decided for the next rows, and by which coins; it changes nothing.

        It is told for one row at least, and for as many as can be decided before anything changes.
        None is an example that the budget leaves out. :meth:`recall` takes it in.

        >>> import numpy as np
        >>> learner = ActiveLearner("iwal1", n_features=1)
        >>> ((coin, decision),) = learner.foretell(np.ones((9, 1)))
        >>> learner.recall(np.ones((1, 1)), [decision])
        >>> decision.queried, learner.pending()
        (True, [0])
        """
        with self._lock:
            return foretold(self._asker, as_matrix(X))

    def recall(self, X: Matrix, decisions: Sequence[Decision | None]) -> None:
        """Take in what was decided for rows, by :meth:`foretell` or long ago: it is a fact.

        Nothing is decided anew. A label that was wanted is pending from here on.
        """
        with self._lock:
            take_in(self._asker, as_matrix(X), decisions)

    def look_ahead(self, X: Matrix) -> None:
        """Do what can be done before the next rows are asked about; it saves time, no more."""
        with self._lock:
            look_ahead(self._asker, as_matrix(X))

    def tell(self, question: Question | int, label: Label) -> None:
        """Give the ``label``, -1, +1 or a code, of a ``question`` that wanted one, or of its id."""
        with self._lock:
            id = question.id if type(question) is Question else id_of(question)
            known = require_label(label, self.n_classes)
            if id not in self._questions.pending:
                self._questions.check_pending(id, known, {})
            take_label(self._asker, id, known)

    def tell_many(self, answers: Iterable[tuple[Question | int, Label]]) -> None:
        """Give several ``answers``, (question, label); if one cannot be taken, none is."""
        with self._lock:
            checked: dict[int, Label] = {}
            for question, label in answers:
                id, known = id_of(question), require_label(label, self.n_classes)
                self._questions.check_pending(id, known, checked)
                checked[id] = known
            for id, label in checked.items():
                take_label(self._asker, id, label)

    def withdraw(self, question: Question | int) -> None:
        """Give up on a ``question``: it is learned as not queried and its label refunded."""
        with self._lock:
            withdraw_question(self._asker, id_of(question))

    def pending(self) -> list[int]:
        """Ids of the questions that still want a label, oldest first."""
        with self._lock:
            return list(self._questions.pending)

    def weighted_sample(self, *, held_out: bool = False) -> WeightedSample:
        """The labels so far with their rows and weights, for any other model to learn from.

        With ``held_out``, only those that this learner was not shown, among as many examples: any
        of its classifiers may be judged by them.

        >>> learner = ActiveLearner("iwal1", n_features=2)
        >>> learner.tell(learner.ask([1.0, 0.0]), +1)
        >>> X, y, weight, n, ids = learner.weighted_sample()
        >>> X.toarray().tolist(), y.tolist(), weight.tolist(), n, ids.tolist()
        ([[1.0, 0.0]], [1], [1.0], 1, [0])
        """
        with self._lock:
            return self._questions.sample(self._n_features, held_out=held_out)

    def label_places(self) -> LabelPlaces | None:
        """Where the labels of :meth:`weighted_sample` stood in the stream.

        None if the learner was begun by an earlier version, which has not kept it.

        >>> learner = ActiveLearner("passive", n_features=1)
        >>> questions = [learner.ask([1.0]) for _ in range(3)]
        >>> learner.withdraw(questions[1])
        >>> learner.tell_many([(questions[0], 1), (questions[2], -1)])
        >>> learner.label_places()
        LabelPlaces(positions=array([0, 2]), least=array([1., 1.]), unanswered=[(), (1.0,)])
        """
        with self._lock:
            return self._questions.label_places()

    @property
    def hold_out(self) -> float:
        """The share of the stream that only judges."""
        return 0.0 if self._judging is None else self._judging.hold_out

    @property
    def audit(self) -> float:
        """The probability with which a label is asked for outside a region."""
        return 0.0 if self._judging is None else self._judging.audit

    @property
    def floor(self) -> float | None:
        """What no query probability is to be below, as it was known before the first example.

        None where nothing was.

        >>> [ActiveLearner(name, n_features=1).floor for name in ("passive", "margin")]
        [1.0, None]
        """
        with self._lock:
            return getattr(self.learner, "floor", None)

    def stats(self) -> Stats:
        """Counts, rates and a warning, as they are now."""
        with self._lock:
            stats = self._questions.stats(self.learner.k, self.learner.mean_error)
            # To ask for the protocol would compute each of its properties, after every answer.
            found = getattr(self.learner, "crossfit", None)
            return (
                stats
                if found is None
                else dataclasses.replace(stats, crossfit=crossfit_error(*found))
            )

    @property
    def until(self) -> Until | None:
        """What is aimed at."""
        return None if self._stopping is None else self._stopping.until

    def done(self) -> str | None:
        """Why no more labels are needed, by ``until``; None while they are.

        Nothing changes by it: what is pending may still be answered, and more may be asked.

        >>> learner = ActiveLearner("passive", n_features=1, hold_out=0.5, until=Until(error=0.2))
        >>> while not learner.done():
        ...     learner.tell(learner.ask([1.0]), +1)
        >>> learner.done(), learner.stats().held_out
        ('the error is at most 17.4%, and 20.0% was aimed at', 53)
        """
        with self._lock:
            return None if self._stopping is None else self._stopping.reason(self.stats())

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
                hold_out=saved.hold_out,
                audit=saved.audit,
                until=saved.until,
                **parameters,
            )
            loaded._preset = saved.preset
            loaded.pool = saved.state.get("pool")
            loaded.learner.set_state(saved.state["learner"])
        with saved.checked():
            loaded._asker.set_state(saved.state, loaded._n_features)
        return loaded

    def _get_state(self) -> State:
        return {
            "preset": self._preset,
            "class": type(getattr(self.learner, "coded", self.learner)).__name__,
            "learner": self.learner.get_state(),
            "features": None if self.features is None else self.features.get_state(),
            "classes": list(self.classes),
            "reading": self.reading,
            "pool": self.pool,
            "budget": dataclasses.asdict(self._ledger.budget),
            **self._asker.get_state(),
        }

    def _row(self, x: Any) -> Row:
        if self.features is not None and isinstance(x, Record | Mapping):
            return self.features.encode(x)
        return as_row(x, self._n_features)
