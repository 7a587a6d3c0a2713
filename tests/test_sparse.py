from typing import Any

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from askance.errors import InvalidRow
from askance.sparse import (
    as_matrix,
    as_row,
    column,
    empty,
    from_dense,
    from_parts,
    from_rows,
    narrowed,
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
    assert resized(again, 3).toarray().tolist() == array.tolist()
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


@given(arrays)
def test_narrow_rows_keep_their_values_in_the_same_order(array: np.ndarray) -> None:
    found = narrowed(from_dense(array))
    assert found.toarray().tolist() == array[:, array.any(axis=0)].tolist()


def test_small_indices_stay_small() -> None:
    """SciPy alone would widen them to the type of indptr."""
    X = from_parts(np.array([0, 1]), np.array([4], np.int32), np.ones(1, np.float32), width=9)
    taken = stacked([X, X])[np.array([1, 0])]
    assert {X.indices.dtype, X.indptr.dtype, taken.indices.dtype} == {np.dtype(np.int32)}
    assert taken.data.dtype == np.float32


def forged(indptr: list[int], indices: list[int]) -> Any:
    """Three entries in a matrix of 2 x 4 that claims to be in order, and then is changed."""
    X = scipy.sparse.csr_array((np.ones(3), [0, 1, 2], [0, 1, 3]), shape=(2, 4))
    assert X.has_canonical_format
    X.indptr, X.indices = np.array(indptr), np.array(indices)
    return X


@pytest.mark.parametrize(
    ("indptr", "indices", "part"),
    [
        ([0, 1, 3], [0, 1, 4], "indices must lie in 0..3, got 4"),
        ([0, 1, 3], [0, -5, 2], "indices must lie in 0..3, got -5"),
        ([0, 1, 3], [0, 2**40, 2], "indices must lie in 0..3"),
        ([0, 3, 1], [0, 1, 2], "row starts must never fall, got 1 after 3"),
        ([0, 1, 2**40], [0, 1, 2], "entries must hold as many, got 3 indices and 3 values"),
        ([0, 1, -3], [0, 1, 2], "a matrix of -3 entries must hold as many"),
        ([1, 1, 3], [0, 1, 2], "row starts must run from 0 to 3"),
        ([0, 3], [0, 1, 2], "2 rows must have 3 row starts, got 2"),
    ],
)
def test_places_outside_of_a_matrix_are_refused(refused, indptr, indices, part) -> None:
    with refused(InvalidRow, part):
        list(rows_of(forged(indptr, indices)))


def test_a_claim_to_be_in_order_is_not_believed() -> None:
    X = forged([0, 1, 3], [0, 3, 2])
    assert [row.indices.tolist() for row in rows_of(X)] == [[0], [2, 3]]
    assert X.indices.tolist() == [0, 3, 2]


def test_other_formats_and_single_rows_are_looked_at_too(refused) -> None:
    transposed = scipy.sparse.csc_array(np.eye(3))
    transposed.indices = np.array([0, 7, 2])
    pairs = scipy.sparse.coo_array(np.eye(3))
    pairs.coords = (np.array([0, 1, 2]), np.array([0, 1, 99]))
    for X in (transposed, pairs):
        with refused(InvalidRow, "indices must lie in 0..2"):
            list(rows_of(X))
    one = scipy.sparse.csr_array(np.ones((1, 2)))
    one.indices = np.array([0, 9])
    with refused(InvalidRow, "indices must lie in 0..1, got 9"):
        as_row(one)


@pytest.mark.parametrize("index", [">i4", ">i8", "<u2", ">u8", "<i8"])
@pytest.mark.parametrize("number", [">f4", ">f8", "<f2", ">i2", "<f8"])
def test_any_byte_order_and_any_size_is_taken(index: str, number: str) -> None:
    row = as_row((np.array([7, 2], index), np.array([1, 4], number)))
    assert (row.indices.tolist(), row.values.tolist()) == ([2, 7], [4.0, 1.0])
    X = scipy.sparse.csr_array(np.array([[0.0, 4.0, 1.0]]))
    X.indices, X.data = X.indices.astype(index), X.data.astype(number)
    for found in (*rows_of(X), *rows_of(np.array([[0, 4, 1]], number))):
        assert (found.indices.tolist(), found.values.tolist()) == ([1, 2], [4.0, 1.0])
        assert found.indices.dtype.isnative
        assert found.values.dtype.isnative
        assert found.indices.dtype.kind == "i"


def test_wide_rows_have_the_types_that_steps_are_compiled_for() -> None:
    for X in (from_dense(np.eye(2)).astype(np.float32), np.eye(2, dtype=np.float32)):
        for row in rows_of(X, wide=True):
            assert (row.indices.dtype, row.values.dtype) == (np.int64, np.float64)


@pytest.mark.parametrize(
    "X", [None, [["a"]], [1.0], [[[1.0]]], np.ones((1, 1), complex), [[1.0], [1.0, 2.0]]]
)
def test_what_is_no_matrix_of_numbers_is_refused(X, refused):
    with refused(InvalidRow, "examples must"):
        as_matrix(X)


@pytest.mark.parametrize("kind", [">f8", ">f4", "<i2", "|b1"])
def test_numbers_of_any_kind_make_a_matrix(kind):
    X = np.array([[0, 1], [1, 0]]).astype(kind)
    assert as_matrix(X).toarray().tolist() == X.astype(float).tolist()


def test_a_matrix_whose_arrays_do_not_fit_is_refused(refused):
    X = scipy.sparse.csr_array(np.eye(3))
    X.indptr = np.array([0, 9, 2, 3])
    with refused(InvalidRow, "row starts must never fall"):
        as_matrix(X)
