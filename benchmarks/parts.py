"""Where the time goes, measured by what it grows with: for what falls short."""

import time
from pathlib import Path

import numpy as np
from scipy.optimize import nnls

import askance
from askance import ActiveLearner
from askance.engine import Group, stream_of_rows
from askance.engine.drivers import drive
from benchmarks import ours
from benchmarks.steps import COVER, NON_ZEROS, Rows
from benchmarks.streams import dense, prepare, sparse
from benchmarks.table import Section
from benchmarks.timing import Bench, Job

__all__ = ["live_section", "pass_section", "time_layers"]

SIZES = (1, 3, 12, 48)
C0 = 0.1
LIVE: list[ours.Setting] = [
    ("iwal1", {}),
    ("margin", {}),
    ("online_active_cover", {"cover_size": COVER, "c0": C0}),
]


def pass_section(bench: Bench, folder: Path, n: int) -> Section:
    """A pass of Online Active Cover, split into what each example, lane and entry takes."""
    rows, worst = [], 0.0
    for name, made, entries in (
        ("30 of 10,000 features", lambda z: sparse(n, 10_000, z), (10, 30, 90)),
        ("dense 50 features", lambda z: dense(n, z), (17, 50, 150)),
    ):
        jobs = {}
        for z in entries:
            data = prepare(folder / f"profile {name} {z}", *made(z), text=False)
            for size in SIZES:
                setting = ("online_active_cover", {"cover_size": size, "c0": C0})
                jobs[z + 1, size + 1] = Job(ours.run, (data, setting))
        said = bench.alternate({f"ours {key}": job for key, job in jobs.items()})
        times = np.array([said[f"ours {key}"]["cpu"].best for key in jobs]) / n
        costs, misfit = _fit(np.array(list(jobs)), times)
        worst = max(worst, misfit)
        for size in SIZES[1:]:
            rows.append([name, str(size), *_shares(costs, entries[1] + 1, size + 1)])
    text = (
        f"Net processor time an example of Online Active Cover at c0 = {C0:g}, in nanoseconds, and "
        "what share of it is spent once an example (reading, deciding), once a lane (the walk over "
        "the cover, the steps), once an entry (scaling, sensitivities) and once an entry and lane "
        "(margins, rates and updates). Found by timing rows of other lengths and covers of "
        f"{', '.join(map(str, SIZES))} members, and fitting a cost to each; the fit misses single "
        f"times by at most {worst:.0%}."
    )
    head = ["work", "cover", "ns", "once an example", "a lane", "an entry", "an entry and lane"]
    return Section("Where the time of a pass goes", text, head, rows)


def _fit(sizes: np.ndarray, times: np.ndarray) -> tuple[np.ndarray, float]:
    """Costs, none negative, that fit the times best by their ratios; the largest misfit."""
    design = _design(sizes) / times[:, None]
    costs, _ = nnls(design, np.ones(len(times)))
    return costs, float(np.abs(design @ costs - 1.0).max())


def _design(sizes: np.ndarray) -> np.ndarray:
    entries, lanes = sizes.T
    return np.stack([np.ones(len(sizes)), lanes, entries, entries * lanes], axis=1)


def _shares(costs: np.ndarray, entries: int, lanes: int) -> list[str]:
    parts = costs * _design(np.array([[entries, lanes]]))[0]
    return [f"{1e9 * parts.sum():,.0f}", *(f"{part / parts.sum():.0%}" for part in parts)]


def live_section(bench: Bench, count: int) -> Section:
    """Ask and tell, layer by layer."""
    said = bench.once("ours", Job(time_layers, (count, bench.repeats)))
    rows = [
        [name, *(f"{part:.2f}" for part in (layers[0], *np.diff(layers))), f"{layers[-1]:.2f}"]
        for name, layers in said.items()
    ]
    text = (
        "Microseconds a row: the arithmetic, as a compiled pass over the same rows takes it; what "
        "handing each row and each label over from Python adds, with the checks of the row and, "
        "for a label, its margins once more; and what the learner that people use adds: ids, "
        "pending rows, budget, lock."
    )
    head = ["learner", "arithmetic", "handing over", "keeping books", "ask and tell"]
    return Section("Where the time of ask and tell goes", text, head, rows)


def time_layers(count: int, rounds: int) -> dict[str, list[float]]:
    """Microseconds a row of the pass, of the driver alone, and of ask and tell."""
    small, wide = Rows(count, NON_ZEROS), Rows(count)
    found = {}
    for name, parameters in LIVE:
        data = wide if name == "online_active_cover" else small
        layers = (_by_pass, _by_driver, _by_learner)
        taken = [[layer(data, name, parameters) for layer in layers] for _ in range(rounds + 1)]
        label = " ".join([name, *(f"{key} {value}" for key, value in parameters.items())])
        found[label] = [1e6 * min(times) / count for times in zip(*taken, strict=True)]
    return found


def _by_pass(data: Rows, name: str, parameters: dict[str, object]) -> float:
    learner = askance.make_learner(name, n_features=data.n_features, **parameters)
    coins = np.random.default_rng(0).random(len(data.rows))
    stream = stream_of_rows(zip(data.rows, data.labels, strict=True), coins)
    group = Group([learner], data.n_features)
    group.fit_rows(NON_ZEROS)
    start = time.process_time()
    group.advance(stream, 0, ours.NEVER)
    return time.process_time() - start


def _by_driver(data: Rows, name: str, parameters: dict[str, object]) -> float:
    driver = drive(askance.make_learner(name, n_features=data.n_features, **parameters))
    coins = np.random.default_rng(0).random(len(data.rows)).tolist()
    driver.predict(data.rows[0])
    start = time.process_time()
    for x, label, coin in zip(data.rows, data.labels, coins, strict=True):
        decision = driver.offer(x, coin)
        if decision.queried:
            driver.learn(x, decision, label)
    return time.process_time() - start


def _by_learner(data: Rows, name: str, parameters: dict[str, object]) -> float:
    live = ActiveLearner(name, n_features=data.n_features, **parameters)
    live.predict(data.rows[0])
    start = time.process_time()
    for x, label in zip(data.rows, data.labels, strict=True):
        question = live.ask(x)
        if question.wanted:
            live.tell(question, label)
    return time.process_time() - start
