"""A thinned sample says what the whole one says, in memory that does not grow."""

from typing import NamedTuple

import numpy as np
import pytest
from scipy import stats

from askance.errors import InvalidParameter
from askance.learners.active_cover import ActiveCover
from askance.learners.constants import PracticalConstants
from askance.learners.sample import Sample
from askance.learners.thinned_sample import ThinnedSample, _priorities
from askance.oracles.finite import Vote, VoteOracle
from askance.sparse import from_dense
from askance.theory.instances import hard_instance, trace_of


class Threshold:
    """+1 above a point."""

    def __init__(self, point):
        self.point = point

    def predict_many(self, X):
        return np.where(X.toarray()[:, 0] > self.point, 1, -1)


def block(n, seed=0, outside=0.5):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 1))
    out = rng.random(n) < outside
    weights = np.where(out, 1.0, np.where(rng.random(n) < 0.25, 4.0, 0.0))
    return from_dense(X), np.where(X[:, 0] > 0, 1, -1).astype(np.int8), weights, out


def filled(sample, n, seed=0, step=None):
    X, targets, weights, out = block(n, seed)
    for start in range(0, n, step or n):
        part = slice(start, start + (step or n))
        sample.append(X[part], targets[part], weights[part], out[part])
    return sample


def test_a_reservoir_that_is_large_enough_changes_nothing():
    whole, thinned = filled(Sample(), 400).snapshot(400), filled(ThinnedSample(400, 9), 400)
    found = thinned.snapshot(400)
    assert found.offered == 400
    for point in (-1.0, 0.0, 0.7):
        assert found.error(Threshold(point)) == pytest.approx(whole.error(Threshold(point)))
    order = np.argsort(found.X.toarray()[:, 0])
    same = np.argsort(whole.X.toarray()[:, 0])
    assert (found.weights[order] == whole.weights[same]).all()
    assert (found.targets[order] == whole.targets[same]).all()


def test_errors_are_those_of_the_whole_sample_up_to_the_reservoirs_noise():
    """The weight of a row is n_out/R, so sums over the outside have the right mean."""
    n, R = 4000, 500
    gaps = []
    for seed in range(40):
        whole = filled(Sample(), n, seed).snapshot(n)
        thinned = filled(ThinnedSample(R, 9), n, seed).snapshot(n)
        assert np.sum(thinned.weights) == pytest.approx(np.sum(whole.weights))
        gaps.append(thinned.error(Threshold(0.5)) - whole.error(Threshold(0.5)))
    # A share of about 0.19 of half of the examples, from a fresh draw of R each time.
    spread = 0.5 * np.sqrt(0.19 * 0.81 / R)
    assert abs(np.mean(gaps)) < 4 * spread / np.sqrt(40)
    assert np.std(gaps) == pytest.approx(spread, rel=0.4)


@pytest.mark.parametrize("step", [1, 7, 400])
def test_blocks_of_any_length_give_the_same_sample(step):
    whole, parts = filled(ThinnedSample(50, 20), 400), filled(ThinnedSample(50, 20), 400, step=step)
    one, other = whole.snapshot(400), parts.snapshot(400)
    assert (one.X != other.X).nnz == 0
    assert (one.targets == other.targets).all()
    assert (one.weights == other.weights).all()
    whole.begin(400)
    parts.begin(400)
    assert (whole.newest(400, 20) != parts.newest(400, 20)).nnz == 0


def test_memory_is_that_of_labels_and_reservoir():
    sample = ThinnedSample(50, 20)
    for seed in range(20):
        X, targets, _, _ = block(1000, seed)
        sample.append(X, targets, np.ones(1000), np.ones(1000, bool))
    state = sample.get_state()
    assert len(state["predicted"]) == 50
    assert len(state["targets"]) == 0
    assert sum(part.shape[0] for part in sample._newest) <= 1000
    assert sample.snapshot(20_000).weights.tolist() == [400.0] * 50


def test_the_newest_points_are_those_of_the_epochs_begin():
    sample = ThinnedSample(50, 30)
    X, targets, weights, out = block(100)
    sample.append(X[:60], targets[:60], weights[:60], out[:60])
    sample.begin(60)
    sample.append(X[60:], targets[60:], weights[60:], out[60:])
    assert (sample.newest(60, 30) != X[30:60]).nnz == 0
    assert sample.snapshot(60).offered == 60
    with pytest.raises(InvalidParameter, match="knows 100 and 60 examples, got 50"):
        sample.snapshot(50)


def test_a_sample_comes_back_from_its_state_and_grows_on_alike():
    sample = filled(ThinnedSample(50, 20), 300)
    sample.begin(300)
    filled(sample, 200, seed=1)
    again = ThinnedSample(50, 20)
    again.set_state(sample.get_state(), 500, None)
    assert again.snapshot(300).weights.tolist() == sample.snapshot(300).weights.tolist()
    for one in (sample, again):
        filled(one, 100, seed=2)
    assert again.snapshot(600).weights.tolist() == sample.snapshot(600).weights.tolist()
    assert (again.snapshot(600).X != sample.snapshot(600).X).nnz == 0
    state = sample.get_state()
    for wrong in (
        {"counts": [600, 900, 300]},
        {"predicted": np.full(50, 3, np.int8)},
        {"begun": [state["begun"][0], state["begun"][1], -state["begun"][2]]},
        {"counts": [600, 20, 300]},
    ):
        with pytest.raises(InvalidParameter):
            ThinnedSample(50, 20).set_state(state | wrong, 600, None)
    with pytest.raises(InvalidParameter, match="must have 7 examples"):
        ThinnedSample(50, 20).set_state(state | {"counts": [6, 2, 3]}, 7, None)


