"""Online linear classification into several classes: one lane for each, and a spare one.

A lane learns its class against all others: by logistic loss, or by squared loss the cost of
predicting it. The spare lane learns "none of these" from every label, and is what a class starts
from that was not known before.
"""

import math
from typing import Any, Literal

import numpy as np
from scipy.special import expit

from askance.errors import InvalidParameter
from askance.kernels import classes as kernels
from askance.kernels import linear
from askance.kernels.lanes import padded
from askance.kernels.logistic import gradient_squared
from askance.oracles.linear import RATES, LinearOracle, LinearState
from askance.types import Floats, Label, Matrix, Row, State
from askance.validation import require_label, require_whole, saved_part, shown

__all__ = ["MOST_LANES", "LinearClasses", "mapped_costs"]

Loss = Literal["logistic", "squared"]

MOST_LANES = 10_000
"""Classes that there may be. Each is a lane, and all of them learn from every label."""


class LinearClasses:
    """Linear scores of several classes, over the same features.

    Parameters
    ----------
    n_classes
        How many classes there are, at least 2; labels are codes from 0 on.
    n_features
        Number of features of a row.
    loss
        ``"logistic"``, or ``"squared"`` for costs.
    cost_matrix
        What it costs to predict a class (column) where another one (row) is true; with it the loss
        is squared. Without, a mistake costs 1.
    **options
        ``learning_rate``, ``rates`` and ``dtype`` of a :class:`~askance.oracles.linear.LinearState`

    Examples
    --------
    >>> oracle = LinearClasses(3, n_features=2)
    >>> x = Row(np.array([0]), np.array([2.0]))
    >>> oracle.observe(x)
    >>> lead = oracle.learn(x, target=2, weight=1.0)
    >>> oracle.predict(x), (oracle.margins(x) > 0).tolist()
    (2, [False, False, True])
    """

    def __init__(
        self,
        n_classes: int,
        *,
        n_features: int,
        loss: Loss = "logistic",
        cost_matrix: Any = None,
        **options: Any,
    ) -> None:
        require_whole(2, MOST_LANES, n_classes=n_classes)
        self._fixed = cost_matrix is not None
        if cost_matrix is None:
            self.costs: Floats = 1.0 - np.eye(n_classes)
        else:
            self.costs, loss = mapped_costs(cost_matrix, n_classes), "squared"
        self.is_squared = loss == "squared"
        self._options = {"n_features": n_features, **options}
        self.n_classes = int(n_classes)
        self.state = self._room(n_classes)

    def _room(self, n_classes: int) -> LinearState:
        """Lanes for so many classes, the spare one, and those that fill a vector."""
        return LinearState(lanes=padded(n_classes + 1), **self._options)

    @property
    def learning_rate(self) -> float:
        return self.state.learning_rate

    # ------------------------------------------------------------------ reading

    def margins(self, x: Row) -> Floats:
        """The margin of each class against all others, or its predicted cost."""
        row, weights = self.state.prepare(x), self.state.weights
        lanes = range(self.n_classes)
        return np.array([linear.margin(row.indices, row.scaled, weights, y) for y in lanes])

    def scores(self, X: Matrix) -> Floats:
        """For each row of a CSR array a score of each class: its margin, or minus its cost.

        >>> from scipy.sparse import csr_array
        >>> LinearClasses(3, n_features=1).scores(csr_array([[1.0]])).tolist()
        [[0.0, 0.0, 0.0]]
        """
        weights = self.state.weights[:, : self.n_classes]
        found: Floats = self.state.scaled_rows(X) @ weights[:-1] + weights[-1]
        return -found.astype(np.float64) if self.is_squared else found.astype(np.float64)

    def probabilities(self, X: Matrix) -> Floats:
        """For each row what each class is given, of 1 in all.

        By logistic loss the probability of each class against all others, over their sum. By
        squared loss what a class saves of the largest cost: for costs 0 and 1 its probability.

        >>> from scipy.sparse import csr_array
        >>> LinearClasses(4, n_features=1).probabilities(csr_array([[1.0]])).tolist()
        [[0.25, 0.25, 0.25, 0.25]]
        """
        scores = self.scores(X)
        shares: Floats = np.clip(1.0 + scores, 0.0, 1.0) if self.is_squared else expit(scores)
        sums = shares.sum(axis=1, keepdims=True)
        equal = np.full_like(shares, 1.0 / self.n_classes)
        np.divide(shares, sums, out=equal, where=sums > 0.0)
        return equal

    def predict(self, x: Row) -> Label:
        """The class of the highest margin or the lowest cost; of several the first."""
        return kernels.best_two(self.margins(x), self._side)[0]

    def margin(self, x: Row) -> float:
        """Half of what the best class has ahead of the second: of two classes, abs(f)."""
        return 0.5 * kernels.best_two(self.margins(x), self._side)[1]

    @property
    def _side(self) -> float:
        return -1.0 if self.is_squared else 1.0

    def price(self, target: Label, predicted: Label) -> float:
        """What predicting a class costs more than the right one, in units of the largest cost."""
        row = self.costs[int(target)]
        return float(row[predicted] - row[int(target)])

    def sensitivities(self, x: Row, target: float = 0.0, weight: float = 1.0) -> Floats:
        """Rate times movement of each class's lane, as an update of ``weight`` would find them.

        By logistic loss towards ``target``, -1 or +1; by squared loss no cost matters.
        """
        state, row = self.state, self.state.prepare(x)
        slopes = np.ones(self.n_classes)
        if not self.is_squared:
            slopes[:] = [gradient_squared(target * f) for f in self.margins(x).tolist()]
        return np.array(
            [
                kernels.lane_sensitivity(
                    *row, state.gradients, state.norms, state.totals, lane,
                    slope, weight, state.learning_rate, RATES[state.rates],
                )
                for lane, slope in enumerate(slopes.tolist())
            ]
        )  # fmt: skip

    def flip_weight(self, x: Row) -> float:
        """The least weight of an example of another class after which that class wins.

        At the rates that an example of weight 1 finds.
        """
        return self._winning_weight(x, 1.0)

    def exact_flip_weight(self, x: Row) -> float:
        """:meth:`flip_weight` at the rates that an example of that very weight finds.

        >>> oracle = LinearClasses(2, n_features=1, dtype="float64")
        >>> x = Row(np.array([0]), np.array([2.0]))
        >>> oracle.observe(x)
        >>> lead = oracle.learn(x, target=1, weight=5.0)
        >>> round(oracle.flip_weight(x), 3), round(oracle.exact_flip_weight(x), 3)
        (3.671, 5.643)
        >>> abs(oracle.learn(x, target=0, weight=oracle.exact_flip_weight(x))) < 1e-9
        True
        """
        lower, upper, weight = 0.0, math.inf, 1.0
        # Bracketed by doubling, then halved, as that of a single lane.
        while max(lower, linear.LEAST_WEIGHT) < weight < min(upper, linear.MOST_WEIGHT):
            if self._winning_weight(x, weight) > 1.0:
                lower = weight
            else:
                upper = weight
            weight = 2.0 * lower if upper == math.inf else 0.5 * (lower + upper)
        return upper if self.margin(x) > 0.0 else 0.0

    def _winning_weight(self, x: Row, weight: float) -> float:
        """How many examples of ``weight`` it takes, at the rates that one of them finds."""
        margins = self.margins(x)
        if self.is_squared:
            pushes = weight * self.sensitivities(x, weight=weight)
            return kernels.least_winning_weight_of_costs(margins, pushes, self.costs)
        up, down = (weight * self.sensitivities(x, target, weight) for target in (1.0, -1.0))
        return kernels.least_winning_weight(margins, up, down)

    # ------------------------------------------------------------------ learning

    def observe(self, x: Row) -> None:
        """Let the scales, which all lanes share, grow to this row."""
        LinearOracle(self.state).observe(x)

    def learn(self, x: Row, target: Label, weight: float) -> float:
        """One importance-weighted example of a class, in all lanes; the lead of the best after it.

        Weight 0 changes nothing.
        """
        code = require_label(target, self.n_classes)
        if self.is_squared:
            targets = np.append(self.costs[code], 1.0)
        else:
            targets = np.where(np.arange(self.n_classes + 1) == code, 1.0, -1.0)
        self.learn_lanes(x, targets, np.full(len(targets), float(weight)))
        return self.margin(x)

    def learn_lanes(self, x: Row, targets: Floats, weights: Floats) -> None:
        """Teach each lane, the spare one at the end, its own target with its own weight."""
        if not (np.isfinite(weights).all() and (weights >= 0).all()):
            raise InvalidParameter(f"weights must be finite and not negative, got {weights}")
        state, row = self.state, self.state.prepare(x)
        learn = kernels.learn_cost if self.is_squared else linear.learn
        for lane, (target, weight) in enumerate(
            zip(targets.tolist(), weights.tolist(), strict=True)
        ):
            learn(
                *row, state.weights, state.gradients, state.norms, state.totals,
                lane, target, weight, state.learning_rate, RATES[state.rates],
            )  # fmt: skip

    def add_class(self) -> None:
        """Make room for one more class, which starts as what is none of the others.

        >>> oracle = LinearClasses(3, n_features=1)
        >>> oracle.add_class()
        >>> oracle.n_classes
        4
        """
        if self._fixed:
            raise InvalidParameter(
                f"a cost matrix has the costs of {self.n_classes} classes, got one more class"
            )
        require_whole(2, MOST_LANES, n_classes=self.n_classes + 1)
        lanes = self._lanes()
        self._take([*lanes, lanes[-1]])

    # ------------------------------------------------------------------ saving

    def get_state(self) -> State:
        """The lanes of the classes in their order, then the spare one."""
        return {"lanes": self._lanes()}

    def set_state(self, state: State) -> None:
        """Take over what :meth:`get_state` gave, of as many classes as it has.

        It is checked whole before anything changes.
        """
        lanes, known = saved_part(state, "lanes", list), self.n_classes + 1
        if len(lanes) < 3 or (self._fixed and len(lanes) != known):
            few = f"be {known}" if self._fixed else "be 3 or more"
            raise InvalidParameter(f"saved lanes must {few}, got {len(lanes)}")
        require_whole(2, MOST_LANES, n_classes=len(lanes) - 1)
        for lane in lanes:
            if type(lane) is not dict:
                raise InvalidParameter(f"a saved lane must be a dict, got {shown(lane)}")
        self._take(lanes)

    def _lanes(self) -> list[State]:
        return [LinearOracle(self.state, y).get_state() for y in range(self.n_classes + 1)]

    def _take(self, lanes: list[State]) -> None:
        """Let so many lanes be what was saved of them."""
        made = self._room(len(lanes) - 1)
        for lane, saved in enumerate(lanes):
            LinearOracle(made, lane).set_state(saved)
        self.state, self.n_classes = made, len(lanes) - 1
        if not self._fixed:
            self.costs = 1.0 - np.eye(self.n_classes)


