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

__all__ = ["ROWS", "peer_rows", "run_river", "run_skactiveml", "step_rows", "time_steps"]

ROWS = 2000
"""Length of the small stream."""

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


def step_rows(bench: Bench, data: Prepared, count: int) -> tuple[list[Ratio], Section]:
    """Ask and tell from Python, one row at a time."""
    title = "Ask and tell, one row at a time"
    absent = [name for name in ("river", "vowpalwabbit") if importlib.util.find_spec(name) is None]
    if absent:
        return [], Section(title, f"Skipped: {' and '.join(absent)} not installed.")
    said = bench.once("ours", Job(time_steps, (count, bench.repeats)))
    ratios, rows = [], []
    for name, mine, theirs in said["results"]:
        least = 0.7 if "River" in name else 1.5
        ratios.append(Ratio(f"ask and tell, {name}", theirs / mine, None, least))
        rows.append([name, f"{theirs:.2f}", f"{mine:.2f}"])
    if importlib.util.find_spec("skactiveml") is not None:
        seconds = bench.once("skactiveml", Job(run_skactiveml, (data,)))["seconds"]
        theirs, mine = 1e6 * seconds / ROWS, max(ours for _, ours, _ in said["results"][:2])
        name = "iwal1 or margin against scikit-activeml's StreamRandomSampling"
        ratios.append(Ratio(f"ask and tell, {name}", theirs / mine, None, 100.0))
        rows.append([name, f"{theirs:.2f}", f"{mine:.2f}"])
    text = (
        "Microseconds a row, every input check of ours on: process time, but for scikit-activeml, "
        "where it is wall-clock time of one run over other rows, of 200 features, against the "
        "slower of iwal1 and margin. StreamRandomSampling is assumed to be its fastest."
    )
    return ratios, Section(title, text, ["work", "peer", "ours"], rows)


def time_steps(count: int, rounds: int) -> dict[str, list[tuple[str, float, float]]]:
    """Names and microseconds a row, ours and theirs."""
    from benchmarks.steps import measure

    return {"results": [(r.name, r.ours, r.theirs) for r in measure(count, rounds)]}


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
