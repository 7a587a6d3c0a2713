"""When labels are enough: each reason by hand, and nothing is lost by a stop."""

import math

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from askance import ActiveLearner, Budget
from askance.errors import InvalidParameter
from askance.live.stopping import Until, labels_at_least
from askance.simulate import Seat, run_matrix, run_rows
from askance.sparse import from_dense, rows_of

N = 1500
rng = np.random.default_rng(0)
X = rng.normal(size=(N, 3))
LABELS = np.where(X[:, 0] > 0.2 * X[:, 1], 1, -1).tolist()
MATRIX = from_dense(X)


def fresh(name="auto", until=None, hold_out=0.4, **chosen):
    more = {"estimator": GaussianNB(), "horizon": N} if name == "auto" else {}
    given = {"n_features": 3, "random_state": 1, "budget": Budget(total=700)}
    return ActiveLearner(name, hold_out=hold_out, until=until, **given, **more, **chosen)


@pytest.mark.parametrize("name", ["auto", "passive"])
@pytest.mark.parametrize("until", [Until(error=0.3), Until(width=0.35)])
def test_it_ends_with_the_first_label_that_is_enough(name, until):
    by_blocks, by_rows, plain = fresh(name, until), fresh(name, until), fresh(name)
    found = run_matrix(Seat(by_blocks), MATRIX, LABELS.__getitem__)
    examples = zip(rows_of(MATRIX, wide=True), range(N), strict=True)
    assert [found] == run_rows([Seat(by_rows)], examples, LABELS.__getitem__)
    assert found.ended == "target reached"
    assert by_blocks.stats() == by_rows.stats()
    # By hand: the first label after which the bound is low, or the interval narrow, enough.
    labels = 0
    for i, x in enumerate(rows_of(MATRIX, wide=True)):
        question = plain.ask(x)
        if question.wanted:
            plain.tell(question, LABELS[i])
            labels += 1
            current = plain.stats().current
            wide = math.inf if current is None else current.high - current.low
            if (current and until.error and current.high <= until.error) or (
                until.width and wide <= until.width
            ):
                break
    assert found.queries == labels
    assert found.examples == i + 1
    assert plain.done() is None


def test_without_held_out_labels_the_width_is_that_of_the_mean_error():
    live = fresh("passive", Until(width=0.2), hold_out=0.0)
    run_matrix(Seat(live), MATRIX, LABELS.__getitem__)
    error = live.stats().error
    assert error.high - error.low <= 0.2
    width = f"{error.high - error.low:.1%} wide, and 20.0% was aimed at"
    assert live.done() == f"the interval of the mean error of the classifiers so far is {width}"


def test_flat_is_three_refits_that_change_little(tmp_path):
    live, twin = fresh(until=Until(flat=True), hold_out=0.0), fresh(hold_out=0.0)
    calm, rows, said, fitted = 0, None, None, 0
    # Eight kinds of rows, which are soon known.
    for i, x in enumerate(np.sign(X)):
        questions = [one.ask(x) for one in (live, twin)]
        assert questions[0] == questions[1]
        if questions[0].wanted:
            for one in (live, twin):
                one.tell(questions[0], int(x[0]))
        if twin.learner.fitted != fitted:
            fitted = twin.learner.fitted
            if rows is not None and rows.shape[0] >= 200:
                changed = np.mean(twin.learner.predicted(rows) != said)
                calm = calm + 1 if changed < 0.01 else 0
            rows = twin.learner.kept_rows[-1000:]
            said = twin.learner.predicted(rows)
        assert (live.done() is not None) == (calm >= 3)
        if i == 700:
            live.save(tmp_path / "model")
            live = ActiveLearner.load(tmp_path / "model", estimator=GaussianNB())
        if calm >= 3:
            break
    assert "heuristic" in live.done()


def test_a_stop_loses_no_pending_question():
    live = fresh("passive", Until(error=0.3))
    waiting = [live.ask(x) for x in X[:5]]
    run_rows(
        [Seat(live)],
        zip(rows_of(MATRIX[5:], wide=True), range(5, N), strict=True),
        LABELS.__getitem__,
    )
    assert live.done()
    assert live.pending() == [question.id for question in waiting]
    for question, label in zip(waiting, LABELS[:5], strict=True):
        live.tell(question, label)
    assert live.stats().pending == 0
    assert live.ask(X[0]).wanted


def test_labels_that_a_target_takes_at_least():
    """Without a mistake, the least that any bound of this kind takes."""
    for target in (0.2, 0.1):
        held, labels = labels_at_least(target, 0.5)
        assert held == math.ceil(math.log(40) / target)
        assert labels == math.ceil(held / 0.5)
        live = ActiveLearner("passive", n_features=1, hold_out=0.5, until=Until(error=target))
        while not live.done():
            live.tell(live.ask([1.0]), 1)
        assert held < live.stats().held_out < 4 * held


def test_bad_input(refused):
    with refused(InvalidParameter, "error must lie between 0 and 1, got 8"):
        Until(error=8)
    with refused(InvalidParameter, "flat"):
        Until(flat=3)
    with refused(InvalidParameter, "labels must be held out, got none"):
        fresh(until=Until(error=0.1), hold_out=0.0)
    with refused(InvalidParameter, "refit now and then as auto does, got Passive"):
        fresh("passive", Until(flat=True))
