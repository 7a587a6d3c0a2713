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
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Self

import numpy as np

from askance.budget import Budget, Ledger
from askance.data.features import FeatureMap
from askance.data.records import Record
from askance.data.rows import as_row
from askance.errors import (
    FileUnreadable,
    InvalidParameter,
    LabelConflict,
    UnknownQuestion,
)
from askance.files import read_state, write_state
from askance.learners.streaming import require_label
from askance.presets import make_learner
from askance.protocols import LateLearner, Learner
from askance.steps import drive
from askance.types import Decision, Label, Row, State

__all__ = ["ActiveLearner", "Budget", "Question", "Stats"]

logger = logging.getLogger("askance")

Reason = Literal["outside", "coin", "budget"]

_KIND = "active learner"

AHEAD = 64
"""Coins drawn at a time."""

RECENT = 1000
"""Examples over which a collapse into the learner's own guesses is judged, at most."""

FEWEST = 100
"""Examples from which on it is judged."""

_JUDGED = frozenset([FEWEST, RECENT])


class Question(NamedTuple):
    """The answer to ``ask``.

    Parameters
    ----------
    id
        The number of the example, for :meth:`ActiveLearner.tell`.
    wanted
        Whether a label is wanted.
    reason
        Why not: ``"outside"`` the disagreement region, the ``"coin"`` fell above the probability,
        or the ``"budget"`` is spent. None if a label is wanted.
    probability
        P, with which a label would be asked.
    weight
        The importance weight of the label, 1/P, for whoever uses it later; 0 if none is wanted.
    predicted
        The prediction, -1 or +1.
    """

    id: int
    wanted: bool
    reason: Reason | None
    probability: float
    weight: float
    predicted: Label


@dataclass(frozen=True, slots=True)
class Stats:
    """Where an :class:`ActiveLearner` stands.

    ``seen`` examples were offered, ``refused`` of them for lack of budget; ``asked`` labels were
    asked for, of which ``answered`` came, ``pending`` are awaited and ``withdrawn`` were given up.
    ``query_rate`` is asked over those offered and not refused, ``predicted_share`` the share of
    the learned examples that were learned from the learner's own predictions, ``mean_error`` its
    progressive error estimate, and ``warning`` a sentence if it has collapsed into its guesses.
    """

    seen: int
    learned: int
    refused: int
    asked: int
    answered: int
    pending: int
    withdrawn: int
    query_rate: float
    predicted_share: float
    mean_error: float
    warning: str | None


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
        **parameters: Any,
    ) -> None:
        self.features = features
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
        driver = drive(self.learner)
        self._predict, self._offer, self._learn = driver.predict, driver.offer, driver.learn
        self._defer = self.learner.defer if isinstance(self.learner, LateLearner) else None
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
        self._pending: dict[int, tuple[Row, Decision]] = {}
        self._answered: dict[int, Label] = {}
        self._withdrawn: set[int] = set()
        self._recent: deque[bool] = deque(maxlen=RECENT)
        self._lock = threading.RLock()

    def predict(self, x: Any) -> Label:
        """The current prediction, -1 or +1."""
        with self._lock:
            return self._predict(self._row(x))

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
        """Give the label, -1 or +1, of a question that wanted one."""
        with self._lock:
            id = question.id if type(question) is Question else _id(question)
            known = require_label(label)
            if id not in self._pending:
                self._check_pending(id, known, {})
            self._take(id, known)

    def tell_many(self, answers: Iterable[tuple[Question | int, Label]]) -> None:
        """Give several labels; if one of them cannot be taken, none is."""
        with self._lock:
            checked: dict[int, Label] = {}
            for question, label in answers:
                id, known = self._checked(question, label, checked)
                checked[id] = known
            for id, label in checked.items():
                self._take(id, label)

    def withdraw(self, question: Question | int) -> None:
        """Give up on a label: the example is learned as not queried and its label refunded."""
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
        self._answered[id] = label

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
        known = self._answered.get(id, same_batch.get(id))
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
        """Read a saved learner; one of your own making must be handed in, built as it was."""
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
            features = _features(state["features"])
            budget = Budget(**state["budget"])
            loaded = cls(chosen, budget=budget, features=features, **parameters)
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
            "budget": dataclasses.asdict(self._ledger.budget),
            "ledger": self._ledger.get_state(),
            "generator": self._generator_state(),
            "coin": self._coin,
            "counts": [self._seen, self._refused, self._predicted],
            "pending": [
                {
                    "id": id,
                    "indices": row.indices,
                    "values": row.values,
                    "decision": decision._asdict(),
                }
                for id, (row, decision) in self._pending.items()
            ],
            "answered": [[id, label] for id, label in self._answered.items()],
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
        self._pending = {
            item["id"]: (Row(item["indices"], item["values"]), Decision(**item["decision"]))
            for item in state["pending"]
        }
        self._answered = dict(state["answered"])
        self._withdrawn = set(state["withdrawn"])
        self._recent.extend(bool(guessed) for guessed in state["recent"])


def _features(state: State | None) -> FeatureMap | None:
    if state is None:
        return None
    features = FeatureMap()
    features.set_state(state)
    return features


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
