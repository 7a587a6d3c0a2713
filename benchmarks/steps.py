"""Ask and tell from Python, one row at a time: askance, River and Vowpal Wabbit side by side.

Each runs over the same rows of 30 out of 10,000 features; a label is told where it is asked for.
The figure is process time per row, the best of several rounds in which all take turns. Building the
rows is not counted, for anybody: askance gets Rows, River dictionaries, VW prebuilt examples.

Run alone: ``python benchmarks/steps.py``.
"""

import sys
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import vowpalwabbit
from river import active, linear_model

from askance import ActiveLearner
from askance.types import Row

N_FEATURES, NON_ZEROS = 10_000, 30
COVER = 12

Run = Callable[[], float]


class Result(NamedTuple):
    """Microseconds per row of ours and of theirs, and theirs over ours."""

    name: str
    ours: float
    theirs: float
    ratio: float


class Rows:
    """Noisy labelled rows, in every form that is needed."""

    def __init__(self, count: int) -> None:
        generator = np.random.default_rng(0)
        truth = generator.normal(size=N_FEATURES)
        self.rows: list[Row] = []
        self.labels: list[int] = []
        for _ in range(count):
            indices = np.sort(generator.choice(N_FEATURES, NON_ZEROS, replace=False))
            values = generator.normal(size=NON_ZEROS)
            noise = 3.0 * generator.normal()
            self.rows.append(Row(indices, values))
            self.labels.append(1 if truth[indices] @ values + noise > 0 else -1)

    def pairs(self) -> Iterator[tuple[list[int], list[float]]]:
        for indices, values in self.rows:
            yield indices.tolist(), values.tolist()


def time_askance(data: Rows, algorithm: str, **parameters: Any) -> Run:
    """Seconds that a new learner takes over all rows."""

    def run() -> float:
        live = ActiveLearner(algorithm, n_features=N_FEATURES, **parameters)
        ask, tell = live.ask, live.tell
        live.predict(data.rows[0])
        start = time.process_time()
        for x, label in zip(data.rows, data.labels, strict=True):
            question = ask(x)
            if question.wanted:
                tell(question, label)
        return time.process_time() - start

    return run


def time_river(data: Rows) -> Run:
    """Seconds of River's entropy sampler over its logistic regression."""
    rows = [dict(zip(*pair, strict=True)) for pair in data.pairs()]
    labels = [label > 0 for label in data.labels]

    def run() -> float:
        model = active.EntropySampler(linear_model.LogisticRegression(), seed=0)
        ask, tell = model.predict_one, model.learn_one
        start = time.process_time()
        for x, label in zip(rows, labels, strict=True):
            _, wanted = ask(x)
            if wanted:
                tell(x, label)
        return time.process_time() - start

    return run


def time_vw(data: Rows, c0: float) -> Run:
    """Seconds of Vowpal Wabbit's active cover over prebuilt examples.

    It simulates: the labels are in the examples, and it looks at those it asks for.
    """
    lines = [
        f"{label} | " + " ".join(f"{i}:{value:.6f}" for i, value in zip(*pair, strict=True))
        for label, pair in zip(data.labels, data.pairs(), strict=True)
    ]
    options = "--active_cover --loss_function logistic --binary -b 20 --quiet"

    def run() -> float:
        workspace = vowpalwabbit.Workspace(f"{options} --cover {COVER} --mellowness {c0}")
        examples = [workspace.example(line) for line in lines]
        learn, finish = workspace.learn, workspace.finish_example
        start = time.process_time()
        for example in examples:
            learn(example)
            finish(example)
        taken = time.process_time() - start
        workspace.finish()
        return taken

    return run


def measure(count: int = 20_000, rounds: int = 5) -> list[Result]:
    """One result for each comparison; every round runs both sides."""
    data = Rows(count)
    river = time_river(data)
    comparisons = [
        (f"{name} against River's EntropySampler", time_askance(data, name), river)
        for name in ("iwal1", "margin")
    ] + [
        (
            f"cover {COVER}, c0 = {c0:g}, against VW's prebuilt examples",
            time_askance(data, "online_active_cover", cover_size=COVER, c0=c0),
            time_vw(data, c0),
        )
        for c0 in (0.01, 0.1, 8.0)
    ]
    for _, ours, _ in comparisons:
        ours()
    results = []
    for name, ours, theirs in comparisons:
        pairs = [(ours(), theirs()) for _ in range(rounds)]
        best, best_of_others = (1e6 * min(times) / count for times in zip(*pairs, strict=True))
        results.append(Result(name, best, best_of_others, best_of_others / best))
    return results


if __name__ == "__main__":
    for result in measure():
        sys.stdout.write(
            f"{result.name:50} {result.ours:7.2f} us {result.theirs:7.2f} us"
            f"   ratio {result.ratio:.2f}\n"
        )
