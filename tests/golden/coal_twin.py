"""A second, independent transcription of COAL, to be held against the library and Vowpal Wabbit.

Plain Python in float64, as `twin`, whose oracle's rates it uses. With every switch off this is the
algorithm as the library means it. With `vowpal_wabbit()` it is Vowpal Wabbit 9.11.9 run with
``--cs_active --simulation`` on examples of weight 1, up to its float32.
"""

import math
from typing import NamedTuple

from twin import Departures as OfOracle
from twin import Oracle, Record, Row, features, observe


class Departures(Record):
    """Where Vowpal Wabbit leaves the algorithm, one switch each."""

    low: float = 0.0  # costs are not mapped to [0, 1]: their bounds scale Delta and eta instead
    high: float = 1.0
    shared_normaliser: bool = False  # sensitivities of all classes with the first one's N and T
    dummy_label: bool = False  # gradient sums of g^2 x^2, and in sensitivities g at the label 0
    clipped_step: bool = False  # a step starts from the prediction clipped to the bounds
    loss_guard: bool = False  # a cost that is predicted exactly is not learned, nor counted
    searched: bool = False  # the lower end of a bracket once its middle is within 1e-6 of the root
    per_cost: bool = False  # only the costs that are wanted are learned
    own_scales: bool = False  # each lane has its own scales, and they wait for its updates
    late_rescale: bool = False  # predictions are read with the old scale
    lifted: bool = False  # rates and scales take tiny values for a tiny value


def vowpal_wabbit(**changed: object) -> Departures:
    """Every departure of ``--cs_active --simulation --adax``, except as `changed` says."""
    on = dict.fromkeys(Departures.__annotations__, True)
    plain = {"low": 0.0, "high": 1.0, "dummy_label": False}
    return Departures(**(on | plain | changed))


class Range(NamedTuple):
    """What is known of the cost of one class."""

    cost: float
    sensitivity: float
    low: float
    high: float
    wanted: bool


class Lane(Oracle):
    """Squared loss (p - y)^2 over the rates of the twin's oracle."""

    def __init__(self, scales: Row, learning_rate: float, departs: Departures) -> None:
        shared = {n: getattr(departs, n) for n in ("own_scales", "late_rescale", "lifted")}
        super().__init__(scales, learning_rate, OfOracle(**shared))
        self.coal = departs

    def clip(self, cost: float) -> float:
        return max(self.coal.low, min(cost, self.coal.high))

    def sensitivity(self, row: Row, other: "Lane") -> float:
        """Rate times movement, with the N and T of another lane."""
        g = 2 * self.clip(self.margin(row)) if self.coal.dummy_label else 1.0
        mine = self.norms, self.total
        self.norms, self.total = other.norms, other.total
        gradients, _, _, reach = self.rates(row, g, 1.0)
        self.norms, self.total = mine
        if self.coal.dummy_label and not all(gradients.values()):
            return math.inf
        return self.learning_rate * reach

    def learn_cost(self, row: Row, cost: float) -> None:
        """One step of weight 1."""
        p = self.margin(row)
        start = self.clip(p) if self.coal.clipped_step else p
        if self.coal.loss_guard and start == cost:
            return
        g = 2 * (start - cost) if self.coal.dummy_label else 1.0
        gradients, rates, self.norms, reach = self.rates(row, g, 1.0)
        self.gradients.update(gradients)
        self.total += 1.0
        if self.coal.own_scales:
            observe(self.scales, row, self.least)
        if reach == 0:
            return
        update = (cost - start) * -math.expm1(-2 * self.learning_rate * reach) / reach
        for j, x in features(row):
            self.weights[j] = self.weights.get(j, 0.0) + update * rates.get(j, 0.0) * x


def reach(d: float, s: float, delta: float, searched: bool) -> float:
    """The u in [0, d] with u^2 (2 d - u) = s delta, or d."""
    if s == math.inf or d**3 <= s * delta:
        return d
    low, high = 0.0, d / s
    for _ in range(20 if searched else 200):
        w = (low + high) / 2
        excess = w * (d**2 - (d - s * w) ** 2) - delta
        low, high = (low, w) if excess > 0 else (w, high)
        if searched and (abs(excess) <= 1e-6 or high - low <= 1e-6):
            break
    return s * low


class Coal:
    """COAL over linear lanes: each example is decided, then learned, be its costs known or not."""

    def __init__(
        self, classes: int, c0: float, c1: float, learning_rate: float, departs: Departures
    ) -> None:
        self.c0, self.c1, self.departs = c0, c1, departs
        self.scales: Row = {}
        self.t = 1
        self.lanes = [Lane(self.scales, learning_rate, departs) for _ in range(classes)]

    def decide(self, row: Row) -> list[Range]:
        """The range of each class; nothing changes."""
        d, count, t = self.departs, len(self.lanes), self.t
        spread = d.high - d.low
        eta = self.c1 * spread / math.sqrt(t)
        delta = self.c0 * math.log(count * max(t - 1, 1)) * spread**2
        found = []
        for lane in self.lanes:
            cost = lane.margin(row)
            s = lane.sensitivity(row, self.lanes[0] if d.shared_normaliser else lane)
            c = lane.clip(cost)
            up = reach(d.high - c, s, delta, d.searched) if t > 1 else d.high - c
            down = reach(c - d.low, s, delta, d.searched) if t > 1 else c - d.low
            found.append(Range(cost, s, c - down, c + up, False))
        least = min(one.high for one in found)
        inside = [one.low <= least for one in found]
        return [
            one._replace(
                wanted=sum(inside) > 1
                and is_in
                and (t == 1 or one.sensitivity == math.inf or one.high - one.low > eta)
            )
            for one, is_in in zip(found, inside, strict=True)
        ]

    def learn(self, row: Row, costs: list[float], asked: list[bool]) -> None:
        """Learn the costs that were asked, or all of them if any was."""
        if not self.departs.own_scales:
            observe(self.scales, row)
        for lane, cost, this in zip(self.lanes, costs, asked, strict=True):
            if this if self.departs.per_cost else any(asked):
                lane.learn_cost(row, cost)
        self.t += 1

    def predict(self, row: Row) -> int:
        costs = [lane.margin(row) for lane in self.lanes]
        return costs.index(min(costs))
