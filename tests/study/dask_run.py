"""Run a study on a Dask cluster of two workers of which one is killed on the way.

python dask_run.py STUDY STORE: prints how many tasks were stored when the worker died.
"""

import os
import signal
import sys

from distributed import Client, LocalCluster

from askance.study import execute
from askance.study.design import read_study
from askance.study.store import Store


def main(study_path: str, folder: str) -> None:
    study, store = read_study(study_path), Store(folder)
    stored: list[int] = []

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as client,
        store.writing(study.text),
    ):
        victim = next(iter(client.run(os.getpid).values()))

        def kill_once(task: execute.Task, outcomes: object) -> None:
            stored.append(len(task.cells))
            if len(stored) == 3:
                os.kill(victim, signal.SIGKILL)

        tasks = list(execute.plan(study, list(execute.missing(study, store))))
        execute.run(tasks, store, dask=cluster.scheduler_address, on_task=kill_once)
        assert 3 < len(stored) == len(tasks)
    sys.stdout.write("killed one of two\n")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
