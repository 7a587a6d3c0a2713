"""Settings over a stream in chunks, and their test errors at label budgets."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from askance.engine.group import Group
from askance.kernels import lanes, passes
from askance.types import Floats, ResultRow

__all__ = ["BATCH", "run_settings"]


BATCH = 16
"""Classifiers whose test errors are counted in one sweep over the test rows."""


class _Checkpoints:
    """Classifiers at the moment a budget was reached, waiting to be tested together."""

    def __init__(self, test: passes.Stream, count: int, budgets: Sequence[int]) -> None:
        self.test = test
        self.budgets = list(budgets)
        self.results: list[dict[int, ResultRow]] = [{} for _ in range(count)]
        self._waiting: list[tuple[int, int, int, int, bool, Floats]] = []
        self._scales: Any = 0.0

    def take(self, group: Group, at: int, reached: Sequence[tuple[int, int, bool]]) -> None:
        """Note the classifiers of settings by place, budget, and whether it was reached."""
        # A feature that had no scale yet had no weight either: then its scale does not matter.
        known = np.flatnonzero(self._scales)
        if len(self._waiting) >= BATCH or (self._scales != group.lanes.scales)[known].any():
            self.flush(group)
        self._scales = group.lanes.scales.copy()
        for s, budget, whether in reached:
            queries = int(group.progress.queries[s])
            weights = group.lanes.weights[:, s].copy()
            self._waiting.append((int(group.order[s]), budget, queries, at, whether, weights))

    def flush(self, group: Group) -> None:
        """Count the mistakes of all that wait."""
        if not self._waiting:
            return
        group.fit_rows(int(np.diff(self.test.indptr).max(initial=0)))
        count = len(self._waiting)
        # Padded to whole vectors: what the idle lanes get wrong is counted too, and dropped.
        weights = np.zeros((len(self._scales), lanes.padded(count)), self._scales.dtype)
        weights[:, :count] = np.stack([item[-1] for item in self._waiting], axis=1)
        wrong = np.zeros(weights.shape[1], np.int64)
        passes.count_mistakes(
            self.test, group.row, self._scales, weights, np.zeros_like(weights[0]), wrong
        )
        for (setting, budget, queries, examples, reached, _), mistakes in zip(
            self._waiting, wrong[:count].tolist(), strict=True
        ):
            error = mistakes / len(self.test.labels)
            row = ResultRow(budget, queries, examples, error, reached)
            self.results[setting][budget] = row
        self._waiting = []


def run_settings(
    group: Group,
    chunks: Iterable[passes.Stream],
    test: passes.Stream,
    budgets: Sequence[int],
    progress: Callable[[int, int], None] | None = None,
) -> list[list[ResultRow]]:
    """Test errors of all settings of a group at each label budget, in the order they were given.

    The stream comes in chunks, so it may be larger than memory. ``progress`` is called after each
    chunk with the examples and, summed over settings, the labels so far.
    """
    group.check(test)
    checkpoints = _Checkpoints(test, len(group.order), budgets)
    limits = np.array(budgets, np.int64)
    seen = labels = 0
    for chunk in chunks:
        start = 0
        while start < len(chunk.labels) and not group.progress.done.all():
            start = group.advance(chunk, start, limits)
            # The pass stops at any budget of any setting; which ones, only their counts tell. The
            # remainder maps a count beyond the last budget to some budget, which it does not equal.
            hit = group.decided.queried & ~group.progress.done
            next_limits = limits[limits.searchsorted(group.progress.queries) % len(limits)]
            hit &= next_limits == group.progress.queries
            reached = [(int(s), int(group.progress.queries[s]), True) for s in np.flatnonzero(hit)]
            if reached:
                checkpoints.take(group, seen + start, reached)
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
    missing = [
        (s, budget, False)
        for s in np.flatnonzero(~group.progress.done).tolist()
        for budget in budgets
        if budget not in checkpoints.results[group.order[s]] and budget > group.progress.queries[s]
    ]
    checkpoints.take(group, seen, missing)
    checkpoints.flush(group)
    return [[results[budget] for budget in budgets] for results in checkpoints.results]
