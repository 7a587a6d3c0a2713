import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from askance.errors import InvalidRow
from askance.sparse import (
    as_row,
    column,
    dense,
    empty,
    from_dense,
    from_rows,
    resized,
    row_at,
    rows_of,
    stacked,
)
from askance.types import Row

finite = st.floats(-1e6, 1e6, allow_nan=False).filter(lambda x: x == 0 or abs(x) > 1e-6)


def filled(row, d):
    out = np.zeros(d)
    out[row.indices] = row.values
    return out


@given(st.lists(finite, min_size=1, max_size=12))
def test_every_form_of_one_example_gives_the_same_row(x):
    array = np.array(x)
    where = np.flatnonzero(array)
    forms = [
        x,
        array,
        dict(enumerate(x)),
        (where[::-1], array[where[::-1]]),
        Row(where, array[where]),
        scipy.sparse.csr_array(array.reshape(1, -1)),
        scipy.sparse.csr_matrix(array),
        scipy.sparse.coo_array(array),
    ]
    for form in forms:
        row = as_row(form)
        assert np.array_equal(filled(row, len(x)), array)
        assert np.all(np.diff(row.indices) > 0)
        assert row.values.all()


@pytest.mark.parametrize(
    ("x", "sentence"),
    [
        ([1.0, float("nan")], "feature 1 is nan, a finite number was expected"),
        ({4: float("inf")}, "feature 4 is inf, a finite number was expected"),
        ([[1.0], [2.0]], "a row must have 1 dimension(s), got 2"),
        (3.0, "a row must have 1 dimension(s), got 0"),
        (["a", "b"], "a row must be numbers, got 'a'"),
        ([1.0, [2.0]], "a row must be numbers, got lists of unequal lengths"),
        ({"age": 1.0}, "feature indices must be whole numbers, got 'age'"),
        ({-1: 1.0}, "feature indices must be 0 or more, got -1"),
        (([1, 1], [1.0, 2.0]), "feature 1 occurs twice in one row"),
        (([1, 2], [1.0]), "a row needs one index per value, got 2 and 1"),
        (scipy.sparse.csr_array(np.eye(2)), "a sparse row must have shape (1, d), got (2, 2)"),
    ],
)
def test_what_cannot_be_a_row_is_said_in_one_sentence(x, sentence):
    with pytest.raises(InvalidRow) as caught:
        as_row(x)
    assert str(caught.value) == sentence


def test_an_empty_row_is_a_row():
    assert as_row({}).indices.dtype.kind == "i"
    assert len(as_row([0.0, 0.0]).values) == 0


def test_rows_of_matrices_agree_and_are_views():
    X = np.array([[1.0, 2.0], [0.0, 3.0], [0.0, 0.0]], dtype=np.float32)
    csr = scipy.sparse.csr_array(X)
    for rows in (list(rows_of(X)), list(rows_of(csr))):
        assert [filled(row, 2).tolist() for row in rows] == X.tolist()
        assert all(row.values.dtype == np.float32 for row in rows)
    assert next(rows_of(X)).values.base is X
    assert np.shares_memory(next(rows_of(csr)).values, csr.data)


def test_a_matrix_with_repeated_and_zero_entries_is_put_in_order_without_changing_it():
    messy = scipy.sparse.csr_array(
        (np.array([1.0, 2.0, 0.0, 4.0]), np.array([1, 1, 0, 0]), np.array([0, 3, 4])), shape=(2, 2)
    )
    assert [filled(row, 2).tolist() for row in rows_of(messy)] == [[0, 3], [4, 0]]
    assert messy.data.tolist() == [1.0, 2.0, 0.0, 4.0]


arrays = st.integers(0, 2**32 - 1).map(
    lambda seed: np.random.default_rng(seed).choice([0.0, 1.0, -2.5], size=(4, 3))
)


@given(arrays)
def test_rows_survive_the_way_there_and_back(array: np.ndarray) -> None:
    X = from_dense(array)
    again = from_rows([row_at(X, i) for i in range(4)])
    assert dense(again, 3).tolist() == array.tolist()
    assert [column(again, j).tolist() for j in range(3)] == array.T.tolist()


@given(arrays, st.integers(1, 6))
def test_a_new_width_pads_with_zeros_or_cuts(array: np.ndarray, width: int) -> None:
    wide = np.zeros((4, 6))
    wide[:, :3] = array
    assert resized(from_dense(array), width).toarray().tolist() == wide[:, :width].tolist()


def test_stacking_takes_the_widest_and_skips_the_empty() -> None:
    found = stacked([empty(), from_dense(np.array([[1.0]])), from_dense(np.array([[2.0, 3.0]]))])
    assert found.toarray().tolist() == [[1.0, 0.0], [2.0, 3.0]]
    assert stacked([]).shape == (0, 1)
    assert from_rows([]).shape == (0, 1)


def test_a_missing_column_is_zero() -> None:
    assert column(from_dense(np.ones((2, 1))), 5).tolist() == [0.0, 0.0]
