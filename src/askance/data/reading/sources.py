"""Bytes from a path or standard input, compressed or not."""

import bz2
import gzip
import io
import lzma
import mmap
import stat
import sys
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePath
from typing import BinaryIO, cast

from askance.data.reading.arrow import open_zstd
from askance.data.reading.remote import is_address, open_address
from askance.errors import FileUnreadable

__all__ = [
    "PACKED",
    "FileMember",
    "map_bytes",
    "member",
    "open_bytes",
    "open_raw",
    "read_bytes",
    "readable",
    "require_rereadable",
    "tar_members",
]

_MAGIC: dict[bytes, Callable[[BinaryIO], object]] = {
    b"\x1f\x8b": gzip.open,
    b"BZh": bz2.open,
    b"\xfd7zXZ\x00": lzma.open,
    b"\x28\xb5\x2f\xfd": open_zstd,
}

PACKED = {".gz": "gzip", ".bz2": "bzip2", ".xz": "xz", ".zst": "zstd"}
"""Suffixes of compressed files, and what they promise."""

FileMember = tuple[str, bytes]
"""The path of a file inside an archive, and its content."""


@contextmanager
def open_bytes(source: str | Path) -> Iterator[BinaryIO]:
    """Open a path, or standard input for ``-``, and undo gzip, bzip2, xz or zstd.

    How it is compressed is told from the first bytes, so one such suffix in place of another does
    no harm; a file that has one but is not compressed at all is refused. A damaged stream is
    reported as one :class:`~askance.errors.FileUnreadable`, wherever it breaks.
    """
    with readable(source), open_raw(source) as raw:
        yield _decompressed(raw, source)


@contextmanager
def readable(source: str | Path) -> Iterator[None]:
    """Say in one sentence why a file cannot be opened or unpacked."""
    try:
        yield
    except FileNotFoundError as error:
        raise FileUnreadable(f"{source} does not exist") from error
    except (EOFError, lzma.LZMAError, zlib.error, tarfile.TarError, zipfile.BadZipFile) as error:
        raise FileUnreadable(f"{source} is damaged: {error}") from error
    except OSError as error:
        reason = error.strerror or str(error).partition("\n")[0]
        raise FileUnreadable(f"{source} cannot be read: {reason}") from error


def require_rereadable(path: Path) -> None:
    """Refuse a pipe or a device where a file is read more than once: it would be waited for again.

    >>> require_rereadable(Path("nowhere.csv"))
    Traceback (most recent call last):
    askance.errors.FileUnreadable: nowhere.csv does not exist
    """
    with readable(path):
        if not (path.is_dir() or stat.S_ISREG(path.stat().st_mode)):
            raise FileUnreadable(
                f"{path} is not a regular file and can be read only once: pass it as standard "
                "input, which is copied first, or save it as a file"
            )


@contextmanager
def open_raw(source: str | Path) -> Iterator[io.BufferedReader]:
    """Open a path, an address or standard input as it is, compressed or not."""
    if source == "-":
        yield cast(io.BufferedReader, sys.stdin.buffer)
    elif is_address(source):
        with open_address(str(source)) as raw:
            yield raw
    else:
        with Path(source).open("rb") as raw:
            yield raw


def _decompressed(raw: io.BufferedReader, source: str | Path) -> BinaryIO:
    head = raw.peek(6)
    for magic, open_compressed in _MAGIC.items():
        if head.startswith(magic):
            return cast(BinaryIO, open_compressed(raw))
    packed = PACKED.get(PurePath(source).suffix.lower())
    if packed:
        raise FileUnreadable(f"{source} is not {packed}, it starts with {head[:6]!r}")
    return raw


def read_bytes(path: Path) -> bytes:
    """Read a whole file, decompressed."""
    with open_bytes(path) as stream:
        return stream.read()


def map_bytes(path: Path) -> bytes | mmap.mmap:
    """Map a whole file into memory; a compressed one is read and decompressed."""
    with readable(path), path.open("rb") as raw:
        if _decompressed(raw, path) is raw:
            return mmap.mmap(raw.fileno(), 0, access=mmap.ACCESS_READ)
    return read_bytes(path)


def member(path: Path, suffix: str) -> bytes:
    """Read the one file of a zip or tar archive whose path ends so; other files are read whole."""
    if zipfile.is_zipfile(path):
        found = (item for item in _zip_members(path, suffix))
    elif tarfile.is_tarfile(path):
        found = (item for item in tar_members(path) if item[0].endswith(suffix))
    else:
        return read_bytes(path)
    first = next(found, None)
    if first is None:
        raise FileUnreadable(f"{path} holds no file {suffix}")
    return first[1]


def tar_members(path: Path) -> Iterator[FileMember]:
    """Walk over the files of a tar archive."""
    with readable(path), tarfile.open(path) as archive:
        for item in archive:
            content = archive.extractfile(item) if item.isfile() else None
            if content is not None:
                yield item.name, content.read()


def _zip_members(path: Path, suffix: str) -> Iterator[FileMember]:
    with readable(path), zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            if name.endswith(suffix):
                yield name, archive.read(name)
