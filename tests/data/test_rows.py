import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from askance.data.dataset import Csr, Dataset
from askance.data.rows import as_row, rows_of
from askance.errors import InvalidRow
from askance.types import Row

finite = st.floats(-1e6, 1e6, allow_nan=False).filter(lambda x: x == 0 or abs(x) > 1e-6)


def dense(row, d):
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
        assert np.array_equal(dense(row, len(x)), array)
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
    data = Dataset(
        "three", 2, Csr(csr.indptr.astype(np.int64), csr.indices, csr.data), np.ones(3, np.int8)
    )
    for rows in (list(rows_of(X)), list(rows_of(csr)), list(rows_of(data))):
        assert [dense(row, 2).tolist() for row in rows] == X.tolist()
        assert all(row.values.dtype == np.float32 for row in rows)
    assert next(rows_of(X)).values.base is X
    assert np.shares_memory(next(rows_of(csr)).values, csr.data)
    assert np.shares_memory(next(rows_of(data)).values, data.values)


def test_a_matrix_with_repeated_and_zero_entries_is_put_in_order_without_changing_it():
    messy = scipy.sparse.csr_array(
        (np.array([1.0, 2.0, 0.0, 4.0]), np.array([1, 1, 0, 0]), np.array([0, 3, 4])), shape=(2, 2)
    )
    assert [dense(row, 2).tolist() for row in rows_of(messy)] == [[0, 3], [4, 0]]
    assert messy.data.tolist() == [1.0, 2.0, 0.0, 4.0]
