"""A second, independent transcription of the paper's ``alg:cover``, to be read beside the paper.

Plain Python in float64: dictionaries and loops, `math` and nothing else. It shares no line with
the library, so that the two can be held against each other, and both against Vowpal Wabbit.

With every switch of `Departures` off, this is the paper. With `vowpal_wabbit()` it is Vowpal
Wabbit 9.11.9 run with ``--active_cover --loss_function logistic --binary`` on examples of weight
1, up to the float32 rounding of its linear models.

Names follow the paper: predicted is Y-tilde, target is Y*, weight is W, threshold is Delta-hat,
floor is P_min, error is k e_k; of a cover member the numerator is nu, the denominator omega, and
the multiplier lambda.
"""

import math

Row = dict[int, float]
"""Feature index to value. The constant feature is not in it: it is added here, and summed last."""

CONSTANT = -1
TINY = 1.084202e-19  # the square root of the least normal float32
NO_LOSS = 24 * math.log(2)  # from this y f on, 1 + exp(-y f) is 1 in float32


class Record:
    """Named values over the defaults of its class."""

    def __init__(self, **values: object) -> None:
        for name, value in values.items():
            if name not in type(self).__annotations__:
                raise TypeError(f"{type(self).__name__} has no {name}")
            setattr(self, name, value)


class Settings(Record):
    """The inputs of ``alg:cover``, and the learning rate of its oracles."""

    cover_size: int = 12
    c0: float = 8.0
    alpha: float = 1.0
    beta_scale: float = math.sqrt(10)
    learning_rate: float = 0.5
    oracular: bool = False  # query everything in the region, and keep no cover
    disagreement: str = (
        "sensitivity"  # "margin": the rate of plain gradient descent; "exact": the root
    )


class Departures(Record):
    """Where Vowpal Wabbit leaves the paper, one switch each. All off: the paper."""

    # The oracle
    own_scales: bool = False  # each classifier has its own scales, and they wait for its updates
    late_rescale: bool = False  # margins are read with the old scale: wild if a feature outgrew it
    clipped: bool = False  # margins are clipped to [-50, 50]
    loss_guard: bool = False  # no update at all where the float32 loss is zero
    lifted: bool = False  # rates and scales take |x| < TINY for TINY
    rough_root: bool = False  # the size of an update is off by up to 9e-5

    # The decision
    weighted_clock: bool = False  # k is the sum of the weights learned, not the count of examples
    early_rules: bool = False  # threshold 1 while k < 3, floor 1 while k <= 2
    linear_flip: bool = False  # the flip weight |f|/(eta X) of hinge loss; the loss is logistic
    label_leak: bool = False  # the flip weight is computed with the hidden label
    inclusive_coin: bool = False  # queried iff coin <= P, not coin < P
    lazy_coins: bool = False  # no coin is drawn where P is 0 or 1 by rule

    # The cover
    cover_from_first: bool = False  # it learns X_1 and X_2 as well
    eighth: bool = False  # denominators start at 1/8, not at 0
    single: bool = False  # thresholds, probabilities, costs and multipliers are float32

    # Without --binary only: e counts log loss, not mistakes, and that of the unqueried as well, by
    # their hidden label and with weight 1
    log_loss_error: bool = False


def vowpal_wabbit(**changed: bool) -> Departures:
    """Every departure of ``--active_cover --binary``, except as `changed` says."""
    on = dict.fromkeys(Departures.__annotations__, True) | {"log_loss_error": False}
    return Departures(**(on | changed))


class Decision(Record):
    """What was decided about an example, and what its update will need to know of that moment."""

    margin: float
    predicted: int
    in_region: bool
    probability: float
    queried: bool
    k: float
    threshold: float
    floor: float
    regret: float  # flip weight / k: in the region iff at most the threshold


