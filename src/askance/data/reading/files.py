"""Names, patterns and addresses -> files in their order, and the pieces that they are read in."""

import glob
import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from askance.data.reading.remote import is_address, matching_addresses
from askance.data.reading.sources import readable
from askance.errors import FileUnreadable

__all__ = [
    "PIECE_ROWS",
    "Piece",
    "Sources",
    "each_source",
    "find_files",
    "require_rereadable_files",
]

PIECE_ROWS = 1 << 17
"""Rows from which on neighbouring row groups of a Parquet file are not read together."""


class Piece(NamedTuple):
    """Rows of one file that are read by themselves.

    ``before`` rows come in earlier files and ``skipped`` ones earlier in this file, and ``rows``
    are read. ``groups`` are row groups of a Parquet file; None is a whole file.
    """

    source: str
    before: int = 0
    skipped: int = 0
    rows: int = 0
    groups: tuple[int, ...] | None = None

    @property
    def first(self) -> int:
        """Rows of the pool before this piece."""
        return self.before + self.skipped


Sources = str | Path | Piece | Sequence[str | Path]
"""A file, a piece of one, or several files."""


def each_source(source: Sources) -> Iterator[str | Path | Piece]:
    """The files or the piece that a source stands for.

    >>> list(each_source("a.csv")), list(each_source(["a.csv", "b.csv"]))
    (['a.csv'], ['a.csv', 'b.csv'])
    """
    if isinstance(source, str | Path | Piece):
        yield source
    else:
        yield from source


def find_files(sources: str | Path | Sequence[str | Path]) -> list[str]:
    """Every file that names, patterns and addresses stand for, once, sorted by its whole path.

    A name that exists is no pattern, whatever characters it has, and how a path is spelled does not
    matter.

    >>> find_files(["b.csv", "a.csv", "./b.csv"])
    ['a.csv', './b.csv']
    >>> find_files("nowhere/*.csv")
    Traceback (most recent call last):
    askance.errors.FileUnreadable: no file matches the pattern nowhere/*.csv
    """
    given = [str(source) for source in each_source(sources)]
    names = sorted(name for pattern in given for name in _matches(pattern))
    whole = {_whole(name): name for name in reversed(names)}
    return [whole[path] for path in sorted(whole)]


def _whole(name: str) -> str:
    return name if name == "-" or is_address(name) else os.path.realpath(name)


def require_rereadable_files(files: Iterable[str], why: str) -> None:
    """Refuse standard input, pipes and devices, which can be read only once; ``why`` it is not.

    >>> require_rereadable_files(["-"], "it is read twice")
    Traceback (most recent call last):
    askance.errors.FileUnreadable: standard input can be read only once, and it is read twice
    """
    for file in files:
        with readable(file):
            if is_address(file) or (file != "-" and stat.S_ISREG(Path(file).stat().st_mode)):
                continue
        if file != "-" and Path(file).is_dir():
            raise FileUnreadable(f"{file} is a folder: name its files, or a pattern")
        name = "standard input" if file == "-" else f"{file} is not a regular file and"
        raise FileUnreadable(f"{name} can be read only once, and {why}")


def _matches(pattern: str) -> list[str]:
    if not glob.has_magic(pattern):
        return [pattern]
    if is_address(pattern):
        with readable(pattern):
            found = matching_addresses(pattern)
    elif (path := Path(pattern)).exists():
        return [pattern]
    else:
        found = list(map(str, Path(path.anchor).glob(str(path.relative_to(path.anchor)))))
    if not found:
        raise FileUnreadable(f"no file matches the pattern {pattern}")
    return found
