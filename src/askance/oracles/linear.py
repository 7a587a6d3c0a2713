"""Online importance-weighted logistic regression: the oracle of the paper's experiments.

The arrays live here, the arithmetic in :mod:`askance.kernels.linear`.
"""

import math
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np
from scipy.sparse import csr_array

from askance.errors import InvalidLabel, InvalidParameter, InvalidRow
from askance.kernels import linear as kernels
from askance.kernels.formulas import sign
from askance.types import Floats, Integers, Label, Matrix, Row, State
from askance.validation import (
    require_csr,
    require_positive,
    require_whole,
    saved_array,
    saved_number,
)

__all__ = ["RATES", "LinearOracle", "LinearState", "linear_oracles"]

Rates = Literal["adaptive", "constant", "decaying"]

RATES = {
    "adaptive": kernels.ADAPTIVE,
    "constant": kernels.CONSTANT,
    "decaying": kernels.DECAYING,
}
"""How kernels know them."""


MOST_BYTES = 2**36
"""Largest state that is tried: a mistyped or forged size must not take a machine down."""

MOST_FEATURES = 2**31 - 1
"""Features of which there must be fewer: with the constant one, indices must fit into 32 bits."""

_WHOLE = np.dtype(np.int64)
_REALS = (np.dtype(np.float32), np.dtype(np.float64))


class _Prepared(NamedTuple):
    """A checked row in the state's precision, the constant feature at its end."""

    indices: Integers
    values: Floats
    scaled: Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class LinearState:
    """The arrays of several linear classifiers, one a lane, over the same features.

    Parameters
    ----------
    n_features
        Number of features; the constant feature comes after them.
    lanes
        Number of classifiers.
    learning_rate
        eta.
    rates
        ``"adaptive"``: per-feature gradient sums and scales. ``"constant"``: plain steps.
        ``"decaying"``: plain steps over the square root of the weight learned.
    dtype
        float32 (the default) or float64.
    """

    n_features: int
    lanes: int = 1
    learning_rate: float = 0.4
    rates: Rates = "adaptive"
    dtype: str = "float32"
    weights: Floats = field(init=False)
    gradients: Floats = field(init=False)
    scales: Floats = field(init=False)
    norms: Floats = field(init=False)
    totals: Floats = field(init=False)

    def __post_init__(self) -> None:
        self._validate()
        rows, lanes, dtype = int(self.n_features) + 1, int(self.lanes), self.dtype
        size = rows * (2 * lanes + 1) * np.dtype(dtype).itemsize
        if size > MOST_BYTES:
            raise InvalidParameter(self._too_large(size, f"at most {MOST_BYTES / 2**30:g} GiB"))
        # Plain rates are adaptive ones whose gradient sums stay at one. Zeros are not written, so
        # features that never occur take no memory.
        start = np.zeros if self.rates == "adaptive" else np.ones
        try:
            arrays = {
                "weights": np.zeros((rows, lanes), dtype),
                "gradients": start((rows, lanes), dtype),
                "scales": np.zeros(rows, dtype),
                "norms": np.zeros(lanes),
                "totals": np.zeros(lanes),
            }
        except (MemoryError, ValueError):
            raise InvalidParameter(self._too_large(size, "what this machine can give")) from None
        for name, array in arrays.items():
            object.__setattr__(self, name, array)

    def _too_large(self, size: int, limit: str) -> str:
        return (
            f"a state of {self.n_features} features and {self.lanes} classifiers must fit into "
            f"{limit}, got {size / 2**30:.3g} GiB"
        )

    def _validate(self) -> None:
        require_whole(0, MOST_FEATURES - 1, n_features=self.n_features)
        require_whole(1, lanes=self.lanes)
        require_positive(learning_rate=self.learning_rate)
        if not (isinstance(self.rates, str) and self.rates in RATES):
            raise InvalidParameter(f"rates must be one of {', '.join(RATES)}, got {self.rates!r}")
        if self.dtype not in ("float32", "float64"):
            raise InvalidParameter(f"dtype must be float32 or float64, got {self.dtype!r}")

    def prepare(self, x: Row) -> _Prepared:
        """Check a row, add the constant feature and scale it."""
        indices, values = self._checked(x)
        n = indices.shape[0]
        padded = np.empty(n + 1, np.int64)
        padded[:n] = indices
        padded[n] = self.n_features
        cast = np.empty(n + 1, self.dtype)
        cast[:n] = values
        cast[n] = 1.0
        if self.rates != "adaptive":
            return _Prepared(padded, cast, cast)
        scaled = np.empty_like(cast)
        kernels.scale_row(padded, cast, self.scales, scaled)
        return _Prepared(padded, cast, scaled)

    def scaled_rows(self, X: Matrix) -> Matrix:
        """Check and scale the rows of a CSR array, without the constant feature."""
        X = require_csr(X, self.n_features)
        bad = np.flatnonzero(~(np.abs(X.data) <= kernels.LARGEST_VALUE))
        if len(bad):
            raise InvalidRow(_fault(X.indices, X.data, self.n_features, int(bad[0])))
        values = X.data.astype(self.dtype)
        if self.rates == "adaptive":
            scales = np.maximum(self.scales[X.indices], np.abs(values))
            np.divide(values, scales, out=values, where=scales > 0)
        return csr_array((values, X.indices, X.indptr), shape=X.shape)

    def _checked(self, x: Row) -> tuple[Integers, Floats]:
        """The row in numbers that the kernels take, or an error that says what is wrong with it."""
        indices, values = np.asarray(x.indices), np.asarray(x.values)
        if indices.ndim != 1 or indices.shape != values.shape:
            raise InvalidRow(
                "a row needs as many indices as values, in one dimension, "
                f"got shapes {indices.shape} and {values.shape}"
            )
        if indices.shape[0] and (indices.dtype.kind not in "iu" or values.dtype.kind not in "fiub"):
            raise InvalidRow(
                "a row needs integer indices and real values, "
                f"got {indices.dtype} and {values.dtype}"
            )
        # One kind of index and two of values: each further one would be compiled for anew.
        whole = indices if indices.dtype is _WHOLE else indices.astype(_WHOLE)
        real = values if values.dtype in _REALS else values.astype(np.float64)
        i = kernels.row_fault(whole, real, self.n_features)
        if i >= 0:
            raise InvalidRow(_fault(indices, values, self.n_features, i))
        return whole, real


