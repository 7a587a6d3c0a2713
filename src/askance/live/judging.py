"""Labels that judge and do not teach: those that are held out, and those outside the region."""

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from askance.errors import InvalidParameter
from askance.estimate import CurrentError
from askance.live.answers import Bought
from askance.live.budget import Ledger
from askance.protocols import BlockLearner, Learner, PacedLearner
from askance.sparse import from_rows, row_at
from askance.types import (
    Bools,
    Decision,
    Floats,
    Integers,
    Interval,
    Label,
    Matrix,
    Row,
    State,
)
from askance.validation import saved_array, saved_number, saved_part, saved_whole, shown

__all__ = ["Judging", "has_no_label", "learn_shown", "own_coins", "unasked"]

USUAL = 0.3
"""The share that is held out where somebody wants to know the error and does not say it."""

FIRST = 20
"""Labels that are learned before a classifier that changes with each of them is judged."""

GROWTH = 1.35
"""By how much they grow before it is judged again."""


def own_coins(coins: Floats | float) -> Floats:
    """A second coin for each example: the last 27 bits of its coin.

    They are independent of the first 26, so of whether the coin falls below P, but for 2^-26.

    >>> own_coins(np.array([0.25, 0.25 + 2.0**-27])).tolist()
    [0.0, 0.5]
    """
    own: Floats = np.asarray(coins) * 2.0**26 % 1.0
    return own


