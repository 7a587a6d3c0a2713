"""Passive asks for everything and learns it with weight 1."""

from typing import Any

import askance
from askance.learners.passive import Passive


def test_every_label_is_asked_and_learned_with_weight_one(scripted: Any) -> None:
    erm = scripted(margin=-2.0)
    learner, x = Passive(erm), askance.as_row([1.0])
    for coin, label in [(0.0, 1), (0.999, -1), (0.5, 1)]:
        decision = learner.decide(x, coin)
        assert (decision.queried, decision.probability, decision.predicted) == (True, 1.0, -1)
        assert decision.in_disagreement
        learner.learn(x, decision, label)
    assert erm.taught == [(1, 1.0), (-1, 1.0), (1, 1.0)]
    assert learner.mean_error == 2 / 3
