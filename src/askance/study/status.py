"""What a store holds of a study, and whether it can be trusted."""

import random
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice, zip_longest
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from askance.errors import FileUnreadable
from askance.study.design import Cell, Study, code_of
from askance.study.execute import Task, cells, codes, missing, run_task
from askance.study.origins import fingerprint, present
from askance.study.store import Store, cells_of, read_results

__all__ = ["Failure", "Line", "Verified", "failures", "progress", "shortfall", "verify_sample"]


class Line(NamedTuple):
    """Cells of one data set, and the processor time they took."""

    dataset: str
    done: int
    failed: int
    missing: int
    seconds: float


def progress(study: Study, store: Store, data_dir: Path | None = None) -> list[Line]:
    """Count the cells of each data set of a study that is here, in the order they run."""
    # What would be tried again has no result: it failed by this code, or is missing.
    lacking = {cell for _, some in missing(study, store, data_dir, retry=True) for cell in some}
    bad = _failed(store.table())
    failed = lacking & {cell for code in codes(study) for cell in cells_of(bad, code)}
    wanted: dict[str, list[Cell]] = {}
    for origin, some in cells(study, data_dir):
        wanted.setdefault(origin.name, []).extend(some)
    seconds = _seconds(_known(study, store), study.budgets[-1])
    lines = []
    for name, some in wanted.items():
        lacks, wrong = sum(c in lacking for c in some), sum(c in failed for c in some)
        spent = seconds.get(name, 0.0)
        lines.append(Line(name, len(some) - lacks, wrong, lacks - wrong, spent))
    return lines


def _failed(table: pa.Table) -> pa.Table:
    return table.filter(pc.is_valid(table["failure"]))


def shortfall(lines: Sequence[Line], absent: Sequence[str] = ()) -> str:
    """One sentence about the cells without a result, and where they are; empty if there are none.

    >>> shortfall([Line("digits", 5, 0, 0, 1.0), Line("adult", 5, 2, 1, 1.0)], ["bank"])
    '3 of 13 cells have no result: adult (2 failed, 1 missing); the data of bank is missing'
    >>> shortfall([Line("digits", 5, 0, 0, 1.0)])
    ''
    """
    lacking = sum(line.failed + line.missing for line in lines)
    wanted = lacking + sum(line.done for line in lines)
    where = ", ".join(f"{line.dataset} ({_lacks(line)})" for line in lines if _lacks(line))
    parts = [f"{lacking} of {wanted} cells have no result: {where}"] if lacking else []
    parts += [f"the data of {', '.join(absent)} is missing"] if absent else []
    return "; ".join(parts)


def _lacks(line: Line) -> str:
    counts = (line.failed, "failed"), (line.missing, "missing")
    return ", ".join(f"{count} {word}" for count, word in counts if count)


def _known(study: Study, store: Store) -> pa.Table:
    """The rows of the store, and of the finished results that the study names."""
    if study.results is None:
        return store.table()
    return read_results(store.folder, study.results)


def _seconds(table: pa.Table, last: int) -> dict[str, float]:
    once = table.filter(pc.equal(table["budget"], last)).select(["dataset", "seconds"])
    once = once.set_column(0, "dataset", once["dataset"].cast(pa.string()))
    sums = once.group_by("dataset").aggregate([("seconds", "sum")])
    return dict(zip(sums["dataset"].to_pylist(), sums["seconds_sum"].to_pylist(), strict=True))


class Failure(NamedTuple):
    """A cell that failed, with its error."""

    cell: Cell
    error: str


def failures(store: Store) -> list[Failure]:
    """Every cell that failed."""
    return [
        Failure(Cell(**{name: row[name] for name in Cell._fields}), row["failure"])
        for row in _failed(store.table()).to_pylist()
    ]


class Verified(NamedTuple):
    """How many cells were run again, how many of another code version, and which differ."""

    checked: int
    other_version: int
    differing: list[Cell]


def verify_sample(
    study: Study,
    store: Store,
    data_dir: Path | None = None,
    *,
    sample: int = 50,
    seed: int = 0,
) -> Verified:
    """Run random cells again, from every data set and algorithm in turn.

    Each runs alone, so this also checks that a group changes nothing.
    """
    table = store.table()
    origins = {(o.name, fingerprint(o, data_dir)): o for o in present(study.origins, data_dir)}
    known = [c for c in cells_of(table, failed=False) if (c.dataset, c.data) in origins]
    if not known:
        raise FileUnreadable(f"{store.folder} holds no result whose data is here")
    chosen = list(islice(_in_turns(known, seed), sample))
    wrong, foreign = [], 0
    # By permutation, so that each is read once.
    for cell in sorted(chosen):
        kept = _rows(table, cell)
        foreign += any(row["code"] != code_of(cell.algorithm) for row in kept)
        task = Task(origins[cell.dataset, cell.data], study.budgets, data_dir, (cell,), 1.0)
        again = [
            (r.budget, r.queries, r.examples, r.error) for one in run_task(task) for r in one.rows
        ]
        if any((r["budget"], r["queries"], r["examples"], r["error"]) not in again for r in kept):
            wrong.append(cell)
    return Verified(len(chosen), foreign, wrong)


def _in_turns(known: Iterable[Cell], seed: int) -> Iterator[Cell]:
    """Cells in a random order, one of each data set and algorithm before a second of any.

    A plain draw would fall where the largest grids are: half of the paper's cells are of one
    algorithm, and a small sample would say nothing of most others. Neighbours differ in both, so
    that the first few have every data set, and every algorithm, as far as they go round.
    """
    chance = random.Random(seed)
    strata: dict[tuple[str, str], list[Cell]] = {}
    for cell in sorted(known):
        strata.setdefault((cell.dataset, cell.algorithm), []).append(cell)
    datasets, algorithms = (sorted({pair[i] for pair in strata}) for i in (0, 1))
    chance.shuffle(datasets)
    chance.shuffle(algorithms)
    order = [
        (dataset, algorithms[(place + turn) % len(algorithms)])
        for turn in range(len(algorithms))
        for place, dataset in enumerate(datasets)
    ]
    some = [strata[pair] for pair in order if pair in strata]
    decks = [chance.sample(cells, len(cells)) for cells in some]
    return (cell for cell in chain.from_iterable(zip_longest(*decks)) if cell is not None)


def _rows(table: pa.Table, cell: Cell) -> list[dict[str, object]]:
    for name, value in zip(Cell._fields, cell, strict=True):
        table = table.filter(pc.equal(table[name], value))
    rows: list[dict[str, object]] = table.to_pylist()
    return rows
