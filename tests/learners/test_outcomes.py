from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askance.errors import InvalidParameter
from askance.learners.outcomes import Outcomes
from askance.sparse import from_dense

SHARES = st.lists(
    st.lists(st.floats(0.01, 1.0), min_size=4, max_size=4), min_size=1, max_size=6
).map(lambda rows: np.array(rows) / np.array(rows).sum(axis=1, keepdims=True))


COSTS = np.array([[0, 1, 2, 3], [4, 0, 1, 2], [9, 9, 0, 9], [1, 2, 3, 0]]) / 9


class Taught:
    labels = np.array([1, 3])

    def probabilities(self, X):
        return np.tile([0.25, 0.75], (X.shape[0], 1))


def test_a_class_that_was_never_taught_has_no_probability():
    shares = Outcomes(4).shares(Taught(), from_dense(np.ones((2, 1))))
    assert shares.tolist() == [[0, 0.25, 0, 0.75]] * 2


@given(SHARES)
def test_equal_costs_are_no_costs(shares):
    plain, equal = Outcomes(4), Outcomes(4, 1 - np.eye(4))
    worth = equal.worth(shares)
    assert np.allclose(worth, shares)
    assert np.allclose(plain.margins(shares), equal.margins(worth))


@given(SHARES, st.permutations(range(4)))
def test_permuted_classes_have_permuted_answers(shares, order):
    one, other = Outcomes(4, COSTS), Outcomes(4, COSTS[np.ix_(order, order)])
    worth, permuted = one.worth(shares), other.worth(shares[:, order])
    assert np.allclose(worth[:, order], permuted)
    assert np.allclose(one.margins(worth), other.margins(permuted))


@given(SHARES)
def test_what_is_predicted_has_the_least_expected_cost(shares):
    said = Outcomes(4, COSTS).best(Outcomes(4, COSTS).worth(shares))
    for share, label in zip(shares, said, strict=True):
        expected = [sum(p * COSTS[true, k] for true, p in enumerate(share)) for k in range(4)]
        assert expected[label] <= min(expected) + 1e-9


def test_two_classes_are_signs_and_costs_move_their_border():
    costs = Outcomes(None, np.array([[0, 1], [9, 0]]) / 9)
    assert costs.best(costs.worth(np.array([[0.8, 0.2], [0.95, 0.05]]))).tolist() == [1, -1]


@pytest.mark.parametrize("outcomes", [Outcomes(), Outcomes(3, 1 - np.eye(3))])
def test_a_class_cannot_be_added_everywhere(outcomes, refused):
    with refused(InvalidParameter, "three or more"):
        outcomes.add_class()


def test_fewer_classes_than_there_were_are_refused(refused):
    with refused(InvalidParameter, "4 classes was expected, got 3"):
        Outcomes(4).restore(3)
    grown = Outcomes(3)
    grown.restore(5)
    assert grown.n_classes == 5


def test_rows_that_say_too_little_come_after_all_others():
    shares = np.array([[0.5, 0.5], [0.1, 0.9], [0.45, 0.55]])
    X = from_dense(np.array([[1.0, 0, 0], [1, 1, 0], [1, 1, 1]]))
    plain = SimpleNamespace(probabilities=None)
    assert Outcomes().ranks(plain, X, shares).tolist() == [0.0, 0.8, 0.1]
    discerning = SimpleNamespace(is_faint=lambda X: np.diff(X.indptr) < 2)
    assert Outcomes().ranks(discerning, X, shares).tolist() == [1.0, 0.8, 0.1]
