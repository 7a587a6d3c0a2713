"""Compile a function with numba, and keep its Python signature.

numba's own disk cache does not notice an edit in a *callee* that lives in another file, and would
serve the old maths. So the cache folder carries a digest of every kernel's source, the versions of
Python and numba, and the CPU; the same digest is the code version of every content key. Compiled
functions of another room, such as the parsers of ``data``, decide no bits of a learner: their
folder carries a digest of that room besides, and the code version does not.
"""

import functools
import hashlib
import os
import platform
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import llvmlite.binding
import numba
from numba.core import config
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from platformdirs import user_cache_path

__all__ = [
    "CODE_VERSION",
    "allocating",
    "brief",
    "compile_only",
    "inlined",
    "is_compiled",
    "kernel",
]

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
    root = os.environ.get("NUMBA_CACHE_DIR")
    home = Path(root) / "askance" if root else user_cache_path("askance", appauthor=False)
    name = f"kernels-{CODE_VERSION}"
    if room != _KERNELS.name:
        name = f"{room}-{_digest(_KERNELS.parent / room).hexdigest()}-{CODE_VERSION}"
    folder = home / name
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


def is_compiled(function: Callable[..., Any], *arguments: Any) -> bool:
    """Whether a kernel need not be compiled for such arguments any more, here or on disk.

    >>> from askance.kernels.formulas import sign
    >>> sign(1.0), is_compiled(sign, 1.0)
    (1, True)
    """
    if vars(config)["DISABLE_JIT"]:
        return True
    compiled: Any = function
    signature = tuple(numba.typeof(argument) for argument in arguments)
    if signature in compiled.overloads:
        return True
    # numba can only be asked to load, which takes time: its index knows as much.
    kept: Any = getattr(compiled._cache, "_cache_file", None)
    if kept is None:
        return False
    return compiled._cache._index_key(signature, compiled.targetctx.codegen()) in kept._load_index()


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
