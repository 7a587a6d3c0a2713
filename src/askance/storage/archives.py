"""Arrays out of a zip archive that a stranger may have made: nothing is believed, all is measured.

What askance writes is not compressed, so an archive cannot hold more than its own bytes. Each
member is measured before it is read, and what its header claims before it becomes an array.
"""

import io
import math
import os
import zipfile
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

import numpy as np
from numpy.lib import format as npy

__all__ = ["Archive"]

_KINDS = "biufcUSmM"
"""Kinds of numbers and strings; never objects, which would be pickles."""

_SUFFIX = ".npy"


class Archive:
    """The arrays of a file that :func:`numpy.savez` wrote, by name.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "arrays"
    >>> with path.open("wb") as file:
    ...     np.savez(file, w=np.arange(3))
    >>> with Archive(path) as archive:
    ...     archive["w"].tolist()
    [0, 1, 2]
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._file: IO[bytes] = Path(path).open("rb")
        try:
            self._zip = zipfile.ZipFile(self._file)
            members = self._zip.infolist()
            if any(member.compress_type != zipfile.ZIP_STORED for member in members):
                raise ValueError("its members are compressed")
            # Several members may point at the same bytes.
            if sum(member.file_size for member in members) > os.fstat(self._file.fileno()).st_size:
                raise ValueError("its members are larger than the file")
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._zip.close()
        self._file.close()

    def __getitem__(self, name: str) -> np.ndarray[Any, Any]:
        return _array(self._zip.read(name + _SUFFIX))


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
