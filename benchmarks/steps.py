"""Ask and tell from Python, one row at a time: askance and its peers side by side.

River and scikit-activeml get the same rows of 30 features as we do, Vowpal Wabbit the same rows of
30 out of 10,000 features; a label is told where it is asked for. A figure is process time per row,
the best of several rounds in which both sides take turns. Building the rows is not counted, for
anybody: askance gets Rows, River dictionaries, scikit-activeml matrices of one row, VW prebuilt
examples.

Run alone: ``python -m benchmarks.steps``.
"""

import importlib.util
import itertools
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from askance import ActiveLearner
from askance.types import Row

__all__ = ["COVER", "Result", "Rows", "measure", "measure_classes"]

N_FEATURES, NON_ZEROS = 10_000, 30
COVER = 12
C0S = (0.01, 0.1, 8.0)
LIVE: dict[str, dict[str, Any]] = {"iwal1": {}, "margin": {}}
CLASSES = 10
OF_CLASSES = ("coal", "iwal1", "margin")
FEW: dict[str, dict[str, Any]] = {"iwal1 at c0 = 0.001": {"c0": 0.001}, "margin": {}}
"""What asks, as scikit-activeml at its budget does, for a tenth or two of the labels."""

SLOW_ROWS = 400
"""Rows for scikit-activeml, which takes about half a millisecond for each."""

STRATEGIES = ("StreamRandomSampling", "PeriodicSampling")
CLASSIFIERS = ("SGDClassifier", "GaussianNB", "Perceptron")


class Taken(NamedTuple):
    """Microseconds per row, and the share of rows whose label was asked."""

    microseconds: float
    asked: float


Run = Callable[[], Taken]


class Result(NamedTuple):
    """One comparison: what is asked of the ratio, and what both sides took."""

    name: str
    least: float | None
    ours: Taken
    theirs: Taken

    @property
    def ratio(self) -> float:
        """Their time over ours."""
        return self.theirs.microseconds / self.ours.microseconds


class Rows:
    """Noisy labelled rows, in every form that is needed."""

    def __init__(self, count: int, n_features: int = N_FEATURES) -> None:
        generator = np.random.default_rng(0)
        truth = generator.normal(size=n_features)
        self.n_features = n_features
        self.rows: list[Row] = []
        self.labels: list[int] = []
        for _ in range(count):
            indices = np.sort(generator.choice(n_features, NON_ZEROS, replace=False))
            values = generator.normal(size=NON_ZEROS)
            noise = 3.0 * generator.normal()
            self.rows.append(Row(indices, values))
            self.labels.append(1 if truth[indices] @ values + noise > 0 else -1)

    def coded(self) -> list[int]:
        """Labels of several classes for the same rows."""
        generator = np.random.default_rng(1)
        truth = generator.normal(size=(self.n_features, CLASSES))
        noise = 3.0 * generator.normal(size=(len(self.rows), CLASSES))
        scores = np.array([x.values @ truth[x.indices] for x in self.rows])
        found: list[int] = (scores + noise).argmax(axis=1).tolist()
        return found

    def pairs(self) -> Iterator[tuple[list[int], list[float]]]:
        for indices, values in self.rows:
            yield indices.tolist(), values.tolist()


def _clocked(step: Callable[[Any, int], bool], rows: list[Any], labels: list[int]) -> Taken:
    """Let a step take every row; it says whether it asked."""
    asked = 0
    start = time.process_time()
    for x, label in zip(rows, labels, strict=True):
        asked += step(x, label)
    taken = time.process_time() - start
    return Taken(1e6 * taken / len(rows), asked / len(rows))


def time_askance(data: Rows, algorithm: str, **parameters: Any) -> Run:
    """What a new learner takes over all rows."""
    labels = data.coded() if "n_classes" in parameters else data.labels

    def run() -> Taken:
        live = ActiveLearner(algorithm, n_features=data.n_features, **parameters)
        ask, tell = live.ask, live.tell
        live.predict(data.rows[0])
        start = time.process_time()
        for x, label in zip(data.rows, labels, strict=True):
            question = ask(x)
            if question.wanted:
                tell(question, label)
        taken = time.process_time() - start
        return Taken(1e6 * taken / len(data.rows), live.stats().query_rate)

    return run


def time_river(data: Rows, *, classes: bool = False) -> Run:
    """What River's entropy sampler over its logistic regression takes, or over one a class."""
    from river import active, linear_model, multiclass

    rows = [dict(zip(*pair, strict=True)) for pair in data.pairs()]
    labels: list[Any] = data.coded() if classes else [label > 0 for label in data.labels]

    def run() -> Taken:
        plain: Any = linear_model.LogisticRegression()
        inner = multiclass.OneVsRestClassifier(plain) if classes else plain
        model = active.EntropySampler(inner, seed=0)
        ask, tell = model.predict_one, model.learn_one
        asked, surely = 0, 10 * CLASSES if classes else 0
        start = time.process_time()
        for x, label in zip(rows, labels, strict=True):
            _, wanted = ask(x)
            # It never asks while it knows no class, so it is told the first labels.
            if wanted or surely > asked:
                asked += 1
                tell(x, label)
        taken = time.process_time() - start
        return Taken(1e6 * taken / len(rows), asked / len(rows))

    return run


