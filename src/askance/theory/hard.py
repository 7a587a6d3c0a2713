"""The hard instance of ``sec:example``: most of the region holds no information."""

from typing import NamedTuple

import numpy as np

from askance.learners.epoch_records import EpochRecord
from askance.learners.epochs import EpochLearner
from askance.oracles.finite import Vote, VoteOracle
from askance.theory.contestants import CONTESTANTS, log_log_slope, make_contestant, sizes
from askance.theory.instances import Instance, hard_instance, trace_of
from askance.types import Floats, Integers

__all__ = ["EPSILON", "HardLine", "HardResult", "HardRun", "floor_queries", "hard_run", "summarise"]

EPSILON = 0.01
_C0 = 1.0


class HardResult(NamedTuple):
    """What one contestant did on one stream: queries at each length, and shares by epoch."""

    queries: list[int]
    slope: float
    kept_best: bool
    good_share: list[float]
    region_share: list[float]
    quantiles: list[tuple[float, ...]]
    floor_queries: list[float]
    records: list[EpochRecord]
    found_best: bool


class HardRun(NamedTuple):
    """Every contestant on one stream, at the lengths ``n``."""

    size: int
    seed: int
    n: list[int]
    contestants: dict[str, HardResult]


class HardLine(NamedTuple):
    """A contestant on a class size, over seeds."""

    size: int
    algorithm: str
    seeds: int
    mean_slope: float
    largest_slope: float
    kept_best: int
    found_best: int
    mean_queries: float


def hard_run(size: int, seed: int, n: int) -> HardRun:
    """One seed: queries of every contestant at nine lengths, its slope, and whether it kept h*.

    The stream and the coins are the same for all. With these constants nothing but the cut of the
    last epoch depends on n, so a prefix of one long run is the run on that prefix.
    """
    rng = np.random.default_rng([size, seed])
    stream = hard_instance(size, n, EPSILON, rng)
    coins = rng.random(n)
    at = sizes(n // 100, n)
    results = {name: _result(name, size, stream, coins, at) for name in CONTESTANTS}
    return HardRun(size, seed, at.tolist(), results)


def _result(name: str, size: int, stream: Instance, coins: Floats, at: Integers) -> HardResult:
    learner = make_contestant(name, VoteOracle(size), _C0, len(coins))
    kept: list[bool] = []
    shares: list[float] = []

    def watch() -> None:
        regrets = _regrets(learner)
        within = regrets <= learner.threshold + 1e-9
        kept.append(bool(within[int(stream.best)]))
        shares.append(float(within.mean()))

    run = trace_of(learner, stream, coins, watch)
    queries = run.queries_at(at)
    return HardResult(
        queries=queries.tolist(),
        slope=log_log_slope(at, queries),
        kept_best=all(kept),
        good_share=shares,
        region_share=[record.region_share for record in learner.epochs],
        quantiles=[record.probability_quantiles for record in learner.epochs],
        floor_queries=floor_queries(learner, at).tolist(),
        records=learner.epochs,
        found_best=learner.classifier == Vote(int(stream.best)),
    )


def _regrets(learner: EpochLearner) -> Floats:
    sample = learner.sample
    oracle = learner.oracle
    assert isinstance(oracle, VoteOracle)
    errors = oracle.errors(sample.X, sample.targets, sample.weights) / sample.offered
    return errors - sample.error(learner.classifier)


def floor_queries(learner: EpochLearner, at: Integers) -> Floats:
    """Expected queries if P were at its floor 2 P_min / (1 + 2 P_min) everywhere inside."""
    n = learner.epochs[-1].end
    per_example = np.zeros(n)
    for record in learner.epochs:
        least = 1.0 if record.epoch == 1 else 2 * record.floor / (1 + 2 * record.floor)
        per_example[record.start : record.end] = least * record.region_share
    return np.concatenate([[0.0], np.cumsum(per_example)])[at]


def summarise(runs: list[HardRun]) -> list[HardLine]:
    """One line for each class size and contestant: slopes over seeds, and how often h* was kept."""
    lines = []
    for size in sorted({run.size for run in runs}):
        chosen = [run for run in runs if run.size == size]
        for name in CONTESTANTS:
            results = [run.contestants[name] for run in chosen]
            slopes = [result.slope for result in results]
            lines.append(
                HardLine(
                    size=size,
                    algorithm=name,
                    seeds=len(results),
                    mean_slope=float(np.mean(slopes)),
                    largest_slope=max(slopes),
                    kept_best=sum(result.kept_best for result in results),
                    found_best=sum(result.found_best for result in results),
                    mean_queries=float(np.mean([result.queries[-1] for result in results])),
                )
            )
    return lines