def _fault(indices: Integers, values: Floats, n_features: int, i: int) -> str:
    """Say what is wrong with entry i of a row."""
    index, value = int(indices[i]), float(values[i])
    if not abs(value) <= kernels.LARGEST_VALUE:
        largest = f"{kernels.LARGEST_VALUE:g}"
        return f"feature values must be finite and at most {largest}, got {value} at index {index}"
    if not 0 <= index < n_features:
        return f"feature indices must lie in 0..{n_features - 1}, got {index}"
    return (
        "feature indices must increase without repeats, "
        f"got {index} after {int(indices[i - 1])} at position {i}"
    )


class LinearOracle:
    """One linear classifier, in its ``lane`` of a :class:`LinearState`, ``state``.

    >>> oracle = LinearOracle(LinearState(n_features=2, rates="constant"))
    >>> x = Row(np.array([0]), np.array([2.0]))
    >>> oracle.observe(x)
    >>> round(oracle.learn(x, target=+1, weight=1.0), 3)  # the margin afterwards
    0.792
    >>> oracle.predict(x)
    1
    >>> oracle.learn(x, target=-1, weight=oracle.flip_weight(x)) < 1e-6
    True
    """

    def __init__(self, state: LinearState, lane: int = 0) -> None:
        if not 0 <= lane < state.lanes:
            raise InvalidParameter(f"lane must lie in 0..{state.lanes - 1}, got {lane}")
        self.state = state
        self.lane = lane

    @property
    def learning_rate(self) -> float:
        return self.state.learning_rate

    def observe(self, x: Row) -> None:
        """Let the scales, which all lanes share, grow to this row."""
        row = self.state.prepare(x)
        if self.state.rates == "adaptive":
            kernels.observe(row.indices, row.values, self.state.scales)

    def margin(self, x: Row) -> float:
        """The score f(x); a scale that x would raise counts as raised."""
        row = self.state.prepare(x)
        return kernels.margin(row.indices, row.scaled, self.state.weights, self.lane)

    def margins(self, X: Matrix) -> Floats:
        """The score of each row of a CSR array: what :meth:`margin` gives, faster.

        >>> from scipy.sparse import csr_array
        >>> oracle = LinearOracle(LinearState(n_features=2))
        >>> x = Row(np.array([0]), np.array([2.0]))
        >>> oracle.observe(x)
        >>> f = oracle.learn(x, target=+1, weight=1.0)
        >>> oracle.margins(csr_array([[2.0, 0.0]])).tolist() == [oracle.margin(x)]
        True
        """
        state, lane = self.state, self.lane
        rows = state.scaled_rows(X)
        margins: Floats = rows @ state.weights[:-1, lane] + state.weights[-1, lane]
        return margins.astype(np.float64)

    def coefficients(self) -> tuple[Floats, float]:
        """The weight of each feature in the units of its values, and of the constant feature.

        A value larger than any seen before counts as if it had been seen, so beyond these the score
        is not linear.

        >>> LinearOracle(LinearState(n_features=2)).coefficients()
        (array([0., 0.]), 0.0)
        """
        state, lane = self.state, self.lane
        weights = state.weights[:-1, lane].astype(np.float64)
        if state.rates == "adaptive":
            seen = state.scales[:-1] > 0
            weights[seen] /= state.scales[:-1][seen]
        return weights, float(state.weights[-1, lane])

    def predict(self, x: Row) -> Label:
        return sign(self.margin(x))

    def learn(self, x: Row, target: Label, weight: float) -> float:
        """One importance-weight-aware step; weight 0 changes nothing. Returns the new margin."""
        if target not in (-1, 1):
            raise InvalidLabel(f"a target must be -1 or +1, got {target!r}")
        if not (weight >= 0 and math.isfinite(weight)):
            raise InvalidParameter(f"a weight must be finite and not negative, got {weight}")
        state = self.state
        return kernels.learn(
            *state.prepare(x), state.weights, state.gradients, state.norms, state.totals,
            self.lane, float(target), float(weight), state.learning_rate, RATES[state.rates],
        )  # fmt: skip

    def flip_weight(self, x: Row) -> float:
        """The weight of an opposite label that brings the margin to zero at the rates of weight 1.

        With ``rates="constant"`` there are no others. Elsewhere rates depend on the weight that is
        learned, and :meth:`exact_flip_weight` is the one that really flips.
        """
        state = self.state
        row = state.prepare(x)
        sensitivity = kernels.sensitivity(
            *row, state.weights, state.gradients, state.norms, state.totals,
            self.lane, 1.0, state.learning_rate, RATES[state.rates],
        )  # fmt: skip
        f = kernels.margin(row.indices, row.scaled, state.weights, self.lane)
        return kernels.flip_weight(f, sensitivity)

    def exact_flip_weight(self, x: Row) -> float:
        """The weight of an opposite-label example that really brings the margin to zero.

        >>> oracle = LinearOracle(LinearState(n_features=1, dtype="float64"))
        >>> x = Row(np.array([0]), np.array([2.0]))
        >>> oracle.observe(x)
        >>> f = oracle.learn(x, target=+1, weight=5.0)
        >>> round(oracle.flip_weight(x), 3), round(oracle.exact_flip_weight(x), 3)
        (3.671, 5.643)
        >>> abs(oracle.learn(x, target=-1, weight=oracle.exact_flip_weight(x))) < 1e-9
        True
        """
        state = self.state
        return kernels.exact_flip_weight(
            *state.prepare(x), state.weights, state.gradients, state.norms, state.totals,
            self.lane, state.learning_rate, RATES[state.rates],
        )  # fmt: skip

    def get_state(self) -> State:
        """The arrays of this lane, and the scales that it shares with its sisters."""
        state, lane = self.state, self.lane
        return {
            "weights": state.weights[:, lane].copy(),
            "gradients": state.gradients[:, lane].copy(),
            "scales": state.scales.copy(),
            "norm": float(state.norms[lane]),
            "total": float(state.totals[lane]),
        }

    def set_state(self, state: State) -> None:
        """Take over what :meth:`get_state` gave, checked whole before anything changes."""
        mine, lane = self.state, self.lane
        arrays: dict[str, Floats] = {}
        for name in ("weights", "gradients", "scales"):
            found, expected = saved_array(state, name, "f"), getattr(mine, name).dtype
            if found.shape != (mine.n_features + 1,) or found.dtype != expected:
                raise InvalidParameter(
                    f"saved {name} must have {mine.n_features + 1} entries of {expected}, "
                    f"got {found.shape} of {found.dtype}"
                )
            if name != "weights" and found.min() < 0:
                raise InvalidParameter(f"saved {name} must not be negative, got {found.min()}")
            arrays[name] = found
        norm, total = (saved_number(state, name) for name in ("norm", "total"))
        mine.weights[:, lane] = arrays["weights"]
        mine.gradients[:, lane] = arrays["gradients"]
        mine.scales[:] = arrays["scales"]
        mine.norms[lane], mine.totals[lane] = norm, total


def linear_oracles(state: LinearState) -> list[LinearOracle]:
    """All lanes of a state, as oracles that share its scales.

    >>> [oracle.lane for oracle in linear_oracles(LinearState(n_features=1, lanes=3))]
    [0, 1, 2]
    """
    return [LinearOracle(state, lane) for lane in range(state.lanes)]
