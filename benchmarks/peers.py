"""scikit-activeml and River on a small stream, row by row as they are meant to be used.

Ours is the compiled pass of margin sampling over the same rows; ask and tell row by row, from
Python, has rows of its own.
"""

import importlib.util
import itertools
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from benchmarks import ours
from benchmarks.steps import Result, measure, measure_classes
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
    what = "A whole stream; theirs row by row, ours a compiled pass. Rows of 30 features of 200."
    text = " ".join([what, *absent])
    return ratios, Section("Other libraries", text, ["peer", "its time", "ours"], rows)


def step_rows(bench: Bench, count: int) -> tuple[list[Ratio], Section]:
    """Ask and tell from Python, one row at a time."""
    results = bench.once("ours", Job(time_steps, (count, bench.repeats)))["results"]
    text = (
        "Microseconds of process time a row, every input check of ours on, and the share of rows "
        "whose label was asked and told. River, scikit-activeml and we get the same rows of 30 "
        "features, Vowpal Wabbit and we the same of 30 out of 10,000. Of scikit-activeml's stream "
        "strategies, the two that look at no model and so are the fastest are tried with three "
        "classifiers each; the fastest pair counts, at its budget of a tenth of the labels. Both "
        "of our learners must keep up with it, iwal1 at a c0 at which it asks as few; what it "
        "takes at its default, where it asks and learns many more, stands beside it."
    )
    return _stepped("Ask and tell, one row at a time", text, results)


def class_step_rows(bench: Bench, count: int) -> tuple[list[Ratio], Section]:
    """The same with several classes."""
    results = bench.once("ours", Job(time_class_steps, (count, 2 * bench.repeats)))["results"]
    text = (
        "Microseconds of process time a row. River's EntropySampler over its "
        "OneVsRestClassifier of logistic regressions never asks while it knows no class, so it is "
        "told the first labels."
    )
    return _stepped("Ask and tell with several classes", text, results)


def _stepped(title: str, text: str, results: Sequence[Result]) -> tuple[list[Ratio], Section]:
    ratios = [Ratio(f"ask and tell, {r.name}", r.ratio, None, r.least) for r in results]
    rows = [
        [r.name, *(f"{side.microseconds:.2f}" for side in (r.theirs, r.ours)), *_asked(r)]
        for r in results
    ]
    return ratios, Section(title, text, ["work", "peer", "ours", "peer asks", "we ask"], rows)


def _asked(result: Result) -> list[str]:
    shares = (result.theirs.asked, result.ours.asked)
    return ["" if np.isnan(share) else f"{share:.0%}" for share in shares]


def time_steps(count: int, rounds: int) -> dict[str, list[Result]]:
    """The comparisons with all peers that are installed."""
    return {"results": list(measure(count, rounds))}


def time_class_steps(count: int, rounds: int) -> dict[str, list[Result]]:
    """The comparisons with several classes."""
    return {"results": list(measure_classes(count, rounds))}


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
