"""`auto` in rounds: nothing changes but by a turn, and a rule decides as the learner does."""

import pickle

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from askance import make_learner
from askance.checks import learner_checks
from askance.checks.made_examples import make_stream
from askance.errors import InvalidParameter
from askance.learners.auto_rounds import AutoInRounds
from askance.sparse import from_dense, rows_of

D = 3


def auto(**parameters):
    options = {"budget": 100, "horizon": 1000, **parameters}
    learner = make_learner("auto", n_features=D, estimator=GaussianNB(), rounds=True, **options)
    assert isinstance(learner, AutoInRounds)
    return learner


def stream(n, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, D))
    return from_dense(X), np.where(X[:, 0] > 0.1 * rng.normal(size=n), 1, -1), rng.random(n)


def first_round(learner, n=500):
    """Decide, and answer what is asked; rows of the next round are kept."""
    X, y, coins = stream(n)
    decisions = learner.decide_many(X, coins)
    learner.learn_many(
        X, decisions, [int(y[i]) if d.queried else None for i, d in enumerate(decisions)]
    )
    learner.keep(stream(300, seed=1)[0])
    return decisions


@pytest.mark.parametrize(("name", "check"), learner_checks())
def test_contract(name, check):
    check(lambda: auto(budget=12, horizon=60), make_stream(0, D))


def test_the_first_round_asks_about_all_rows_alike_and_labels_change_nothing():
    learner = auto()
    decisions = first_round(learner)
    assert {decision.probability for decision in decisions} == {0.1}
    X, _, coins = stream(50, seed=2)
    assert {d.probability for d in learner.decide_many(X, coins)} == {0.1}
    assert learner.classifier is None


def test_a_turn_fits_to_the_labels_and_focuses_on_small_margins():
    learner = auto()
    asked = sum(decision.queried for decision in first_round(learner))
    rule = learner.turn()
    assert rule.classifier is learner.classifier is not None
    X, _, coins = stream(500, seed=2)
    margins = np.abs(2 * rule.classifier.probabilities(X)[:, 1] - 1)
    P = rule.verdicts(X, coins).probability
    near = margins < np.quantile(margins, 0.08)
    assert P[near].min() > P[~near].min() > 0
    # What is left lasts for the rows that are left.
    assert P.sum() == pytest.approx(100 - asked, rel=0.3)


def test_a_rule_decides_as_the_learner_does_wherever_it_is_sent():
    learner = auto()
    first_round(learner)
    rule = pickle.loads(pickle.dumps(learner.turn()))
    X, _, coins = stream(500, seed=2)
    decisions, verdicts = learner.decide_many(X, coins), rule.verdicts(X, coins)
    assert len(decisions) == 500
    for name, values in verdicts._asdict().items():
        assert [getattr(decision, name) for decision in decisions] == values.tolist()
    parts = [rule.verdicts(X[i : i + 100], coins[i : i + 100]) for i in range(0, 500, 100)]
    whole = [np.concatenate(columns) for columns in zip(*parts, strict=True)]
    assert all((a == b).all() for a, b in zip(whole, verdicts, strict=True))


def test_rows_decided_elsewhere_are_counted_and_late_labels_are_learned():
    learner = auto()
    X, y, coins = stream(500)
    decisions = learner.decide_many(X, coins)
    asked = [i for i, decision in enumerate(decisions) if decision.queried]
    for i in asked:
        learner.defer(decisions[i])
    learner.pass_over(500 - len(asked))
    rows = list(rows_of(X))
    for i in reversed(asked):
        learner.learn(rows[i], decisions[i], int(y[i]))
    assert learner.k == 500
    again = auto()
    again.set_state(learner.get_state())
    learner.keep(X), again.keep(X)
    assert learner.turn().pace == again.turn().pace
    with pytest.raises(InvalidParameter):
        learner.pass_over(-1)


def test_a_saved_learner_continues_in_the_same_round():
    learner = auto()
    first_round(learner)
    learner.turn()
    again = auto()
    again.set_state(learner.get_state())
    X, _, coins = stream(400, seed=2)
    assert again.decide_many(X, coins) == learner.decide_many(X, coins)


def test_without_kept_rows_there_is_nothing_to_focus_on():
    learner = auto()
    X, y, coins = stream(500)
    decisions = learner.decide_many(X, coins)
    learner.learn_many(
        X, decisions, [int(y[i]) if d.queried else None for i, d in enumerate(decisions)]
    )
    verdicts = learner.turn().verdicts(X, coins)
    assert len(set(verdicts.probability.tolist())) == 1
