"""Streams that the suites are run on, made from a seed."""

from typing import NamedTuple

import numpy as np

from askance.errors import InvalidParameter
from askance.types import Label, Row

__all__ = ["Example", "bad_rows", "make_stream"]


class Example(NamedTuple):
    """One example of a stream: its features, its hidden label and its coin."""

    row: Row
    label: Label
    coin: float


def make_stream(
    seed: int, n_features: int = 5, length: int = 50, n_classes: int | None = None
) -> list[Example]:
    """Sparse rows of unequal scales, some of them empty, with noisy linear labels.

    The labels are -1 and +1, or the codes of so many classes.

    >>> stream = make_stream(seed=1, n_features=3, length=4)
    >>> len(stream), {step.label for step in stream} <= {-1, 1}
    (4, True)
    >>> stream[2].coin == make_stream(seed=1, n_features=3, length=4)[2].coin
    True
    """
    if n_features < 1 or length < 1:
        raise InvalidParameter(
            f"n_features and length must be positive, got {n_features} and {length}"
        )
    generator = np.random.default_rng(seed)
    truth = generator.normal(size=(n_features, n_classes) if n_classes else n_features)
    scales = 4.0 ** generator.integers(-2, 3, size=n_features)
    steps = []
    for i in range(length):
        kept = np.flatnonzero(generator.random(n_features) < (0.0 if i % 17 == 5 else 0.8))
        values = generator.normal(size=kept.size)
        score = values @ truth[kept] + 0.3 * generator.normal(size=n_classes)
        row = Row(kept, values * scales[kept])
        label = int(np.argmax(score)) if n_classes else 1 if score > 0 else -1
        steps.append(Example(row, label, float(generator.random())))
    return steps


def bad_rows(n_features: int) -> dict[str, Row]:
    """Rows that nobody can learn from, by what is wrong with them.

    >>> sorted(bad_rows(3))[:3]
    ['a NaN', 'a negative index', 'a repeated index']
    """
    last = n_features - 1

    def row(indices: list[int], values: list[float]) -> Row:
        return Row(np.array(indices), np.array(values))

    return {
        "a NaN": row([0], [float("nan")]),
        "an infinite value": row([last], [float("-inf")]),
        "a repeated index": row([0, 0], [1.0, 2.0]),
        "unsorted indices": row([last, 0], [1.0, 2.0]),
        "an index beyond the last feature": row([n_features], [1.0]),
        "a negative index": row([-1], [1.0]),
        "more indices than values": row([0], []),
    }
