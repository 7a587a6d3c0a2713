"""Pool-based peers beside ``auto``: the same streams, whole, with the forest of its mixture.

They stand here and not in ``askance.study``, because a study's contestants are learners of this
package that see a stream once, and because nobody who runs a study needs them installed. Their runs
are cells of a store all the same: named by content, and kept, resumed and exported by the same
code. A peer that is not installed is left out, and named.

A peer looks at all examples before each question, asks for a tenth of its budget at a time, and
fits the forest again after each tenth.
"""

import importlib.metadata
import itertools
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import joblib
import numpy as np
from scipy.sparse import csr_array
from sklearn.ensemble import RandomForestClassifier
from threadpoolctl import threadpool_limits

from askance.kernels.passes import Stream
from askance.oracles.members import TREES
from askance.study.design import Cell, Origin, Study, canonical
from askance.study.origins import fingerprint, present, split, width
from askance.study.store import Outcome, Store
from askance.types import Floats, Integers, Matrix, ResultRow

__all__ = ["PEERS", "WIDEST", "Peer", "absent", "dense", "matrix", "run_peers"]

BATCHES = 10
WIDEST = 1000
"""Features up to which a peer runs: it takes dense arrays only, and has no other classifier."""


class Peer(NamedTuple):
    """Who asks.

    ``largest`` is the largest budget, ``reweighted`` whether its labels can be weighted to stand
    for the whole pool, and ``fitted`` gives a classifier and the examples that it asked about, for
    rows, labels, a budget and a seed.
    """

    package: str
    largest: int
    reweighted: bool
    fitted: Callable[[Floats, Integers, int, int], tuple[Any, Integers]]

    @property
    def code(self) -> str | None:
        """Its version, or None if it is not installed."""
        try:
            return f"{self.package} {importlib.metadata.version(self.package)}"
        except importlib.metadata.PackageNotFoundError:
            return None


def _forest(seed: int) -> RandomForestClassifier:
    return RandomForestClassifier(TREES, bootstrap=True, random_state=seed)


def _batches(budget: int) -> Iterator[int]:
    ends = [budget * i // BATCHES for i in range(BATCHES + 1)]
    return (b - a for a, b in itertools.pairwise(ends) if b > a)


def _skactiveml(strategy: str) -> Callable[[Floats, Integers, int, int], tuple[Any, Integers]]:
    def fitted(X: Floats, y: Integers, budget: int, seed: int) -> tuple[Any, Integers]:
        from skactiveml import pool
        from skactiveml.classifier import SklearnClassifier

        options: dict[str, Any] = {"missing_label": 0, "random_state": seed}
        model = SklearnClassifier(_forest(seed), classes=[-1, 1], **options)
        asking = getattr(pool, strategy)(**options)
        needs = {"clf": model} if strategy == "UncertaintySampling" else {}
        known = np.zeros(len(y), np.int64)
        for batch in _batches(min(budget, len(y))):
            asked = asking.query(X, known, batch_size=batch, **needs)
            known[asked] = y[asked]
        return model.fit(X, known), np.flatnonzero(known)

    return fitted


def _modal(X: Floats, y: Integers, budget: int, seed: int) -> tuple[Any, Integers]:
    from modAL.models import ActiveLearner
    from modAL.uncertainty import margin_sampling

    first, *batches = _batches(min(budget, len(y)))
    known = np.random.default_rng(seed).permutation(len(y))[:first]

    def learner() -> Any:
        # Anew for each batch: its `teach`, which would do the same, fails with scikit-learn 1.8.
        return ActiveLearner(_forest(seed), margin_sampling, X[known], y[known])

    for batch in batches:
        rest = np.setdiff1d(np.arange(len(y)), known)
        # Margins exist between two classes.
        if len(np.unique(y[known])) < 2:
            asked = np.random.default_rng(seed).permutation(len(rest))[:batch]
        else:
            asked, _ = learner().query(X[rest], n_instances=batch)
        known = np.concatenate([known, rest[asked]])
    return learner(), known


PEERS = {
    "scikit-activeml, uncertainty sampling": Peer(
        "scikit-activeml", 1000, False, _skactiveml("UncertaintySampling")
    ),
    "scikit-activeml, random sampling": Peer(
        "scikit-activeml", 1000, True, _skactiveml("RandomSampling")
    ),
    "modAL, margin sampling": Peer("modAL-python", 300, False, _modal),
}


def absent() -> list[str]:
    """One sentence for each peer that is not installed."""
    return [
        f"{name} was left out: {peer.package} is not installed."
        for name, peer in PEERS.items()
        if peer.code is None
    ]


def run_peers(
    study: Study, names: list[str], store: Store, data_dir: Path | None = None, *, jobs: int = 1
) -> Iterator[Cell]:
    """Run the peers' cells over a study's data that the store has not."""
    tasks = list(_missing(study, names, store, data_dir))
    parallel = joblib.Parallel(n_jobs=jobs, return_as="generator_unordered", batch_size=1)
    for outcomes in parallel(joblib.delayed(_run)(*task) for task in tasks):
        store.add(outcomes)
        yield outcomes[0].cell


def _missing(
    study: Study, names: list[str], store: Store, data_dir: Path | None
) -> Iterator[tuple[Origin, Cell, tuple[int, ...], Path | None]]:
    setting = canonical({"batches": BATCHES, "trees": TREES})
    done = {name: store.done(PEERS[name].code) for name in names if PEERS[name].code is not None}
    for origin in present(study.origins, data_dir):
        if width(origin, data_dir) > WIDEST:
            continue
        data = fingerprint(origin, data_dir)
        for j, name in itertools.product(range(1, study.permutations + 1), done):
            cell = Cell(origin.name, data, j, name, setting)
            if cell not in done[name]:
                yield origin, cell, study.budgets, data_dir


def _run(
    origin: Origin, cell: Cell, budgets: tuple[int, ...], data_dir: Path | None
) -> list[Outcome]:
    """One run for each budget; its seconds are those until then."""
    peer, outcomes = PEERS[cell.algorithm], []
    train, test, *_ = split(origin, cell.permutation, data_dir)
    X, tested = dense(train), dense(test)
    start = time.perf_counter()
    with threadpool_limits(1), warnings.catch_warnings():
        # Of a first batch without labels, or with one class only.
        warnings.simplefilter("ignore")
        for budget in (b for b in budgets if b <= peer.largest):
            model, asked = peer.fitted(X, train.labels, budget, cell.permutation)
            error = float(np.mean(model.predict(tested) != test.labels))
            bought = len(np.unique(asked))
            row = ResultRow(budget, bought, len(train.labels), error, bought == budget)
            seconds = time.perf_counter() - start
            outcomes.append(Outcome(cell, (row,), seconds, str(peer.code)))
    return outcomes


def matrix(stream: Stream) -> Matrix:
    """The rows of a stream."""
    parts = stream.values.astype(np.float64), stream.indices, stream.indptr
    return csr_array(parts, shape=(len(stream.labels), stream.n_features))


def dense(stream: Stream) -> Floats:
    """The same as peers take them."""
    found: Floats = matrix(stream).toarray().astype(np.float32)
    return found
