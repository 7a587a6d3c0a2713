"""What can be predicted: two classes or more, and what a wrong one costs."""

import numpy as np

from askance.errors import InvalidParameter
from askance.protocols import DiscerningClassifier, ProbabilisticClassifier
from askance.types import Floats, Integers, Matrix
from askance.validation import require_whole

__all__ = ["Outcomes"]


class Outcomes:
    """The classes that probabilities are for.

    Parameters
    ----------
    n_classes
        How many, if there are more than two: labels are then codes from 0 on.
    costs
        What each prediction costs, rows true and columns predicted classes, from 0 to 1, if not all
        mistakes cost the same. What is predicted then has the least expected cost.

    Examples
    --------
    >>> costs = Outcomes(3, np.array([[0, 0.1, 0.1], [0.1, 0, 0.1], [1, 1, 0]]))
    >>> costs.best(costs.worth(np.array([[0.5, 0.3, 0.2]]))).tolist()
    [2]
    """

    def __init__(self, n_classes: int | None = None, costs: Floats | None = None) -> None:
        if n_classes is not None:
            require_whole(3, n_classes=n_classes)
        self.n_classes, self.costs = n_classes, costs

    def add_class(self) -> None:
        """Make room for one more class."""
        if self.n_classes is None or self.costs is not None:
            found = "two" if self.n_classes is None else "costs for those that are known"
            raise InvalidParameter(
                f"a class can be added to three or more without costs, got {found}"
            )
        self.n_classes += 1

    def restore(self, n_classes: int | None) -> None:
        """Take over how many classes there were when a learner was saved."""
        known, saved = self.n_classes or 2, n_classes or 2
        if saved < known:
            raise InvalidParameter(f"a learner of {known} classes was expected, got {saved}")
        for _ in range(known, saved):
            self.add_class()

    def shares(self, classifier: ProbabilisticClassifier | None, X: Matrix) -> Floats:
        """Probabilities of the classes; before there is a classifier, it is the first."""
        if classifier is not None:
            found = classifier.probabilities(X)
            # Which classes a classifier knows is asked of it only where labels are codes.
            return found if self.n_classes is None else self.widened(found, classifier.labels)
        shares = np.zeros((X.shape[0], self.n_classes or 2))
        shares[:, 0] = 1.0
        return shares

    def widened(self, probabilities: Floats, labels: Integers) -> Floats:
        """Probabilities of all classes: a classifier knows those that it was taught, no others."""
        if self.n_classes is None:
            return probabilities
        shares = np.zeros((len(probabilities), self.n_classes))
        shares[:, labels] = probabilities
        return shares

    def worth(self, shares: Floats) -> Floats:
        """What speaks for each class: its probability, or 1 less its expected cost."""
        if self.costs is None:
            return shares
        # Sums of products, not a matrix product, whose bits depend on how many rows there are.
        worth: Floats = 1.0 - (shares[:, :, None] * self.costs).sum(axis=1)
        return worth

    def best(self, worth: Floats) -> Integers:
        """The label of which most speaks for, the first of several."""
        if self.n_classes is None:
            return np.where(worth[:, 1] > worth[:, 0], 1, -1)
        best: Integers = np.argmax(worth, axis=1)
        return best

    def margins(self, worth: Floats) -> Floats:
        """Best less second best. Rounded, so that how many rows stand together never matters."""
        best = np.partition(worth, -2, axis=1)
        return np.round(best[:, -1] - best[:, -2], 9)

    def ranks(self, classifier: object, X: Matrix, shares: Floats) -> Floats:
        """Margins of rows with these shares; rows that say too little come after all others."""
        margins = self.margins(self.worth(shares))
        if isinstance(classifier, DiscerningClassifier):
            margins += classifier.is_faint(X)
        return margins
