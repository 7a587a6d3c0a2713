"""The records that pass between layers: frozen, without behaviour.

Labels are -1 and +1 inside the package; a user's own labels are converted at the edge only.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Agreement",
    "Bools",
    "ChartPoint",
    "Decision",
    "Ending",
    "Event",
    "ExampleContent",
    "Floats",
    "Holds",
    "Integers",
    "Interval",
    "Label",
    "LabelPlaces",
    "Matrix",
    "Question",
    "Reason",
    "ResultRow",
    "Row",
    "Run",
    "State",
    "Stats",
    "StreamStatus",
    "WeightedSample",
]

Label = int
"""-1 or +1; for a learner that has ``n_classes`` a code from 0 on."""

Bools = NDArray[np.bool_]
Floats = NDArray[np.floating[Any]]
Integers = NDArray[np.integer[Any]]

Matrix = Any
"""A ``scipy.sparse.csr_array`` with one example per row (SciPy ships no types)."""

State = dict[str, Any]
"""A tree of dictionaries, lists, numbers, strings and arrays: all that a file can hold."""

Reason = Literal["outside", "coin", "budget"]
"""Why no label is wanted."""

Ending = Literal["stream over", "budget spent", "last budget reached", "target reached"]
"""Why a run ended: no example, no label or nothing to measure was left, or it was good enough."""


Holds = Literal["at any time", "at a fixed time", "without a guarantee"]
"""When an interval has the level that it says."""


class Interval(NamedTuple):
    """What is known of an error, or of another measure of a classifier.

    Parameters
    ----------
    estimate
        The best guess; NaN where there is none yet.
    low, high
        Where it lies.
    level
        With which probability it lies there, such as 0.95.
    of
        Of what.
    holds
        Whether it lies there at all times at once, however one looks and stops, or at a time that
        was fixed beforehand, or whether nothing is guaranteed.
    """

    estimate: float
    low: float
    high: float
    level: float
    of: str
    holds: Holds


class Row(NamedTuple):
    """The non-zero features of one example: ``values`` at ``indices``, strictly increasing.

    Oracles check a row when they first see it, so that building one costs nothing.

    >>> Row(np.array([0, 3]), np.array([1.0, -2.5])).indices.tolist()
    [0, 3]
    """

    indices: Integers
    values: Floats


class Decision(NamedTuple):
    """What was decided for one example, and all that its update will need, however late.

    Parameters
    ----------
    predicted
        The ERM's prediction, Y-tilde.
    in_disagreement
        Whether the example lies in the disagreement region.
    probability
        The query probability P; 0 outside the region.
    queried
        Whether the label is wanted: the coin fell below the probability.
    k
        Examples learned before this decision.
    threshold
        The radius Delta-hat (IWAL: A + B) as decided; infinite where there is no test.
    floor
        The smallest query probability P_min as decided; 0 where there is none.
    uniform
        Whether the coin fell below the probability with which every example is asked about: those
        are an honest random sample.
    """

    predicted: Label
    in_disagreement: bool
    probability: float
    queried: bool
    k: int
    threshold: float
    floor: float
    uniform: bool = False


class ResultRow(NamedTuple):
    """Test ``error`` when a label budget was reached, or where the stream ended before it.

    ``budget`` is the label budget, ``queries`` the labels really bought, ``examples`` the stream
    position, ``reached`` whether the budget's last label was learned.
    """

    budget: int
    queries: int
    examples: int
    error: float
    reached: bool


@dataclass(frozen=True, slots=True)
class Run:
    """What came of a learner on a stream: errors at label budgets, and how it ended.

    Parameters
    ----------
    rows
        One for each budget that was to be measured at. A budget that was not reached has what the
        run ended with.
    examples
        Examples seen.
    queries
        Labels bought.
    error
        The error at the end; NaN if nothing was measured.
    ended
        Why it ended.
    """

    rows: tuple[ResultRow, ...]
    examples: int
    queries: int
    error: float
    ended: Ending


class Question(NamedTuple):
    """The answer to ``ask``.

    Parameters
    ----------
    id
        The number of the example, for :meth:`askance.live.active_learner.ActiveLearner.tell`.
    wanted
        Whether a label is wanted.
    reason
        Why not: ``"outside"`` the disagreement region, the ``"coin"`` fell above the probability,
        or the ``"budget"`` is spent. None if a label is wanted.
    probability
        P, with which a label would be asked.
    weight
        The importance weight of the label, 1/P, for later use; 0 if none is wanted.
    predicted
        The prediction, -1 or +1, or a code where there are more classes.
    """

    id: int
    wanted: bool
    reason: Reason | None
    probability: float
    weight: float
    predicted: Label


@dataclass(frozen=True, slots=True)
class Stats:
    """Where an :class:`askance.live.active_learner.ActiveLearner` stands.

    ``seen`` examples were offered, ``refused`` of them for lack of budget, and ``learned`` is how
    many were learned so far; ``asked`` labels were asked for, of which ``answered`` came,
    ``pending`` are awaited and ``withdrawn`` were given up. ``query_rate`` is asked over those
    offered and not refused, ``predicted_share`` the share of the learned examples that were learned
    from the learner's own predictions, ``mean_error`` its progressive error estimate, and
    ``warning`` a sentence if it has collapsed into its guesses. ``error`` is the mean error of the
    predictions so far, each made before its label was learned, with an interval that holds whenever
    you look; None before the first label, and where nothing is known: a learner that asks nothing
    outside its region, or a file of an earlier version.

    ``current`` is the error of the classifier itself, by ``held_out`` labels that nothing learned
    from, with an interval that holds whenever you look; its ``of`` says of how many labels the
    classifier was made. None without held-out labels. ``crossfit`` is a narrower figure of the same
    without a guarantee: each label is predicted by classifiers that were fitted to others. None
    where the learner does not do that. Of ``audited`` labels outside the region, ``contradicted``
    were not what the learner had taken them for.
    """

    seen: int
    learned: int
    refused: int
    asked: int
    answered: int
    pending: int
    withdrawn: int
    query_rate: float
    predicted_share: float
    mean_error: float
    warning: str | None
    error: Interval | None = None
    current: Interval | None = None
    crossfit: Interval | None = None
    held_out: int = 0
    audited: int = 0
    contradicted: int = 0


class WeightedSample(NamedTuple):
    """The labels that were bought, each with the weight that makes up for those that were not.

    For a fixed classifier h, the sum of ``weight`` where h is wrong, over ``n``, estimates the
    error of h; for which learners without bias, the page on the weighted sample says.

    Parameters
    ----------
    X
        A CSR array with one row for each answered question, in the order of the questions.
    y
        The labels, -1 or +1, or codes where there are more classes.
    weight
        1/P, where P is the probability with which the label was asked.
    n
        Examples that were offered and not refused for lack of budget.
    ids
        The ids of the questions.
    """

    X: Matrix
    y: Integers
    weight: NDArray[np.float64]
    n: int
    ids: NDArray[np.int64]


class Event(NamedTuple):
    """Something that happened to a stream: a fact, which is never changed.

    Parameters
    ----------
    position
        Its place in the stream's log, from 1 on.
    kind
        What happened, such as ``"offered"`` or ``"answered"``.
    at
        When, in seconds since 1970.
    actor
        Who did it, if it was somebody.
    number
        The number of the example that it is about, from 0 on.
    key
        A name that no other event of the stream may have, so that a retry is noticed.
    wanted
        Whether people have to do with it; else it is an example about which nothing was asked.
    data
        The rest, as JSON has it.
    """

    position: int
    kind: str
    at: float
    actor: str | None = None
    number: int | None = None
    key: str | None = None
    wanted: bool = True
    data: Mapping[str, Any] = {}


class ExampleContent(NamedTuple):
    """What an example holds: its ``record`` as JSON, and its ``row`` of features.

    Both are None once it was erased.
    """

    record: str | None
    row: Row | None


class LabelPlaces(NamedTuple):
    """Where the labels of a weighted sample stood in the stream, in its order.

    Parameters
    ----------
    positions
        From 0 on, among the examples that were offered and not refused.
    least
        The smallest probability of the examples, since the label before, that were not asked about;
        1 if there are none.
    unanswered
        The probabilities of the questions, since the label before, that have no answer.
    """

    positions: NDArray[np.int64]
    least: NDArray[np.float64]
    unanswered: list[tuple[float, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamStatus:
    """Where the stream of an ``id`` and a ``name`` stands, and its ``state``.

    ``seen`` examples came in, of which ``refused`` were left out for lack of budget; ``asked``
    questions were asked, of which ``waiting`` want replies, ``tied`` an admin's word, ``answered``
    have a label and ``withdrawn`` were given up. ``left`` is how many labels may still be bought,
    ``query_rate`` the share of examples that were asked about since the start and ``rate_now`` that
    of the last ones, ``error`` that of the predictions so far, ``classes`` how often each label was
    given, and ``reason`` a sentence on why no question waits, if none does. ``refitting`` tells
    whether a new classifier comes, and ``fitted`` of how many labels the one is that serves.
    ``warning`` is a sentence if the learner may have gone astray.
    """

    id: str
    name: str
    state: str
    seen: int
    refused: int
    asked: int
    answered: int
    waiting: int
    tied: int
    withdrawn: int
    left: int | None
    query_rate: float
    rate_now: float
    error: Interval | None
    classes: dict[str, int]
    reason: str | None
    refitting: bool
    fitted: int
    warning: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChartPoint:
    """What was known after so many ``labels``, when so many examples had been ``seen``.

    ``error`` is that of the predictions, from ``low`` to ``high``; ``query_rate`` and ``rate_now``
    are as in :class:`StreamStatus`, and ``classes`` how often each label was given. ``rate_now`` is
    None in points that are older than it.
    """

    labels: int
    seen: int
    query_rate: float
    error: float | None
    low: float | None
    high: float | None
    classes: dict[str, int]
    rate_now: float | None = None


class Agreement(NamedTuple):
    """Agreement of people on the questions that several of them answered.

    ``fleiss`` is that of all together, ``pairs`` Cohen's kappa of each two, and ``questions`` how
    many were answered by two people or more. A kappa is None where chance alone would agree always.
    """

    questions: int
    fleiss: float | None
    pairs: Mapping[tuple[str, str], float | None]
