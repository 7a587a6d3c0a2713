"""Ask about a pool of text on a Dask cluster of one worker with four threads, and break it.

python dask_threads.py POOL MODEL: prints as JSON the ids of the questions, for how many threads
pieces were under way, and what is said when the worker dies over a piece again and again.
"""

import json
import os
import sys

from distributed import LocalCluster
from tests.scale.conftest import plan

from askance.data.reading.intake import Reading
from askance.errors import AskanceError
from askance.scale import Workers, ask_pool, workers


def dies(job, piece):
    os._exit(1)


def main(pool: str, model: str) -> None:
    threads = []
    in_order = workers._in_order

    def noted(submit, waiting, count):
        threads.append(count)
        return in_order(submit, waiting, count)

    workers._in_order = noted
    with LocalCluster(n_workers=1, threads_per_worker=4, dashboard_address=None) as cluster:
        team = Workers(cluster=cluster.scheduler_address)
        found = ask_pool(pool, model, plan(reading=Reading()), workers=team)
        said = ""
        try:
            with team.running() as each:
                list(each(dies, None, [1]))
        except AskanceError as error:
            said = str(error)
    sys.stdout.write(json.dumps([[one.id for one in found.questions], threads, said]))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
