"""Drivers stand in for a learner: whoever else drives it, whatever form its rows have."""

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import askance
from askance.checks.comparing import same
from askance.checks.made_examples import bad_rows, make_stream
from askance.engine.drivers import Driver, Steps, Verbs, drive
from askance.errors import InvalidParameter, InvalidRow
from askance.kernels.formulas import query_probability
from askance.learners.streaming import StreamingLearner
from askance.types import Decision, Row

STREAM = make_stream(seed=5, n_features=6, length=60)
algorithms = pytest.mark.parametrize("name", askance.ALGORITHMS)


def make(name: str) -> StreamingLearner:
    return askance.make_learner(name, n_features=6)


def go(driver: Driver, start: int = 0, stop: int = 60) -> list[Decision]:
    """Offer a part of the stream, each label at once."""
    decisions = []
    for row, label, coin in STREAM[start:stop]:
        decisions.append(driver.offer(row, coin))
        if decisions[-1].queried:
            driver.learn(row, decisions[-1], label)
    return decisions


def test_only_what_is_compiled_is_driven_by_steps() -> None:
    assert type(drive(make("iwal0"))) is Steps
    for given in ({"rates": "decaying"}, {"disagreement": "exact"}):
        assert type(drive(askance.make_learner("iwal0", n_features=6, **given))) is Verbs


