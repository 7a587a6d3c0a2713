"""Epochs that are fitted elsewhere, and open when they are told to."""

import copy
import pickle
from concurrent.futures import Executor, Future, ThreadPoolExecutor

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from askance.errors import InvalidParameter
from askance.learners.active_cover import ActiveCover
from askance.learners.batch_iwal import BatchIWAL
from askance.learners.constants import Constants
from askance.learners.epoch_fits import EpochFit
from askance.oracles.estimator import EstimatorOracle
from askance.oracles.thresholds import ThresholdOracle
from askance.protocols import RefittingLearner, refitting
from askance.sparse import from_dense, from_rows
from askance.types import Row

CONSTANTS = Constants.practical(c0=0.1, alpha=1.0, beta_scale=10**0.5)


def cover(**chosen):
    return ActiveCover(ThresholdOracle(), CONSTANTS, **chosen)


def tree_cover(**chosen):
    oracle = EstimatorOracle(DecisionTreeClassifier(max_depth=2, random_state=0), n_features=1)
    known = {"region": "known", "known_from": 6, "probes": 2, "audit": 3}
    return ActiveCover(oracle, CONSTANTS, **known, **chosen)


def unit_cover(**chosen):
    return cover(schedule="unit", **chosen)


def thinned_cover(**chosen):
    return cover(reservoir=8, **chosen)


def cut_cover(**chosen):
    return cover(horizon=50, unlabeled=20, **chosen)


def iwal(**chosen):
    return BatchIWAL(ThresholdOracle(), c0=0.02, **chosen)


def oracular(**chosen):
    return BatchIWAL(ThresholdOracle(), c0=0.1, oracular=True, error_dependent=True, **chosen)


EVERY = [cover, tree_cover, unit_cover, thinned_cover, cut_cover, iwal, oracular]


def row(value: float) -> Row:
    return Row(np.array([0]), np.array([value]))


def label_of(value: float) -> int:
    return 1 if value > 0.4 else -1


class Stream:
    """A learner over random values whose labels come late, and what it decided."""

    def __init__(self, learner, seed: int = 0, *, late: int = 4, serve=lambda learner: True):
        self.learner, self.late, self.serve = learner, late, serve
        self.draw = np.random.default_rng(seed)
        self.decided, self.waiting = [], []

    def run(self, count: int) -> "Stream":
        for value, coin in self.draw.random((count, 2)):
            decision = self.learner.decide(row(value), coin)
            self.decided.append((decision, self.learner.epoch, value))
            if decision.queried:
                self.learner.defer(decision)
                self.waiting.append((value, decision))
            else:
                self.learner.learn(row(value), decision, None)
            while len(self.waiting) > self.late:
                late, asked = self.waiting.pop(0)
                self.learner.learn(row(late), asked, label_of(late))
                self.look()
            self.look()
        return self

    def look(self) -> None:
        while getattr(self.learner, "coming", None) is not None and self.serve(self.learner):
            self.learner.serve()


def plain(state):
    """A state, to be compared bit for bit."""
    if isinstance(state, dict):
        return {name: plain(value) for name, value in state.items()}
    if isinstance(state, list):
        return [plain(value) for value in state]
    return (state.dtype.str, state.tobytes()) if hasattr(state, "tobytes") else state


@pytest.mark.parametrize("make", EVERY)
@pytest.mark.parametrize("late", [0, 3])
def test_served_at_once_every_bit_is_that_of_a_learner_that_fits_on_the_spot(make, late):
    here, told = (Stream(make(lag=lag), seed=late, late=late).run(100) for lag in (0, None))
    assert told.decided == here.decided
    assert told.learner.epochs == here.learner.epochs
    assert len(here.learner.epochs) >= 3
    # Who is told when to serve is not warned that labels are late.
    states = [plain(one.learner.get_state() | {"warned": 0}) for one in (told, here)]
    assert states[0] == states[1]
    assert getattr(told.learner, "audits", []) == getattr(here.learner, "audits", [])


