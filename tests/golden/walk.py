"""Walk the twin along a stream: by itself, or forced to learn what another program learned."""

from collections.abc import Sequence
from typing import NamedTuple

from twin import Decision, OnlineActiveCover, Row, sign


class Coins:
    """Vowpal Wabbit's uniform numbers: 23 bits of each state of a linear congruential generator."""

    def __init__(self, seed: int) -> None:
        self.state = seed
        self.draw()

    def draw(self) -> None:
        self.state = (0xEECE66D5DEECE66D * self.state + 2147483647) % 2**64

    def look(self) -> float:
        return (self.state >> 25) % 2**23 / 2**23


class Passage(NamedTuple):
    """One example, passed."""

    decision: Decision
    coin: float
    last_margin: float
    """The margin of the last cover member after its update (without cover: the ERM's before)."""


def run(
    learner: OnlineActiveCover,
    coins: Coins,
    stream: Sequence[tuple[Row, int]],
    steps: Sequence[tuple[float, int, float]] | None = None,
) -> list[Passage]:
    """Decide and learn each (row, label) of a stream.

    Given another program's steps (margin, label learned, weight learned) the learner is forced: it
    decides for itself, then learns what the other learned. So each decision is compared from the
    same past, and no difference causes or hides another.
    """
    passed = []
    for i, (row, label) in enumerate(stream):
        decision = learner.decide(row, coins.look(), label)
        final = decision if steps is None else as_learned(decision, *steps[i])
        learner.learn(row, final, label)
        last = learner.cover[-1].oracle.margin(row) if learner.cover else decision.margin
        passed.append(Passage(decision, coins.look(), last))
        by_rule = final.k < 3 or not final.in_region or learner.settings.oracular
        if not (by_rule and learner.departs.lazy_coins):
            coins.draw()
    return passed


def as_learned(decision: Decision, margin: float, label: int, weight: float) -> Decision:
    """The other program's decision at this step, told by what it learned.

    Weight 0: in the region, not queried. Weight 1 with the predicted label, after the first three:
    outside. Else queried. (An oracular query that found the predicted label looks like outside,
    and is learned alike.)
    """
    outside = decision.k >= 3 and weight == 1 and label == sign(margin)
    queried = weight > 0 and not outside
    theirs = {
        "margin": margin,
        "predicted": sign(margin),
        "in_region": not outside,
        "probability": 1 / weight if queried else 0.0,
        "queried": queried,
    }
    return Decision(**(vars(decision) | theirs))
