import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from askance.kernels.matrices import (
    column,
    dense,
    empty,
    from_dense,
    from_rows,
    resized,
    row_at,
    stacked,
)

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
