"""Ways to drive a learner one example at a time: by its own verbs, or by compiled steps.

Both give the same bits. Compiled steps work on the arrays of the learner they stand in for, and
keep its counts and multipliers true, so it can be read, saved or driven by its verbs in between.
"""

from functools import partial
from typing import NoReturn, Protocol, cast

import numpy as np

from askance.engine import Group, is_compilable
from askance.errors import InvalidRow
from askance.kernels import steps
from askance.learners.streaming import StreamingLearner, check_coin
from askance.oracles.linear import LinearOracle
from askance.protocols import Learner
from askance.types import Decision, Label, Row

__all__ = ["Driver", "Steps", "Verbs", "drive"]

_WHOLE, _REAL = np.dtype(np.int64), np.dtype(np.float64)


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
        self._fit(0)

    def _fit(self, longest: int) -> None:
        """Make room for rows of so many non-zeros."""
        group = Group.of(self._learner)
        group.fit_rows(longest)
        self._room = longest
        ratios = getattr(self._learner, "ratios", np.zeros((2, 1)))
        packed = steps.pack(
            group.lanes.learning_rates, group.grid, group.progress, group.work, group.decided
        )
        row = np.zeros((2, longest + 1), self._state.dtype), np.zeros(longest + 1, np.int64)
        arrays = (*group.lanes[:5], ratios, *packed, *row)
        self._predict = partial(steps.predict, group.lanes.weights, group.lanes.scales, *row)
        self._offer = partial(steps.offer, *arrays)
        self._learn = partial(steps.learn, *arrays)

    def predict(self, x: Row) -> Label:
        indices, values = row = self._plain(x)
        return self._predict(indices, values) or self._refuse(row)

    def offer(self, x: Row, coin: float) -> Decision:
        """Decide, and learn at once what needs no label."""
        check_coin(coin)
        indices, values = row = self._plain(x)
        learner = self._learner
        fields = self._offer(indices, values, learner.k, learner.error_sum, coin)
        predicted, _, _, queried, _, _, _ = fields
        if not queried:
            if predicted == 0:
                self._refuse(row)
            learner.k += 1
        return tuple.__new__(Decision, fields)

    def learn(self, x: Row, decision: Decision, label: Label | None) -> None:
        """Learn as decided; that the label is one that was asked, the caller has checked."""
        indices, values = row = self._plain(x)
        learner = self._learner
        error_sum = self._learn(
            indices, values, learner.k, learner.error_sum, *decision, label or 1
        )
        if error_sum < 0.0:
            self._refuse(row)
        learner.error_sum = error_sum
        learner.k += 1

    def _plain(self, x: Row) -> Row:
        """A row in the form that the steps are compiled for; there is room for it."""
        indices, values = x
        try:
            plain = (
                indices.dtype is _WHOLE
                and values.dtype is _REAL
                and indices.flags.carray
                and values.flags.carray
                and indices.ndim == values.ndim == 1
            )
        except AttributeError:
            plain = False
        if not plain:
            self._state.prepare(x)
            x = Row(np.array(indices, _WHOLE), np.array(values, _REAL))
        if len(indices) > self._room:
            self._state.prepare(x)
            self._fit(min(2 * len(indices), self._state.n_features))
        return x

    def _refuse(self, row: Row) -> NoReturn:
        """Let the state say what is wrong with a row."""
        self._state.prepare(row)
        raise InvalidRow(f"this row cannot be learned from: {row}")
