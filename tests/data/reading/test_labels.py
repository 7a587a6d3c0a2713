import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askance.data.features.columns import Words
from askance.data.reading.labels import LabelReader
from askance.errors import InvalidLabel


@given(st.lists(st.sampled_from(["spam", "ham", None]), max_size=20), st.booleans())
def test_every_form_of_a_column_gives_the_same_signs(labels, coded):
    given_labels = labels
    if coded:
        codes = [{"spam": 1, "ham": 0, None: -1}[label] for label in labels]
        given_labels = Words(np.array(codes, dtype=np.int32), ["ham", "spam"])
    signs = LabelReader("spam").read(given_labels)
    assert signs.dtype == np.int8
    assert signs.tolist() == [{"spam": 1, "ham": -1, None: 0}[label] for label in labels]


def test_numbers_with_nan_for_a_missing_label():
    assert LabelReader().read(np.array([0.0, np.nan, 1.0])).tolist() == [-1, 0, 1]


def test_values_that_do_not_occur_are_not_labels():
    words = Words(np.array([0, 1], dtype=np.int32), ["1", "0", "unused"])
    assert LabelReader().read(words).tolist() == [1, -1]


@pytest.mark.parametrize(
    ("labels", "row"), [(["1", "0", "-1"], 3), (["0", "no"], 2), (["yes", "1"], 2)]
)
def test_words_that_speak_for_themselves_are_still_two(labels, row):
    with pytest.raises(InvalidLabel, match=f"row {row} has the label"):
        LabelReader().read(labels)


@pytest.mark.parametrize(
    ("positive", "labels"), [("1", [1, 2]), ("1", [2, 1]), ("yes", ["yes", "maybe"]), ("0", [0, 1])]
)
def test_beside_a_chosen_label_any_other_one_is_the_negative(positive, labels):
    expected = [1 if str(label) == positive else -1 for label in labels]
    assert LabelReader(positive).read(labels).tolist() == expected
    with pytest.raises(InvalidLabel, match="row 3 has the label '7', a third value beside"):
        LabelReader(positive).read([*labels, 7])


@pytest.mark.parametrize(
    ("labels", "sentence"),
    [
        ([1, True], "row 2 has the label 'true', a second spelling beside '1'"),
        ([False, 0], "row 2 has the label '0', a second spelling beside 'false'"),
        (
            [1, 2],
            r"row 2 has the label '2', where 1, .*: say which label is positive \(--positive\)",
        ),
    ],
)
def test_what_is_wrong_with_a_label_is_said(labels, sentence):
    with pytest.raises(InvalidLabel, match=f"^{sentence}$"):
        LabelReader().read(labels)
