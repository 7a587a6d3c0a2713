"""Ask and tell: the facade for people over the three verbs of a learner.

What was decided stays as decided, however late its label comes; a pending question enters the
clock when it is learned.
"""

import copy
import dataclasses
import logging
import operator
import os
import threading
from collections import deque
from collections.abc import Iterable, Mapping
from typing import Any, Self

import numpy as np
from scipy.sparse import csr_array
from scipy.special import expit

from askance.data.features import FeatureMap
from askance.data.features.records import Record
from askance.engine import drive
from askance.errors import (
    FileUnreadable,
    InvalidParameter,
    LabelConflict,
    UnknownQuestion,
)
from askance.live.answers import (
    Answer,
    Pending,
    answers_from,
    answers_state,
    pending_from,
    pending_state,
    sample_of,
)
from askance.live.budget import Budget, Ledger
from askance.oracles.linear import LinearOracle
from askance.presets import make_learner
from askance.protocols import LateLearner, Learner
from askance.sparse import as_row, rows_of
from askance.storage.states import read_state, write_state
from askance.types import (
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

__all__ = ["ActiveLearner", "Budget", "Question", "Stats", "WeightedSample"]

logger = logging.getLogger("askance")

_KIND = "active learner"

AHEAD = 64
"""Coins drawn at a time."""

RECENT = 1000
"""Examples over which a collapse into the learner's own guesses is judged, at most."""

FEWEST = 100
"""Examples from which on it is judged."""

CLASSES = ("-1", "+1")
"""What the two classes are called unless their names are given."""

_JUDGED = frozenset([FEWEST, RECENT])


class ActiveLearner:
    """A learner that is asked about examples and told labels, now, later or never.

    Parameters
    ----------
    learner
        The name of an algorithm (see :func:`askance.make_learner`), or any learner of your own.
    random_state
        Seed of the coins, one for each example.
    budget
        How many labels may be bought; without one, as many as the learner wants.
    features
        How records become rows. It is saved with the learner, gives ``n_features`` to one that is
        named, and lets records and mappings of names be asked about.
    classes
        What -1 and +1 are called outside; saved with the learner.
    reading
        How the records are read from files: ``format``, ``label``, ``id``, ``positive`` and
        ``strings`` of :func:`askance.data.reading.readers.read`; saved with the learner.
    **parameters
        With a name: ``n_features`` and the parameters of the algorithm.

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
        features: FeatureMap | None = None,
        classes: tuple[str, str] = CLASSES,
        reading: Mapping[str, Any] | None = None,
        **parameters: Any,
    ) -> None:
        self.features = features
        self.classes, self.reading = _checked_classes(classes), dict(reading or {})
        self._preset: State | None = None
        if isinstance(learner, str):
            if features is not None:
                parameters.setdefault("n_features", features.n_features)
            self._preset = {"algorithm": learner, **parameters}
            self.learner: Learner = make_learner(learner, **parameters)
        elif parameters:
            raise InvalidParameter(
                f"parameters go with the name of an algorithm, got {', '.join(parameters)}"
            )
        else:
            self.learner = learner
        self._take_the_wheel()
        # A row has no length; a dense vector of another length can be told by the oracle's.
        state = getattr(getattr(self.learner, "erm", None), "state", None)
        self._n_features: int | None = getattr(state, "n_features", None)
        if not (budget is None or isinstance(budget, Budget)):
            raise InvalidParameter(f"budget must be a Budget or None, got {budget!r}")
        self._limited = budget is not None and budget != Budget()
        self._ledger = Ledger(budget or Budget())
        self._bits = np.random.PCG64(random_state)
        self._generator = np.random.Generator(self._bits)
        # Coins are drawn ahead; a row that is refused uses none up.
        self._ahead: list[float] = []
        self._coin = self._draw()
        self._seen = self._refused = self._predicted = 0
        self._pending: dict[int, Pending] = {}
        self._answered: dict[int, Answer] = {}
        self._withdrawn: set[int] = set()
        self._recent: deque[bool] = deque(maxlen=RECENT)

    def _take_the_wheel(self) -> None:
        """Set up what cannot be copied or pickled."""
        driver = drive(self.learner)
        self._predict, self._offer, self._learn = driver.predict, driver.offer, driver.learn
        self._defer = self.learner.defer if isinstance(self.learner, LateLearner) else None
        self._lock = threading.RLock()

    def __getstate__(self) -> State:
        with self._lock:
            made_anew = ("_predict", "_offer", "_learn", "_defer", "_lock")
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
            return float(self._scorer().margin(self._row(x)))

    def probability(self, x: Any) -> float:
        """The probability of +1 as logistic regression has it: 1/(1 + e^-margin)."""
        return float(expit(self.margin(x)))

    def margins(self, X: Matrix) -> Floats:
        """The margin of each row of a CSR array, or of any other matrix."""
        with self._lock:
            scorer = self._scorer()
            if isinstance(scorer, LinearOracle):
                return scorer.margins(csr_array(X))
            return np.array([scorer.margin(row) for row in rows_of(X)], np.float64)

    def ask(self, x: Any) -> Question:
        """Offer an example, and learn whether its label is wanted.

        ``x`` is whatever :func:`askance.as_row` takes, or a record if ``features`` are given. An
        example whose label is not wanted is learned at once, or, while no label may be bought, left
        out of everything.
        """
        with self._lock:
            row = x if type(x) is Row else self._row(x)
            id = self._seen
            if self._limited and not self._ledger.is_open(id):
                predicted = self._predict(row)
                self._advance()
                self._refused += 1
                return Question(id, False, "budget", 0.0, 0.0, predicted)
            decision = self._offer(row, self._coin)
            self._advance()
            predicted, inside, probability, queried, _, _, _ = decision
            reason: Reason | None = None
            weight = 0.0
            if queried:
                indices, values = row
                # Row(...), like Question(...) below, would take more than twice as long.
                kept = tuple.__new__(Row, (np.array(indices), np.array(values)))
                self._pending[id] = kept, decision
                self._ledger.buy(id)
                if self._defer is not None:
                    self._defer(decision)
                weight = 1.0 / probability
            else:
                self._count(inside)
                reason = "coin" if inside else "outside"
            return tuple.__new__(Question, (id, queried, reason, probability, weight, predicted))

    def tell(self, question: Question | int, label: Label) -> None:
        """Give the ``label``, -1 or +1, of a ``question`` that wanted one, or of its id."""
        with self._lock:
            id = question.id if type(question) is Question else _id(question)
            known = require_label(label)
            if id not in self._pending:
                self._check_pending(id, known, {})
            self._take(id, known)

    def tell_many(self, answers: Iterable[tuple[Question | int, Label]]) -> None:
        """Give several ``answers``, (question, label); if one cannot be taken, none is."""
        with self._lock:
            checked: dict[int, Label] = {}
            for question, label in answers:
                id, known = self._checked(question, label, checked)
                checked[id] = known
            for id, label in checked.items():
                self._take(id, label)

    def withdraw(self, question: Question | int) -> None:
        """Give up on a ``question``: it is learned as not queried and its label refunded."""
        with self._lock:
            id = _id(question)
            self._check_pending(id, None, {})
            row, decision = self._pending[id]
            self._learn(row, decision._replace(queried=False), None)
            self._count(decision.in_disagreement)
            del self._pending[id]
            self._withdrawn.add(id)
            self._ledger.refund(id)

    def pending(self) -> list[int]:
        """Ids of the questions that still want a label, oldest first."""
        with self._lock:
            return list(self._pending)

    def weighted_sample(self) -> WeightedSample:
        """The labels so far with their rows and weights, for any other model to learn from.

        >>> learner = ActiveLearner("iwal1", n_features=2)
        >>> learner.tell(learner.ask([1.0, 0.0]), +1)
        >>> X, y, weight, n, ids = learner.weighted_sample()
        >>> X.toarray().tolist(), y.tolist(), weight.tolist(), n, ids.tolist()
        ([[1.0, 0.0]], [1], [1.0], 1, [0])
        """
        with self._lock:
            return sample_of(self._answered, self._seen - self._refused, self._n_features)

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

    def _advance(self) -> None:
        self._seen += 1
        self._coin = self._ahead.pop() if self._ahead else self._draw()

    def _draw(self) -> float:
        """The next coin, and many more: one call for each would take as long as a decision."""
        self._ahead = self._generator.random(AHEAD)[::-1].tolist()
        return self._ahead.pop()

    def _checked(
        self, question: Question | int, label: Label, same_batch: dict[int, Label]
    ) -> tuple[int, Label]:
        """The id of a question and its label, if that can be taken."""
        id = _id(question)
        taken = require_label(label)
        self._check_pending(id, taken, same_batch)
        return id, taken

    def _take(self, id: int, label: Label) -> None:
        row, decision = self._pending[id]
        self._learn(row, decision, label)
        self._count(decision.in_disagreement)
        del self._pending[id]
        self._answered[id] = label, row, decision.probability

    def _count(self, inside: bool) -> None:
        """Keep the share of own guesses among what is learned."""
        guessed = not inside
        self._predicted += guessed
        self._recent.append(guessed)
        if self.learner.k in _JUDGED and (warning := self._collapse()):
            logger.warning("%s", warning)

    def _check_pending(self, id: int, label: Label | None, same_batch: dict[int, Label]) -> None:
        if id in self._pending and id not in same_batch:
            return
        known = self._answered[id][0] if id in self._answered else same_batch.get(id)
        if known is not None:
            refused = "withdrawn" if label is None else f"answered as {label:+d}"
            refused = "answered again" if label == known else refused
            raise LabelConflict(f"question {id} was answered {known:+d}, cannot be {refused}")
        if id in self._withdrawn:
            raise LabelConflict(f"question {id} was withdrawn, it cannot be changed any more")
        if 0 <= id < self._seen:
            refused = "can be withdrawn" if label is None else "can be answered"
            raise LabelConflict(f"question {id} wanted no label, so none {refused}")
        raise UnknownQuestion(
            f"no question has the id {id}, {self._seen} examples were offered so far"
        )

    def _collapse(self) -> str | None:
        learned = len(self._recent)
        if learned < FEWEST or sum(self._recent) < 0.97 * learned:
            return None
        return (
            f"{sum(self._recent)} of the last {learned} examples were learned from the learner's "
            "own predictions and almost no label was asked: if its error is not near zero, raise c0"
        )

    def stats(self) -> Stats:
        """Counts, rates and a warning, as they are now."""
        with self._lock:
            asked = len(self._pending) + len(self._answered) + len(self._withdrawn)
            offered = self._seen - self._refused
            return Stats(
                seen=self._seen,
                learned=self.learner.k,
                refused=self._refused,
                asked=asked,
                answered=len(self._answered),
                pending=len(self._pending),
                withdrawn=len(self._withdrawn),
                query_rate=asked / offered if offered else 0.0,
                predicted_share=self._predicted / self.learner.k if self.learner.k else 0.0,
                mean_error=self.learner.mean_error,
                warning=self._collapse(),
            )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write everything to one file, atomically."""
        with self._lock:
            write_state(path, _KIND, self._get_state())

    @classmethod
    def load(cls, path: str | os.PathLike[str], learner: Learner | None = None) -> Self:
        """Read a saved learner; a ``learner`` of your own is handed in, built as it was."""
        state = read_state(path, _KIND)
        try:
            preset = state["preset"]
            kind = type(learner).__name__
            if learner is not None and kind != state["class"]:
                raise InvalidParameter(f"{path} holds a {state['class']}, got a {kind}")
            if learner is None and preset is None:
                raise InvalidParameter(f"{path} holds a learner of your own: pass it as learner=")
            parameters = {} if learner is not None else dict(preset)
            chosen = learner if learner is not None else parameters.pop("algorithm")
            loaded = cls(
                chosen,
                budget=Budget(**state["budget"]),
                features=_features(state["features"]),
                classes=state.get("classes", CLASSES),
                reading=state.get("reading"),
                **parameters,
            )
            loaded._preset = preset
            loaded._set_state(state)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            if isinstance(error, InvalidParameter):
                raise
            raise FileUnreadable(f"{path} lacks what a saved learner has: {error!r}") from error
        return loaded

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
            "generator": self._generator_state(),
            "coin": self._coin,
            "counts": [self._seen, self._refused, self._predicted],
            "pending": pending_state(self._pending),
            "answered": answers_state(self._answered),
            "withdrawn": sorted(self._withdrawn),
            "recent": [int(guessed) for guessed in self._recent],
        }

    def _generator_state(self) -> State:
        """The generator's state after the current coin, as if none had been drawn ahead."""
        bits = copy.deepcopy(self._bits)
        bits.advance(2**128 - len(self._ahead))
        return dict(bits.state)

    def _set_state(self, state: State) -> None:
        self.learner.set_state(state["learner"])
        self._ledger.set_state(state["ledger"])
        self._bits.state = state["generator"]
        self._coin, self._ahead = float(state["coin"]), []
        self._seen, self._refused, self._predicted = state["counts"]
        self._pending = pending_from(state["pending"])
        self._answered = answers_from(state["answered"])
        self._withdrawn = set(state["withdrawn"])
        self._recent.extend(bool(guessed) for guessed in state["recent"])


def _features(state: State | None) -> FeatureMap | None:
    if state is None:
        return None
    features = FeatureMap()
    features.set_state(state)
    return features


def _checked_classes(classes: tuple[str, str]) -> tuple[str, str]:
    names: object = classes
    pair = isinstance(names, tuple | list) and len(names) == 2 and names[0] != names[1]
    if not (pair and all(isinstance(name, str) for name in classes)):
        raise InvalidParameter(f"classes must be two different names, got {classes!r}")
    negative, positive = classes
    return negative, positive


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
