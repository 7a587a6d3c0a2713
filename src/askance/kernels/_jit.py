"""Compile a function with numba, keep its Python signature; only ``_vectors`` imports numba too.

numba's own disk cache does not notice an edit in a *callee* that lives in another file, and would
serve the old maths. So the cache folder carries a digest of every kernel's source, the versions of
Python and numba, and the CPU; the same digest is the code version of every content key. Compiled
functions of another room, such as the parsers of ``data``, decide no bits of a learner: their
folder carries a digest of that room besides, and the code version does not.
"""

import ctypes
import functools
import hashlib
import math
import os
import platform
import sys
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import llvmlite.binding
import numba
import numpy as np
from numba.core import config, types
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.extending import intrinsic
from numba.np.arrayobj import populate_array

__all__ = [
    "CODE_VERSION",
    "allocating",
    "array_at",
    "brief",
    "compile_only",
    "inlined",
    "is_compiled",
    "kernel",
    "matrix_at",
    "tabulate",
]

Array = np.ndarray[Any, Any]

P = ParamSpec("P")
R = TypeVar("R")


_KERNELS = Path(__file__).parent


def _digest(folder: Path) -> "hashlib.blake2b":
    """Over the names and the content of all sources in a folder."""
    digest = hashlib.blake2b(digest_size=8)
    for source in sorted(folder.rglob("*.py")):
        digest.update(source.name.encode())
        digest.update(source.read_bytes())
    return digest


def _code_version() -> str:
    digest = _digest(_KERNELS)
    cpu = llvmlite.binding.get_host_cpu_name()
    for part in (numba.__version__, sys.version, platform.machine(), cpu):
        digest.update(part.encode())
    return digest.hexdigest()


CODE_VERSION: str = _code_version()
"""Changes when any kernel, the versions or the CPU type change: then bits may change too."""


@functools.cache
def _cache_folder(room: str) -> Path | None:
    """Where compiled code of a room is kept, or None where this machine has no place for it."""
    root = os.environ.get("NUMBA_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME")
    folder = Path(root) if root else Path.home() / ".cache"
    name = f"kernels-{CODE_VERSION}"
    if room != _KERNELS.name:
        name = f"{room}-{_digest(_KERNELS.parent / room).hexdigest()}-{CODE_VERSION}"
    folder = folder / "askance" / name
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return None
    return folder if os.access(folder, os.W_OK) else None


def _folder_of(function: Callable[..., Any]) -> Path | None:
    """The folder for a function of ``askance.ROOM...``; others are kept with the kernels."""
    package, room, *_ = (*function.__module__.split("."), "")
    inside = package == "askance" and (_KERNELS.parent / room).is_dir()
    return _cache_folder(room if inside else _KERNELS.name)


class _Separate(CompilerBase):
    """numba's compiler, told that no two arrays that a kernel is handed overlap.

    It need not look then, before every short loop, whether it may compute several numbers at once.
    """

    def define_pipelines(self) -> list[Any]:
        self.state.flags.noalias = True
        return [DefaultPassBuilder.define_nopython_pipeline(self.state)]


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function of arrays and scalars, keeping its Python signature for type checkers.

    No fast-math: vectorising over lanes must change no bit. Division by zero gives inf or nan as in
    numpy, so kernels guard it where it can occur. A kernel allocates nothing, so it does without
    reference counts: counting the arrays of a tuple took fifteen times as long as the work on them.
    No array that it writes may overlap another.
    """
    return _compile(function, _nrt=False)


def inlined(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a kernel that is always merged into its caller.

    Meant for functions of many arrays: handing those over would cost more than the work.
    """
    return _compile(function, _nrt=False, forceinline=True)


