"""``thm:regret``, ``lemma:favorable_bias`` and ``thm:label`` on a world that can be enumerated."""

import math
from typing import NamedTuple

import numpy as np

from askance.learners.active_cover import ActiveCover
from askance.learners.constants import Constants
from askance.learners.epoch_records import EpochRecord
from askance.theory.contestants import BETA_SCALE
from askance.theory.domain import Domain, threshold_domain
from askance.theory.instances import trace_of
from askance.theory.watching import Watch

__all__ = [
    "ChoiceRun",
    "GuaranteeLine",
    "GuaranteeRun",
    "LabelRun",
    "choices_run",
    "guarantee_run",
    "label_run",
    "summarise_guarantees",
]

_POINTS, _NOISE, _DELTA = 100, 0.15, 0.05
_C0 = {"practical": 1.0, "practical, small c0": 0.05}


class GuaranteeRun(NamedTuple):
    """One seed: whether each claim held at every epoch, and how closely."""

    kind: str
    seed: int
    kept_best: bool
    within_bound: bool
    bound: list[float]
    largest: list[float]
    good_share: list[float]
    ends: list[int]
    bias_holds: bool
    mean_bias: list[float]
    records: list[EpochRecord]
    queries: int


class GuaranteeLine(NamedTuple):
    """How often each claim held with one kind of constants."""

    constants: str
    seeds: int
    kept_best: int
    within_bound: int
    bias_holds: int
    first_bound: float
    last_bound: float
    last_good_share: float
    mean_queries: float


class ChoiceRun(NamedTuple):
    """One seed of one choice of beta and epochs."""

    setting: str
    seed: int
    queries: int
    mean_probability: float
    region_share: float
    regret: float
    epochs: int
    records: list[EpochRecord]


class LabelRun(NamedTuple):
    """One seed at one noise: queries beside the terms of the bound."""

    noise: float
    seed: int
    n: int
    theta: float
    queries: int
    leading: float
    bound: float
    records: list[EpochRecord]


def _constants(kind: str, domain: Domain, n: int) -> Constants:
    if kind == "theory":
        return Constants.theory(math.log(domain.votes.shape[1]), n, _DELTA)
    return Constants.practical(c0=_C0[kind], alpha=1.0, beta_scale=BETA_SCALE)


def guarantee_run(kind: str, seed: int, n: int) -> GuaranteeRun:
    """One seed: whether h* is in every A_m, A_m within the bound, and the bias favourable."""
    domain = threshold_domain(_POINTS, _NOISE)
    rng = np.random.default_rng([4, seed])
    learner = ActiveCover(domain.oracle, _constants(kind, domain, n), horizon=n)
    stream = domain.stream(n, rng)
    watch = Watch(domain, learner, stream)
    run = trace_of(learner, stream, rng.random(n), watch)
    found = watch.findings
    regret = [epoch.claims["eqn:regret"] for epoch in found]
    return GuaranteeRun(
        kind=kind,
        seed=seed,
        kept_best=all(epoch.claims["eq:h_best"].holds for epoch in found),
        within_bound=all(claim.holds for claim in regret),
        bound=[float(claim.right[0]) for claim in regret],
        largest=[float(claim.left.max()) for claim in regret],
        good_share=[float(epoch.good.mean()) for epoch in found],
        ends=[epoch.end for epoch in found],
        bias_holds=all(bool(epoch.bias.min() >= -1e-12) for epoch in found),
        mean_bias=[float(epoch.bias.mean()) for epoch in found],
        records=learner.epochs,
        queries=int(run.queried.sum()),
    )


def summarise_guarantees(runs: list[GuaranteeRun]) -> list[GuaranteeLine]:
    """How often each claim held, over seeds."""
    lines = []
    for kind in dict.fromkeys(run.kind for run in runs):
        chosen = [run for run in runs if run.kind == kind]
        lines.append(
            GuaranteeLine(
                constants=kind,
                seeds=len(chosen),
                kept_best=sum(run.kept_best for run in chosen),
                within_bound=sum(run.within_bound for run in chosen),
                bias_holds=sum(run.bias_holds for run in chosen),
                first_bound=float(np.mean([run.bound[0] for run in chosen])),
                last_bound=float(np.mean([run.bound[-1] for run in chosen])),
                last_good_share=float(np.mean([run.good_share[-1] for run in chosen])),
                mean_queries=float(np.mean([run.queries for run in chosen])),
            )
        )
    return lines


def choices_run(seed: int, n: int) -> list[ChoiceRun]:
    """With and without beta when -h_m is in the class; unit against doubling epochs."""
    domain = threshold_domain(_POINTS, _NOISE, both_sides=True)
    settings = {
        "beta > 0, doubling": (BETA_SCALE, "doubling"),
        "beta = 0, doubling": (math.inf, "doubling"),
        "beta > 0, unit": (BETA_SCALE, "unit"),
    }
    lines = []
    for name, (beta_scale, schedule) in settings.items():
        rng = np.random.default_rng([5, seed])
        constants = Constants.practical(c0=1.0, alpha=1.0, beta_scale=beta_scale)
        learner = ActiveCover(domain.oracle, constants, schedule=schedule, horizon=n)
        run = trace_of(learner, domain.stream(n, rng), rng.random(n))
        late = slice(n // 2, None)
        inside = run.inside[late]
        regrets = domain.errors() - domain.errors().min()
        probability = run.probability[late][inside]
        lines.append(
            ChoiceRun(
                setting=name,
                seed=seed,
                queries=int(run.queried.sum()),
                mean_probability=float(probability.mean()) if inside.any() else 0.0,
                region_share=float(inside.mean()),
                regret=float(regrets[domain.index(learner)]),
                epochs=len(learner.epochs),
                records=learner.epochs,
            )
        )
    return lines


def label_run(noise: float, seed: int, n: int) -> LabelRun:
    """Queries beside the terms of ``thm:label`` with the domain's own disagreement coefficient."""
    domain = threshold_domain(_POINTS, noise)
    rng = np.random.default_rng([6, round(1000 * noise), seed])
    learner = ActiveCover(domain.oracle, _constants("practical", domain, n), horizon=n)
    stream = domain.stream(n, rng)
    watch = Watch(domain, learner, stream)
    run = trace_of(learner, stream, rng.random(n), watch)
    theta = domain.disagreement_coefficient()
    error = watch.analysis.best_error / n
    log_size = math.log(domain.votes.shape[1] / _DELTA)
    leading = 4 * theta * error * n
    return LabelRun(
        noise=noise,
        seed=seed,
        n=n,
        theta=theta,
        queries=int(run.queried.sum()),
        leading=leading,
        bound=leading
        + theta * (math.sqrt(n * error * log_size) + log_size)
        + 4 * math.log(8 * math.log(n) / _DELTA),
        records=learner.epochs,
    )