@pytest.mark.parametrize("make", EVERY)
def test_until_it_is_served_the_old_epoch_decides(make):
    learner = make(lag=None)
    stream = Stream(learner, serve=lambda learner: False, late=0).run(3)
    learner.serve()
    old = copy.deepcopy(learner)
    stream.run(30)
    assert learner.epoch == 2
    X, coins = from_dense(np.linspace(0, 1, 40)[:, None]), np.linspace(0, 0.99, 40)
    before = [d._replace(k=0) for d in learner.decide_many(X, coins)]
    assert before == [d._replace(k=0) for d in old.decide_many(X, coins)]
    begun = old.epoch_end
    learner.serve()
    assert (learner.epoch, learner.epoch_start, learner.sample.offered) == (3, begun, begun)
    assert learner.epochs[-1].end == begun
    assert [d._replace(k=0) for d in learner.decide_many(X, coins)] != before
    # Since it was begun many more were learned, so the next one is begun of all of them.
    assert learner.coming is not None
    learner.serve()
    assert learner.epoch_start == learner.k == 33


def weighted_errors(seed: int) -> tuple[float, float]:
    """Of the classifier that says +1 above 0.5, by the labels of a learner served at random.

    The second is by the planted fault: weights by the P of the epoch that serves in the end.
    """
    coins = np.random.default_rng(seed)
    learner = iwal(lag=None)
    stream = Stream(learner, seed, late=0, serve=lambda learner: coins.random() < 0.1)
    stream.run(80)
    pairs = [
        (1 / decision.probability, 1 / learner.decide(row(value), 0.0).probability)
        for decision, _, value in stream.decided
        if decision.queried and (value > 0.5) != (label_of(value) > 0)
    ]
    right, wrong = np.sum(pairs, axis=0) if pairs else (0.0, 0.0)
    return right / len(stream.decided), wrong / len(stream.decided)


def test_weights_are_unbiased_however_late_an_epoch_is_served():
    errors = np.array([weighted_errors(seed) for seed in range(150)])
    off = abs(errors.mean(0) - 0.1) / (errors.std(0) / np.sqrt(len(errors)))
    assert off[0] < 3
    assert off[1] > 6


@pytest.mark.parametrize("make", EVERY)
def test_where_it_is_fitted_changes_no_bit(make):
    class Sent(Executor):
        """Everything goes through a pickle, as to another process."""

        def submit(self, function, /, *arguments):
            future = Future()
            function, arguments = pickle.loads(pickle.dumps((function, arguments)))
            future.set_result(pickle.loads(pickle.dumps(function(*arguments))))
            return future

    here, there = (make(lag=None) for _ in range(2))
    there.work_in(Sent())
    streams = [
        Stream(learner, serve=lambda one: one.k % 5 == 0).run(60) for learner in (here, there)
    ]
    assert streams[0].decided == streams[1].decided
    assert plain(here.get_state()) == plain(there.get_state())


@pytest.mark.parametrize("make", EVERY)
def test_an_epoch_on_its_way_survives_saving(make):
    learner, again = make(lag=None), make(lag=None)
    stream = Stream(learner, serve=lambda one: one.epoch < 3, late=2).run(40)
    assert learner.coming is not None
    again.set_state(learner.get_state())
    assert plain(again.get_state()) == plain(learner.get_state())
    assert (again.coming, again.fitted) == (learner.coming, learner.fitted)
    other = copy.copy(stream)
    other.learner, other.draw, other.decided = again, copy.deepcopy(stream.draw), []
    other.waiting, stream.waiting = list(stream.waiting), list(stream.waiting)
    stream.decided = []
    for one in (stream, other):
        one.run(10)
        one.learner.serve()
        one.run(20)
    assert stream.decided == other.decided
    assert plain(again.get_state()) == plain(learner.get_state())


@pytest.mark.parametrize("make", EVERY)
def test_what_is_passed_by_is_entered_and_not_fitted(make, monkeypatch):
    learner, passed = make(lag=None), make(lag=None)
    for value, coin in np.random.default_rng(5).random((40, 2)):
        decision = learner.decide(row(value), coin)
        label = label_of(value) if decision.queried else None
        for one in (learner, passed):
            one.learn(row(value), decision, label)
        while learner.coming is not None:
            learner.serve()
            with monkeypatch.context() as fitting:
                fitting.setattr(type(learner.oracle), "fit", None)
                passed.pass_by(learner.facts)
    assert passed.epochs == learner.epochs
    assert len(passed.epochs) > 3
    with pytest.raises(InvalidParameter, match="passed over has no classifier"):
        passed.decide(row(0.5), 0.5)
    passed.serve(learner.served)
    assert passed.decide(row(0.5), 0.5) == learner.decide(row(0.5), 0.5)
    assert plain(passed.get_state()) == plain(learner.get_state())