class Judging:
    """Which examples judge, and what they say.

    By a coin of its own, an example is *held out*: the learner is not shown it at all, so what it
    learns is the same whatever is held out, and each of its classifiers can be judged by all of it.
    Where the learner spreads a budget, examples that are held out are asked about alike, at its
    mean rate, as few of its own questions would tell much of its error; else with its own P.

    Outside a region, where a learner trusts its own predictions, labels are *audited* with a small
    probability. They are not learned, but every example may be asked about then.

    Parameters
    ----------
    learner
        Who decides and predicts.
    ledger
        What was bought. Of a budget in all, what is held out has its own part, so that neither the
        learner nor what judges it takes labels from the other.
    hold_out
        The share of the stream that is held out.
    audit
        The probability with which a label is asked for outside the region.
    """

    def __init__(self, learner: Learner, ledger: Ledger, hold_out: float, audit: float) -> None:
        for name, share in {"hold_out": hold_out, "audit": audit}.items():
            if not (isinstance(share, int | float | np.number) and 0.0 <= share < 1.0):
                raise InvalidParameter(f"{name} must be from 0 to below 1, got {shown(share)}")
        self.learner, self.hold_out, self.audit = learner, hold_out, audit
        self._ledger, self.withdrawn = ledger, 0
        self.paced = learner if isinstance(learner, PacedLearner) else None
        self.rate = None if self.paced is None else self.paced.whole_rate
        self.examples = self.answered = self.audited = self.contradicted = self.judged = 0
        self.asked: dict[int, float] = {}
        self.error: CurrentError | None = None
        if hold_out:
            self.error = CurrentError(floor=self.rate, between=self.paced is not None)

    def plan(
        self, total: int | None, horizon: int | None, rate: float | None
    ) -> tuple[int | None, int | None, float | None]:
        """What a learner is told of labels and examples in all, if it is not shown some of them."""
        return self._shown(total), self._shown(horizon), rate

    def _shown(self, count: int | None) -> int | None:
        """The learner's part of so many labels or examples."""
        return None if count is None else max(round((1.0 - self.hold_out) * count), 1)

    def left(self, held: bool) -> float:
        """Labels that may still be bought for what is ``held`` out, or else for the learner."""
        total = self._ledger.budget.total
        if total is None:
            return math.inf
        part = self._shown(total) or 0
        judged = len(self.asked) - self.withdrawn
        return total - part - judged if held else part - (self._ledger.bought - judged)

    def replan(self, bought: Mapping[int, Bought]) -> None:
        """Ask at the new rate of a learner that was told of another budget."""
        if self.paced is not None:
            self.rate = self.paced.whole_rate
            # A floor must be known beforehand; it may be any before the first example.
            floor = self.error.floor or 0.0 if self.error is not None else 0.0
            if self.error is not None and (self.rate < floor or not self.examples):
                self.error.lower(self.rate)
                if self.error.refits:
                    self._refit(bought)

    # ------------------------------------------------------------------ deciding

    def takes(self, coins: Floats | float) -> Bools:
        """Whether examples with these coins are held out."""
        taken: Bools = own_coins(coins) < self.hold_out
        return taken

    def decide(self, x: Row, coin: float) -> Decision:
        """Whether to ask about an example that is held out."""
        if self.paced is None:
            return self.checked(self.learner.decide(x, coin), coin)
        return self.decide_many(from_rows([x]), [coin])[0]

    def foretell(self, x: Row, coin: float) -> Decision:
        """What will be decided for an example, held out or not."""
        held = bool(self.takes(coin))
        if self.left(held) <= 0:
            return _without_label(self.learner.predict(x), self.learner.k)
        return self.decide(x, coin) if held else self.checked(self.learner.decide(x, coin), coin)

    def decide_many(self, X: Matrix, coins: Sequence[float]) -> list[Decision]:
        """The same for the rows of a block."""
        said, rate = self.predictions(X).tolist(), self.rate or 1.0
        return [
            Decision(label, True, rate, coin < rate, self.learner.k, math.inf, rate)
            for label, coin in zip(said, coins, strict=True)
        ]

    def checked(self, decision: Decision, coin: float) -> Decision:
        """A decision of the learner, or outside its region whether to audit the label."""
        if decision.probability == 0.0 and self.audit:
            return decision._replace(probability=self.audit, queried=coin < self.audit)
        return decision

    def decide_block(self, X: Matrix, coins: Floats) -> list[Decision]:
        """Decisions for the first rows of a block, up to where something may change.

        Examples for which no label is left are refused: ``has_no_label`` tells.
        """
        learner, held = self.learner, self.takes(coins)
        assert isinstance(learner, BlockLearner)
        decided: list[Iterator[Decision]] = []
        end = len(coins)
        for apart in (False, True):
            rows = np.flatnonzero(held == apart)
            if not len(rows) or self.left(apart) <= 0:
                found = self._refused(learner, X[rows])
            elif not apart:
                own = learner.decide_many(X[rows], coins[rows])
                found = [self.checked(*one) for one in zip(own, coins[rows].tolist(), strict=False)]
                found = _affordable(found, self.left(False))
                # With the last of them, whatever comes next may change.
                end = min(end, int(rows[len(found) - 1]) + 1)
            else:
                found = _affordable(self._decide_held(X[rows], coins[rows]), self.left(True))
                if len(found) < len(rows):
                    end = min(end, int(rows[len(found) - 1]) + 1)
            decided.append(iter(found))
        return [next(decided[apart]) for apart in held[:end].tolist()]

    def _decide_held(self, X: Matrix, coins: Floats) -> list[Decision]:
        if self.paced is not None:
            return self.decide_many(X, coins.tolist())
        return [self.decide(row_at(X, i), coin) for i, coin in enumerate(coins.tolist())]

    def _refused(self, learner: BlockLearner, X: Matrix) -> list[Decision]:
        said = learner.predict_many(X).tolist() if X.shape[0] else []
        return [_without_label(label, learner.k) for label in said]

    def is_apart(self, id: int, decision: Decision) -> bool:
        """Whether the label of a question is not for the learner."""
        return id in self.asked or (self.audit > 0 and not decision.in_disagreement)

    # ------------------------------------------------------------------ judging

    def predictions(self, X: Matrix) -> Integers:
        """What the classifier that decides says of each row."""
        if self.paced is not None:
            return self.paced.predicted(X)
        if isinstance(self.learner, BlockLearner):
            return self.learner.predict_many(X)
        return np.array([self.learner.predict(row_at(X, i)) for i in range(X.shape[0])])

    def count(self, id: int, decision: Decision) -> None:
        """Count an example that was held out."""
        self.examples += 1
        probability = decision.probability
        if decision.queried:
            self.asked[id] = probability
        if self.error is None or probability == 0.0:
            # What could not be asked about cannot be judged.
            self.error = None
        elif decision.queried:
            self.error.add(None, probability)
        else:
            self.error.skip(probability=probability)

    def answer(self, id: int, x: Row, decision: Decision, label: Label) -> None:
        """Judge by a label that the learner does not learn."""
        if id not in self.asked:
            self.audited += 1
            self.contradicted += label != decision.predicted
            return
        self.answered += 1
        if self.error is not None:
            loss = float(self.predictions(from_rows([x]))[0] != label)
            self.error.fill(loss, self.asked[id])

    def follow(self, bought: Mapping[int, Bought]) -> None:
        """Judge a new classifier, if there is one, by all that was held out."""
        if self.error is None:
            return
        if self.paced is not None:
            fitted = self.paced.fitted
        else:
            fitted = len(bought) - self.answered - self.audited
            if fitted < max(FIRST, math.ceil(GROWTH * self.judged)):
                return
        if fitted != self.judged:
            self.judged = fitted
            self._refit(bought)

    def _refit(self, bought: Mapping[int, Bought]) -> None:
        assert self.error is not None
        known = [id for id in self.asked if id in bought]
        wrong: dict[int, float] = {}
        if known:
            labels = np.array([bought[id][0] for id in known])
            said = self.predictions(from_rows([bought[id][1] for id in known]))
            wrong = dict(zip(known, (said != labels).astype(float).tolist(), strict=True))
        self.error.refit([wrong.get(id) for id in self.asked], list(self.asked.values()))

    def interval(self) -> Interval | None:
        """The error of the classifier; None before one is judged by a label."""
        if self.error is None or not (self.error.refits and self.answered):
            return None
        of = f"error of the classifier of {self.judged:,} labels"
        return self.error.interval()._replace(of=of)

    # ------------------------------------------------------------------ saving

    def get_state(self) -> State:
        """All that was counted, for a file."""
        return {
            "hold_out": self.hold_out,
            "audit": self.audit,
            "rate": self.rate,
            "counts": [self.examples, self.audited, self.contradicted, self.judged],
            "ids": np.array(list(self.asked), np.int64),
            "probabilities": np.array(list(self.asked.values()), np.float64),
            "error": None if self.error is None else self.error.get_state(),
        }

    def set_state(self, state: State, bought: set[int], asked: set[int], gone: set[int]) -> None:
        """Take over a state, given ids: those bought, all that were asked, and those withdrawn."""
        names = "examples", "audited", "contradicted", "judged"
        counts = dict(zip(names, saved_part(state, "counts", list), strict=True))
        examples, audited, contradicted, judged = (saved_whole(counts, name) for name in names)
        ids = saved_array(state, "ids", "i").tolist()
        probabilities = saved_array(state, "probabilities", "f", length=len(ids))
        answered = len(bought.intersection(ids))
        if not (
            len(set(ids)) == len(ids) <= examples
            and asked.issuperset(ids)
            and np.all((probabilities > 0) & (probabilities <= 1))
            and contradicted <= audited <= len(bought) - answered
            and judged <= len(bought) - answered - audited
        ):
            raise InvalidParameter("saved labels that judge must agree, got some that do not")
        self.examples, self.audited, self.contradicted = examples, audited, contradicted
        self.judged, self.answered, self.withdrawn = judged, answered, len(gone.intersection(ids))
        self.asked = dict(zip(ids, probabilities.tolist(), strict=True))
        if self.paced is not None:
            self.rate = saved_number(state, "rate", most=1.0)
        if state["error"] is None:
            self.error = None
        elif self.error is not None:
            self.error.set_state(saved_part(state, "error", dict))


