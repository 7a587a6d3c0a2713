from hypothesis import given
from hypothesis import strategies as st

from askance.service.page.choices import COMMANDS, choices


def keys(*classes):
    return [choice.key for choice in choices(classes)]


def test_keys_are_numbers_first():
    assert keys("ham", "spam", "eggs") == ["1", "2", "3"]


def test_a_class_that_is_a_key_has_it():
    assert keys(*"0123456789") == list("0123456789")
    assert keys("A", "B", "none") == ["a", "b", "1"]


def test_two_classes_never_fight_for_a_key():
    assert keys("a", "A") == ["1", "2"]


def test_after_the_numbers_come_letters_that_are_no_commands():
    found = keys(*(f"class {i}" for i in range(40)))
    assert found[9:12] == ["0", "a", "b"]
    assert found[-1] is None


@given(st.lists(st.text(min_size=1, max_size=3), min_size=2, max_size=40, unique=True))
def test_no_key_twice_and_none_of_a_command(classes):
    found = [choice.key for choice in choices(classes) if choice.key is not None]
    assert len(found) == min(len(set(found)), 32) == min(len(classes), 32)
    assert not set(found) & set(COMMANDS)
