"""Empirical risk minimisation by any scikit-learn classifier that takes ``sample_weight``."""

import importlib
from typing import Any

import numpy as np
import scipy
import sklearn
from scipy.sparse import csr_array
from scipy.special import expit, softmax
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags
from sklearn.utils.validation import has_fit_parameter

from askance.errors import InvalidParameter, OracleFailed
from askance.sparse import from_rows, resized
from askance.types import Floats, Integers, Label, Matrix, Row, State
from askance.validation import check_structure, require_whole, saved_part, shown

__all__ = [
    "ESTIMATORS",
    "ConstantClassifier",
    "EstimatorClassifier",
    "EstimatorOracle",
    "RefittedEstimator",
    "estimator_from",
    "estimator_state",
    "library_versions",
    "seeded",
    "takes_sparse",
]

ESTIMATORS = {
    "AdaBoostClassifier": "ensemble",
    "BernoulliNB": "naive_bayes",
    "ComplementNB": "naive_bayes",
    "DecisionTreeClassifier": "tree",
    "ExtraTreeClassifier": "tree",
    "ExtraTreesClassifier": "ensemble",
    "GaussianNB": "naive_bayes",
    "GradientBoostingClassifier": "ensemble",
    "HistGradientBoostingClassifier": "ensemble",
    "LinearSVC": "svm",
    "LogisticRegression": "linear_model",
    "MultinomialNB": "naive_bayes",
    "Perceptron": "linear_model",
    "RandomForestClassifier": "ensemble",
    "RidgeClassifier": "linear_model",
    "SGDClassifier": "linear_model",
}
"""Classes of scikit-learn, and where they are, that a file may name; any other is handed in."""

LARGEST_PARAMETER = 10_000
"""The largest whole number that a file may give to an estimator: trees, iterations, jobs."""


class ConstantClassifier:
    """The same ``label`` everywhere: all that a sample with one class can teach.

    It is -1 or +1, or ``coded``.

    >>> ConstantClassifier(1).predict(Row(np.array([0]), np.array([0.5])))
    1
    """

    def __init__(self, label: Label, *, coded: bool = False) -> None:
        self.label = label
        self.labels: Integers = np.array([label] if coded else [-1, 1])

    def predict(self, x: Row) -> Label:
        return self.label

    def predict_many(self, X: Matrix) -> Integers:
        return np.full(X.shape[0], self.label, dtype=self.labels.dtype)

    def scores(self, X: Matrix) -> Floats:
        """The label, as a number, for each row."""
        return self.predict_many(X).astype(np.float64)

    def probabilities(self, X: Matrix) -> Floats:
        """The probabilities of the classes for each row: all or nothing."""
        return np.tile((self.labels == self.label).astype(np.float64), (X.shape[0], 1))


class EstimatorClassifier:
    """A fitted scikit-learn ``estimator`` of an ``oracle``, seen as h."""

    def __init__(self, estimator: Any, oracle: "EstimatorOracle") -> None:
        self.estimator = estimator
        self._oracle = oracle

    @property
    def labels(self) -> Integers:
        """The labels of the classes that were learned."""
        return np.asarray(self.estimator.classes_, np.int64)

    def predict(self, x: Row) -> Label:
        return int(self.predict_many(from_rows([x]))[0])

    def predict_many(self, X: Matrix) -> Integers:
        if not X.shape[0]:
            return np.zeros(0, dtype=np.int8)
        predicted = np.asarray(self.estimator.predict(self._oracle.prepared(X)))
        known = self.labels.tolist() if self._oracle.coded else [-1, 1]
        if not np.isin(predicted, known).all():
            found = np.unique(predicted).tolist()
            expected = " or ".join(
                f"{label:+d}" if label in (-1, 1) else str(label) for label in known
            )
            raise OracleFailed(f"the estimator must predict {expected}, got {found}")
        return predicted.astype(np.int64 if self._oracle.coded else np.int8)

    def scores(self, X: Matrix) -> Floats:
        """A number for each row, positive where it is predicted as +1."""
        if hasattr(self.estimator, "decision_function"):
            scores = self.estimator.decision_function(self._oracle.prepared(X))
            return np.asarray(scores, np.float64)
        if hasattr(self.estimator, "predict_proba"):
            return 2.0 * self.probabilities(X)[:, 1] - 1.0
        return self.predict_many(X).astype(np.float64)

    def probabilities(self, X: Matrix) -> Floats:
        """The probabilities of -1 and +1 for each row, as the estimator has them.

        One that has none has the logistic function of its scores.
        """
        if not hasattr(self.estimator, "predict_proba"):
            scores = self.scores(X)
            if scores.ndim == 2:
                shares: Floats = softmax(scores, axis=1)
                return shares
            second = expit(scores)
            return np.column_stack([1.0 - second, second])
        return np.asarray(self.estimator.predict_proba(self._oracle.prepared(X)), np.float64)


