"""Streams to be timed on, in the form that each side is fastest with.

Ours is a folder of arrays that are mapped into memory, that of Vowpal Wabbit its own cache file.
"""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array

__all__ = ["Prepared", "coded", "dense", "prepare", "sparse"]


class Prepared(NamedTuple):
    """Where a stream lies on disk, its number of features, and of classes if labels are codes."""

    folder: str
    n_features: int
    n_classes: int | None = None

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


def coded(rows: csr_array, n_classes: int, seed: int = 0) -> Any:
    """Noisy labels of so many planes for some rows."""
    rng = np.random.default_rng(seed)
    scores = rows @ rng.normal(size=(rows.shape[1], n_classes))
    return (scores + 2.0 * rng.normal(size=scores.shape)).argmax(axis=1)


def dense(n: int, n_features: int, seed: int = 0) -> tuple[csr_array, Any]:
    """Rows without a zero."""
    return sparse(n, n_features, n_features, seed)


def prepare(
    folder: Path,
    rows: csr_array,
    labels: Any,
    *,
    text: bool = True,
    n_classes: int | None = None,
) -> Prepared:
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
    prepared = Prepared(str(folder), rows.shape[1], n_classes)
    if text:
        _write_text(Path(prepared.text), rows, [_said(y, n_classes) for y in labels.tolist()])
    return prepared


def _said(label: int, n_classes: int | None) -> str:
    """A label as Vowpal Wabbit reads it: of several classes the cost of each."""
    if n_classes is None:
        return str(label)
    return " ".join(f"{y + 1}:{int(y != label)}" for y in range(n_classes))


def _write_text(path: Path, rows: csr_array, labels: list[str]) -> None:
    ends = rows.indptr.tolist()
    with path.open("w") as out:
        for i, label in enumerate(labels):
            start, stop = ends[i], ends[i + 1]
            places, values = rows.indices[start:stop].tolist(), rows.data[start:stop].tolist()
            pairs = zip(places, values, strict=True)
            out.write(f"{label} | {' '.join(f'{j}:{x:.6g}' for j, x in pairs)}\n")
