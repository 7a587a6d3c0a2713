"""Answers come late, in part, out of order, twice and with typos."""

import pytest
from tests.scale.conftest import plan, truth

from askance import ActiveLearner
from askance.errors import InvalidLabel, LabelConflict
from askance.scale import ask_pool, pending_questions, tell_pool
from askance.scale.draws import digest_of_id
from askance.sparse import rows_of


@pytest.fixture
def asked(pool, model):
    return {q.id: truth(q.fields) for q in ask_pool(pool, model, plan()).questions}


def test_answers_may_come_in_part_and_in_any_order(asked, model):
    pairs = list(asked.items())
    told = tell_pool(model, pairs[:3][::-1])
    assert (told.learned, told.pending, told.answered) == (3, len(pairs) - 3, 3)
    assert [question.id for question in pending_questions(model)] == list(asked)[3:]
    told = tell_pool(model, reversed(pairs[3:]))
    assert (told.learned, told.pending, told.answered) == (len(pairs) - 3, 0, len(pairs))
    labels = {-1: "down", 1: "up"}
    sample = ActiveLearner.load(model).weighted_sample()
    assert [labels[y] for y in sample.y.tolist()] == list(asked.values())


def test_the_same_answer_twice_is_harmless_and_another_is_an_error(asked, model):
    tell_pool(model, asked)
    before = model.read_bytes()
    assert tell_pool(model, asked).repeated == len(asked)
    id, label = next(iter(asked.items()))
    other = "up" if label == "down" else "down"
    with pytest.raises(LabelConflict, match=f"'{id}' was answered '{label}', cannot be '{other}'"):
        tell_pool(model, {id: other})
    assert ActiveLearner.load(model).stats().answered == len(asked)
    assert len(model.read_bytes()) == len(before)


def test_two_answers_in_one_file_must_agree(asked, model):
    id = next(iter(asked))
    assert tell_pool(model, [(id, "up"), (id, "up")]).repeated == 1
    with pytest.raises(LabelConflict, match="cannot be 'down'"):
        tell_pool(model, [(id, "up"), (id, "down")])


def test_an_error_in_one_answer_learns_nothing(asked, model):
    before = model.read_bytes()
    for wrong, error in (({"nobody": "up"}, LabelConflict), ({"=a1": "pu"}, InvalidLabel)):
        with pytest.raises((error, LabelConflict)):
            tell_pool(model, {**asked, **wrong})
    assert model.read_bytes() == before


def test_an_unknown_label_is_taken_for_a_typo(asked, model):
    id = next(iter(asked))
    with pytest.raises(InvalidLabel, match="known are 'down', 'up'"):
        tell_pool(model, {id: "pu"})
    with pytest.raises(InvalidLabel, match="a third class beside 'down' and 'up': three"):
        tell_pool(model, {id: "pu"}, new_classes=True)
    with pytest.raises(InvalidLabel, match="an empty label"):
        tell_pool(model, {id: " "})


def test_classes_are_learned_if_they_may_be_new(pool, model):
    questions = ask_pool(pool, model, plan(classes=None)).questions
    answers = {q.id: "yes" if truth(q.fields) == "up" else "no" for q in questions}
    first = next(iter(answers))
    with pytest.raises(InvalidLabel, match="known are none yet"):
        tell_pool(model, answers)
    tell_pool(model, {first: answers[first]}, new_classes=True)
    tell_pool(model, answers, new_classes=True)
    assert ActiveLearner.load(model).classes == ("no", "yes")
    live = ActiveLearner.load(model)
    named = [live.classes[y > 0] for y in live.weighted_sample().y.tolist()]
    assert named == list(answers.values())


@pytest.mark.parametrize(("no", "yes"), [("n", "y"), ("-", "+"), ("f", "t"), ("0", "1")])
def test_labels_that_speak_for_themselves_do_so_here_too(pool, model, no, yes):
    one, two, *_ = ask_pool(pool, model, plan(classes=None)).questions
    tell_pool(model, [(one.id, yes), (two.id, no)], new_classes=True)
    assert ActiveLearner.load(model).classes == (no, yes)


def test_a_second_spelling_is_refused(pool, model):
    one, two, *_ = ask_pool(pool, model, plan(classes=("false", "true"))).questions
    for text in ("TRUE", "yes"):
        with pytest.raises(InvalidLabel, match=f"'{text}', a second spelling beside 'true'"):
            tell_pool(model, {one.id: text}, new_classes=True)
    with pytest.raises(InvalidLabel, match="known are 'false', 'true'"):
        tell_pool(model, {one.id: "spam"})
    assert tell_pool(model, {one.id: "true", two.id: "false"}).learned == 2


def test_labels_that_look_missing_are_unknown_not_pending(asked, model):
    id = next(iter(asked))
    for text, reason in (("NA", "has the label 'NA', known are"), ("nan", "nan is no class")):
        with pytest.raises(InvalidLabel, match=reason):
            tell_pool(model, {id: text})


def of_three(fields):
    return "near" if abs(fields["x"]) < 0.3 else truth(fields)


def test_three_classes_and_a_fourth_that_is_new(pool, model):
    chosen = plan(classes=("down", "up", "near"))
    questions = ask_pool(pool, model, chosen).questions
    asked = {question.id: of_three(question.fields) for question in questions}
    tell_pool(model, asked)
    second = {q.id: of_three(q.fields) for q in ask_pool(pool, model).questions}
    odd = next(iter(second))
    with pytest.raises(InvalidLabel, match="known are 'down', 'up', 'near'"):
        tell_pool(model, second | {odd: "odd"})
    tell_pool(model, second | {odd: "odd"}, new_classes=True)
    live = ActiveLearner.load(model)
    assert live.classes == ("down", "up", "near", "odd")
    codes = live.weighted_sample().y.tolist()
    assert [live.classes[y] for y in codes] == list((asked | second | {odd: "odd"}).values())


def test_ids_that_a_spreadsheet_would_run_match_back(asked, model):
    assert all(id.startswith("=") for id in asked)
    assert tell_pool(model, {f"'{id}": label for id, label in asked.items()}).pending == 0


def test_closed_questions_are_withdrawn_and_their_answers_too_late(asked, model):
    pairs = list(asked.items())
    told = tell_pool(model, pairs[:10], close=True)
    assert (told.learned, told.closed, told.pending) == (10, len(pairs) - 10, 0)
    assert pending_questions(model) == []
    stats = ActiveLearner.load(model).stats()
    assert (stats.withdrawn, stats.pending, stats.answered) == (len(pairs) - 10, 0, 10)
    with pytest.raises(LabelConflict, match="was closed"):
        tell_pool(model, pairs[10:])


def test_a_closed_round_is_followed_by_another(asked, pool, model):
    tell_pool(model, {}, close=True)
    second = ask_pool(pool, model)
    # Without a label there is nothing to focus on, and what was not bought is left to spend.
    (share,) = {question.probability for question in second.questions}
    assert share > 0.18


def test_labels_are_learned_in_an_order_of_their_own(asked, model):
    """Where a row stands in the pool, and its answer in a file, must not matter."""
    tell_pool(model, asked)
    live = ActiveLearner.load(model)
    rows = {number: id for number, id, _ in live.pool["asked"]}
    sample = live.weighted_sample()
    pairs = zip(rows_of(sample.X), sample.ids.tolist(), strict=True)
    stood = {tuple(x.values.tolist()): rows[number] for x, number in pairs}
    stored, _, _ = live.learner._labelled.sample(slice(None))
    learned = [stood[tuple(x.values.tolist())] for x in rows_of(stored)]
    assert learned == sorted(asked, key=digest_of_id)
