import pytest
from sklearn.metrics import cohen_kappa_score

from askance.service.agreement import agreement_of, fleiss_kappa
from askance.service.books import AskedQuestion
from askance.service.resolution import GivenVote

FLEISS_1971 = [
    [0, 0, 0, 0, 14],
    [0, 2, 6, 4, 2],
    [0, 0, 3, 5, 6],
    [0, 3, 9, 2, 0],
    [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0],
    [3, 2, 6, 3, 0],
    [2, 5, 3, 2, 2],
    [6, 5, 2, 1, 0],
    [0, 2, 2, 3, 7],
]
"""The worked example that encyclopedias print: 10 subjects, 14 raters, 5 classes."""


def asked(*replies):
    question = AskedQuestion(0, "x", 0.0, 1.0)
    for position, (actor, label) in enumerate(replies, start=1):
        question.votes[position] = GivenVote(position, actor, label)
    return question


def test_fleiss_kappa_of_the_published_table():
    assert fleiss_kappa(FLEISS_1971) == pytest.approx(0.210, abs=5e-4)


def test_fleiss_kappa_where_chance_alone_would_agree():
    assert fleiss_kappa([[2, 0], [2, 0]]) is None
    assert fleiss_kappa([]) is None


def test_pairs_are_those_who_answered_the_same_questions():
    replies = ["aa", "ab", "bb", "ba", "bb"]
    questions = [asked(("ann", one), ("bob", other)) for one, other in replies]
    questions += [asked(("ann", "a")), asked(("eve", "b"), ("eve", "b"))]
    found = agreement_of(questions, ("a", "b"))
    expected = cohen_kappa_score([r[0] for r in replies], [r[1] for r in replies])
    assert found.pairs == {("ann", "bob"): pytest.approx(expected)}
    assert found.questions == 5


def test_skips_and_the_word_of_an_admin_are_no_agreement():
    question = asked(("ann", "a"), ("bob", None))
    question.votes[3] = GivenVote(3, "root", "b", final=True)
    assert agreement_of([question], ("a", "b")) == (0, None, {})


def test_two_who_gave_one_class_only_have_no_kappa():
    assert agreement_of([asked(("ann", "a"), ("bob", "a"))], "ab").pairs == {("ann", "bob"): None}
