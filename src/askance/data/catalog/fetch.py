"""Download a data set from its public address: whole and verified, or not at all."""

import hashlib
import http.client
import logging
import shutil
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

from askance.data.catalog import find, prepare
from askance.data.catalog.entries import Entry, File
from askance.data.catalog.folders import PathLike, cache_folder, new_folder
from askance.errors import DatasetUnavailable

__all__ = ["Progress", "fetch"]

Progress = Callable[[str, int, int | None], None]
"""Called with a file's name, the bytes so far, and the bytes in all if known."""

logger = logging.getLogger("askance")

_CHUNK = 1 << 16
_TIMEOUT = 60


def fetch(
    entry: Entry,
    data_dir: PathLike | None = None,
    progress: Progress = lambda name, done, total: None,
) -> Path:
    """Make sure that a set is here, and give its folder; download it into the cache if need be.

    A download is kept only if every file has its checksum or, where none is known, if n, s, d and r
    come out as expected. One that was damaged since is downloaded again.
    """
    source, target = entry.download, cache_folder() / "data" / entry.name
    found = find(entry, data_dir)
    if found and (found[0] == source or not entry.special):
        try:
            prepare(entry, *found)
        except DatasetUnavailable as error:
            if found != (source, target):
                raise
            logger.warning("%s: downloading it again into %s", error, target)
        else:
            return found[1]
    if source is None:
        raise DatasetUnavailable(f"{entry.name} cannot be fetched: {entry.special}")
    with new_folder(target) as scratch:
        for file in source.files:
            _download(file, scratch / file.name, progress)
        prepare(entry, source, scratch)
        if target.exists():
            shutil.rmtree(target)  # Something in it is missing or damaged.
    return target


def _download(file: File, target: Path, progress: Progress) -> None:
    digest = hashlib.sha256()
    done = 0
    with target.open("wb") as out:
        for chunk, total in _chunks(str(file.url)):
            out.write(chunk)
            digest.update(chunk)
            done += len(chunk)
            progress(file.name, done, total)
    if file.sha256 and digest.hexdigest() != file.sha256:
        raise DatasetUnavailable(
            f"{file.url} has SHA-256 {digest.hexdigest()}, expected {file.sha256}"
        )


def _chunks(url: str) -> Iterator[tuple[bytes, int | None]]:
    """Read a public address piece by piece, to the end that it announced."""
    request = urllib.request.Request(url, headers={"User-Agent": "askance"})
    done = 0
    try:
        with urllib.request.urlopen(request, timeout=_TIMEOUT) as response:
            length = response.headers.get("Content-Length")
            total = int(length) if length else None
            while chunk := response.read(_CHUNK):
                done += len(chunk)
                yield chunk, total
    except urllib.error.HTTPError as error:
        error.close()
        raise DatasetUnavailable(f"{url} answered {error.code} {error.reason}") from error
    except (OSError, http.client.HTTPException) as error:
        reason = getattr(error, "reason", None) or error
        raise DatasetUnavailable(f"{url} could not be downloaded: {reason}") from error
    if total is not None and done != total:
        raise DatasetUnavailable(f"{url} broke off after {done:,} of {total:,} bytes")
