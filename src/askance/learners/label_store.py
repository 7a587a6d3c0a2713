"""Every labelled example of a learner that refits, with what was decided about it."""

import numpy as np

from askance.errors import InvalidParameter
from askance.learners.sample import matrix_from_state, matrix_state
from askance.sparse import from_rows, rows_of
from askance.types import Decision, Floats, Integers, Label, Matrix, Row, State
from askance.validation import require_labels, saved_array, saved_part, saved_whole

__all__ = ["LabelStore"]

MOST_CLASSES = 10_000
"""Classes that a file may say there are."""


class LabelStore:
    """Rows with their labels, P and predictions, in the order in which the labels came.

    ``classes`` are those that have occurred, of ``n_classes`` if labels are codes.
    """

    def __init__(self, n_classes: int | None = None) -> None:
        self.n_classes = n_classes
        self._kind = np.int8 if n_classes is None else np.int64
        self.classes: set[Label] = set()
        self._rows: list[Row] = []
        self._targets: list[Label] = []
        self._predicted: list[Label] = []
        self._probabilities: list[float] = []
        self._uniform: list[bool] = []

    def __len__(self) -> int:
        return len(self._targets)

    def append(self, x: Row, label: Label, decision: Decision) -> None:
        """Add an example with its label, as it was decided."""
        self.classes.add(label)
        self._rows.append(x)
        self._targets.append(label)
        self._predicted.append(decision.predicted)
        self._probabilities.append(decision.probability)
        self._uniform.append(decision.uniform)

    def sample(self, chosen: slice | Integers) -> tuple[Matrix, Integers, Floats]:
        """Rows, targets and importance weights 1/P of some labels."""
        numbers = np.arange(len(self))[chosen]
        return (
            from_rows([self._rows[i] for i in numbers]),
            np.array([self._targets[i] for i in numbers], self._kind),
            np.array([1.0 / self._probabilities[i] for i in numbers]),
        )

    def weighted(self, count: int) -> tuple[Integers, Floats]:
        """Targets and importance weights 1/P of the first so many labels."""
        return np.array(self._targets[:count]), 1.0 / np.array(self._probabilities[:count])

    def classes_of(self, count: int) -> int:
        """How many classes the first so many labels have."""
        return len(set(self._targets[:count]))

    def uniform(self) -> Integers:
        """Numbers of the labels that are an honest random sample."""
        return np.flatnonzero(self._uniform)

    def predicted(self, chosen: Integers) -> Integers:
        """What was predicted before these labels were known."""
        return np.array(self._predicted)[chosen]

    def get_state(self) -> State:
        return {
            "X": matrix_state(from_rows(self._rows)),
            "targets": np.array(self._targets, self._kind),
            "predicted": np.array(self._predicted, self._kind),
            "probabilities": np.array(self._probabilities, np.float64),
            "uniform": np.array(self._uniform, np.int8),
            # Two classes are saved as they were before there could be more.
            **({} if self.n_classes is None else {"n_classes": self.n_classes}),
        }

    def set_state(self, state: State, n_features: int | None) -> None:
        """Take over labels of rows of at most ``n_features`` features."""
        if self.n_classes is not None:
            self.n_classes = saved_whole(state, "n_classes", most=MOST_CLASSES)
        X = matrix_from_state(saved_part(state, "X", dict), n_features)
        count = X.shape[0]
        targets, predicted = (
            require_labels(saved_array(state, name, "i", length=count), self.n_classes)
            for name in ("targets", "predicted")
        )
        probabilities = saved_array(state, "probabilities", "f", length=count)
        uniform = saved_array(state, "uniform", "i", length=count)
        if count and not (probabilities.min() > 0 and probabilities.max() <= 1):
            raise InvalidParameter("saved probabilities must lie above 0 and up to 1")
        if not np.isin(uniform, (0, 1)).all():
            raise InvalidParameter("saved uniform marks must be 0 or 1, got something else")
        self._rows = list(rows_of(X))
        self._targets, self._predicted = targets.tolist(), predicted.tolist()
        self._probabilities, self._uniform = probabilities.tolist(), uniform.astype(bool).tolist()
        self.classes = set(self._targets)
