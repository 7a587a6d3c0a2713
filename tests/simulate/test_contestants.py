"""A seat needs coins or draws its own, and knows how many labels it may still buy."""

from typing import Any

import pytest

import askance
from askance.errors import InvalidParameter
from askance.live import ActiveLearner
from askance.simulate import Contestant, Seat, run_rows, simulate
from askance.simulate.contestants import labels_left

X = askance.as_row([1.0])


def test_a_contestant_makes_a_fresh_learner_each_time() -> None:
    contestant = Contestant("careful", "iwal1", {"c0": 0.5})
    first, second = (contestant.learner(n_features=1) for _ in range(2))
    first.learn(X, first.decide(X, 0.0), 1)
    assert (first.k, second.k, second.c0) == (1, 0, 0.5)


@pytest.mark.parametrize(("total", "left"), [(None, None), (5, 3), (2, 0)])
def test_bought_and_pending_labels_are_not_left(total: int | None, left: int | None) -> None:
    live = ActiveLearner("passive", n_features=1, budget=askance.Budget(total=total))
    live.tell(live.ask(X), 1)
    live.ask(X)
    assert labels_left(Seat(live)) == left


def test_a_learner_without_a_budget_has_the_limit_of_its_seat() -> None:
    learner = askance.make_learner("passive", n_features=1)
    assert labels_left(Seat(learner)) is None
    assert labels_left(Seat(learner, limit=3)) == 3


def test_coins_go_with_learners_only(refused: Any) -> None:
    with refused(InvalidParameter, "a learner needs coins"):
        run_rows([Seat(askance.make_learner("passive", n_features=1))], [], abs)
    with refused(InvalidParameter, "draws its own coins"):
        run_rows([Seat(ActiveLearner("passive", n_features=1), [0.5])], [], abs)


def test_coins_go_with_learners_only_where_a_test_error_is_measured(refused: Any) -> None:
    with refused(InvalidParameter, "a learner needs coins"):
        simulate(askance.make_learner("passive", n_features=1), [], None, [(X, 1)])
    with refused(InvalidParameter, "draws its own coins"):
        simulate(ActiveLearner("passive", n_features=1), [], [], [(X, 1)])
