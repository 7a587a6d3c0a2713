"""Open the labelling of a folder: begin it if it is new, refuse one that began differently."""

import contextlib
import shutil
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import IO

from askance.data.reading.sources import require_rereadable
from askance.errors import InvalidParameter
from askance.labelling.session import Session
from askance.labelling.settings import Settings
from askance.storage.files import remove_stale, write_atomically
from askance.storage.locks import held

__all__ = ["opened"]

_COPY = "input"
"""What came from a stream, in the folder of its labelling."""


@contextlib.contextmanager
def opened(
    source: Path | IO[bytes], folder: Path, wanted: Settings, chosen: Collection[str] = ()
) -> Iterator[Session]:
    """Open the labelling of a folder, which no other process may use meanwhile.

    Parameters
    ----------
    source
        The file to label. A stream is copied first, as it is read again after an undo.
    folder
        Where the labelling is kept.
    wanted
        What a new labelling begins with.
    chosen
        Names of the settings that somebody chose: those of an old labelling must be the same.
    """
    if isinstance(source, Path):
        require_rereadable(source)
        if not Session.exists(folder):
            # Before the folder is made: a file that cannot be read leaves nothing behind.
            wanted = wanted.settled(source)
    folder.mkdir(parents=True, exist_ok=True)
    with held(folder / ".lock", f"{folder} is in use: another process labels there"):
        remove_stale(folder)
        path = source if isinstance(source, Path) else folder / _COPY
        if not Session.exists(folder):
            if not isinstance(source, Path):
                with write_atomically(path) as copy:
                    shutil.copyfileobj(source, copy)
                wanted = wanted.settled(path)
            Session.begin(folder, wanted)
        with contextlib.closing(Session(folder, path)) as session:
            _refuse_others(session, wanted, chosen)
            yield session


def _refuse_others(session: Session, wanted: Settings, chosen: Collection[str]) -> None:
    """Refuse what was chosen if the labelling began with something else."""
    ours, theirs = session.settings.by_name(), wanted.by_name()
    for name in sorted(set(chosen) & (ours.keys() | theirs.keys())):
        if ours.get(name) != theirs.get(name):
            raise InvalidParameter(
                f"{session.folder} began with {name} {ours.get(name)!r}, got "
                f"{theirs.get(name)!r}: leave the option out to continue, or choose another "
                "--session"
            )
