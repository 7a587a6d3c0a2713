"""The twin, with Vowpal Wabbit's departures on, takes Vowpal Wabbit's decisions.

Each step is compared from the same past: the twin is forced to learn what Vowpal Wabbit learned.
"""

import math
import random
from functools import cache
from typing import NamedTuple

import pytest
from twin import Departures, OnlineActiveCover, Oracle, Row, Settings, vowpal_wabbit
from vowpalwabbit import Workspace
from vw_driver import LEARNER, Step, active_cover_steps, float32, passive_margins
from walk import Coins, Passage, run

pytestmark = pytest.mark.vw

SEED = 7
MARGIN = 1e-4  # agreement of margins, relative to 1 + |f|; measured: 3e-6, and 2e-5 in the cover
WEIGHT = 1e-5  # relative agreement of 1/P; measured: 2e-7
BOUNDARY = 1e-4  # how near to its boundary a decision must be, to be lost to rounding

COVER_12 = "--cover 12 --mellowness 8 --learning_rate 0.025"
COVER_6 = "--cover 6 --mellowness 0.05"
COVER_3 = "--cover 3 --mellowness 0.3 --alpha 2 --beta_scale 1"
ORACULAR = "--oracular --mellowness 0.05"

# With c0 = 8, Vowpal Wabbit's own rate of 0.5 keeps the first thousands of examples all inside the
# region: 0.025 is the smallest rate of the paper's grid.
SETTINGS = {
    COVER_12: Settings(cover_size=12, c0=8.0, learning_rate=0.025),
    COVER_6: Settings(cover_size=6, c0=0.05),
    COVER_3: Settings(cover_size=3, c0=0.3, alpha=2.0, beta_scale=1.0),
    ORACULAR: Settings(oracular=True, c0=0.05),
}


@cache
def noisy_stream(size: int = 1600) -> list[tuple[Row, int]]:
    """Short and long rows, noisy labels, and rare features that keep outgrowing their past."""
    rng = random.Random(2015)
    truth = {j: rng.gauss(0, 1) for j in range(64)}
    stream = []
    for _ in range(size):
        row = {j: float32(rng.gauss(0, 1)) for j in rng.sample(range(4), 2)}
        if rng.random() < 0.4:
            row |= {j: rng.choice((-0.75, 0.75)) for j in rng.sample(range(4, 64), 20)}
        score = 2 + sum(truth[j] * x for j, x in row.items())
        if rng.random() < 0.2:
            row[64 + rng.randrange(20)] = float32(math.exp(rng.gauss(0, 3)))
        stream.append((row, (1 if score > 0 else -1) * (-1 if rng.random() < 0.15 else 1)))
    return stream


@cache
def vw_steps(options: str) -> list[Step]:
    return active_cover_steps(noisy_stream(), options, SEED)


def forced(
    options: str, departs: Departures, stream: list[tuple[Row, int]], steps: list[Step]
) -> list[Passage]:
    learner = OnlineActiveCover(SETTINGS[options], departs)
    return run(learner, Coins(SEED), stream, [step[:3] for step in steps])


def learned(passage: Passage, label: int) -> tuple[int, float]:
    """The label and weight that the ERM learns by the twin's decision."""
    decision = passage.decision
    if not decision.in_region:
        return decision.predicted, 1.0
    return (label, 1 / decision.probability) if decision.queried else (0, 0.0)


def clip(margin: float) -> float:
    return max(-50.0, min(margin, 50.0))


def gap(ours: float, theirs: float) -> float:
    """Distance of two margins as Vowpal Wabbit uses them, relative to their size."""
    return abs(clip(ours) - clip(theirs)) / (1 + abs(clip(theirs)))


class Comparison(NamedTuple):
    """How the twin's steps differ from Vowpal Wabbit's."""

    differing: list[Passage]
    weight_gap: float
    margin_gap: float
    last_margin_gap: float

    def agrees(self) -> bool:
        gaps = self.margin_gap < MARGIN and self.last_margin_gap < MARGIN
        return gaps and not self.differing and self.weight_gap < WEIGHT


