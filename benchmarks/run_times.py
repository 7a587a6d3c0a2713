"""CPU seconds of whole runs: `auto` beside the pool-based peer that asks best, in turns.

Both run in this process on one thread, one after the other, so a busy machine slows both alike.
"""

import csv
import io
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from threadpoolctl import threadpool_limits

from askance.kernels.passes import Stream
from askance.presets import make_learner
from askance.simulate import run_blocks
from askance.storage.files import write_atomically
from askance.study.design import Study
from askance.study.origins import split
from benchmarks import pools

__all__ = ["TIMED", "Taken", "measure", "read_times", "write_times"]

TIMED = ("adult", "covtype", "ijcnn1", "letter")


class Taken(NamedTuple):
    """CPU seconds of a run."""

    data: str
    contestant: str
    budget: int
    seconds: float


def measure(study: Study, peer: str, data_dir: Path | None = None) -> Iterator[Taken]:
    """Time both on some data sets of a study, its first permutation."""
    for origin in (one for one in study.origins if one.name in TIMED):
        train, test, *_ = split(origin, 1, data_dir)
        sides = {"auto": _ours(train, test), peer: _theirs(train, test, peer)}
        for side in sides.values():
            # What is compiled or imported at first is not of the run.
            side(min(study.budgets))
        for budget in study.budgets:
            for name, side in sides.items():
                yield Taken(origin.name, name, budget, _cpu(side, budget))


def _cpu(side: Callable[[int], object], budget: int) -> float:
    start = time.process_time()
    with threadpool_limits(1):
        side(budget)
    return time.process_time() - start


def _ours(train: Stream, test: Stream) -> Callable[[int], object]:
    X, tested, labels = pools.matrix(train), pools.matrix(test), train.labels.tolist()

    def run(budget: int) -> object:
        options = {"budget": budget, "horizon": len(labels), "seed": 1}
        learner = make_learner("auto", n_features=train.n_features, **options)
        run_blocks(learner, X, train.coins, labels.__getitem__, limit=budget)
        learner.settle()
        return learner.predict_many(tested)

    return run


def _theirs(train: Stream, test: Stream, peer: str) -> Callable[[int], object]:
    X, tested = (pools.dense(stream) for stream in (train, test))

    def run(budget: int) -> object:
        model, _ = pools.PEERS[peer].fitted(X, train.labels, budget, 1)
        return model.predict(tested)

    return run


def write_times(path: Path, taken: list[Taken]) -> None:
    """Keep them as CSV."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(Taken._fields)
    writer.writerows(one._replace(seconds=round(one.seconds, 3)) for one in taken)
    with write_atomically(path) as file:
        file.write(text.getvalue().encode())


def read_times(path: Path) -> list[Taken]:
    """What was kept, if anything was."""
    if not path.is_file():
        return []
    with path.open(newline="") as file:
        return [
            Taken(row["data"], row["contestant"], int(row["budget"]), float(row["seconds"]))
            for row in csv.DictReader(file)
        ]
