"""What all learners in epochs share: blocks, late labels, bad input."""

import logging
import math
from pathlib import Path

import numpy as np
import pytest

from askance.errors import InvalidLabel, InvalidParameter, InvalidRow, LabelConflict, LabelMissing
from askance.learners.active_cover import ActiveCover
from askance.learners.constants import Constants
from askance.live import ActiveLearner
from askance.oracles.thresholds import ThresholdOracle
from askance.sparse import from_dense
from askance.types import Row

CONSTANTS = Constants.practical(c0=1.0, alpha=1.0, beta_scale=10**0.5)


def fresh_learner(**settings: object) -> ActiveCover:
    return ActiveCover(ThresholdOracle(), CONSTANTS, **settings)


def row(value: float) -> Row:
    return Row(np.array([0]), np.array([value]))


def learn_one(learner: ActiveCover, value: float) -> None:
    decision = learner.decide(row(value), 0.0)
    learner.learn(row(value), decision, (1 if value > 0.5 else -1) if decision.queried else None)


def test_an_epoch_waits_for_its_late_labels() -> None:
    learner = fresh_learner()
    late = learner.decide(row(0.2), 0.0)
    learner.defer(late)
    # Three examples make the first epoch, and the deferred one is decided already.
    assert (learner.k, learner.remaining) == (0, 2)
    learn_one(learner, 0.6)
    learn_one(learner, 0.9)
    assert (learner.k, learner.epoch, learner.remaining) == (2, 1, 1)
    learn_one(learner, 0.7)
    # Three examples are resolved, but the first epoch's own first one is not among them.
    assert (learner.k, learner.epoch) == (3, 1)
    learner.learn(row(0.2), late, -1)
    assert (learner.k, learner.epoch, learner.epoch_start, learner.epoch_end) == (4, 2, 4, 6)
    assert learner.epochs[0].end == 4


def test_examples_beyond_the_epoch_do_not_hold_it_up() -> None:
    learner = fresh_learner()
    own, beyond = learner.decide(row(0.2), 0.0), learner.decide(row(0.8), 0.1)
    learner.defer(own)
    learn_one(learner, 0.6)
    learn_one(learner, 0.9)
    learner.defer(beyond)
    learn_one(learner, 0.7)
    learner.learn(row(0.2), own, -1)
    assert learner.epoch == 2
    learner.learn(row(0.8), beyond, 1)
    assert learner.k == 5


def test_a_withdrawn_label_is_no_longer_awaited() -> None:
    learner = fresh_learner()
    late = learner.decide(row(0.2), 0.0)
    learner.defer(late)
    for value in (0.6, 0.9, 0.7):
        learn_one(learner, value)
    assert learner.epoch == 1
    learner.learn(row(0.2), late._replace(queried=False), None)
    assert learner.epoch == 2
    assert learner.sample.offered == 4
    assert len(learner.sample.weights) == 3


def test_an_epoch_far_overdue_is_reported_once(caplog: pytest.LogCaptureFixture) -> None:
    learner = fresh_learner()
    learner.defer(learner.decide(row(0.2), 0.0))
    with caplog.at_level(logging.WARNING, logger="askance"):
        for value in np.linspace(0, 1, 5):
            learn_one(learner, value)
        assert caplog.text == ""
        for value in np.linspace(0, 1, 5):
            learn_one(learner, value)
    assert caplog.text.count("was to have 3 examples") == 1


def test_an_epoch_whose_labels_never_come_is_reported_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    learner = fresh_learner()
    with caplog.at_level(logging.WARNING, logger="askance"):
        for value in np.linspace(0, 1, 6):
            learner.defer(learner.decide(row(value), 0.0))
        assert caplog.text == ""
        for value in np.linspace(0, 1, 6):
            learner.defer(learner.decide(row(value), 0.0))
    assert (learner.k, learner.epoch) == (0, 1)
    warning = "epoch 1 was to have 3 examples and has 7, with 3 labels still awaited"
    assert [record.message for record in caplog.records] == [warning]


def test_late_labels_survive_saving() -> None:
    learner = fresh_learner()
    late = learner.decide(row(0.2), 0.0)
    learner.defer(late)
    for value in (0.6, 0.9, 0.7):
        learn_one(learner, value)
    other = fresh_learner()
    other.set_state(learner.get_state())
    assert other.epoch == 1
    other.learn(row(0.2), late, -1)
    assert other.epoch == 2


def test_labels_without_delay_and_with_delay_zero_are_the_same() -> None:
    rng = np.random.default_rng(0)
    plain, deferring = fresh_learner(), fresh_learner()
    for value, coin in rng.random((60, 2)):
        for learner in (plain, deferring):
            decision = learner.decide(row(value), coin)
            if learner is deferring and decision.queried:
                learner.defer(decision)
            learner.learn(row(value), decision, 1 if decision.queried else None)
    assert plain.epochs == deferring.epochs
    assert plain.epoch == deferring.epoch == 6


