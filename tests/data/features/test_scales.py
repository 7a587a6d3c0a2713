import math

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.preprocessing import StandardScaler

from askance.data.features.indexers import Hashing
from askance.data.features.scales import (
    Scales,
    common_spread,
    is_sparse,
    matrix_terms,
    moments,
    scaled,
    sparse_sizes,
)
from askance.errors import InvalidParameter


def some(rows=200):
    generator = np.random.default_rng(3)
    return generator.normal([5.0, -1e6, 1e-9], [2.0, 3.0, 1e-12], (rows, 3))


def test_numbers_are_standardised_as_scikit_learn_does_it():
    X = some()
    np.testing.assert_allclose(
        scaled(X, *moments(X)), StandardScaler().fit_transform(X), rtol=1e-9, atol=1e-9
    )


@pytest.mark.parametrize("value", [0.0, 0.1, -7e15, 1e-300, 1 / 3])
def test_what_is_constant_is_zero_and_not_divided_by_zero(value):
    (centre,), (spread,) = moments(np.full((1000, 1), value))
    assert spread == 1.0
    assert centre == value


@pytest.mark.parametrize("values", [[1e200, -1e200], [np.inf, 1.0], [1e308, 1e308]])
def test_what_cannot_be_measured_is_left_alone(values):
    centre, spread = moments(np.array(values))
    assert (centre, spread) == (0.0, 1.0)


def test_sizes_are_over_what_is_there():
    columns, found = sparse_sizes(np.array([4, 1, 4, 4]), np.array([3.0, -2.0, 0.0, -4.0]))
    assert columns.tolist() == [1, 4]
    assert found.tolist() == [2.0, math.sqrt(12.5)]
    _, tiny = sparse_sizes(np.array([0, 1]), np.array([1e-200, 1e200]))
    assert tiny.tolist() == [1.0, 1.0]


def test_words_are_weighed_as_scikit_learn_weighs_them():
    generator = np.random.default_rng(1)
    counts = generator.poisson([0.01, 0.5, 3.0, 0.0], (300, 4))
    frequencies = TfidfTransformer(smooth_idf=True).fit(counts).idf_
    weights = 1.0 / common_spread(300, (counts > 0).sum(axis=0))
    np.testing.assert_allclose(weights, frequencies / (1.0 + math.log(301)), rtol=1e-14)
    assert weights[3] == 1.0


def test_half_of_the_rows_make_a_column_dense():
    X = np.zeros((10, 3))
    X[:5, 0], X[:4, 1], X[:, 2] = 2.0, 2.0, [7, 9] * 5
    centres, spreads = matrix_terms(X)
    assert (centres.tolist(), spreads.tolist()) == ([1.0, 0.0, 8.0], [1.0, 2.0, 1.0])
    assert not is_sparse(5, 10)
    assert is_sparse(4, 10)
    centres, spreads = matrix_terms(csr_array(X))
    assert not centres.any()
    assert spreads.tolist() == [2.0, 2.0, math.sqrt(65.0)]


def known():
    return Scales(9, {"b": (1.0, 2.0), "a": (3.0, 4.0)}, np.array([2, 5]), np.array([10.0, 20.0]))


def test_names_and_hashes_lead_to_the_same_terms():
    names = ["a", "b", "c", "d", "e"]
    columns = np.array([2, 0, 2, 5, 7])
    centres, spreads = known().terms(names, columns)
    assert centres.tolist() == [3.0, 1.0, 0.0, 0.0, 0.0]
    assert spreads.tolist() == [4.0, 2.0, 10.0, 20.0, 1.0]
    from askance.data.features.indexers import hashes_of

    by_hash = known().terms_of_hashes(hashes_of(names), columns)
    assert [part.tolist() for part in by_hash] == [centres.tolist(), spreads.tolist()]
    nothing = Scales(0, {}, np.zeros(0, np.int64), np.zeros(0))
    assert [part.tolist() for part in nothing.terms_of_hashes(hashes_of(["a"]), columns[:1])] == [
        [0.0],
        [1.0],
    ]


def test_they_are_saved_whole():
    again = Scales.from_state(known().get_state(), n_features=6)
    names, columns = ["a", "x"], np.array([0, 5])
    for ours, theirs in zip(
        known().terms(names, columns), again.terms(names, columns), strict=True
    ):
        assert ours.tolist() == theirs.tolist()
    assert again.rows == 9


@pytest.mark.parametrize(
    ("forged", "told"),
    [
        ({"centred": {"a": [math.nan, 1.0]}}, "centre"),
        ({"centred": {"a": [0.0, 0.0]}}, "spread"),
        ({"centred": {"a": [0.0, -1.0]}}, "spread"),
        ({"centred": {"a": [0.0, math.inf]}}, "spread"),
        ({"centred": {"a": ["0", 1.0]}}, "centre"),
        ({"centred": [1]}, "centred"),
        ({"rows": -1}, "rows"),
        ({"columns": np.array([5, 2])}, "columns"),
        ({"columns": np.array([2, 2])}, "columns"),
        ({"columns": np.array([-1, 2])}, "columns"),
        ({"columns": np.array([2, 6])}, "columns"),
        ({"columns": np.array([2.0, 5.0])}, "columns"),
        ({"spreads": np.array([1.0])}, "spreads"),
        ({"spreads": np.array([1.0, 0.0])}, "spreads"),
        ({"spreads": np.array([1.0, -1.0])}, "spreads"),
        ({"spreads": np.array([1.0, np.nan])}, "spreads"),
    ],
)
def test_what_was_forged_is_refused(forged, told, refused):
    with refused(InvalidParameter, "saved", told):
        Scales.from_state(known().get_state() | forged, n_features=6)


def test_a_centred_name_keeps_its_scale_in_a_shared_column():
    place = Hashing(bits=3).find(["a"]).indices
    scales = Scales(9, {"a": (3.0, 4.0)}, place.astype(np.int64), np.array([10.0]))
    assert [part.tolist() for part in scales.terms(["a", "x"], np.repeat(place, 2))] == [
        [3.0, 0.0],
        [4.0, 10.0],
    ]
