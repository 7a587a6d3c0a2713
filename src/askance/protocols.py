"""What the parts of askance expect of each other.

A learner is *handed* its oracles, so anything that has these methods will do. ``askance.checks``
holds an executable suite for each protocol.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future
from typing import Any, Protocol, cast, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from askance.types import (
    Decision,
    Event,
    ExampleContent,
    Floats,
    Integers,
    Label,
    Matrix,
    Row,
    State,
)

__all__ = [
    "BatchClassifier",
    "BatchOracle",
    "BlockLearner",
    "ClassLearner",
    "ClassOracle",
    "Classifier",
    "DiscerningClassifier",
    "EventLog",
    "ExactFlipOracle",
    "ExactOracle",
    "LateLearner",
    "Learner",
    "OnlineOracle",
    "PacedLearner",
    "ProbabilisticClassifier",
    "ProbabilisticOracle",
    "RefittingLearner",
    "n_classes_of",
    "refitting",
]


@runtime_checkable
class Classifier(Protocol):
    """h: one prediction, exactly -1 or +1."""

    def predict(self, x: Row) -> Label: ...


@runtime_checkable
class OnlineOracle(Classifier, Protocol):
    """A stateful, importance-weighted minimiser: O_t of ``alg:cover``.

    ``learning_rate`` is read by the margin form of the disagreement test only.
    """

    @property
    def learning_rate(self) -> float: ...

    def observe(self, x: Row) -> None:
        """Take note of the features' scales; called once for each example that is learned."""

    def margin(self, x: Row) -> float:
        """The real-valued score whose sign is the prediction (0 counts as -1)."""

    def learn(self, x: Row, target: Label, weight: float) -> float:
        """One importance-weighted example; weight 0 changes nothing. Returns the new margin."""

    def flip_weight(self, x: Row) -> float:
        """The weight of an opposite-label example that would bring the margin to zero.

        At the rates that one of weight 1 would find, should they depend on the weight.
        """

    def get_state(self) -> State: ...

    def set_state(self, state: State) -> None: ...


@runtime_checkable
class ExactFlipOracle(OnlineOracle, Protocol):
    """An online oracle that the ``"exact"`` form of the disagreement test can ask."""

    def exact_flip_weight(self, x: Row) -> float:
        """The weight of an opposite-label example that, learned, leaves the margin at zero."""


@runtime_checkable
class ClassOracle(OnlineOracle, Protocol):
    """An online oracle of several classes: targets and predictions are codes from 0 on.

    Its ``margin`` is half of what the best class has ahead of the second, and its ``flip_weight``
    the least weight of an example of another class after which that class wins.
    """

    @property
    def n_classes(self) -> int: ...

    @property
    def is_squared(self) -> bool:
        """Whether the margins are costs, of which the lowest is the best."""

    def margins(self, x: Row) -> Floats:
        """The margin or the cost of each class."""

    def scores(self, X: Matrix) -> Floats:
        """For each row of a CSR matrix a score of each class, the higher the better."""

    def probabilities(self, X: Matrix) -> Floats:
        """For each row of a CSR matrix what each class is given, of 1 in all."""

    def sensitivities(self, x: Row, target: float = 0.0, weight: float = 1.0) -> Floats:
        """How fast an update of ``weight`` would move the margin of each class."""

    def price(self, target: Label, predicted: Label) -> float:
        """What predicting a class costs more than the right one, of the largest cost 1."""

    def learn_lanes(self, x: Row, targets: Floats, weights: Floats) -> None:
        """Teach each class, and last the one that is none of them, its own target and weight."""

    def add_class(self) -> None:
        """Make room for one more class, which starts as what is none of the others."""


@runtime_checkable
class BatchClassifier(Classifier, Protocol):
    """A classifier that also answers for a whole matrix at once."""

    def predict_many(self, X: Matrix) -> Integers:
        """One prediction, -1 or +1, for each row of a CSR matrix."""


@runtime_checkable
class BatchOracle(Protocol):
    """Empirical risk minimisation on a weighted sample: ``fit`` returns a new classifier.

    ``X`` is a SciPy CSR array; columns that it lacks count as zero. The order of its rows carries
    no meaning, rows of weight 0 change nothing, and an empty sample is allowed.
    """

    def fit(self, X: Matrix, targets: Integers, weights: Floats) -> BatchClassifier: ...


