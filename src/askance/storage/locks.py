"""One writer at a time: a lock that the system lets go of when its holder dies, however it dies."""

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from askance.errors import FileUnreadable

__all__ = ["held"]

if sys.platform == "win32":
    import msvcrt

    def _take(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _take(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


@contextlib.contextmanager
def held(path: str | os.PathLike[str], busy: str) -> Iterator[None]:
    """Hold a lock file, or say that it is ``busy``.

    The file stays behind: if it were removed, two processes could hold locks on two files of one
    name.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, held(Path(folder) / "lock", "taken"):
    ...     with held(Path(folder) / "lock", "this folder is being written"):
    ...         pass
    Traceback (most recent call last):
    askance.errors.FileUnreadable: this folder is being written
    """
    with Path(path).open("w") as file:
        try:
            _take(file.fileno())
        except OSError:
            raise FileUnreadable(busy) from None
        yield
