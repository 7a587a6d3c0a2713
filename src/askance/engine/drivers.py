"""Ways to drive a learner one example at a time: by its own verbs, or by compiled steps.

Both give the same bits. Compiled steps work on the arrays of the learner they stand in for, and
keep its counts and multipliers true, so it can be read, saved or driven by its verbs in between.
"""

from collections.abc import Callable
from typing import Any, Protocol, Self, cast

import numpy as np

from askance.engine.compiling import announce
from askance.engine.group import Group, is_compilable, table_of
from askance.errors import InvalidRow
from askance.kernels import steps
from askance.kernels._jit import compile_only
from askance.learners.streaming import StreamingLearner
from askance.oracles.linear import LinearOracle
from askance.protocols import Learner
from askance.types import Decision, Floats, Integers, Label, Row
from askance.validation import check_coin

__all__ = ["Driver", "Steps", "Verbs", "drive"]

_WHOLE, _REAL = np.dtype(np.int64), np.dtype(np.float64)
_REALS = frozenset([np.dtype(np.float32), _REAL])


class Driver(Protocol):
    """What a driver does for each example."""

    def predict(self, x: Row) -> Label: ...

    def offer(self, x: Row, coin: float) -> Decision:
        """Decide, and learn at once what needs no label."""

    def learn(self, x: Row, decision: Decision, label: Label | None) -> None: ...


def drive(learner: Learner) -> Driver:
    """Compiled steps where there are some for this learner, else its own verbs.

    >>> import askance
    >>> type(drive(askance.make_learner("iwal1", n_features=3))).__name__
    'Steps'
    >>> type(drive(askance.make_learner("iwal1", n_features=3, rates="constant"))).__name__
    'Verbs'
    """
    if isinstance(learner, StreamingLearner) and is_compilable(learner):
        return Steps(learner)
    return Verbs(learner)


class Verbs:
    """Any learner, by its own verbs.

    >>> import askance
    >>> driver = Verbs(askance.make_learner("iwal1", n_features=3))
    >>> driver.offer(askance.as_row([1.0, 0.0, 0.0]), 0.5).queried
    True
    """

    def __init__(self, learner: Learner) -> None:
        self._learner = learner
        self.predict = learner.predict
        self.learn = learner.learn

    def offer(self, x: Row, coin: float) -> Decision:
        decision = self._learner.decide(x, coin)
        if not decision.queried:
            self._learner.learn(x, decision, None)
        return decision


