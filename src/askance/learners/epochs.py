"""Learning in epochs: between two epoch ends nothing changes but what is collected.

So the decisions of a whole epoch are one matrix computation (:meth:`EpochLearner.decide_many`):
any number of machines that share an epoch's classifiers can decide its examples, and only their
labels need to come together when it closes.

What an epoch has is fitted when the one before it closes, or elsewhere while that one goes on.
"""

import logging
import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor, Future
from dataclasses import asdict
from typing import Any, TypedDict

import numpy as np

from askance.errors import InvalidParameter
from askance.learners.epoch_fits import (
    Begun,
    Block,
    EpochFit,
    Opener,
    Opening,
    begun_from,
    fit_epoch,
    fit_erm,
)
from askance.learners.epoch_records import EpochRecord, EpochTally
from askance.learners.refits import is_lost
from askance.learners.sample import Sample, Snapshot, matrix_from_state, matrix_state
from askance.learners.schedules import FIRST_END, Schedule, epoch_end_after, validated
from askance.learners.streaming import sample_entry
from askance.learners.thinned_sample import ThinnedSample
from askance.protocols import BatchClassifier, BatchOracle
from askance.sparse import empty, from_rows, stacked
from askance.types import Decision, Floats, Integers, Label, Matrix, Row, State
from askance.validation import (
    MOST,
    check_block,
    check_matrix,
    check_row,
    require_whole,
    saved_number,
    saved_part,
    saved_whole,
    shown,
)

__all__ = ["EpochLearner", "EpochSettings"]

_LOG = logging.getLogger("askance")

AT_ONCE = 256
"""Examples that are decided together where nothing but being told changes anything."""


