"""Scores of rows against numpy."""

import numpy as np
import pytest
from scipy.sparse import csr_array, random_array

from askance.kernels.scoring import scale_rows, sum_leaves, sum_products


@pytest.fixture
def rows():
    found = random_array((30, 12), density=0.3, rng=np.random.default_rng(0), format="csr")
    return csr_array(found)


def parts(X):
    return X.indptr.astype(np.int64), X.indices.astype(np.int64), X.data


def test_products_add_to_what_is_there(rows):
    weights = np.random.default_rng(1).normal(size=(12, 3))
    sums = np.ones((30, 3))
    sum_products(*parts(rows), weights, sums)
    np.testing.assert_allclose(sums, 1 + rows.toarray() @ weights)


def test_rows_are_scaled_to_length_1(rows):
    factors = np.random.default_rng(2).uniform(0.5, 2, 12)
    scaled = np.empty(rows.nnz)
    scale_rows(*parts(rows), factors, scaled)
    expected = rows.toarray() * factors
    lengths = np.linalg.norm(expected, axis=1, keepdims=True)
    expected /= np.where(lengths > 0, lengths, 1)
    found = csr_array((scaled, rows.indices, rows.indptr), shape=rows.shape)
    np.testing.assert_allclose(found.toarray(), expected)


@pytest.mark.parametrize("together", [1, 3, 9])
def test_a_tree_by_hand(together):
    # Feature 1 up to 0.5 goes left to a leaf; else feature 0 up to -1 decides between two others.
    columns, thresholds = np.array([1, -1, 0, -1, -1]), np.array([0.5, 0, -1.0, 0, 0])
    rights, leaves = np.array([2, 0, 4, 0, 0]), np.array([[0.0], [10], [0], [20], [30]])
    X = csr_array(np.array([[5.0, 0.5], [0, 0], [-1, 0.6], [-0.5, 0.6]]))
    room, sums = np.zeros((together, 2), np.float32), np.ones((4, 1))
    roots = np.array([0])
    sum_leaves(*parts(X), roots, columns, thresholds, rights, leaves, room, sums)
    assert sums.ravel().tolist() == [11, 11, 21, 31]
    assert not room.any()
