"""The experiments by name: each returns its tables, the numbers of its figure, and its epochs."""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, TypeVar

import numpy as np

from askance.learners.epoch_records import EpochRecord
from askance.theory.contestants import CONTESTANTS
from askance.theory.epoch_tables import EpochLine, epoch_table
from askance.theory.guarantees import choices_run, guarantee_run, label_run, summarise_guarantees
from askance.theory.hard import HardRun, hard_run, summarise
from askance.theory.report import Experiment
from askance.theory.solver import solver_run
from askance.theory.threshold_runs import (
    OMEGAS,
    realizable_run,
    summarise_realizable,
    summarise_tsybakov,
    tsybakov_run,
)
from askance.types import State

__all__ = [
    "EXPERIMENTS",
    "ChoiceLine",
    "HardEpochLine",
    "LabelLine",
    "choices",
    "guarantees",
    "hard",
    "labels",
    "realizable",
    "solver",
    "tsybakov",
]

_Line = TypeVar("_Line", bound=NamedTuple)

_NOISES = (0.0, 0.05, 0.1, 0.2, 0.3, 0.4)


class HardEpochLine(NamedTuple):
    """Active Cover in one epoch of the hard instance, over seeds."""

    epoch: int
    region_share: float
    good_share_after: float
    least_P: float  # noqa: N815
    median_P: float  # noqa: N815
    greatest_P: float  # noqa: N815


class ChoiceLine(NamedTuple):
    """One choice of beta and epochs, over seeds."""

    setting: str
    seeds: int
    queries: float
    mean_probability: float
    region_share: float
    regret: float
    epochs: float


class LabelLine(NamedTuple):
    """Queries and the terms of the bound at one noise, over seeds."""

    noise: float
    seeds: int
    n: float
    theta: float
    queries: float
    leading: float
    bound: float


def _by_epoch(runs: Iterable[tuple[str, list[EpochRecord]]]) -> list[EpochLine]:
    """Active Cover's epochs by the setting that tells the runs apart; "" if they are alike."""
    groups: dict[str, list[list[EpochRecord]]] = {}
    for setting, records in runs:
        groups.setdefault(setting, []).append(records)
    return epoch_table(groups)


def _mean(values: list[Any]) -> list[float]:
    means: list[float] = np.mean(values, axis=0).tolist()
    return means


def _means(runs: list[Any], names: tuple[str, ...]) -> dict[str, float]:
    """The mean of each named field over runs."""
    return {name: float(np.mean([getattr(run, name) for run in runs])) for name in names}


def hard(seeds: int, scale: float) -> Experiment:
    """``sec:example`` with |H| = 1,001 and 3,001, up to 100,000 examples."""
    class_sizes = (1001, 3001) if scale == 1 else (101, 301)
    n = int(100_000 * scale)
    runs = [hard_run(size, seed, n) for size in class_sizes for seed in range(seeds)]
    return Experiment(
        table=summarise(runs),
        more={"epochs": _epoch_table([run for run in runs if run.size == class_sizes[0]])},
        figure={"panels": [_hard_panel(runs, size) for size in class_sizes]},
        by_epoch=_by_epoch(
            (f"size {run.size:.3g}", run.contestants["Active Cover"].records) for run in runs
        ),
    )


def _hard_panel(runs: list[HardRun], size: int) -> State:
    chosen = [run.contestants for run in runs if run.size == size]
    return {
        "size": size,
        "n": runs[0].n,
        "queries": {name: _mean([run[name].queries for run in chosen]) for name in CONTESTANTS},
        "slopes": {
            name: float(np.mean([run[name].slope for run in chosen])) for name in CONTESTANTS
        },
        "floor": _mean([run["Active Cover"].floor_queries for run in chosen]),
    }


def _epoch_table(runs: list[HardRun]) -> list[HardEpochLine]:
    """Active Cover on the hard instance, epoch by epoch, the mean over seeds."""
    results = [run.contestants["Active Cover"] for run in runs]
    lines = []
    for m in range(len(results[0].region_share)):
        inside = [r.quantiles[m] for r in results if r.quantiles[m]]
        low, _, median, _, high = _mean(inside) if inside else [0.0] * 5
        region_share = float(np.mean([r.region_share[m] for r in results]))
        good_share = float(np.mean([r.good_share[m] for r in results]))
        lines.append(HardEpochLine(m + 1, region_share, good_share, low, median, high))
    return lines


def realizable(seeds: int, scale: float) -> Experiment:
    """``cor:label-realizable``: noiseless thresholds, up to 100,000 examples."""
    runs = [realizable_run(seed, int(100_000 * scale)) for seed in range(seeds)]
    queries = {name: _mean([run.contestants[name].queries for run in runs]) for name in CONTESTANTS}
    return Experiment(
        table=summarise_realizable(runs),
        figure={"n": runs[0].n, "queries": queries},
        by_epoch=_by_epoch(("", run.contestants["Active Cover"].records) for run in runs),
    )