def mapped_costs(cost_matrix: Any, n_classes: int) -> Floats:
    """The ``cost_matrix`` of ``n_classes``, rows true and columns predicted, mapped to [0, 1].

    >>> mapped_costs([[1, 3], [5, 1]], 2).tolist()
    [[0.0, 0.5], [1.0, 0.0]]
    >>> mapped_costs([[0, 1]], 2)
    Traceback (most recent call last):
    askance.errors.InvalidParameter: a cost matrix of 2 classes must have 2 rows of 2 finite \
numbers, got shape (1, 2)
    """
    try:
        costs = np.array(cost_matrix, np.float64)
    except (TypeError, ValueError, OverflowError):
        costs = np.full((0,), math.nan)
    if costs.shape != (n_classes, n_classes) or not np.isfinite(costs).all():
        raise InvalidParameter(
            f"a cost matrix of {n_classes} classes must have {n_classes} rows of {n_classes} "
            f"finite numbers, got shape {costs.shape}"
        )
    dear = np.flatnonzero(costs.diagonal() > costs.min(axis=1))
    if len(dear):
        raise InvalidParameter(
            "no prediction may cost less than the right one, got a cheaper one in row "
            f"{dear[0]} of the cost matrix"
        )
    low, high = costs.min(), costs.max()
    if not low < high:
        raise InvalidParameter(f"the costs of a cost matrix must differ, got {low} throughout")
    mapped: Floats = (costs - low) / (high - low)
    return mapped
