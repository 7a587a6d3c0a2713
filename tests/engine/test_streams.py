import numpy as np
import pytest

from askance.engine import stream_of
from askance.errors import InvalidRow


@pytest.mark.parametrize(
    ("indices", "values"), [([0, 0], [1.0, 1.0]), ([0, 5], [1.0, 1.0]), ([0, 1], [1.0, np.nan])]
)
def test_bad_rows_of_a_matrix_are_named(indices: list[int], values: list[float]) -> None:
    with pytest.raises(InvalidRow, match="row 1 must have increasing indices below 5"):
        stream_of([0, 0, 2], indices, values, [1, 1], n_features=5)
