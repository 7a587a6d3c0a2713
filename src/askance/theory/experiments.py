"""The experiments by name: each returns its tables, the numbers of its figure, and its epochs."""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, TypeVar

import numpy as np

from askance.learners.epoch_records import EpochRecord
from askance.theory.contestants import CONTESTANTS
from askance.theory.deviations import WORLDS, claim_lines, claim_run, length_lines
from askance.theory.epoch_tables import EpochLine, epoch_table
from askance.theory.guarantees import choices_run, guarantee_run, label_run, summarise_guarantees
from askance.theory.hard import (
    EPSILONS,
    HARD_CONTESTANTS,
    HardRun,
    SlopeLine,
    hard_run,
    slope_lines,
    summarise,
)
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
    "deviations",
    "guarantees",
    "hard",
    "labels",
    "realizable",
    "solver",
    "tsybakov",
]

_Line = TypeVar("_Line", bound=NamedTuple)

_DRAWN_CLAIMS = ("eqn:dev-bias", "eq:dev-label", "prop:dev-regret-bias", "eqn:regret")
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
    """``sec:example`` with |H| = 3,001 and three epsilon, up to 2^18 examples."""
    size, epsilons = (3001, EPSILONS) if scale == 1 else (301, EPSILONS[1:2])
    n = 2 ** (18 + round(np.log2(scale)))
    runs = [hard_run(size, seed, n, epsilon) for epsilon in epsilons for seed in range(seeds)]
    slopes = slope_lines(runs)
    return Experiment(
        table=summarise(runs),
        more={
            "slopes": slopes,
            "epochs": _epoch_table([run for run in runs if run.epsilon == EPSILONS[1]]),
        },
        figure={
            "panels": [_hard_panel(runs, epsilon) for epsilon in epsilons],
            "slopes": [_slope_curve(slopes, epsilon) for epsilon in epsilons],
        },
        by_epoch=_by_epoch(
            (f"epsilon {run.epsilon:.3g}", run.contestants["Active Cover"].records) for run in runs
        ),
    )


def _hard_panel(runs: list[HardRun], epsilon: float) -> State:
    chosen = [run.contestants for run in runs if run.epsilon == epsilon]
    cover = [run["Active Cover"] for run in chosen]
    return {
        "size": runs[0].size,
        "epsilon": epsilon,
        "n": runs[0].n,
        "queries": {
            name: _mean([run[name].queries for run in chosen]) for name in HARD_CONTESTANTS
        },
        "inside": _mean([result.inside for result in cover]),
    }


def _slope_curve(lines: list[SlopeLine], epsilon: float) -> State:
    chosen = [line for line in lines if line.epsilon == epsilon]
    names = ("n", "slope", "predicted_slope")
    return {"epsilon": epsilon} | {name: [getattr(line, name) for line in chosen] for name in names}


def _epoch_table(runs: list[HardRun]) -> list[HardEpochLine]:
    """Active Cover on the hard instance, epoch by epoch, the mean over seeds."""
    results = [run.contestants["Active Cover"] for run in runs]
    lines = []
    for m in range(len(results[0].records)):
        records = [result.records[m] for result in results]
        inside = [r.probability_quantiles for r in records if r.probability_quantiles]
        low, _, median, _, high = _mean(inside) if inside else [0.0] * 5
        region_share = float(np.mean([record.region_share for record in records]))
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
    sampled = ("u", "violation", "violation_allowed", "excess", "excess_allowed")
    return Experiment(
        table=by_tolerance,
        more={"samples": by_sample},
        figure={
            "gap": [max(dual) - value for value in dual[:-1]],
            "step_violation": runs[0].violation[:-1],
            **{name: [getattr(line, name) for line in by_tolerance] for name in drawn},
            **{name: [getattr(line, name) for line in by_sample] for name in sampled},
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


def deviations(seeds: int, scale: float) -> Experiment:
    """The inequalities of the analysis beside what happened, up to 3 * 2^54 examples."""
    runs = [claim_run(world, seed, scale) for world in WORLDS for seed in range(seeds)]
    panels = {
        name: {
            world: [line._asdict() for line in length_lines(runs, world, (name,))]
            for world in ("rows", "counts")
        }
        for name in _DRAWN_CLAIMS
    }
    return Experiment(
        table=claim_lines(runs),
        more={"lengths": length_lines(runs, "rows", _DRAWN_CLAIMS[:2])},
        figure={"panels": panels},
        by_epoch=_by_epoch((run.world, run.records) for run in runs if run.records),
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
    "deviations": deviations,
    "choices": choices,
    "labels": labels,
}
"""Name to the experiment; it takes the number of seeds and the scale (1 is the documented size)."""
