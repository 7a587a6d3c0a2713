"""Lanes of classes: copies that learn the flip weight, late classes, costs, states."""

import copy
from typing import Any

import numpy as np
import pytest

from askance.checks.comparing import same
from askance.checks.made_examples import make_stream
from askance.errors import InvalidLabel, InvalidParameter
from askance.oracles.classes import MOST_LANES, LinearClasses, mapped_costs
from askance.sparse import as_row, from_dense
from askance.types import Label, Matrix, Row

COSTS = [[0.0, 4.0, 1.0, 2.0], [1.0, 0.0, 3.0, 1.0], [2.0, 1.0, 0.0, 1.0], [4.0, 2.0, 1.0, 0.0]]
STREAM = make_stream(seed=5, n_features=4, length=60, n_classes=4)


def taught(n_classes: int = 4, **options: Any) -> LinearClasses:
    oracle = LinearClasses(n_classes, n_features=4, dtype="float64", **options)
    for row, label, coin in STREAM:
        oracle.observe(row)
        oracle.learn(row, label % n_classes, 1.0 + coin)
    return oracle


def matrix(rows: list[Row]) -> Matrix:
    dense = np.zeros((len(rows), 4))
    for i, row in enumerate(rows):
        dense[i, row.indices] = row.values
    return from_dense(dense)


def winner_after(oracle: LinearClasses, x: Any, target: Label, weight: float) -> Label:
    """What a copy predicts that has learned the weight."""
    other = copy.deepcopy(oracle)
    other.observe(x)
    other.learn(x, target, weight)
    return other.predict(x)


@pytest.mark.parametrize("costs", [None, COSTS], ids=["logistic", "costs"])
@pytest.mark.parametrize(
    ("rates", "method"), [("constant", "flip_weight"), ("adaptive", "exact_flip_weight")]
)
def test_learned_into_a_copy_the_flip_weight_lets_another_class_win(
    costs: Any, rates: str, method: str
) -> None:
    """A little less of it lets no class win that it is taught as, a little more one."""
    oracle = taught(cost_matrix=costs, rates=rates, learning_rate=0.05)
    seen = set()
    for x, _, _ in STREAM[:12]:
        best, weight = oracle.predict(x), getattr(oracle, method)(x)
        others = [y for y in range(4) if y != best]
        less = [winner_after(oracle, x, y, weight * (1 - 1e-6)) for y in others]
        more = [winner_after(oracle, x, y, weight * (1 + 1e-6)) for y in others]
        assert not [y for found, y in zip(less, others, strict=True) if found == y]
        assert [y for found, y in zip(more, others, strict=True) if found == y]
        seen.add(next(found for found in more if found != best))
    assert len(seen) > 1


@pytest.mark.parametrize("loss", ["logistic", "squared"])
def test_a_late_class_is_bit_equal_to_one_known_beforehand(loss: Any) -> None:
    early, late = (LinearClasses(n, n_features=4, loss=loss) for n in (4, 3))
    for row, label, _ in STREAM:
        for oracle in (early, late):
            oracle.observe(row)
            oracle.learn(row, label % 3, 1.0)
    late.add_class()
    assert same(early.get_state(), late.get_state())
    assert late.n_classes == 4
    row, _, _ = STREAM[0]
    for oracle in (early, late):
        oracle.learn(row, 3, 2.0)
    assert same(early.get_state(), late.get_state())


@pytest.mark.parametrize("costs", [None, COSTS], ids=["logistic", "costs"])
def test_many_rows_have_the_scores_of_each(costs: Any) -> None:
    oracle = taught(cost_matrix=costs)
    rows = [row for row, _, _ in STREAM]
    scores = oracle.scores(matrix(rows))
    single = np.array([oracle.margins(row) for row in rows])
    assert scores == pytest.approx(-single if costs else single, abs=1e-12)
    assert scores.argmax(axis=1).tolist() == [oracle.predict(row) for row in rows]
    shares = oracle.probabilities(matrix(rows))
    assert shares.shape == (60, 4)
    assert shares.sum(axis=1) == pytest.approx(1.0)


def test_of_two_classes_probabilities_are_those_of_one_margin() -> None:
    oracle = taught(2)
    x = STREAM[0].row
    f = oracle.margins(x)
    assert f[0] == -f[1]
    expected = 1.0 / (1.0 + np.exp(-f))
    assert oracle.probabilities(matrix([x]))[0] == pytest.approx(expected)


