"""A learner with nothing to tune: it keeps its labels, refits, and paces its questions.

It is for people who have a label budget B for N examples. A small part of the budget is spent
uniformly, with the same probability everywhere. The rest goes to the examples about which the
classifier is least sure, at a rate that lets the budget last for the whole stream.
"""

import logging
import math
from collections import deque
from collections.abc import Sequence
from concurrent.futures import Executor, Future
from typing import NamedTuple

import numpy as np

from askance.errors import InvalidParameter
from askance.learners.label_store import LabelStore
from askance.learners.sample import matrix_from_state, matrix_state
from askance.protocols import ProbabilisticClassifier, ProbabilisticOracle
from askance.sparse import empty, from_rows, row_at, rows_of
from askance.types import Decision, Floats, Integers, Label, Matrix, Row, State
from askance.validation import (
    check_block,
    check_matrix,
    check_row,
    require_coins,
    require_positive,
    require_whole,
    saved_array,
    saved_number,
    saved_part,
    saved_whole,
)

__all__ = ["Auto"]

_LOG = logging.getLogger("askance")

KEPT = 2000
"""The newest rows that are kept, whatever their fate."""

STEP = 256
"""Examples after which the rate is set anew."""

FIRST = 20
"""Labels that are bought before there is a classifier."""

GROWTH = 0.35
"""By how much the labels grow before the classifier is fitted again."""

ABOVE = 2.0
"""An edge above every margin."""

MOST_UNIFORM = 0.5
"""What the guard may raise the uniform share to."""

LEVEL = 0.05
"""The level of the guard's test."""


_NOTHING: tuple[Matrix, Floats] = empty(), np.zeros((0, 2))


_Sample = tuple[Matrix, Integers, Floats]


class _Pace(NamedTuple):
    """P until the next change: ``inside`` below the ``edge``, ``tied`` at it, else ``least``.

    ``uniform`` is the probability with which every example is asked about, whatever its margin.
    """

    edge: float
    inside: float
    tied: float
    least: float
    uniform: float


