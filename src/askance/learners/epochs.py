"""Learning in epochs: between two epoch ends nothing changes but what is collected.

So the decisions of a whole epoch are one matrix computation (:meth:`EpochLearner.decide_many`):
any number of machines that share an epoch's classifiers can decide its examples, and only their
labels need to come together when it closes.
"""

import logging
import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import asdict
from typing import NamedTuple, TypedDict

import numpy as np

from askance.errors import InvalidParameter
from askance.learners.epoch_records import EpochRecord, EpochTally
from askance.learners.sample import Sample, Snapshot, matrix_from_state, matrix_state
from askance.learners.schedules import Schedule, epoch_end_after, validated
from askance.learners.streaming import sample_entry
from askance.learners.thinned_sample import ThinnedSample
from askance.protocols import BatchClassifier, BatchOracle
from askance.sparse import empty, from_rows, stacked
from askance.types import Bools, Decision, Floats, Integers, Label, Matrix, Row, State
from askance.validation import (
    check_block,
    check_matrix,
    check_row,
    require_whole,
    saved_number,
    saved_part,
    saved_whole,
)

__all__ = ["Block", "EpochLearner", "EpochSettings"]

_LOG = logging.getLogger("askance")


class Block(NamedTuple):
    """Decisions for many points, before the coins: predictions, region, query probabilities."""

    predicted: Integers
    inside: Bools
    probability: Floats


class EpochSettings(TypedDict, total=False):
    """The keyword parameters that all learners in epochs share."""

    schedule: Schedule
    unlabeled: int
    fresh: bool
    reservoir: int | None
    horizon: int | None
    n_features: int | None


