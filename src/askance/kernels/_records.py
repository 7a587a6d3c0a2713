"""A record of many arrays that kernels hand on as one pointer.

numba hands a tuple of arrays over field by field, seven numbers for each array. A pass works on
fifty-seven arrays: a call would hand over four hundred numbers, and compiling such calls took
longer than compiling what they do. So the addresses and shapes of all arrays are put into a table,
and within kernels a record is the address of that table: ``p.work.margins`` reads a view of the
array from its place in it, and only where it is used.

A record is declared as a NamedTuple whose fields are annotated with the kinds below or are such
records themselves. Interpreted, it is that NamedTuple.
"""

import ctypes
import math
from collections.abc import Iterator
from functools import cache
from typing import Annotated, Any, NamedTuple, get_type_hints

import numpy as np
from llvmlite import ir
from numba.core import config, types
from numba.core.datamodel import models
from numba.core.imputils import lower_getattr_generic
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.extending import intrinsic, register_model
from numba.np import numpy_support
from numba.np.arrayobj import populate_array

from askance.types import Bools, Floats, Integers

__all__ = [
    "Flag",
    "Kind",
    "Own",
    "OwnMatrix",
    "Real",
    "RealMatrix",
    "Switch",
    "Whole",
    "record_at",
    "tabulate",
]


class Kind(NamedTuple):
    """Of what kind a record's array is; without a ``dtype`` it has the precision of the state."""

    dtype: type[np.generic] | None
    dimensions: int = 1


Whole = Annotated[Integers, Kind(np.int64)]
Flag = Annotated[Bools, Kind(np.bool_)]
Real = Annotated[Floats, Kind(np.float64)]
RealMatrix = Annotated[Floats, Kind(np.float64, 2)]
Own = Annotated[Floats, Kind(None)]
OwnMatrix = Annotated[Floats, Kind(None, 2)]
Switch = Annotated[bool | None, "switch"]
"""True or None, known when a kernel is compiled: what is only for True is not compiled for None.

It lies in no place of a table but in its kind of integers, unsigned for None: Python hands over an
array of either kind in the same time, while a None of its own would cost a fifth of a short step.
"""

_COLUMNS = 3
"""Of a table: an address and two lengths."""


class _Place(NamedTuple):
    """Where in a table a field begins, and its kind; without one it is a record or the switch."""

    first: int
    layout: Any
    kind: Kind | None

    @property
    def length(self) -> int:
        if self.layout is Switch:
            return 0
        return 1 if self.kind else sum(place.length for place in _places(self.layout).values())


@cache
def _places(layout: Any) -> dict[str, _Place]:
    """Where each field of a record begins, counted from the record's own beginning."""
    places: dict[str, _Place] = {}
    first = 0
    for name, hint in get_type_hints(layout, include_extras=True).items():
        kind = next((k for k in getattr(hint, "__metadata__", ()) if isinstance(k, Kind)), None)
        places[name] = place = _Place(first, hint, kind)
        first += place.length
    return places


def _leaves(record: Any) -> Iterator[np.ndarray[Any, Any]]:
    for field in record:
        if isinstance(field, tuple):
            yield from _leaves(field)
        elif isinstance(field, np.ndarray):
            yield field


def tabulate(record: Any) -> Integers:
    """Address and shape of each array of a record; whoever makes the table must keep the arrays.

    >>> class Pair(NamedTuple):
    ...     counts: Whole
    ...     weights: OwnMatrix
    >>> tabulate(Pair(np.zeros(3, np.int64), np.zeros((2, 5))))[:, 1:].tolist()
    [[3, 1], [2, 5]]
    """
    rows = [(a.ctypes.data, *a.shape, 1)[:_COLUMNS] for a in _leaves(record)]
    switched_off = any(field is None for field in record)
    return np.array(rows, np.int64).view(np.uint64 if switched_off else np.int64)


class _Record(types.Type):
    """The type of a record that begins at ``first`` in its table."""

    def __init__(self, layout: Any, first: int, own: Any, switch: Any) -> None:
        self.layout, self.first, self.own, self.switch = layout, first, own, switch
        super().__init__(f"{layout.__module__}.{layout.__qualname__}({first},{own},{switch})")

    def field(self, name: str) -> Any:
        """The type of a field, or None if there is none of that name."""
        place = _places(self.layout).get(name)
        if place is None:
            return None
        if place.layout is Switch:
            return self.switch
        if place.kind is None:
            return _Record(place.layout, self.first + place.first, self.own, self.switch)
        dtype = place.kind.dtype
        kind = self.own if dtype is None else numpy_support.from_dtype(np.dtype(dtype))
        return types.Array(kind, place.kind.dimensions, "C")


@register_model(_Record)
class _RecordModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, ir.IntType(64).as_pointer())  # type: ignore[no-untyped-call]


@infer_getattr
class _RecordFields(AttributeTemplate):
    key = _Record

    def generic_resolve(self, record: Any, name: str) -> Any:  # type: ignore[override]
        return record.field(name)


@lower_getattr_generic(_Record)  # type: ignore[untyped-decorator]
def _read_field(context: Any, builder: Any, record: _Record, table: Any, name: str) -> Any:
    made = record.field(name)
    if isinstance(made, _Record):
        return table
    if made is types.none:
        return context.get_dummy_value()
    if made is types.boolean:
        return context.get_constant(made, True)
    at = _COLUMNS * (record.first + _places(record.layout)[name].first)
    address, *shape = (
        _constant(builder, builder.gep(table, [ir.IntType(64)(at + i)]))
        for i in range(1 + made.ndim)
    )
    size = context.get_abi_sizeof(context.get_data_type(made.dtype))
    strides = [ir.IntType(64)(size)]
    if made.ndim == 2:
        strides.insert(0, builder.mul(shape[1], strides[0]))
    view = context.make_array(made)(context, builder)
    data = builder.inttoptr(address, view.data.type)
    populate_array(view, data, shape, strides, size, None)
    return view._getvalue()


def _constant(builder: Any, place: Any) -> Any:
    """Load what no kernel ever changes, so that it need not be read again after every store."""
    loaded = builder.load(place)
    loaded.set_metadata("invariant.load", builder.module.add_metadata([]))
    return loaded


def _record_at(_: Any, table: Any, layout: Any, own: Any) -> Any:
    """The record that a table holds; ``own`` is the precision of its state."""
    switch = types.boolean if table.dtype is types.int64 else types.none
    made = _Record(layout.instance_class, 0, own.dtype, switch)

    def generate(context: Any, builder: Any, _: Any, arguments: Any) -> Any:
        return context.make_array(table)(context, builder, arguments[0]).data

    return made(table, layout, own), generate


def _interpreted(table: Integers, layout: Any, own: Any, first: int = 0) -> Any:
    """The record that a table holds, in plain Python."""
    fields: list[Any] = []
    for place in _places(layout).values():
        at = first + place.first
        if place.layout is Switch:
            fields.append(True if table.dtype == np.int64 else None)
            continue
        if place.kind is None:
            fields.append(_interpreted(table, place.layout, own, at))
            continue
        address, *shape = table[at].tolist()
        dtype = np.dtype(place.kind.dtype or own)
        memory = (ctypes.c_char * (math.prod(shape) * dtype.itemsize)).from_address(address)
        fields.append(np.frombuffer(memory, dtype).reshape(shape[: place.kind.dimensions]))
    return layout._make(fields)


record_at: Any = _interpreted if vars(config)["DISABLE_JIT"] else intrinsic(_record_at)
