"""An oracle of your own: hinge loss, stepping at most to margin one, however large the weight."""

import numpy as np
from sklearn.datasets import load_digits

from askance import Row, as_row
from askance.learners.iwal import IWAL1
from askance.simulate import simulate


class Hinge:  # the methods of askance.protocols.OnlineOracle; no base class is needed
    def __init__(self, n_features: int, learning_rate: float = 0.02) -> None:
        self.weights, self.learning_rate = np.zeros(n_features + 1), learning_rate

    def observe(self, x: Row) -> None: ...  # the rate does not depend on scales

    def margin(self, x: Row) -> float:
        return float(self.weights[x.indices] @ x.values + self.weights[-1])

    def predict(self, x: Row) -> int:
        return 1 if self.margin(x) > 0 else -1

    def learn(self, x: Row, target: int, weight: float) -> float:
        missing = max(0.0, 1 - target * self.margin(x)) / (1 + x.values @ x.values)
        step = target * min(self.learning_rate * weight, missing) * np.append(x.values, 1.0)
        self.weights[[*x.indices, -1]] += step
        return self.margin(x)

    def flip_weight(self, x: Row) -> float:
        return abs(self.margin(x)) / (self.learning_rate * float(1 + x.values @ x.values))

    def get_state(self) -> dict[str, np.ndarray]:
        return {"weights": self.weights.copy()}

    def set_state(self, state: dict[str, np.ndarray]) -> None:
        self.weights = state["weights"].copy()


pixels, digits = load_digits(return_X_y=True)
stream = [(as_row(x), 1 if d % 2 else -1) for x, d in zip(pixels / 16, digits, strict=True)]
coins = np.random.default_rng(0).random(1400).tolist()
print(*simulate(IWAL1(Hinge(64), c0=0.01), stream[:1400], coins, stream[1400:]).rows, sep="\n")
