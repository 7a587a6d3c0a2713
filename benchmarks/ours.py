"""Runs of askance's compiled passes from a prepared stream."""

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

import askance
from askance.engine import CHUNK, Group, run_settings, stream_of
from askance.engine.class_group import ClassGroup
from askance.engine.grouping import groups
from askance.kernels import passes
from askance.learners.streaming import StreamingLearner
from askance.simulate import BUDGETS
from benchmarks.streams import Prepared

__all__ = ["Setting", "count", "kind", "memory", "run", "run_classes", "run_grid", "run_lanes"]

Setting = tuple[str, dict[str, Any]]
"""The name of an algorithm and its parameters."""

NEVER = np.array([np.iinfo(np.int64).max])


def load(data: Prepared) -> passes.Stream:
    """Map a prepared stream into memory, check it, and draw its coins."""
    parts = ("indptr", "indices", "values", "labels")
    arrays = [np.asarray(np.load(Path(data.folder) / f"{p}.npy", mmap_mode="r")) for p in parts]
    coins = np.random.default_rng(0).random(len(arrays[-1]))
    return stream_of(*arrays, coins, n_features=data.n_features, n_classes=data.n_classes)


def make(settings: Sequence[Setting]) -> list[StreamingLearner]:
    """Learners of no features at all: parameters for a group."""
    return [askance.make_learner(name, n_features=0, **given) for name, given in settings]


def run(data: Prepared, setting: Setting) -> dict[str, float]:
    """Seconds of one setting over the whole stream, and of that without loading."""
    return run_lanes(data, [setting])


def run_classes(data: Prepared, setting: Setting) -> dict[str, float]:
    """:func:`run` for a learner of several classes, and how many labels it asked."""
    start = time.perf_counter()
    stream = load(data)
    loaded = time.perf_counter()
    name, given = setting
    learner = askance.make_learner(
        name, n_features=data.n_features, n_classes=data.n_classes, **given
    )
    group = ClassGroup(learner)
    group.advance(stream, 0, NEVER)
    end = time.perf_counter()
    return {"seconds": end - start, "net": end - loaded, "asked": int(group.progress.queries[0])}


def run_lanes(data: Prepared, settings: Sequence[Setting]) -> dict[str, float]:
    """Seconds of several settings in one pass, and its processor time without loading."""
    start = time.perf_counter()
    stream = load(data)
    loaded, before = time.perf_counter(), time.process_time()
    group = Group(make(settings), data.n_features)
    group.advance(stream, 0, NEVER)
    end, cpu = time.perf_counter(), time.process_time() - before
    return {"seconds": end - start, "net": end - loaded, "cpu": cpu}


def count(data: Prepared, setting: Setting) -> dict[str, int]:
    """Labels asked and classifiers updated."""
    stream = load(data)
    group = Group(make([setting]), data.n_features)
    group.fit_rows(int(np.diff(stream.indptr).max(initial=0)))
    counts = np.zeros(2, np.int64)
    for i in range(len(stream.labels)):
        group.advance(stream._replace(labels=stream.labels[: i + 1]), i, NEVER)
        counts += group.decided.queried[0], np.count_nonzero(group.work.weights > 0.0)
    return {"queries": int(counts[0]), "updates": int(counts[1])}


def run_grid(data: Prepared, test: Prepared, settings: Sequence[Setting]) -> dict[str, float]:
    """Seconds of a whole grid with its test errors at all label budgets, and of its parts."""
    start = time.perf_counter()
    stream, held_out = load(data), load(test)
    loaded = time.perf_counter()
    learners = make(settings)
    parts: Counter[str] = Counter()
    with _clocked(passes, "count_mistakes", parts):
        for places in groups(learners, data.n_features):
            before = time.perf_counter()
            group = Group([learners[i] for i in places], data.n_features)
            run_settings(group, _chunks(stream), held_out, BUDGETS)
            parts[kind(settings[places[0]])] += time.perf_counter() - before
    end = time.perf_counter()
    return {"seconds": end - start, "net": end - loaded, **parts}


def kind(setting: Setting) -> str:
    """What a setting is counted under: its algorithm, or the size of its cover."""
    name, given = setting
    return f"cover {given['cover_size']}" if "cover_size" in given else name


@contextmanager
def _clocked(module: Any, name: str, parts: Counter[str]) -> Iterator[None]:
    """Add the time that a module's function takes to the parts."""
    function = getattr(module, name)

    def timed(*arguments: Any) -> Any:
        start = time.perf_counter()
        try:
            return function(*arguments)
        finally:
            parts[name] += time.perf_counter() - start

    setattr(module, name, timed)
    try:
        yield
    finally:
        setattr(module, name, function)


def _chunks(stream: passes.Stream) -> list[passes.Stream]:
    n = len(stream.labels)
    return [
        stream._replace(
            indptr=stream.indptr[i : i + CHUNK + 1],
            labels=stream.labels[i : i + CHUNK],
            coins=stream.coins[i : i + CHUNK],
        )
        for i in range(0, n, CHUNK)
    ]


def memory(data: Prepared, setting: Setting) -> dict[str, float]:
    """Megabytes that a run adds to the process at its peak, every page of the state touched."""
    stream = load(data)
    Group(make([setting]), data.n_features).advance(
        stream._replace(labels=stream.labels[:0]), 0, NEVER
    )
    before = _status("VmRSS")
    group = Group(make([setting]), data.n_features)
    group.lanes.weights.fill(0.0)
    group.lanes.gradients.fill(0.0)
    group.advance(stream, 0, NEVER)
    state = (group.lanes.weights.nbytes + group.lanes.gradients.nbytes) / 1e6
    return {"megabytes": _status("VmHWM") - before, "state": state}


def _status(field: str) -> float:
    """Megabytes of this program alone: ``ru_maxrss`` would begin with the peak of its parent."""
    lines = Path("/proc/self/status").read_text().splitlines()
    found = next(line for line in lines if line.startswith(field))
    return int(found.split()[1]) * 1024 / 1e6
