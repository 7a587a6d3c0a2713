"""What a store holds of a study, and whether it can be trusted."""

import random
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from askance.errors import FileUnreadable
from askance.kernels._jit import CODE_VERSION
from askance.study.design import Cell, Study
from askance.study.execute import Task, cells, missing, run_task
from askance.study.origins import fingerprint, present
from askance.study.store import Store, cells_of, read_results

__all__ = ["Line", "failures", "progress", "verify_sample"]


class Line(NamedTuple):
    """Cells of one data set, and the processor time they took."""

    dataset: str
    done: int
    failed: int
    missing: int
    seconds: float


def progress(study: Study, store: Store, data_dir: Path | None = None) -> list[Line]:
    """Count the cells of each data set of a study that is here, in the order they run."""
    wanted: Counter[str] = Counter()
    left: Counter[str] = Counter()
    for origin, some in cells(study, data_dir):
        wanted[origin.name] += len(some)
    for origin, some in missing(study, store, data_dir):
        left[origin.name] += len(some)
    failed = Counter(cell.dataset for cell, _ in failures(store))
    seconds = _seconds(_known(study, store), study.budgets[0])
    return [
        Line(name, n - left[name] - failed[name], failed[name], left[name], seconds.get(name, 0.0))
        for name, n in wanted.items()
    ]


def _known(study: Study, store: Store) -> pa.Table:
    """The rows of the store, and of the finished results that the study names."""
    if study.results is None:
        return store.table()
    return read_results(store.folder, study.results)


def _seconds(table: pa.Table, first: int) -> dict[str, float]:
    once = table.filter(pc.equal(table["budget"], first)).select(["dataset", "seconds"])
    once = once.set_column(0, "dataset", once["dataset"].cast(pa.string()))
    sums = once.group_by("dataset").aggregate([("seconds", "sum")])
    return dict(zip(sums["dataset"].to_pylist(), sums["seconds_sum"].to_pylist(), strict=True))


def failures(store: Store) -> list[tuple[Cell, str]]:
    """Every cell that failed, with its error."""
    table = store.table()
    failed = table.filter(pc.is_valid(table["failure"]))
    return [
        (Cell(**{name: row[name] for name in Cell._fields}), row["failure"])
        for row in failed.to_pylist()
    ]


def verify_sample(
    study: Study,
    store: Store,
    data_dir: Path | None = None,
    *,
    sample: int = 50,
    seed: int = 0,
) -> tuple[int, int, list[Cell]]:
    """Run random cells again: how many, how many of another code version, and which differ.

    Each runs alone, so this also checks that a group changes nothing.
    """
    table = store.table()
    origins = {(o.name, fingerprint(o, data_dir)): o for o in present(study.origins, data_dir)}
    known = [c for c in cells_of(table, failed=False) if (c.dataset, c.data) in origins]
    if not known:
        raise FileUnreadable(f"{store.folder} holds no result whose data is here")
    chosen = random.Random(seed).sample(sorted(known), min(sample, len(known)))
    wrong, foreign = [], 0
    for cell in chosen:
        kept = _rows(table, cell)
        foreign += any(row["code"] != CODE_VERSION for row in kept)
        task = Task(origins[cell.dataset, cell.data], study.budgets, data_dir, (cell,), 1.0)
        again = run_task(task)[0].rows
        if any((r["budget"], r["queries"], r["examples"], r["error"]) not in again for r in kept):
            wrong.append(cell)
    return len(chosen), foreign, wrong


def _rows(table: pa.Table, cell: Cell) -> list[dict[str, object]]:
    for name, value in zip(Cell._fields, cell, strict=True):
        table = table.filter(pc.equal(table[name], value))
    rows: list[dict[str, object]] = table.to_pylist()
    return rows
