import numpy as np
import pytest

from askance.errors import InvalidParameter
from askance.presets import SUGGESTED, make_learner
from askance.rehearsal.comparison import compare, contestant, run_permutation
from askance.rehearsal.held import coin_seed, hold
from askance.simulate import run_readable
from askance.sparse import rows_of


@pytest.fixture
def held(mail, intake_of):
    return hold(intake_of(mail))


@pytest.mark.parametrize("given", [{}, {"disagreement": "exact"}, {"rates": "constant"}])
def test_a_permutation_is_the_readable_loop_on_the_same_examples(held, given):
    """Whether or not there is a compiled pass for it."""
    one = contestant("iwal1", {"c0": 0.01, **given})
    train, test = held.split(2, 1)
    rows = list(rows_of(held.csr))
    stream = [(rows[i], int(held.labels[i])) for i in train]
    tests = [(rows[i], int(held.labels[i])) for i in test]
    coins = np.random.default_rng(coin_seed(2, 1)).random(len(train)).tolist()
    for to_the_end in (False, True):
        learner = make_learner("iwal1", n_features=held.n_features, **one.parameters)
        expected = run_readable(
            learner, stream, coins, tests, budgets=[10, 20], to_the_end=to_the_end
        )
        found = run_permutation(held.narrow(), one, [10, 20], 2, 1, to_the_end=to_the_end)
        assert found == expected
        assert found.ended == ("stream over" if to_the_end else "last budget reached")


def test_curves_are_over_the_permutations(held):
    ticks = []
    contestants = [contestant("margin", {}), contestant("passive", {})]
    margin, passive = compare(
        held, contestants, permutations=3, seed=5, on_run=lambda: ticks.append(1)
    )
    assert len(ticks) == 6
    runs = [run_permutation(held, contestants[0], margin.budgets, 5, j) for j in range(3)]
    assert (
        margin.median.tolist()
        == np.median([[r.error for r in run.rows] for run in runs], 0).tolist()
    )
    train = len(held.split(5).train)
    assert passive.asked == passive.budgets[-1] == train
    assert margin.asked < train


def test_a_budget_ends_every_run(held):
    for curve in compare(held, [contestant("passive", {})], budget=30, permutations=2):
        assert curve.budgets == (10, 20, 30)
        assert curve.asked == 30
        assert curve.final == curve.median[-1]


def test_names_say_what_was_given_and_the_rest_is_suggested():
    one = contestant("margin", {"b": 0.5, "learning_rate": 1.0})
    assert one.name == "margin b=0.5,learning_rate=1.0"
    assert contestant("iwal1", {}) == ("iwal1", "iwal1", SUGGESTED["iwal1"])


def test_the_same_contestant_twice_is_refused(held, refused):
    with refused(InvalidParameter, "must differ", "passive, passive"):
        compare(held, [contestant("passive", {})] * 2)


def test_labels_say_nothing_where_some_examples_are_never_asked_about(held):
    cover, passive = compare(
        held, [contestant("online_active_cover", {"c0": 1e-4}), contestant("passive", {})]
    )
    assert cover.judged is None
    assert passive.judged is not None
    # All labels of a permutation, each predicted before it was learned.
    assert passive.judged.of == "mean error of the classifiers so far"
    assert passive.judged.low < passive.judged.estimate < passive.judged.high < 0.5
