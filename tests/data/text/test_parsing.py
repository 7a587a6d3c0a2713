import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from askance.data.text.parsing import read_number


def number(text):
    return read_number(np.frombuffer(text.encode(), dtype=np.int8), 0, len(text))


@settings(deadline=None)
@given(st.from_regex(r"[+-]?[0-9]{0,18}(\.[0-9]{0,18})?([eE][+-]?[0-9]{1,3})?", fullmatch=True))
@example("-0")
@example("1e22")
@example("9007199254740993")
@example(".5")
@example("5.")
def test_what_the_short_cut_reads_is_what_python_reads(text):
    value, exact = number(text)
    if exact:
        assert value == float(text)


@pytest.mark.parametrize("text", ["0.000123", "-12", "1e-7", "+3.25E+2", "0.0000000000000000000"])
def test_common_numbers_take_the_short_cut(text):
    assert number(text) == (float(text), True)


@pytest.mark.parametrize("text", ["", "-", ".", "e5", "1e", "1e+", "1.2.3", "abc", "1x", "nan"])
def test_what_is_no_number_is_left_to_python(text):
    assert number(text)[1] is False
