"""The paper's inequalities, at parameters at which each of them could fail.

A bound that no run can reach proves nothing, so every claim has two numbers to keep: in how many
epochs its bound lies below the largest regret or error there is, and what share of it was used.
"""

import math

import numpy as np
import pytest

from askance.learners.constants import Constants
from askance.theory.counted import counted_run
from askance.theory.deviations import WORLDS, claim_lines, claim_run, length_lines
from askance.theory.domain import threshold_domain

LEMMA = {"eqn:dev-bias": (3, 0.03), "eq:dev-label": (4, 0.03)}
THEORY = {
    "eqn:regret": (7, 0.05),
    "eq:h_best": (12, 0),
    "eqn:dev-bias": (34, 0.08),
    "eq:dev-label": (36, 0.06),
    "prop:dev-regret-bias": (18, 2e-4),
    "prop:err-emp-best": (21, 0),
    "eqn:main-regret": (12, 2e-5),
    "eq:err_dev": (12, 0),
}
TELLING = {
    "rows": LEMMA,
    "rows, fresh": LEMMA,
    "counts": THEORY
    | {"prop:dev-regret-bias": (18, 1e-3), "prop:err-emp-best": (21, 5e-4)}
    | {"eqn:main-regret": (12, 2e-4), "eq:err_dev": (12, 3e-5)},
    "counts, no noise": THEORY,
    "counts, low noise": THEORY | {"eqn:tsyba-disagree": (13, 0.15)},
    "counts, c0 = 1": {"eqn:regret": (17, 0.05), "eq:h_best": (22, 0.03)},
    "counts, low noise, c0 = 4": {
        "eqn:regret": (15, 0.05),
        "eq:h_best": (18, 0.05),
        "eqn:tsyba-disagree": (15, 0.15),
    },
}


def check(world: str, seeds: range) -> None:
    runs = [claim_run(world, seed) for seed in seeds]
    lines = {line.claim.strip("`"): line for line in claim_lines(runs)}
    assert all(line.held == len(seeds) for line in lines.values())
    for claim, (telling, used) in TELLING[world].items():
        assert lines[claim].telling >= telling, claim
        assert lines[claim].used >= used, claim
    # The bias of the sample favours the good, for every h, in every epoch.
    assert all(found.bias.min() >= -1e-12 for run in runs for found in run.findings)


@pytest.mark.parametrize("world", WORLDS)
def test_every_claim_holds_where_it_could_fail(world: str) -> None:
    # The practical ones are cheap, and a single seed may never come near its bound.
    check(world, range(3 if "c0" in world else 1))


@pytest.mark.slow
@pytest.mark.parametrize("world", WORLDS)
def test_every_claim_holds_over_seeds(world: str) -> None:
    check(world, range(20))


def test_practical_bounds_say_something_in_most_epochs() -> None:
    for world in ("counts, c0 = 1", "counts, low noise, c0 = 4"):
        for line in claim_lines([claim_run(world, seed) for seed in range(3)]):
            assert line.held == 3
            assert line.telling > line.epochs / 2


def test_the_claims_of_the_theory_hold_by_counts() -> None:
    assert all(line.held == line.seeds == 1 for line in claim_lines([claim_run("counts", 1)]))


def test_without_noise_the_radius_is_the_corollarys() -> None:
    """Delta_m = Delta*_m = c_2 epsilon_m log tau_m, and the regrets in A stay within it."""
    domain, n = threshold_domain(100), 3 * 2**46
    constants = Constants.theory(math.log(101), n, delta=0.05)
    findings, _ = counted_run(domain, constants, 46, np.random.default_rng(0))
    for found in findings:
        tau = found.end
        radius = 216 * 5184 * 32 * math.log(101 * tau / 0.05) / tau * math.log(tau)
        bound = found.claims["eqn:regret"]
        assert found.claims["eq:h_best"].right.tolist() == pytest.approx([radius], rel=1e-3)
        assert bound.right.tolist() == pytest.approx([16 * radius], rel=1e-12)
        assert bound.holds
    # At the end of the stream the bound leaves h* alone.
    assert findings[-1].claims["eqn:regret"].right[0] < 0.01
    assert findings[-1].good.tolist() == [h == domain.best for h in range(101)]


def test_fresh_points_change_what_op_sees_and_no_claim() -> None:
    newest, fresh = (claim_run(world, 0, 1 / 32) for world in ("rows", "rows, fresh"))
    assert [found.end for found in newest.findings] == [found.end for found in fresh.findings]
    assert [record.end for record in fresh.records] == [found.end for found in fresh.findings]
    assert fresh.records[-1].end == 3 * 2**10
    assert newest.queries != fresh.queries


def test_lengths_have_both_sides_in_order() -> None:
    runs = [claim_run("counts, c0 = 1", seed, 1 / 32) for seed in range(2)]
    lines = length_lines(runs, "counts, c0 = 1", ("eqn:regret", "eq:h_best"))
    assert [line.n for line in lines] == 2 * [3 * 2**m for m in range(24)]
    sides = [run.findings[5].claims["eqn:regret"].tightest for run in runs]
    assert (lines[5].deviation, lines[5].bound) == pytest.approx(tuple(np.mean(sides, axis=0)))
    assert lines[5].trivial == pytest.approx(0.35)