class Steps:
    """A compilable learner, by compiled steps over its own arrays.

    Its parameters are read once; what it has learned may change in any way in between.

    >>> import askance
    >>> learner = askance.make_learner("iwal1", n_features=2)
    >>> driver, x = Steps(learner), askance.as_row([1.0, 0.0])
    >>> driver.learn(x, driver.offer(x, 0.5), +1)
    >>> learner.k, driver.predict(x), learner.predict(x)
    (1, 1, 1)
    """

    def __init__(self, learner: StreamingLearner) -> None:
        self._learner = learner
        self._state = cast(LinearOracle, learner.erm).state
        # Whether rows go to a kernel unseen, since it refuses those of a form it does not know.
        # Each is compiled when it is first used: who only offers need not wait for the others.
        self._predicts = self._offers = self._learns = False
        self._compiled: set[Callable[..., Any]] = set()
        self._fit(0)

    def __reduce__(self) -> tuple[type[Self], tuple[StreamingLearner]]:
        """A copy has a learner of its own, and so addresses of its own."""
        return type(self), (self._learner,)

    def _fit(self, longest: int) -> None:
        """Make room for rows of so many non-zeros."""
        group = Group.of(self._learner)
        group.fit_rows(longest)
        record = group.record()
        # The learner's own numerators and denominators, so that what a step changes is its own.
        ratios = getattr(self._learner, "ratios", np.zeros((2, 1)))
        progress = record.progress._replace(numerators=ratios[0], denominators=ratios[1])
        # The table holds addresses only: the arrays must be kept for as long as it is used.
        self._kept = record._replace(progress=progress)
        self._table, self._room = table_of(self._kept), group.row.values

    def predict(self, x: Row) -> Label:
        indices, values = x if self._predicts else self._plain(x, steps.predict)
        try:
            predicted = steps.predict(self._table, self._room, indices, values)
        # So the compiled step says that it was not compiled for arrays of this form.
        except TypeError:
            self._look_closer(self._predicts)
            return self.predict(x)
        if predicted == 0:
            self._make_room(indices, values)
            return self.predict(x)
        return predicted

    def offer(self, x: Row, coin: float) -> Decision:
        """Decide, and learn at once what needs no label."""
        indices, values = x if self._offers else self._plain(x, steps.offer)
        learner = self._learner
        k, error_sum = learner.k, learner.error_sum
        try:
            fields = steps.offer(self._table, self._room, indices, values, k, error_sum, coin)
        except TypeError:
            self._look_closer(self._offers)
            return self.offer(x, coin)
        # A refused row says that it was not queried, so one that was needs no second look.
        if not fields[3]:
            if fields[0] == 0:
                check_coin(coin)
                self._make_room(indices, values)
                return self.offer(x, coin)
            learner.k = k + 1
        # As Decision(*fields), without a call of Python code.
        return tuple.__new__(Decision, (*fields, False))

    def learn(self, x: Row, decision: Decision, label: Label | None) -> None:
        """Learn as decided; that the label is one that was asked, the caller has checked."""
        indices, values = x if self._learns else self._plain(x, steps.learn)
        learner = self._learner
        k, error_sum = learner.k, learner.error_sum
        try:
            # A label that was not asked for is never read, but a number must be handed over.
            error_sum = steps.learn(
                self._table, self._room, indices, values, k, error_sum, *decision[:7], label or 1
            )
        except TypeError:
            self._look_closer(self._learns)
            return self.learn(x, decision, label)
        if error_sum < 0.0:
            # Refused before anything was changed, so the same row can be tried again.
            self._make_room(indices, values)
            return self.learn(x, decision, label)
        learner.error_sum, learner.k = error_sum, k + 1
        return None

    def _plain(self, x: Row, kernel: Callable[..., Any]) -> tuple[Integers, Floats]:
        """A row in the form that the steps are compiled for."""
        if kernel not in self._compiled:
            self._compile(kernel)
        indices, values = x
        # Checked by hand, most likely form first: a copy of each row would double a short step.
        try:
            whole, real = indices.dtype, values.dtype
            if (
                whole is _WHOLE
                and real is _REAL
                and indices.flags.carray
                and values.flags.carray
                and indices.ndim == values.ndim == 1
            ):
                return x
            sure = whole.kind == "i" and real in _REALS and indices.ndim == values.ndim == 1
        except AttributeError:
            sure = False
        if not sure:
            self._state.prepare(x)
        return np.array(indices, _WHOLE), np.array(values, _REAL)

    def _compile(self, kernel: Callable[..., Any]) -> None:
        """Compile a step for plain rows, here one that it refuses, and for no other."""
        known: tuple[Any, ...] = self._table, self._room, np.full(1, -1), np.zeros(1)
        if kernel is steps.offer:
            known += 0, 0.0, 0.5
        elif kernel is steps.learn:
            known += 0, 0.0, 1, True, 1.0, True, 0, 1.0, 1.0, 1
        announce(self._learner, kernel, *known)
        refuses = compile_only(kernel, *known)
        # Where it is interpreted nothing is refused, so each row is looked at.
        self._predicts |= refuses and kernel is steps.predict
        self._offers |= refuses and kernel is steps.offer
        self._learns |= refuses and kernel is steps.learn
        self._compiled.add(kernel)

    def _look_closer(self, unseen: bool) -> None:
        """After a row of another form: look at each from now on. Within an except clause only."""
        if not unseen:
            raise
        self._predicts = self._offers = self._learns = False

    def _make_room(self, indices: Integers, values: Floats) -> None:
        """Make room for a row that the steps refuse, if nothing else is wrong with it."""
        row = Row(indices, values)
        self._state.prepare(row)
        if len(indices) < len(self._room):
            raise InvalidRow(f"this row cannot be learned from: {row}")
        # Twice as much as needed, so that rows that grow slowly do not make room each time.
        self._fit(min(2 * len(indices), self._state.n_features))
