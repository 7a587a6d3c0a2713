"""Ask two rounds about a pool on a Dask cluster whose two workers are both killed on the way.

python dask_ask.py POOL MODEL: prints the questions as JSON, and what is then predicted there.
"""

import json
import os
import signal
import sys

import numpy as np
from distributed import Client, LocalCluster
from sklearn.linear_model import LogisticRegression

from askance import ActiveLearner
from askance.data.reading.intake import Reading
from askance.scale import PoolPlan, Workers, ask_pool, predict_pool, tell_pool, workers


def label(fields):
    return "up" if fields["x"] + 0.3 * fields["y"] > 0 else "down"


def main(pool: str, model: str) -> None:
    plan = PoolPlan(
        budget=150,
        questions=50,
        reading=Reading(id="doc", bits=8),
        classes=("down", "up"),
        parameters={"estimator": LogisticRegression()},
    )
    asked = []
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        victims = list(client.run(os.getpid).values())
        in_order = workers._in_order

        def kill_once(*arguments):
            for result in in_order(*arguments):
                while victims:
                    os.kill(victims.pop(), signal.SIGKILL)
                yield result

        workers._in_order = kill_once
        team = Workers(cluster=cluster.scheduler_address)
        for number in range(2):
            found = ask_pool(pool, model, plan if number == 0 else None, workers=team)
            asked.append([[one.id, one.probability] for one in found.questions])
            tell_pool(model, {one.id: label(one.fields) for one in found.questions})
        assert not victims
        chunks = list(predict_pool(ActiveLearner.load(model), pool, team))
    columns = [np.concatenate([one[name] for one in chunks]) for name in ("id", "probability_up")]
    said = list(zip(*map(np.ndarray.tolist, columns), strict=True))
    sys.stdout.write(json.dumps([asked, said]))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