def test_the_facade_tells_of_late_labels_and_survives_a_file(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    live = ActiveLearner(fresh_learner(), random_state=5)
    first = live.ask([0.2])
    for value in (0.6, 0.9, 0.7):
        live.tell(live.ask([value]), 1)
    assert (live.learner.k, live.learner.epoch) == (3, 1)
    live.save(tmp_path / "saved.askance")
    again = ActiveLearner.load(tmp_path / "saved.askance", learner=fresh_learner())
    for learner in (live, again):
        learner.tell(first.id, -1)
        assert learner.learner.epoch == 2
    waiting = []
    for value in rng.random(60):
        for learner in (live, again):
            question = learner.ask([value])
            if question.wanted:
                waiting.append((learner, question.id, 1 if value > 0.5 else -1))
            # Labels come about ten examples late.
            while len(waiting) > 10:
                owner, id, label = waiting.pop(0)
                owner.tell(id, label)
    assert live.stats() == again.stats()
    assert live.learner.epochs == again.learner.epochs
    assert live.learner.epoch >= 4


def test_refit_takes_in_the_current_epoch_and_changes_nothing() -> None:
    learner = fresh_learner()
    assert learner.refit() is learner.classifier
    for value in (0.2, 0.8, 0.6, 0.55):
        learn_one(learner, value)
    whole = fresh_learner(horizon=4)
    for value in (0.2, 0.8, 0.6, 0.55):
        learn_one(whole, value)
    assert learner.refit().cut == whole.classifier.cut != learner.classifier.cut
    assert (learner.epoch, learner.epoch_start, learner.k) == (2, 3, 4)


def test_records_say_what_was_decided() -> None:
    rng = np.random.default_rng(1)
    learner = fresh_learner(horizon=50)
    queried = []
    for value, coin in rng.random((50, 2)):
        decision = learner.decide(row(value), coin)
        queried.append(decision.queried)
        label = (1 if value > 0.5 else -1) if decision.queried else None
        learner.learn(row(value), decision, label)
    assert [(r.start, r.end) for r in learner.epochs] == [
        (0, 3),
        (3, 6),
        (6, 12),
        (12, 24),
        (24, 48),
        (48, 50),
    ]
    assert [r.queries for r in learner.epochs] == [
        sum(queried[r.start : r.end]) for r in learner.epochs
    ]
    assert learner.epochs[0].threshold == math.inf
    for record in learner.epochs[1:]:
        assert record.probability_quantiles[0] >= record.floor
        assert list(record.probability_quantiles) == sorted(record.probability_quantiles)


def test_the_horizon_refits_the_classifier_on_everything() -> None:
    learner = fresh_learner(horizon=5)
    for value in (0.1, 0.9, 0.2, 0.4, 0.6):
        learn_one(learner, value)
    assert learner.sample.offered == 5


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda m: m.decide(row(0.5), 1.0), InvalidParameter, r"coin must lie in \[0, 1\)"),
        (lambda m: m.decide(row(np.nan), 0.1), InvalidRow, "a finite number was expected"),
        (
            lambda m: m.decide_many(from_dense(np.ones((2, 1))), [0.1]),
            InvalidParameter,
            "one for each of 2 rows, got 1",
        ),
        (lambda m: m.learn(row(0.5), m.decide(row(0.5), 0.1), None), LabelMissing, "got None"),
        (lambda m: m.learn(row(0.5), m.decide(row(0.5), 0.1), 0), InvalidLabel, "got 0"),
        (
            lambda m: m.learn_many(from_dense(np.ones((2, 1))), [m.decide(row(0.5), 0.1)], [1]),
            InvalidRow,
            "decisions for 1 rows came with 2 rows",
        ),
    ],
)
def test_bad_input_is_named(call: object, error: type[Exception], message: str) -> None:
    learner = fresh_learner()
    with pytest.raises(error, match=message):
        call(learner)
    assert learner.k == 0


def test_a_label_that_nobody_asked_for_is_refused() -> None:
    learner = fresh_learner()
    for value in (0.1, 0.9, 0.2):
        learn_one(learner, value)
    decision = learner.decide(row(0.5), 0.999999)
    assert not decision.queried
    with pytest.raises(LabelConflict, match="no label was asked for, got 1"):
        learner.learn(row(0.5), decision, 1)


def test_a_sample_needs_a_size() -> None:
    with pytest.raises(InvalidParameter, match="unlabeled must be a whole number from 1 on, got 0"):
        fresh_learner(unlabeled=0)
