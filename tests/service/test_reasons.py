import pytest
from tests.service.conftest import settings

from askance.service.books import Books
from askance.service.reasons import rate_now, why_nothing_waits
from askance.types import Event, Stats


def stats(**counts):
    zero = dict.fromkeys(Stats.__slots__, 0)
    return Stats(**{**zero, "warning": None, "error": None, **counts})


@pytest.mark.parametrize(
    ("counts", "sentence"),
    [
        (None, "Nothing has come in yet."),
        ({"seen": 0}, "Nothing has come in yet."),
        ({"seen": 9, "answered": 4, "pending": 1}, "The budget of 5 labels is spent."),
        ({"seen": 9}, "It has asked about nothing so far."),
    ],
)
def test_there_is_always_a_reason(counts, sentence):
    books = Books(settings(total=5))
    found = why_nothing_waits(books, None if counts is None else stats(**counts), 0, 0.0)
    assert found.endswith(sentence)


def test_how_much_is_asked_is_that_of_the_last_examples():
    books = Books(settings(learner="passive"))

    def ask(numbers):
        for number in numbers:
            data = {"decision": [1, True, 1.0], "coin": 0.0}
            books.apply(Event(number, "offered", 0.0, number=number, wanted=True, data=data))

    assert rate_now(books, 0) == 0.0
    ask(range(100))
    assert rate_now(books, 100) == 1.0
    ask(range(100, 1000, 40))
    assert rate_now(books, 1000) == 5 / 200
    said = why_nothing_waits(books, stats(seen=1000, asked=123, query_rate=0.123), 0, 0.0)
    assert said.endswith("It asks about 1 in 40 examples now.")
    said = why_nothing_waits(books, stats(seen=1300, asked=123, query_rate=0.1), 0, 0.0)
    assert said.endswith("It has asked about none of the last 200 examples.")


def test_others_and_states():
    books = Books(settings())
    seen = stats(seen=9)
    assert why_nothing_waits(books, seen, 1, 0.0) == "Somebody else is at the only open question."
    assert why_nothing_waits(books, seen, 3, 0.0) == "Others are at the 3 open questions."
    books.apply(Event(2, "stopped", 0.0, data={"reason": "enough"}))
    assert why_nothing_waits(books, seen, 3, 0.0) == "The questions have ended: enough."
