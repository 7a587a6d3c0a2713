"""An online oracle as a batch oracle: several passes over the sample."""

from collections.abc import Callable

import numpy as np

from askance.errors import InvalidParameter
from askance.protocols import OnlineOracle
from askance.sparse import row_at
from askance.types import Floats, Integers, Label, Matrix, Row

__all__ = ["PassesClassifier", "PassesOracle"]


class PassesClassifier:
    """An online oracle that was ``trained``, seen as h."""

    def __init__(self, trained: OnlineOracle) -> None:
        self._trained = trained

    def predict(self, x: Row) -> Label:
        return self._trained.predict(x)

    def predict_many(self, X: Matrix) -> Integers:
        predicted = [self._trained.predict(row_at(X, i)) for i in range(X.shape[0])]
        return np.array(predicted, dtype=np.int8)


class PassesOracle:
    """ERM, approximately: a new online oracle that sees the sample several times, in order.

    Parameters
    ----------
    make
        Builds an untrained online oracle.
    passes
        How many times it sees the sample.

    Examples
    --------
    >>> from askance.sparse import from_dense
    >>> from askance.oracles.linear import LinearState, linear_oracles
    >>> oracle = PassesOracle(lambda: linear_oracles(LinearState(n_features=1, lanes=1))[0])
    >>> X = from_dense(np.array([[-1.0], [1.0]]))
    >>> oracle.fit(X, np.array([-1, 1]), np.ones(2)).predict_many(X).tolist()
    [-1, 1]
    """

    def __init__(self, make: Callable[[], OnlineOracle], *, passes: int = 3) -> None:
        if passes < 1:
            raise InvalidParameter(f"passes must be at least 1, got {passes}")
        self.make = make
        self.passes = passes

    def fit(self, X: Matrix, targets: Integers, weights: Floats) -> PassesClassifier:
        trained = self.make()
        kept = np.flatnonzero(np.asarray(weights) > 0).tolist()
        examples = [(row_at(X, i), int(targets[i]), float(weights[i])) for i in kept]
        for turn in range(self.passes):
            for x, target, weight in examples:
                if turn == 0:
                    trained.observe(x)
                trained.learn(x, target, weight)
        return PassesClassifier(trained)