class Single(float):
    """A number whose arithmetic rounds to float32 after each operation."""

    def __new__(cls, value: float) -> "Single":
        mantissa, exponent = math.frexp(value)
        return super().__new__(cls, math.ldexp(round(mantissa * 2**24), exponent - 24))


for _name in ("add", "radd", "sub", "rsub", "mul", "rmul", "truediv", "rtruediv", "pow"):
    _exact = getattr(float, f"__{_name}__")
    setattr(Single, f"__{_name}__", lambda one, other, exact=_exact: Single(exact(one, other)))


def root(x: float) -> float:
    """Square root, a number of the kind of x."""
    return type(x)(math.sqrt(x))


def log(x: float) -> float:
    """Natural logarithm, a number of the kind of x."""
    return type(x)(math.log(x))


def share(q: float) -> float:
    """q/(1 + q), which is 1 where a multiplier has overflowed."""
    return q / (1 + q) if q < math.inf else 1.0


def quotient(numerator: float, denominator: float) -> float:
    """Numerator over denominator where 0/0 is 0; a denominator may have underflowed."""
    if denominator > 0:
        return numerator / denominator
    return math.inf if numerator > 0 else 0.0


def sign(margin: float) -> int:
    """Label of a margin; that of 0 is -1."""
    return 1 if margin > 0 else -1


def features(row: Row) -> list[tuple[int, float]]:
    """Nonzero features in the order of all sums."""
    return [(j, x) for j, x in sorted(row.items()) if x != 0] + [(CONSTANT, 1.0)]


def observe(scales: Row, row: Row, least: float = 0.0) -> None:
    """Let each scale be the largest size seen."""
    for j, x in features(row):
        scales[j] = max(scales.get(j, 0.0), abs(x), least)


def slope(a: float) -> float:
    """Size of the derivative of log(1 + e^-a), without overflow."""
    return math.exp(-max(a, 0.0)) / (1 + math.exp(-abs(a)))


def advance(a: float, step: float) -> float:
    """Root d of d + e^a (e^d - 1) = step: how far a margin y f = a moves under logistic loss.

    Both sides are divided by e^max(a, 0) against overflow. The left side is convex and increasing,
    so Newton's method comes down to the root from any point above it.
    """
    line, curve = math.exp(-max(a, 0.0)), math.exp(min(a, 0.0))
    best, d = math.inf, min(step, max(-a, 0.0) + math.log1p(line * step))
    while d < best:
        best = d
        d -= (line * (d - step) + curve * math.expm1(d)) / (line + curve * math.exp(d))
    return best


def rough_advance(a: float, step: float) -> float:
    """`advance` as Vowpal Wabbit does it: a guess at w = e^(a + d), then one Fritsch iteration."""
    if step < 1e-6:
        return step * slope(a)
    z = a + math.exp(a) + step
    log_w = math.log(0.86 * z + 0.01) if z >= 1 else 0.8 * z - 0.65
    w = math.exp(log_w)
    off = z - log_w - w
    q = 2 * (1 + w) * (1 + w + 2 / 3 * off)
    return z - w * (1 + off / (1 + w) * (q - off) / (q - 2 * off)) - a


