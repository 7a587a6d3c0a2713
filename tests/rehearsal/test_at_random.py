import numpy as np
import pytest

from askance.rehearsal.at_random import (
    asks_at_random,
    labels_needed,
    more_budgets,
    random_sample_rows,
    run_of,
)
from askance.rehearsal.comparison import contestant, run_permutation
from askance.rehearsal.held import hold
from askance.types import ResultRow

pytestmark = pytest.mark.usefixtures("small_trees")

AT_RANDOM = contestant("auto", {"uniform_share": 1})


@pytest.fixture
def held(mail, intake_of):
    return hold(intake_of(mail)).narrow()


def test_the_sample_is_the_first_examples_of_a_random_order(held):
    """No label beyond them is looked at, and what is tested on is not learned from."""
    (expected,) = random_sample_rows(held, AT_RANDOM, [30], seed=2)
    train, test = held.split(2)
    lied = held.labels.copy()
    lied[train[30:]] *= -1
    other = type(held)(held.csr, lied, held.unlabelled, held.batches)
    (found,) = random_sample_rows(other, AT_RANDOM, [30], seed=2)
    assert found == expected
    lied[train[:30]] *= -1
    (found,) = random_sample_rows(other, AT_RANDOM, [30], seed=2)
    assert 0.0 < expected.error < 0.5 < found.error
    assert round(expected.error * len(test), 9).is_integer()


def test_a_size_beyond_the_examples_takes_all_of_them(held):
    n = len(held.split(0).train)
    (row,) = random_sample_rows(held, AT_RANDOM, [n + 7], seed=0)
    assert (row.budget, row.queries, row.reached) == (n + 7, n, False)
    assert run_of([row]).ended == "stream over"


def test_a_comparison_runs_it_without_a_learner_in_between(held):
    run = run_permutation(held, AT_RANDOM, (20, 40), 1, 3)
    assert list(run.rows) == list(random_sample_rows(held, AT_RANDOM, (20, 40), 1, 3))
    assert (run.queries, run.error, run.ended) == (40, run.rows[1].error, "last budget reached")
    assert AT_RANDOM.name == "auto at random"
    assert contestant("auto", {"uniform_share": 1, "seed": 3}).name == "auto at random seed=3"
    assert not asks_at_random(contestant("auto", {}))


def test_budgets_grow_by_a_third_up_to_ten_times_as_many():
    sizes = more_budgets(300, 36_000)
    assert sizes[-1] == 3000
    growth = np.array(sizes) / np.array([300, *sizes[:-1]])
    assert (growth[:-1] < 1.36).all()
    assert more_budgets(300, 310) == [310]
    assert more_budgets(300, 300) == more_budgets(0, 50) == []


def test_the_labels_needed_are_the_first_that_do_as_well():
    def rows():
        for size, error in ((10, 0.4), (20, 0.2), (40, 0.1)):
            yield ResultRow(size, size, size, error, True)
        raise AssertionError("nothing more was to be tried")

    assert labels_needed(0.2, rows()) == (20, True)
    assert labels_needed(0.1, rows()) == (40, True)
    assert labels_needed(0.05, list(rows_up_to(rows(), 3))) == (40, False)


def rows_up_to(rows, count):
    for _ in range(count):
        yield next(rows)
