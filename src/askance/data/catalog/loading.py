"""Find a data set of the paper, prepare it once, and map it into memory ever after."""

import functools
import hashlib
from pathlib import Path

from askance.data.catalog.dataset import Dataset, Dimensions
from askance.data.catalog.entries import CATALOG, Entry, Source
from askance.data.catalog.folders import PathLike, cache_folder, data_folders
from askance.data.catalog.prepared import open_prepared, write_prepared
from askance.errors import AskanceError, DatasetUnavailable
from askance.kernels._jit import CODE_VERSION

__all__ = ["CATALOG", "entry_of", "find", "load", "prepare", "printed"]


def entry_of(name: str) -> Entry:
    """Give the catalog's entry.

    >>> entry_of("titanic").paper
    Dimensions(n=2201, s=3, d=8, r=0.323)
    """
    if name not in CATALOG:
        known = ", ".join(CATALOG)
        raise DatasetUnavailable(f"no data set is called {name!r}, the catalog has {known}")
    return CATALOG[name]


def load(name: str, data_dir: PathLike | None = None) -> Dataset:
    """Load a data set of the paper, memory-mapped and shared between processes.

    Raw files are looked for in ``data_dir`` (else ``$ASKANCE_DATA``), then among the downloads. The
    first load prepares them; later ones take milliseconds.
    """
    entry = entry_of(name)
    found = find(entry, data_dir)
    if found is None:
        raise DatasetUnavailable(_absent(entry, data_dir))
    return prepare(entry, *found)


def find(entry: Entry, data_dir: PathLike | None = None) -> tuple[Source, Path] | None:
    """Look for an entry's raw files: which source they are, and their folder.

    Where a data folder holds only a part of a set, the whole one is taken if it was downloaded.
    """
    order = (entry.download, entry.here) if entry.special else (entry.here, entry.download)
    for source in order:
        for folder in data_folders(data_dir):
            home = folder / entry.name
            if source and all((home / file.name).is_file() for file in source.files):
                return source, home
    return None


def _absent(entry: Entry, data_dir: PathLike | None) -> str:
    if entry.here is None:
        return f"{entry.name} cannot be loaded: {entry.special}"
    places = " or ".join(str(folder / entry.name) for folder in data_folders(data_dir))
    return (
        f"{entry.name} is not in {places}: fetch it with `askance data fetch {entry.name}`, or "
        f"point --data-dir or ASKANCE_DATA to a folder that holds it"
    )


def prepare(entry: Entry, source: Source, home: Path) -> Dataset:
    """Open the prepared form of raw files, making it first if need be.

    Files are checked against their checksums, and the result against the numbers expected of it,
    before anything is kept.
    """
    folder = cache_folder() / "prepared" / f"{entry.name}-{_key(source, home)}"
    if not folder.is_dir():
        write_prepared(_cook(entry, source, home), folder)
    return open_prepared(entry.name, folder)


def _cook(entry: Entry, source: Source, home: Path) -> Dataset:
    paths = [home / file.name for file in source.files]
    for file, path in zip(source.files, paths, strict=True):
        if file.sha256 and file.sha256 != _sha256(path):
            raise DatasetUnavailable(
                f"{path} is damaged: its SHA-256 is {_sha256(path)}, expected {file.sha256}"
            )
    try:
        dataset = source.recipe(paths)
    except KeyError as error:
        raise DatasetUnavailable(f"{entry.name} is not as expected: no column {error}") from error
    except (AskanceError, IndexError, ValueError) as error:
        raise DatasetUnavailable(f"{entry.name} is not as expected: {error}") from error
    found, expected = printed(dataset.dimensions), printed(source.expected)
    if found != expected:
        raise DatasetUnavailable(
            f"{entry.name} is not as expected: n, s, d, r come out as {', '.join(found)} "
            f"in place of {', '.join(expected)}"
        )
    return dataset


def printed(found: Dimensions) -> tuple[str, str, str, str]:
    """Write n, s, d, r with the paper's digits: six for s, three decimals for r.

    >>> printed(Dimensions(4177, 7.9995212, 8, 0.4978))
    ('4177', '7.99952', '8', '0.498')
    """
    return str(found.n), f"{found.s:.6g}", str(found.d), f"{found.r:.3f}"


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _key(source: Source, home: Path) -> str:
    """Name the prepared form after the files' state and the code that reads them."""
    digest = hashlib.blake2b(_code_digest(), digest_size=8)
    digest.update(f"{source.recipe.__name__}|{printed(source.expected)}".encode())
    for file in source.files:
        state = (home / file.name).stat()
        digest.update(f"|{file.name}|{file.sha256}|{state.st_size}|{state.st_mtime_ns}".encode())
    return digest.hexdigest()


@functools.cache
def _code_digest() -> bytes:
    digest = hashlib.blake2b(CODE_VERSION.encode())
    for path in sorted(Path(__file__).parents[1].rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.digest()