@algorithms
def test_a_learner_may_be_driven_by_both_in_turn(name: str) -> None:
    mixed, plain = make(name), make(name)
    drivers = Steps(mixed), Verbs(mixed), Steps(mixed)
    found = [
        decision
        for start in range(0, 60, 5)
        for decision in go(drivers[start // 5 % 3], start, start + 5)
    ]
    assert found == go(Verbs(plain))
    assert same(mixed.get_state(), plain.get_state())


@algorithms
def test_a_learner_may_be_restored_under_its_driver(name: str) -> None:
    learner = make(name)
    driver = Steps(learner)
    go(driver, 0, 20)
    saved, copied = learner.get_state(), pickle.loads(pickle.dumps(learner))
    first = go(driver, 20, 40)
    learner.set_state(saved)
    assert go(driver, 20, 40) == first == go(Steps(copied), 20, 40)
    assert same(learner.get_state(), copied.get_state())


def test_multipliers_given_from_outside_count() -> None:
    learner = make("online_active_cover")
    driver = Steps(learner)
    go(driver)
    # Members that never agree with the ERM.
    state: Any = learner.erm
    state.state.weights[:, 1:] = -state.state.weights[:, :1]
    higher = 0
    for numerator in (0.0, 7.0):
        learner.numerators, learner.denominators = [numerator] * 12, [2.0] * 12
        for row, _, _ in STREAM:
            expected = learner.decide(row, 0.0)
            if expected.queried:
                assert driver.offer(row, 0.0) == expected
                higher += expected.probability > query_probability(12 * 3.0)
    assert higher > 0


def test_the_learner_is_true_after_every_step() -> None:
    learner, plain = make("online_active_cover"), make("online_active_cover")
    driver, verbs = Steps(learner), Verbs(plain)
    for i in range(len(STREAM)):
        go(driver, i, i + 1)
        go(verbs, i, i + 1)
        assert same(learner.get_state(), plain.get_state())
        assert learner.mean_error == plain.mean_error


def test_decisions_have_exact_types() -> None:
    for decision in go(Steps(make("online_active_cover"))):
        kinds = [type(value) for value in decision]
        assert kinds == [int, bool, float, bool, int, float, float, bool]


FORMS: dict[str, Callable[[Row], Row]] = {
    "int32": lambda x: Row(x.indices.astype(np.int32), x.values),
    "uint64": lambda x: Row(x.indices.astype(np.uint64), x.values),
    "float32": lambda x: Row(x.indices, x.values.astype(np.float32)),
    "whole values": lambda x: Row(x.indices, np.rint(x.values).astype(np.int16)),
    "lists": lambda x: Row(x.indices.tolist(), x.values.tolist()),  # type: ignore[arg-type]
    "strided": lambda x: Row(np.repeat(x.indices, 2)[::2], np.repeat(x.values, 3)[::3]),
}


@pytest.mark.parametrize("form", [*FORMS, "read-only"])
def test_any_form_of_row_will_do(form: str) -> None:
    learner, plain = make("iwal1"), make("iwal1")
    driver = Steps(learner)
    for row, label, coin in STREAM:
        if form == "read-only":
            given = plainly = Row(row.indices.copy(), row.values.copy())
            given.values.flags.writeable = False
        else:
            given = FORMS[form](row)
            plainly = Row(row.indices, np.array(given.values, np.float64))
        assert driver.predict(given) == plain.predict(plainly)
        decision = driver.offer(given, coin)
        assert decision == plain.decide(plainly, coin)
        if decision.queried:
            driver.learn(given, decision, label)
        plain.learn(plainly, decision, label if decision.queried else None)
    assert same(learner.get_state(), plain.get_state())


@pytest.mark.parametrize("fault", bad_rows(6))
def test_bad_rows_are_refused_with_the_same_words(fault: str) -> None:
    learner, row = make("online_active_cover"), bad_rows(6)[fault]
    driver = Steps(learner)
    decision = go(driver)[0]
    before = learner.get_state()
    with pytest.raises(InvalidRow) as expected:
        learner.predict(row)
    calls: list[Callable[[], Any]] = [
        lambda: driver.predict(row),
        lambda: driver.offer(row, 0.5),
        lambda: driver.learn(row, decision, 1),
    ]
    for call in calls:
        with pytest.raises(InvalidRow) as caught:
            call()
        assert str(caught.value) == str(expected.value)
    assert same(learner.get_state(), before)


def test_the_least_whole_number_is_refused() -> None:
    """Its absolute value is itself, as far as whole numbers go."""
    least = Row(np.array([0]), np.array([np.iinfo(np.int64).min]))
    with pytest.raises(InvalidRow, match="feature values must be finite and at most 1e"):
        Steps(make("passive")).predict(least)


def test_room_is_made_for_good_rows_only() -> None:
    learner, plain = (askance.make_learner("iwal1", n_features=40) for _ in range(2))
    driver = Steps(learner)
    for length in (1, 3, 2, 39, 40):
        x = Row(np.arange(length), np.linspace(-1.0, 2.0, length))
        decision = driver.offer(x, 0.0)
        assert decision == plain.decide(x, 0.0)
        driver.learn(x, decision, 1)
        plain.learn(x, decision, 1)
    assert same(learner.get_state(), plain.get_state())
    with pytest.raises(InvalidRow, match=r"feature indices must lie in 0\.\.39, got 40"):
        driver.offer(Row(np.arange(10**6), np.ones(10**6)), 0.5)


def test_bad_coins_are_refused() -> None:
    for coin in (-0.1, 1.0, float("nan")):
        with pytest.raises(InvalidParameter, match="a coin must lie in"):
            Steps(make("passive")).offer(STREAM[0].row, coin)


def test_rows_of_another_form_may_come_at_any_time() -> None:
    learner, plain = make("iwal1"), make("iwal1")
    driver = Steps(learner)
    forms = [lambda x: x, *FORMS.values()]
    for i, (row, label, coin) in enumerate(STREAM):
        given = forms[i // 3 % len(forms)](row)
        plainly = Row(row.indices, np.array(given.values, np.float64))
        decision = driver.offer(given, coin)
        assert decision == plain.decide(plainly, coin)
        if decision.queried:
            driver.learn(given, decision, label)
        plain.learn(plainly, decision, label if decision.queried else None)
    assert same(learner.get_state(), plain.get_state())


def test_a_copy_of_a_driver_drives_a_copy_of_its_learner() -> None:
    learner = make("online_active_cover")
    driver = Steps(learner)
    go(driver, 0, 20)
    before = learner.get_state()
    copied = copy.deepcopy(driver)
    found = go(copied, 20, 60)
    assert same(learner.get_state(), before)
    assert found == go(driver, 20, 60)
