"""Arrays from a zip archive that anybody may have made: nothing is trusted, everything is measured.

What askance writes is not compressed, so an archive cannot hold more than its own bytes. Each
member is measured before it is read, and what its header claims before it becomes an array.
"""

import io
import math
import os
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy

__all__ = ["ReadArray", "open_archive"]

ReadArray = Callable[[str], np.ndarray[Any, Any]]
"""Gives an array by its name."""

_KINDS = "biufcUSmM"
"""Kinds of numbers and strings; never objects, which would be pickles."""

_SUFFIX = ".npy"


@contextmanager
def open_archive(path: str | os.PathLike[str]) -> Iterator[ReadArray]:
    """Open a file that :func:`numpy.savez` wrote; what it gives is called with an array's name.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "arrays"
    >>> with path.open("wb") as file:
    ...     np.savez(file, w=np.arange(3))
    >>> with open_archive(path) as array:
    ...     array("w").tolist()
    [0, 1, 2]
    """
    with Path(path).open("rb") as file, zipfile.ZipFile(file) as archive:
        members = archive.infolist()
        if any(member.compress_type != zipfile.ZIP_STORED for member in members):
            raise ValueError("its members are compressed")
        # Several members may point at the same bytes.
        if sum(member.file_size for member in members) > os.fstat(file.fileno()).st_size:
            raise ValueError("its members are larger than the file")
        yield lambda name: _array(archive.read(name + _SUFFIX))


def _array(content: bytes) -> np.ndarray[Any, Any]:
    """An array of the machine's byte order, if the content has as many bytes as its header says."""
    file = io.BytesIO(content)
    read_header = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
    shape, columns_first, dtype = read_header[npy.read_magic(file)](file)
    body = content[file.tell() :]
    if dtype.kind not in _KINDS or dtype.itemsize == 0:
        raise ValueError(f"an array holds {dtype}")
    if min(shape, default=0) < 0 or math.prod(shape) * dtype.itemsize != len(body):
        raise ValueError(f"an array of shape {shape} has {len(body)} bytes")
    array = np.frombuffer(body, dtype).reshape(shape, order="F" if columns_first else "C")
    # A copy, since what stands in bytes cannot be written to.
    return array.astype(dtype.newbyteorder("="), order="C")
