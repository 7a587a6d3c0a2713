"""Z-tilde in memory that does not grow with the stream: what matters of each example is kept.

Examples that were asked about are kept, with weight 1/P. Those of the region that were not have
weight 0, and are not kept. Of those outside the region, which carry the learner's own predictions,
a uniform sample of R stands for all n_out of them, each with weight n_out/R. The newest points of
any fate are kept apart.

The price is a floor under the regret that can be certified: errors on the outside are known as from
R examples, so differences of the order of ln(|H|/delta)/R cannot be told from none.
"""

from collections import deque
from typing import Any

import numpy as np

from askance.errors import InvalidParameter
from askance.learners.sample import Sample, Snapshot, matrix_from_state, matrix_state
from askance.sparse import empty, stacked
from askance.types import Bools, Floats, Integers, Matrix, State
from askance.validation import require_whole, saved_array, saved_part, saved_whole

__all__ = ["ThinnedSample"]


class ThinnedSample:
    """The same as a :class:`~askance.learners.sample.Sample`, thinned as it grows.

    Parameters
    ----------
    reservoir
        R, the rows that stand for those outside the region.
    points
        How many of the newest points to keep.

    Examples
    --------
    >>> from askance.sparse import from_dense
    >>> sample = ThinnedSample(reservoir=2, points=1)
    >>> ones = np.ones(8, np.int8)
    >>> sample.append(from_dense(np.eye(8)), ones, 1.0 * ones, outside=ones > 0)
    >>> sample.snapshot(8).weights.tolist(), sample.snapshot(8).offered
    ([4.0, 4.0], 8)
    """

    def __init__(self, reservoir: int, points: int) -> None:
        require_whole(1, reservoir=reservoir)
        self.reservoir, self.points = reservoir, points
        self._asked = Sample()
        # With priorities in place of weights, and more than R of them until they are looked at.
        self._outside = Sample()
        self._waiting, self._bar = 0, np.inf
        self._count = self._outside_count = 0
        self._newest: deque[Matrix] = deque()
        self._held = 0
        self._begun = self._now()
        self._points = empty()
        # What the next epoch will begin with, if that is known already.
        self._coming: tuple[Snapshot, Matrix] | None = None

    def append(self, X: Matrix, targets: Integers, weights: Floats, outside: Bools) -> None:
        """Add a block of examples, of which some are ``outside`` the region."""
        asked = np.flatnonzero((weights > 0) & ~outside)
        self._asked.append(X[asked], targets[asked], weights[asked])
        out = np.flatnonzero(outside)
        priorities = _priorities(self._outside_count, len(out))
        self._outside_count += len(out)
        low = priorities < self._bar
        self._outside.append(X[out[low]], targets[out[low]], priorities[low])
        self._waiting += int(low.sum())
        if self._waiting > self.reservoir:
            self._drawn()
        self._newest.append(X)
        self._held += X.shape[0]
        # Rows may come one by one, so they are not counted anew each time.
        while self._held - self._newest[0].shape[0] >= self.points:
            self._held -= self._newest.popleft().shape[0]
        self._count += X.shape[0]

    def _drawn(self) -> tuple[Matrix, Integers, Floats]:
        """Those of the lowest priorities: a uniform sample, drawn without a generator."""
        X, targets, priorities = self._outside.joined()
        self._waiting = 0
        if len(priorities) > self.reservoir:
            kept = np.sort(np.argsort(priorities)[: self.reservoir])
            self._outside = Sample()
            self._outside.append(X[kept], targets[kept], priorities[kept])
            self._bar = float(priorities[kept].max())
        return self._outside.joined()

    def _now(self) -> Snapshot:
        X, targets, weights = self._asked.joined()
        outside, labels, _ = self._drawn()
        each = self._outside_count / max(len(labels), 1)
        return Snapshot(
            stacked([X, outside]),
            np.concatenate([targets, labels]),
            np.concatenate([weights, np.full(len(labels), each)]),
            self._count,
        )

    def snapshot(self, offered: int) -> Snapshot:
        """All examples so far; or those when an epoch began, if so many were offered then."""
        if offered == self._count:
            return self._now()
        if offered == self._begun.offered:
            return self._begun
        noted = self._noted(offered)
        if noted is not None:
            return noted[0]
        raise InvalidParameter(
            f"a thinned sample knows {self._count} and {self._begun.offered} examples, "
            f"got {offered}"
        )

    def note(self, offered: int) -> None:
        """Keep all examples so far, ``offered`` of them, as those of the epoch that is to begin."""
        if offered == self._count:
            self._coming = self._now(), self._last()

    def begin(self, offered: int) -> Snapshot:
        """The snapshot that an epoch begins with, which is kept while it lasts.

        It has all examples so far where so many were never noted.
        """
        noted = self._noted(offered)
        if noted is not None:
            (self._begun, self._points), self._coming = noted, None
        elif offered != self._begun.offered:
            self._begun, self._points = self._now(), self._last()
        return self._begun

    def _noted(self, offered: int) -> tuple[Snapshot, Matrix] | None:
        """What was noted, if it is of so many."""
        coming = self._coming
        return coming if coming is not None and coming[0].offered == offered else None

    def _last(self) -> Matrix:
        return stacked(list(self._newest))[-self.points :]

    def newest(self, offered: int, count: int) -> Matrix:
        """The last ``count`` points when an epoch began, or was noted, with so many offered."""
        noted = self._noted(offered)
        return (self._points if noted is None else noted[1])[-count:]

    def get_state(self) -> State:
        begun, (X, predicted, priorities) = self._begun, self._drawn()
        return {
            **self._asked.get_state(),
            "outside": matrix_state(X),
            "predicted": predicted.copy(),
            "priorities": priorities.copy(),
            "counts": [self._count, self._outside_count, begun.offered],
            "newest": [matrix_state(self._last()), matrix_state(self._points)],
            "begun": _kept_of(begun),
            "coming": None
            if self._coming is None
            else [
                self._coming[0].offered,
                *_kept_of(self._coming[0]),
                matrix_state(self._coming[1]),
            ],
        }

    def set_state(self, state: State, count: int, n_features: int | None) -> None:
        """Take over what was kept of ``count`` examples of at most ``n_features`` features."""
        names = "count", "outside", "begun"
        counts = dict(zip(names, saved_part(state, "counts", list), strict=True))
        whole, outside, begun = (saved_whole(counts, name, most=count) for name in names)
        if whole != count:
            raise InvalidParameter(f"a saved sample must have {count} examples, got {whole}")
        self._asked.set_state(state, len(state["targets"]), n_features)
        rows = _labelled(saved_part(state, "outside", dict), state["predicted"], n_features)
        kept = len(rows[1])
        if kept != min(outside, self.reservoir):
            raise InvalidParameter(
                f"a saved sample of {outside} examples outside the region must keep "
                f"{min(outside, self.reservoir)}, got {kept}"
            )
        priorities = saved_array(state, "priorities", "f", length=kept)
        self._outside, self._waiting = Sample(), 0
        self._outside.append(*rows, np.array(priorities))
        self._bar = float(priorities.max()) if kept == self.reservoir else np.inf
        self._count, self._outside_count = whole, outside
        parts = saved_part(state, "newest", list)
        last, self._points = (matrix_from_state(part, n_features) for part in parts)
        self._newest, self._held = deque([last]), last.shape[0]
        self._begun = _snapshot(saved_part(state, "begun", list), begun, n_features)
        self._coming = None
        # Earlier versions had none.
        if state.get("coming") is not None:
            at, *parts, points = saved_part(state, "coming", list)
            offered = saved_whole({"coming": at}, "coming", most=count)
            noted = _snapshot(parts, offered, n_features)
            self._coming = noted, matrix_from_state(points, n_features)


