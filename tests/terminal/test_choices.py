"""Keys of classes, and the search for one by its name."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askance.errors import InvalidParameter
from askance.terminal.choices import Choices, matching, parse_classes

NAMES = st.lists(st.text("abcdef", min_size=1, max_size=4), min_size=3, max_size=30, unique=True)


def test_two_classes_are_yes_and_no():
    choices = Choices(("ham", "spam"))
    assert [tuple(choice) for choice in choices.of()] == [("y", "spam", "yes"), ("n", "ham", "no")]
    assert choices.commands == {"skip": "s", "undo": "u", "quit": "q", "search": "/", "help": "?"}


@given(NAMES, st.randoms())
def test_every_key_stands_for_one_class_and_up_to_ten_keep_theirs(names, random):
    choices, ranked = Choices(tuple(names)), list(range(len(names)))
    random.shuffle(ranked)
    shown = choices.of(ranked)
    assert len({choice.key for choice in shown}) == len(shown) == min(len(names), 10)
    assert [choice.name for choice in shown] == [names[code] for code in ranked[:10]]
    if len(names) <= 10:
        assert {(c.key, c.name) for c in shown} == {(c.key, c.name) for c in choices.of()}


def test_a_key_that_a_class_has_is_no_command():
    choices = Choices(("spam", "undo", "quit"), ("s", "u", "q"))
    taken = {choice.key for choice in choices.of()}
    assert not taken & set(choices.commands.values())
    assert set(choices.commands) == {"skip", "undo", "quit", "search", "help"}


@given(NAMES, st.text("abcdef", max_size=2))
def test_what_fits_has_what_was_typed_and_beginnings_come_first(names, typed):
    found = matching(typed, names)
    assert set(found) == {name for name in names if typed in name}
    starts = [name.startswith(typed) for name in found]
    assert starts == sorted(starts, reverse=True)


@pytest.mark.parametrize(
    "text", ["one", "a,a,b", "a,,b", "a=x,b=x,c=y", "a=x,b,c=y", "a=xy,b=z,c=u", "a=?,b=z,c=u"]
)
def test_classes_that_cannot_be_are_refused(text, refused):
    with refused(InvalidParameter, repr(text)):
        parse_classes(text)


def test_lines_may_name_commands_and_one_of_two_classes():
    assert Choices(("red", "blue"), ("r", "b")).words()["blue"] == "b"
    words = Choices(("red", "green", "blue"), ("s", "g", "b")).words()
    assert words["skip"] == "-"
    # Where keys change with the question, a name must not become one.
    assert "red" not in words