@runtime_checkable
class ExactOracle(BatchOracle, Protocol):
    """A batch oracle that can also answer the constrained question for many points at once."""

    def constrained_errors(
        self, X: Matrix, targets: Integers, weights: Floats, points: Matrix, sides: Integers
    ) -> Floats:
        """For each point, the least weighted error of a classifier that says ``sides`` there.

        A sum over the sample, not a mean; infinite where no classifier does.
        """


@runtime_checkable
class ProbabilisticClassifier(BatchClassifier, Protocol):
    """A classifier that gives each class a probability.

    ``labels`` are those of the classes, in their order; read only where labels are codes.
    """

    @property
    def labels(self) -> Integers: ...

    def probabilities(self, X: Matrix) -> Floats:
        """A row of probabilities, one for each class in their order, for each row of X."""


@runtime_checkable
class DiscerningClassifier(Protocol):
    """A classifier that knows which rows say too little for their labels to teach much."""

    def is_faint(self, X: Matrix) -> NDArray[np.bool_]:
        """Whether a row says too little, for each row of X."""


@runtime_checkable
class ProbabilisticOracle(Protocol):
    """Fits a classifier with probabilities to labels, and to rows that have none."""

    def fit(
        self, X: Matrix, targets: Integers, importance: Floats, unlabeled: Matrix
    ) -> ProbabilisticClassifier:
        """``importance`` is 1/P of each label, for whatever use it is."""

    @property
    def versions(self) -> dict[str, str]:
        """Versions of the libraries that decide the bits of a fit."""


@runtime_checkable
class Learner(Protocol):
    """The three verbs of every algorithm.

    ``decide`` changes nothing; ``learn`` is the only mutation, and is called for every example,
    labelled or not. The coin is uniform on [0, 1) and belongs to the caller.
    """

    @property
    def k(self) -> int:
        """Examples learned so far."""

    @property
    def mean_error(self) -> float:
        """The progressive error estimate e."""

    def predict(self, x: Row) -> Label: ...

    def decide(self, x: Row, coin: float) -> Decision: ...

    def learn(self, x: Row, decision: Decision, label: Label | None) -> None: ...

    def get_state(self) -> State: ...

    def set_state(self, state: State) -> None: ...


@runtime_checkable
class ClassLearner(Learner, Protocol):
    """A learner that may tell three classes or more apart, and scores each of them.

    If it has ``n_classes``, its labels are codes from 0 on; if that is None, -1 and +1.
    """

    @property
    def n_classes(self) -> int | None: ...

    def add_class(self) -> None:
        """Make room for one more class, whose code is the next."""

    def predict_many(self, X: Matrix) -> Integers:
        """The label of the largest score for each row, the first of several."""

    def scores(self, X: Matrix) -> Floats:
        """What speaks for each class, for each row of X."""

    def probabilities(self, X: Matrix) -> Floats:
        """A row of probabilities, one for each class in their order, for each row of X."""


def n_classes_of(learner: object) -> int | None:
    """How many classes a learner has if its labels are codes; None where they are -1 and +1."""
    n_classes: int | None = getattr(learner, "n_classes", None)
    return n_classes


@runtime_checkable
class LateLearner(Learner, Protocol):
    """A learner that waits for the labels it is told are late, as learners in epochs do."""

    def defer(self, decision: Decision) -> None:
        """Say, before the next decision, that this one will be learned later."""


@runtime_checkable
class PacedLearner(LateLearner, Protocol):
    """A learner that spreads a budget over a stream, and gives probabilities.

    ``horizon`` is the number of examples that it plans for, or None.
    """

    horizon: int | None

    @property
    def fitted(self) -> int:
        """How many labels the classifier that decides was fitted to."""

    @property
    def whole_rate(self) -> float:
        """The share of all examples that is to be asked about."""

    @property
    def kept_rows(self) -> Matrix:
        """The newest rows, whatever their fate."""

    @property
    def crossfit(self) -> tuple[Floats, Floats] | None:
        """Of the labels that it was fitted to, losses of classifiers without them, and 1/P."""

    def predicted(self, X: Matrix) -> Integers:
        """What the classifier that decides says of each row; to settle does not change it."""

    def plan(self, budget: int | None, horizon: int | None, rate: float | None = None) -> None:
        """Set labels and examples in all, or the share to ask about where they are unknown."""

    def settle(self) -> None:
        """Let all labels so far speak in predictions, until the next one comes."""

    def work_in(self, executor: Executor | None) -> None:
        """Fit in an executor from now on; that changes the time and no bit."""

    def foresee(self, X: Matrix) -> None:
        """Score the rows that come next, to save time then; decisions do not change by it."""

    def probabilities(self, X: Matrix) -> Floats:
        """A row of probabilities, one for each class in their order, for each row of X."""


