"""Learners over the linear oracle, run by the compiled passes: same bits, much less time.

A :class:`Group` holds several settings side by side, or a single learner whose own arrays it works
on. What it computes is what the readable learners compute one by one; a property test demands equal
bits.
"""

import math
from collections.abc import Sequence
from functools import cache
from typing import Any, Self, cast, get_type_hints

import numpy as np

from askance.engine.compiling import announce
from askance.engine.grouping import cover_size
from askance.engine.streams import check_start, check_width
from askance.errors import InvalidParameter
from askance.kernels import formulas, lanes, passes
from askance.kernels._records import Kind, tabulate
from askance.kernels.pass_records import ClassPass
from askance.learners.coal import Coal
from askance.learners.iwal import IWAL0, IWAL1, OracularIWAL0, OracularIWAL1
from askance.learners.margin import MarginSampling
from askance.learners.online_active_cover import OnlineActiveCover
from askance.learners.passive import Passive
from askance.learners.streaming import StreamingLearner
from askance.oracles.linear import LinearOracle, LinearState
from askance.protocols import Learner
from askance.types import Floats, Integers

__all__ = [
    "Group",
    "grid_of",
    "is_compilable",
    "lane_arrays",
    "progress_of",
    "row_of",
    "scratch_of",
    "table_of",
]

_KINDS: dict[type[StreamingLearner], int] = {
    Passive: passes.PASSIVE,
    MarginSampling: passes.MARGIN,
    IWAL0: passes.IWAL,
    IWAL1: passes.IWAL,
    OracularIWAL0: passes.IWAL,
    OracularIWAL1: passes.IWAL,
    OnlineActiveCover: passes.COVER,
    Coal: passes.COAL,
}


IDLE_BYTES = 2**20
"""Most that lanes may take which only fill a vector."""


def is_compilable(learner: Learner) -> bool:
    """Whether a compiled pass can stand in for this learner.

    >>> import askance
    >>> is_compilable(askance.make_learner("iwal1", n_features=3))
    True
    >>> is_compilable(askance.make_learner("iwal1", n_features=3, rates="constant"))
    False
    >>> is_compilable(askance.make_learner("iwal1", n_features=3, disagreement="exact"))
    False
    """
    # Not a subclass: it may decide or learn in another way, which no pass knows of.
    if type(learner) not in _KINDS or not isinstance(learner, StreamingLearner):
        return False
    # A pass would run it with another test.
    if getattr(learner, "disagreement", None) == "exact":
        return False
    oracles = [learner.erm, *getattr(learner, "cover_oracles", [])]
    if not all(type(oracle) is LinearOracle for oracle in oracles):
        return False
    state = cast(LinearOracle, oracles[0]).state
    # A pass knows a learner's oracles by their lanes: the ERM is the first, the members follow, and
    # no other oracle may be taught in between.
    in_order = all(
        oracle.state is state and oracle.lane == lane for lane, oracle in enumerate(oracles)
    )
    return in_order and state.lanes == len(oracles) and state.rates == "adaptive"


def _require_compilable(settings: Sequence[StreamingLearner]) -> None:
    if not settings or not all(is_compilable(setting) for setting in settings):
        raise InvalidParameter("a group takes one or more compilable learners")


