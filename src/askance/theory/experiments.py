"""The experiments by name: each returns its table and the numbers of its figure.

``by_epoch`` says what Active Cover did in every epoch; it is for the screen and not for the file.
"""

from collections.abc import Callable

import numpy as np

from askance.learners.epoch_records import EpochRecord
from askance.theory.contenders import CONTENDERS
from askance.theory.epoch_tables import epoch_table
from askance.theory.guarantees import choices_run, guarantee_run, label_run, summarise_guarantees
from askance.theory.hard import hard_run, summarise
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
    "choices",
    "guarantees",
    "hard",
    "labels",
    "realizable",
    "solver",
    "tsybakov",
]

_NOISES = (0.0, 0.05, 0.1, 0.2, 0.3, 0.4)


def _by_epoch(runs: list[State], setting: str = "") -> list[State]:
    """Active Cover's epochs by setting, the key that tells the runs apart; "" if they are alike."""
    groups: dict[str, list[list[EpochRecord]]] = {}
    for run in runs:
        value = run.get(setting, "")
        name = f"{setting} {value:.3g}" if isinstance(value, float | int) else str(value)
        records = run.get("contenders", {}).get("Active Cover", run)["records"]
        groups.setdefault(name, []).append(records)
    return epoch_table(groups)


def _mean(values: list[list[float]]) -> list[float]:
    means: list[float] = np.mean(values, axis=0).tolist()
    return means


def hard(seeds: int, scale: float) -> State:
    """``sec:example`` with |H| = 1,001 and 3,001, up to 100,000 examples."""
    class_sizes = (1001, 3001) if scale == 1 else (101, 301)
    n = int(100_000 * scale)
    runs = [hard_run(size, seed, n) for size in class_sizes for seed in range(seeds)]
    return {
        "table": summarise(runs),
        "epochs": _epoch_table([run for run in runs if run["size"] == class_sizes[0]]),
        "figure": {"panels": [_hard_panel(runs, size) for size in class_sizes]},
        "by_epoch": _by_epoch(runs, "size"),
    }


def _hard_panel(runs: list[State], size: int) -> State:
    chosen = [run["contenders"] for run in runs if run["size"] == size]
    return {
        "size": size,
        "n": runs[0]["n"],
        "queries": {name: _mean([run[name]["queries"] for run in chosen]) for name in CONTENDERS},
        "slopes": {
            name: float(np.mean([run[name]["slope"] for run in chosen])) for name in CONTENDERS
        },
        "floor": _mean([run["Active Cover"]["floor_queries"] for run in chosen]),
    }


def _epoch_table(runs: list[State]) -> list[State]:
    """Active Cover on the hard instance, epoch by epoch, the mean over seeds."""
    results = [run["contenders"]["Active Cover"] for run in runs]
    lines = []
    for m in range(len(results[0]["region_share"])):
        inside = [r["quantiles"][m] for r in results if r["quantiles"][m]]
        low, _, median, _, high = _mean(inside) if inside else [0.0] * 5
        lines.append(
            {
                "epoch": m + 1,
                "region_share": float(np.mean([r["region_share"][m] for r in results])),
                "good_share_after": float(np.mean([r["good_share"][m] for r in results])),
                "least_P": low,
                "median_P": median,
                "greatest_P": high,
            }
        )
    return lines


def realizable(seeds: int, scale: float) -> State:
    """``cor:label-realizable``: noiseless thresholds, up to 100,000 examples."""
    runs = [realizable_run(seed, int(100_000 * scale)) for seed in range(seeds)]
    queries = {
        name: _mean([run["contenders"][name]["queries"] for run in runs]) for name in CONTENDERS
    }
    return {
        "table": summarise_realizable(runs),
        "figure": {"n": runs[0]["n"], "queries": queries},
        "by_epoch": _by_epoch(runs),
    }


