"""Thresholds on [0, 1]: without noise (``cor:label-realizable``) and under Tsybakov noise."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from askance.learners.epoch_records import EpochRecord
from askance.oracles.thresholds import Threshold, ThresholdOracle
from askance.theory.contestants import CONTESTANTS, log_log_slope, make_contestant, sizes
from askance.theory.instances import CERTAINTY, threshold_stream, trace_of
from askance.types import Decision

__all__ = [
    "OMEGAS",
    "RealizableLine",
    "RealizableResult",
    "RealizableRun",
    "TsybakovLine",
    "TsybakovRun",
    "label_exponent",
    "realizable_run",
    "regret_exponent",
    "summarise_realizable",
    "summarise_tsybakov",
    "tsybakov_run",
]

OMEGAS = (1 / 3, 1 / 2, 2 / 3, 1.0)
_CUT = 0.5
_REALIZABLE_C0 = 0.1
_TSYBAKOV_C0 = 1.0


class RealizableResult(NamedTuple):
    """What one contestant did on one noiseless stream."""

    queries: list[int]
    error: float
    records: list[EpochRecord]


class RealizableRun(NamedTuple):
    """Every contestant on one noiseless stream, at the lengths ``n``."""

    seed: int
    n: list[int]
    contestants: dict[str, RealizableResult]


class RealizableLine(NamedTuple):
    """A contestant on noiseless streams, over seeds."""

    algorithm: str
    first: float
    last: float
    exponent_in_n: float
    exponent_in_log_n: float
    mean_error: float


class TsybakovRun(NamedTuple):
    """Active Cover on one noisy stream: what it had asked and missed at the ends of epochs."""

    omega: float
    seed: int
    n: list[int]
    regret: list[float]
    queries: list[int]
    records: list[EpochRecord]


class TsybakovLine(NamedTuple):
    """Active Cover at one noise exponent, over seeds."""

    omega: float
    seeds: int
    regret_exponent: float
    regret_bound: float
    label_exponent: float
    label_bound: float
    last_queries: float
    last_regret: float


def realizable_run(seed: int, n: int) -> RealizableRun:
    """Queries of every contestant on one noiseless stream, at nine lengths."""
    rng = np.random.default_rng([1, seed])
    stream = threshold_stream(n, float(rng.uniform(0.2, 0.8)), np.inf, rng)
    coins = rng.random(n)
    at = sizes(n // 100, n)
    results = {}
    for name in CONTESTANTS:
        learner = make_contestant(name, ThresholdOracle(), _REALIZABLE_C0, n)
        run = trace_of(learner, stream, coins)
        assert isinstance(learner.classifier, Threshold)
        results[name] = RealizableResult(
            queries=run.queries_at(at).tolist(),
            error=abs(learner.classifier.cut - stream.best),
            records=learner.epochs,
        )
    return RealizableRun(seed, at.tolist(), results)


def summarise_realizable(runs: list[RealizableRun]) -> list[RealizableLine]:
    """Mean queries, the exponent in n over the longer half, and the exponent in log n."""
    n = np.array(runs[0].n)
    late = slice(len(n) // 2, None)
    lines = []
    for name in CONTESTANTS:
        results = [run.contestants[name] for run in runs]
        queries = np.mean([result.queries for result in results], axis=0)
        lines.append(
            RealizableLine(
                algorithm=name,
                first=float(queries[0]),
                last=float(queries[-1]),
                exponent_in_n=log_log_slope(n[late], queries[late]),
                exponent_in_log_n=log_log_slope(np.log(n[late]), queries[late]),
                mean_error=float(np.mean([result.error for result in results])),
            )
        )
    return lines


def regret_exponent(omega: float) -> float:
    """The exponent of n in the regret bound. Paper: ``cor:regret-tsybakov``.

    >>> [round(regret_exponent(omega), 3) for omega in OMEGAS]
    [-0.6, -0.667, -0.75, -1.0]
    """
    return -1 / (2 - omega)


def label_exponent(omega: float) -> float:
    """The exponent of n in the label bound. Paper: ``cor:label-tsybakov``.

    >>> [round(label_exponent(omega), 3) for omega in OMEGAS]
    [0.8, 0.667, 0.5, 0.0]
    """
    return 2 * (1 - omega) / (2 - omega)


def tsybakov_run(omega: float, seed: int, n: int) -> TsybakovRun:
    """Active Cover under Tsybakov noise: queries, and true regret of the ERM, at epoch ends."""
    rng = np.random.default_rng([2, round(1000 * omega), seed])
    stream = threshold_stream(n, _CUT, omega, rng)
    learner = make_contestant("Active Cover", ThresholdOracle(), _TSYBAKOV_C0, n)
    ends: list[int] = []
    regrets: list[float] = []

    def watch(_: Sequence[Decision]) -> None:
        assert isinstance(learner.classifier, Threshold)
        ends.append(learner.sample.offered)
        regrets.append(_regret(learner.classifier.cut, omega))

    run = trace_of(learner, stream, rng.random(n), watch)
    return TsybakovRun(
        omega=omega,
        seed=seed,
        n=ends,
        regret=regrets,
        queries=run.queries_at(np.array(ends)).tolist(),
        records=learner.epochs,
    )


def _regret(cut: float, omega: float) -> float:
    """The integral of |2 eta - 1| between the cut and the best one, 1/2."""
    distance = min(abs(cut - _CUT), 0.5)
    return float(CERTAINTY * (2 * distance) ** (1 / omega) * omega / 2)


def summarise_tsybakov(runs: list[TsybakovRun], first: int) -> list[TsybakovLine]:
    """Measured exponents from ``first`` examples on, beside the paper's."""
    lines = []
    for omega in OMEGAS:
        chosen = [run for run in runs if run.omega == omega]
        n = np.array(chosen[0].n)
        late = n >= first
        regret = np.mean([run.regret for run in chosen], axis=0)
        queries = np.mean([run.queries for run in chosen], axis=0)
        lines.append(
            TsybakovLine(
                omega=omega,
                seeds=len(chosen),
                regret_exponent=log_log_slope(n[late], regret[late]),
                regret_bound=regret_exponent(omega),
                label_exponent=log_log_slope(n[late], queries[late]),
                label_bound=label_exponent(omega),
                last_queries=float(queries[-1]),
                last_regret=float(regret[-1]),
            )
        )
    return lines
