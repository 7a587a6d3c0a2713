"""Run what is missing of a study: the same tasks on this machine's processes or on Dask.

A task is a group of settings over one permutation, run in one compiled pass, or one setting that no
pass is compiled for. ``auto`` plans for its budget, so it goes by the loop in blocks once for each.
What a setting gives does not depend on the group that it runs in, nor on who runs it.
"""

import contextlib
import functools
import json
import logging
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import joblib
import numpy as np
from scipy.sparse import csr_array

from askance.engine import cover_size, groups, is_compilable
from askance.errors import AskanceError, InvalidParameter
from askance.kernels.passes import Stream
from askance.learners.streaming import StreamingLearner
from askance.presets import checked, make_learner
from askance.simulate import Contestant, Seat, run_blocks, run_matrix, simulate_settings
from askance.study.design import Cell, Origin, Study, code_of
from askance.study.origins import Permuted, fingerprint, present, split, width
from askance.study.store import Outcome, Store, cells_of, read_results
from askance.types import Integers, Matrix, ResultRow

__all__ = ["Task", "cells", "codes", "missing", "plan", "run", "run_task"]

logger = logging.getLogger("askance")


@dataclass(frozen=True, slots=True)
class Task:
    """Settings to run over one permutation of one data set, with what that is worth in work."""

    origin: Origin
    budgets: tuple[int, ...]
    data_dir: Path | None
    cells: tuple[Cell, ...]
    work: float


def cells(study: Study, data_dir: Path | None = None) -> Iterator[tuple[Origin, list[Cell]]]:
    """Every cell of a study whose data is here, by data set and permutation."""
    settings = list(study.settings())
    for origin in present(study.origins, data_dir):
        data = fingerprint(origin, data_dir)
        for j in range(1, study.permutations + 1):
            yield origin, [Cell(origin.name, data, j, *pair) for pair in settings]


def codes(study: Study) -> set[str]:
    """The code versions of a study's algorithms."""
    return {code_of(algorithm) for algorithm, _ in study.settings()}


def missing(
    study: Study, store: Store, data_dir: Path | None = None, *, retry: bool = False
) -> Iterator[tuple[Origin, list[Cell]]]:
    """Cells without a result: of this code version in the store, or of any in the study's results.

    A cell that failed counts as done unless it is to be tried again.
    """
    done = {cell for code in codes(study) for cell in store.done(code, failed=not retry)}
    if study.results is not None:
        done |= cells_of(read_results(study.results), failed=False)
    for origin, wanted in cells(study, data_dir):
        yield origin, [cell for cell in wanted if cell not in done]


def plan(
    study: Study, todo: Sequence[tuple[Origin, list[Cell]]], data_dir: Path | None = None
) -> Iterator[Task]:
    """Group cells into tasks: one algorithm, one cover size, as many as fit the cache."""
    for origin, wanted in todo:
        if not wanted:
            continue
        for group in _groups(wanted, width(origin, data_dir)):
            work = sum(map(_lanes, group))
            yield Task(origin, study.budgets, data_dir, tuple(group), work)


def _groups(wanted: list[Cell], n_features: int) -> Iterator[list[Cell]]:
    together: dict[Cell, StreamingLearner] = {}
    alone: list[Cell] = []
    for cell in wanted:
        learner = _prototype(cell.algorithm, cell.setting)
        # A setting that is no learner fails when it runs.
        if learner is not None and is_compilable(learner):
            together[cell] = learner
        else:
            alone.append(cell)
    cells = list(together)
    for positions in groups(list(together.values()), n_features):
        yield [cells[i] for i in positions]
    yield from ([cell] for cell in alone)


@functools.cache
def _prototype(algorithm: str, setting: str) -> StreamingLearner | None:
    """A learner with the parameters of a setting, for no feature at all."""
    try:
        return checked(algorithm, json.loads(setting))
    except AskanceError:
        return None


_AS_LANES = 1000
"""Classifiers of one pass that take about as long as a run of ``auto``."""


def _lanes(cell: Cell) -> int:
    """Classifiers that a setting keeps: the ERM and its cover."""
    if cell.algorithm == "auto":
        return _AS_LANES
    learner = _prototype(cell.algorithm, cell.setting)
    return 1 if learner is None else 1 + cover_size(learner)


def run_task(task: Task) -> list[Outcome]:
    """Run a task in this process; what goes wrong becomes an outcome too."""
    good: list[Cell] = []
    outcomes: list[Outcome] = []
    for cell in task.cells:
        try:
            checked(cell.algorithm, json.loads(cell.setting))
            good.append(cell)
        except AskanceError as error:
            outcomes.append(_failed(cell, error))
    if not good:
        return outcomes
    try:
        return outcomes + _run_group(task, good)
    except Exception as error:  # a broken cell must not end the study
        logger.exception("a task failed")
        return outcomes + [_failed(cell, error) for cell in good]