def tsybakov(seeds: int, scale: float) -> Experiment:
    """``cor:regret-tsybakov`` and ``cor:label-tsybakov``: noisy thresholds, 98,304 examples."""
    n = 3 * 2 ** (15 + round(np.log2(scale)))
    runs = [tsybakov_run(omega, seed, n) for omega in OMEGAS for seed in range(seeds)]
    panels = []
    for omega in OMEGAS:
        chosen = [run for run in runs if run.omega == omega]
        panels.append(
            {
                "omega": omega,
                "n": chosen[0].n,
                "regret": _mean([run.regret for run in chosen]),
                "queries": _mean([run.queries for run in chosen]),
            }
        )
    return Experiment(
        table=summarise_tsybakov(runs, n // 64),
        figure={"panels": panels},
        by_epoch=_by_epoch((f"omega {run.omega:.3g}", run.records) for run in runs),
    )


def solver(seeds: int, scale: float) -> Experiment:
    """``thm:opt_converge`` and ``thm:optprob-unlabeled`` measured on one epoch's (OP)."""
    runs = [solver_run(seed) for seed in range(seeds)]
    by_tolerance = _averaged([run.tolerances for run in runs])
    by_sample = _averaged([run.samples for run in runs])
    dual = runs[0].dual
    drawn = ("tolerance", "bound", "iterations", "iterations_reusing", "calls_reusing")
    return Experiment(
        table=by_tolerance,
        more={"samples": by_sample},
        figure={
            "gap": [max(dual) - value for value in dual[:-1]],
            "violation": runs[0].violation[:-1],
            **{name: [getattr(line, name) for line in by_tolerance] for name in drawn},
            "u": [line.u for line in by_sample],
            "fresh_violation": [line.violation for line in by_sample],
            "fresh_allowed": [2.5 * line.tolerance for line in by_sample],
        },
        by_epoch=_by_epoch(("", run.records) for run in runs),
    )


def _averaged(runs: list[list[_Line]]) -> list[_Line]:
    """Each line, the mean over seeds of every field."""
    kind = type(runs[0][0])
    return [
        kind._make(float(np.mean(values)) for values in zip(*lines, strict=True))
        for lines in zip(*runs, strict=True)
    ]


def guarantees(seeds: int, scale: float) -> Experiment:
    """``thm:regret`` and ``lemma:favorable_bias`` on thresholds over a grid of 100 points."""
    kinds = ("theory", "practical", "practical, small c0")
    n = 3 * 2 ** (11 + round(np.log2(scale)))
    runs = [guarantee_run(kind, seed, n) for kind in kinds for seed in range(seeds)]
    panels = {}
    for kind in kinds:
        chosen = [run for run in runs if run.kind == kind]
        panels[kind] = {
            "n": chosen[0].ends,
            "good_share": _mean([run.good_share for run in chosen]),
            "bound": _mean([run.bound for run in chosen]),
            "bias": _mean([run.mean_bias for run in chosen]),
        }
    return Experiment(
        table=summarise_guarantees(runs),
        figure={"panels": panels},
        by_epoch=_by_epoch((run.kind, run.records) for run in runs),
    )


def choices(seeds: int, scale: float) -> Experiment:
    """Is beta needed when -h_m is in the class, and what do unit epochs change."""
    n = 3 * 2 ** (8 + round(np.log2(scale)))
    runs = [line for seed in range(seeds) for line in choices_run(seed, n)]
    lines = []
    for setting in dict.fromkeys(run.setting for run in runs):
        chosen = [run for run in runs if run.setting == setting]
        means = _means(chosen, ChoiceLine._fields[2:])
        lines.append(ChoiceLine(setting=setting, seeds=len(chosen), **means))
    return Experiment(table=lines, by_epoch=_by_epoch((run.setting, run.records) for run in runs))


def labels(seeds: int, scale: float) -> Experiment:
    """``thm:label`` with the measured disagreement coefficient, by noise."""
    n = 3 * 2 ** (11 + round(np.log2(scale)))
    runs = {noise: [label_run(noise, seed, n) for seed in range(seeds)] for noise in _NOISES}
    lines = [
        LabelLine(noise=noise, seeds=len(some), **_means(some, LabelLine._fields[2:]))
        for noise, some in runs.items()
    ]
    drawn = ("noise", "queries", "leading", "bound")
    return Experiment(
        table=lines,
        figure={name: [getattr(line, name) for line in lines] for name in drawn},
        by_epoch=_by_epoch(
            (f"noise {run.noise:.3g}", run.records) for some in runs.values() for run in some
        ),
    )


EXPERIMENTS: dict[str, Callable[[int, float], Experiment]] = {
    "hard": hard,
    "realizable": realizable,
    "tsybakov": tsybakov,
    "solver": solver,
    "guarantees": guarantees,
    "choices": choices,
    "labels": labels,
}
"""Name to the experiment; it takes the number of seeds and the scale (1 is the documented size)."""
