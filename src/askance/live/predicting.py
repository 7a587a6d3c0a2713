"""What a learner says of rows, whatever kind of learner it is: classes, margins, probabilities."""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.special import expit

from askance.errors import InvalidParameter
from askance.learners.auto import Auto
from askance.live.signs import InSigns
from askance.oracles.linear import LinearOracle
from askance.protocols import BatchClassifier, ClassLearner, Learner, PacedLearner
from askance.sparse import as_matrix, from_rows, resized, rows_of
from askance.types import Floats, Integers, Label, Matrix, Row

__all__ = ["Predicting"]


class Predicting:
    """A ``learner`` of ``n_features`` features, if it knows them, that ``predict``s a row.

    ``many`` is the learner if it has more than two classes.

    >>> import askance
    >>> learner = askance.make_learner("passive", n_features=1)
    >>> predicting = Predicting(learner, learner.predict, 1)
    >>> predicting.predict_many(np.ones((2, 1))).tolist(), predicting.margin(askance.as_row([1.0]))
    ([-1, -1], 0.0)
    """

    def __init__(
        self, learner: Learner, predict: Callable[[Row], Label], n_features: int | None
    ) -> None:
        self.learner, self.predict, self.n_features = learner, predict, n_features
        has_many = isinstance(learner, ClassLearner) and learner.n_classes is not None
        self.many = learner if has_many and isinstance(learner, ClassLearner) else None

    def predict_many(self, X: Matrix) -> Integers:
        """The prediction for each row."""
        if isinstance(getattr(self.learner, "erm", None), LinearOracle):
            return np.where(self.margins(X) > 0, 1, -1)
        if isinstance(self.learner, BatchClassifier):
            return self.learner.predict_many(self._rows(X))
        return np.array([self.predict(row) for row in rows_of(as_matrix(X))], np.int64)

    def margin(self, row: Row) -> float:
        """The score whose sign is the prediction."""
        self._refuse_many("margins")
        if isinstance(self.learner, PacedLearner | InSigns):
            return float(self.margins(from_rows([row]))[0])
        return float(self._scorer().margin(row))

    def probability(self, row: Row) -> float:
        """The probability of +1."""
        self._refuse_many("probabilities")
        if isinstance(self.learner, PacedLearner | InSigns):
            return float(self.probabilities(from_rows([row]))[0])
        return float(expit(self.margin(row)))

    def probabilities(self, X: Matrix) -> Floats:
        """The probability of +1 for each row, or of all classes where there are more."""
        if self.many is not None:
            return self.many.probabilities(self._rows(X))
        if isinstance(self.learner, PacedLearner | InSigns):
            return self.learner.probabilities(self._rows(X))[:, 1]
        second: Floats = expit(self.margins(X))
        return second

    def margins(self, X: Matrix) -> Floats:
        """The margin of each row, or the scores of all classes where there are more than two."""
        if self.many is not None:
            return self.many.scores(self._rows(X))
        if isinstance(self.learner, Auto | InSigns) and self.learner.has_costs:
            first, second = self.learner.scores(self._rows(X)).T
            return np.asarray(second - first)
        if isinstance(self.learner, PacedLearner):
            return 2.0 * self.probabilities(X) - 1.0
        scorer = self._scorer()
        if isinstance(scorer, LinearOracle):
            return scorer.margins(as_matrix(X))
        return np.array([scorer.margin(row) for row in rows_of(X)], np.float64)

    def _refuse_many(self, name: str) -> None:
        if self.many is not None:
            raise InvalidParameter(
                f"each of {self.many.n_classes} classes has its own: use {name}, got a single row"
            )

    def _scorer(self) -> Any:
        """The oracle that predicts, if it has margins."""
        scorer = getattr(self.learner, "erm", None)
        if not hasattr(scorer, "margin"):
            raise InvalidParameter(
                f"a {type(self.learner).__name__} gives no margins, only predictions"
            )
        return scorer

    def _rows(self, X: Matrix) -> Matrix:
        """A matrix as wide as the learner's features; one that is wider is left to be refused."""
        rows = as_matrix(X)
        width = self.n_features
        return rows if width is None or rows.shape[1] >= width else resized(rows, width)
