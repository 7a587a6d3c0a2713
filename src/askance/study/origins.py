"""Load the data of a study, and say what it holds without loading it."""

import functools
import hashlib
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array

from askance.data.catalog import entry_of, find, load, printed
from askance.data.catalog.dataset import Dataset
from askance.data.reading.intake import Intake
from askance.data.splits import coins, permutation, train_test
from askance.engine import stream_of_matrix
from askance.errors import BadRecord, DatasetUnavailable, InvalidParameter
from askance.kernels.passes import Stream
from askance.sparse import narrowed, stacked
from askance.study.design import EMBEDDED, Origin, Parameters, canonical
from askance.types import Integers

__all__ = [
    "Permuted",
    "absent",
    "fingerprint",
    "load_origin",
    "present",
    "rare_costs",
    "split",
    "weight",
    "width",
]


def present(origins: tuple[Origin, ...], data_dir: Path | None = None) -> list[Origin]:
    """The origins that can be loaded, ``all`` of the catalog spelled out, the smallest first."""
    found = dict.fromkeys(o for origin in origins for o in _spelled(origin))
    here = [o for o in found if o.kind != "catalog" or find(entry_of(o.name), data_dir)]
    return sorted(here, key=lambda origin: weight(origin, data_dir))


def absent(origins: tuple[Origin, ...], data_dir: Path | None = None) -> list[str]:
    """Names of the catalog that a study wants and that are not here."""
    here = present(origins, data_dir)
    return [o.name for origin in origins for o in _spelled(origin) if o not in here]


def _spelled(origin: Origin) -> list[Origin]:
    if origin.kind == "catalog":
        return [origin._replace(name=entry_of(name).name) for name in origin.names]
    if origin.kind == "embedded" and origin.name not in EMBEDDED:
        raise InvalidParameter(f"embedded data sets are {', '.join(EMBEDDED)}, got {origin.name!r}")
    return [origin]


def weight(origin: Origin, data_dir: Path | None = None) -> float:
    """Roughly what a pass over the data costs: examples, and their non-zeros."""
    if origin.kind == "catalog":
        found = find(entry_of(origin.name), data_dir)
        stats = found[0].expected if found else entry_of(origin.name).paper
        # A decision costs about as much as forty features.
        return min(stats.n, origin.most or stats.n) * (stats.s + 40.0)
    if origin.kind == "file":
        return float(_file(origin).stat().st_size)
    return 0.0


def width(origin: Origin, data_dir: Path | None = None) -> int:
    """Number of features; sets of the catalog are not loaded for it."""
    found = find(entry_of(origin.name), data_dir) if origin.kind == "catalog" else None
    return found[0].expected.d if found else load_origin(origin, data_dir).n_features


def fingerprint(origin: Origin, data_dir: Path | None = None) -> str:
    """What the data set holds, in a few characters: another content, another fingerprint.

    >>> fingerprint(Origin("embedded", "digits"))
    'embedded'
    >>> fingerprint(Origin("embedded", "digits", most=500))
    'embedded/500'
    """
    content = _content(origin, data_dir)
    return content if origin.most is None else f"{content}/{origin.most}"


def _content(origin: Origin, data_dir: Path | None) -> str:
    if origin.kind == "catalog":
        found = find(entry_of(origin.name), data_dir)
        if found is None:
            raise DatasetUnavailable(f"{origin.name} is not here")
        return " ".join(printed(found[0].expected))
    if origin.kind == "file":
        with _file(origin).open("rb") as file:
            digest = hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=8))
        reading = asdict(origin.reading)
        # Without scales a file is what it was before there were any.
        if not reading["scale"]:
            del reading["scale"]
        # And without names of its classes what it was before it could have any.
        if reading["classes"] is None:
            del reading["classes"]
        digest.update(canonical(reading).encode())
        if origin.costs:
            digest.update(b"costs")
        return digest.hexdigest()
    return "embedded"


def _file(origin: Origin) -> Path:
    if not origin.file.is_file():
        raise DatasetUnavailable(f"{origin.file} is not a file, expected the data of {origin.name}")
    return origin.file


def load_origin(origin: Origin, data_dir: Path | None = None) -> Dataset:
    """Load a data set.

    >>> load_origin(Origin("embedded", "digits")).dimensions.d
    64
    """
    if origin.kind == "catalog":
        return load(origin.name, data_dir)
    if origin.kind == "embedded":
        return _embedded(origin.name)
    return _own(origin)


def _embedded(name: str) -> Dataset:
    from sklearn import datasets

    bunch: Any = getattr(datasets, f"load_{name}")()
    # Digits: odd or even. The other one has two classes already.
    positive = bunch.target % 2 == 1
    csr = csr_array(np.asarray(bunch.data, np.float32))
    return Dataset(name, csr, np.where(positive, 1, -1).astype(np.int8))


def _own(origin: Origin) -> Dataset:
    """A user's file, by the intake that `compare` has: the same features, the same rows."""
    path = _file(origin)
    intake = Intake(path, origin.reading)
    intake.read_whole()
    parts = list(intake)
    labels = np.concatenate([rows.batch.labels for rows in parts])
    if not labels.all():
        raise BadRecord(f"{path} has a record without a label: number {int(labels.argmin()) + 1}")
    csr, several = narrowed(stacked([rows.csr for rows in parts])), len(intake.classes) > 2
    if not several:
        return Dataset(origin.name, csr, labels)
    return Dataset(origin.name, csr, labels - 1, len(intake.classes))


class Permuted(NamedTuple):
    """A permutation's stream with its coins, its test part, and the number of features.

    ``classes`` is what a learner must be told where there are more than two, or costs.
    """

    train: Stream
    test: Stream
    n_features: int
    classes: Parameters


# The groups of one permutation follow each other, so one is enough.
@functools.lru_cache(maxsize=1)
def split(origin: Origin, j: int, data_dir: Path | None = None) -> Permuted:
    """The parts of a permutation."""
    dataset = load_origin(origin, data_dir)
    train, test = train_test(permutation(dataset.name, j, len(dataset))[: origin.most])
    drawn, (X, labels) = coins(dataset.name, j, len(train)), (dataset.csr, dataset.labels)
    several = dataset.n_classes
    learned = stream_of_matrix(X[train], labels[train], drawn, n_classes=several)
    tested = stream_of_matrix(X[test], labels[test], n_classes=several)
    about: Parameters = {} if several is None else {"n_classes": several}
    if origin.costs:
        about["cost_matrix"] = rare_costs(labels)
    return Permuted(learned, tested, dataset.n_features, about)


def rare_costs(labels: Integers) -> list[list[float]]:
    """Costs of mistakes: 1 for the rarest true class, for others less by as much as they have more.

    >>> rare_costs(np.array([0, 0, 1]))
    [[0.0, 0.5], [1.0, 0.0]]
    """
    counts = np.unique(labels, return_counts=True)[1]
    costs = np.tile((counts.min() / counts)[:, None], len(counts))
    np.fill_diagonal(costs, 0.0)
    found: list[list[float]] = costs.tolist()
    return found