def time_skactiveml(data: Rows, strategy: str, classifier: str) -> Run:
    """What a stream strategy of scikit-activeml that needs no model takes, with some classifier.

    The strategies that look at the model take at least twice as long.
    """
    from skactiveml import stream
    from skactiveml.classifier import SklearnClassifier
    from sklearn import linear_model, naive_bayes

    made = getattr(linear_model, classifier, None) or getattr(naive_bayes, classifier)
    rows = [x.values[None, :] for x in data.rows[:SLOW_ROWS]]

    def run() -> Taken:
        sampler = getattr(stream, strategy)(random_state=0, budget=0.1)
        model = SklearnClassifier(made(), classes=[-1, 1], random_state=0)

        def step(x: Any, label: int) -> bool:
            asks = sampler.query(x)
            sampler.update(x, asks)
            if len(asks):
                model.partial_fit(x, [label])
            return len(asks) > 0

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return _clocked(step, rows, data.labels[:SLOW_ROWS])

    return run


def time_vw(data: Rows, c0: float) -> Run:
    """What Vowpal Wabbit's active cover takes over prebuilt examples.

    It simulates: the labels are in the examples, and it looks at those it asks for.
    """
    import vowpalwabbit

    lines = [
        f"{label} | " + " ".join(f"{i}:{value:.6f}" for i, value in zip(*pair, strict=True))
        for label, pair in zip(data.labels, data.pairs(), strict=True)
    ]
    options = "--active_cover --loss_function logistic --binary -b 20 --quiet"

    def run() -> Taken:
        workspace = vowpalwabbit.Workspace(f"{options} --cover {COVER} --mellowness {c0}")
        examples = [workspace.example(line) for line in lines]
        learn, finish = workspace.learn, workspace.finish_example
        start = time.process_time()
        for example in examples:
            learn(example)
            finish(example)
        taken = time.process_time() - start
        workspace.finish()
        return Taken(1e6 * taken / len(lines), float("nan"))

    return run


def _compare(name: str, least: float | None, ours: Run, theirs: Run, rounds: int) -> Result:
    pairs = [(ours(), theirs()) for _ in range(rounds)]
    return Result(name, least, min(pair[0] for pair in pairs), min(pair[1] for pair in pairs))


def measure(count: int = 20_000, rounds: int = 5) -> Iterator[Result]:
    """One result for each comparison with what is installed; every round runs both sides."""
    small, wide = Rows(count, NON_ZEROS), Rows(count)
    live, few = (
        {name: time_askance(small, name.split()[0], **given) for name, given in some.items()}
        for some in (LIVE, FEW)
    )
    for run in (live | few).values():
        run()
    if _has("river"):
        river = time_river(small)
        for name, ours in live.items():
            yield _compare(f"{name} against River's EntropySampler", 0.7, ours, river, rounds)
    if _has("skactiveml"):
        peers = {
            f"{strategy} over {classifier}": time_skactiveml(small, strategy, classifier)
            for strategy, classifier in itertools.product(STRATEGIES, CLASSIFIERS)
        }
        times = {name: min(run() for _ in range(rounds)) for name, run in peers.items()}
        fastest = min(times, key=times.__getitem__)
        for name, ours in (live | few).items():
            against = f"{name} against scikit-activeml's {fastest}"
            least = 100.0 if name in few else None
            yield _compare(against, least, ours, peers[fastest], rounds)
    if _has("vowpalwabbit"):
        for c0 in C0S:
            ours = time_askance(wide, "online_active_cover", cover_size=COVER, c0=c0)
            ours()
            name = f"cover {COVER}, c0 = {c0:g}, against VW's prebuilt examples"
            yield _compare(name, 1.5, ours, time_vw(wide, c0), rounds)


def measure_classes(count: int = 2_000, rounds: int = 5) -> Iterator[Result]:
    """Several classes beside River's one against the rest, if River is installed."""
    if not _has("river"):
        return
    data = Rows(count, NON_ZEROS)
    river = time_river(data, classes=True)
    for name in OF_CLASSES:
        ours = time_askance(data, name, n_classes=CLASSES)
        ours()
        against = f"{name}, {CLASSES} classes, against River's OneVsRestClassifier"
        yield _compare(against, 1.0, ours, river, rounds)


def _has(package: str) -> bool:
    return importlib.util.find_spec(package) is not None


if __name__ == "__main__":
    for result in itertools.chain(measure(*map(int, sys.argv[1:])), measure_classes()):
        sys.stdout.write(
            f"{result.name:75} {result.ours.microseconds:7.2f} us "
            f"{result.theirs.microseconds:7.2f} us   ratio {result.ratio:.2f}"
            f"   asked {result.ours.asked:.0%} and {result.theirs.asked:.0%}\n"
        )
        sys.stdout.flush()
