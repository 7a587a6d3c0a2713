"""A pool of many rows: ``askance ask`` in rounds, with its speed and memory.

``python -m benchmarks.pool FOLDER --rows 1000000 --jobs 1 2`` makes the pool in pieces of Parquet,
20 numbers in a row, and asks all rounds with each number of processes, checking that the questions
are the same. ``--keep`` leaves the pool behind. Answers come from the rule that made the rows.
"""

import argparse
import json
import resource
import shutil
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet

from askance.scale import PoolPlan, Workers, ask_pool, tell_pool

__all__ = ["Asked", "answer", "ask_all", "main", "make_pool"]

COLUMNS = 20
FILE_ROWS = 1_000_000
GROUP_ROWS = 1 << 17
CLASSES = ("below", "above")


def make_pool(folder: Path, rows: int) -> None:
    """Write the pool, a file of at most a million rows at a time."""
    folder.mkdir(parents=True, exist_ok=True)
    for start in range(0, rows, FILE_ROWS):
        count = min(FILE_ROWS, rows - start)
        X = np.random.default_rng([7, start]).normal(size=(count, COLUMNS)).astype(np.float32)
        table = pa.table({f"x{j}": X[:, j] for j in range(COLUMNS)})
        path = folder / f"part-{start // FILE_ROWS:05}.parquet"
        pa.parquet.write_table(table, path, row_group_size=GROUP_ROWS)


def answer(fields: dict[str, float]) -> str:
    """The label of a row: a curved boundary through five of its numbers."""
    score = fields["x0"] + fields["x1"] - 0.5 * fields["x2"] ** 2 + fields["x3"] * fields["x4"]
    return CLASSES[int(score > 0)]


class Asked(NamedTuple):
    """The questions of each round, and its seconds by the clock and of all processors."""

    questions: list[list[tuple[str, float]]]
    seconds: list[float]
    processor: list[float]


def ask_all(pool: str, model: Path, plan: PoolPlan, jobs: int, rounds: int) -> Asked:
    """Ask and answer so many rounds."""
    asked = Asked([], [], [])
    for number in range(rounds):
        start, used = time.perf_counter(), _processor_seconds()
        found = ask_pool(pool, model, plan if number == 0 else None, workers=Workers(jobs))
        asked.seconds.append(time.perf_counter() - start)
        asked.processor.append(_processor_seconds() - used)
        asked.questions.append([(one.id, one.probability) for one in found.questions])
        tell_pool(model, {one.id: answer(one.fields) for one in found.questions})
    return asked


def _usage() -> list[resource.struct_rusage]:
    return [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]


def _processor_seconds() -> float:
    return sum(used.ru_utime + used.ru_stime for used in _usage())


def main(arguments: list[str] | None = None) -> None:
    """Make a pool, ask about it with each number of processes, and print one line for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--jobs", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--budget", type=int, default=1000)
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--rounds", type=int, help="Stop after so many; all by default.")
    parser.add_argument("--keep", action="store_true")
    given = parser.parse_args(arguments)
    data = given.folder / f"pool-{given.rows}"
    if not data.exists():
        make_pool(data, given.rows)
    plan = PoolPlan(budget=given.budget, questions=given.questions, classes=CLASSES)
    rounds, first = given.rounds or -(-given.budget // given.questions), None
    for jobs in given.jobs:
        model = given.folder / f"model-{jobs}.askance"
        model.unlink(missing_ok=True)
        asked = ask_all(f"{data}/*.parquet", model, plan, jobs, rounds)
        first = first or asked.questions
        facts = {
            "rows": given.rows,
            "jobs": jobs,
            "seconds": [round(one, 1) for one in asked.seconds],
            "processor seconds": [round(one, 1) for one in asked.processor],
            "rows per processor second": round(given.rows * rounds / sum(asked.processor)),
            "questions": [len(one) for one in asked.questions],
            "same questions": asked.questions == first,
            "MB here and in the largest process": [round(u.ru_maxrss / 2**10) for u in _usage()],
        }
        print(json.dumps(facts), flush=True)
    if not given.keep:
        shutil.rmtree(data)


if __name__ == "__main__":
    main()
