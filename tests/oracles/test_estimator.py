"""Any scikit-learn classifier as an oracle."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

from askance.errors import InvalidParameter, OracleFailed
from askance.oracles.estimator import ConstantClassifier, EstimatorClassifier, EstimatorOracle
from askance.oracles.thresholds import StumpOracle
from askance.sparse import empty, from_dense, from_rows, row_at
from askance.types import Row


def blobs(seed: int, n: int = 200) -> tuple[object, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = rng.choice([-1, 1], size=n)
    return from_dense(rng.normal(size=(n, 3)) + y[:, None]), y


ESTIMATORS = [
    (LogisticRegression(), False),
    (HistGradientBoostingClassifier(max_iter=20), True),
    (make_pipeline(StandardScaler(with_mean=False), LogisticRegression()), False),
]


@pytest.mark.parametrize(("estimator", "dense"), ESTIMATORS)
def test_learns_and_predicts_alike_one_and_many(estimator: object, dense: bool) -> None:
    X, y = blobs(0)
    # Threads of the boosting wait for each other where cores are few.
    with threadpool_limits(1):
        h = EstimatorOracle(estimator, n_features=3, dense=dense).fit(X, y, np.ones(len(y)))
        alone = clone(estimator).fit(X.toarray() if dense else X, y)
    predicted = h.predict_many(X)
    assert predicted.tolist() == alone.predict(X.toarray() if dense else X).tolist()
    assert predicted.dtype == np.int8
    assert [h.predict(row_at(X, i)) for i in range(20)] == predicted[:20].tolist()


@pytest.mark.parametrize(("estimator", "dense"), ESTIMATORS)
def test_rows_of_weight_zero_change_nothing(estimator: object, dense: bool) -> None:
    X, y = blobs(1)
    kept = np.arange(len(y)) % 2 == 0
    oracle = EstimatorOracle(estimator, n_features=3, dense=dense)
    with_zeros = oracle.fit(X, np.where(kept, y, -y), kept.astype(float))
    without = oracle.fit(X[kept], y[kept], np.ones(kept.sum()))
    assert with_zeros.predict_many(X).tolist() == without.predict_many(X).tolist()


@pytest.mark.parametrize("estimator", [LogisticRegression(), GaussianNB(), Perceptron()])
def test_scores_and_probabilities_agree_with_predictions(estimator: object) -> None:
    X, y = blobs(5)
    h = EstimatorOracle(estimator, n_features=3, dense=True).fit(X, y, np.ones(len(y)))
    said_plus = h.predict_many(X) > 0
    assert (h.scores(X) > 0).tolist() == said_plus.tolist()
    shares = h.probabilities(X)
    assert (shares[:, 1] > shares[:, 0]).tolist() == said_plus.tolist()


def test_an_estimator_that_only_predicts_has_its_labels_as_scores() -> None:
    class Sign:
        def predict(self, X: object) -> np.ndarray:
            return np.where(X.toarray()[:, 0] > 0, 1, -1)

    oracle = EstimatorOracle(LogisticRegression(), n_features=1)
    h = EstimatorClassifier(Sign(), oracle)
    assert h.scores(from_dense(np.array([[2.0], [-3.0]]))).tolist() == [1.0, -1.0]


@pytest.mark.parametrize("label", [-1, 1])
def test_a_constant_is_sure_of_itself(label: int) -> None:
    X, _ = blobs(6, n=2)
    constant = ConstantClassifier(label)
    assert constant.scores(X).tolist() == [label, label]
    assert constant.probabilities(X).tolist() == [[label < 0, label > 0]] * 2


def test_a_tree_of_depth_one_is_as_good_as_the_exact_stump() -> None:
    # A tree splits by Gini impurity, so the data are separable: both criteria then agree.
    rng = np.random.default_rng(2)
    X = from_dense(rng.normal(size=(50, 4)))
    y = np.where(X.toarray()[:, 2] > 0.1, 1, -1)
    tree = EstimatorOracle(DecisionTreeClassifier(max_depth=1, random_state=0), n_features=4)
    found = tree.fit(X, y, np.ones(50)).predict_many(X)
    assert found.tolist() == StumpOracle(4).fit(X, y, np.ones(50)).predict_many(X).tolist()


def test_weights_decide_between_contradicting_labels() -> None:
    X = from_dense(np.array([[1.0], [1.0], [-1.0]]))
    oracle = EstimatorOracle(LogisticRegression(C=100.0), n_features=1)
    h = oracle.fit(X, np.array([1, -1, -1]), np.array([9.0, 1.0, 1.0]))
    assert h.predict_many(X).tolist() == [1, 1, -1]


def test_rows_with_wide_indices_reach_a_tree() -> None:
    rows = [Row(np.array([0, 2], dtype=np.int64), np.array([v, 1.0])) for v in (-1.0, 1.0)]
    oracle = EstimatorOracle(DecisionTreeClassifier(random_state=0), n_features=3)
    h = oracle.fit(from_rows(rows), np.array([-1, 1]), np.ones(2))
    assert [h.predict(row) for row in rows] == [-1, 1]


def test_one_class_or_no_sample_gives_a_constant() -> None:
    oracle = EstimatorOracle(LogisticRegression(), n_features=3)
    X, y = blobs(3, n=10)
    assert set(oracle.fit(X, np.ones(10, int), np.ones(10)).predict_many(X)) == {1}
    assert set(oracle.fit(X, y, (y < 0).astype(float)).predict_many(X)) == {-1}
    nothing = oracle.fit(empty(), np.zeros(0, int), np.zeros(0))
    assert nothing.predict(row_at(X, 0)) == -1


def test_narrow_rows_are_padded() -> None:
    X, y = blobs(4)
    h = EstimatorOracle(LogisticRegression(), n_features=5).fit(X, y, np.ones(len(y)))
    assert set(h.predict_many(X[:, :1])) <= {-1, 1}
    assert len(h.predict_many(empty())) == 0


def test_labels_other_than_minus_and_plus_one_are_reported() -> None:
    class Zero:
        def predict(self, X: object) -> np.ndarray:
            return np.zeros(X.shape[0])

    oracle = EstimatorOracle(LogisticRegression(), n_features=1)
    with pytest.raises(OracleFailed, match=r"must predict -1 or \+1, got \[0.0\]"):
        EstimatorClassifier(Zero(), oracle).predict_many(from_dense(np.ones((1, 1))))


def test_bad_parameters_are_named() -> None:
    with pytest.raises(InvalidParameter, match="n_features must be a whole number from 1 on"):
        EstimatorOracle(LogisticRegression(), n_features=0)