class _Refit(NamedTuple):
    """A classifier on its way: of the first ``labels`` labels and the ``rows`` kept by then.

    With it comes the guard's, if it wants one.
    """

    labels: int
    rows: Matrix
    future: "Future[list[ProbabilisticClassifier]] | None"


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
        (:meth:`work_in`).
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
        lag: int = 0,
        n_features: int | None = None,
    ) -> None:
        _check_shares(rate=rate, uniform_share=uniform_share, focus=focus)
        require_whole(0, lag=lag)
        self.oracle = oracle
        self.rate = rate
        self.focus = focus
        self.lag = lag
        self.n_features = n_features
        self.executor: Executor | None = None
        self.k = 0
        self.error_sum = 0.0
        self._share = uniform_share
        self._offered = self._asked = self._fitted = self._taught = 0
        self._waiting: set[int] = set()
        self._labelled = LabelStore()
        self._kept: deque[Row] = deque(maxlen=KEPT)
        # Of the rows that are kept, by the classifier that serves; NaN where it is not known yet.
        self._margins: deque[float] = deque(maxlen=KEPT)
        self._known: tuple[Matrix, Floats] = _NOTHING
        self._begun: _Refit | None = None
        self._shown = from_rows([])
        self._serving: ProbabilisticClassifier | None = None
        self._settled: ProbabilisticClassifier | None = None
        self.plan(budget, horizon)

    def plan(self, budget: int | None, horizon: int | None, rate: float | None = None) -> None:
        """Set labels and examples in all, or the share to ask about where they are unknown."""
        if rate is not None:
            _check_shares(rate=rate)
            self.rate = rate
        self.budget, self.horizon = _checked_plan(budget, horizon)
        self._pace = self._paced()

    # ------------------------------------------------------------------ reading

    @property
    def mean_error(self) -> float:
        """Importance-weighted mistakes of the predictions made at decision time, over k."""
        return self.error_sum / self.k if self.k else 0.0

    @property
    def uniform_share(self) -> float:
        """The part of the labels that is spent uniformly; the guard may have raised it."""
        return self._share

    @property
    def kept_rows(self) -> Matrix:
        """The newest rows, whatever their fate."""
        return from_rows(list(self._kept))

    @property
    def classifier(self) -> ProbabilisticClassifier | None:
        """What predicts now; None before there was anything to fit it to."""
        return self._settled or self._serving

    def settle(self) -> None:
        """Let all labels so far speak in predictions, until the next one comes.

        Decisions do not change by it.
        """
        if self._fitted < len(self._labelled) and self._settled is None:
            self._settled = self._fit(len(self._labelled), from_rows(list(self._kept)))

    def probabilities(self, X: Matrix) -> Floats:
        """The probability of each class for each row of a CSR array."""
        check_matrix(X, self.n_features)
        return _shares(self.classifier, X)

    def predict(self, x: Row) -> Label:
        check_row(x, self.n_features)
        return int(_predicted(_shares(self.classifier, from_rows([x])))[0])

    def predict_many(self, X: Matrix) -> Integers:
        """One prediction, -1 or +1, for each row of a CSR array."""
        return _predicted(self.probabilities(X))

    # ------------------------------------------------------------------ ahead of time

    def work_in(self, executor: Executor | None) -> None:
        """Fit in an ``executor`` from now on; that changes the time and no bit."""
        self.executor = executor
        if self._begun is not None and self._begun.future is None:
            self._begun = self._begin(self._begun.labels, self._begun.rows)

    def foresee(self, X: Matrix) -> None:
        """Score the rows that come next, to save time then; decisions do not change by it."""
        check_matrix(X, self.n_features)
        scored = min(self._known[0].shape[0], X.shape[0])
        if self._recalled(X[:scored]) is None:
            scored = 0
        if scored < X.shape[0]:
            shares = self._known[1][:scored], _shares(self._serving, X[scored:])
            self._known = X, np.concatenate(shares)

    # ------------------------------------------------------------------ deciding

    @property
    def remaining(self) -> int:
        """How many examples, at least one, can be decided before the rate is set anew."""
        return STEP - self._offered % STEP

    def decide(self, x: Row, coin: float) -> Decision:
        check_row(x, self.n_features)
        return self.decide_many(from_rows([x]), [coin])[0]

    def decide_many(self, X: Matrix, coins: Sequence[float] | Floats) -> list[Decision]:
        """Decide for rows, up to the last one whose label cannot change what is decided next."""
        check_matrix(X, self.n_features)
        coins = require_coins(coins, X.shape[0])
        shares, pace = self._recalled(X), self._pace
        if shares is None:
            shares = _shares(self._serving, X)
            # Kept only to save time: who learns what was just decided need not score it again.
            self._known = X, shares
        margins = _margins(shares)
        P = np.where(margins < pace.edge, pace.inside, pace.least)
        P[margins == pace.edge] = pace.tied
        queried = coins < P
        most = self._labels_to_change()
        places = np.flatnonzero(queried)
        count = int(places[most - 1]) + 1 if len(places) >= most else len(coins)
        columns = (_predicted(shares), P, queried, coins < pace.uniform)
        rows = zip(*(values[:count].tolist() for values in columns), strict=True)
        return [
            Decision(label, True, p, asked, self._offered + i, pace.edge, pace.uniform, uniform)
            for i, (label, p, asked, uniform) in enumerate(rows)
        ]

    def _labels_to_change(self) -> int:
        """How many labels more, at least one, may change what is decided."""
        opening, classes = self._phase()
        if classes < 2 and not opening:
            return 1
        awaited = len(self._labelled) + len(self._waiting)
        begun = self._next_fit() if self._begun is None else self._begun.labels
        ends = [begun + self.lag]
        if opening:
            ends.append(self._first())
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
        check_block(X, self.n_features, decisions, labels)
        start, shares = 0, self._recalled(X)
        margins = np.full(len(decisions), math.nan) if shares is None else _margins(shares)
        if shares is not None:
            self._forget(len(decisions))
        while start < len(decisions):
            stop = self._stretch(decisions, start)
            # A slice owns its arrays, so that rows that are kept do not keep whole files.
            part = X[start:stop]
            self._kept.extend(row_at(part, i) for i in range(stop - start))
            self._margins.extend(margins[start:stop])
            self._count(decisions[stop - 1], labels[stop - 1], stop - start)
            start = stop

    def _recalled(self, X: Matrix) -> Floats | None:
        """Probabilities of rows that were scored already, if they come next."""
        known, shares = self._known
        n = X.shape[0]
        if n <= known.shape[0] and np.array_equal(X.indptr, known.indptr[: n + 1]):
            places = slice(0, X.indptr[-1])
            if np.array_equal(X.indices, known.indices[places]) and np.array_equal(
                X.data, known.data[places]
            ):
                return shares[:n]
        return None

    def _forget(self, n: int) -> None:
        """Drop the first rows that were scored."""
        known, shares = self._known
        self._known = (known[n:], shares[n:]) if n < known.shape[0] else _NOTHING

    def _stretch(self, decisions: Sequence[Decision], start: int) -> int:
        """Where the next examples end of which only the last can change anything."""
        for i in range(start, min(start + self.remaining, len(decisions))):
            if decisions[i].queried or decisions[i].k in self._waiting:
                return i + 1
        return min(start + self.remaining, len(decisions))

    def _count(self, decision: Decision, label: Label | None, examples: int) -> None:
        """Count so many examples, of which the last has this decision and label."""
        late = decision.k in self._waiting
        if late:
            self._waiting.remove(decision.k)
            # A question that is withdrawn has its label refunded.
            self._asked -= label is None
        self._offered += examples - late
        self._asked += decision.queried and not late
        self.k += examples
        if label is not None:
            if decision.predicted != label:
                self.error_sum += 1.0 / decision.probability
            self._labelled.append(self._kept[-1], label, decision)
            self._settled = None
        self._change(label)

    def defer(self, decision: Decision) -> None:
        """Say, before the next decision, that this one's label will come later, by ``learn``."""
        self._waiting.add(decision.k)
        self._offered += 1
        self._asked += 1
        self._forget(1)
        self._change(None)

    def _change(self, label: Label | None) -> None:
        """Fit again or set the rate anew, if that is due."""
        labels, begun = len(self._labelled), self._begun
        # At the end the last labels must count too.
        last = label is not None and labels == self.budget
        last |= self._offered == self.horizon and not self._waiting
        if labels > self._fitted and (last or (begun is None and labels >= self._next_fit())):
            self._begun = begun = self._begin(labels, from_rows(list(self._kept)))
        if begun is not None and (last or labels >= begun.labels + self.lag):
            self._serve(begun)
        elif self._offered % STEP and self._paced_for == self._phase():
            return
        self._pace = self._paced()

    def _phase(self) -> tuple[bool, int]:
        """What a single label can change: whether the first were asked, and how many classes."""
        return self._asked < self._first(), len(self._labelled.classes)

    # ------------------------------------------------------------------ fitting

    def _first(self) -> int:
        return FIRST if self.budget is None else max(1, min(FIRST, self.budget // 5))

    def _next_fit(self) -> int:
        """The number of labels at which a new classifier is due."""
        # One class is as good as none: the first label of another counts at once.
        growth = GROWTH if self._taught > 1 else 0.0
        return max(self._first(), self._fitted + 1, math.ceil(self._fitted * (1 + growth)))

    def _begin(self, labels: int, rows: Matrix) -> _Refit:
        future = None
        if self.executor is not None:
            future = self.executor.submit(_fit_all, self.oracle, self._samples(labels), rows)
        return _Refit(labels, rows, future)

    def _serve(self, refit: _Refit) -> None:
        labels, rows, future = refit
        if future is None:
            self._serving, *without = _fit_all(self.oracle, self._samples(labels), rows)
        else:
            self._serving, *without = future.result()
        self._fitted, self._shown, self._begun = labels, rows, None
        self._taught = self._labelled.classes_of(labels)
        self._margins = deque([math.nan] * len(self._kept), KEPT)
        self._known = _NOTHING
        if without:
            self._guard(without[0], self._honest(labels)[1])

    def _fit(self, labels: int, rows: Matrix) -> ProbabilisticClassifier:
        return self.oracle.fit(*self._labelled.sample(slice(0, labels)), rows)

    def _samples(self, labels: int) -> list[_Sample]:
        """What a classifier is fitted to, and the guard's if it wants one."""
        samples = [self._labelled.sample(slice(0, labels))]
        first, _ = self._honest(labels)
        if len(first) >= FIRST // 2 and self._share < MOST_UNIFORM:
            without = self._labelled.sample(first)
            if len(set(without[1].tolist())) > 1:
                samples.append(without)
        return samples

    def _honest(self, labels: int) -> tuple[Integers, Integers]:
        """The two halves of the uniform ones among the first labels."""
        chosen = self._labelled.uniform()
        chosen = chosen[chosen < labels]
        half = len(chosen) // 2
        return chosen[:half], chosen[half:]

    def _guard(self, without: ProbabilisticClassifier, held_out: Integers) -> None:
        """Spend more uniformly if the focused labels have done harm.

        The second half of the uniform labels is predicted by a classifier that was fitted to their
        first half, and was predicted as decided. A sign test compares the two.
        """
        X, targets, _ = self._labelled.sample(held_out)
        right = without.predict_many(X) == targets
        was_right = self._labelled.predicted(held_out) == targets
        worse, better = int(np.sum(right & ~was_right)), int(np.sum(was_right & ~right))
        if _sign_test(worse, better) < LEVEL:
            self._share = min(2 * self._share, MOST_UNIFORM)

    # ------------------------------------------------------------------ the rate

    def _paced(self) -> _Pace:
        """Probabilities at which the labels that are left last for the examples that are left."""
        whole, left, coming = self._rates()
        uniform = self._share * whole
        self._paced_for = opening, classes = self._phase()
        if opening:
            return _Pace(ABOVE, 1.0, 1.0, 1.0, uniform)
        if self._share == 1 or classes < 2:
            # All alike; the last label is not given up while one may be bought.
            rate = min(max(left, 1) / coming, 1.0)
            return _Pace(-1.0, rate, rate, rate, min(uniform, rate))
        spare = (left - uniform * coming - 2 * math.sqrt(uniform * coming)) / coming
        return self._focused(min(max(spare, 0.0), 1.0), uniform)

    def _rates(self) -> tuple[float, float, float]:
        """The rate of the whole stream, and labels and examples that are left."""
        whole = self.rate
        if self.budget is not None and self.horizon is not None:
            whole = min(self.budget / self.horizon, 1.0)
            if self._offered < self.horizon:
                left = max(self.budget - self._asked, 0)
                return whole, left, self.horizon - self._offered
        # Without an end, or beyond it: so many that chance does not count.
        return whole, whole * 1e9, 1e9

    def _focused(self, rate: float, uniform: float) -> _Pace:
        """Ask at this rate, among the share of the newest rows with the smallest margins."""
        unknown = [i for i, margin in enumerate(self._margins) if math.isnan(margin)]
        if unknown:
            shares = _shares(self._serving, from_rows([self._kept[i] for i in unknown]))
            for i, margin in zip(unknown, _margins(shares).tolist(), strict=True):
                self._margins[i] = margin
        margins = np.sort(np.array(self._margins))
        width = max(rate, self.focus)
        edge = margins[min(int(width * len(margins)), len(margins) - 1)]
        below, upto = np.searchsorted(margins, edge), np.searchsorted(margins, edge, "right")
        share = min(float(width * len(margins) - below) / float(upto - below), 1.0)
        inside = max(rate / width, uniform) if width else 1.0
        return _Pace(float(edge), inside, max(share * inside, uniform), uniform, uniform)

    # ------------------------------------------------------------------ saving

    def __getstate__(self) -> State:
        """For copies and pickles, which do not work in the background."""
        begun = None if self._begun is None else self._begun._replace(future=None)
        return {**vars(self), "executor": None, "_begun": begun}

    def get_state(self) -> State:
        begun = self._begun
        return {
            "k": self.k,
            "error_sum": self.error_sum,
            "offered": self._offered,
            "asked": self._asked,
            "waiting": sorted(self._waiting),
            "plan": [self.budget, self.horizon, self.rate],
            "share": self._share,
            "labels": self._labelled.get_state(),
            "kept": matrix_state(from_rows(list(self._kept))),
            "fitted": self._fitted,
            "shown": matrix_state(self._shown),
            "begun": None if begun is None else [begun.labels, matrix_state(begun.rows)],
            "pace": np.array(self._pace, np.float64),
            "versions": dict(self.oracle.versions),
        }

    def set_state(self, state: State) -> None:
        """Take over a state; the classifier is found again by the oracle."""
        if (found := saved_part(state, "versions", dict)) != self.oracle.versions:
            _LOG.warning(
                "this learner was saved with %s and is fitted again with %s: its next questions "
                "and predictions may differ", *map(_listed, (found, self.oracle.versions))
            )  # fmt: skip
        counts = ("k", "offered", "asked", "fitted")
        k, offered, asked, fitted = (saved_whole(state, name) for name in counts)
        waiting = saved_part(state, "waiting", list)
        self._waiting = {saved_whole({"k": one}, "k", most=offered) for one in waiting}
        self._labelled.set_state(saved_part(state, "labels", dict), self.n_features)
        kept = matrix_from_state(saved_part(state, "kept", dict), self.n_features)
        labels = len(self._labelled)
        if not (
            k + len(self._waiting) == offered
            and labels + len(self._waiting) == asked <= offered
            and fitted <= labels
            and kept.shape[0] == min(k, KEPT)
        ):
            raise InvalidParameter("saved labels, rows and counts must agree, got some that do not")
        self.k, self._offered, self._asked, self._fitted = k, offered, asked, fitted
        self.error_sum = saved_number(state, "error_sum")
        self._share = saved_number(state, "share", most=1.0)
        *plan, rate = saved_part(state, "plan", list)
        self.budget, self.horizon = _checked_plan(*plan)
        self.rate = saved_number({"rate": rate}, "rate", most=1.0)
        self._pace, self._paced_for = _saved_pace(state), self._phase()
        self._kept = deque(rows_of(kept), KEPT)
        self._margins = deque([math.nan] * len(self._kept), KEPT)
        self._known, self._settled = _NOTHING, None
        self._shown = matrix_from_state(saved_part(state, "shown", dict), self.n_features)
        self._serving = self._fit(fitted, self._shown) if fitted else None
        self._taught = self._labelled.classes_of(fitted)
        self._begun = None
        if state["begun"] is not None:
            at, rows = saved_part(state, "begun", list)
            self._begun = _Refit(
                saved_whole({"labels": at}, "labels", most=labels),
                matrix_from_state(rows, self.n_features),
                None,
            )


def _fit_all(
    oracle: ProbabilisticOracle, samples: Sequence[_Sample], rows: Matrix
) -> list[ProbabilisticClassifier]:
    return [oracle.fit(*sample, rows) for sample in samples]


def _check_shares(**shares: float) -> None:
    require_positive(**shares)
    for name, share in shares.items():
        if share > 1:
            raise InvalidParameter(f"{name} must be at most 1, got {share}")


def _listed(versions: State) -> str:
    return ", ".join(f"{name} {version}" for name, version in sorted(versions.items())) or "others"


def _checked_plan(budget: int | None, horizon: int | None) -> tuple[int | None, int | None]:
    for name, count in {"budget": budget, "horizon": horizon}.items():
        if count is not None:
            require_whole(1, **{name: count})
    return budget, horizon


def _saved_pace(state: State) -> _Pace:
    edge, *shares = saved_array(state, "pace", "f", length=len(_Pace._fields)).tolist()
    if not (-1 <= edge <= ABOVE and all(0 < share <= 1 for share in shares)):
        raise InvalidParameter(f"a saved pace must be an edge and four shares, got {state['pace']}")
    return _Pace(edge, *shares)


def _shares(classifier: ProbabilisticClassifier | None, X: Matrix) -> Floats:
    """Probabilities of the classes; before there is a classifier, it is the first."""
    if classifier is None:
        return np.tile([1.0, 0.0], (X.shape[0], 1))
    return classifier.probabilities(X)


def _predicted(shares: Floats) -> Integers:
    return np.where(shares[:, 1] > shares[:, 0], 1, -1)


def _margins(shares: Floats) -> Floats:
    """Best less second best. Rounded, so that how many rows stand together never matters."""
    best = np.partition(shares, -2, axis=1)
    return np.round(best[:, -1] - best[:, -2], 9)


def _sign_test(worse: int, better: int) -> float:
    """The chance of so many or more among as many tosses of a fair coin.

    >>> _sign_test(3, 0)
    0.125
    """
    n = worse + better
    return float(sum(math.comb(n, i) for i in range(worse, n + 1)) / 2**n)
