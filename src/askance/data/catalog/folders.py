"""Where files are looked for and where they are kept."""

import contextlib
import errno
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import platformdirs

from askance.errors import DatasetUnavailable

__all__ = ["cache_folder", "data_folders", "new_folder"]

PathLike = str | os.PathLike[str]


def cache_folder() -> Path:
    """Give the user's cache folder, where the system has such folders.

    On Linux that is ``$XDG_CACHE_HOME/askance`` or ``~/.cache/askance``.
    """
    return platformdirs.user_cache_path("askance", appauthor=False)


def data_folders(data_dir: PathLike | None = None) -> list[Path]:
    """List the folders that may hold raw files, the first one first.

    These are ``data_dir``, else ``$ASKANCE_DATA``, and always the cache folder, where downloads go.
    """
    given = data_dir or os.environ.get("ASKANCE_DATA")
    downloads = cache_folder() / "data"
    return [Path(given), downloads] if given else [downloads]


@contextlib.contextmanager
def new_folder(target: Path) -> Iterator[Path]:
    """Fill a temporary folder that takes its place as ``target`` only when all of it is written.

    Where another process was faster, its folder stays and ours goes.
    """
    with _disk_errors(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        scratch = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
        try:
            yield scratch
            scratch.chmod(0o755)
            with contextlib.suppress(FileExistsError):
                _rename(scratch, target)
        finally:
            shutil.rmtree(scratch, ignore_errors=True)


def _rename(scratch: Path, target: Path) -> None:
    try:
        scratch.rename(target)
    except OSError as error:
        # The name for "the target is a folder with something in it" differs between systems.
        if error.errno in (errno.ENOTEMPTY, errno.EEXIST):
            raise FileExistsError(target) from error
        raise


@contextlib.contextmanager
def _disk_errors(target: Path) -> Iterator[None]:
    """Say in one sentence why a file cannot be written."""
    try:
        yield
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EFBIG, errno.EDQUOT)
        reason = "the disk is full" if full else (error.strerror or str(error))
        raise DatasetUnavailable(f"{target} could not be written: {reason}") from error
