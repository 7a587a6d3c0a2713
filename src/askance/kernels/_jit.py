"""The only module that imports numba: compile a function, keep its Python signature.

numba's own disk cache does not notice an edit in a *callee* that lives in another file, and would
serve the old maths. So the cache folder carries a digest of every kernel's source, the versions of
Python and numba, and the CPU; the same digest is the code version of every content key.
"""

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

__all__ = ["CODE_VERSION", "allocating", "inlined", "is_compiled", "kernel"]

P = ParamSpec("P")
R = TypeVar("R")


def _code_version() -> str:
    digest = hashlib.blake2b(digest_size=8)
    for source in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(source.name.encode())
        digest.update(source.read_bytes())
    cpu = llvmlite.binding.get_host_cpu_name()
    for part in (numba.__version__, sys.version, platform.machine(), cpu):
        digest.update(part.encode())
    return digest.hexdigest()


CODE_VERSION: str = _code_version()
"""Changes when any kernel, the versions or the CPU type change: then bits may change too."""


def _cache_folder() -> Path | None:
    """Where compiled code is kept, or None if this machine has no writable place for it."""
    root = os.environ.get("NUMBA_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME")
    folder = Path(root) if root else Path.home() / ".cache"
    folder = folder / "askance" / f"kernels-{CODE_VERSION}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return None
    return folder if os.access(folder, os.W_OK) else None


_FOLDER = _cache_folder()


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function of arrays and scalars, keeping its Python signature for type checkers.

    No fast-math: vectorising over lanes must change no bit. Division by zero gives inf or nan as in
    numpy, so kernels guard it where it can occur. A kernel allocates nothing, so it does without
    reference counts: counting the arrays of a tuple took fifteen times as long as the work on them.
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


def is_compiled(function: Callable[..., Any]) -> bool:
    """Whether a kernel need not be compiled any more, here or on disk, for some kind of arguments.

    >>> from askance.kernels.formulas import sign
    >>> sign(1.0), is_compiled(sign)
    (1, True)
    """
    if vars(config)["DISABLE_JIT"] or getattr(function, "signatures", None):
        return True
    name = f"{function.__module__.rpartition('.')[2]}.{function.__name__}-*.nbi"
    return _FOLDER is not None and any(_FOLDER.rglob(name))


def _compile(function: Callable[P, R], **options: Any) -> Callable[P, R]:
    # numba reads the folder when a function is decorated; other users of numba keep their own.
    settings = vars(config)
    before = settings["CACHE_DIR"]
    settings["CACHE_DIR"] = str(_FOLDER) if _FOLDER else before
    try:
        compiled: Callable[P, R] = numba.njit(
            cache=_FOLDER is not None, error_model="numpy", nogil=True, **options
        )(function)
    finally:
        settings["CACHE_DIR"] = before
    return compiled
