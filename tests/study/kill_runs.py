"""Run a study in children that are killed at random moments, until one comes to its end.

python kill_runs.py STUDY STORE KILLS: prints how many kills hit a run under way. One process
imports, and loads what is compiled, once; its children are forks.
"""

import os
import random
import signal
import sys
import time

from askance.study import execute
from askance.study.design import read_study
from askance.study.store import Store


def child(study_path: str, folder: str) -> None:
    study, store = read_study(study_path), Store(folder)
    with store.writing(study.text):
        tasks = list(execute.plan(study, list(execute.missing(study, store))))
        execute.run(tasks, store, jobs=1)
        store.compact()


def forked(study_path: str, folder: str, seconds: float | None) -> bool:
    """Whether the child came to its end before it was killed."""
    pid = os.fork()
    if pid == 0:
        child(study_path, folder)
        os._exit(0)
    if seconds is not None:
        time.sleep(seconds)
        os.kill(pid, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


def main(study_path: str, folder: str, kills: int) -> None:
    child(study_path, f"{folder}-warm")
    start = time.perf_counter()
    assert forked(study_path, f"{folder}-whole", None)
    whole = time.perf_counter() - start
    rng = random.Random(0)
    hits = 0
    for _ in range(kills):
        hits += not forked(study_path, folder, rng.random() * whole / 8)
    assert forked(study_path, folder, None)
    sys.stdout.write(f"{hits}\n")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
