"""Ways to drive a learner one example at a time: by its own verbs, or by compiled steps.

Both give the same bits. Compiled steps work on the arrays of the learner they stand in for, and
keep its counts and multipliers true, so it can be read, saved or driven by its verbs in between.
"""

from collections.abc import Callable
from typing import Any, ClassVar, Protocol, Self, cast

import numpy as np

from askance.engine.class_group import ClassGroup, has_class_pass
from askance.engine.compiling import announce
from askance.engine.group import Group, is_compilable, table_of
from askance.errors import InvalidRow
from askance.kernels import class_steps, steps
from askance.kernels._jit import compile_only
from askance.learners.streaming import StreamingLearner
from askance.oracles.classes import LinearClasses
from askance.oracles.linear import LinearOracle
from askance.protocols import Learner
from askance.types import Decision, Floats, Integers, Label, Row
from askance.validation import check_coin, require_label

__all__ = ["ClassSteps", "Driver", "Steps", "Verbs", "drive"]

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
    if isinstance(learner, StreamingLearner):
        if is_compilable(learner):
            return Steps(learner)
        if has_class_pass(learner):
            return ClassSteps(learner)
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

    _steps: ClassVar[Any] = steps
    _refused: ClassVar[int] = 0

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
        kept = record._replace(progress=progress)
        self._kept: Any = kept
        self._table, self._room = table_of(kept), group.row.values

    def predict(self, x: Row) -> Label:
        indices, values = x if self._predicts else self._plain(x, self._steps.predict)
        try:
            predicted: Label = self._steps.predict(self._table, self._room, indices, values)
        # So the compiled step says that it was not compiled for arrays of this form.
        except TypeError:
            self._look_closer(self._predicts)
            return self.predict(x)
        if predicted == self._refused:
            self._make_room(indices, values)
            return self.predict(x)
        return predicted

    def offer(self, x: Row, coin: float) -> Decision:
        """Decide, and learn at once what needs no label."""
        indices, values = x if self._offers else self._plain(x, self._steps.offer)
        learner = self._learner
        k, error_sum = learner.k, learner.error_sum
        try:
            fields = self._steps.offer(self._table, self._room, indices, values, k, error_sum, coin)
        except TypeError:
            self._look_closer(self._offers)
            return self.offer(x, coin)
        # A refused row says that it was not queried, so one that was needs no second look.
        if not fields[3]:
            if fields[0] == self._refused:
                check_coin(coin)
                self._make_room(indices, values)
                return self.offer(x, coin)
            learner.k = k + 1
        # As Decision(*fields), without a call of Python code.
        return tuple.__new__(Decision, (*fields, False))

    def learn(self, x: Row, decision: Decision, label: Label | None) -> None:
        """Learn as decided; that the label is one that was asked, the caller has checked."""
        indices, values = x if self._learns else self._plain(x, self._steps.learn)
        learner = self._learner
        k, error_sum = learner.k, learner.error_sum
        try:
            # A label that was not asked for is never read, but a number must be handed over.
            given = indices, values, k, error_sum, *decision[:7], 1 if label is None else label
            error_sum = self._steps.learn(self._table, self._room, *given)
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
        if kernel is self._steps.offer:
            known += 0, 0.0, 0.5
        elif kernel is self._steps.learn:
            known += 0, 0.0, 1, True, 1.0, True, 0, 1.0, 1.0, 1
        announce(self._learner, kernel, *known)
        refuses = compile_only(kernel, *known)
        # Where it is interpreted nothing is refused, so each row is looked at.
        self._predicts |= refuses and kernel is self._steps.predict
        self._offers |= refuses and kernel is self._steps.offer
        self._learns |= refuses and kernel is self._steps.learn
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


class ClassSteps(Steps):
    """A learner of several classes, by compiled steps over its own arrays.

    >>> import askance
    >>> learner = askance.make_learner("coal", n_features=2, n_classes=3)
    >>> driver, x = ClassSteps(learner), askance.as_row([1.0, 0.0])
    >>> driver.learn(x, driver.offer(x, 0.5), 2)
    >>> learner.k, driver.predict(x), learner.predict(x)
    (1, 2, 2)
    """

    _steps: ClassVar[Any] = class_steps
    _refused: ClassVar[int] = class_steps.REFUSED

    def _fit(self, longest: int) -> None:
        group = ClassGroup(self._learner)
        group.fit_rows(longest)
        self._kept, self._state = group, group.state
        self._table, self._room = group.table, group.row.values

    def _follow(self) -> None:
        """Go over to the learner's new arrays, if a class or a file brought some."""
        if cast(LinearClasses, self._learner.erm).state is not self._state:
            self._fit(len(self._room) - 1)

    def predict(self, x: Row) -> Label:
        self._follow()
        return super().predict(x)

    def offer(self, x: Row, coin: float) -> Decision:
        """Decide, and learn at once what needs no label."""
        self._follow()
        return super().offer(x, coin)

    def learn(self, x: Row, decision: Decision, label: Label | None) -> None:
        """Learn as decided; both classes are checked, since kernels look at no bounds."""
        self._follow()
        classes = self._kept.oracle.n_classes
        require_label(decision.predicted, classes)
        super().learn(x, decision, None if label is None else require_label(label, classes))
