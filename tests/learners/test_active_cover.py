"""Active Cover against an independent enumeration, epoch by epoch."""

import copy
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from askance.errors import InvalidParameter
from askance.learners.active_cover import ActiveCover
from askance.learners.constants import Constants
from askance.learners.region import KnownRegion, OneCallRegion
from askance.oracles.finite import VoteOracle
from askance.oracles.thresholds import Threshold, ThresholdOracle
from askance.sparse import from_dense, resized, row_at

PRACTICAL = Constants.practical(c0=0.05, alpha=1.0, beta_scale=10**0.5)
seeds = st.integers(0, 2**32 - 1)


class World:
    """A small finite class on a small domain, with noisy labels."""

    def __init__(self, seed: int, n: int = 100) -> None:
        rng = np.random.default_rng(seed)
        self.size = int(rng.integers(2, 7))
        domain = rng.choice([-1, 1], size=(12, self.size))
        at = rng.integers(12, size=n)
        self.table = domain[at]
        self.X = csr_array(np.column_stack([np.ones(n), self.table < 0]).astype(float))
        noise = rng.random(n) < rng.choice([0.0, 0.1, 0.3])
        self.labels = np.where(noise, -1, 1) * self.table[:, 0]
        self.coins = rng.random(n)
        self.oracle = VoteOracle(self.size)

    def run(self, learner: ActiveCover, start: int = 0, stop: int | None = None) -> None:
        for i in range(start, len(self.labels) if stop is None else stop):
            x = row_at(self.X, i)
            decision = learner.decide(x, float(self.coins[i]))
            learner.learn(x, decision, int(self.labels[i]) if decision.queried else None)


def enumerate_epoch(world: World, learner: ActiveCover, c0: float) -> tuple[int, list[bool]]:
    """ERM and region from Z-tilde alone: every classifier, every point, nothing shared."""
    X, targets, weights, tau = learner.sample
    votes = np.where(resized(X, world.size + 1).toarray()[:, 1:] != 0, -1, 1)
    errors = []
    for j in range(world.size):
        total = 0.0
        for i in range(len(targets)):
            total += weights[i] if votes[i, j] != targets[i] else 0.0
        errors.append(total / tau)
    best = min(range(world.size), key=lambda j: (round(errors[j], 9), j))
    radius = math.sqrt(c0 * errors[best] / tau) + 4 * c0 * math.log(tau) / tau
    good = [j for j in range(world.size) if errors[j] - errors[best] <= radius + 1e-9]
    return best, [len({world.table[i, j] for j in good}) == 2 for i in range(len(world.table))]


def enumerate_violations(world: World, learner: ActiveCover, P: list[float]) -> list[float]:
    """E[I_h / P] - b(h) on the points seen, for every classifier, from Z-tilde and P alone."""
    X, targets, weights, tau = learner.sample
    votes = np.where(resized(X, world.size + 1).toarray()[:, 1:] != 0, -1, 1)
    errors = [weights[votes[:, j] != targets].sum() / tau for j in range(world.size)]
    best = min(range(world.size), key=lambda j: (round(errors[j], 9), j))
    radius = math.sqrt(0.05 * errors[best] / tau) + 4 * 0.05 * math.log(tau) / tau
    slack = tau * radius**2 / (0.05 * 100)
    relaxed = slack + max(slack, 1e-3)
    violations = []
    for j in range(world.size):
        # P is 0 outside the region and nowhere else.
        at = [i for i in range(tau) if P[i] and world.table[i, j] != world.table[i, best]]
        regret = 2 / (0.05 * 10) * tau * radius * (errors[j] - errors[best])
        spent = sum(1 / P[i] for i in at) / tau
        violations.append(spent - 2 * len(at) / tau - regret - relaxed)
    return violations


@given(seed=seeds)
@settings(max_examples=40, deadline=None)
def test_each_epoch_equals_enumeration(seed: int) -> None:
    check_each_epoch("exact", seed)


@given(seed=seeds)
@settings(max_examples=5, deadline=None)
def test_each_epoch_equals_enumeration_by_single_calls(seed: int) -> None:
    check_each_epoch("one-call", seed)


def check_each_epoch(region: str, seed: int) -> None:
    world = World(seed)
    learner = ActiveCover(world.oracle, PRACTICAL, region=region)
    seen = set()
    for i in range(len(world.labels)):
        world.run(learner, i, i + 1)
        if learner.epoch in seen or learner.epoch == 1:
            continue
        seen.add(learner.epoch)
        best, inside = enumerate_epoch(world, learner, c0=0.05)
        decisions = learner.decide_many(world.X, np.full(len(world.labels), 0.5))
        assert learner.classifier.index == best
        assert [d.in_disagreement for d in decisions] == inside
        assert [d.predicted for d in decisions] == world.table[:, best].tolist()
        violations = enumerate_violations(world, learner, [d.probability for d in decisions])
        # The solver's last step is its oracle call at the P that then serves the epoch.
        last = learner.solution.steps[-1]
        assert last.called_oracle
        assert last.violation == pytest.approx(max(violations), abs=1e-9)
    assert len(seen) == 6


