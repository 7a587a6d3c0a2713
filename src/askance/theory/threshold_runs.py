"""Thresholds on [0, 1]: without noise (``cor:label-realizable``) and under Tsybakov noise."""

import numpy as np

from askance.oracles.thresholds import Threshold, ThresholdOracle
from askance.theory.contenders import CONTENDERS, log_log_slope, make_contender, sizes
from askance.theory.instances import CERTAINTY, drive, threshold_stream
from askance.types import State

__all__ = [
    "OMEGAS",
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


def realizable_run(seed: int, n: int) -> State:
    """Queries of every contender on one noiseless stream, at nine lengths."""
    rng = np.random.default_rng([1, seed])
    stream = threshold_stream(n, float(rng.uniform(0.2, 0.8)), np.inf, rng)
    coins = rng.random(n)
    at = sizes(n // 100, n)
    contenders = {}
    for name in CONTENDERS:
        learner = make_contender(name, ThresholdOracle(), _REALIZABLE_C0, n)
        run = drive(learner, stream, coins)
        assert isinstance(learner.classifier, Threshold)
        contenders[name] = {
            "queries": run.queries_at(at).tolist(),
            "error": abs(learner.classifier.cut - stream.best),
            "records": learner.epochs,
        }
    return {"seed": seed, "n": at.tolist(), "contenders": contenders}


def summarise_realizable(runs: list[State]) -> list[State]:
    """Mean queries, the exponent in n over the longer half, and the exponent in log n."""
    n = np.array(runs[0]["n"])
    late = slice(len(n) // 2, None)
    lines = []
    for name in CONTENDERS:
        queries = np.mean([run["contenders"][name]["queries"] for run in runs], axis=0)
        lines.append(
            {
                "algorithm": name,
                "first": float(queries[0]),
                "last": float(queries[-1]),
                "exponent_in_n": log_log_slope(n[late], queries[late]),
                "exponent_in_log_n": log_log_slope(np.log(n[late]), queries[late]),
                "mean_error": float(np.mean([run["contenders"][name]["error"] for run in runs])),
            }
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


def tsybakov_run(omega: float, seed: int, n: int) -> State:
    """Active Cover under Tsybakov noise: queries, and true regret of the ERM, at epoch ends."""
    rng = np.random.default_rng([2, round(1000 * omega), seed])
    stream = threshold_stream(n, _CUT, omega, rng)
    learner = make_contender("Active Cover", ThresholdOracle(), _TSYBAKOV_C0, n)
    ends: list[int] = []
    regrets: list[float] = []

    def watch() -> None:
        assert isinstance(learner.classifier, Threshold)
        ends.append(learner.sample.offered)
        regrets.append(_regret(learner.classifier.cut, omega))

    run = drive(learner, stream, rng.random(n), watch)
    return {
        "omega": omega,
        "seed": seed,
        "n": ends,
        "regret": regrets,
        "queries": run.queries_at(np.array(ends)).tolist(),
        "records": learner.epochs,
    }


def _regret(cut: float, omega: float) -> float:
    """The integral of |2 eta - 1| between the cut and the best one, 1/2."""
    distance = min(abs(cut - _CUT), 0.5)
    return float(CERTAINTY * (2 * distance) ** (1 / omega) * omega / 2)


def summarise_tsybakov(runs: list[State], first: int) -> list[State]:
    """Measured exponents from ``first`` examples on, beside the paper's."""
    lines = []
    for omega in OMEGAS:
        chosen = [run for run in runs if run["omega"] == omega]
        n = np.array(chosen[0]["n"])
        late = n >= first
        regret = np.mean([run["regret"] for run in chosen], axis=0)
        queries = np.mean([run["queries"] for run in chosen], axis=0)
        lines.append(
            {
                "omega": omega,
                "seeds": len(chosen),
                "regret_exponent": log_log_slope(n[late], regret[late]),
                "regret_bound": regret_exponent(omega),
                "label_exponent": log_log_slope(n[late], queries[late]),
                "label_bound": label_exponent(omega),
                "last_queries": float(queries[-1]),
                "last_regret": float(regret[-1]),
            }
        )
    return lines
