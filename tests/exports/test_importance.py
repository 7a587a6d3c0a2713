import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from askance.data.features import FeatureMap
from askance.exports import importance
from askance.exports.importance import permutation_importances
from askance.exports.predictions import described
from askance.live import ActiveLearner

pytestmark = pytest.mark.usefixtures("small_trees")


def taught(rows, label_of, **chosen):
    live = ActiveLearner("auto", estimator=LogisticRegression(), random_state=0, rate=0.5, **chosen)
    for row in rows:
        question = live.ask(row)
        if question.wanted:
            live.tell(question, label_of(row))
    live.settle()
    return live


@pytest.fixture(scope="module")
def numbers():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(300, 4))
    X[rng.random(300) < 0.5, 1] = 0.0
    X[:, 3] = 2.0
    return taught(X, lambda row: 1 if row[0] + 0.5 * row[1] > 0 else -1, n_features=4)


def test_it_is_the_mean_change_of_the_probability_where_values_are_dealt_out_again(numbers):
    found = {one.column: one.change for one in permutation_importances(numbers, seed=1)}
    rows = numbers.learner.kept_rows.toarray()
    assert len(rows) == 300
    before = numbers.probabilities(rows)
    for column in range(3):
        changes = []
        for seed in range(30):
            other = rows.copy()
            other[:, column] = np.random.default_rng(seed).permutation(rows[:, column])
            changes.append(np.mean(np.abs(numbers.probabilities(other) - before)))
        assert found[column] == pytest.approx(np.mean(changes), abs=5 * np.std(changes) + 1e-9)
    # A constant cannot move anything, though the classifier may give it a weight.
    assert 3 not in found
    assert found[0] > found[1] > 2 * found[2]


def test_the_same_seed_gives_the_same_and_another_seed_others(numbers):
    once = permutation_importances(numbers)
    assert once == permutation_importances(numbers)
    assert once != permutation_importances(numbers, seed=1)
    assert [one.change for one in once] == sorted((one.change for one in once), reverse=True)


def test_few_rows_and_features_are_enough(numbers, monkeypatch):
    monkeypatch.setattr(importance, "MOST_ROWS", 50)
    monkeypatch.setattr(importance, "MOST_FEATURES", 1)
    (one,) = permutation_importances(numbers)
    # All rows have it.
    assert one.column == 0
    assert 50 * one.change < 50


def test_features_have_the_names_of_the_user():
    people = [{"age": 20 + i % 50, "job": ("baker", "clerk")[i % 2]} for i in range(200)]
    live = taught(
        people,
        lambda person: 1 if person["job"] == "baker" else -1,
        features=FeatureMap.fit(people),
    )
    names = [one.feature for one in permutation_importances(live)]
    assert set(names[:2]) == {"job=baker", "job=clerk"}


def test_a_mixture_is_described_by_importances_and_others_by_weights():
    rng = np.random.default_rng(0)
    live = ActiveLearner("auto", n_features=2, random_state=0)
    for x in rng.normal(size=(60, 2)):
        question = live.ask(x)
        if question.wanted:
            live.tell(question, 1 if x[1] > 0 else -1)
    found = described(live, top=1)
    assert [one["feature"] for one in found["importances"]] == ["1"]
    assert found["weights"] == []
    assert described(ActiveLearner("passive", n_features=2))["importances"] == []
    assert described(ActiveLearner("auto", n_features=2))["importances"] == []
