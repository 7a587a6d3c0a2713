"""The inequalities of the analysis beside what happened, on streams of rows and by counts."""

import math
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from askance.learners.active_cover import ActiveCover
from askance.learners.constants import Constants
from askance.learners.epoch_records import EpochRecord
from askance.learners.epochs import EpochSettings
from askance.theory.analysis import Findings, Inequality
from askance.theory.contestants import BETA_SCALE
from askance.theory.counted import counted_run
from askance.theory.domain import Domain, threshold_domain
from askance.theory.instances import trace_of
from askance.theory.watching import Watch

__all__ = [
    "WORLDS",
    "ClaimLine",
    "ClaimRun",
    "LengthLine",
    "claim_lines",
    "claim_run",
    "length_lines",
]

_POINTS, _NOISE, _DELTA, _OMEGA = 100, 0.15, 0.05, 0.5
_FRESH = 1000


_Found = tuple[list[Findings], int, list[EpochRecord]]


class ClaimRun(NamedTuple):
    """One seed in one world: the claims at the end of every epoch, and labels asked.

    ``records`` are the learner's, where it was shown rows.
    """

    world: str
    seed: int
    findings: list[Findings]
    queries: int
    records: list[EpochRecord]


class ClaimLine(NamedTuple):
    """One claim in one world, over seeds.

    ``held`` counts the seeds in which it held in every epoch. ``telling`` is in how many of the
    epochs its bound was below the largest regret or error there is, ``used`` the largest share of
    the bound that the left side took up in those.
    """

    world: str
    claim: str
    seeds: int
    held: int
    epochs: int
    telling: float
    used: float


class LengthLine(NamedTuple):
    """One claim at one length: both sides where they are closest, as means over seeds."""

    claim: str
    n: int
    deviation: float
    bound: float
    trivial: float


def _theory(domain: Domain, n: int) -> Constants:
    return Constants.theory(math.log(domain.votes.shape[1]), n, _DELTA)


def _by_rows(seed: int, doublings: int, *, fresh: bool) -> _Found:
    domain = threshold_domain(_POINTS, _NOISE)
    n = 3 * 2**doublings
    rng = np.random.default_rng([7, seed])
    settings: EpochSettings = {"fresh": True, "unlabeled": _FRESH} if fresh else {}
    settings["horizon"] = n
    learner = ActiveCover(domain.oracle, _theory(domain, n), **settings)
    # Every epoch but the first spends some more on (OP).
    stream = domain.stream(n + fresh * doublings * _FRESH, rng)
    watch = Watch(domain, learner, stream)
    run = trace_of(learner, stream, rng.random(len(stream.labels)), watch)
    return watch.findings, int(run.queried.sum()), learner.epochs


def _by_counts(
    seed: int,
    doublings: int,
    *,
    noise: float = _NOISE,
    omega: float | None = None,
    c0: float | None = None,
) -> _Found:
    """With the theory's constants, or with practical ones of this c0."""
    domain = threshold_domain(_POINTS, noise, omega=omega)
    constants = _theory(domain, 3 * 2**doublings)
    if c0 is not None:
        constants = Constants.practical(c0=c0, alpha=1.0, beta_scale=BETA_SCALE)
    findings, queries = counted_run(domain, constants, doublings, np.random.default_rng([8, seed]))
    if omega is not None:
        _add_region_claims(domain, omega, findings)
    return findings, queries, []


def _add_region_claims(domain: Domain, omega: float, findings: list[Findings]) -> None:
    """The region under low noise. Paper: ``eqn:tsyba-disagree``."""
    scale = domain.disagreement_coefficient() * domain.tsybakov_factor(omega)
    bound = 1.0
    for found in findings:
        found.claims["eqn:tsyba-disagree"] = Inequality(
            np.array([found.region]), np.array([bound]), trivial=1.0
        )
        bound = scale * float(found.claims["eqn:regret"].right[0]) ** omega


WORLDS: dict[str, tuple[int, Callable[[int, int], _Found]]] = {
    "rows": (15, partial(_by_rows, fresh=False)),
    "rows, fresh": (15, partial(_by_rows, fresh=True)),
    "counts": (46, _by_counts),
    "counts, no noise": (46, partial(_by_counts, noise=0.0)),
    "counts, low noise": (54, partial(_by_counts, omega=_OMEGA)),
    "counts, c0 = 1": (28, partial(_by_counts, c0=1.0)),
    "counts, low noise, c0 = 4": (28, partial(_by_counts, omega=_OMEGA, c0=4.0)),
}
"""Name to how often the documented stream doubles its first three examples, and to its maker.

``rows`` are shown to the learner one by one; ``fresh`` spends 1,000 more on each epoch's (OP).
``counts`` are :mod:`askance.theory.counted`. Where no c0 is named the constants are the theory's.
"""


def claim_run(world: str, seed: int, scale: float = 1.0) -> ClaimRun:
    """One seed in one world; a ``scale`` below 1 is a shorter stream."""
    doublings, make = WORLDS[world]
    return ClaimRun(world, seed, *make(seed, doublings + round(math.log2(scale))))


def claim_lines(runs: list[ClaimRun]) -> list[ClaimLine]:
    """A line for each claim of each world."""
    lines = []
    for world in dict.fromkeys(run.world for run in runs):
        chosen = [run.findings for run in runs if run.world == world]
        for name in chosen[0][0].claims:
            claims = [[found.claims[name] for found in findings] for findings in chosen]
            telling = [claim.tightest for run in claims for claim in run if claim.says_something]
            lines.append(
                ClaimLine(
                    world=world,
                    claim=f"`{name}`",
                    seeds=len(claims),
                    held=sum(all(claim.holds for claim in run) for run in claims),
                    epochs=len(claims[0]),
                    telling=len(telling) / len(claims),
                    used=max((left / right for left, right in telling), default=0.0),
                )
            )
    return lines


def length_lines(runs: list[ClaimRun], world: str, names: tuple[str, ...]) -> list[LengthLine]:
    """Deviation and bound against n, for some claims of one world."""
    chosen = [run.findings for run in runs if run.world == world]
    lines = []
    for name in names:
        for epochs in zip(*chosen, strict=True):
            claims = [found.claims[name] for found in epochs]
            left, right = np.mean([claim.tightest for claim in claims], axis=0).tolist()
            lines.append(LengthLine(f"`{name}`", epochs[0].end, left, right, claims[0].trivial))
    return lines