def has_no_label(decision: Decision) -> bool:
    """Whether there was no label left for an example: inside a region, P is never 0 else."""
    return decision.in_disagreement and decision.probability == 0.0


def _without_label(predicted: Label, k: int) -> Decision:
    return Decision(predicted, True, 0.0, False, k, math.inf, 0.0)


def learn_shown(
    learner: BlockLearner,
    X: Matrix,
    decisions: Sequence[Decision],
    labels: Sequence[Label | None],
    held: Bools,
) -> list[int]:
    """Let a learner learn what it may of a block, and tell how many were learned after each.

    It is shown nothing that was ``held`` out or refused, and no audited label.
    """
    before = learner.k
    shown = ~held & ~np.array([has_no_label(one) for one in decisions])
    places = np.flatnonzero(shown).tolist()
    if places:
        own = [decisions[i] for i in places]
        learner.learn_many(
            X if len(places) == len(held) else X[places],
            [one if one.in_disagreement else unasked(one) for one in own],
            [
                labels[i] if one.in_disagreement else None
                for i, one in zip(places, own, strict=True)
            ],
        )
    learned: list[int] = (before + np.cumsum(shown)).tolist()
    return learned


def unasked(decision: Decision) -> Decision:
    """What a learner decided that did not ask, whatever others made of it."""
    probability = decision.probability if decision.in_disagreement else 0.0
    return decision._replace(probability=probability, queried=False)


def _affordable(decisions: list[Decision], labels: float) -> list[Decision]:
    """Decisions up to the one that takes the last of so many labels."""
    asked = [i for i, decision in enumerate(decisions) if decision.queried]
    return decisions if len(asked) < labels else decisions[: asked[int(labels) - 1] + 1]
