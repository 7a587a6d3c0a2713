"""One versioned file for everything a learner has earned, without pickle.

The file is a numpy archive: a JSON header with the tree of plain values, and the arrays that the
tree refers to.
"""

import json
import os
from typing import Any

import numpy as np

from askance.errors import FileUnreadable
from askance.storage.archives import ReadArray, open_archive
from askance.storage.files import write_atomically
from askance.types import State

__all__ = ["LARGEST_STATE", "OLDEST", "VERSION", "read_state", "read_versioned", "write_state"]

VERSION = 5
"""Raised when an older askance could no longer read what this one writes."""

OLDEST = 2
"""The oldest version that is still read."""

LARGEST_STATE = 2**32
"""Bytes that a file's arrays of mostly zeros, which it holds without them, may take in memory."""

_FORMAT = "askance"
_ARRAY = "__array__"
_SPARSE = "__sparse__"

_LEAST_SPARSE = 4096
"""Entries from which on an array of mostly zeros is worth the trouble."""


def write_state(path: str | os.PathLike[str], kind: str, state: State) -> None:
    """Save a tree of plain values and arrays.

    >>> import tempfile
    >>> from pathlib import Path
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
    return read_versioned(path, kind)[1]


def read_versioned(path: str | os.PathLike[str], kind: str) -> tuple[int, State]:
    """Load what :func:`write_state` saved, with the version of the file."""
    try:
        with open_archive(path) as read_array:
            header = json.loads(read_array("header").tobytes())
            _check_header(path, header, kind)
            state: State = _Tree(path, read_array).unflatten(header["state"])
            return header["version"], state
    except FileNotFoundError:
        raise FileUnreadable(f"{path} does not exist, expected a file saved by askance") from None
    except IsADirectoryError:
        raise FileUnreadable(f"{path} is a folder, expected a file saved by askance") from None
    except PermissionError:
        raise FileUnreadable(f"{path} may not be read by this user") from None
    except FileUnreadable:
        raise
    except Exception as error:  # numpy, zipfile and json promise no list of what they may raise
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
    if header["version"] < OLDEST:
        raise FileUnreadable(
            f"{path} has format version {header['version']}, older than {OLDEST}, "
            "the oldest that this askance reads"
        )
    if header["kind"] != kind:
        raise FileUnreadable(f"{path} holds {header['kind']!r:.40}, expected {kind!r}")


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
    """Keep an array whole, or a long one of mostly zeros by its non-zero entries."""
    if value.ndim == 1 and len(value) >= _LEAST_SPARSE and value.dtype.kind == "f":
        # By their bits, since -0.0 must stay -0.0.
        places = np.flatnonzero(np.ascontiguousarray(value).view(f"u{value.itemsize}"))
        if 4 * len(places) < len(value):
            parts = [_flatten_array(part, arrays) for part in (places, value[places])]
            return {_SPARSE: len(value), "parts": parts}
    name = f"array{len(arrays)}"
    arrays[name] = value
    return {_ARRAY: name}


class _Tree:
    """Puts arrays back in the place of their references, as long as there is room."""

    def __init__(self, path: str | os.PathLike[str], read_array: ReadArray) -> None:
        self._path = path
        self._read_array = read_array
        self._room = LARGEST_STATE
        self._used: set[str] = set()

    def unflatten(self, value: Any) -> Any:
        if isinstance(value, dict):
            if _ARRAY in value:
                return self._array(value[_ARRAY])
            if _SPARSE in value:
                return self._sparse(value[_SPARSE], *self.unflatten(value["parts"]))
            return {key: self.unflatten(item) for key, item in value.items()}
        if isinstance(value, list):
            return [self.unflatten(item) for item in value]
        return value

    def _array(self, name: str) -> np.ndarray[Any, Any]:
        """An array, which only one reference may ask for: else a short file could fill the room."""
        if name in self._used:
            raise ValueError(f"{name} is used twice")
        self._used.add(name)
        return self._read_array(name)

    def _sparse(
        self, length: int, places: np.ndarray[Any, Any], entries: np.ndarray[Any, Any]
    ) -> np.ndarray[Any, Any]:
        if type(length) is not int or length < 0 or entries.dtype.kind != "f":
            raise ValueError(f"an array of mostly zeros has a length of {length!r}")
        self._room -= length * entries.itemsize
        if self._room < 0:
            raise FileUnreadable(
                f"{self._path} would take more than {LARGEST_STATE} bytes of memory, the most that "
                "the arrays of a file may take"
            )
        whole = np.zeros(length, entries.dtype)
        whole[places] = entries
        return whole