def test_without_anything_saved_all_classes_are_equal() -> None:
    oracle = LinearClasses(2, n_features=1, loss="squared")
    for _ in range(60):
        oracle.learn_lanes(as_row([1.0]), np.array([9.0, 9.0, 1.0]), np.ones(3))
    assert oracle.probabilities(from_dense(np.ones((1, 1)))).tolist() == [[0.5, 0.5]]


@pytest.mark.parametrize("loss", ["logistic", "squared"])
def test_states_go_round_and_bring_their_classes(loss: Any) -> None:
    oracle = LinearClasses(3, n_features=4, loss=loss)
    for row, label, _ in STREAM:
        oracle.observe(row)
        oracle.learn(row, label % 3, 1.0)
    oracle.add_class()
    other = LinearClasses(2, n_features=4, loss=loss)
    other.set_state(copy.deepcopy(oracle.get_state()))
    assert other.n_classes == 4
    assert same(other.get_state(), oracle.get_state())
    assert other.costs.tolist() == (1.0 - np.eye(4)).tolist()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"lanes": []}, "saved lanes must be 3 or more, got 0"),
        ({"lanes": [3, 4, 5]}, "a saved lane must be a dict, got 3"),
        ({"lanes": 5}, "a saved lanes must be a list, got 5"),
    ],
)
def test_forged_states_are_refused_without_change(change: Any, message: str, refused: Any) -> None:
    oracle = taught()
    before = oracle.get_state()
    with refused(InvalidParameter, message):
        oracle.set_state(change)
    before["lanes"][1]["weights"] = before["lanes"][1]["weights"][:-1]
    with refused(InvalidParameter, "saved weights must have 5 entries"):
        oracle.set_state(before)
    assert same(oracle.get_state(), taught().get_state())


def test_costs_fix_the_classes(refused: Any) -> None:
    oracle = taught(cost_matrix=COSTS)
    with refused(InvalidParameter, "a cost matrix has the costs of 4 classes, got one more class"):
        oracle.add_class()
    with refused(InvalidParameter, "saved lanes must be 5, got 4"):
        oracle.set_state({"lanes": oracle.get_state()["lanes"][1:]})
    assert [oracle.price(0, 1), oracle.price(1, 2), oracle.price(2, 2)] == [1.0, 0.75, 0.0]


@pytest.mark.parametrize(
    ("costs", "message"),
    [
        ([[0, 1], [1, 0], [1, 1]], "must have 2 rows of 2 finite numbers, got shape (3, 2)"),
        ([[0, 1], [1]], "must have 2 rows of 2 finite numbers"),
        ([[0, float("nan")], [1, 0]], "finite numbers"),
        ("ab", "finite numbers"),
        ([[0, 1], [0, 1]], "got a cheaper one in row 1 of the cost matrix"),
        ([[2, 2], [2, 2]], "the costs of a cost matrix must differ, got 2.0 throughout"),
    ],
)
def test_bad_costs_are_refused(costs: Any, message: str, refused: Any) -> None:
    with refused(InvalidParameter, message):
        mapped_costs(costs, 2)


def test_costs_are_mapped_to_0_and_1() -> None:
    mapped = mapped_costs(COSTS, 4)
    assert (mapped.min(), mapped.max()) == (0.0, 1.0)
    assert mapped.tolist() == mapped_costs(np.array(COSTS) * 64.0, 4).tolist()
    assert mapped.tolist() == mapped_costs(np.array(COSTS) - 8.0, 4).tolist()


def test_what_is_no_class_or_weight_is_refused(refused: Any) -> None:
    oracle = taught()
    before = oracle.get_state()
    x = STREAM[0].row
    with refused(InvalidLabel, "a label must be a code from 0 to 3, got 4"):
        oracle.learn(x, 4, 1.0)
    with refused(InvalidParameter, "weights must be finite and not negative"):
        oracle.learn(x, 1, -1.0)
    assert same(before, oracle.get_state())
    for count in (1, MOST_LANES + 1, 2.5):
        with refused(InvalidParameter, "n_classes must be a whole number from 2 to 10000"):
            LinearClasses(count, n_features=1)  # type: ignore[arg-type]
