"""A pool of many rows: ``askance ask`` in rounds, with its speed and memory.

``python -m benchmarks.pool FOLDER --rows 1000000 --jobs 1 2`` makes the pool in pieces of Parquet,
20 numbers in a row, and asks all rounds with each number of processes, checking that the questions
and the model files are the same. ``--cluster 2`` asks with so many workers of Dask as well, and
``--kill 20`` kills one of the workers so many seconds after each round has begun. ``--keep`` leaves
the pool behind. Answers come from the rule that made the rows.
"""

import argparse
import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet

from askance.scale import pending_questions, tell_pool

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


class Team(NamedTuple):
    """So many processes, or workers of Dask."""

    kind: str
    count: int

    @contextlib.contextmanager
    def options(self) -> Iterator[list[str]]:
        """What the command is told, while they are there."""
        if self.kind == "jobs":
            yield ["--jobs", str(self.count)]
            return
        from distributed import LocalCluster

        with LocalCluster(
            n_workers=self.count, threads_per_worker=1, dashboard_address=None
        ) as cluster:
            yield ["--cluster", str(cluster.scheduler_address)]


class Asked(NamedTuple):
    """Of each round its questions, its seconds by the clock and of all processors, and its memory.

    The seconds of processors are those of the command and its processes, and the memory is that of
    the largest of them, in MB; workers of Dask are in neither.
    """

    questions: list[list[tuple[str, float]]]
    seconds: list[float]
    processor: list[float]
    memory: list[float]


def ask_all(
    pool: str, model: Path, plan: list[str], team: Team, rounds: int, kill: float | None = None
) -> Asked:
    """Ask and answer so many rounds by the command."""
    asked = Asked([], [], [], [])
    command = [sys.executable, "-m", "askance", "ask", pool, "--model", str(model), "--force"]
    output = str(model.with_suffix(".csv"))
    for number in range(rounds):
        with team.options() as options:
            start = time.perf_counter()
            process = subprocess.Popen(
                [*command, "-o", output, *options, *(() if number else plan)]
            )
            timer = threading.Timer(kill or 0.0, _kill_one, [process.pid, team])
            if kill is not None:
                timer.start()
            _, status, used = os.wait4(process.pid, 0)
            timer.cancel()
            asked.seconds.append(time.perf_counter() - start)
        if os.waitstatus_to_exitcode(status):
            raise SystemExit(f"round {number + 1} of {model} has failed")
        asked.processor.append(used.ru_utime + used.ru_stime)
        asked.memory.append(used.ru_maxrss / 2**10)
        print(*(f"{one[-1]:.1f}" for one in asked[1:]), flush=True)
        found = [one for one in pending_questions(model) if one.round == number + 1]
        asked.questions.append([(one.id, one.probability) for one in found])
        tell_pool(model, {one.id: answer(dict(one.fields)) for one in found})
    return asked


def _kill_one(command: int, team: Team) -> None:
    """Kill the worker that has worked most: of the command, or of the cluster, which is ours."""
    parent = command if team.kind == "jobs" else os.getpid()
    workers = [(seconds, pid) for pid, seconds in _below(parent) if pid != command]
    seconds, victim = max(workers)
    os.kill(victim, signal.SIGKILL)
    print(f"killed a worker after {seconds:.1f} processor seconds", flush=True)


def _below(parent: int) -> Iterator[tuple[int, float]]:
    """All processes that a process has begun, with their processor seconds."""
    for path in Path(f"/proc/{parent}/task").glob("*/children"):
        for pid in map(int, path.read_text().split()):
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            yield pid, (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
            yield from _below(pid)


def main(arguments: list[str] | None = None) -> None:
    """Make a pool, ask about it with each team, and print one line for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--jobs", type=int, nargs="*", default=[1, 2])
    parser.add_argument("--cluster", type=int, nargs="*", default=[])
    parser.add_argument("--kill", type=float, help="Seconds after which a worker is killed.")
    parser.add_argument("--budget", type=int, default=1000)
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--rounds", type=int, help="Stop after so many; all by default.")
    parser.add_argument("--keep", action="store_true")
    given = parser.parse_args(arguments)
    data = given.folder / f"pool-{given.rows}"
    if not data.exists():
        make_pool(data, given.rows)
    plan = ["--budget", str(given.budget), "--questions", str(given.questions)]
    plan += ["--classes", ",".join(CLASSES)]
    rounds, first = given.rounds or -(-given.budget // given.questions), None
    teams = [Team("jobs", n) for n in given.jobs] + [Team("cluster", n) for n in given.cluster]
    for team in teams:
        model = given.folder / f"{team.kind}-{team.count}.askance"
        model.unlink(missing_ok=True)
        asked = ask_all(f"{data}/*.parquet", model, plan, team, rounds, given.kill)
        first = first or (asked.questions, model.read_bytes())
        facts = {
            "rows": given.rows,
            team.kind: team.count,
            "seconds": [round(one, 1) for one in asked.seconds],
            "processor seconds": [round(one, 1) for one in asked.processor],
            "questions": [len(one) for one in asked.questions],
            "same questions": asked.questions == first[0],
            "same model file": model.read_bytes() == first[1],
            "MB in the largest process": [round(one) for one in asked.memory],
        }
        print(json.dumps(facts), flush=True)
    if not given.keep:
        shutil.rmtree(data)


if __name__ == "__main__":
    main()
