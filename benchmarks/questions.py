"""How long a person waits for the next question of `askance label`, with and without a refit.

``python -m benchmarks.questions`` makes a file, labels it until the classifier is about to be
fitted to 1,033 labels, and then answers again and again from there, each time in a copy of that
session, with a person's pauses. A wait is from the key to the question: the answer goes to the
disk, is learned, and the next question is found and read.
"""

import csv
import shutil
import statistics
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import typer

from askance.labelling.opening import opened
from askance.labelling.session import Session
from askance.labelling.settings import LAG, Settings

ROWS, COLUMNS = 45_000, 8
LABELS, BUDGET = 1030, 1500


class Wait(NamedTuple):
    """Seconds until the next question, and whether a classifier was being fitted."""

    seconds: float
    fitting: bool


def make_file(path: Path) -> list[bool]:
    """Write numbers, and give the answers about them."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(ROWS, COLUMNS)).round(4)
    noise = 0.5 * rng.normal(size=ROWS)
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([f"x{i}" for i in range(COLUMNS)])
        writer.writerows(X.tolist())
    truth: list[bool] = (X[:, 0] + X[:, 1] * X[:, 2] + noise > 0).tolist()
    return truth


class Watched(ThreadPoolExecutor):
    """One thread, of which it is known whether it works."""

    last: Future[Any] | None = None

    def submit(self, *work: Any, **options: Any) -> Future[Any]:
        self.last = super().submit(*work, **options)
        return self.last

    @property
    def busy(self) -> bool:
        return self.last is not None and not self.last.done()


@contextmanager
def session_of(file: Path, folder: Path, lag: int, executor: Watched | None) -> Iterator[Session]:
    """The session of a folder, which fits where it is told to."""
    settings = Settings(algorithm="auto", parameters={"lag": lag})
    with opened(file, folder, settings) as session:
        session.learner.work_in(executor)
        session.set_budget(BUDGET)
        yield session


def answered(
    session: Session, truth: list[bool], executor: Watched | None, pause: float = 0.0
) -> Wait:
    """Answer the open question, and wait for the next one."""
    asked = session.next()
    assert asked is not None
    if executor is not None and pause:
        session.read_ahead()
    time.sleep(pause)
    started = time.perf_counter()
    session.answer("yes" if truth[asked.question.id] else "no")
    session.next()
    seconds = time.perf_counter() - started
    return Wait(seconds, executor is not None and executor.busy)


def waits(folder: Path, lag: int, executor: Watched | None, turns: int, pause: float) -> list[Wait]:
    """The waits of several turns from the same labels on."""
    file = folder.with_suffix(".csv")
    truth = make_file(file)
    with session_of(file, folder, lag, executor) as session:
        while session.standing().spent < LABELS:
            answered(session, truth, executor)
    found = []
    for turn in range(turns):
        copy = folder.with_name(f"{folder.name}-{turn}")
        shutil.copytree(folder, copy)
        with session_of(file, copy, lag, executor) as session:
            session.next()
            found += [answered(session, truth, executor, pause) for _ in range(8)]
    return found


def main(
    turns: Annotated[int, typer.Option(help="How often the same labels are left.")] = 5,
    pause: Annotated[float, typer.Option(help="Seconds that a person takes.")] = 1.0,
) -> None:
    """Print the waits."""
    with tempfile.TemporaryDirectory() as made:
        for name, lag, executor in (
            (f"in the background, {LAG} labels later", LAG, Watched(1)),
            ("at once", 0, None),
        ):
            found = waits(Path(made) / f"lag {lag}", lag, executor, turns, pause)
            print(f"fitted {name}:")
            for fitting in (True, False):
                chosen = [1e3 * wait.seconds for wait in found if wait.fitting == fitting]
                if chosen:
                    print(
                        f"  {'while it fits' if fitting else 'else':14} {len(chosen):3} questions, "
                        f"median {statistics.median(chosen):.0f} ms, longest {max(chosen):.0f} ms"
                    )


if __name__ == "__main__":
    typer.run(main)
