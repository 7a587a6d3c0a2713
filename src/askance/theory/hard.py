"""The hard instance of ``sec:example``: most of the region holds no information."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from askance.kernels.formulas import min_query_probability
from askance.learners.epoch_records import EpochRecord
from askance.learners.epochs import EpochLearner
from askance.learners.schedules import FIRST_END, epoch_end_after
from askance.oracles.finite import Vote, VoteOracle
from askance.theory.contestants import ABLATION, CONTESTANTS, local_slopes, make_contestant, sizes
from askance.theory.instances import Instance, hard_instance, trace_of
from askance.types import Decision, Floats, Integers

__all__ = [
    "EPSILONS",
    "HARD_CONTESTANTS",
    "HardLine",
    "HardResult",
    "HardRun",
    "SlopeLine",
    "floor_queries",
    "hard_run",
    "predicted_queries",
    "slope_lines",
    "summarise",
]

EPSILONS = (0.005, 0.01, 0.02)
HARD_CONTESTANTS = (*CONTESTANTS, ABLATION)
_C0 = 1.0
_DOUBLINGS = 8


class HardResult(NamedTuple):
    """What one contestant did on one stream.

    ``queries`` and ``inside`` count labels and examples of the region up to each length: with P = 1
    in the same regions every example inside would be asked.
    """

    queries: list[int]
    inside: list[int]
    kept_best: bool
    found_best: bool
    good_share: list[float]
    floor_queries: list[float]
    records: list[EpochRecord]


class HardRun(NamedTuple):
    """Every contestant on one stream, at the lengths ``n``."""

    size: int
    epsilon: float
    seed: int
    n: list[int]
    contestants: dict[str, HardResult]


class HardLine(NamedTuple):
    """A contestant at one epsilon, over seeds.

    ``saved_by_region`` is examples over examples inside, ``saved_by_P`` those over labels.
    """

    epsilon: float
    algorithm: str
    seeds: int
    kept_best: int
    found_best: int
    inside: float
    labels: float
    saved_by_region: float
    saved_by_P: float  # noqa: N815


class SlopeLine(NamedTuple):
    """Active Cover between two lengths, the second twice the first."""

    epsilon: float
    n: int
    labels: float
    slope: float
    predicted_slope: float
    region_share: float


def hard_run(size: int, seed: int, n: int, epsilon: float) -> HardRun:
    """One seed: what every contestant asked at nine lengths, and whether it kept h*.

    The stream and the coins are the same for all. With these constants nothing but the cut of the
    last epoch depends on n, so a prefix of one long run is the run on that prefix.
    """
    rng = np.random.default_rng([size, round(1e4 * epsilon), seed])
    stream = hard_instance(size, n, epsilon, rng)
    coins = rng.random(n)
    at = sizes(n >> _DOUBLINGS, n, _DOUBLINGS + 1)
    results = {name: _result(name, size, stream, coins, at) for name in HARD_CONTESTANTS}
    return HardRun(size, epsilon, seed, at.tolist(), results)


def _result(name: str, size: int, stream: Instance, coins: Floats, at: Integers) -> HardResult:
    learner = make_contestant(name, VoteOracle(size), _C0, len(coins))
    kept: list[bool] = []
    shares: list[float] = []

    def watch(_: Sequence[Decision]) -> None:
        regrets = _regrets(learner)
        within = regrets <= learner.threshold + 1e-9
        kept.append(bool(within[int(stream.best)]))
        shares.append(float(within.mean()))

    run = trace_of(learner, stream, coins, watch)
    return HardResult(
        queries=run.queries_at(at).tolist(),
        inside=run.inside_at(at).tolist(),
        kept_best=all(kept),
        found_best=learner.classifier == Vote(int(stream.best)),
        good_share=shares,
        floor_queries=floor_queries(learner, at).tolist(),
        records=learner.epochs,
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
        per_example[record.start : record.end] = _least(record.floor, record.epoch == 1)
        per_example[record.start : record.end] *= record.region_share
    return np.concatenate([[0.0], np.cumsum(per_example)])[at]


def _least(floor: float, first: bool) -> float:
    """The smallest P that the cover gives inside the region."""
    return 1.0 if first else 2 * floor / (1 + 2 * floor)


def predicted_queries(epsilon: float, at: Integers) -> Floats:
    """What ``sec:example`` predicts: P at its floor on every example, with h*'s error throughout.

    P_min is of the order of 1/sqrt(tau), so this grows like sqrt(n) in the end. The logarithm in
    P_min (``eq:pmin``) makes the local slope larger at first.

    >>> predicted_queries(0.01, np.array([3])).tolist()
    [3.0]
    """
    ends, totals = [0, FIRST_END], [0.0, float(FIRST_END)]
    while ends[-1] < at[-1]:
        floor = min_query_probability((1 - epsilon) / 2, float(ends[-1]))
        end = epoch_end_after("doubling", ends[-1])
        totals.append(totals[-1] + (end - ends[-1]) * _least(floor, first=False))
        ends.append(end)
    return np.interp(at, ends, totals)


def _by_epsilon(runs: list[HardRun]) -> dict[float, list[HardRun]]:
    groups: dict[float, list[HardRun]] = {}
    for run in runs:
        groups.setdefault(run.epsilon, []).append(run)
    return groups


def summarise(runs: list[HardRun]) -> list[HardLine]:
    """One line for each epsilon and contestant: labels, what saved them, how often h* was kept."""
    lines = []
    for epsilon, chosen in _by_epsilon(runs).items():
        n = chosen[0].n[-1]
        for name in HARD_CONTESTANTS:
            results = [run.contestants[name] for run in chosen]
            inside = float(np.mean([result.inside[-1] for result in results]))
            labels = float(np.mean([result.queries[-1] for result in results]))
            lines.append(
                HardLine(
                    epsilon=epsilon,
                    algorithm=name,
                    seeds=len(results),
                    kept_best=sum(result.kept_best for result in results),
                    found_best=sum(result.found_best for result in results),
                    inside=inside,
                    labels=labels,
                    saved_by_region=n / inside,
                    saved_by_P=inside / labels,
                )
            )
    return lines


def slope_lines(runs: list[HardRun]) -> list[SlopeLine]:
    """Active Cover's labels from each length to the next, beside what the paper predicts."""
    lines = []
    for epsilon, chosen in _by_epsilon(runs).items():
        at = np.array(chosen[0].n)
        results = [run.contestants["Active Cover"] for run in chosen]
        labels = np.mean([result.queries for result in results], axis=0)
        inside = np.mean([result.inside for result in results], axis=0)
        slopes = local_slopes(at, labels)
        predicted = local_slopes(at, predicted_queries(epsilon, at))
        shares = np.diff(inside) / np.diff(at)
        lines += [
            SlopeLine(epsilon, *line)
            for line in zip(
                *(values.tolist() for values in (at[1:], labels[1:], slopes, predicted, shares)),
                strict=True,
            )
        ]
    return lines
