"""The records that pass between layers: frozen, without behaviour.

Labels are -1 and +1 inside the package; a user's own labels are converted at the edge only.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Bools",
    "Decision",
    "Floats",
    "Integers",
    "Label",
    "Matrix",
    "ResultRow",
    "Row",
    "State",
]

Label = int
"""-1 or +1."""

Bools = NDArray[np.bool_]
Floats = NDArray[np.floating[Any]]
Integers = NDArray[np.integer[Any]]

Matrix = Any
"""A ``scipy.sparse.csr_array`` with one example per row (SciPy ships no types)."""

State = dict[str, Any]
"""A tree of dictionaries, lists, numbers, strings and arrays: all that a file can hold."""


class Row(NamedTuple):
    """The non-zero features of one example, indices strictly increasing.

    Oracles check a row when they first see it, so that building one costs nothing.

    >>> Row(np.array([0, 3]), np.array([1.0, -2.5])).indices.tolist()
    [0, 3]
    """

    indices: Integers
    values: Floats


class Decision(NamedTuple):
    """What was decided for one example, and all that its update will need, however late.

    Parameters
    ----------
    predicted
        The ERM's prediction, Y-tilde.
    in_disagreement
        Whether the example lies in the disagreement region.
    probability
        The query probability P; 0 outside the region.
    queried
        Whether the label is wanted: the coin fell below the probability.
    k
        Examples learned before this decision.
    threshold
        The radius Delta-hat (IWAL: A + B) as decided; infinite where there is no test.
    floor
        The smallest query probability P_min as decided; 0 where there is none.
    """

    predicted: Label
    in_disagreement: bool
    probability: float
    queried: bool
    k: int
    threshold: float
    floor: float


class ResultRow(NamedTuple):
    """Test error when a label budget was reached, or where the stream ended before it.

    ``budget`` is the label budget, ``queries`` the labels really asked, ``examples`` the stream
    position, ``reached`` whether the budget's last label was learned.
    """

    budget: int
    queries: int
    examples: int
    error: float
    reached: bool