@runtime_checkable
class RefittingLearner(LateLearner, Protocol):
    """A learner whose fits are made elsewhere, and serve when it is told to (``lag=None``).

    Meanwhile what was fitted before goes on deciding.
    """

    @property
    def coming(self) -> tuple[int, Future[Any] | None] | None:
        """Of how many labels a fit is on its way, and its future if it is in work."""

    @property
    def fitted(self) -> int:
        """How many labels what decides was fitted to."""

    @property
    def served(self) -> Any:
        """What decides, for another learner of the same stream (``serve``, ``expect``)."""

    @property
    def facts(self) -> State:
        """What is to be written down of it, in plain values."""

    def work_in(self, executor: Executor | None) -> None:
        """Fit in an executor from now on; that changes the time and no bit."""

    def fit_anew(self) -> None:
        """Begin a fit of all labels so far, whatever is on its way."""

    def serve(self, known: Any = None, facts: Mapping[str, Any] | None = None) -> None:
        """Decide by the fit that is on its way, or by what another one ``served``.

        With the ``facts`` of one that has served: by what is left of it after an erasure.
        """

    def pass_by(self, facts: Mapping[str, Any]) -> None:
        """Enter that a fit of these facts has served, and fit nothing: another one follows."""

    def expect(self, served: Any) -> None:
        """Decide by what another one ``served`` after the next ``set_state``; fit nothing then."""


def refitting(learner: object) -> RefittingLearner | None:
    """The learner, if its fits serve when it is told to.

    >>> import askance
    >>> refitting(askance.make_learner("auto", n_features=1)) is None
    True
    >>> refitting(askance.make_learner("auto", n_features=1, lag=None)) is None
    False
    """
    # To ask for the protocol would compute each of its properties, at every answer.
    return cast(RefittingLearner, learner) if getattr(learner, "lag", 0) is None else None


@runtime_checkable
class BlockLearner(Learner, Protocol):
    """A learner that changes only now and then, and decides whole blocks in between."""

    @property
    def remaining(self) -> int:
        """How many examples, at least one, can be decided before anything changes."""

    def predict_many(self, X: Matrix) -> Integers:
        """One prediction, -1 or +1, for each row of a CSR matrix."""

    def decide_many(self, X: Matrix, coins: Floats) -> list[Decision]:
        """Decide for up to ``remaining`` rows, as if each were learned before the next."""

    def learn_many(
        self, X: Matrix, decisions: Sequence[Decision], labels: Sequence[Label | None]
    ) -> None:
        """Learn a block, exactly as if one after the other."""


@runtime_checkable
class EventLog(Protocol):
    """An append-only log of events for each of many streams, with what their examples hold."""

    def append(
        self, stream: str, new: Sequence[Event], held: Mapping[int, ExampleContent] | None = None
    ) -> "Future[None]":
        """Add events as one; the future is done when they will survive whatever happens."""

    def mend(self, stream: str) -> None:
        """Take appends again after one that failed."""

    def read(
        self, stream: str, after: int = 0, upto: int | None = None, *, all: bool = True
    ) -> Iterator[Event]:
        """Events in their order; without ``all``, only those that people have to do with."""

    def last(self, stream: str) -> int:
        """The position of the last event; 0 if there is none."""

    def streams(self) -> list[str]:
        """All streams, in the order in which they were created."""

    def find(self, stream: str, wanted: Iterable[str]) -> dict[str, Event]:
        """The events that have these keys."""

    def contents(self, stream: str, numbers: Iterable[int]) -> dict[int, ExampleContent]:
        """What examples hold, by their number."""

    def close(self) -> None:
        """Write what waits, and end."""