class EstimatorOracle:
    """ERM, approximately: a fresh clone of the estimator fitted to the weighted sample.

    Most estimators minimise a surrogate of the weighted error, so what holds for exact oracles
    holds here only as far as the surrogate follows.

    Parameters
    ----------
    estimator
        A classifier, or a pipeline that ends in one, whose ``fit`` takes ``sample_weight``. Fix its
        ``random_state``: equal samples must give equal classifiers.
    n_features
        Width of the matrices that the estimator sees.
    dense
        Hand it dense arrays: histogram gradient boosting, for one, takes no sparse ones.
    coded
        Whether labels are codes of classes, and not -1 and +1.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from askance.sparse import from_dense
    >>> oracle = EstimatorOracle(LogisticRegression(), n_features=1)
    >>> X = from_dense(np.array([[-1.0], [1.0]]))
    >>> oracle.fit(X, np.array([-1, 1]), np.ones(2)).predict_many(X).tolist()
    [-1, 1]
    """

    def __init__(
        self, estimator: Any, *, n_features: int, dense: bool = False, coded: bool = False
    ) -> None:
        require_whole(1, n_features=n_features)
        self.coded = coded
        self.estimator = estimator
        self.n_features = n_features
        self.dense = dense

    def prepared(self, X: Matrix) -> Any:
        """The matrix in the form that the estimator takes."""
        sized = resized(X, self.n_features)
        if self.dense:
            return sized.toarray()
        # Several estimators, trees among them, take no 64-bit indices.
        small = sized.indices.astype(np.int32), sized.indptr.astype(np.int32)
        return csr_array((sized.data, *small), shape=sized.shape)

    def fit(
        self, X: Matrix, targets: Integers, weights: Floats
    ) -> ConstantClassifier | EstimatorClassifier:
        check_structure(X)
        kept = np.asarray(weights) > 0
        targets, weights = np.asarray(targets)[kept], np.asarray(weights)[kept]
        if not len(targets) or targets.min() == targets.max():
            nothing = 0 if self.coded else -1
            label = int(targets[0]) if len(targets) else nothing
            return ConstantClassifier(label, coded=self.coded)
        # Estimators' own penalties and tolerances expect weights of about 1.
        scaled = weights * (len(weights) / weights.sum())
        fitted = clone(self.estimator)
        fitted.fit(self.prepared(X[kept]), targets, **{_weight_name(fitted): scaled})
        return EstimatorClassifier(fitted, self)


class RefittedEstimator:
    """An estimator that is fitted again to the labels so far, each with weight 1.

    What unlabelled rows show it does not use.

    Parameters
    ----------
    estimator, n_features, dense, coded
        Those of :class:`EstimatorOracle`.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from askance.sparse import from_dense
    >>> oracle = RefittedEstimator(GaussianNB(), n_features=1, dense=True)
    >>> X = from_dense(np.array([[-2.0], [-1.0], [1.0], [2.0]]))
    >>> oracle.fit(X, np.array([-1, -1, 1, 1]), np.ones(4), X).probabilities(X).round().tolist()
    [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0]]
    """

    def __init__(
        self, estimator: Any, *, n_features: int, dense: bool = False, coded: bool = False
    ) -> None:
        self._oracle = EstimatorOracle(estimator, n_features=n_features, dense=dense, coded=coded)

    @property
    def versions(self) -> dict[str, str]:
        return library_versions()

    def fit(
        self, X: Matrix, targets: Integers, importance: Floats, unlabeled: Matrix
    ) -> ConstantClassifier | EstimatorClassifier:
        return self._oracle.fit(X, targets, np.ones(len(targets)))


