import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from askance import ActiveLearner, Budget
from askance.live.in_blocks import InBlocks, goes_in_blocks
from askance.simulate import Seat, run_matrix, run_rows
from askance.sparse import from_dense, rows_of


def fresh(budget=None, **chosen):
    return ActiveLearner(
        "auto",
        n_features=3,
        random_state=5,
        estimator=GaussianNB(),
        budget=budget,
        horizon=900,
        **chosen,
    )


@pytest.mark.parametrize("budget", [None, Budget(total=60), Budget(total=3)])
def test_by_blocks_a_learner_ends_as_if_asked_and_told_by_rows(budget, tmp_path):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(900, 3))
    X[rng.random(X.shape) < 0.2] = 0.0
    label_of = np.where(X[:, 0] > 0.3 * X[:, 1], 1, -1).tolist().__getitem__
    matrix = from_dense(X)
    by_blocks, by_rows = fresh(budget), fresh(budget)
    asked: dict[int, float] = {}
    seat = Seat(by_blocks, budgets=(2, 60), error=lambda: 0.0, on_query=asked.__setitem__)
    found = run_matrix(seat, matrix, label_of)
    told: dict[int, float] = {}
    seat = Seat(by_rows, budgets=(2, 60), error=lambda: 0.0, on_query=told.__setitem__)
    examples = zip(rows_of(matrix, wide=True), range(900), strict=True)
    assert [found] == run_rows([seat], examples, label_of)
    assert asked == told
    assert len(asked) == 3 if budget == Budget(total=3) else 50 < len(asked) <= 60
    assert by_blocks.stats() == by_rows.stats()
    # What is asked next is the same, and so is every bit of the file.
    for learner, name in ((by_blocks, "blocks"), (by_rows, "rows")):
        learner.save(tmp_path / name)
    assert (tmp_path / "blocks").read_bytes() == (tmp_path / "rows").read_bytes()
    if budget is None:
        assert by_blocks.ask(X[0]) == by_rows.ask(X[0])


def test_only_what_has_nothing_open_goes_in_blocks():
    assert goes_in_blocks(fresh(Budget(total=9)))
    assert not goes_in_blocks(fresh(Budget(labels=2, per=50)))
    assert not goes_in_blocks(ActiveLearner("iwal1", n_features=3))
    live = fresh()
    live.ask([1.0, 0.0, 0.0])
    assert not goes_in_blocks(live)


def test_to_look_at_the_coins_uses_none_up():
    live = fresh()
    blocks = InBlocks(live)
    expected = np.random.default_rng(5).random(200)
    assert blocks.coins(200).tolist() == expected.tolist()
    live.tell(live.ask([1.0, 0.0, 0.0]), +1)
    assert blocks.coins(150).tolist() == expected[1:151].tolist()
    assert blocks.coins(3).tolist() == expected[1:4].tolist()
