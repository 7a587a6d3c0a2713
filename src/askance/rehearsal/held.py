"""A labelled file in memory, permuted, with a part held out to test on."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from askance.data.features.columns import some_of
from askance.data.features.records import Batch, Record
from askance.data.reading.intake import Intake
from askance.data.splits import permutation, seed_for, train_test
from askance.engine import stream_of_matrix
from askance.errors import BadRecord, InvalidParameter
from askance.kernels.passes import Stream
from askance.live import CLASSES
from askance.protocols import n_classes_of
from askance.sparse import narrowed, stacked
from askance.types import Floats, Integers, Matrix, State

__all__ = ["Held", "Split", "coin_seed", "costs_of", "giveaways", "hold", "usual_budget"]

FEWEST_LABELS, MOST_LABELS = 20, 500
"""Labels that are bought unless told, at least and at most."""


class Split(NamedTuple):
    """Numbers of the examples to learn from, in their order, and of those to test on."""

    train: Integers
    test: Integers


@dataclass(frozen=True, slots=True, eq=False)
class Held:
    """The labelled records of a file; ``unlabelled`` others were left out.

    Labels are -1 and +1, or of three ``classes`` or more their codes. With ``costs``, rows true and
    columns predicted classes, what is measured is the mean cost of a prediction, else the error.
    """

    csr: Matrix
    labels: Integers
    unlabelled: int
    batches: tuple[Batch, ...]
    classes: tuple[str, ...] = CLASSES
    costs: Floats | None = None

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def n_features(self) -> int:
        return int(self.csr.shape[1])

    @property
    def codes(self) -> Integers:
        """The labels as codes of the classes, whatever their number."""
        return self.labels if len(self.classes) > 2 else (self.labels > 0).astype(np.int64)

    @property
    def about_classes(self) -> State:
        """What a learner must be told of the classes beside its parameters."""
        costs = {} if self.costs is None else {"cost_matrix": self.costs.tolist()}
        return costs | ({"n_classes": len(self.classes)} if len(self.classes) > 2 else {})

    @property
    def measure(self) -> str:
        """What is measured, in words."""
        return "test error" if self.costs is None else "test cost"

    def labels_for(self, learner: object) -> Integers:
        """The labels as a learner has them."""
        return self.labels if n_classes_of(learner) is None else self.codes

    def loss(self, predicted: Integers, rows: Integers) -> float:
        """The share of wrong predictions for some examples, or their mean cost."""
        if self.costs is None:
            return float(np.mean(predicted != self.labels[rows]))
        said = predicted if len(self.classes) > 2 else (predicted > 0).astype(np.int64)
        return float(np.mean(self.costs[self.codes[rows], said]))

    def constant_loss(self, rows: Integers) -> float:
        """The least loss of always predicting the same class."""
        said = np.arange(len(self.classes)) if len(self.classes) > 2 else np.array([-1, 1])
        return min(self.loss(np.full(len(rows), label), rows) for label in said)

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


def hold(intake: Intake, costs: tuple[Sequence[str], Floats] | None = None) -> Held:
    """Read a file to its end, leaving out records without a label.

    ``costs`` are the names of classes, and what each prediction costs by label.
    """
    # A third class may come at the very end.
    intake.read_whole()
    parts: list[Matrix] = []
    batches: list[Batch] = []
    for rows in intake:
        known = np.flatnonzero(rows.batch.labels)
        parts.append(rows.csr if len(known) == len(rows.batch.labels) else rows.csr[known])
        batches.append(rows.batch)
    labels = np.concatenate([batch.labels for batch in batches])
    known = labels[labels != 0]
    held = Held(
        csr=stacked(parts),
        labels=known - 1 if len(intake.classes) > 2 else known,
        unlabelled=int(np.count_nonzero(labels == 0)),
        batches=tuple(batches),
        classes=intake.classes,
        costs=None if costs is None else costs_of(costs, intake.classes),
    )
    _check(held, intake)
    return held


def _check(held: Held, intake: Intake) -> None:
    found = set(held.labels.tolist())
    if not found:
        raise BadRecord(f"{intake.source} has no record with a label")
    if len(found) < 2:
        name = intake.classes[held.codes[0]]
        raise BadRecord(
            f"all {len(held):,} labels of {intake.source} are {name!r}, two classes were expected"
        )
    if len(held) < 5:
        raise BadRecord(
            f"{intake.source} has {len(held)} labelled records, five or more were expected"
        )


def costs_of(costs: tuple[Sequence[str], Floats], classes: Sequence[str]) -> Floats:
    """A table of costs, with the names of its classes, in the order of the ``classes``.

    >>> costs_of((["spam", "ham"], np.array([[0.0, 1.0], [5.0, 0.0]])), ["ham", "spam"]).tolist()
    [[0.0, 5.0], [1.0, 0.0]]
    """
    names, table = list(costs[0]), costs[1]
    for name in classes:
        if name not in names:
            raise InvalidParameter(
                f"costs must be given for each class, got none for {name!r}, only for "
                f"{some_of(names)}"
            )
    places = [names.index(name) for name in classes]
    return table[np.ix_(places, places)]


def giveaways(held: Held) -> list[int]:
    """Features that tell every label by themselves: all of one class lie above all of the other.

    There are none where a class has fewer than ten labels, as that may be chance; and of more than
    two classes none are looked for.

    >>> from askance.sparse import from_dense
    >>> X = from_dense(np.arange(1.0, 41.0)[:, None])
    >>> giveaways(Held(X, np.repeat(np.array([-1, 1], np.int8), 20), 0, ()))
    [0]
    """
    if len(held.classes) > 2:
        return []
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
