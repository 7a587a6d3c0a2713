"""The linear oracle against Vowpal Wabbit's plain logistic regression, where VW is right.

VW reads a margin before it rescales, so each feature shows its largest value in the first example;
margins stay below 15, where VW neither clips nor refuses to update.
"""

import random

import pytest
from vw_driver import float32, passive_margins

import askance
from askance.oracles.linear import LinearOracle, LinearState

pytestmark = pytest.mark.vw

N_FEATURES = 30


def weighted_stream(size: int) -> list[tuple[dict[int, float], int, float]]:
    rng = random.Random(11)
    truth = [rng.gauss(0, 1) for _ in range(N_FEATURES)]
    stream = [(dict.fromkeys(range(N_FEATURES), 4.0), 1, 1.0)]
    while len(stream) < size:
        chosen = rng.sample(range(N_FEATURES), 8)
        row = {j: float32(max(-4.0, min(4.0, rng.gauss(0, 1)))) for j in chosen}
        score = sum(truth[j] * x for j, x in row.items()) + rng.gauss(0, 2)
        weight = float32(rng.choice((1.0, rng.expovariate(0.5))))
        stream.append((row, 1 if score > 0 else -1, weight))
    return stream


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_margins_agree_over_2000_weighted_examples(dtype: str) -> None:
    stream = weighted_stream(2000)
    theirs = passive_margins(stream)
    assert max(map(abs, theirs)) < 15
    oracle = LinearOracle(LinearState(n_features=N_FEATURES, learning_rate=0.5, dtype=dtype))
    for (row, label, weight), expected in zip(stream, theirs, strict=True):
        x = askance.as_row(row)
        oracle.observe(x)
        assert abs(oracle.margin(x) - expected) <= 1e-3 * max(1.0, abs(expected))
        oracle.learn(x, label, weight)