def _failed(cell: Cell, error: Exception) -> Outcome:
    failure = f"{type(error).__name__}: {error}"
    return Outcome(cell, (), 0.0, code_of(cell.algorithm), failure)


def _run_group(task: Task, good: list[Cell]) -> list[Outcome]:
    parts = split(task.origin, task.cells[0].permutation, task.data_dir)
    if good[0].algorithm == "auto":
        return [outcome for cell in good for outcome in _run_planned(task, cell, parts)]
    if parts.classes or good[0].algorithm == "coal":
        return [_run_lanes(task, cell, parts) for cell in good]
    train, test, n_features, _ = parts
    start = time.perf_counter()
    settings = [Contestant("", cell.algorithm, json.loads(cell.setting)) for cell in good]
    runs = simulate_settings(settings, n_features, train, test, budgets=task.budgets)
    seconds = (time.perf_counter() - start) / len(good)
    return [
        Outcome(cell, run.rows, seconds, code_of(cell.algorithm))
        for cell, run in zip(good, runs, strict=True)
    ]


def _run_lanes(task: Task, cell: Cell, parts: Permuted) -> Outcome:
    """One setting of a learner that has a lane for each class."""
    start = time.perf_counter()
    parameters = json.loads(cell.setting) | parts.classes
    learner = make_learner(cell.algorithm, n_features=parts.n_features, **parameters)
    labels, signs = parts.train.labels.tolist(), "n_classes" not in parts.classes
    if signs:
        labels = [int(label > 0) for label in labels]
    tested = _matrix(parts.test)

    def measure() -> float:
        said = learner.predict_many(tested)
        return _loss(parts, 2 * said - 1 if signs else said)

    seat: Seat[int] = Seat(learner, parts.train.coins.tolist(), task.budgets, error=measure)
    run = run_matrix(seat, _matrix(parts.train), labels.__getitem__)
    return Outcome(cell, run.rows, time.perf_counter() - start, code_of(cell.algorithm))


def _loss(parts: Permuted, said: Integers) -> float:
    """The share of wrong predictions, or their mean cost."""
    truth = parts.test.labels
    if "cost_matrix" not in parts.classes:
        return float(np.mean(said != truth))
    if "n_classes" not in parts.classes:
        said, truth = (said > 0).astype(int), (truth > 0).astype(int)
    return float(np.mean(np.array(parts.classes["cost_matrix"])[truth.astype(int), said]))


def _run_planned(task: Task, cell: Cell, parts: Permuted) -> Iterator[Outcome]:
    """One run for each budget, with its own seconds.

    A setting with a ``rate`` keeps to it until its labels are spent, instead of pacing them.
    """
    train = parts.train
    parameters, labels = json.loads(cell.setting) | parts.classes, train.labels.tolist()
    X, tested = _matrix(train), _matrix(parts.test)
    for budget in task.budgets:
        start = time.perf_counter()
        learner = make_learner(
            "auto",
            n_features=train.n_features,
            budget=budget,
            horizon=None if "rate" in parameters else len(labels),
            seed=cell.permutation,
            **parameters,
        )
        run = run_blocks(learner, X, train.coins, labels.__getitem__, limit=budget)
        learner.settle()
        error = _loss(parts, learner.predict_many(tested))
        row = ResultRow(budget, run.queries, run.examples, error, run.queries == budget)
        seconds = time.perf_counter() - start
        yield Outcome(cell, (row,), seconds, code_of("auto"))


def _matrix(stream: Stream) -> Matrix:
    parts = stream.values.astype(np.float64), stream.indices, stream.indptr
    return csr_array(parts, shape=(len(stream.labels), stream.n_features))


def run(
    tasks: Sequence[Task],
    store: Store,
    *,
    jobs: int = -1,
    dask: str | None = None,
    on_task: Callable[[Task, list[Outcome]], None] | None = None,
) -> None:
    """Run tasks on processes, or on a Dask cluster, and store each as it arrives.

    The store must be held with :meth:`Store.writing`. An interrupt loses the tasks under way.
    """
    with _backend(dask):
        parallel = joblib.Parallel(
            n_jobs=jobs if dask is None else -1, return_as="generator_unordered", batch_size=1
        )
        results = parallel(joblib.delayed(_numbered)(i, task) for i, task in enumerate(tasks))
        try:
            for i, outcomes in results:
                store.add(outcomes)
                if on_task is not None:
                    on_task(tasks[i], outcomes)
        finally:
            results.close()


def _numbered(i: int, task: Task) -> tuple[int, list[Outcome]]:
    return i, run_task(task)


@contextlib.contextmanager
def _backend(dask: str | None) -> Iterator[Any]:
    if dask is None:
        with joblib.parallel_config("loky"):
            yield
        return
    try:
        from distributed import Client
    except ImportError:
        raise InvalidParameter("--dask needs the extra: pip install 'askance[dask]'") from None
    connect: Any = Client
    with connect(dask), joblib.parallel_config("dask"):
        yield
