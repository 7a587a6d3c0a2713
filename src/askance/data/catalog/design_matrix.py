"""Columns side by side -> a data set: the two moves that the recipes are made of."""

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from askance.data.catalog.dataset import Dataset
from askance.data.features.columns import (
    Column,
    Entries,
    assemble,
    numbers_of,
    one_per_row,
    words_of,
)

__all__ = ["DesignMatrix", "signs"]


def signs(positive: NDArray[np.bool_]) -> NDArray[np.int8]:
    """Turn yes and no into +1 and -1.

    >>> signs(np.array([True, False])).tolist()
    [1, -1]
    """
    return np.where(positive, 1, -1).astype(np.int8)


class DesignMatrix:
    """A growing row of columns.

    >>> from askance.data.features.columns import Words
    >>> words = Words(np.array([0, 1, -1], dtype=np.int32), ["red", "blue"])
    >>> design = DesignMatrix().numbers(np.array([0.5, 0.0, 2.0])).one_hot(words)
    >>> data = design.labelled(np.array([True, False, True]))
    >>> data.csr.toarray().tolist()
    [[0.5, 0.0, 1.0], [0.0, 1.0, 0.0], [2.0, 0.0, 0.0]]
    """

    def __init__(self) -> None:
        self._columns: list[Entries] = []
        self._width = 0

    def numbers(self, *columns: Column) -> "DesignMatrix":
        """Add one feature per column, as it is; a missing number gives no feature."""
        for column in columns:
            present = np.nan_to_num(numbers_of(column))
            self._columns.append(one_per_row(self._width, present))
            self._width += 1
        return self

    def one_hot(self, *columns: Column, drop: Collection[str] = ()) -> "DesignMatrix":
        """Add one feature per observed value of each column, sorted; ``drop`` gives no feature."""
        for column in columns:
            words = words_of(column)
            stripped = [value.strip() for value in words.values]
            places = {v: i for i, v in enumerate(sorted(set(stripped) - set(drop)))}
            # The last entry answers code -1, a missing value.
            place = np.array([places.get(value, -1) for value in stripped] + [-1], dtype=np.int32)
            index = place[words.codes] + np.int32(self._width)
            weight = (place >= 0).astype(np.float32)[words.codes]
            self._columns.append(one_per_row(index, weight))
            self._width += len(places)
        return self

    def labelled(self, positive: NDArray[np.bool_]) -> Dataset:
        """Finish: a data set whose positive class is where ``positive`` holds."""
        csr = assemble(self._columns, len(positive)).matrix(self._width)
        return Dataset("", csr, signs(positive))
