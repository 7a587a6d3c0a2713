import pytest

from askance.cli import choices
from askance.data.reading.intake import MOST_NGRAMS
from askance.data.reading.readers import read_batches
from askance.data.splits import MOST_PERMUTATIONS
from askance.errors import InvalidParameter
from askance.presets import ALGORITHMS
from askance.rehearsal.held import FEWEST_LABELS, MOST_LABELS, usual_budget
from askance.theory.experiments import EXPERIMENTS


def test_the_algorithms_are_those_of_the_library_in_its_order():
    assert ("auto", "coal", *ALGORITHMS) == choices.ALGORITHMS
    contestants = (*choices.CONTESTANTS, *choices.MANY_CONTESTANTS)
    assert {name.partition(":")[0] for name in contestants} <= set(choices.ALGORITHMS)


def test_the_experiments_are_those_of_the_library():
    assert sorted(choices.EXPERIMENTS) == sorted(EXPERIMENTS)


def test_the_budget_is_that_of_the_library():
    assert f"from {FEWEST_LABELS} to {MOST_LABELS}" in choices.USUAL_BUDGET
    assert usual_budget(1000) == 100


def test_the_limits_are_those_of_the_library():
    assert choices.MOST_NGRAMS == MOST_NGRAMS
    assert choices.MOST_PERMUTATIONS == MOST_PERMUTATIONS


def test_every_format_of_the_choice_is_one_of_the_readers():
    with pytest.raises(InvalidParameter) as caught:
        list(read_batches("x.nonsense"))
    known = str(caught.value).removeprefix("format must be one of ").split(", ")
    assert sorted(choices.FORMATS) == sorted(known[:-1])
