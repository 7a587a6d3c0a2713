"""What each prediction costs for each label, from a table with the names of the classes."""

from pathlib import Path
from typing import NamedTuple

import numpy as np

from askance.data.features.columns import some_of
from askance.data.reading.labels import label_text
from askance.data.reading.readers import read_columns
from askance.errors import BadRecord
from askance.storage.tables import unmarked
from askance.types import Floats

__all__ = ["Costs", "read_costs"]


class Costs(NamedTuple):
    """Costs of ``classes``: labels by rows, predictions by columns."""

    classes: tuple[str, ...]
    table: Floats


def read_costs(path: str | Path) -> Costs:
    r"""Read costs from a table: a row for each label, which its first column names.

    Its other columns are the predictions.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "costs.csv"
    >>> _ = path.write_text("label,no,yes\nno,0,1\nyes,10,0\n")
    >>> costs = read_costs(path)
    >>> costs.classes, costs.table.tolist()
    (('no', 'yes'), [[0.0, 1.0], [10.0, 0.0]])
    """
    (_, names), *others = read_columns(path).items()
    predicted = [label_text(unmarked(name)) for name, _ in others]
    classes = [label_text(unmarked(name)) for name in names]
    if sorted(map(str, classes)) != sorted(map(str, predicted)) or len(set(classes)) < 2:
        raise BadRecord(
            f"{path} must have the same classes by rows and by columns, got "
            f"{some_of(map(repr, classes)) or 'none'} and {some_of(map(repr, predicted)) or 'none'}"
        )
    try:
        table = np.array([[float(cell) for cell in column] for _, column in others]).T
    except (TypeError, ValueError):
        raise BadRecord(f"{path} has a cost that is no number, expected one in each cell") from None
    order = [predicted.index(name) for name in classes]
    return Costs(tuple(map(str, classes)), table[:, order])
