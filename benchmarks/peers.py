"""scikit-activeml and River on a small stream, row by row as they are meant to be used.

Ours is the compiled pass of margin sampling over the same rows; ask and tell row by row, from
Python, has rows of its own.
"""

import importlib.util
import itertools
import time
from typing import Any

import numpy as np

from benchmarks import ours
from benchmarks.streams import Prepared
from benchmarks.table import Ratio, Section
from benchmarks.timing import Bench, Job

__all__ = ["peer_rows", "run_river", "run_skactiveml"]

SETTING: ours.Setting = ("margin", {"b": 0.5})


def peer_rows(bench: Bench, data: Prepared) -> tuple[list[Ratio], Section]:
    """Ratios against those that are installed."""
    peers = {
        "river": ("River, EntropySampler over LogisticRegression", run_river),
        "skactiveml": ("scikit-activeml, StreamRandomSampling over SGDClassifier", run_skactiveml),
    }
    ratios, rows, absent = [], [], []
    for package, (name, function) in peers.items():
        if importlib.util.find_spec(package) is None:
            absent.append(f"{name} was skipped: {package} is not installed.")
            continue
        jobs = {package: Job(function, (data,)), "ours": Job(ours.run, (data, SETTING))}
        said = bench.alternate(jobs)
        theirs, mine = said[package]["seconds"], said["ours"]["seconds"]
        ratios.append(Ratio(name, theirs.best / mine.best, None, None))
        rows.append([name, str(theirs), str(mine)])
    text = " ".join(["A whole stream; theirs row by row, ours a compiled pass.", *absent])
    return ratios, Section("Other libraries", text, ["peer", "its time", "ours"], rows)


def run_river(data: Prepared) -> dict[str, float]:
    """Seconds of asking for every row and learning those asked for."""
    from river import active, linear_model

    stream = ours.load(data)
    ends = stream.indptr.tolist()
    rows = [
        dict(zip(stream.indices[a:b].tolist(), stream.values[a:b].tolist(), strict=True))
        for a, b in itertools.pairwise(ends)
    ]
    labels = (stream.labels > 0).tolist()
    model: Any = active.EntropySampler(linear_model.LogisticRegression(), seed=0)
    start = time.perf_counter()
    for x, label in zip(rows, labels, strict=True):
        _, asks = model.predict_one(x)
        if asks:
            model.learn_one(x, label)
    return {"seconds": time.perf_counter() - start}


def run_skactiveml(data: Prepared) -> dict[str, float]:
    """Seconds of asking for every row and learning those asked for."""
    from skactiveml.classifier import SklearnClassifier
    from skactiveml.stream import StreamRandomSampling
    from sklearn.linear_model import SGDClassifier

    stream = ours.load(data)
    n = len(stream.labels)
    rows = np.zeros((n, data.n_features))
    rows[np.repeat(np.arange(n), np.diff(stream.indptr)), stream.indices] = stream.values
    strategy = StreamRandomSampling(random_state=0, budget=0.1)
    model = SklearnClassifier(SGDClassifier(loss="log_loss"), classes=[-1, 1], random_state=0)
    start = time.perf_counter()
    for i in range(n):
        x = rows[i : i + 1]
        asks = strategy.query(x)
        strategy.update(x, asks)
        if len(asks):
            model.partial_fit(x, stream.labels[i : i + 1])
    return {"seconds": time.perf_counter() - start}