def _kept_of(one: Snapshot) -> list[Any]:
    return [matrix_state(one.X), one.targets.copy(), one.weights.copy()]


def _snapshot(parts: list[Any], offered: int, n_features: int | None) -> Snapshot:
    """What :func:`_kept_of` gave, checked."""
    matrix, targets, weights = parts
    X, labels = _labelled(matrix, targets, n_features)
    known = saved_array({"weights": weights}, "weights", "f", length=len(labels))
    if len(known) and not known.min() > 0:
        raise InvalidParameter("saved weights of an epoch must be positive, got others")
    return Snapshot(X, labels, np.array(known), offered)


def _labelled(matrix: State, targets: object, n_features: int | None) -> tuple[Matrix, Integers]:
    X = matrix_from_state(matrix, n_features)
    labels = saved_array({"targets": targets}, "targets", "i", length=X.shape[0])
    if not np.isin(labels, (-1, 1)).all():
        raise InvalidParameter("saved targets must be -1 or +1, got something else")
    return X, np.array(labels, np.int8)


def _priorities(first: int, count: int) -> Floats:
    """A number for each of the examples from ``first`` on, as uniform as it looks random.

    It is the finaliser of SplitMix64 over their numbers: no state, and the same bits everywhere.

    >>> _priorities(3, 2).tolist() == _priorities(0, 5)[3:].tolist()
    True
    """
    word = np.arange(first + 1, first + count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return (word ^ (word >> np.uint64(31))).astype(np.float64) * 2.0**-64
