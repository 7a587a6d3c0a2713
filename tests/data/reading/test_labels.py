import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askance.data.features.columns import Words
from askance.data.reading.labels import AnyLabels, ClassReader, LabelReader, label_text
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


@given(st.lists(st.sampled_from(["pear", "fig", "10", "9", None]), max_size=30))
def test_three_labels_or_more_are_classes_in_their_order(labels):
    reader = AnyLabels()
    codes = reader.read(labels)
    met = set(labels) - {None}
    reader.settle()
    if len(met) > 2:
        order = [name for name in ("9", "10", "fig", "pear") if name in met]
        assert reader.classes == tuple(order)
        expected = [0 if label is None else 1 + order.index(label) for label in labels]
        assert reader.meant(codes).tolist() == expected
    elif met:
        with pytest.raises(InvalidLabel, match="which label is positive"):
            reader.meant(codes)


def test_a_class_that_comes_later_is_one_more():
    reader = AnyLabels()
    first = reader.read(["c", "a", "b"])
    reader.settle()
    assert reader.meant(first).tolist() == [3, 1, 2]
    assert reader.meant(reader.read(["aa", "c"])).tolist() == [4, 3]
    assert reader.classes == ("a", "b", "c", "aa")


@pytest.mark.parametrize("labels", [["1", "0", "-1"], ["yes", "no", "true"]])
def test_spellings_of_yes_and_no_are_no_classes(labels):
    reader = AnyLabels()
    codes = reader.read(labels)
    reader.settle()
    with pytest.raises(InvalidLabel, match="row 3 has the label"):
        reader.meant(codes)
    named = AnyLabels(classes=labels)
    assert named.meant(named.read(labels)).tolist() == [1, 2, 3]


def test_numbers_to_predict_are_no_classes():
    with pytest.raises(InvalidLabel, match="numbers to be predicted are none"):
        AnyLabels().read([str(i) for i in range(1001)])


def test_labels_that_are_numbers_stay_different():
    whole = ["1000001", "1000002", str(2**63), str(2**63 + 1)]
    assert [label_text(text) for text in whole] == whole
    assert ClassReader().read(np.array([1000001.0, 1000002.0])).tolist() == [1, 2]
    assert label_text(0.1234567) == "0.1234567"
    assert [label_text(x) for x in (-0.0, "1e6", 1e6, "inf")] == ["0", "1000000", "1000000", "inf"]
