"""A scikit-learn classifier that asks for the labels it needs."""

from collections.abc import Callable, Sequence
from typing import Any, Self, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags, check_random_state, get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import (
    check_consistent_length,
    check_is_fitted,
    column_or_1d,
    validate_data,
)

from askance.adapters.settings import budget_of, settings_of
from askance.data.features.scales import SCALE_ROWS, matrix_terms, scaled
from askance.data.splits import seed_for
from askance.errors import InvalidLabel, InvalidParameter
from askance.learners.epochs import EpochLearner
from askance.live import ActiveLearner
from askance.oracles.estimator import ConstantClassifier, EstimatorClassifier, seeded
from askance.presets import BATCH_ALGORITHMS, CLASS_ALGORITHMS, make_learner
from askance.simulate import LabelSource, Seat, run_blocks, run_matrix
from askance.sparse import canonical_csr, from_parts
from askance.types import Floats, Integers, Interval, Label, Matrix

__all__ = ["ActiveClassifier"]


def _gives_probabilities(classifier: "ActiveClassifier") -> bool:
    return classifier.estimator is None or hasattr(classifier.estimator, "predict_proba")


class ActiveClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier that learns only from the labels it asks for.

    ``fit`` walks once over the rows. Where the classes are known beforehand, by ``classes`` or by
    an earlier call, a label is looked at only if it is asked for; elsewhere ``y`` is read once, as
    scikit-learn demands, to find the classes, and no label that was not asked for has any other
    influence.

    Parameters
    ----------
    algorithm
        ``"auto"``, which needs no tuning and makes most of few labels, or one of
        :data:`askance.ALGORITHMS`. With an ``estimator`` ``"auto"`` or one of
        :data:`askance.presets.BATCH_ALGORITHMS`.
    estimator
        Any scikit-learn classifier whose ``fit`` takes ``sample_weight``, or a pipeline that ends
        in one: what ``"auto"`` fits in place of its mixture of classifiers. ``"active_cover"`` fits
        it some hundred times, and is not ``alg:main`` to the letter: see the notes. Without it, all
        but ``"auto"`` learn by the online linear oracle.
    label_budget
        How many labels may be asked for in all. ``"auto"`` spreads them over the rows of ``fit``;
        by default it asks for a tenth of the rows, the others for as many as they want.
    c0
        Scale of the threshold of cover and IWAL: larger asks more. By default that of the
        algorithm.
    learning_rate
        Of the online linear oracle; by default its own.
    parameters
        Further parameters of :func:`askance.make_learner` by name.
    cost_matrix
        What each prediction costs, rows true and columns predicted classes in the order of
        ``classes_``, if not all mistakes cost the same.
    scale
        Whether the first 1,000 rows that are offered, asked about or not, say how all are scaled:
        columns are centred and divided by their standard deviation, those that are mostly zeros and
        all of a sparse matrix only divided by their size. ``partial_fit`` learns it from its first
        call. An ``estimator`` gets the rows as they are.
    shuffle
        Whether ``fit`` takes the rows in a random order, as the algorithms want them; rows that are
        sorted by class would have them ask about one class only. ``partial_fit`` never does.
    hold_out
        The share of the rows, and so about of the labels, that only judges: ``error_`` is then the
        error of the classifier. Not with an ``estimator`` that goes by epochs.
    random_state
        Seed of the coins and of the order.

    Attributes
    ----------
    classes_ : ndarray
        The classes, sorted.
    n_labels_ : int
        Labels asked for.
    queried_ : ndarray
        Numbers of the rows whose labels were asked for, in the order asked. With
        ``partial_fit``, rows are numbered through all calls.
    weights_ : ndarray
        Their importance weights 1/P.
    n_offered_ : int
        Rows that were offered before the budget was spent.
    error_ : Interval or None
        What the labels say of the error, with an interval that holds whenever you look: that of the
        classifier itself if some labels are held out, else the mean error of the predictions so
        far. None where nothing is known.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray
        Their names, where X has names that are all strings.

    Notes
    -----
    ``"auto"`` learns how long ``fit`` will last from the number of its rows. ``partial_fit`` cannot
    know, and asks about a tenth of the rows until the budget is spent.

    With an ``estimator``, Active Cover takes three shortcuts: the fast region rule
    (``region="known"``) with 16 ``probes`` in each epoch, (OP) on the newest 2,000 points at most
    (``unlabeled``), and at most 1,000 steps of its solver (``max_iterations``). The rule finds part
    of the region only, so fewer labels are bought than ``alg:main`` asks for, and its guarantees do
    not hold: in an example of the page on oracles the region has at most 0.76, 0.61 and 0.41 of the
    points in three epochs, where the one-call test has all of them. ``alg:main`` to the letter, at
    one fit for every row, is
    ``parameters={"region": "one-call", "unlabeled": 10_000, "max_iterations": 20_000}``.
    ``"batch_iwal"`` and ``"oracular_cal"`` take the first two shortcuts too.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> active = ActiveClassifier(label_budget=60, random_state=0).fit(X, y)
    >>> active.n_labels_, bool(active.score(X, y) > 0.9)
    (59, True)

    The labels that were bought, weighted, can teach any other model. Those of ``"auto"``, IWAL and
    passive learning stand for all rows; those of the cover only for rows inside its region:

    >>> active = ActiveClassifier("iwal1", c0=0.05, random_state=0).fit(X, y)
    >>> asked, weights = active.queried_, active.weights_
    >>> other = LogisticRegression(max_iter=10_000)
    >>> other = other.fit(X[asked], y[asked], sample_weight=weights)
    >>> bool(other.score(X, y) > 0.9)
    True

    Labels that somebody has to be asked for are given by a function of the row's number:

    >>> rows = []
    >>> def ask(row):
    ...     rows.append(row)
    ...     return ["malignant", "benign"][y[row]]
    >>> active.fit(X, ask, classes=["benign", "malignant"]).predict(X[:2]).tolist()
    ['malignant', 'malignant']
    >>> rows == active.queried_.tolist()
    True
    """

    def __init__(  # noqa: PLR0913 - scikit-learn wants every setting as a parameter
        self,
        algorithm: str = "auto",
        *,
        estimator: Any = None,
        label_budget: int | None = None,
        c0: float | None = None,
        learning_rate: float | None = None,
        parameters: dict[str, Any] | None = None,
        cost_matrix: Any = None,
        scale: bool = True,
        shuffle: bool = True,
        hold_out: float = 0.0,
        random_state: Any = 0,
    ) -> None:
        self.algorithm = algorithm
        self.estimator = estimator
        self.label_budget = label_budget
        self.c0 = c0
        self.learning_rate = learning_rate
        self.parameters = parameters
        self.cost_matrix = cost_matrix
        self.scale = scale
        self.shuffle = shuffle
        self.hold_out = hold_out
        self.random_state = random_state

    def fit(self, X: Any, y: Any, classes: Sequence[Any] | None = None) -> Self:
        """Learn from the rows of X, asking for labels within the budget.

        Parameters
        ----------
        X
            Rows of numbers: an array, a sparse matrix, a pandas or polars frame.
        y
            The labels, or a function that is asked for the label of a row by its number.
        classes
            The classes; needed if ``y`` is a function.
        """
        checked, label_of = self._begin(X, y, classes, whole=True)
        order = np.arange(checked.shape[0])
        if self.shuffle:
            order = np.random.default_rng(seed_for("order", self._seed)).permutation(order)
        return self._first_of(checked, label_of, order)

    def partial_fit(self, X: Any, y: Any, classes: Sequence[Any] | None = None) -> Self:
        """Go on with further rows and ``y``, in their order; ``classes`` must be told at first."""
        if not hasattr(self, "_learner"):
            if classes is None:
                raise InvalidParameter("classes must be passed on the first call to partial_fit")
            checked, label_of = self._begin(X, y, classes)
            return self._first_of(checked, label_of, np.arange(checked.shape[0]))
        if classes is not None and not np.array_equal(_sorted(classes), self.classes_):
            known = self.classes_.tolist()
            raise InvalidParameter(f"classes must stay {known}, got {list(classes)}")
        matrix = self._rows(X)
        return self._show(matrix, self._answering(matrix, y), np.arange(matrix.shape[0]))

    def decision_function(self, X: Any) -> Floats:
        """Scores that are positive where the second class is predicted.

        Of three classes or more, a score of each.
        """
        check_is_fitted(self)
        matrix = self._rows(X)
        if isinstance(self._learner, ActiveLearner):
            return self._learner.margins(matrix)
        return self._latest.scores(matrix)

    def predict(self, X: Any) -> NDArray[Any]:
        """The predicted class of each row."""
        scores = self.decision_function(X)
        if scores.ndim == 2:
            best: NDArray[Any] = self.classes_[np.argmax(scores, axis=1)]
            return best
        second = scores > 0
        # There is one class only if no other was ever given.
        predicted: NDArray[Any] = self.classes_[np.where(second, len(self.classes_) - 1, 0)]
        return predicted

    @available_if(_gives_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Floats:
        """The probability of each class, for each row."""
        check_is_fitted(self)
        if isinstance(self._learner, ActiveLearner):
            second = self._learner.probabilities(self._rows(X))
        else:
            second = self._latest.probabilities(self._rows(X))[:, 1]
        if len(self.classes_) == 1:
            return np.ones((len(second), 1))
        if second.ndim == 2:
            return second
        return np.column_stack([1.0 - second, second])

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        several = ("auto",) if self.estimator is not None else ("auto", *CLASS_ALGORITHMS)
        tags.classifier_tags.multi_class = self.algorithm in several
        tags.input_tags.sparse = (
            self.estimator is None or get_tags(self.estimator).input_tags.sparse
        )
        return tags

    # ------------------------------------------------------------------ what comes in

    def _rows(self, X: Any) -> Matrix:
        """Checked rows as a CSR array, scaled."""
        return self._scaled(self._validated(X, reset=False))

    def _scaled(self, checked: Any) -> Matrix:
        if self._terms is None:
            return canonical_csr(checked)
        centres, spreads = self._terms
        if isinstance(checked, np.ndarray) or centres.any():
            rows = checked if isinstance(checked, np.ndarray) else checked.toarray()
            return canonical_csr(scaled(rows, centres, spreads))
        matrix = canonical_csr(checked)
        values = scaled(matrix.data, 0.0, spreads[matrix.indices])
        return from_parts(matrix.indptr, matrix.indices, values, matrix.shape[1])

    def _validated(self, X: Any, **options: Any) -> Any:
        sparse = ("csr",) if get_tags(self).input_tags.sparse else False
        return validate_data(self, X, accept_sparse=sparse, dtype=np.float64, **options)

    def _begin(
        self, X: Any, y: Any, classes: Sequence[Any] | None, *, whole: bool = False
    ) -> tuple[Any, LabelSource[int]]:
        """Check everything and start anew; ``whole`` says that no more rows will come."""
        if classes is not None:
            checked = self._validated(X, reset=True)
            self.classes_ = _sorted(classes)
        elif callable(y):
            raise InvalidParameter("classes must be given where y is a function, got None")
        else:
            checked, y = self._validated(X, y=y, reset=True)
            check_classification_targets(y)
            self.classes_ = _sorted(y, type_of_target(y))
        self._refuse_several()
        label_of = self._answering(checked, y)
        self._seed = _seed(self.random_state)
        horizon = checked.shape[0] if whole else None
        self._learner = self._fresh(dense=isinstance(checked, np.ndarray), horizon=horizon)
        self.n_labels_ = self.n_offered_ = self._given = 0
        self.queried_: Integers = np.zeros(0, np.int64)
        self.weights_: Floats = np.zeros(0)
        return checked, label_of

    def _answering(self, X: Any, y: Any) -> LabelSource[int]:
        """The labels of rows as the learner has them, none of them looked at yet."""
        values = y
        if not callable(y):
            if y is None:
                raise InvalidParameter("labels are needed: y must be an array or a function")
            check_consistent_length(X, y)
            values = column_or_1d(y, warn=True).__getitem__
        codes = dict(zip(reversed(self.classes_.tolist()), (1, -1), strict=False))
        if len(self.classes_) > 2:
            codes = {name: code for code, name in enumerate(self.classes_.tolist())}
        return lambda row: _code(values, codes, row)

    # ------------------------------------------------------------------ what is run

    def _fresh(self, *, dense: bool, horizon: int | None) -> ActiveLearner | EpochLearner:
        """A learner that has seen nothing; ``horizon`` rows will come, if that is known."""
        budget = budget_of(self.label_budget)
        settings = settings_of(
            self.parameters,
            c0=self.c0,
            learning_rate=self.learning_rate,
            cost_matrix=self.cost_matrix,
            n_classes=len(self.classes_) if len(self.classes_) > 2 else None,
        )
        if self.algorithm == "auto":
            settings = {"seed": self._seed % 2**32, **settings}
            if self.estimator is not None:
                settings |= {"estimator": self.estimator, "dense": dense}
        elif self.estimator is not None:
            return self._in_epochs(settings, dense)
        return ActiveLearner(
            self.algorithm,
            n_features=self.n_features_in_,
            random_state=self._seed,
            budget=budget,
            horizon=horizon,
            hold_out=self.hold_out,
            **settings,
        )

    def _refuse_several(self) -> None:
        """Raise where the algorithm is for two classes, in the words that scikit-learn wants."""
        if len(self.classes_) > 2 and not get_tags(self).classifier_tags.multi_class:
            known = ", ".join(CLASS_ALGORITHMS)
            raise InvalidParameter(
                f"Only binary classification is supported by {self.algorithm}: use auto, or "
                f"without an estimator {known}. There are {len(self.classes_)} classes."
            )

    def _in_epochs(self, settings: dict[str, Any], dense: bool) -> EpochLearner:
        if self.algorithm not in BATCH_ALGORITHMS:
            known = ", ".join(("auto", *BATCH_ALGORITHMS))
            raise InvalidParameter(
                f"with an estimator the algorithm must be one of {known}, got {self.algorithm!r}"
            )
        self._coins = np.random.default_rng(self._seed)
        learner: EpochLearner = make_learner(
            self.algorithm,
            n_features=self.n_features_in_,
            estimator=seeded(self.estimator, self._seed),
            dense=dense,
            **settings,
        )
        return learner

    def _first_of(self, checked: Any, label_of: LabelSource[int], order: Integers) -> Self:
        """Offer the first rows, and learn the scales from them."""
        self._terms: tuple[Floats, Floats] | None = None
        if self.scale and self.estimator is None:
            self._terms = matrix_terms(checked[order[:SCALE_ROWS]])
        return self._show(self._scaled(checked), label_of, order)

    def _show(self, X: Matrix, label_of: LabelSource[int], order: Integers) -> Self:
        """Offer rows in this order; labels that were bought stay so, even if the next one fails."""
        shown, bought = X[order], _Bought()
        learner, in_order = self._learner, lambda i: label_of(int(order[i]))
        try:
            if isinstance(learner, ActiveLearner):
                seat = Seat(learner, on_query=bought.take)
                run_matrix(seat, shown, in_order, bought.count)
            else:
                coins = self._coins.random(len(order))
                left = None if self.label_budget is None else self.label_budget - self.n_labels_
                run_blocks(
                    learner, shown, coins, in_order,
                    limit=left, on_query=bought.take, progress=bought.count,
                )  # fmt: skip
        finally:
            self._keep(bought, order)
        return self

    def _keep(self, bought: "_Bought", order: Integers) -> None:
        rows = self._given + order[np.array(bought.places, np.int64)]
        self.queried_ = np.concatenate([self.queried_, rows])
        self.weights_ = np.concatenate([self.weights_, bought.weights])
        self.n_labels_ = len(self.queried_)
        self.n_offered_ += bought.offered
        self._given += len(order)
        self.error_: Interval | None = None
        if isinstance(self._learner, ActiveLearner):
            self._learner.settle()
            stats = self._learner.stats()
            self.error_ = stats.current or stats.error
        else:
            latest = self._learner.refit()
            self._latest = cast(ConstantClassifier | EstimatorClassifier, latest)


class _Bought:
    """What one pass over a matrix has bought so far: places in its order, and weights."""

    def __init__(self) -> None:
        self.places: list[int] = []
        self.weights: list[float] = []
        self.offered = 0

    def take(self, place: int, probability: float) -> None:
        self.places.append(place)
        self.weights.append(1.0 / probability)

    def count(self, examples: int, _: int) -> None:
        self.offered = examples


def _sorted(values: Any, kind: str = "binary") -> NDArray[Any]:
    """The classes, sorted."""
    classes = np.unique(np.asarray(values))
    if kind not in ("binary", "multiclass") or not len(classes):
        raise InvalidParameter(
            f"classes were expected, got a target of type {kind} with {len(classes)} values"
        )
    return classes


def _code(values: Callable[[int], Any], codes: dict[Any, Label], row: int) -> Label:
    label = values(row)
    try:
        return codes[label]
    except (KeyError, TypeError):
        known = " or ".join(map(repr, sorted(codes, key=codes.__getitem__)))
        raise InvalidLabel(f"the label of row {row} must be {known}, got {label!r}") from None


def _seed(random_state: Any) -> int:
    if isinstance(random_state, int | np.integer):
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31 - 1))
