from collections.abc import Callable

import numpy as np
import pytest

from askance.plots.curve import Curve


@pytest.fixture
def curve() -> Callable[..., Curve]:
    """A made-up curve at doubling budgets."""

    def make(medians, asked, final=0.02, name="one"):
        median = np.array(medians)
        budgets = tuple(10 * 2**q for q in range(len(medians)))
        return Curve(name, budgets, 0.8 * median, median, 1.2 * median, asked, final)

    return make


@pytest.fixture
def two_curves(curve):
    return [curve([0.3, 0.1, 0.05], 45), curve([0.4, 0.2, 0.1], 40, 0.0, "passive")]