def compare(
    passages: list[Passage], stream: list[tuple[Row, int]], steps: list[Step]
) -> Comparison:
    differing, weight_gap = [], 0.0
    for passage, (_, label), step in zip(passages, stream, steps, strict=True):
        target, weight = learned(passage, label)
        if target != step.label or not math.isclose(weight, step.weight, rel_tol=0.01):
            differing.append(passage)
        elif step.weight > 0:
            weight_gap = max(weight_gap, abs(weight / step.weight - 1))
    pairs = list(zip(passages, steps, strict=True))
    margin_gap = max(gap(passage.decision.margin, step.margin) for passage, step in pairs)
    last_gap = max(gap(passage.last_margin, step.last_margin) for passage, step in pairs)
    return Comparison(differing, weight_gap, margin_gap, last_gap)


def at_a_boundary(passage: Passage) -> bool:
    decision = passage.decision
    return (
        abs(decision.margin) < BOUNDARY
        or abs(decision.regret / decision.threshold - 1) < BOUNDARY
        or abs(decision.probability - passage.coin) < BOUNDARY
    )


@pytest.mark.parametrize("options", SETTINGS)
def test_decides_as_vowpal_wabbit_does(options: str) -> None:
    stream, steps = noisy_stream(), vw_steps(options)
    passages = forced(options, vowpal_wabbit(), stream, steps)
    comparison = compare(passages, stream, steps)
    assert len(comparison.differing) <= 0.005 * len(stream)
    assert all(at_a_boundary(passage) for passage in comparison.differing)
    assert comparison.weight_gap < WEIGHT
    assert comparison.margin_gap < MARGIN
    assert comparison.last_margin_gap < MARGIN

    decisions = [passage.decision for passage in passages]
    assert sum(not decision.in_region for decision in decisions) >= 100
    assert sum(decision.queried for decision in decisions) >= 100
    if options != ORACULAR:
        unqueried = [decision for decision in decisions if not decision.queried]
        assert sum(decision.in_region for decision in unqueried) >= 100


def test_needs_no_forcing_with_the_defaults() -> None:
    stream, steps = noisy_stream(), vw_steps("")
    learner = OnlineActiveCover(Settings(), vowpal_wabbit())
    assert compare(run(learner, Coins(SEED), stream), stream, steps).agrees()


def test_the_paper_decides_otherwise() -> None:
    stream, steps = noisy_stream(), vw_steps(COVER_6)
    comparison = compare(forced(COVER_6, Departures(), stream, steps), stream, steps)
    assert len(comparison.differing) > 0.05 * len(stream)


def test_watching_disturbs_nothing() -> None:
    workspace = Workspace(f"--active_cover {COVER_6} --binary {LEARNER} --random_seed {SEED}")
    for (row, label), step in zip(noisy_stream()[:400], vw_steps(COVER_6), strict=False):
        example = workspace.example({" ": sorted(row.items())})
        example.set_label_string(str(label))
        workspace.learn(example)
        assert example.get_simplelabel_weight() == step.weight
        assert example.get_partial_prediction() == step.last_margin
        workspace.finish_example(example)
    workspace.finish()


SHOWN_BY_THE_STREAM = [
    "own_scales",
    "late_rescale",
    "loss_guard",
    "weighted_clock",
    "early_rules",
    "linear_flip",
    "label_leak",
    "lazy_coins",
    "cover_from_first",
    "eighth",
]
SHOWN_BY_HAND = {"clipped", "lifted", "rough_root", "inclusive_coin", "single", "log_loss_error"}


def test_every_switch_is_shown_to_matter() -> None:
    assert {*SHOWN_BY_THE_STREAM, *SHOWN_BY_HAND} == set(Departures.__annotations__)


@pytest.mark.parametrize("switch", SHOWN_BY_THE_STREAM)
def test_decisions_differ_without(switch: str) -> None:
    stream, steps = noisy_stream(), vw_steps(COVER_6)
    off = vowpal_wabbit(**{switch: False})
    comparison = compare(forced(COVER_6, off, stream, steps), stream, steps)
    assert len(comparison.differing) > 0.005 * len(stream)


