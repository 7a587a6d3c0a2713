"""Prepared data sets on disk: plain arrays that every process maps into memory and shares."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from askance.data.catalog.dataset import Dataset
from askance.data.catalog.folders import new_folder
from askance.sparse import from_parts

__all__ = ["open_prepared", "write_prepared"]


def write_prepared(dataset: Dataset, folder: Path) -> None:
    """Write a data set as a folder of arrays, all or nothing."""
    csr = dataset.csr
    arrays = {"indptr": csr.indptr, "indices": csr.indices, "values": csr.data}
    arrays |= {"labels": dataset.labels, "n_features": np.array(dataset.n_features)}
    with new_folder(folder) as scratch:
        for part, array in arrays.items():
            _save(scratch / f"{part}.npy", array)


def _save(path: Path, array: NDArray[Any]) -> None:
    """Write an array so that a full disk is noticed.

    Given a real file, numpy writes through a buffer of the C library, and loses what the last flush
    cannot write; given any other object with a ``write``, it leaves the writing to Python.
    """
    with path.open("wb") as file:
        writer: Any = SimpleNamespace(write=file.write)
        np.lib.format.write_array(writer, array, allow_pickle=False)


def open_prepared(name: str, folder: Path) -> Dataset:
    """Map a prepared data set into memory, read-only."""
    parts = {
        # A plain array over the same pages: slicing a memmap object is ten times slower.
        part: np.asarray(np.load(folder / f"{part}.npy", mmap_mode="r", allow_pickle=False))
        for part in ("indptr", "indices", "values", "labels")
    }
    n_features = int(np.load(folder / "n_features.npy", allow_pickle=False))
    csr = from_parts(parts["indptr"], parts["indices"], parts["values"], n_features)
    return Dataset(name, csr, parts["labels"])
