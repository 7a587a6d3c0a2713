"""A learner of several classes over linear lanes, run by a compiled pass on its own arrays."""

from typing import cast

import numpy as np

from askance.engine.compiling import announce
from askance.engine.group import grid_of, lane_arrays, progress_of, row_of, scratch_of, table_of
from askance.engine.streams import check_start, check_width
from askance.errors import InvalidParameter
from askance.kernels import class_passes, passes
from askance.kernels.pass_records import Classes, ClassPass
from askance.learners.coal import Coal
from askance.learners.iwal import IWAL0, IWAL1
from askance.learners.margin import MarginSampling
from askance.learners.passive import Passive
from askance.learners.streaming import StreamingLearner
from askance.oracles.classes import LinearClasses
from askance.protocols import Learner
from askance.types import Integers

__all__ = ["ClassGroup", "has_class_pass"]

_KINDS: tuple[type[StreamingLearner], ...] = (Coal, Passive, MarginSampling, IWAL0, IWAL1)


def has_class_pass(learner: Learner) -> bool:
    """Whether a compiled pass of several classes can stand in for this learner.

    >>> import askance
    >>> has_class_pass(askance.make_learner("coal", n_features=3, n_classes=4))
    True
    >>> has_class_pass(askance.make_learner("iwal1", n_features=3))
    False
    """
    if type(learner) not in _KINDS or not isinstance(learner, StreamingLearner):
        return False
    if getattr(learner, "disagreement", None) == "exact":
        return False
    return type(learner.erm) is LinearClasses and learner.erm.state.rates == "adaptive"


class ClassGroup:
    """One learner of several classes, over its own arrays.

    ``store`` gives its counts back to it.

    Parameters
    ----------
    learner
        A learner for which :func:`has_class_pass` says True.

    Examples
    --------
    >>> import askance
    >>> from askance.engine.streams import stream_of
    >>> learner = askance.make_learner("coal", n_features=2, n_classes=3)
    >>> group = ClassGroup(learner)
    >>> rows = [0, 1, 2], [0, 1], [1.0, 1.0]
    >>> stream = stream_of(*rows, [2, 1], [0.5, 0.5], n_features=2, n_classes=3)
    >>> group.advance(stream, 0, np.array([100]))
    2
    >>> group.store()
    >>> learner.k, learner.predict(askance.as_row([1.0, 0.0]))
    (2, 2)
    """

    def __init__(self, learner: StreamingLearner) -> None:
        if not has_class_pass(learner):
            raise InvalidParameter(
                f"a pass of several classes takes a learner over their lanes, got {learner!r}"
            )
        self.learner = learner
        self.oracle = cast(LinearClasses, learner.erm)
        # Kept, as the table holds addresses only.
        self.state = self.oracle.state
        count = self.oracle.n_classes
        by_class = [np.zeros(count) for _ in range(5)]
        flags = np.zeros(count, bool), np.array([self.oracle.is_squared])
        self._classes = Classes._make([self.oracle.costs, *by_class, *flags])
        rates = np.zeros(self.state.lanes)
        rates[: count + 1] = self.state.learning_rate
        self._lanes = lane_arrays(self.state, rates)
        self._grid = grid_of([learner], np.ones(2, np.int64))
        self._decided = passes.Decisions._make(
            np.zeros(1, kind) for kind in (float, bool, float, bool, *[float] * 3)
        )
        self.progress = progress_of(1, self.state.lanes)
        self.progress.k[0], self.progress.error_sums[0] = learner.k, learner.error_sum
        self.row = row_of(0, self.state.weights.dtype)
        self.fit_rows(0)

    def fit_rows(self, longest: int) -> None:
        """Make room for rows of so many non-zeros."""
        # One more than the row's entries, for the constant feature.
        if longest < len(self.row.indices):
            return
        self.row = row_of(longest + 1, self.state.weights.dtype)
        self._work = scratch_of(longest + 1, self.state)
        parts = self.row, self._lanes, self._grid, self.progress, self._work, self._decided
        self._record = ClassPass(passes.Pass(*parts, True), self._classes)
        self.table = table_of(self._record)

    def store(self) -> None:
        """Give the counts back to the learner, whose own the weights are already."""
        self.learner.k = int(self.progress.k[0])
        self.learner.error_sum = float(self.progress.error_sums[0])

    def advance(self, stream: passes.Stream, start: int, budgets: Integers) -> int:
        """Run from row ``start`` to the end, or to the first row at which a budget is reached."""
        self._check(stream)
        check_start(stream, start)
        given = self.table, self.row.values, stream, start, len(stream.labels), budgets
        announce(self.learner, class_passes.run_classes, *given)
        return class_passes.run_classes(*given)

    def test_error(self, test: passes.Stream) -> float:
        """The share of test rows that the learner gets wrong."""
        self._check(test)
        wrong = class_passes.count_wrong(self.table, self.row.values, test)
        return wrong / len(test.labels)

    def _check(self, stream: passes.Stream) -> None:
        """Raise unless the stream fits, since kernels look at no bounds; make room for it."""
        check_width(stream, self.state.n_features)
        top, classes = int(stream.labels.max(initial=0)), self.oracle.n_classes
        if stream.labels.min(initial=0) < 0 or top >= classes:
            raise InvalidParameter(f"labels must be codes from 0 to {classes - 1}, got others")
        self.fit_rows(int(np.diff(stream.indptr).max(initial=0)))
