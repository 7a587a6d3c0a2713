"""`auto` of three classes and more: the contract, the search for classes, costs, files."""

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from askance import ActiveLearner, Budget, make_learner
from askance.checks import learner_checks
from askance.checks.made_examples import make_stream
from askance.errors import InvalidLabel, InvalidParameter
from askance.learners.auto import FIRST
from askance.learners.pacing import ABOVE
from askance.simulate import run_blocks
from askance.sparse import from_dense, rows_of

D, K = 3, 4


def auto(**parameters):
    given = {"n_classes": K, "estimator": GaussianNB(), **parameters}
    return make_learner("auto", n_features=D, **given)


def stream(n, seed=0, rare=None):
    """Four corners of a square, of which one may come only at the end."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, D))
    y = (X[:, 0] > 0) * 2 + (X[:, 1] > 0)
    if rare is not None:
        early = (np.arange(n) < rare) & (y == 3)
        X[early, 1] *= -1
        y[early] = 2
    return from_dense(X), y.tolist(), rng.random(n)


@pytest.mark.parametrize(("name", "check"), learner_checks())
def test_contract(name, check):
    check(lambda: auto(budget=12, horizon=60), make_stream(0, D, n_classes=K))


def decided(learner, X, y, coins):
    found = []
    for row, label, coin in zip(rows_of(X), y, coins, strict=True):
        decision = learner.decide(row, coin)
        learner.learn(row, decision, label if decision.queried else None)
        found.append(decision)
    return found


@pytest.mark.parametrize("rare", [None, 200, 300, 350])
def test_blocks_decide_as_rows_do(rare):
    X, y, coins = stream(600, rare=rare)
    found = []
    blocks, rows = auto(budget=120, horizon=600), auto(budget=120, horizon=600)
    run_blocks(blocks, X, coins, y.__getitem__, on_block=found.extend)
    assert found == decided(rows, X, y, coins)
    assert (blocks.probabilities(X) == rows.probabilities(X)).all()


def test_it_asks_for_sure_until_each_class_is_seen():
    X, y, coins = stream(600, rare=30)
    decisions = decided(auto(budget=200, horizon=600), X, y, coins)
    found = next(i for i, label in enumerate(y) if label == 3)
    assert FIRST < found < 40
    assert all(decision.probability == 1 for decision in decisions[: found + 1])
    # From there on an example is asked about for its margin.
    assert decisions[found].threshold == ABOVE > decisions[found + 1].threshold


def test_for_at_most_a_fifth_of_the_budget():
    X, y, coins = stream(600, rare=600)
    decisions = decided(auto(budget=200, horizon=600), X, y, coins)
    assert all(decision.probability == 1 for decision in decisions[:40])
    assert decisions[39].threshold == ABOVE > decisions[40].threshold


def test_without_a_budget_the_first_labels_must_do():
    X, y, coins = stream(100, rare=100)
    decisions = decided(auto(rate=0.1), X, y, coins)
    assert [decision.probability == 1 for decision in decisions[: FIRST + 1]] == [True] * FIRST + [
        False
    ]


def test_a_class_that_is_added_is_learned():
    X, y, coins = stream(600, rare=300)
    learner = auto(n_classes=3, budget=150, horizon=600)
    decided(learner, X[:300], y[:300], coins[:300])
    learner.add_class()
    assert learner.n_classes == K
    assert learner.probabilities(X).shape == (600, K)
    decided(learner, X[300:], y[300:], coins[300:])
    learner.settle()
    assert np.mean(learner.predict_many(X[300:]) == y[300:]) > 0.8
    again = auto(n_classes=3)
    again.set_state(learner.get_state())
    assert again.n_classes == K
    again.settle()
    assert (again.probabilities(X) == learner.probabilities(X)).all()


def test_permuted_classes_have_permuted_probabilities():
    order = np.array([2, 0, 3, 1])
    X, y, coins = stream(400)
    one, other = auto(budget=80, horizon=400), auto(budget=80, horizon=400)
    mine = decided(one, X, y, coins)
    theirs = decided(other, X, order[y].tolist(), coins)
    assert [(d.queried, d.probability) for d in mine] == [
        (d.queried, d.probability) for d in theirs
    ]
    assert np.allclose(one.probabilities(X), other.probabilities(X)[:, order])


def test_equal_costs_ask_the_same_questions():
    X, y, coins = stream(400)
    plain = decided(auto(budget=80, horizon=400), X, y, coins)
    costs = (4 * (1 - np.eye(K)) + 1).tolist()
    equal = decided(auto(budget=80, horizon=400, cost_matrix=costs), X, y, coins)
    assert [d.queried for d in plain] == [d.queried for d in equal]
    assert [d.predicted for d in plain] == [d.predicted for d in equal]


def test_a_class_that_is_dear_to_miss_is_predicted_more_often():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(500, D)), rng.integers(0, K, 500)
    X[:, 0] += 0.7 * (y == 3)
    costs = 1.0 - np.eye(K)
    costs[3, :3] = 5.0
    said = []
    for given in (None, costs.tolist()):
        learner = auto(rate=1.0, uniform_share=1.0, cost_matrix=given)
        decided(learner, from_dense(X), y.tolist(), rng.random(500))
        learner.settle()
        said.append(np.mean(learner.predict_many(from_dense(X)) == 3))
    assert said[1] > 2 * said[0]


def test_the_mixture_of_many_classes_with_a_label_or_two_each_warns_of_nothing():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, D)), np.arange(60) % 30
    learner = auto(n_classes=30, estimator=None, budget=40, horizon=60)
    decided(learner, from_dense(X), y.tolist(), rng.random(60))
    learner.settle()
    shares = learner.probabilities(from_dense(X))
    assert np.allclose(shares.sum(axis=1), 1)
    taught = sorted(learner._labelled.classes)
    assert not shares[:, [code for code in range(30) if code not in taught]].any()


def test_late_and_withdrawn_labels_and_files(tmp_path):
    X, y, _ = stream(300)
    rows = list(rows_of(X))
    live = ActiveLearner(
        "auto", n_features=D, classes=("a", "b", "c", "d"), budget=Budget(total=60), horizon=300,
        estimator=GaussianNB(),
    )  # fmt: skip
    waiting = []
    for i, row in enumerate(rows):
        question = live.ask(row)
        if question.wanted:
            waiting.append((question, i))
        while len(waiting) > 3:
            told, at = waiting.pop(0)
            live.withdraw(told) if at % 10 == 0 else live.tell(told, y[at])
        if i == 150:
            live.save(tmp_path / "k.askance")
            live = ActiveLearner.load(tmp_path / "k.askance")
    sample = live.weighted_sample()
    assert set(sample.y.tolist()) == {0, 1, 2, 3}
    assert live.classes == ("a", "b", "c", "d")
    assert live.name_of(int(sample.y[0])) == "abcd"[sample.y[0]]
    assert live.stats().error is not None


@pytest.mark.parametrize("name", ["online_active_cover", "oracular_iwal0", "oracular_iwal1"])
def test_algorithms_of_two_classes_name_those_of_more(name, refused):
    with refused(InvalidParameter, "two classes", "auto", "coal"):
        make_learner(name, n_features=D, n_classes=3)


@pytest.mark.parametrize("label", [-1, 4, 1.5, True, "a", None])
def test_labels_that_are_no_codes_are_refused(label, refused):
    live = ActiveLearner("auto", n_features=D, n_classes=K)
    question = live.ask([1.0, 0.0, 0.0])
    with refused(InvalidLabel, "a code from 0 to 3"):
        live.tell(question, label)
    assert live.classes == ("0", "1", "2", "3")
