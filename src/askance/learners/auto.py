"""A learner with nothing to tune: it keeps its labels, refits, and paces its questions.

It is for people who have a label budget B for N examples. A small part of the budget is spent
uniformly, with the same probability everywhere. The rest goes to the examples about which the
classifier is least sure, at a rate that lets the budget last for the whole stream.
"""

import math
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor, Future
from typing import Any, Self

import numpy as np

from askance.errors import InvalidParameter
from askance.learners.foreseen import Foreseen
from askance.learners.guard import guarded_share, held_by_guard, sample_of_guard
from askance.learners.kept_rows import KEPT, KeptRows
from askance.learners.label_store import LabelStore
from askance.learners.outcomes import Outcomes
from askance.learners.pacing import (
    Pace,
    all_alike,
    check_shares,
    checked_plan,
    focused,
    prospect,
    saved_floor,
    saved_pace,
    sure,
    until_change,
)
from askance.learners.refits import (
    FIRST,
    Refit,
    Served,
    check_versions,
    first_fit,
    fit_all,
    is_lost,
    next_fit,
    refit_from,
    refit_state,
)
from askance.learners.sample import matrix_from_state, matrix_state
from askance.learners.verdicts import Verdicts, verdicts_of
from askance.protocols import ProbabilisticClassifier, ProbabilisticOracle
from askance.sparse import from_rows, row_at
from askance.types import Decision, Floats, Integers, Label, Matrix, Row, State
from askance.validation import (
    MOST,
    check_block,
    check_matrix,
    check_row,
    require_coins,
    require_whole,
    saved_number,
    saved_part,
    saved_whole,
)

__all__ = ["FIRST", "KEPT", "Auto", "Served", "Verdicts", "verdicts_of"]