def test_priorities_look_uniform_and_follow_the_count():
    numbers = _priorities(0, 50_000)
    assert stats.kstest(numbers, "uniform").pvalue > 1e-3
    assert abs(np.corrcoef(numbers[1:], numbers[:-1])[0, 1]) < 0.02
    assert len(np.unique(numbers)) == 50_000


class Hard(NamedTuple):
    """What Active Cover did on the hard instance, and what its last sample says of each vote."""

    queries: list[int]
    kept_best: bool
    regret: float
    errors: np.ndarray
    rows: int


def on_hard_instance(n, seed, reservoir, size=301, epsilon=0.02):
    rng = np.random.default_rng([size, seed])
    stream, coins = hard_instance(size, n, epsilon, rng), rng.random(n)
    oracle = VoteOracle(size)
    constants = PracticalConstants(c0=1.0, alpha=1.0, beta_scale=np.sqrt(10.0))
    learner = ActiveCover(oracle, constants, horizon=n, reservoir=reservoir)
    best, kept = int(stream.best), []

    def errors():
        sample = learner.sample
        return oracle.errors(sample.X, sample.targets, sample.weights) / sample.offered

    def watch(_):
        regrets = errors() - learner.sample.error(learner.classifier)
        kept.append(regrets[best] <= learner.threshold + 1e-9)

    run = trace_of(learner, stream, coins, watch)
    # Of a vote that is not h*: half of the informative examples, of which h* gets all right.
    regret = 0.0 if learner.classifier == Vote(best) else epsilon / 2
    queries = run.queries_at(n >> np.arange(8, -1, -1)).tolist()
    return Hard(queries, all(kept), regret, errors(), learner.sample.X.shape[0])


def test_active_cover_over_a_thinned_sample_does_what_it_does_over_all():
    whole, thinned = (on_hard_instance(2**13, 0, R, size=51, epsilon=0.1) for R in (None, 400))
    assert thinned.kept_best
    assert thinned.regret == whole.regret
    assert thinned.rows < whole.rows / 5
    assert thinned.queries[-1] == pytest.approx(whole.queries[-1], rel=0.1)
    # Outside the region all good votes agree; what others get wrong there must not be lost.
    assert abs(np.mean(thinned.errors - whole.errors)) < 0.02
    assert np.mean(whole.errors) - np.min(whole.errors) > 0.04


@pytest.mark.slow
def test_the_hard_instance_keeps_its_slope_and_h_star_over_thinned_samples():
    n, seeds = 2**20, 20
    pairs = [[on_hard_instance(n, seed, R) for R in (None, 2000)] for seed in range(seeds)]
    whole, thinned = (np.array([pair[i].queries for pair in pairs]) for i in (0, 1))
    assert sum(pair[1].kept_best for pair in pairs) >= 19
    slopes = [np.diff(np.log2(labels.mean(axis=0))) for labels in (whole, thinned)]
    assert slopes[1] == pytest.approx(slopes[0], abs=0.05)
    regrets = np.array([[run.regret for run in pair] for pair in pairs])
    spread = regrets[:, 0].std(ddof=1) / np.sqrt(seeds)
    assert abs(regrets[:, 1].mean() - regrets[:, 0].mean()) <= 2 * spread + 1e-12
    gaps = [np.mean(pair[1].errors - pair[0].errors) for pair in pairs]
    assert abs(np.mean(gaps)) < 0.002
    labels = [pair[1].queries[-1] for pair in pairs]
    assert all(pair[1].rows <= asked + 2000 for pair, asked in zip(pairs, labels, strict=True))


@pytest.mark.parametrize("points", [1, 7, 500])
def test_the_newest_points_are_counted_as_they_come_and_go(points):
    """One by one or in blocks, before and after a restart, as many parts are held as are needed."""
    X, targets, weights, out = block(300)
    sample = ThinnedSample(20, points)
    starts = [*range(100), 100, 150, *range(200, 300)]
    for start, stop in zip(starts, [*starts[1:], 300], strict=True):
        part = slice(start, stop)
        sample.append(X[part], targets[part], weights[part], out[part])
        held = sum(one.shape[0] for one in sample._newest)
        assert sample._held == held
        assert min(points, stop) <= held < points + sample._newest[0].shape[0]
        assert (sample._last().toarray() == X[max(stop - points, 0) : stop].toarray()).all()
        if stop % 40 == 0:
            other = ThinnedSample(20, points)
            other.set_state(sample.get_state(), stop, None)
            sample = other
