"""Streams to be timed on, in the form that each side is fastest with.

Ours is a folder of arrays that are mapped into memory, that of Vowpal Wabbit its own cache file.
"""

import csv
import lzma
import os
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array, hstack, vstack

__all__ = ["Prepared", "adult", "dense", "prepare", "sparse", "take"]

REPOSITORY = Path(__file__).parent.parent
NUMERIC = (0, 2, 4, 10, 11, 12)


class Prepared(NamedTuple):
    """Where a stream lies on disk, and its number of features."""

    folder: str
    n_features: int

    @property
    def text(self) -> str:
        """Vowpal Wabbit's input."""
        return str(Path(self.folder) / "stream.txt")

    @property
    def cache(self) -> str:
        """What Vowpal Wabbit makes of it when it reads it first."""
        return str(Path(self.folder) / "stream.cache")


def sparse(n: int, n_features: int, non_zeros: int, seed: int = 0) -> tuple[csr_array, Any]:
    """Rows with equally many normal values at random places, and noisy labels of a plane."""
    rng = np.random.default_rng(seed)
    places = np.sort(rng.integers(0, n_features - non_zeros + 1, (n, non_zeros)), axis=1)
    indices = (places + np.arange(non_zeros)).astype(np.int32)
    values = rng.normal(size=(n, non_zeros)).astype(np.float32)
    truth = rng.normal(size=n_features)
    margins = (truth[indices] * values).sum(axis=1) / np.sqrt(non_zeros)
    labels = np.where(margins + 0.8 * rng.normal(size=n) > 0.0, 1, -1).astype(np.int8)
    indptr = np.arange(n + 1) * non_zeros
    return csr_array((values.ravel(), indices.ravel(), indptr), (n, n_features)), labels


def dense(n: int, n_features: int, seed: int = 0) -> tuple[csr_array, Any]:
    """Rows without a zero."""
    return sparse(n, n_features, n_features, seed)


def adult() -> tuple[csr_array, Any] | None:
    """The census incomes, one column a category; None if the data folder does not have them."""
    root = Path(os.environ.get("ASKANCE_DATA") or REPOSITORY.parent / "shared" / "data")
    files = [root / "adult" / f"adult.{part}.xz" for part in ("data", "test")]
    if not all(file.exists() for file in files):
        return None
    records = []
    for file in files:
        with lzma.open(file, "rt") as lines:
            rows = csv.reader(lines, skipinitialspace=True)
            records += [row for row in rows if len(row) == 15]
    table = np.array(records)
    columns = []
    for j in range(14):
        if j in NUMERIC:
            columns.append(csr_array(table[:, [j]].astype(np.float32)))
        else:
            names, codes = np.unique(table[:, j], return_inverse=True)
            ones = np.ones(len(codes), np.float32)
            shape = len(codes), len(names)
            columns.append(csr_array((ones, (np.arange(len(codes)), codes)), shape))
    labels = np.where(np.char.startswith(table[:, 14], ">50K"), 1, -1).astype(np.int8)
    return hstack(columns, format="csr"), labels


def take(rows: csr_array, labels: Any, order: Any) -> tuple[csr_array, Any]:
    """Some rows with their labels, in this order."""
    return vstack([rows[order]], format="csr"), labels[order]


def prepare(folder: Path, rows: csr_array, labels: Any, *, text: bool = True) -> Prepared:
    """Write a stream as arrays, and as the text that Vowpal Wabbit reads."""
    folder.mkdir()
    parts = {
        "indptr": rows.indptr.astype(np.int64),
        "indices": rows.indices.astype(np.int32),
        "values": rows.data.astype(np.float32),
        "labels": labels,
    }
    for name, array in parts.items():
        np.save(folder / f"{name}.npy", array)
    prepared = Prepared(str(folder), rows.shape[1])
    if text:
        _write_text(Path(prepared.text), rows, labels)
    return prepared


def _write_text(path: Path, rows: csr_array, labels: Any) -> None:
    ends = rows.indptr.tolist()
    with path.open("w") as out:
        for i, label in enumerate(labels.tolist()):
            start, stop = ends[i], ends[i + 1]
            places, values = rows.indices[start:stop].tolist(), rows.data[start:stop].tolist()
            pairs = zip(places, values, strict=True)
            out.write(f"{label} | {' '.join(f'{j}:{x:.6g}' for j, x in pairs)}\n")