class Oracle:
    """Online logistic regression: importance-weight-aware, adaptive, normalised.

    The weight of feature j is kept times its scale s_j, so that a new scale changes no weight.
    """

    def __init__(self, scales: Row, learning_rate: float, departs: Departures) -> None:
        self.scales: Row = {} if departs.own_scales else scales
        self.learning_rate = learning_rate
        self.departs = departs
        self.least = TINY if departs.lifted else 0.0
        self.weights: Row = {}
        self.gradients: Row = {}  # G_j
        self.norms = 0.0  # N
        self.total = 0.0  # T

    def margin(self, row: Row) -> float:
        """Margin f of the row; nothing changes."""
        f = 0.0
        for j, x in features(row):
            scale = self.scales.get(j, 0.0)
            if not self.departs.late_rescale:
                scale = max(scale, abs(x))
            if scale > 0:
                f += self.weights.get(j, 0.0) * (x / scale)
        return max(-50.0, min(f, 50.0)) if self.departs.clipped else f

    def rates(self, row: Row, g: float, weight: float) -> tuple[Row, Row, float, float]:
        """(G, rates, N, X) as learning the row with gradient g would find them; nothing changes."""
        gradients, norms, reach = {}, self.norms, 0.0
        for j, x in features(row):
            size = max(abs(x), self.least)
            z = size / max(self.scales.get(j, 0.0), size)
            gradients[j] = self.gradients.get(j, 0.0) + weight * g**2 * size**2
            norms += weight * z**2
            if gradients[j] > 0:
                reach += size * z / math.sqrt(gradients[j])
        multiplier = math.sqrt((self.total + weight) / norms)
        rates = {j: multiplier / math.sqrt(total) for j, total in gradients.items() if total > 0}
        return gradients, rates, norms, multiplier * reach

    def learn(self, row: Row, label: int, weight: float) -> None:
        """One importance-weight-aware step."""
        a = label * self.margin(row)
        if weight == 0 or (self.departs.loss_guard and a >= NO_LOSS):
            return
        gradients, rates, self.norms, reach = self.rates(row, slope(a), weight)
        self.gradients.update(gradients)
        self.total += weight
        if self.departs.own_scales:
            observe(self.scales, row, self.least)
        if reach > 0:
            move = rough_advance if self.departs.rough_root else advance
            update = label * move(a, self.learning_rate * weight * reach) / reach
            for j, x in features(row):
                self.weights[j] = self.weights.get(j, 0.0) + update * rates.get(j, 0.0) * x


class Member(Record):
    """A classifier of the cover and its weights."""

    oracle: Oracle
    numerator: float = 0.0
    denominator: float
    multiplier: float = 0.0


