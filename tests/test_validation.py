import numpy as np
import pytest

from askance.errors import InvalidRow
from askance.sparse import from_dense
from askance.types import Row
from askance.validation import check_matrix, check_row


@pytest.mark.parametrize(
    ("indices", "values", "message"),
    [
        ([0], [np.nan], "must be finite"),
        ([0, 0], [1.0, 2.0], "increase strictly"),
        ([1, 0], [1.0, 2.0], "increase strictly"),
        ([3], [1.0], "from 0 to 2, got 3 to 3"),
        ([-1], [1.0], "from 0 to 2, got -1 to -1"),
        ([0], [], "pair 1 indices with values, got 0"),
    ],
)
def test_bad_rows_are_refused(indices: list[int], values: list[float], message: str) -> None:
    with pytest.raises(InvalidRow, match=message):
        check_row(Row(np.array(indices), np.array(values)), n_features=3)


def test_good_rows_pass_and_an_unknown_width_takes_any() -> None:
    check_row(Row(np.array([0, 2]), np.array([1.0, 2.0])), n_features=3)
    check_row(Row(np.array([], dtype=int), np.array([])), n_features=3)
    check_row(Row(np.array([10**6]), np.array([1.0])), n_features=None)
    check_matrix(from_dense(np.ones((2, 9))), n_features=None)


def test_bad_matrices_are_refused() -> None:
    with pytest.raises(InvalidRow, match="must be finite"):
        check_matrix(from_dense(np.array([[np.inf]])), n_features=None)
    with pytest.raises(InvalidRow, match="at most 1 columns, got 2"):
        check_matrix(from_dense(np.ones((1, 2))), n_features=1)