def test_an_epoch_is_cut_short_where_labels_have_changed():
    learner = cover(lag=None)
    stream = Stream(learner, late=0).run(8)
    assert (learner.epoch_start, learner.epoch_end) == (6, 12)
    learner.fit_anew()
    assert learner.coming == (learner._labels, None)
    stream.run(1)
    assert (learner.epoch_start, learner.epochs[-1].end, learner.sample.offered) == (8, 8, 8)
    assert learner.fitted == len([d for d, *_ in stream.decided[:8] if d.queried])


def test_where_nothing_was_learned_since_it_is_the_same_epoch_of_other_classifiers():
    learner = cover(lag=None)
    Stream(learner, late=0).run(12)
    served, epochs = learner.served, list(learner.epochs)
    learner.fit_anew()
    learner.serve()
    assert learner.served is not served
    assert (learner.epoch_start, learner.epochs) == (12, epochs)


@pytest.mark.parametrize("make", EVERY)
def test_what_is_left_of_an_epoch_is_opened(make):
    learner = make(lag=None)
    Stream(learner, late=0, serve=lambda one: False).run(20)
    assert learner.coming[0] == 3
    learner.serve(facts={"labels": 20, "k": 24, "error": 0.0})
    assert (learner.epoch, learner.epoch_start, learner.sample.offered) == (2, 20, 20)
    assert learner.fitted == learner._labels
    few = make(lag=None)
    Stream(few, late=0).run(2)
    few.serve(facts={"labels": 3, "k": 3, "error": 0.0})
    assert (few.epoch, few.epoch_start, few.fitted) == (2, 2, 2)
    none = make(lag=None)
    none.serve(facts={"labels": 3, "k": 3, "error": 0.0})
    assert (none.epoch, none.epoch_start, none.fitted) == (1, 0, 0)
    assert none.decide(row(0.5), 0.5).probability == 1.0


def test_too_few_examples_begin_no_epoch():
    learner = cover(lag=None)
    Stream(learner, late=0).run(2)
    learner.fit_anew()
    assert learner.coming is None
    with pytest.raises(InvalidParameter, match="no epoch is on its way"):
        learner.serve()


def test_what_was_lost_is_begun_again():
    learner = cover(lag=None)
    lost = ThreadPoolExecutor(1)
    learner.work_in(lost)
    Stream(learner, late=0, serve=lambda one: False).run(3)
    dead = Future()
    dead.cancel()
    learner._begun = learner._begun._replace(future=dead)
    learner.work_in(lost)
    assert learner.coming[1].result().sample.offered == 3
    assert pickle.loads(pickle.dumps(learner)).coming == (3, None)
    lost.shutdown()


def test_one_that_is_expected_is_not_fitted(monkeypatch):
    learner, again = cover(lag=None), cover(lag=None)
    Stream(learner).run(40)
    again.expect(learner.served)
    monkeypatch.setattr(ThresholdOracle, "fit", None)
    again.set_state(learner.get_state())
    assert again.served is learner.served


def test_a_refitting_learner_is_told_from_others():
    assert isinstance(cover(lag=None), RefittingLearner)
    assert refitting(cover(lag=None)) is not None
    assert refitting(cover()) is None


@pytest.mark.parametrize(
    ("chosen", "sentence"),
    [
        ({"lag": 3}, "lag of a learner in epochs must be 0 or None, got 3"),
        ({"lag": False}, "lag of a learner in epochs must be 0 or None, got False"),
        ({"lag": None, "fresh": True}, "fresh=True spends the examples after a close"),
    ],
)
def test_what_cannot_work_is_refused(chosen, sentence):
    with pytest.raises(InvalidParameter, match=sentence):
        cover(**chosen)


@pytest.mark.parametrize("begun", [[9999, 1], [1, 9999], ["a", 1], 7])
def test_a_forged_epoch_on_its_way_is_refused(begun):
    learner = cover(lag=None)
    Stream(learner, late=0, serve=lambda one: False).run(5)
    with pytest.raises(InvalidParameter):
        cover(lag=None).set_state(learner.get_state() | {"begun": begun})


def test_facts_come_back():
    facts = {"labels": 5, "k": 12, "error": 0.25}
    assert EpochFit.told(facts).facts == facts
    with pytest.raises(InvalidParameter, match="passed over"):
        EpochFit.told(facts).erm.predict_many(from_rows([row(1.0)]))