class Group:
    """Several settings over the same stream, in one pass.

    Parameters
    ----------
    settings
        Learners whose parameters are taken, and nothing else: they may have been built for no
        feature at all. All must be compilable.
    n_features
        Number of features of the stream.
    dtype
        Precision of the state.

    Examples
    --------
    >>> import askance
    >>> settings = [askance.make_learner("iwal1", n_features=0, c0=c0) for c0 in (0.1, 1.0)]
    >>> group = Group(settings, n_features=2)
    >>> from askance.engine.streams import stream_of_rows
    >>> stream = stream_of_rows([(askance.as_row([1.0, 0.0]), 1)] * 3, [0.5] * 3)
    >>> group.advance(stream, 0, np.array([100]))
    3
    >>> group.progress.queries.tolist()
    [1, 3]
    """

    def __init__(
        self, settings: Sequence[StreamingLearner], n_features: int, dtype: str = "float32"
    ) -> None:
        _require_compilable(settings)
        self.order: Integers = np.arange(len(settings))
        """Position among the given settings of each that still runs."""
        self._settings = list(settings)
        count = len(settings) + sum(cover_size(setting) for setting in settings)
        self._state = _state(n_features, count, dtype)
        self.progress = progress_of(len(settings), count)
        self._derive()

    @classmethod
    def of(cls, learner: StreamingLearner) -> Self:
        """A group of one, over the learner's own arrays; ``store`` gives the rest back to it."""
        _require_compilable([learner])
        group = cls.__new__(cls)
        group.order = np.zeros(1, np.int64)
        group._settings = [learner]
        group._state = cast(LinearOracle, learner.erm).state
        count = group._state.lanes
        group.progress = progress = progress_of(1, count)
        progress.k[0], progress.error_sums[0] = learner.k, learner.error_sum
        if isinstance(learner, OnlineActiveCover):
            progress.numerators[1:] = learner.numerators
            progress.denominators[1:] = learner.denominators
            progress.multipliers[1:] = learner.multipliers
        group._derive()
        return group

    def store(self) -> None:
        """Give the counts and multipliers of a group of one back to its learner."""
        learner = self._settings[0]
        learner.k = int(self.progress.k[0])
        learner.error_sum = float(self.progress.error_sums[0])
        # The multipliers follow from these; the weights are the learner's own already.
        if isinstance(learner, OnlineActiveCover):
            learner.numerators = self.progress.numerators[1:].tolist()
            learner.denominators = self.progress.denominators[1:].tolist()

    def _derive(self) -> None:
        """All that follows from the settings and their state."""
        settings, state = self._settings, self._state
        sizes = [cover_size(setting) for setting in settings]
        # The ERMs of all settings come first, side by side: decisions need theirs alone, and sweep
        # over them without the members in between.
        first = np.cumsum([len(settings), *sizes])
        own = [setting.erm.learning_rate for setting in settings]
        # Lanes that only fill a vector have rate 0 and never a weight, so they stay as they are.
        rates = np.zeros(state.lanes)
        rates[: first[-1]] = np.concatenate([own, np.repeat(own, sizes)])
        self.lanes = lane_arrays(state, rates)
        self.grid = grid_of(settings, first)
        n, dtype = len(settings), state.weights.dtype
        # In the order of the fields, as kernels address them.
        kinds = (float, bool, float, bool, *[float] * 3)
        self.decided = passes.Decisions._make(np.zeros(n, kind) for kind in kinds)
        self.row = row_of(0, dtype)
        self.fit_rows(0)

    def fit_rows(self, longest: int) -> None:
        """Make room for rows of so many non-zeros."""
        # One more than the row's entries, for the constant feature.
        if longest < len(self.row.indices):
            return
        self.row = row_of(longest + 1, self._state.weights.dtype)
        self.work = scratch_of(longest + 1, self._state)
        # New arrays have new addresses; the table that kernels read must follow at once.
        self._table = table_of(self.record())

    def record(self) -> passes.Pass:
        """All that kernels work on, for :func:`table_of`."""
        covers = True if self.grid.first[-1] > len(self.grid.kinds) else None
        parts = self.row, self.lanes, self.grid, self.progress, self.work, self.decided
        return passes.Pass(*parts, covers)

    def check(self, stream: passes.Stream) -> None:
        """Raise unless the stream was checked for no more features than these lanes have."""
        check_width(stream, self._state.n_features)

    def advance(self, stream: passes.Stream, start: int, budgets: Integers) -> int:
        """Run from row ``start`` to the end, or to the first row at which a budget is reached."""
        self.check(stream)
        check_start(stream, start)
        self.fit_rows(int(np.diff(stream.indptr).max(initial=0)))
        # One kernel would do for all, but whoever runs a lone passive learner, as each comparison
        # does, need not wait until the others are compiled.
        lone = self.grid.kinds[0] == passes.PASSIVE and not self.progress.done[0]
        run = passes.run_passive if lone and self.lanes.weights.shape[1] == 1 else passes.run
        given = self._table, self.row.values, stream, start, len(stream.labels), budgets
        announce(self._settings[0], run, *given)
        return run(*given)

    def compact(self) -> None:
        """Let the settings that are done leave."""
        # A setting that is done would still be swept over with every row. Copying the others takes
        # no longer than a few hundred rows, so it is worth it after each chunk.
        stays = np.flatnonzero(~self.progress.done)
        first = self.grid.first
        kept = np.concatenate([stays, *(np.arange(first[s], first[s + 1]) for s in stays)])
        old, progress = self._state, self.progress
        self._settings = [self._settings[s] for s in stays]
        self.order = self.order[stays]
        count = len(kept)
        self._state = _state(old.n_features, count, str(old.weights.dtype))
        self._state.weights[:, :count] = old.weights[:, kept]
        self._state.gradients[:, :count] = old.gradients[:, kept]
        self._state.scales[:] = old.scales
        self._state.norms[:count] = old.norms[kept]
        self._state.totals[:count] = old.totals[kept]
        # The first four are by setting, the others by lane.
        by_setting = [array[stays] for array in progress[:4]]
        by_lane = [array[kept] for array in progress[4:]]
        self.progress = passes.Progress._make([*by_setting, *by_lane])
        longest = len(self.row.indices) - 1
        self._derive()
        self.fit_rows(longest)