def test_margins_are_clipped() -> None:
    stream = [({1: 1.0}, 1), ({1: 1.0}, 1), ({1: 1.0}, 1), ({1: 1e5}, -1)]
    options = "--cover 1 --mellowness 50"
    steps = active_cover_steps(stream, options, SEED)
    assert steps[3].margin > 1000
    for clipped in (True, False):
        learner = OnlineActiveCover(Settings(cover_size=1, c0=50.0), vowpal_wabbit(clipped=clipped))
        passages = run(learner, Coins(SEED), stream)
        assert passages[3].decision.in_region == clipped
        assert compare(passages, stream, steps).agrees() == clipped


def test_a_coin_equal_to_the_probability_queries() -> None:
    seed = 6130779  # its first coin is 1/2, and 1/2 is P while the floor is 1/2
    stream = [({1: 1.0}, -1)] * 4
    steps = active_cover_steps(stream, "--cover 1", seed)
    for inclusive in (True, False):
        learner = OnlineActiveCover(Settings(cover_size=1), vowpal_wabbit(inclusive_coin=inclusive))
        passages = run(learner, Coins(seed), stream)
        assert passages[3].coin == passages[3].decision.probability == 0.5
        assert compare(passages, stream, steps).agrees() == inclusive


def test_without_binary_the_error_is_log_loss() -> None:
    stream = noisy_stream()[:600]
    steps = active_cover_steps(stream, COVER_3, SEED, binary=False)
    for log_loss in (True, False):
        departs = vowpal_wabbit(log_loss_error=log_loss)
        comparison = compare(forced(COVER_3, departs, stream, steps), stream, steps)
        assert comparison.agrees() == log_loss
        assert bool(comparison.differing) != log_loss


def test_float32_holds_a_cover_at_its_balance() -> None:
    # With alpha = 1 each member moves p_t nearer to 1/2, where both labels cost the same. Soon a
    # member learns weight 0 in float32 but 1e-13 in float64, and that is enough to enlarge its
    # scales.
    rng = random.Random(11)
    rows = [{j: float32(rng.gauss(0, 1)) for j in range(20)} for _ in range(40)]
    stream = [(row, 1 if row[0] + row[1] > 0 else -1) for row in rows]
    steps = active_cover_steps(stream, "--cover 12 --mellowness 8", SEED)
    for single in (True, False):
        learner = OnlineActiveCover(Settings(), vowpal_wabbit(single=single))
        passages = run(learner, Coins(SEED), stream, [step[:3] for step in steps])
        comparison = compare(passages, stream, steps)
        assert comparison.agrees() == single
        assert bool(comparison.differing) != single


def oracle_gap(stream: list[tuple[Row, int, float]], departs: Departures) -> float:
    oracle, worst = Oracle({}, 0.5, departs), 0.0
    for (row, label, weight), margin in zip(stream, passive_margins(stream), strict=True):
        worst = max(worst, gap(oracle.margin(row), margin))
        oracle.learn(row, label, weight)
    return worst


def test_oracle_learns_as_vowpal_wabbit_does() -> None:
    rng = random.Random(4)
    stream = [(row, label, float32(rng.expovariate(0.5))) for row, label in noisy_stream()]
    assert oracle_gap(stream, vowpal_wabbit()) < MARGIN / 5
    assert oracle_gap(stream, vowpal_wabbit(rough_root=False)) > MARGIN / 5


def test_features_too_small_to_square_are_lifted() -> None:
    stream = [({1: 1.0, 2: 1e-25}, 1, 1.0), ({1: 1.0, 2: -1e-22}, -1, 2.0), ({1: 1.0}, -1, 1.0)]
    assert oracle_gap(stream, vowpal_wabbit()) < MARGIN / 5
    assert oracle_gap(stream, vowpal_wabbit(lifted=False)) > MARGIN