@given(seed=seeds)
@settings(max_examples=40, deadline=None)
def test_the_probabilities_obey_the_problem_on_the_points_seen(seed: int) -> None:
    world = World(seed, n=48)
    learner = ActiveCover(world.oracle, PRACTICAL)
    world.run(learner)
    X, targets, weights, tau = learner.sample
    assert tau == 48
    decisions = learner.decide_many(world.X, np.zeros(48))
    P = np.array([d.probability for d in decisions])
    inside = np.array([d.in_disagreement for d in decisions])
    assert np.all(P[~inside] == 0)
    assert np.all(P[inside] >= decisions[0].floor)
    votes = np.where(resized(X, world.size + 1).toarray()[:, 1:] != 0, -1, 1)
    errors = [weights[votes[:, j] != targets].sum() / tau for j in range(world.size)]
    radius = decisions[0].threshold
    slack = tau * radius**2 / (0.05 * 100)
    epsilon = max(slack, 1e-3)
    for j in range(world.size):
        differs = inside & (world.table[:, j] != world.table[:, learner.classifier.index])
        regret = errors[j] - min(errors)
        bound = 2 * differs.mean() + 2 / (0.05 * 10) * tau * radius * regret + slack
        assert np.sum(1 / P[differs]) / tau <= bound + 2 * epsilon + 1e-9


@given(seed=seeds)
@settings(max_examples=20, deadline=None)
def test_blocks_equal_one_at_a_time(seed: int) -> None:
    world = World(seed)
    single, blocks = (ActiveCover(world.oracle, PRACTICAL, horizon=100) for _ in range(2))
    world.run(single)
    done = 0
    decisions = []
    while done < 100:
        part = slice(done, min(done + blocks.remaining, 100))
        decided = blocks.decide_many(world.X[part], world.coins[part])
        y = [
            int(v) if d.queried else None for v, d in zip(world.labels[part], decided, strict=True)
        ]
        blocks.learn_many(world.X[part], decided, y)
        decisions += decided
        done = part.stop
    assert [d.k for d in decisions] == list(range(100))
    assert blocks.epochs == single.epochs
    assert blocks.mean_error == pytest.approx(single.mean_error)
    assert blocks.sample.weights.tolist() == single.sample.weights.tolist()
    assert blocks.classifier == single.classifier


@given(seed=seeds, fresh=st.booleans(), cut=st.integers(0, 60))
@settings(max_examples=10, deadline=None)
def test_a_saved_learner_goes_on_as_if_nothing_had_happened(
    seed: int, fresh: bool, cut: int
) -> None:
    world = World(seed)
    first = ActiveCover(world.oracle, PRACTICAL, fresh=fresh, unlabeled=5)
    world.run(first, 0, cut)
    second = ActiveCover(world.oracle, PRACTICAL, fresh=fresh, unlabeled=5)
    second.set_state(copy.deepcopy(first.get_state()))
    world.run(first, cut)
    world.run(second, cut)
    coins = np.full(100, 0.3)
    assert first.decide_many(world.X, coins) == second.decide_many(world.X, coins)
    assert first.epochs == second.epochs


def test_deciding_changes_nothing() -> None:
    world = World(1)
    learner = ActiveCover(world.oracle, PRACTICAL)
    world.run(learner, 0, 50)
    before = repr(learner.get_state())
    first = learner.decide_many(world.X, world.coins)
    assert first == learner.decide_many(world.X, world.coins)
    assert repr(learner.get_state()) == before


def test_the_first_three_labels_are_asked_with_weight_one() -> None:
    world = World(2)
    learner = ActiveCover(world.oracle, PRACTICAL)
    decisions = learner.decide_many(world.X[:3], [0.0, 0.5, 0.999])
    assert [(d.queried, d.probability, d.in_disagreement) for d in decisions] == [
        (True, 1.0, True)
    ] * 3
    learner.learn_many(world.X[:3], decisions, [1, -1, 1])
    assert learner.epoch == 2
    assert learner.sample.weights.tolist() == [1.0, 1.0, 1.0]


def test_a_tie_counts_as_flipped() -> None:
    # Two classifiers, three examples: the second makes one mistake more, so its regret is 1/3.
    table = np.array([[1, 1], [1, 1], [1, -1]])
    X = csr_array(np.column_stack([np.ones(3), table < 0]).astype(float))
    oracle = VoteOracle(2)
    learner = ActiveCover(oracle, PRACTICAL)
    learner.learn_many(X, learner.decide_many(X, np.zeros(3)), [1, 1, 1])
    sample = learner.sample
    at, said = X[[2]], np.array([1])
    for radius, flipped in ((1 / 3, True), (1 / 3 - 1e-6, False)):
        region = OneCallRegion(oracle, sample, 0.0, radius)
        assert np.isfinite(region.flip_regrets(at, said)).tolist() == [flipped]


