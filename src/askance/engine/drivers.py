"""Ways to drive a learner one example at a time: by its own verbs, or by compiled steps.

Both give the same bits. Compiled steps work on the arrays of the learner they stand in for, and
keep its counts and multipliers true, so it can be read, saved or driven by its verbs in between.
"""

import logging
from itertools import chain
from typing import Protocol, Self, cast

import numpy as np

from askance.engine.group import Group, is_compilable
from askance.errors import InvalidRow
from askance.kernels import steps
from askance.kernels._jit import compile_only, is_compiled, tabulate
from askance.learners.streaming import StreamingLearner
from askance.oracles.linear import LinearOracle
from askance.protocols import Learner
from askance.types import Decision, Floats, Integers, Label, Row
from askance.validation import check_coin

__all__ = ["Driver", "Steps", "Verbs", "drive"]

logger = logging.getLogger("askance")

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
        # Whether rows go to the kernels unseen, which refuse those of a form they do not know.
        self._swift = self._compiled = False
        self._fit(0)

    def __reduce__(self) -> tuple[type[Self], tuple[StreamingLearner]]:
        """A copy has a learner of its own, and so addresses of its own."""
        return type(self), (self._learner,)

    def _fit(self, longest: int) -> None:
        """Make room for rows of so many non-zeros."""
        group = Group.of(self._learner)
        group.fit_rows(longest)
        ratios = getattr(self._learner, "ratios", np.zeros((2, 1)))
        progress = group.progress._replace(numerators=ratios[0], denominators=ratios[1])
        self._kept = group.row, group.lanes, group.grid, progress, group.work, group.decided
        self._table, self._room = tabulate(chain(*self._kept)), group.row.values

    def predict(self, x: Row) -> Label:
        indices, values = x if self._swift else self._plain(x)
        try:
            predicted = steps.predict(self._table, self._room, indices, values)
        except TypeError:
            self._look_closer()
            return self.predict(x)
        if predicted == 0:
            self._make_room(indices, values)
            return self.predict(x)
        return predicted

    def offer(self, x: Row, coin: float) -> Decision:
        """Decide, and learn at once what needs no label."""
        indices, values = x if self._swift else self._plain(x)
        learner = self._learner
        k, error_sum = learner.k, learner.error_sum
        try:
            fields = steps.offer(self._table, self._room, indices, values, k, error_sum, coin)
        except TypeError:
            self._look_closer()
            return self.offer(x, coin)
        if not fields[3]:
            if fields[0] == 0:
                check_coin(coin)
                self._make_room(indices, values)
                return self.offer(x, coin)
            learner.k = k + 1
        return tuple.__new__(Decision, fields)

    def learn(self, x: Row, decision: Decision, label: Label | None) -> None:
        """Learn as decided; that the label is one that was asked, the caller has checked."""
        indices, values = x if self._swift else self._plain(x)
        learner = self._learner
        k, error_sum = learner.k, learner.error_sum
        try:
            error_sum = steps.learn(
                self._table, self._room, indices, values, k, error_sum, *decision, label or 1
            )
        except TypeError:
            self._look_closer()
            return self.learn(x, decision, label)
        if error_sum < 0.0:
            self._make_room(indices, values)
            return self.learn(x, decision, label)
        learner.error_sum, learner.k = error_sum, k + 1
        return None

    def _plain(self, x: Row) -> tuple[Integers, Floats]:
        """A row in the form that the steps are compiled for."""
        if not self._compiled:
            self._compile()
        indices, values = x
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

    def _compile(self) -> None:
        """Compile the steps for plain rows, here one that they refuse, and for no other."""
        if not is_compiled(steps.learn):
            logger.warning("compiling the steps, which takes a while, once for this machine")
        bad = self._table, self._room, np.full(1, -1), np.zeros(1)
        decision = 1, True, 1.0, True, 0, 1.0, 1.0
        refuses = [
            compile_only(steps.predict, *bad),
            compile_only(steps.offer, *bad, 0, 0.0, 0.5),
            compile_only(steps.learn, *bad, 0, 0.0, *decision, 1),
        ]
        self._compiled, self._swift = True, all(refuses)

    def _look_closer(self) -> None:
        """After a row of another form: look at each from now on. Within an except clause only."""
        if not self._swift:
            raise
        self._swift = False

    def _make_room(self, indices: Integers, values: Floats) -> None:
        """Make room for a row that the steps refuse, if nothing else is wrong with it."""
        row = Row(indices, values)
        self._state.prepare(row)
        if len(indices) < len(self._room):
            raise InvalidRow(f"this row cannot be learned from: {row}")
        self._fit(min(2 * len(indices), self._state.n_features))
