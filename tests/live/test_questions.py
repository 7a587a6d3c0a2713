"""Every example is in one of the books, and books that disagree are not taken over."""

from typing import Any

import numpy as np
import pytest

from askance.errors import InvalidParameter, LabelConflict, UnknownQuestion
from askance.estimate import ProgressiveError
from askance.live.places import StreamPlaces
from askance.live.questions import FEWEST, RECENT, Questions
from askance.types import Decision, Row

X = Row(np.array([0]), np.array([2.0]))
DECIDED = Decision(1, True, 0.5, True, 0, 1.0, 0.1)


def books() -> Questions:
    """Five examples: bought, pending, withdrawn, refused, and one that wanted nothing."""
    questions = Questions()
    questions.seen, questions.refused = 5, 1
    questions.bought[0] = -1, X, 0.5
    questions.pending[1] = X, DECIDED
    questions.withdrawn.add(2)
    for learned in (1, 2, 3):
        questions.count(inside=learned < 3, learned=learned)
    questions.unjudged = [0.5, 0.5, 0.5, -0.5, (0.5, True)]
    return questions


def test_what_cannot_be_answered_says_why(refused: Any) -> None:
    questions = books()
    questions.check_pending(1, +1, {})
    for id, error, part in (
        (0, LabelConflict, "question 0 was answered -1, cannot be answered as +1"),
        (1, LabelConflict, "question 1 was answered +1, cannot be answered again"),
        (2, LabelConflict, "question 2 was withdrawn"),
        (4, LabelConflict, "question 4 wanted no label"),
        (9, UnknownQuestion, "no question has the id 9, 5 examples were offered so far"),
    ):
        with refused(error, part):
            questions.check_pending(id, +1, {1: 1})


def test_the_counts_add_up() -> None:
    stats = books().stats(learned=3, mean_error=0.25)
    assert (stats.asked, stats.answered, stats.pending, stats.withdrawn) == (3, 1, 1, 1)
    assert (stats.query_rate, stats.predicted_share, stats.mean_error) == (0.75, 1 / 3, 0.25)
    assert stats.warning is None


@pytest.mark.parametrize(("guessed", "warns"), [(FEWEST, True), (FEWEST - 4, False)])
def test_a_collapse_is_a_matter_of_the_last_examples(guessed: int, warns: bool) -> None:
    questions = Questions()
    for learned in range(FEWEST):
        questions.count(inside=learned >= guessed, learned=learned)
    assert (questions.collapse() is not None) == warns
    for learned in range(RECENT):
        questions.count(inside=True, learned=learned)
    assert questions.collapse() is None


def test_books_survive_a_file() -> None:
    questions, restored = books(), Questions()
    restored.set_state(questions.get_state(), n_features=1)
    assert restored.get_state().keys() == questions.get_state().keys()
    assert restored.stats(3, 0.0) == questions.stats(3, 0.0)
    assert list(restored.pending) == [1]
    assert restored.sample(1).weight.tolist() == [2.0]


def test_an_example_that_could_not_be_asked_about_ends_the_judging() -> None:
    questions = books()
    assert questions.stats(3, 0.0).error is not None
    questions.unjudged.append(-0.0)
    questions.seen += 1
    questions.count(inside=False, learned=4)
    assert questions.stats(3, 0.0).error is None
    restored = Questions()
    restored.set_state(questions.get_state(), n_features=1)
    assert restored.error is None
    questions.unjudged.append(0.5)
    assert questions.stats(3, 0.0).error is None


@pytest.mark.parametrize(
    "forged",
    [
        {"counts": [5, 5, 1]},
        {"counts": [2, 0, 1]},
        {"counts": [5, 1, 9]},
        {"withdrawn": [1]},
        {"withdrawn": [-1]},
        {"recent": [0, 1]},
        {"recent": [0, 0, 2]},
        {"error": ProgressiveError().get_state()},
        {"places": StreamPlaces().get_state()},
    ],
)
def test_books_that_disagree_are_refused(forged: Any) -> None:
    fresh = Questions()
    with pytest.raises(InvalidParameter):
        fresh.set_state({**books().get_state(), **forged}, n_features=1)
    assert fresh.seen == 0
