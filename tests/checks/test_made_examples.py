"""The streams that contracts are tried on."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askance.checks.made_examples import bad_rows, make_stream
from askance.errors import InvalidParameter


@given(seed=st.integers(0, 2**63), n_features=st.integers(1, 9))
def test_streams_are_legal_and_repeatable(seed: int, n_features: int) -> None:
    stream = make_stream(seed, n_features, length=20)
    again = make_stream(seed, n_features, length=20)
    for step, other in zip(stream, again, strict=True):
        assert np.all(np.diff(step.row.indices) > 0)
        assert np.all((step.row.indices >= 0) & (step.row.indices < n_features))
        assert np.all(np.isfinite(step.row.values))
        assert type(step.label) is int
        assert abs(step.label) == 1
        assert type(step.coin) is float
        assert 0.0 <= step.coin < 1.0
        assert step.row.values.tobytes() == other.row.values.tobytes()
        assert (step.label, step.coin) == (other.label, other.coin)


def test_streams_hold_what_goes_wrong_elsewhere() -> None:
    stream = make_stream(seed=0)
    assert any(step.row.indices.size == 0 for step in stream)
    assert {step.label for step in stream} == {-1, 1}
    sizes = np.abs(np.concatenate([step.row.values for step in stream]))
    assert sizes.max() > 1000 * sizes.min() > 0
    assert len(stream) == 50


def test_other_seeds_give_other_streams() -> None:
    assert make_stream(seed=1)[0].coin != make_stream(seed=2)[0].coin


def test_bad_rows_fit_the_number_of_features() -> None:
    for n_features in (1, 2, 7):
        assert bad_rows(n_features)["an index beyond the last feature"].indices == [n_features]


@pytest.mark.parametrize(("n_features", "length"), [(0, 5), (5, 0)])
def test_bad_sizes(refused: Any, n_features: int, length: int) -> None:
    with refused(InvalidParameter, f"must be positive, got {n_features} and {length}"):
        make_stream(0, n_features, length)