def table_of(record: passes.Pass | ClassPass) -> Integers:
    """Addresses of all arrays of a record, each seen to be of the kind that kernels take it for.

    >>> import askance
    >>> record = Group.of(askance.make_learner("passive", n_features=3)).record()
    >>> table_of(record).shape
    (57, 3)
    """
    base = record.base if isinstance(record, ClassPass) else record
    own = base.lanes.weights.dtype
    parts: tuple[Any, ...] = base[:-1]
    if isinstance(record, ClassPass):
        parts = *parts, record.classes
    for part in parts:
        for name, kind in _kinds(part.__class__).items():
            array = getattr(part, name)
            dtype, layout = np.dtype(kind.dtype or own), array.flags
            # Through an address compiled code reads whatever lies there, as what it was told.
            if array.dtype != dtype or array.ndim != kind.dimensions or not layout.c_contiguous:
                raise InvalidParameter(
                    f"{name} must be contiguous, of {dtype} and {kind.dimensions} dimensions, "
                    f"got {array.dtype} of shape {array.shape} and strides {array.strides}"
                )
    return tabulate(record)


@cache
def _kinds(part: type) -> dict[str, Kind]:
    hints = get_type_hints(part, include_extras=True)
    return {name: hint.__metadata__[0] for name, hint in hints.items()}


def _state(n_features: int, count: int, dtype: str) -> LinearState:
    """State for so many lanes, and for some that fill the last vector where these take little."""
    width = lanes.padded(count)
    idle = (width - count) * 2 * np.dtype(dtype).itemsize * (n_features + 1)
    return LinearState(
        n_features=n_features, lanes=width if idle <= IDLE_BYTES else count, dtype=dtype
    )


def lane_arrays(state: LinearState, rates: Floats) -> lanes.Lanes:
    """The arrays of a state as kernels take them, with the learning rate of each lane."""
    return lanes.Lanes(
        state.weights, state.gradients, state.scales, state.norms, state.totals, rates
    )


def scratch_of(n: int, state: LinearState) -> lanes.Scratch:
    """What one row of n entries leaves between sweeps over the lanes of a state."""
    dtype, width = state.weights.dtype, lanes.padded(state.lanes)
    by_lane = [np.zeros(width, kind) for kind in (*[dtype] * 5, *[np.dtype(float)] * 16)]
    return lanes.Scratch._make([*by_lane, np.zeros((n, width), dtype)])


def row_of(n: int, dtype: Any) -> lanes.RowBuffer:
    """Room for a row of n entries."""
    return lanes.RowBuffer(np.zeros(n, np.int64), *(np.zeros(n, dtype) for _ in range(3)))


def progress_of(settings: int, count: int) -> passes.Progress:
    """Counts of so many settings over so many lanes, all 0."""
    kinds = (float, float, np.int64, bool)
    by_setting = [np.zeros(settings, kind) for kind in kinds]
    return passes.Progress._make([*by_setting, *(np.zeros(count) for _ in range(3))])


def grid_of(settings: Sequence[StreamingLearner], first: Integers) -> passes.Grid:
    """The parameters of some settings, whose covers begin at the lanes ``first``."""

    def of(name: str, default: Any, kind: type) -> Any:
        return np.array([getattr(s, name, default) for s in settings], kind)

    # A parameter that a setting does not have is nan: were a kernel to read it by mistake, every
    # number after it would show that.
    covers = [s if isinstance(s, OnlineActiveCover) else None for s in settings]
    beta2 = [formulas.beta_squared(s.c0, s.alpha, s.beta_scale) if s else 0.0 for s in covers]
    return passes.Grid(
        kinds=np.array([_KINDS[type(s)] for s in settings], np.int64),
        oracular=of("oracular", False, bool),
        error_dependent=of("error_dependent", False, bool),
        by_margin=of("disagreement", "", object) == "margin",
        c0=of("c0", math.nan, float),
        c1=of("c1", math.nan, float),
        c2=of("c2", math.nan, float),
        b=of("b", math.nan, float),
        alpha=of("alpha", math.nan, float),
        beta2=np.array(beta2),
        first=first,
    )
