"""Settings over a stream in chunks, and their test errors at label budgets."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from askance.engine.group import Group
from askance.kernels import lanes, passes
from askance.types import Floats, Integers, ResultRow, Run

__all__ = ["BATCH", "run_settings"]


BATCH = 16
"""Classifiers whose test errors are counted in one sweep over the test rows."""


class _Waiting(NamedTuple):
    """A classifier at a moment of its run; ``budget`` is None at the end."""

    setting: int
    budget: int | None
    queries: int
    examples: int
    weights: Floats


# The loop by rows and by blocks counts in simulate.loop.Tally, and asks it after each label. A pass
# counts many settings in its own arrays, stops only at a budget, and its classifiers are tested
# together later: there is no moment at which a Tally could measure. Tests hold both to one Run.
class _Checkpoints:
    """Classifiers at the moment a budget was reached, waiting to be tested together."""

    def __init__(self, test: passes.Stream, count: int) -> None:
        self.test = test
        self.reached: list[dict[int, ResultRow]] = [{} for _ in range(count)]
        self.ends: dict[int, Run] = {}
        self._waiting: list[_Waiting] = []
        self._scales: Any = 0.0

    def take(self, group: Group, at: int, settings: Integers, *, end: bool = False) -> None:
        """Note the classifiers of settings, by place, that reached a budget or their end."""
        # A feature that had no scale yet had no weight either: then its scale does not matter.
        known = np.flatnonzero(self._scales)
        if len(self._waiting) >= BATCH or (self._scales != group.lanes.scales)[known].any():
            self.flush(group)
        self._scales = group.lanes.scales.copy()
        for s in settings.tolist():
            queries = int(group.progress.queries[s])
            weights = group.lanes.weights[:, s].copy()
            budget = None if end else queries
            self._waiting.append(_Waiting(int(group.order[s]), budget, queries, at, weights))

    def flush(self, group: Group) -> None:
        """Count the mistakes of all that wait."""
        if not self._waiting:
            return
        group.fit_rows(int(np.diff(self.test.indptr).max(initial=0)))
        count = len(self._waiting)
        # Padded to whole vectors: what the idle lanes get wrong is counted too, and dropped.
        weights = np.zeros((len(self._scales), lanes.padded(count)), self._scales.dtype)
        weights[:, :count] = np.stack([one.weights for one in self._waiting], axis=1)
        wrong = np.zeros(weights.shape[1], np.int64)
        passes.count_mistakes(
            self.test, group.row, self._scales, weights, np.zeros_like(weights[0]), wrong
        )
        for one, mistakes in zip(self._waiting, wrong[:count].tolist(), strict=True):
            self._note(one, mistakes / len(self.test.labels))
        self._waiting = []

    def _note(self, one: _Waiting, error: float) -> None:
        if one.budget is None:
            self.ends[one.setting] = Run((), one.examples, one.queries, error, "stream over")
        else:
            row = ResultRow(one.budget, one.queries, one.examples, error, True)
            self.reached[one.setting][one.budget] = row

    def run(self, setting: int, budgets: Sequence[int]) -> Run:
        """All that was noted of a setting."""
        rows, end = self.reached[setting], self.ends.get(setting)
        if end is None:
            last = rows[budgets[-1]]
            end = Run((), last.examples, last.queries, last.error, "last budget reached")
        missing = ResultRow(0, end.queries, end.examples, end.error, False)
        found = (rows.get(budget, missing._replace(budget=budget)) for budget in budgets)
        return replace(end, rows=tuple(found))


def run_settings(
    group: Group,
    chunks: Iterable[passes.Stream],
    test: passes.Stream,
    budgets: Sequence[int],
    progress: Callable[[int, int], None] | None = None,
    *,
    to_the_end: bool = False,
) -> list[Run]:
    """Test errors of all settings of a group at each label budget, in the order they were given.

    The stream comes in chunks, so it may be larger than memory. A setting stops at the last budget,
    unless all are to go on to the end. ``progress`` is called after each chunk with the examples
    and, summed over settings, the labels so far.
    """
    group.check(test)
    checkpoints = _Checkpoints(test, len(group.order))
    limits = np.array(budgets, np.int64)
    count, seen, labels = len(group.order), 0, 0
    for chunk in chunks:
        start = 0
        while start < len(chunk.labels) and not group.progress.done.all():
            start = group.advance(chunk, start, limits)
            # The pass stops at any budget of any setting; which ones, only their counts tell. The
            # remainder maps a count beyond the last budget to some budget, which it does not equal.
            hit = group.decided.queried & ~group.progress.done
            next_limits = limits[limits.searchsorted(group.progress.queries) % len(limits)]
            hit &= next_limits == group.progress.queries
            if hit.any():
                checkpoints.take(group, seen + start, np.flatnonzero(hit))
                if not to_the_end:
                    group.progress.done[hit] = group.progress.queries[hit] == limits[-1]
        seen += start
        if group.progress.done.all():
            break
        if group.progress.done.any():
            # Once they have left, nobody counts their labels any more.
            labels += int(group.progress.queries[group.progress.done].sum())
            group.compact()
        if progress is not None:
            progress(seen, labels + int(group.progress.queries.sum()))
    # A budget that was never reached has the error of the final classifier.
    checkpoints.take(group, seen, np.flatnonzero(~group.progress.done), end=True)
    checkpoints.flush(group)
    return [checkpoints.run(setting, budgets) for setting in range(count)]