class Auto:
    """Ask where the classifier is least sure, and now and then anywhere, within a budget.

    Every example is asked about with a known probability P that is never below
    ``uniform_share`` B/N, so the labels with weights 1/P are an unbiased sample.

    Parameters
    ----------
    oracle
        Fits a classifier that gives probabilities.
    budget
        How many labels will be bought, B.
    horizon
        How many examples will come, N.
    rate
        The share of examples to ask about where B or N is unknown.
    uniform_share
        The part of the labels that is spent uniformly; 1 asks about all examples alike.
    focus
        The share of examples, those with the smallest margins, among which all other labels are
        drawn; more only where the budget is larger than that.
    lag
        How many labels later a new classifier serves; meanwhile it may be fitted in the background
        (:meth:`work_in`). With None it serves when it is told to (:meth:`serve`).
    n_features
        Number of features, if rows with others are to be refused.

    Examples
    --------
    >>> import askance
    >>> learner = askance.make_learner("auto", n_features=2, budget=50, horizon=1000)
    >>> decision = learner.decide(askance.as_row([1.0, 0.0]), coin=0.5)
    >>> decision.probability, round(decision.floor, 6)
    (1.0, 0.005)
    """

    def __init__(
        self,
        oracle: ProbabilisticOracle,
        *,
        budget: int | None = None,
        horizon: int | None = None,
        rate: float = 0.1,
        uniform_share: float = 0.1,
        focus: float = 0.1,
        lag: int | None = 0,
        n_features: int | None = None,
    ) -> None:
        check_shares(rate=rate, uniform_share=uniform_share, focus=focus)
        if lag is not None:
            require_whole(0, lag=lag)
        self.oracle = oracle
        self.rate = rate
        self.focus = focus
        self.lag = lag
        self.n_features = n_features
        self._outcomes = Outcomes()
        self.executor: Executor | None = None
        self.k = 0
        self.error_sum = 0.0
        self._share = uniform_share
        self._floor: float | None = None
        self._offered = self._asked = self._fitted = self._taught = 0
        self._waiting: set[int] = set()
        self._labelled = LabelStore()
        self._kept = KeptRows()
        self._foreseen = Foreseen()
        self._begun: Refit | None = None
        self._shown = from_rows([])
        self._serving: ProbabilisticClassifier | None = None
        # Of the labels as they were when it was fitted: one may have been taken back since.
        self._fitted_to: tuple[Integers, Floats] | None = None
        self._settled: ProbabilisticClassifier | None = None
        self._expected: Served | None = None
        self.plan(budget, horizon)

    def among(self, outcomes: Outcomes) -> Self:
        """Tell other classes apart than two whose mistakes cost the same; before anything else.

        Until each class has been seen, every example is asked about, for at most a fifth of the
        budget. A margin is by how much more speaks for the best than for the second best.
        """
        self._outcomes = outcomes
        self._labelled = LabelStore(outcomes.n_classes)
        self._pace = self._paced()
        return self

    def plan(self, budget: int | None, horizon: int | None, rate: float | None = None) -> None:
        """Set labels and examples in all, or the share to ask about where they are unknown."""
        if rate is not None:
            check_shares(rate=rate)
            self.rate = rate
        self.budget, self.horizon = checked_plan(budget, horizon)
        self._pace = self._paced()
        if not self._offered:
            self._floor = self._pace.uniform

    # ------------------------------------------------------------------ reading

    @property
    def n_classes(self) -> int | None:
        """The number of classes if there are more than two; labels are then codes from 0 on."""
        return self._outcomes.n_classes

    @property
    def has_costs(self) -> bool:
        """Whether some mistakes cost more than others."""
        return self._outcomes.costs is not None

    def add_class(self) -> None:
        """Make room for one more class, which was not known before."""
        self._outcomes.add_class()
        self._labelled.n_classes = self.n_classes
        self._foreseen.clear()
        self._pace = self._paced()

    @property
    def mean_error(self) -> float:
        """Importance-weighted mistakes of the predictions made at decision time, over k."""
        return self.error_sum / self.k if self.k else 0.0

    @property
    def uniform_share(self) -> float:
        """The part of the labels that is spent uniformly; the guard may have raised it."""
        return self._share

    @property
    def floor(self) -> float | None:
        """What no P is to be below, by the plan before the first example.

        P may be below it if the plan has changed since. None in what an earlier version has saved.
        """
        return self._floor

    @property
    def kept_rows(self) -> Matrix:
        """The newest rows, whatever their fate."""
        return self._kept.matrix()

    @property
    def classifier(self) -> ProbabilisticClassifier | None:
        """What predicts now; None before there was anything to fit it to."""
        return self._settled or self._serving

    @property
    def fitted(self) -> int:
        """How many labels the classifier that decides was fitted to."""
        return self._fitted

    @property
    def whole_rate(self) -> float:
        """The share of all examples that is to be asked about."""
        return prospect(self.budget, self.horizon, self.rate, offered=0, asked=0).whole

    @property
    def crossfit(self) -> tuple[Floats, Floats] | None:
        """Losses of others on the labels that the classifier was fitted to, and weights 1/P.

        Each is that of a classifier which was fitted without the label. None where there are none.
        """
        found = getattr(self._serving, "unseen", None)
        if self._serving is None or found is None or self._fitted_to is None:
            return None
        unseen = self._outcomes.widened(found, self._serving.labels)
        targets, weights = self._fitted_to
        return (self._said(unseen) != targets).astype(np.float64), weights

    def predicted(self, X: Matrix) -> Integers:
        """What the classifier that decides says of each row; to settle does not change it."""
        check_matrix(X, self.n_features)
        return self._said(self._outcomes.shares(self._serving, X))

    def _said(self, shares: Floats) -> Integers:
        return self._outcomes.best(self._outcomes.worth(shares))

    def settle(self) -> None:
        """Let all labels so far speak in predictions, until the next one comes.

        Decisions do not change by it.
        """
        if self._fitted < len(self._labelled) and self._settled is None:
            self._settled = self._fit(len(self._labelled), self._kept.matrix())

    def probabilities(self, X: Matrix) -> Floats:
        """The probability of each class for each row of a CSR array."""
        check_matrix(X, self.n_features)
        return self._outcomes.shares(self.classifier, X)

    def scores(self, X: Matrix) -> Floats:
        """What speaks for each class: its probability, or how little it is expected to cost."""
        return self._outcomes.worth(self.probabilities(X))

    def predict(self, x: Row) -> Label:
        check_row(x, self.n_features)
        return int(self.predict_many(from_rows([x]))[0])

    def predict_many(self, X: Matrix) -> Integers:
        """One prediction, -1 or +1 or a code, for each row of a CSR array."""
        return self._outcomes.best(self.scores(X))

    def said_by(self, classifier: ProbabilisticClassifier, X: Matrix) -> Integers:
        """What a classifier of this learner's oracle predicts, the costs considered."""
        if not self.has_costs:
            return classifier.predict_many(X)
        return self._outcomes.best(self._outcomes.worth(self._outcomes.shares(classifier, X)))

    # ------------------------------------------------------------------ ahead of time

    def work_in(self, executor: Executor | None) -> None:
        """Fit in an ``executor`` from now on; that changes the time and no bit."""
        self.executor = executor
        if self._begun is not None and is_lost(self._begun.future):
            self._begun = self._begin(self._begun.labels, self._begun.rows)

    def foresee(self, X: Matrix) -> None:
        """Score the rows that come next, to save time then; decisions do not change by it."""
        check_matrix(X, self.n_features)
        scored = min(len(self._foreseen), X.shape[0])
        known = self._foreseen.of(X[:scored])
        if known is None:
            scored = 0
        if scored < X.shape[0]:
            shares = self._outcomes.shares(self._serving, X[scored:])
            if known is not None and scored:
                shares = np.concatenate([known, shares])
            self._foreseen.keep(X, shares)

    # ------------------------------------------------------------------ deciding

    @property
    def remaining(self) -> int:
        """How many examples, at least one, can be decided before the rate is set anew."""
        return until_change(self._offered, self.horizon)

    def decide(self, x: Row, coin: float) -> Decision:
        check_row(x, self.n_features)
        return self.decide_many(from_rows([x]), [coin])[0]

    def decide_many(self, X: Matrix, coins: Sequence[float] | Floats) -> list[Decision]:
        """Decide for rows, up to the last one whose label cannot change what is decided next."""
        check_matrix(X, self.n_features)
        coins = require_coins(coins, X.shape[0])
        shares = self._foreseen.of(X)
        if shares is None:
            shares = self._outcomes.shares(self._serving, X)
            # Who learns what was just decided need not score it again.
            self._foreseen.keep(X, shares)
        margins = self._outcomes.ranks(self._serving, X, shares)
        verdicts = verdicts_of(shares, margins, self._pace, coins, self._outcomes)
        most = self._labels_to_change()
        places = np.flatnonzero(verdicts.queried)
        count = int(places[most - 1]) + 1 if len(places) >= most else len(coins)
        return self.decisions(np.arange(count), verdicts.at(np.arange(count)))

    def decisions(self, positions: Integers, verdicts: Verdicts) -> list[Decision]:
        """What was decided for rows that come at these ``positions``, 0 being the next."""
        pace = self._pace
        rows = zip(positions.tolist(), *(values.tolist() for values in verdicts), strict=True)
        return [
            Decision(label, True, P, asked, self._offered + at, pace.edge, pace.uniform, uniform)
            for at, label, P, asked, uniform in rows
        ]

    def _labels_to_change(self) -> int:
        """How many labels more, at least one, may change what is decided."""
        opening, classes = self._phase()
        if (self._asked >= first_fit(self.budget)) if opening else (classes < 2):
            return 1
        awaited = len(self._labelled) + len(self._waiting)
        begun = self._next_fit() if self._begun is None else self._begun.labels
        ends = [MOST if self.lag is None else begun + self.lag]
        if opening:
            ends.append(first_fit(self.budget))
        if self.budget is not None and awaited < self.budget:
            ends.append(self.budget)
        # Where labels are late, a classifier may be due already.
        return max(min(ends) - awaited, 1)

    # ------------------------------------------------------------------ learning

    def learn(self, x: Row, decision: Decision, label: Label | None) -> None:
        check_row(x, self.n_features)
        self.learn_many(from_rows([x]), [decision], [label])

    def learn_many(
        self, X: Matrix, decisions: Sequence[Decision], labels: Sequence[Label | None]
    ) -> None:
        """Learn a block of examples, exactly as if one after the other."""
        check_block(X, self.n_features, decisions, labels, self.n_classes)
        start, shares = 0, self._foreseen.of(X)
        margins = np.full(len(decisions), math.nan)
        if shares is not None:
            margins = self._outcomes.ranks(self._serving, X, shares)
            self._foreseen.drop(len(decisions))
        while start < len(decisions):
            stop = self._stretch(decisions, start)
            # A slice owns its arrays, so that rows that are kept do not keep whole files.
            block = X[start:stop]
            part = [row_at(block, i) for i in range(stop - start)]
            self._keep(part, margins[start:stop])
            self._count(part[-1], decisions[stop - 1], labels[stop - 1], stop - start)
            start = stop

    def _keep(self, rows: Sequence[Row], margins: Floats) -> None:
        self._kept.extend(rows, margins)

    def _stretch(self, decisions: Sequence[Decision], start: int) -> int:
        """Where the next examples end of which only the last can change anything."""
        for i in range(start, min(start + self.remaining, len(decisions))):
            if decisions[i].queried or decisions[i].k in self._waiting:
                return i + 1
        return min(start + self.remaining, len(decisions))

    def _count(self, x: Row, decision: Decision, label: Label | None, examples: int) -> None:
        """Count so many examples, of which the last is ``x`` with this decision and label."""
        late = decision.k in self._waiting
        if late:
            self._waiting.remove(decision.k)
            # A question that is withdrawn has its label refunded.
            self._asked -= label is None
        self._offer(examples - late, decision.k)
        self._asked += decision.queried and not late
        self.k += examples
        if label is not None:
            if decision.predicted != label:
                self.error_sum += 1.0 / decision.probability
            self._labelled.append(x, label, decision)
            self._settled = None
        self._change(label)

    def defer(self, decision: Decision) -> None:
        """Say, before the next decision, that this one's label will come later, by ``learn``."""
        self._waiting.add(decision.k)
        self._offer(1, decision.k)
        self._asked += 1
        self._foreseen.drop(1)
        self._change(None)

    def _offer(self, examples: int, k: int) -> None:
        """Count examples, the last of them decided as the k-th."""
        # Where earlier ones were erased there are fewer, but no later one may be taken for it.
        self._offered = max(self._offered + examples, k + 1)

    def _change(self, label: Label | None) -> None:
        """Fit again or set the rate anew, if that is due."""
        labels, begun = len(self._labelled), self._begun
        # At the end the last labels must count too.
        last = label is not None and labels == self.budget
        last |= self._offered == self.horizon and not self._waiting
        if labels > self._fitted and (last or (begun is None and labels >= self._next_fit())):
            self._begun = begun = self._begin(labels, self._kept.matrix())
        lag = self.lag
        if begun is not None and lag is not None and (last or labels >= begun.labels + lag):
            self._serve(begun)
        elif until_change(self._offered - 1, self.horizon) > 1 and self._paced_for == self._phase():
            return
        self._pace = self._paced()

    def _phase(self) -> tuple[bool, int]:
        """What a single label can change: whether the first were asked, and how many classes."""
        classes, first = len(self._labelled.classes), first_fit(self.budget)
        if self.budget is not None and classes < (self.n_classes or 0):
            first = max(first, self.budget // 5)
        # A third class changes nothing that is decided: only the search for it ends.
        return self._asked < first, min(classes, 2)

    # ------------------------------------------------------------------ fitting

    def _next_fit(self) -> int:
        """The number of labels at which a new classifier is due."""
        return next_fit(self._fitted, self._taught, self.budget)

    def _begin(self, labels: int, rows: Matrix) -> Refit:
        future = None
        if self.executor is not None:
            future = self.executor.submit(fit_all, self.oracle, self._samples(labels), rows)
        return Refit(labels, rows, future)

    @property
    def coming(self) -> tuple[int, Future[list[ProbabilisticClassifier]] | None] | None:
        """Of how many labels a new classifier is on its way, and its future if it is in work."""
        return None if self._begun is None else (self._begun.labels, self._begun.future)

    @property
    def served(self) -> Served:
        """The classifier by which it decides, and what came with it."""
        return Served(self._serving, self._fitted, self._share, self._fitted_to)

    @property
    def facts(self) -> State:
        """What is to be written down of the classifier that serves, for :meth:`pass_by`."""
        return {"labels": self._fitted, "share": self._share}

    def pass_by(self, facts: Mapping[str, Any]) -> None:
        """Enter that a classifier of these :attr:`facts` has served, and fit nothing."""
        self.serve(Served(None, facts["labels"], facts["share"]))

    def expect(self, served: Served) -> None:
        """Decide by this after the next :meth:`set_state`, which then fits nothing."""
        self._expected = served

    def fit_anew(self) -> None:
        """Begin a new classifier of all labels so far, whatever is on its way."""
        if len(self._labelled) >= first_fit(self.budget):
            self._begun = self._begin(len(self._labelled), self._kept.matrix())

    def serve(self, known: Served | None = None, facts: Mapping[str, Any] | None = None) -> None:
        """Decide by the classifier that is on its way, or by one that is ``known`` already.

        With the :attr:`facts` of one that has served: by it, or by what is left of it after an
        erasure.
        """
        if known is None and facts is not None:
            self._serve_again(facts)
        elif known is None:
            if self._begun is None:
                raise InvalidParameter("no classifier is on its way that could serve")
            self._serve(self._begun)
        else:
            # What it was shown is found again: some of it may have been erased since.
            refit = self._refit_of(known.labels)
            self._share = known.share
            self._install(known.classifier, refit.labels, refit.rows, known.fitted_to)
        self._pace = self._paced()

    def _serve_again(self, facts: Mapping[str, Any]) -> None:
        refit = self._refit_of(facts["labels"])
        if refit.labels:
            self._serve(refit)
        else:
            self._install(None, 0, refit.rows, None)
        # What the guard found is a fact, which cannot be found again without what was erased.
        self._share = facts["share"]

    def _refit_of(self, labels: int) -> Refit:
        """The one on its way if it is of so many labels, else one of those that are left."""
        if self._begun is not None and self._begun.labels == labels:
            return self._begun
        return Refit(min(labels, len(self._labelled)), self._kept.matrix(), None)

    def _serve(self, refit: Refit) -> None:
        labels, rows, future = refit
        if future is None:
            serving, *without = fit_all(self.oracle, self._samples(labels), rows)
        else:
            serving, *without = future.result()
        self._install(serving, labels, rows, self._labelled.weighted(labels))
        if without:
            self._guard(without[0], held_by_guard(self._labelled, labels))

    def _install(
        self,
        classifier: ProbabilisticClassifier | None,
        labels: int,
        rows: Matrix,
        fitted_to: tuple[Integers, Floats] | None,
    ) -> None:
        self._serving, self._fitted_to = classifier, fitted_to
        self._fitted, self._shown, self._begun = labels, rows, None
        self._taught = self._labelled.classes_of(labels)
        self._kept.forget_margins()
        self._foreseen.clear()

    def _fit(self, labels: int, rows: Matrix) -> ProbabilisticClassifier:
        return self.oracle.fit(*self._labelled.sample(slice(0, labels)), rows)

    def _samples(self, labels: int) -> list[tuple[Matrix, Integers, Floats]]:
        """What a classifier is fitted to, and the guard's if it wants one."""
        without = sample_of_guard(self._labelled, labels, self._share)
        return [self._labelled.sample(slice(0, labels)), *([] if without is None else [without])]

    def _guard(self, without: ProbabilisticClassifier, held_out: Integers) -> None:
        """Spend more uniformly if the focused labels have done harm."""
        X, targets, _ = self._labelled.sample(held_out)
        was_right = self._labelled.predicted(held_out) == targets
        self._share = guarded_share(self._share, self.said_by(without, X) == targets, was_right)

    # ------------------------------------------------------------------ the rate

    def _paced(self) -> Pace:
        """Probabilities at which the labels that are left last for the examples that are left."""
        ahead = prospect(
            self.budget, self.horizon, self.rate, offered=self._offered, asked=self._asked
        )
        uniform = self._share * ahead.whole
        self._paced_for = opening, classes = self._phase()
        if opening:
            return sure(uniform)
        if self._share == 1 or classes < 2:
            return all_alike(ahead, uniform)
        return focused(ahead, uniform, self._kept.margins_by(self._ranks), self.focus)

    def _ranks(self, X: Matrix) -> Floats:
        return self._outcomes.ranks(self._serving, X, self._outcomes.shares(self._serving, X))

    # ------------------------------------------------------------------ saving

    def __getstate__(self) -> State:
        """For copies and pickles, which do not work in the background."""
        begun = None if self._begun is None else self._begun._replace(future=None)
        return {**vars(self), "executor": None, "_begun": begun}

    def get_state(self) -> State:
        return {
            "k": self.k,
            "error_sum": self.error_sum,
            "offered": self._offered,
            "asked": self._asked,
            "waiting": sorted(self._waiting),
            "plan": [self.budget, self.horizon, self.rate],
            "share": self._share,
            "floor": self._floor,
            "labels": self._labelled.get_state(),
            "kept": matrix_state(self._kept.matrix()),
            "fitted": self._fitted,
            "shown": matrix_state(self._shown),
            "begun": refit_state(self._begun),
            "pace": np.array(self._pace, np.float64),
            "versions": dict(self.oracle.versions),
        }

    def set_state(self, state: State) -> None:
        """Take over a state; the classifier is found again by the oracle."""
        check_versions(saved_part(state, "versions", dict), self.oracle.versions)
        counts = ("k", "offered", "asked", "fitted")
        k, offered, asked, fitted = (saved_whole(state, name) for name in counts)
        waiting = saved_part(state, "waiting", list)
        self._waiting = {saved_whole({"k": one}, "k", most=offered) for one in waiting}
        self._labelled.set_state(saved_part(state, "labels", dict), self.n_features)
        self._outcomes.restore(self._labelled.n_classes)
        kept = matrix_from_state(saved_part(state, "kept", dict), self.n_features)
        labels = len(self._labelled)
        if not (
            k + len(self._waiting) <= offered
            and labels + len(self._waiting) == asked <= offered
            and fitted <= labels
            and kept.shape[0] == self._keeps(k, kept.shape[0])
        ):
            raise InvalidParameter("saved labels, rows and counts must agree, got some that do not")
        self.k, self._offered, self._asked, self._fitted = k, offered, asked, fitted
        self.error_sum = saved_number(state, "error_sum")
        self._share = saved_number(state, "share", most=1.0)
        self._floor = saved_floor(state)
        *plan, rate = saved_part(state, "plan", list)
        self.budget, self.horizon = checked_plan(*plan)
        self.rate = saved_number({"rate": rate}, "rate", most=1.0)
        self._pace, self._paced_for = saved_pace(state), self._phase()
        self._kept.replace(kept)
        self._foreseen.clear()
        self._settled = None
        self._shown = matrix_from_state(saved_part(state, "shown", dict), self.n_features)
        self._serving, self._fitted_to = self._found_again(fitted)
        self._taught = self._labelled.classes_of(fitted)
        self._begun = refit_from(state, len(self._labelled), self.n_features)

    def _found_again(
        self, labels: int
    ) -> tuple[ProbabilisticClassifier | None, tuple[Integers, Floats] | None]:
        """The classifier of so many labels, and what it was fitted to."""
        expected, self._expected = self._expected, None
        if not labels:
            return None, None
        if expected is not None and expected.classifier is not None:
            return expected.classifier, expected.fitted_to
        return self._fit(labels, self._shown), self._labelled.weighted(labels)

    def _keeps(self, k: int, kept: int) -> int:
        """How many rows are kept after k examples."""
        return min(k, KEPT)