def library_versions() -> dict[str, str]:
    """Versions of the libraries that decide the bits of a fit.

    >>> sorted(library_versions())
    ['numpy', 'scikit-learn', 'scipy']
    """
    return {
        "numpy": np.__version__,
        "scikit-learn": sklearn.__version__,
        "scipy": scipy.__version__,
    }


def _weight_name(estimator: Any) -> str:
    """How ``fit`` wants the weights called: a pipeline routes them by its last step's name."""
    if isinstance(estimator, Pipeline):
        return f"{estimator.steps[-1][0]}__sample_weight"
    return "sample_weight"


def takes_sparse(estimator: Any) -> bool:
    """Whether an ``estimator`` takes sparse matrices.

    >>> from sklearn.naive_bayes import GaussianNB
    >>> takes_sparse(GaussianNB())
    False
    """
    return bool(get_tags(estimator).input_tags.sparse)


def seeded(estimator: Any, seed: int) -> Any:
    """A copy of an ``estimator``, its open seeds set to ``seed``: equal samples, equal classifiers.

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> seeded(DecisionTreeClassifier(), 3).random_state
    3
    """
    last = estimator.steps[-1][1] if isinstance(estimator, Pipeline) else estimator
    if not has_fit_parameter(last, "sample_weight"):
        raise InvalidParameter(
            f"the estimator's fit must take sample_weight, that of {type(last).__name__} does not"
        )
    copy = clone(estimator)
    open_seeds = {
        name: seed
        for name, value in copy.get_params().items()
        if name.split("__")[-1] == "random_state" and value is None
    }
    return copy.set_params(**open_seeds)


def estimator_state(estimator: Any) -> State:
    """What a file keeps of an ``estimator``: its class, and its parameters if they say it all.

    >>> from sklearn.linear_model import LogisticRegression
    >>> estimator_state(LogisticRegression(C=0.5))
    {'class': 'LogisticRegression', 'parameters': {'C': 0.5}}
    """
    kind = type(estimator)
    state: State = {"class": kind.__name__, "parameters": None}
    if kind is _listed(kind.__name__):
        usual = kind().get_params(deep=False)
        given = estimator.get_params(deep=False)
        chosen = {name: given[name] for name in given if given[name] is not usual[name]}
        if all(_is_plain(name, value) for name, value in chosen.items()):
            state["parameters"] = {
                name: value for name, value in chosen.items() if value != usual[name]
            }
    return state


def estimator_from(state: State) -> Any:
    """The estimator of a ``state`` of :func:`estimator_state`, or None if it has to be handed in.

    >>> estimator_from({"class": "LogisticRegression", "parameters": {"C": 0.5}})
    LogisticRegression(C=0.5)
    """
    if state["parameters"] is None:
        return None
    parameters, kind = saved_part(state, "parameters", dict), _listed(state["class"])
    if kind is None:
        raise InvalidParameter(f"a saved estimator must be one of the listed, got {shown(state)}")
    known = kind().get_params(deep=False)
    for name, value in parameters.items():
        if name not in known or not _is_plain(name, value):
            raise InvalidParameter(
                f"a saved {state['class']} must have plain parameters of its own, "
                f"got {shown(name)} = {shown(value)}"
            )
    return kind(**parameters)


def _listed(name: object) -> Any:
    if not (isinstance(name, str) and name in ESTIMATORS):
        return None
    return getattr(importlib.import_module(f"sklearn.{ESTIMATORS[name]}"), name)


def _is_plain(name: str, value: object) -> bool:
    """Whether a parameter can stand in a file, and cannot make a fit endless."""
    if isinstance(value, int) and not isinstance(value, bool) and name != "random_state":
        return -1 <= value <= LARGEST_PARAMETER
    return value is None or isinstance(value, bool | int | float | str)
