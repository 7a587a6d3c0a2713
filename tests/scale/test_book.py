import pytest

from askance import ActiveLearner
from askance.errors import FileUnreadable, InvalidParameter, LabelConflict
from askance.scale.book import Book


def book(**changed):
    return Book(**{"budget": 10, "questions": 4, "seed": 0, "rows": 100, **changed})


def live_with(state):
    live = ActiveLearner("auto", n_features=1, rounds=True)
    live.pool = state
    return live


def test_rounds_are_rounded_up():
    assert book().rounds == 3
    assert book(questions=50).rounds == 1
    with pytest.raises(InvalidParameter):
        book(budget=0)


def test_a_book_comes_back_from_its_state():
    ours = book()
    ours.enter({3: ("a", {"size": 1.0}), 8: ("b", {"size": None})})
    ours.close([3])
    assert Book.of(live_with(ours.as_state()), "m") == ours


@pytest.mark.parametrize(
    "forged",
    [
        {"done": 4},
        {"done": -1},
        {"asked": [[1, "a", 9]]},
        {"asked": [[1]]},
        {"shown": [[5, "{}"]]},
        {"classes": ["a"]},
        {"rows": None},
    ],
)
def test_a_forged_book_is_refused(forged):
    state = {**book().as_state(), **forged}
    with pytest.raises(FileUnreadable, match="damaged or forged"):
        Book.of(live_with(state), "m")


def test_an_id_means_one_question_as_it_is_or_as_csv_has_it():
    ours = book()
    ours.enter({1: ("=a", {}), 2: ("'=b", {}), 3: ("=b", {}), 5: (" \n=c", {})})
    known = ours.numbers()
    assert [ours.number_of(id, known) for id in ("=a", "'=a", "=b", "' \n=c")] == [1, 1, 3, 5]
    with pytest.raises(LabelConflict, match="may mean"):
        ours.number_of("'=b", known)
    with pytest.raises(LabelConflict, match="no question was asked"):
        ours.number_of("a", known)
    with pytest.raises(InvalidParameter, match="'=a' belongs to two rows"):
        ours.enter({4: ("=a", {})})
