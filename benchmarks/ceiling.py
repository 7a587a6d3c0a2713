"""What all labels of a stream would give: how far down the error on a data set can go.

A part of the mixture is fitted to all labels of a stream, or to its first 8,000: for rows of
numbers the forest and boosted trees, for wide sparse rows logistic regression and naive Bayes of
words, since the others take long with so many labels. It looks at nothing that `auto` does.
"""

import itertools
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from askance.kernels.passes import Stream
from askance.oracles.mixture import MixtureOracle
from askance.study.design import Cell, Study, canonical, code_of
from askance.study.origins import fingerprint, present, split
from askance.study.store import Outcome, Store, read_results
from askance.types import ResultRow
from benchmarks.pools import matrix

__all__ = ["ALL", "MOST", "ceilings", "run_ceilings"]

ALL = "all labels"
MOST = 8000
MEMBERS = [
    "forest", "boosted trees", "logistic regression of words", "naive Bayes of words",
]  # fmt: skip


def run_ceilings(study: Study, store: Store, data_dir: Path | None = None) -> Iterator[Cell]:
    """Run what the store has not, and tell each cell when it is done."""
    setting = canonical({"labels": MOST, "members": MEMBERS})
    done = store.done()
    for j, origin in itertools.product(
        range(1, study.permutations + 1), present(study.origins, data_dir)
    ):
        cell = Cell(origin.name, fingerprint(origin, data_dir), j, ALL, setting)
        if cell not in done:
            train, test, width, *_ = split(origin, j, data_dir)
            store.add([_run(cell, train, test, width)])
            yield cell


def _run(cell: Cell, train: Stream, test: Stream, width: int) -> Outcome:
    start = time.perf_counter()
    X, y = matrix(train)[:MOST], train.labels[:MOST]
    oracle = MixtureOracle(n_features=width, seed=cell.permutation, members=MEMBERS)
    fitted = oracle.fit(X, y, np.ones(len(y)), X[:0])
    error = float(np.mean(fitted.predict_many(matrix(test)) != test.labels))
    row = ResultRow(len(y), len(y), len(y), error, reached=True)
    return Outcome(cell, (row,), time.perf_counter() - start, code_of("auto"))


def ceilings(folder: Path) -> dict[str, float]:
    """The error with all labels on each data set, mean over the permutations that were run."""
    found: dict[str, list[float]] = {}
    for row in read_results(folder).to_pylist():
        found.setdefault(row["dataset"], []).append(row["error"])
    return {data: float(np.mean(errors)) for data, errors in found.items()}