def tsybakov(seeds: int, scale: float) -> State:
    """``cor:regret-tsybakov`` and ``cor:label-tsybakov``: noisy thresholds, 98,304 examples."""
    n = 3 * 2 ** (15 + round(np.log2(scale)))
    runs = [tsybakov_run(omega, seed, n) for omega in OMEGAS for seed in range(seeds)]
    panels = []
    for omega in OMEGAS:
        chosen = [run for run in runs if run["omega"] == omega]
        panels.append(
            {
                "omega": omega,
                "n": chosen[0]["n"],
                "regret": _mean([run["regret"] for run in chosen]),
                "queries": _mean([run["queries"] for run in chosen]),
            }
        )
    return {
        "table": summarise_tsybakov(runs, n // 64),
        "figure": {"panels": panels},
        "by_epoch": _by_epoch(runs, "omega"),
    }


def solver(seeds: int, scale: float) -> State:
    """``thm:opt_converge`` and ``thm:optprob-unlabeled`` measured on one epoch's (OP)."""
    runs = [solver_run(seed) for seed in range(seeds)]
    by_tolerance = _averaged([run["tolerances"] for run in runs])
    by_sample = _averaged([run["samples"] for run in runs])
    dual = runs[0]["trace"]["dual"]
    return {
        "table": by_tolerance,
        "samples": by_sample,
        "figure": {
            "gap": [max(dual) - value for value in dual[:-1]],
            "violation": runs[0]["trace"]["violation"][:-1],
            **{
                name: [line[name] for line in by_tolerance]
                for name in (
                    "tolerance",
                    "bound",
                    "iterations",
                    "iterations_reusing",
                    "calls_reusing",
                )
            },
            "u": [line["u"] for line in by_sample],
            "fresh_violation": [line["violation"] for line in by_sample],
            "fresh_allowed": [2.5 * line["tolerance"] for line in by_sample],
        },
        "by_epoch": _by_epoch(runs),
    }


def _averaged(runs: list[list[State]]) -> list[State]:
    return [
        {name: float(np.mean([line[name] for line in lines])) for name in lines[0]}
        for lines in zip(*runs, strict=True)
    ]


def guarantees(seeds: int, scale: float) -> State:
    """``thm:regret`` and ``lemma:favorable_bias`` on thresholds over a grid of 100 points."""
    kinds = ("theory", "practical", "practical, small c0")
    n = 3 * 2 ** (11 + round(np.log2(scale)))
    runs = [guarantee_run(kind, seed, n) for kind in kinds for seed in range(seeds)]
    panels = {}
    for kind in kinds:
        chosen = [run for run in runs if run["kind"] == kind]
        panels[kind] = {
            "n": chosen[0]["ends"],
            "good_share": _mean([run["good_share"] for run in chosen]),
            "bound": _mean([run["bound"] for run in chosen]),
            "bias": _mean([run["mean_bias"] for run in chosen]),
        }
    return {
        "table": summarise_guarantees(runs),
        "figure": {"panels": panels},
        "by_epoch": _by_epoch(runs, "kind"),
    }


def choices(seeds: int, scale: float) -> State:
    """Is beta needed when -h_m is in the class, and what do unit epochs change."""
    n = 3 * 2 ** (8 + round(np.log2(scale)))
    runs = [line for seed in range(seeds) for line in choices_run(seed, n)]
    lines = []
    for setting in dict.fromkeys(run["setting"] for run in runs):
        chosen = [run for run in runs if run["setting"] == setting]
        names = ("queries", "mean_probability", "region_share", "regret", "epochs")
        means = {name: float(np.mean([run[name] for run in chosen])) for name in names}
        lines.append({"setting": setting, "seeds": len(chosen), **means})
    return {"table": lines, "by_epoch": _by_epoch(runs, "setting")}


def labels(seeds: int, scale: float) -> State:
    """``thm:label`` with the measured disagreement coefficient, by noise."""
    n = 3 * 2 ** (11 + round(np.log2(scale)))
    lines = []
    every = []
    for noise in _NOISES:
        runs = [label_run(noise, seed, n) for seed in range(seeds)]
        every += runs
        names = ("n", "theta", "queries", "leading", "bound")
        means = {name: float(np.mean([run[name] for run in runs])) for name in names}
        lines.append({"noise": noise, "seeds": len(runs), **means})
    drawn = {name: [line[name] for line in lines] for name in ("noise", *names[2:])}
    return {"table": lines, "figure": drawn, "by_epoch": _by_epoch(every, "noise")}


EXPERIMENTS: dict[str, Callable[[int, float], State]] = {
    "hard": hard,
    "realizable": realizable,
    "tsybakov": tsybakov,
    "solver": solver,
    "guarantees": guarantees,
    "choices": choices,
    "labels": labels,
}
"""Name to the experiment; it takes the number of seeds and the scale (1 is the documented size)."""
