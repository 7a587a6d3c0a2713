"""Two classes by codes, where people say -1 and +1."""

import numpy as np
import pytest

from askance import ActiveLearner, as_row, make_learner
from askance.checks import learner_checks
from askance.checks.made_examples import make_stream
from askance.live.signs import InSigns, in_signs

D = 3


def coded():
    return make_learner("iwal1", n_features=D, n_classes=2, cost_matrix=[[0, 1], [3, 0]])


@pytest.mark.parametrize(("name", "check"), learner_checks())
def test_contract(name, check):
    check(lambda: in_signs(coded()), make_stream(0, D))


def test_only_two_classes_by_codes_are_turned_into_signs():
    several = make_learner("coal", n_features=D, n_classes=3)
    assert in_signs(several) is several
    assert isinstance(in_signs(make_learner("coal", n_features=D)), InSigns)


def test_what_is_learned_is_what_the_coded_learner_learns():
    mine, other = InSigns(coded()), coded()
    for x, label, _ in make_stream(1, D):
        decision = mine.decide(x, 0.0)
        mine.learn(x, decision, label)
        same = other.decide(x, 0.0)
        other.learn(x, same, int(label > 0))
        assert decision == same._replace(predicted=2 * same.predicted - 1)
    assert mine.k == other.k
    assert mine.predict(x) == 2 * other.predict(x) - 1


@pytest.mark.parametrize("name", ["coal", "margin", "auto"])
def test_people_say_minus_and_plus_one_whatever_it_costs(name, tmp_path):
    live = ActiveLearner(name, n_features=1, cost_matrix=[[0, 1], [4, 0]])
    for i in range(40):
        question = live.ask([1.0 if i % 2 else -1.0])
        if question.wanted:
            live.tell(question, 1 if i % 2 else -1)
    live.settle()
    X = np.array([[1.0], [-1.0]])
    assert live.predict_many(X).tolist() == [1, -1] == [live.predict(as_row(x)) for x in X]
    assert (live.margins(X) > 0).tolist() == [True, False]
    assert set(live.weighted_sample().y.tolist()) == {-1, 1}
    live.save(tmp_path / "two.askance")
    again = ActiveLearner.load(tmp_path / "two.askance")
    again.settle()
    assert again.margins(X).tolist() == live.margins(X).tolist()
    assert again.margin(X[0]) == pytest.approx(live.margins(X)[0])
    assert 0.5 < again.probability(X[0]) <= 1
