"""Sweeps over the entries of a row for a few neighbouring lanes at once, as one vector.

LLVM vectorises a loop over lanes by itself, but for hundreds of them: with four or thirteen most of
the time goes into finding out how many there are, and into what is left over. Here ``width`` lanes
from ``begin`` on are one vector, whose sums stay in a register from the first entry to the last.

Each sweep is there twice: in plain Python, which says what it does and runs where kernels are
interpreted, and as the instructions for LLVM. Both add in the order of the row and round after each
operation, as the loops of :mod:`askance.kernels.linear` do for a single lane.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from inspect import Parameter, Signature, signature
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, config, types
from numba.extending import intrinsic

from askance.types import Floats, Integers

__all__ = [
    "add_updates",
    "plain_margins",
    "plain_rates",
    "plain_updates",
    "sum_margins",
    "sum_rates",
]


def plain_margins(
    width: int,
    begin: int,
    n: int,
    indices: Integers,
    scaled: Floats,
    weights: Floats,
    margins: Floats,
) -> None:
    """Margins: the sums of weight times scaled value.

    >>> margins = np.zeros(2)
    >>> row, weights = (np.array([1]), np.array([0.5])), np.array([[9.0, 9.0], [2.0, 6.0]])
    >>> plain_margins(2, 0, 1, *row, weights, margins)
    >>> margins.tolist()
    [1.0, 3.0]
    """
    lanes = slice(begin, begin + width)
    total = np.zeros(width, weights.dtype)
    for i in range(n):
        total += weights[indices[i], lanes] * scaled[i]
    margins[lanes] = total


def plain_rates(
    width: int,
    begin: int,
    n: int,
    indices: Integers,
    values: Floats,
    scaled: Floats,
    gradients: Floats,
    parts: Floats,
    moved: Floats,
    rates: Floats | None,
) -> None:
    """Movements, as if each gradient part were added, and, where they are wanted, the rates.

    >>> row, moved = (np.array([0]), np.array([2.0]), np.array([0.5])), np.zeros(2)
    >>> plain_rates(2, 0, 1, *row, np.array([[0.0, 12.0]]), np.ones(2), moved, None)
    >>> moved.tolist()
    [0.5, 0.25]
    """
    lanes = slice(begin, begin + width)
    total = np.zeros(width, gradients.dtype)
    for i in range(n):
        sums = gradients[indices[i], lanes] + parts[lanes] * (values[i] * values[i])
        some = sums > 0.0
        rate = np.where(some, values[i] / np.sqrt(np.where(some, sums, 1.0)), sums)
        total += rate * scaled[i]
        if rates is not None:
            rates[i, lanes] = rate
    moved[lanes] = total


def plain_updates(
    width: int,
    begin: int,
    n: int,
    indices: Integers,
    values: Floats,
    gradients: Floats,
    weights: Floats,
    parts: Floats,
    updates: Floats,
    rates: Floats,
) -> None:
    """Add the gradient parts, and the updates times the rates.

    >>> row, sums, weights = (np.array([0]), np.array([2.0])), np.ones((1, 1)), np.zeros((1, 1))
    >>> by_lane = np.array([0.5]), np.array([3.0])
    >>> plain_updates(1, 0, 1, *row, sums, weights, *by_lane, np.array([[7.0]]))
    >>> sums.tolist(), weights.tolist()
    ([[3.0]], [[21.0]])
    """
    lanes = slice(begin, begin + width)
    for i in range(n):
        gradients[indices[i], lanes] += parts[lanes] * (values[i] * values[i])
        weights[indices[i], lanes] += updates[lanes] * rates[i, lanes]


class _Code:
    """Writes instructions that treat the lanes of one block as a vector."""

    def __init__(self, context: Any, builder: Any, kinds: Any, arguments: Any) -> None:
        _, self.begin, self.n, *values = arguments
        self.builder, self.width = builder, kinds[0].literal_value
        self._indices: Any
        self.arrays: list[Any]
        self._indices, *self.arrays = (
            None if kind is types.none else context.make_array(kind)(context, builder, value)
            for kind, value in zip(kinds[3:], values, strict=True)
        )
        self._number = context.get_data_type(kinds[4].dtype)
        self._size = context.get_abi_sizeof(self._number)
        self._vector = ir.VectorType(self._number, self.width)
        self.entry: Any = None

    @contextmanager
    def entries(self) -> Iterator[Any]:
        """The loop over the entries of the row; gives the feature of one."""
        with cgutils.for_range(self.builder, self.n) as loop:
            self.entry = loop.index
            yield self.builder.load(self.builder.gep(self._indices.data, [loop.index]))
        self.entry = None

    def value(self, array: Any) -> Any:
        """What an array has for the current entry, the same for all lanes."""
        one = self.builder.load(self.builder.gep(array.data, [self.entry]))
        none, first = ir.Constant(self._vector, ir.Undefined), ir.IntType(32)(0)
        mask = ir.Constant(ir.VectorType(ir.IntType(32), self.width), [0] * self.width)
        return self.builder.shuffle_vector(
            self.builder.insert_element(none, one, first), none, mask
        )

    def place(self, array: Any, row: Any = None) -> Any:
        """Where the lanes of an array by lane begin, or those of one row of a matrix."""
        at = self.begin
        if row is not None:
            _, lanes = cgutils.unpack_tuple(self.builder, array.shape)
            at = self.builder.add(self.builder.mul(row, lanes), at)
        return self.builder.bitcast(self.builder.gep(array.data, [at]), self._vector.as_pointer())

    def load(self, place: Any) -> Any:
        """The lanes at a place."""
        return self.builder.load(place, align=self._size)

    def store(self, lanes: Any, place: Any) -> None:
        """Write lanes to a place."""
        self.builder.store(lanes, place, align=self._size)

    def zeros(self) -> Any:
        """0 for all lanes."""
        return ir.Constant(self._vector, [0.0] * self.width)

    def total(self) -> Any:
        """A sum by lane, 0 at first."""
        return cgutils.alloca_once_value(self.builder, self.zeros())

    def add(self, total: Any, lanes: Any) -> None:
        """Add to a sum."""
        self.builder.store(self.builder.fadd(self.builder.load(total), lanes), total)

    def root(self, lanes: Any) -> Any:
        """The square roots."""
        kind = ir.FunctionType(self._vector, [self._vector])
        name = f"llvm.sqrt.v{self.width}f{8 * self._size}"
        function = cgutils.get_or_insert_function(self.builder.module, kind, name)
        return self.builder.call(function, [lanes])


def _write_margins(code: _Code) -> None:
    scaled, weights, margins = code.arrays
    total = code.total()
    with code.entries() as feature:
        lanes = code.load(code.place(weights, feature))
        code.add(total, code.builder.fmul(lanes, code.value(scaled)))
    code.store(code.builder.load(total), code.place(margins))


def _write_rates(code: _Code) -> None:
    values, scaled, gradients, parts, moved, rates = code.arrays
    build, total, part = code.builder, code.total(), code.load(code.place(parts))
    with code.entries() as feature:
        x = code.value(values)
        sums = code.load(code.place(gradients, feature))
        sums = build.fadd(sums, build.fmul(part, build.fmul(x, x)))
        some = build.fcmp_ordered(">", sums, code.zeros())
        rate = build.select(some, build.fdiv(x, code.root(sums)), sums)
        code.add(total, build.fmul(rate, code.value(scaled)))
        if rates is not None:
            code.store(rate, code.place(rates, code.entry))
    code.store(build.load(total), code.place(moved))


def _write_updates(code: _Code) -> None:
    values, gradients, weights, parts, updates, rates = code.arrays
    build = code.builder
    part, update = code.load(code.place(parts)), code.load(code.place(updates))
    with code.entries() as feature:
        x = code.value(values)
        for array, change in (
            (gradients, build.fmul(part, build.fmul(x, x))),
            (weights, build.fmul(update, code.load(code.place(rates, code.entry)))),
        ):
            place = code.place(array, feature)
            code.store(build.fadd(code.load(place), change), place)


def _sweep(plain: Callable[..., None], write: Callable[[_Code], None]) -> Any:
    """A sweep for kernels: what ``write`` writes, or the plain one where they are interpreted."""

    def generate(context: Any, builder: Any, kinds: Any, arguments: Any) -> Any:
        write(_Code(context, builder, kinds.args, arguments))
        return context.get_dummy_value()

    def compiled(_: Any, *kinds: Any) -> Any:
        return types.void(*kinds), generate

    # numba reads the names of the arguments, and hands over what it knows of types before them.
    first = Parameter("context", Parameter.POSITIONAL_OR_KEYWORD)
    compiled.__signature__ = Signature([first, *signature(plain).parameters.values()])  # type: ignore[attr-defined]
    compiled.__name__, compiled.__doc__ = plain.__name__, plain.__doc__
    return plain if vars(config)["DISABLE_JIT"] else intrinsic(prefer_literal=True)(compiled)


sum_margins = _sweep(plain_margins, _write_margins)
sum_rates = _sweep(plain_rates, _write_rates)
add_updates = _sweep(plain_updates, _write_updates)
