"""One versioned file for everything a learner has earned, written atomically, without pickle.

The file is a numpy archive: a JSON header with the tree of plain values, and the arrays that the
tree refers to.
"""

import contextlib
import json
import os
import uuid
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import numpy as np

from askance.errors import FileUnreadable
from askance.types import State

__all__ = ["VERSION", "read_state", "write_atomically", "write_state"]

VERSION = 2
"""Raised when an older askance could no longer read what this one writes."""

_FORMAT = "askance"
_ARRAY = "__array__"
_SPARSE = "__sparse__"

_LEAST_SPARSE = 4096
"""Entries from which on an array of mostly zeros is worth the trouble."""

_UNREADABLE = (
    zipfile.BadZipFile,
    zlib.error,
    ValueError,
    KeyError,
    EOFError,
    OSError,
    TypeError,
    NotImplementedError,
    RuntimeError,
    IndexError,
    MemoryError,
)
"""What reading a damaged archive may raise."""


def write_state(path: str | os.PathLike[str], kind: str, state: State) -> None:
    """Save a tree of plain values and arrays.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_state(Path(folder) / "a.askance", "example", {"n": 3, "w": np.arange(2.0)})
    ...     read_state(Path(folder) / "a.askance", "example")
    {'n': 3, 'w': array([0., 1.])}
    """
    arrays: dict[str, np.ndarray[Any, Any]] = {}
    tree = _flatten(state, arrays)
    header = json.dumps({"format": _FORMAT, "version": VERSION, "kind": kind, "state": tree})
    with write_atomically(path) as file:
        np.savez(file, header=np.frombuffer(header.encode(), np.uint8), **arrays)  # type: ignore[arg-type]


def read_state(path: str | os.PathLike[str], kind: str) -> State:
    """Load what :func:`write_state` saved, or say in one sentence why not."""
    try:
        # np.load would leave the file open if it cannot be read.
        with Path(path).open("rb") as file, np.load(file, allow_pickle=False) as archive:
            header = json.loads(archive["header"].tobytes())
            _check_header(path, header, kind)
            state: State = _unflatten(header["state"], archive)
            return state
    except FileNotFoundError:
        raise FileUnreadable(f"{path} does not exist, expected a file saved by askance") from None
    except IsADirectoryError:
        raise FileUnreadable(f"{path} is a folder, expected a file saved by askance") from None
    except PermissionError:
        raise FileUnreadable(f"{path} may not be read by this user") from None
    except _UNREADABLE as error:
        raise FileUnreadable(
            f"{path} is damaged or was not saved by askance: {type(error).__name__}"
        ) from error


def _check_header(path: str | os.PathLike[str], header: Any, kind: str) -> None:
    if not isinstance(header, dict) or header.get("format") != _FORMAT:
        raise FileUnreadable(f"{path} was not saved by askance")
    if header["version"] > VERSION:
        raise FileUnreadable(
            f"{path} has format version {header['version']}, newer than {VERSION}, "
            "the newest that this askance reads"
        )
    if header["kind"] != kind:
        raise FileUnreadable(f"{path} holds {header['kind']!r}, expected {kind!r}")


@contextlib.contextmanager
def write_atomically(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a file that appears under its name whole, or not at all.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with write_atomically(Path(folder) / "a") as file:
    ...         _ = file.write(b"whole")
    ...     (Path(folder) / "a").read_bytes()
    b'whole'
    """
    target = Path(path)
    if target.exists() and not target.is_file():
        # A device or a pipe cannot be replaced, and must not be.
        with target.open("wb") as file:
            yield file
        return
    # Not by tempfile, whose files nobody else may read.
    temporary = target.with_name(f".{target.name}.{uuid.uuid4().hex}")
    try:
        with temporary.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(target)
    except BaseException as error:
        with contextlib.suppress(OSError):
            temporary.unlink()
        if isinstance(error, OSError) and error.errno and error.filename in (None, str(temporary)):
            # By the name that the caller knows.
            raise OSError(error.errno, error.strerror, str(target)) from error
        raise


def _flatten(value: Any, arrays: dict[str, np.ndarray[Any, Any]]) -> Any:
    """Replace arrays by references to their place in the archive."""
    if isinstance(value, np.ndarray):
        return _flatten_array(value, arrays)
    if isinstance(value, dict):
        return {str(key): _flatten(item, arrays) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_flatten(item, arrays) for item in value]
    return value.item() if isinstance(value, np.generic) else value


def _flatten_array(value: np.ndarray[Any, Any], arrays: dict[str, np.ndarray[Any, Any]]) -> Any:
    """Keep an array whole, or a long one of mostly zeros by the entries that are none."""
    if value.ndim == 1 and len(value) >= _LEAST_SPARSE and value.dtype.kind == "f":
        # By their bits, since -0 is another number than 0.
        places = np.flatnonzero(np.ascontiguousarray(value).view(f"u{value.itemsize}"))
        if 4 * len(places) < len(value):
            parts = [_flatten_array(part, arrays) for part in (places, value[places])]
            return {_SPARSE: len(value), "parts": parts}
    name = f"array{len(arrays)}"
    arrays[name] = value
    return {_ARRAY: name}


def _unflatten(value: Any, archive: Any) -> Any:
    if isinstance(value, dict):
        if _ARRAY in value:
            return archive[value[_ARRAY]]
        if _SPARSE in value:
            places, entries = _unflatten(value["parts"], archive)
            whole = np.zeros(value[_SPARSE], entries.dtype)
            whole[places] = entries
            return whole
        return {key: _unflatten(item, archive) for key, item in value.items()}
    if isinstance(value, list):
        return [_unflatten(item, archive) for item in value]
    return value