def allocating(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function that makes arrays, and so needs reference counts."""
    return _compile(function)


def brief(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a kernel so short that letting other threads run meanwhile would take longer."""
    return _compile(function, _nrt=False, nogil=False)


def compile_only(function: Callable[..., Any], *arguments: Any) -> bool:
    """Call a kernel, and let it refuse, by a TypeError, what is of other kinds than known so far.

    Says whether it will: interpreted, a function takes what it can.
    """
    refuse = getattr(function, "disable_compile", None)
    if refuse is None:
        return False
    refuse(False)
    function(*arguments)
    refuse(True)
    return True


def tabulate(arrays: Iterable[Array]) -> Array:
    """Address and shape of each array, for ``array_at`` and ``matrix_at``.

    Handing over a table takes a kernel that needs many arrays a fraction of the time that handing
    them over would. Whoever makes it must keep the arrays.
    """
    return np.array([(a.ctypes.data, *a.shape, 1)[:3] for a in arrays], np.int64)


def _interpreted_view(table: Array, place: int, kind: Any, dimensions: int) -> Array:
    address, *shape = table[place].tolist()
    dtype = np.dtype(kind)
    memory = (ctypes.c_char * (math.prod(shape) * dtype.itemsize)).from_address(address)
    return np.frombuffer(memory, dtype).reshape(shape[:dimensions])


def _compiled_view(table: Any, kind: Any, dimensions: int) -> Any:
    """The signature, and the code generator, of a view as an array of so many dimensions."""
    made = types.Array(kind.dtype, dimensions, "C")

    def generate(context: Any, builder: Any, _: Any, arguments: Any) -> Any:
        given = context.make_array(table)(context, builder, arguments[0])
        first = builder.mul(arguments[1], arguments[1].type(3))
        address, *shape = (
            builder.load(builder.gep(given.data, [builder.add(first, first.type(i))]))
            for i in range(1 + dimensions)
        )
        size = context.get_abi_sizeof(context.get_data_type(kind.dtype))
        strides = [first.type(size)]
        if dimensions == 2:
            strides.insert(0, builder.mul(shape[1], strides[0]))
        view = context.make_array(made)(context, builder)
        data = builder.inttoptr(address, view.data.type)
        populate_array(view, data, shape, strides, size, None)
        return view._getvalue()

    return made(table, types.int64, kind), generate


def _array_at(_: Any, table: Any, place: Any, kind: Any) -> Any:
    """The array at a place of a table, of one dimension."""
    return _compiled_view(table, kind, 1)


def _matrix_at(_: Any, table: Any, place: Any, kind: Any) -> Any:
    """The array at a place of a table, of two dimensions."""
    return _compiled_view(table, kind, 2)


array_at: Any = intrinsic(_array_at)
matrix_at: Any = intrinsic(_matrix_at)

if vars(config)["DISABLE_JIT"]:
    array_at = partial(_interpreted_view, dimensions=1)
    matrix_at = partial(_interpreted_view, dimensions=2)


def is_compiled(function: Callable[..., Any]) -> bool:
    """Whether a kernel need not be compiled any more, here or on disk, for some kind of arguments.

    >>> from askance.kernels.formulas import sign
    >>> sign(1.0), is_compiled(sign)
    (1, True)
    """
    if vars(config)["DISABLE_JIT"] or getattr(function, "overloads", None):
        return True
    name = f"{function.__module__.rpartition('.')[2]}.{function.__name__}-*.nbi"
    folder = _folder_of(function)
    return folder is not None and any(folder.rglob(name))


def _compile(function: Callable[P, R], **options: Any) -> Callable[P, R]:
    # numba reads the folder when a function is decorated; other users of numba keep their own.
    settings = vars(config)
    before = settings["CACHE_DIR"]
    folder = _folder_of(function)
    settings["CACHE_DIR"] = str(folder) if folder else before
    try:
        options = {"nogil": True, "cache": folder is not None, **options}
        compiled: Callable[P, R] = numba.njit(
            error_model="numpy", pipeline_class=_Separate, **options
        )(function)
    finally:
        settings["CACHE_DIR"] = before
    return compiled