class OnlineActiveCover:
    """``alg:cover``: each example is decided, then learned, be its label known or not."""

    def __init__(self, settings: Settings, departs: Departures) -> None:
        self.settings, self.departs = settings, departs
        self.number = Single if departs.single else float
        self.scales: Row = {}
        self.k = 0.0  # i - 1: the examples learned
        self.error = 0.0
        self.erm = self.new_oracle()
        size = 0 if settings.oracular else settings.cover_size
        start = 1 / 8 if departs.eighth else 0.0
        self.cover = [Member(oracle=self.new_oracle(), denominator=start) for _ in range(size)]

    def new_oracle(self) -> Oracle:
        return Oracle(self.scales, self.settings.learning_rate, self.departs)

    def threshold(self) -> float:
        """``eq:cover_threshold`` after k examples."""
        k, error, c0 = self.number(self.k), self.number(self.error), self.settings.c0
        if self.departs.early_rules and k < 3:
            return self.number(1.0)
        if k == 0:
            return math.inf
        return root(c0 * (error / k) / k) + max(2 * self.settings.alpha, 4) * c0 * log(k) / k

    def floor(self) -> float:
        """P_min of example k + 1."""
        k, error = self.number(self.k), self.number(self.error)
        if self.departs.early_rules and k <= 2:
            return self.number(1.0)
        spread = root(error) + log(k) if k > 0 else 0.0
        return self.number(min(1 / spread, 1 / 2) if spread > 0 else 1 / 2)

    def flip_weight(self, row: Row, f: float, label: int) -> float:
        """Weight of an example (row, label) that would bring the ERM's margin from f to 0."""
        if f == 0:
            return 0.0
        distance = abs(f) + (0.0 if self.departs.linear_flip else 1 - math.exp(-abs(f)))
        if self.settings.disagreement == "margin":
            return distance * math.sqrt(self.k) / self.settings.learning_rate
        if self.settings.disagreement == "exact":
            return self.exact_flip_weight(row, f, distance / self.settings.learning_rate)
        reach = self.erm.rates(row, slope(label * f), 1.0)[3]
        return distance / (self.settings.learning_rate * reach) if reach > 0 else math.inf

    def exact_flip_weight(self, row: Row, f: float, distance: float) -> float:
        """The weight whose own rates carry the margin that far: between e^-50 and e^50, halved."""
        low, high = -50.0, 50.0
        for _ in range(100):
            weight = math.exp((low + high) / 2)
            reach = self.erm.rates(row, slope(-abs(f)), weight)[3]
            low, high = (
                ((low + high) / 2, high) if weight * reach < distance else (low, (low + high) / 2)
            )
        return math.exp(high)

    def query_probability(self, row: Row, predicted: int, floor: float) -> float:
        q_squared = 4 * floor * floor
        for member in self.cover:
            if sign(member.oracle.margin(row)) != predicted:
                q_squared += member.multiplier
        return share(root(q_squared))

    def decide(self, row: Row, coin: float, hidden_label: int = 0) -> Decision:
        """Decide whether to query; nothing changes. The hidden label is for the leak alone."""
        threshold, floor = self.threshold(), self.floor()
        f = self.erm.margin(row)
        predicted = sign(f)
        regret, in_region, probability = 0.0, True, 1.0
        if self.k >= 3:
            label = hidden_label if self.departs.label_leak else -predicted
            regret = self.flip_weight(row, f, label) / self.k
            in_region = regret <= threshold
            if not in_region:
                probability = 0.0
            elif not self.settings.oracular:
                probability = self.query_probability(row, predicted, floor)
        heads = coin <= probability if self.departs.inclusive_coin else coin < probability
        return Decision(
            margin=f,
            predicted=predicted,
            in_region=in_region,
            probability=probability,
            queried=in_region and heads,
            k=self.k,
            threshold=threshold,
            floor=floor,
            regret=regret,
        )

    def learn(self, row: Row, decision: Decision, label: int) -> None:
        """Learn the example as decided; its label counts only if queried (but `log_loss_error`)."""
        target, weight = 1, 0.0
        if not decision.in_region:
            target, weight = decision.predicted, 1.0
        elif decision.queried:
            target, weight = label, float(1 / decision.probability)
        observe(self.scales, row)
        if self.departs.log_loss_error:
            counted = target if weight > 0 else label
            a = counted * self.erm.margin(row)
            self.error += (weight or 1.0) * math.log1p(math.exp(-a))
        else:
            self.error += weight * (decision.predicted != target)
        self.erm.learn(row, target, weight)
        self.k += weight if self.departs.weighted_clock else 1
        if decision.k >= 2 or self.departs.cover_from_first:
            self.learn_cover(row, decision, target, weight)

    def learn_cover(self, row: Row, decision: Decision, target: int, weight: float) -> None:
        """The inner loop: ``eq:cover_cost`` to ``eq:cover:update_lambda``."""
        alpha, predicted = self.settings.alpha, decision.predicted
        beta_squared = alpha / self.settings.c0 / self.settings.beta_scale**2
        r = 2 * beta_squared * decision.k * decision.threshold if decision.k > 0 else 0.0
        q_squared = 4 * decision.floor * decision.floor
        for member in self.cover:
            q = root(q_squared)
            p = share(q)
            cost = {
                y: r * (y != target) * weight
                + (2 * alpha**2 - 1 / p) * (decision.in_region and y != predicted)
                for y in (1, -1)
            }
            cheaper = 1 if cost[1] <= cost[-1] else -1
            member.oracle.learn(row, cheaper, abs(cost[1] - cost[-1]))
            opinion = sign(member.oracle.margin(row))
            member.numerator = max(member.numerator + 2 * (cost[predicted] - cost[opinion]), 0.0)
            if opinion != predicted and decision.in_region:
                member.denominator += 1 / (q_squared * q)
            member.multiplier = quotient(member.numerator, member.denominator)
            if opinion != predicted:
                q_squared += member.multiplier