class EpochLearner(ABC):
    """The three verbs, epochs, late labels, saving and loading; subclasses say how to decide.

    Parameters
    ----------
    oracle
        Minimises weighted error on Z-tilde.
    schedule
        When epochs end.
    unlabeled
        How many of the newest points, at most, stand for the distribution of X.
    fresh
        Spend the next ``unlabeled`` examples after each epoch for that purpose instead: they are
        never asked about and do not count.
    reservoir
        Keep so many of the examples outside the region to stand for all of them, and none of weight
        0 (``ThinnedSample``); without it every example.
    horizon
        Length of the stream, if known: the last epoch is cut there.
    n_features
        Number of features, if rows with others are to be refused.
    """

    def __init__(
        self,
        oracle: BatchOracle,
        *,
        schedule: Schedule = "doubling",
        unlabeled: int = 10_000,
        fresh: bool = False,
        reservoir: int | None = None,
        horizon: int | None = None,
        n_features: int | None = None,
    ) -> None:
        require_whole(1, unlabeled=unlabeled)
        if horizon is not None:
            require_whole(1, horizon=horizon)
        self.oracle = oracle
        self.schedule = validated(schedule)
        self.unlabeled = unlabeled
        self.fresh = fresh
        self.reservoir = reservoir
        self.horizon = horizon
        self.n_features = n_features
        self._clear()

    def _clear(self) -> None:
        self.epoch = 1
        self.epoch_start = 0
        self.epoch_end = self._end_after(0)
        self.epochs: list[EpochRecord] = []
        self._k = 0
        self._mistakes = 0.0
        self._sample: Sample | ThinnedSample = (
            Sample()
            if self.reservoir is None
            else ThinnedSample(self.reservoir, 1 if self.fresh else self.unlabeled)
        )
        self._tally = EpochTally()
        self._offered = 0
        self._waiting: set[int] = set()
        self._warned = False
        self._fresh: list[Matrix] = []
        self._fresh_wanted = 0
        self._opened: tuple[float, float] | None = None
        self._begin()

    # ------------------------------------------------------------------ what subclasses provide

    @abstractmethod
    def _open(self, points: Matrix) -> tuple[float, float]:
        """Prepare the epoch and return its threshold and floor; ``points`` stand for X."""

    @abstractmethod
    def _block(self, X: Matrix, predicted: Integers) -> Block:
        """Region and query probabilities, once the epoch is open."""

    # ------------------------------------------------------------------ reading

    @property
    def k(self) -> int:
        """Examples learned so far."""
        return self._k

    @property
    def mean_error(self) -> float:
        """Importance-weighted mistakes of the predictions made at decision time, over k."""
        return self._mistakes / self._k if self._k else 0.0

    @property
    def threshold(self) -> float:
        """The radius that serves now; infinite where there is no test."""
        return self._terms()[0]

    @property
    def remaining(self) -> int:
        """How many examples can be decided before anything changes, in one `decide_many`."""
        return self._fresh_wanted or max(self.epoch_end - self._k - len(self._waiting), 1)

    @property
    def classifier(self) -> BatchClassifier:
        """h_m, the ERM on Z-tilde when the epoch began."""
        return self._erm

    @property
    def sample(self) -> Snapshot:
        """Z-tilde when the epoch began."""
        return self._snapshot

    def refit(self) -> BatchClassifier:
        """The ERM on all that was learned, this epoch's examples included; changes nothing."""
        if self._k == self.epoch_start:
            return self._erm
        latest = self._sample.snapshot(self._k)
        return self.oracle.fit(latest.X, latest.targets, latest.weights)

    def predict(self, x: Row) -> Label:
        check_row(x, self.n_features)
        return int(self._erm.predict(x))

    def predict_many(self, X: Matrix) -> Integers:
        """One prediction for each row of a CSR array."""
        check_matrix(X, self.n_features)
        return self._erm.predict_many(X)

    # ------------------------------------------------------------------ deciding

    def decide(self, x: Row, coin: float) -> Decision:
        check_row(x, self.n_features)
        return self.decide_many(from_rows([x]), [coin])[0]

    def decide_many(self, X: Matrix, coins: Sequence[float] | Floats) -> list[Decision]:
        """Decide for all rows, as if each were learned before the next was decided.

        That is one matrix computation, and exact for up to ``remaining`` rows; further rows are
        decided as the current epoch would.
        """
        coins = np.asarray(coins, dtype=np.float64)
        check_matrix(X, self.n_features)
        _check_coins(coins, X.shape[0])
        block = self._decided_block(X)
        terms = self._terms()
        advance = 0 if self._fresh_wanted else 1
        columns = (block.predicted, block.inside, block.probability, coins < block.probability)
        rows = zip(*(values.tolist() for values in columns), strict=True)
        return [
            Decision(predicted, inside, probability, queried, self._offered + advance * i, *terms)
            for i, (predicted, inside, probability, queried) in enumerate(rows)
        ]

    def _decided_block(self, X: Matrix) -> Block:
        predicted = self._erm.predict_many(X)
        n = len(predicted)
        if self._fresh_wanted:
            # Spent on the sample for (OP): no test, no query, no count.
            return Block(predicted, np.zeros(n, bool), np.zeros(n))
        if self.epoch == 1:
            return Block(predicted, np.ones(n, bool), np.ones(n))
        self._terms()
        return self._block(X, predicted)

    def _terms(self) -> tuple[float, float]:
        """Threshold and floor; the epoch is prepared when they are first needed."""
        if self._fresh_wanted:
            return math.inf, 0.0
        if self.epoch == 1:
            return math.inf, 1.0
        if self._opened is None:
            newest = self._sample.newest(self.epoch_start, self.unlabeled)
            self._opened = self._open(stacked(self._fresh) if self.fresh else newest)
        return self._opened

    # ------------------------------------------------------------------ learning

    def learn(self, x: Row, decision: Decision, label: Label | None) -> None:
        check_row(x, self.n_features)
        self.learn_many(from_rows([x]), [decision], [label])

    def learn_many(
        self, X: Matrix, decisions: Sequence[Decision], labels: Sequence[Label | None]
    ) -> None:
        """Learn a block of examples, exactly as if one after the other."""
        check_block(X, self.n_features, decisions, labels)
        done = 0
        while done < len(decisions):
            part = slice(done, done + self.remaining)
            self._learn_part(X[part], decisions[part], labels[part])
            done = part.stop

    def _learn_part(
        self, X: Matrix, decisions: Sequence[Decision], labels: Sequence[Label | None]
    ) -> None:
        spent = np.array([d.threshold == math.inf and not d.in_disagreement for d in decisions])
        if spent.any() and self._fresh_wanted:
            self._fresh.append(X[np.flatnonzero(spent)])
            self._fresh_wanted -= int(spent.sum())
        counted = np.flatnonzero(~spent).tolist()
        if len(counted):
            self._count(X[counted], [decisions[i] for i in counted], [labels[i] for i in counted])

    def _count(self, X: Matrix, decisions: list[Decision], labels: list[Label | None]) -> None:
        resolved = [sample_entry(d, y) for d, y in zip(decisions, labels, strict=True)]
        targets = np.array([target for target, _ in resolved], dtype=np.int8)
        weights = np.array([weight for _, weight in resolved])
        outside = np.array([not decision.in_disagreement for decision in decisions])
        self._sample.append(X, targets, weights, outside)
        self._tally.add(decisions)
        self._k += len(decisions)
        predicted = np.array([d.predicted for d in decisions])
        self._mistakes += float(np.sum(weights[predicted != targets]))
        known = {d.k for d in decisions} & self._waiting
        self._waiting -= known
        self._offered += len(decisions) - len(known)
        self._close_if_due()

    # ------------------------------------------------------------------ late labels

    def defer(self, decision: Decision) -> None:
        """Say, before the next decision, that this one's label will come later, by ``learn``.

        An epoch closes when its own examples are decided and resolved. Until then its P serves
        further examples, which join Z-tilde with it. Decisions are told apart by their ``k``,
        which counts the examples learned or deferred before.
        """
        self._waiting.add(decision.k)
        self._offered += 1
        self._warn_if_overdue()

    def _awaited(self) -> int:
        """How many of the epoch's own examples are decided but not resolved."""
        return sum(k < self.epoch_end for k in self._waiting)

    def _close_if_due(self) -> None:
        if self._k >= self.epoch_end and not self._awaited():
            self._close()
        else:
            self._warn_if_overdue()

    def _warn_if_overdue(self) -> None:
        length = self.epoch_end - self.epoch_start
        decided = self._offered - self.epoch_start
        if decided > 2 * length and not self._warned:
            self._warned = True
            _LOG.warning(
                "epoch %d was to have %d examples and has %d, with %d labels still awaited",
                *(self.epoch, length, decided, self._awaited()),
            )

    # ------------------------------------------------------------------ epochs

    def _end_after(self, k: int) -> int:
        end = epoch_end_after(self.schedule, k)
        return min(end, self.horizon) if self.horizon and self.horizon > k else end

    def _close(self) -> None:
        record = self._tally.record(self.epoch, self.epoch_start, self._k, self._erm_error)
        self.epochs.append(record)
        self._tally, self._warned = EpochTally(), False
        self.epoch += 1
        self.epoch_start = self._k
        self.epoch_end = self._end_after(self._k)
        self._fresh, self._fresh_wanted = [], self.unlabeled if self.fresh else 0
        self._begin()

    def _begin(self) -> None:
        self._opened = None
        self._snapshot = self._sample.begin(self.epoch_start)
        snapshot = self._snapshot
        self._erm = self.oracle.fit(snapshot.X, snapshot.targets, snapshot.weights)
        self._erm_error = snapshot.error(self._erm)

    # ------------------------------------------------------------------ saving

    def get_state(self) -> State:
        return {
            "sample": self._sample.get_state(),
            "tally": self._tally.get_state(),
            "k": self._k,
            "mistakes": self._mistakes,
            "epoch": self.epoch,
            "epoch_start": self.epoch_start,
            "epoch_end": self.epoch_end,
            "epochs": [asdict(record) for record in self.epochs],
            "offered": self._offered,
            "waiting": sorted(self._waiting),
            "warned": self._warned,
            "fresh": matrix_state(stacked(self._fresh) if self._fresh else empty()),
            "fresh_wanted": self._fresh_wanted,
        }

    def set_state(self, state: State) -> None:
        """Take over a state; the epoch's classifiers are found again by the oracle."""
        self._k, self._mistakes = saved_whole(state, "k"), saved_number(state, "mistakes")
        self._sample.set_state(saved_part(state, "sample", dict), self._k, self.n_features)
        self._tally.set_state(saved_part(state, "tally", dict))
        self.epoch_start = saved_whole(state, "epoch_start", most=self._k)
        self.epoch_end = saved_whole(state, "epoch_end")
        # Its own examples may all be there while some labels of theirs are awaited.
        if self.epoch_end != self._end_after(self.epoch_start):
            raise InvalidParameter(
                f"a saved epoch from {self.epoch_start} on must end at "
                f"{self._end_after(self.epoch_start)}, got {self.epoch_end}"
            )
        self.epochs = [EpochRecord.from_state(entry) for entry in saved_part(state, "epochs", list)]
        self.epoch = saved_whole(state, "epoch")
        if self.epoch != len(self.epochs) + 1:
            raise InvalidParameter(
                f"a saved epoch must be {len(self.epochs) + 1}, one more than those that closed, "
                f"got {self.epoch}"
            )
        self._offered = saved_whole(state, "offered")
        waiting = saved_part(state, "waiting", list)
        self._waiting = {saved_whole({"k": k}, "k", most=self._offered) for k in waiting}
        self._warned = saved_part(state, "warned", bool)
        self._fresh = [matrix_from_state(saved_part(state, "fresh", dict), self.n_features)]
        self._fresh_wanted = saved_whole(state, "fresh_wanted", most=self.unlabeled)
        self._begin()


def _check_coins(coins: Floats, rows: int) -> None:
    if len(coins) != rows:
        raise InvalidParameter(f"coins must be one for each of {rows} rows, got {len(coins)}")
    if len(coins) and not (coins.min() >= 0 and coins.max() < 1):
        raise InvalidParameter(f"a coin must lie in [0, 1), got {coins.min()} to {coins.max()}")