@given(seed=seeds)
@settings(max_examples=10, deadline=None)
def test_the_fast_rule_is_never_larger_and_is_audited(seed: int) -> None:
    world = World(seed)
    learner = ActiveCover(world.oracle, PRACTICAL, region="known", probes=2, known_from=0, audit=12)
    world.run(learner)
    exact = ActiveCover(world.oracle, PRACTICAL)
    exact.set_state(learner.get_state())
    fast = [d.in_disagreement for d in learner.decide_many(world.X, world.coins)]
    slow = [d.in_disagreement for d in exact.decide_many(world.X, world.coins)]
    assert all(not f or s for f, s in zip(fast, slow, strict=True))
    assert [audit.epoch for audit in learner.audits] == [2, 3, 4, 5, 6, 7]
    assert all(audit.only_known == 0 for audit in learner.audits)


def test_the_fast_rule_knows_everything_with_a_probe_at_every_point() -> None:
    world = World(7)
    learner = ActiveCover(world.oracle, PRACTICAL, region="known", probes=1000, known_from=0)
    world.run(learner, 0, 48)
    exact = ActiveCover(world.oracle, PRACTICAL)
    exact.set_state(learner.get_state())
    fast = learner.decide_many(world.X[:48], world.coins[:48])
    slow = exact.decide_many(world.X[:48], world.coins[:48])
    assert [d.in_disagreement for d in fast] == [d.in_disagreement for d in slow]


class Shy:
    """An oracle that says +1 of all three examples, less when asked to flip them, least at last."""

    def fit(self, X: csr_array, targets: object, weights: object) -> Threshold:
        cuts = {0: 1.0, 3: 1.0, 6: 0.5}
        # Where all points are probed at once there are twice three rows; (OP) has those inside.
        return Threshold(0, cuts.get(X.shape[0], 0.2), -1)


def test_the_fast_rule_knows_what_the_solver_found() -> None:
    """A classifier that (OP) needed, and no probe had found, is within the radius too."""
    wide = Constants.practical(c0=1.0, alpha=1.0, beta_scale=1.0)
    learner = ActiveCover(Shy(), wide, region="known", probes=0, known_from=0)
    X = from_dense(np.array([[0.1], [0.3], [0.6]]))
    learner.learn_many(X, learner.decide_many(X, np.zeros(3)), [1, 1, 1])
    decisions = learner.decide_many(X, np.zeros(3))
    assert [d.in_disagreement for d in decisions] == [False, True, True]


def test_known_classifiers_beyond_the_radius_are_forgotten() -> None:
    world = World(3)
    learner = ActiveCover(world.oracle, PRACTICAL)
    world.run(learner, 0, 48)
    region = KnownRegion(learner.sample, learner.sample.error(learner.classifier), radius=-1.0)
    for classifier in world.oracle.classifiers:
        region.add(classifier)
    assert region.known == []


def test_fresh_points_are_spent_unlabelled_and_do_not_count() -> None:
    world = World(4)
    learner = ActiveCover(world.oracle, PRACTICAL, fresh=True, unlabeled=10)
    world.run(learner, 0, 3)
    assert learner.remaining == 10
    spent = learner.decide_many(world.X[3:13], np.zeros(10))
    assert not any(d.queried for d in spent)
    assert {d.k for d in spent} == {3}
    world.run(learner, 3, 13)
    assert learner.k == 3
    assert learner.remaining == 3
    assert math.isfinite(learner.threshold)


def test_the_theory_constants_keep_everything_at_small_n() -> None:
    world = World(5)
    constants = Constants.theory(math.log(world.size), 100, 0.05)
    learner = ActiveCover(world.oracle, constants)
    world.run(learner)
    # A radius above 1 excludes no classifier: the bounds say nothing yet.
    assert learner.threshold > 1
    differ = (world.table != world.table[:, [0]]).any(axis=1)
    decisions = learner.decide_many(world.X, world.coins)
    assert [d.in_disagreement for d in decisions] == differ.tolist()


def test_an_unknown_region_is_refused() -> None:
    with pytest.raises(InvalidParameter, match="region must be one of exact, known, one-call"):
        ActiveCover(VoteOracle(2), PRACTICAL, region="all")

    class Plain:
        def fit(self, X: object, targets: object, weights: object) -> object:
            return ThresholdOracle().fit(X, targets, weights)

    with pytest.raises(InvalidParameter, match="needs an oracle with constrained_errors"):
        ActiveCover(Plain(), PRACTICAL, region="exact")
    assert ActiveCover(Plain(), PRACTICAL).region == "one-call"


def test_realizable_thresholds_are_found_with_few_labels() -> None:
    rng = np.random.default_rng(0)
    x = rng.random(3000)
    X, y = from_dense(x[:, None]), np.where(x > 0.3, 1, -1)
    learner = ActiveCover(ThresholdOracle(both_sides=True), PRACTICAL, horizon=3000)
    done = 0
    while done < 3000:
        part = slice(done, done + learner.remaining)
        decisions = learner.decide_many(X[part], rng.random(learner.remaining))
        labels = [int(v) if d.queried else None for v, d in zip(y[part], decisions, strict=True)]
        learner.learn_many(X[part], decisions, labels)
        done = part.stop
    queries = sum(record.queries for record in learner.epochs)
    assert queries < 150
    assert np.mean(learner.predict_many(X) != y) < 0.01
