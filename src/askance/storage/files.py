"""Files that appear under their names whole, or not at all."""

import contextlib
import os
import re
import socket
import sys
import time
import uuid
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO

__all__ = ["remove_stale", "write_atomically"]

_FORGOTTEN = 3600.0
"""Seconds after which a temporary file is taken for one whose writer died, if there is no telling
whether it did."""

_TEMPORARY = re.compile(r"\.(.+)\.(?:(\d+)-([0-9a-f]{8})-)?[0-9a-f]{32}")
"""A target's name, and the writer's process and machine; older versions named no writer."""


@contextlib.contextmanager
def write_atomically(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a file that appears under its name whole, or not at all.

    A symbolic link stays, and what it points to is written. What a writer of the same name left
    behind when it was killed is removed.

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
    # Replacing a link would leave what it points to as it was.
    real = Path(os.path.realpath(target)) if target.is_symlink() else target
    # Not by tempfile, whose files nobody else may read.
    temporary = real.with_name(f".{real.name}.{os.getpid()}-{_host()}-{uuid.uuid4().hex}")
    try:
        with temporary.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(real)
    except BaseException as error:
        with contextlib.suppress(OSError):
            temporary.unlink()
        if isinstance(error, OSError) and error.errno and error.filename in (None, str(temporary)):
            # By the name that the caller knows.
            raise OSError(error.errno, error.strerror, str(target)) from error
        raise
    remove_stale(real.parent, real.name)


def _host() -> str:
    """A short name for this machine, since folders may be shared by several."""
    return f"{zlib.crc32(socket.gethostname().encode()):08x}"


def remove_stale(folder: str | os.PathLike[str], name: str | None = None) -> None:
    """Remove what writers that died left in a folder: all of it, or that of one ``name``.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     left = Path(folder) / f".model.{2**22 + 1}-{_host()}-{uuid.uuid4().hex}"
    ...     _ = left.write_bytes(b"half")
    ...     remove_stale(folder)
    ...     left.exists()
    False
    """
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            found = _TEMPORARY.fullmatch(entry.name)
            if found and name in (None, found[1]) and _is_stale(entry, found[2], found[3]):
                # Another process may remove it at the same time.
                Path(entry.path).unlink(missing_ok=True)


def _is_stale(entry: os.DirEntry[str], process: str | None, host: str | None) -> bool:
    if process is not None and host == _host() and sys.platform != "win32":
        return not _is_alive(int(process))
    return time.time() - entry.stat().st_mtime > _FORGOTTEN


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True