class EpochSettings(TypedDict, total=False):
    """The keyword parameters that all learners in epochs share."""

    schedule: Schedule
    unlabeled: int
    fresh: bool
    reservoir: int | None
    horizon: int | None
    lag: int | None
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
    lag
        With 0 an epoch begins when the one before it closes. With None it is only begun then: its
        classifiers may be fitted elsewhere (:meth:`work_in`), and it opens when it is told to
        (:meth:`serve`). Until then the P of the one before serves.
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
        lag: int | None = 0,
        n_features: int | None = None,
    ) -> None:
        require_whole(1, unlabeled=unlabeled)
        if horizon is not None:
            require_whole(1, horizon=horizon)
        _check_lag(lag, fresh)
        self.oracle = oracle
        self.schedule = validated(schedule)
        self.unlabeled = unlabeled
        self.fresh = fresh
        self.reservoir = reservoir
        self.horizon = horizon
        self.lag = lag
        self.n_features = n_features
        self.executor: Executor | None = None
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
        self._begun: Begun | None = None
        self._expected: EpochFit | None = None
        self._serving = self._first_of(0, 0)

    # ------------------------------------------------------------------ what subclasses provide

    @abstractmethod
    def _opener(self) -> Opener:
        """What opens an epoch, by the parameters alone."""

    def _enter(self, opening: Opening) -> None:  # noqa: B027 - most have nothing to note
        """Take note of an epoch that was opened."""

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
        return AT_ONCE if self.lag is None else self._until_due

    @property
    def _until_due(self) -> int:
        """How many can be learned before the epoch may close."""
        if self._begun is not None:
            return MOST
        return self._fresh_wanted or max(self.epoch_end - self._k - len(self._waiting), 1)

    @property
    def classifier(self) -> BatchClassifier:
        """h_m, the ERM on Z-tilde when the epoch began."""
        return self._serving.erm

    @property
    def sample(self) -> Snapshot:
        """Z-tilde when the epoch began."""
        return self._serving.sample

    def refit(self) -> BatchClassifier:
        """The ERM on all that was learned, this epoch's examples included; changes nothing."""
        if self._k == self.epoch_start:
            return self._serving.erm
        latest = self._sample.snapshot(self._k)
        return self.oracle.fit(latest.X, latest.targets, latest.weights)

    def predict(self, x: Row) -> Label:
        check_row(x, self.n_features)
        return int(self._serving.erm.predict(x))

    def predict_many(self, X: Matrix) -> Integers:
        """One prediction for each row of a CSR array."""
        check_matrix(X, self.n_features)
        return self._serving.erm.predict_many(X)

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
        predicted = self._serving.erm.predict_many(X)
        n = len(predicted)
        if self._fresh_wanted:
            # Spent on the sample for (OP): no test, no query, no count.
            return Block(predicted, np.zeros(n, bool), np.zeros(n))
        opening = self._open()
        if opening is None:
            return Block(predicted, np.ones(n, bool), np.ones(n))
        return opening.block(X, predicted)

    def _terms(self) -> tuple[float, float]:
        """Threshold and floor."""
        if self._fresh_wanted:
            return math.inf, 0.0
        opening = self._open()
        return (math.inf, 1.0) if opening is None else (opening.threshold, opening.floor)

    def _open(self) -> Opening | None:
        """The epoch as it is open, when that is first needed; None in the first."""
        if self.epoch == 1:
            return None
        opening = self._serving.opening
        if opening is None:
            newest = self._sample.newest(self.epoch_start, self.unlabeled)
            points = stacked(self._fresh) if self.fresh else newest
            opening = self._opener()(self._serving, points, self.epoch)
            self._serving = self._serving._replace(opening=opening)
            self._enter(opening)
        return opening

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
            part = slice(done, done + self._until_due)
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
        counts = {d.k for d in decisions}
        known = counts & self._waiting
        self._waiting -= known
        self._offer(len(decisions) - len(known), max(counts))
        self._close_if_due()

    # ------------------------------------------------------------------ late labels

    def defer(self, decision: Decision) -> None:
        """Say, before the next decision, that this one's label will come later, by ``learn``.

        An epoch closes when its own examples are decided and resolved. Until then its P serves
        further examples, which join Z-tilde with it. Decisions are told apart by their ``k``,
        which counts the examples learned or deferred before.
        """
        self._waiting.add(decision.k)
        self._offer(1, decision.k)
        self._warn_if_overdue()

    def _offer(self, examples: int, k: int) -> None:
        """Count examples, the last of them decided as the k-th."""
        # Where earlier ones were erased there are fewer, but no later one may be taken for it.
        self._offered = max(self._offered + examples, k + 1)

    def _awaited(self) -> int:
        """How many of the epoch's own examples are decided but not resolved."""
        return sum(k < self.epoch_end for k in self._waiting)

    def _close_if_due(self) -> None:
        if self._k < self.epoch_end or self._awaited():
            self._warn_if_overdue()
        elif self.lag is not None:
            labels = self._labels
            self._close(self._k)
            self._serving = self._first_of(self._k, labels)
        elif self._begun is None:
            self._begun = self._begin(self._k, self._labels)

    def _warn_if_overdue(self) -> None:
        length = self.epoch_end - self.epoch_start
        decided = self._offered - self.epoch_start
        # Who is told when to serve has others to tell that labels are awaited.
        if decided > 2 * length and not self._warned and self.lag is not None:
            self._warned = True
            _LOG.warning(
                "epoch %d was to have %d examples and has %d, with %d labels still awaited",
                *(self.epoch, length, decided, self._awaited()),
            )

    # ------------------------------------------------------------------ epochs

    def _end_after(self, k: int) -> int:
        end = epoch_end_after(self.schedule, k)
        return min(end, self.horizon) if self.horizon and self.horizon > k else end

    @property
    def _labels(self) -> int:
        """How many labels were learned."""
        return sum(record.queries for record in self.epochs) + self._tally.queries

    def _close(self, k: int) -> None:
        """End the epoch with the first k examples."""
        record = self._tally.record(self.epoch, self.epoch_start, k, self._serving.error)
        self.epochs.append(record)
        self._tally, self._warned = EpochTally(), False
        self.epoch += 1
        self.epoch_start = k
        self.epoch_end = self._end_after(k)
        self._fresh, self._fresh_wanted = [], self.unlabeled if self.fresh else 0

    def _first_of(self, k: int, labels: int) -> EpochFit:
        """What an epoch of the first k examples has before it is open."""
        return fit_erm(self.oracle, self._sample.begin(k), labels)

    # ------------------------------------------------------------------ fitted elsewhere

    def _begin(self, k: int, labels: int) -> Begun:
        """Note that the next epoch is that of the first k examples; fit it if it can be."""
        self._sample.note(k)
        future = None
        if self.executor is not None:
            future = self.executor.submit(fit_epoch, *self._work(k, labels))
        return Begun(k, labels, future)

    def _work(self, k: int, labels: int) -> tuple[BatchOracle, Opener, Snapshot, int, Matrix, int]:
        sample, points = self._sample.snapshot(k), self._sample.newest(k, self.unlabeled)
        return self.oracle, self._opener(), sample, labels, points, self.epoch + 1

    def work_in(self, executor: Executor | None) -> None:
        """Fit in an ``executor`` from now on; that changes the time and no bit."""
        self.executor = executor
        self._open()
        if self._begun is not None and is_lost(self._begun.future):
            self._begun = self._begin(self._begun.k, self._begun.labels)

    @property
    def coming(self) -> tuple[int, Future[EpochFit] | None] | None:
        """Of how many labels the epoch on its way is, and its future if it is in work."""
        return None if self._begun is None else (self._begun.labels, self._begun.future)

    @property
    def fitted(self) -> int:
        """How many labels there were when the epoch began."""
        return self._serving.labels

    @property
    def facts(self) -> State:
        """What is to be written down of the epoch that serves, for :meth:`pass_by`."""
        return self._serving.facts

    @property
    def served(self) -> EpochFit:
        """What decides now."""
        return self._serving

    def fit_anew(self) -> None:
        """Cut the epoch short: begin one of all examples so far, whatever is on its way."""
        if self._k >= FIRST_END:
            self._begun = self._begin(self._k, self._labels)

    def serve(self, known: EpochFit | None = None, facts: Mapping[str, Any] | None = None) -> None:
        """Open the epoch that is on its way, or one that is ``known`` already.

        With the :attr:`facts` of one that was open: it, or what is left of it after an erasure.
        """
        if known is None:
            begun = self._begun if facts is None else self._begun_of(facts)
            if begun is None:
                raise InvalidParameter("no epoch is on its way that could be opened")
            known = self._fit(begun)
        self._install(known)

    def _fit(self, begun: Begun) -> EpochFit:
        k, labels, future = begun
        if future is not None:
            return future.result()
        # Where all was erased, it is as before the first example.
        return fit_epoch(*self._work(k, labels)) if k else self._first_of(0, 0)

    def _begun_of(self, facts: Mapping[str, Any]) -> Begun:
        """The epoch on its way if it has so many examples, else one of those that are left."""
        if self._begun is not None and self._begun.k == facts["k"]:
            return self._begun
        k = self._sample.begin(min(facts["k"], self._k)).offered
        return Begun(k, min(facts["labels"], self._labels), None)

    def pass_by(self, facts: Mapping[str, Any]) -> None:
        """Enter that an epoch of these :attr:`facts` was opened, and fit nothing."""
        self._install(EpochFit.told(facts))

    def expect(self, served: EpochFit) -> None:
        """Decide by this after the next :meth:`set_state`, which then fits nothing."""
        self._expected = served

    def _install(self, fit: EpochFit) -> None:
        # Labels may have been taken back since it began.
        k = self._sample.begin(min(fit.sample.offered, self._k)).offered
        if k > self.epoch_start:
            self._close(k)
        labels = min(fit.labels, self._labels, k)
        self._serving, self._begun = fit._replace(labels=labels), None
        if fit.opening is not None:
            self._enter(fit.opening)
        self._close_if_due()

    # ------------------------------------------------------------------ saving

    def __getstate__(self) -> State:
        """For copies and pickles, which do not work in the background."""
        begun = None if self._begun is None else self._begun._replace(future=None)
        return {**vars(self), "executor": None, "_begun": begun}

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
            "fitted": self._serving.labels,
            "begun": None if self._begun is None else self._begun.state,
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
        # Earlier versions had neither of these.
        fitted = saved_whole({"fitted": state.get("fitted", 0)}, "fitted", most=self.epoch_start)
        self._begun = begun_from(state, self._k)
        expected, self._expected = self._expected, None
        self._serving = expected or self._first_of(self.epoch_start, fitted)


def _check_lag(lag: object, fresh: bool) -> None:
    if lag is not None and (lag != 0 or isinstance(lag, bool)):
        raise InvalidParameter(f"lag of a learner in epochs must be 0 or None, got {shown(lag)}")
    if lag is None and fresh:
        raise InvalidParameter(
            "fresh=True spends the examples after a close, but with lag=None the old epoch still "
            "decides about them: lag must be 0, got None"
        )


def _check_coins(coins: Floats, rows: int) -> None:
    if len(coins) != rows:
        raise InvalidParameter(f"coins must be one for each of {rows} rows, got {len(coins)}")
    if len(coins) and not (coins.min() >= 0 and coins.max() < 1):
        raise InvalidParameter(f"a coin must lie in [0, 1), got {coins.min()} to {coins.max()}")
