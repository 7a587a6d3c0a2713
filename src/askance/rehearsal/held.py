"""A labelled file in memory, permuted, with a part held out to test on."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance.data.features.records import Batch, Record
from askance.data.reading.intake import Intake
from askance.data.splits import permutation, seed_for, train_test
from askance.engine import stream_of_matrix
from askance.errors import BadRecord
from askance.kernels.passes import Stream
from askance.sparse import narrowed, stacked
from askance.types import Floats, Integers, Matrix

__all__ = ["Held", "Split", "coin_seed", "giveaways", "hold", "usual_budget"]

FEWEST_LABELS, MOST_LABELS = 20, 500
"""Labels that are bought unless told, at least and at most."""


class Split(NamedTuple):
    """Numbers of the examples to learn from, in their order, and of those to test on."""

    train: Integers
    test: Integers


@dataclass(frozen=True, slots=True, eq=False)
class Held:
    """The labelled records of a file; ``unlabelled`` others were left out."""

    csr: Matrix
    labels: NDArray[np.int8]
    unlabelled: int
    batches: tuple[Batch, ...]

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def n_features(self) -> int:
        return int(self.csr.shape[1])

    def narrow(self) -> "Held":
        """The same with columns for its features only, which learns the same bits in less room."""
        return replace(self, csr=narrowed(self.csr))

    def split(self, seed: int, j: int = 0) -> Split:
        """The ``j``-th permutation of a seed: 80% to learn from, 20% to test on."""
        return Split(*train_test(permutation(_named(seed), j, len(self))))

    def stream(self, rows: Integers, coins: Floats | tuple[()] = ()) -> Stream:
        """Some examples as the compiled passes take them, for learning with their coins."""
        return stream_of_matrix(self.csr[rows], self.labels[rows], coins)

    def records(self, rows: Collection[int]) -> dict[int, Record]:
        """Some examples as they were read, by number."""
        wanted = set(rows)
        found: dict[int, Record] = {}
        start = 0
        for batch in self.batches:
            known = int(np.count_nonzero(batch.labels))
            if wanted.intersection(range(start, start + known)):
                labelled = [record for record in batch.records() if record.label is not None]
                found.update((i, labelled[i - start]) for i in wanted if 0 <= i - start < known)
            start += known
        return found


def hold(intake: Intake) -> Held:
    """Read a file to its end, leaving out records without a label."""
    parts: list[Matrix] = []
    batches: list[Batch] = []
    for rows in intake:
        known = np.flatnonzero(rows.batch.labels)
        parts.append(rows.csr if len(known) == len(rows.batch.labels) else rows.csr[known])
        batches.append(rows.batch)
    labels = np.concatenate([batch.labels for batch in batches])
    held = Held(
        csr=stacked(parts),
        labels=labels[labels != 0],
        unlabelled=int(np.count_nonzero(labels == 0)),
        batches=tuple(batches),
    )
    _check(held, intake)
    return held


def _check(held: Held, intake: Intake) -> None:
    found = set(held.labels.tolist())
    if not found:
        raise BadRecord(f"{intake.source} has no record with a label")
    if len(found) < 2:
        name = intake.classes[found == {1}]
        raise BadRecord(
            f"all {len(held):,} labels of {intake.source} are {name!r}, two classes were expected"
        )
    if len(held) < 5:
        raise BadRecord(
            f"{intake.source} has {len(held)} labelled records, five or more were expected"
        )


def giveaways(held: Held) -> list[int]:
    """Features that tell every label by themselves: all of one class lie above all of the other.

    There are none where a class has fewer than ten labels, as that may be chance.

    >>> from askance.sparse import from_dense
    >>> X = from_dense(np.arange(1.0, 41.0)[:, None])
    >>> giveaways(Held(X, np.repeat(np.array([-1, 1], np.int8), 20), 0, ()))
    [0]
    """
    positive = held.labels > 0
    if not 10 <= np.count_nonzero(positive) <= len(held) - 10:
        return []
    (low, high), (low_, high_) = (
        (part.min(axis=0).toarray(), part.max(axis=0).toarray())
        for part in (held.csr[np.flatnonzero(rows)] for rows in (positive, ~positive))
    )
    told: list[int] = np.flatnonzero(((low > high_) | (high < low_)).ravel()).tolist()
    return told


def usual_budget(examples: int) -> int:
    """The labels to buy among so many examples unless told: a tenth of them, from 20 to 500.

    >>> [usual_budget(n) for n in (50, 1600, 36_000)]
    [20, 160, 500]
    """
    return min(max(examples // 10, FEWEST_LABELS), MOST_LABELS)


def coin_seed(seed: int, j: int = 0) -> int:
    """The seed of the coins that go with a permutation.

    >>> coin_seed(0) != coin_seed(0, 1)
    True
    """
    return seed_for("coins", _named(seed), j)


def _named(seed: int) -> str:
    """What stands for a data set in the seeds: a file may be renamed."""
    return f"seed {seed}"
