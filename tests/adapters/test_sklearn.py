"""ActiveClassifier as scikit-learn wants it, and honest about the labels it looks at."""

import inspect
import os
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris, make_classification
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.naive_bayes import BernoulliNB, GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, StandardScaler
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import check_estimator
from threadpoolctl import threadpool_limits

import askance
from askance.adapters.sklearn import ActiveClassifier
from askance.errors import InvalidLabel, InvalidParameter
from askance.learners.active_cover import ActiveCover
from askance.presets import BATCH_ALGORITHMS, suggested
from askance.simulate import run_blocks

INTERPRETED = bool(os.environ.get("NUMBA_DISABLE_JIT"))

# The oracle is called often: few probes and a small budget keep that short.
TREE = ActiveClassifier(
    "active_cover",
    estimator=DecisionTreeClassifier(max_depth=3),
    parameters={"known_from": 0, "probes": 1},
    label_budget=25,
)
SMALL_COVER = ActiveClassifier(
    "online_active_cover", learning_rate=0.4, parameters={"cover_size": 2}
)
KINDS = [SMALL_COVER, ActiveClassifier("iwal1", c0=0.05), TREE]
kinds = pytest.mark.parametrize("model", KINDS, ids=["cover", "iwal1", "tree"])


@pytest.fixture(scope="module")
def data() -> tuple[np.ndarray, np.ndarray]:
    X, y = make_classification(400, 6, n_informative=4, flip_y=0.05, random_state=0)
    return X, y


@pytest.mark.parametrize(
    "model",
    [
        pytest.param(
            ActiveClassifier("online_active_cover"),
            marks=pytest.mark.skipif(INTERPRETED, reason="takes minutes where it is interpreted"),
        ),
        ActiveClassifier("iwal1", label_budget=40),
        ActiveClassifier(estimator=GaussianNB()),
        pytest.param(ActiveClassifier(), marks=pytest.mark.slow),
        pytest.param(ActiveClassifier(label_budget=5), marks=pytest.mark.slow),
        clone(TREE).set_params(label_budget=10),
        pytest.param(
            clone(TREE).set_params(estimator=RidgeClassifier(), label_budget=10),
            marks=pytest.mark.slow,
        ),
    ],
    ids=["cover", "iwal1", "auto-bayes", "auto", "auto-of-5", "tree", "ridge"],
)
def test_all_checks_of_scikit_learn_pass(
    model: ActiveClassifier, monkeypatch: pytest.MonkeyPatch
) -> None:
    # One of the checks is left out without it.
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")
    # Small fits are slow where threads wait for each other.
    with threadpool_limits(1):
        results = check_estimator(model, on_fail=None, on_skip=None)
    left = [(r["check_name"], r["exception"]) for r in results if r["status"] != "passed"]
    assert left == []
    assert len(results) > 50


# ---------------------------------------------------------------------- which labels are looked at


@kinds
def test_labels_that_were_not_asked_for_change_nothing(model, data) -> None:
    X, y = data
    fitted = clone(model).fit(X, y)
    assert 10 < fitted.n_labels_ < len(y)
    flipped = 1 - y
    flipped[fitted.queried_] = y[fitted.queried_]
    again = clone(model).fit(X, flipped)
    assert np.array_equal(again.decision_function(X), fitted.decision_function(X))
    assert np.array_equal(again.queried_, fitted.queried_)


@kinds
def test_with_classes_given_other_labels_need_not_exist(model, data) -> None:
    X, y = data
    fitted = clone(model).fit(X, y)
    known: list[Any] = [None] * len(y)
    for i in fitted.queried_:
        known[i] = int(y[i])
    again = clone(model).fit(X, known, classes=[0, 1])
    assert np.array_equal(again.decision_function(X), fitted.decision_function(X))


@kinds
@pytest.mark.parametrize("budget", [1, 2, 12])
def test_a_function_is_asked_once_for_each_label_within_the_budget(model, data, budget) -> None:
    X, y = data
    asked: list[int] = []

    def ask(row: int) -> str:
        asked.append(row)
        return ("no", "yes")[y[row]]

    fitted = clone(model).set_params(label_budget=budget).fit(X, ask, classes=["yes", "no"])
    assert asked == fitted.queried_.tolist()
    assert len(set(asked)) == len(asked) == fitted.n_labels_ == len(fitted.weights_) == budget
    assert budget <= fitted.n_offered_ < len(y)
    assert set(fitted.predict(X)) <= {"yes", "no"}


def test_it_is_the_learner_of_ask_and_tell(data) -> None:
    X, y = data
    fitted = ActiveClassifier(
        "online_active_cover", c0=0.1, scale=False, shuffle=False, random_state=7
    ).fit(X, y)
    learner = askance.ActiveLearner("online_active_cover", n_features=6, c0=0.1, random_state=7)
    weights = []
    for x, label in zip(X, y, strict=True):
        question = learner.ask(x)
        if question.wanted:
            learner.tell(question, 1 if label else -1)
            weights.append(question.weight)
    assert fitted.weights_.tolist() == weights
    sample = learner.weighted_sample()
    assert fitted.queried_.tolist() == sample.ids.tolist()
    assert fitted.n_offered_ == sample.n
    assert fitted.predict(X).tolist() == [learner.predict(x) > 0 for x in X]
    assert np.allclose(fitted.predict_proba(X)[:, 1], [learner.probability(x) for x in X])


@pytest.mark.parametrize("algorithm", ["passive", "iwal0", "iwal1"])
def test_weights_make_up_for_the_rows_that_were_not_asked_about(algorithm, data) -> None:
    X, y = data
    fitted = ActiveClassifier(algorithm, c0=None if algorithm == "passive" else 0.02).fit(X, y)
    spread = np.sqrt(np.sum(fitted.weights_ * (fitted.weights_ - 1)))
    assert abs(fitted.weights_.sum() - fitted.n_offered_) <= 4 * spread
    assert (fitted.n_labels_ < len(y)) == (algorithm != "passive")


# ---------------------------------------------------------------------- in parts


@kinds
@pytest.mark.parametrize("budget", [None, 20])
def test_in_parts_it_learns_what_it_learns_at_once(model, data, budget) -> None:
    X, y = data
    X, y = X[:200], y[:200]
    # What the first call holds says how all rows are scaled.
    model = clone(model).set_params(scale=False, shuffle=False, label_budget=budget)
    whole = clone(model).fit(X, y)
    parts = clone(model)
    for part in (slice(0, 5), slice(5, 130), slice(130, None)):
        parts.partial_fit(X[part], y[part], classes=[0, 1])
    assert np.array_equal(parts.queried_, whole.queried_)
    assert np.array_equal(parts.weights_, whole.weights_)
    assert np.array_equal(parts.decision_function(X), whole.decision_function(X))
    assert parts.n_offered_ == whole.n_offered_


def uncentred(rows: int = 1500) -> tuple[np.ndarray, np.ndarray]:
    """Numbers far from zero, a constant column, and one that is mostly zeros."""
    generator = np.random.default_rng(5)
    X = generator.normal([100.0, -40.0, 7.0, 3.0], [1.0, 8.0, 0.0, 2.0], (rows, 4))
    X[generator.random(rows) < 0.8, 3] = 0.0
    return X, ((X[:, 0] - 100.0) * 8.0 > X[:, 1] + 40.0).astype(int)


def by_hand(X: np.ndarray, first: np.ndarray) -> np.ndarray:
    expected = (X - first.mean(axis=0)) / np.where(np.arange(4) == 2, 1.0, first.std(axis=0))
    expected[:, 2] = 0.0
    there = first[:, 3][first[:, 3] != 0.0]
    expected[:, 3] = X[:, 3] / np.sqrt(np.mean(there**2))
    return expected


@pytest.mark.parametrize("algorithm", ["passive", "online_active_cover"])
def test_the_first_thousand_rows_say_how_all_are_scaled(algorithm) -> None:
    X, y = uncentred()
    model = ActiveClassifier(algorithm, label_budget=60, shuffle=False)
    plain = clone(model).set_params(scale=False)
    Z = by_hand(X, X[:1000])
    ours, twin = clone(model).fit(X, y), clone(plain).fit(Z, y)
    assert np.array_equal(ours.queried_, twin.queried_)
    assert np.allclose(ours.decision_function(X), twin.decision_function(Z), rtol=1e-9)
    parts = clone(model)
    for part in (slice(0, 1100), slice(1100, None)):
        parts.partial_fit(X[part], y[part], classes=[0, 1])
    assert np.array_equal(parts.decision_function(X), ours.decision_function(X))
    assert ours.score(X, y) > 0.9 > clone(plain).fit(X, y).score(X, y)


def test_rows_in_a_random_order_teach_in_that_order() -> None:
    X, y = uncentred()
    order = np.argsort(X[:, 0])
    model = ActiveClassifier("passive", label_budget=60, random_state=3).fit(X[order], y[order])
    centres, spreads = model._terms
    # The first thousand of a sorted file would be off by half a standard deviation.
    assert abs(centres[0] - 100.0) < 0.1
    assert abs(spreads[0] - 1.0) < 0.1


def test_sparse_rows_are_scaled_and_not_centred() -> None:
    X, y = uncentred()
    model = ActiveClassifier("passive", label_budget=60, shuffle=False)
    fitted = clone(model).fit(sp.csr_array(X), y)
    first = np.where(X[:1000] == 0.0, np.nan, X[:1000])
    Z = X / np.sqrt(np.nanmean(first**2, axis=0))
    twin = clone(model).set_params(scale=False).fit(sp.csr_array(Z), y)
    assert np.array_equal(fitted.queried_, twin.queried_)
    for rows in (X, sp.csr_array(X)):
        assert np.allclose(fitted.decision_function(rows), twin.decision_function(Z), rtol=1e-9)
    dense = clone(model).fit(X, y)
    assert np.array_equal(dense.decision_function(sp.csr_array(X)), dense.decision_function(X))


def test_an_estimator_gets_the_rows_as_they_are(data) -> None:
    X, y = data
    on, off = (clone(TREE).set_params(scale=scale).fit(X + 50.0, y) for scale in (True, False))
    assert np.array_equal(on.queried_, off.queried_)
    assert np.array_equal(on.decision_function(X + 50.0), off.decision_function(X + 50.0))


@kinds
def test_a_pickled_model_goes_on_as_if_nothing_had_happened(model, data) -> None:
    X, y = data
    first = clone(model).partial_fit(X[:100], y[:100], classes=[0, 1])
    second = pickle.loads(pickle.dumps(first))
    for each in (first, second):
        each.partial_fit(X[100:], y[100:])
    assert np.array_equal(first.decision_function(X), second.decision_function(X))
    assert np.array_equal(first.queried_, second.queried_)


def test_fit_forgets_what_was_before(data) -> None:
    X, y = data
    model = ActiveClassifier("online_active_cover", label_budget=20)
    once = clone(model).fit(X, y)
    twice = clone(model).fit(X[:50, :3], y[:50]).fit(X, y)
    assert np.array_equal(once.decision_function(X), twice.decision_function(X))
    assert twice.n_labels_ == 20


# ---------------------------------------------------------------------- forms of input

CLASSES = [
    ("ham", "spam"),
    (False, True),
    (3, -2),
    (1.0, 2.0),
    (np.str_("b"), np.str_("a")),
]


@pytest.mark.parametrize("names", CLASSES, ids=repr)
@pytest.mark.parametrize("model", [SMALL_COVER, TREE], ids=["cover", "tree"])
def test_two_classes_of_any_type(model, names, data) -> None:
    X, y = data
    named = np.array(names)[y]
    fitted = clone(model).fit(X, named)
    assert fitted.classes_.tolist() == sorted(names)
    assert set(fitted.predict(X).tolist()) == set(names)
    # Names change nothing but the names: the first in their order is 0, the second 1.
    plain = clone(model).fit(X, np.searchsorted(fitted.classes_, named))
    assert np.array_equal(plain.queried_, fitted.queried_)
    assert np.array_equal(fitted.classes_[plain.predict(X)], fitted.predict(X))
    by_function = clone(model).fit(X, lambda i: names[y[i]], classes=names)
    assert np.array_equal(by_function.decision_function(X), fitted.decision_function(X))
    second = fitted.predict(X) == fitted.classes_[1]
    assert np.array_equal(second, fitted.decision_function(X) > 0)
    assert np.array_equal(second, fitted.predict_proba(X)[:, 1] > 0.5)


FRAMES: list[Callable[[np.ndarray], Any]] = [
    lambda X: pd.DataFrame(X, columns=list("abcdef")),
    lambda X: pl.DataFrame(X, schema=list("abcdef")),
    np.asfortranarray,
    lambda X: X.tolist(),
]
SPARSE: list[Callable[[np.ndarray], Any]] = [sp.csr_array, sp.csc_matrix, sp.coo_array]


@pytest.mark.parametrize(
    ("model", "frame"),
    # Trees break ties between features otherwise where rows are sparse.
    [(SMALL_COVER, frame) for frame in FRAMES + SPARSE] + [(TREE, frame) for frame in FRAMES],
)
def test_the_form_of_the_rows_does_not_matter(model, frame, data) -> None:
    X, y = data
    X = np.where(np.abs(X) < 0.2, 0.0, X)
    # Sparse rows are not centred.
    form = {"scale": frame not in SPARSE}
    plain = clone(model).set_params(**form).fit(X, y)
    formed = clone(model).set_params(**form).fit(frame(X), y)
    assert np.array_equal(formed.queried_, plain.queried_)
    assert np.allclose(formed.decision_function(frame(X)), plain.decision_function(X))
    if hasattr(frame(X), "columns"):
        assert formed.feature_names_in_.tolist() == list("abcdef")


@pytest.mark.parametrize(
    "labels",
    [
        lambda y: pd.Series(y, index=range(7, 7 + len(y))),
        lambda y: pd.Series(np.array(["n", "y"])[y]),
        lambda y: pd.Series(np.array(["n", "y"])[y], dtype="category"),
        lambda y: pl.Series(np.array(["n", "y"])[y]),
        lambda y: pl.Series(y > 0),
        lambda y: y.tolist(),
    ],
)
@pytest.mark.parametrize("told", [False, True])
def test_the_form_of_the_labels_does_not_matter(labels, told, data) -> None:
    X, y = data
    classes = sorted(set(labels(y))) if told else None
    formed, plain = (
        clone(SMALL_COVER).fit(X, labels(y), classes=classes),
        clone(SMALL_COVER).fit(X, y),
    )
    assert np.array_equal(formed.decision_function(X), plain.decision_function(X))


def test_sparse_rows_with_repeated_and_zero_entries_are_put_right() -> None:
    X = sp.csr_array(
        (np.array([1.0, 1.0, 0.0, 3.0]), np.array([1, 1, 0, 0]), np.array([0, 3, 4])), shape=(2, 2)
    )
    before = X.data.copy()
    for scale in (False, True):
        model = ActiveClassifier("online_active_cover", shuffle=False, scale=scale)
        fitted = clone(model).fit(X, [0, 1])
        plain = clone(model).fit(sp.csr_array(X.toarray()), [0, 1])
        assert np.array_equal(fitted.decision_function(X), plain.decision_function(X.toarray()))
    assert np.array_equal(X.data, before)


def test_scales_of_features_do_not_matter(data) -> None:
    X, y = data
    scales = 2.0 ** np.arange(-20, 21, 8)
    plain, scaled = (clone(SMALL_COVER).fit(rows, y) for rows in (X, X * scales))
    assert np.array_equal(plain.queried_, scaled.queried_)
    assert np.array_equal(plain.predict(X), scaled.predict(X * scales))


# ---------------------------------------------------------------------- among other estimators


def test_it_works_in_pipelines_searches_and_cross_validation() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    cover = ActiveClassifier("online_active_cover", label_budget=80)
    pipe = make_pipeline(StandardScaler(), cover)
    search = GridSearchCV(
        pipe,
        {
            "activeclassifier__c0": [0.01, 1.0],
            "activeclassifier__algorithm": ["online_active_cover", "iwal1"],
        },
        cv=3,
    ).fit(X, y)
    best = clone(pipe).set_params(**search.best_params_)
    assert search.best_score_ == cross_val_score(best, X, y, cv=3).mean()
    assert search.best_estimator_[-1].n_labels_ <= 80
    # Whoever orders at random has 0.5; at 30 seeds the least area was 0.98.
    assert cross_val_score(pipe, X, y, cv=3, scoring="roc_auc").min() > 0.8
    known = clone(pipe).fit(X, y).predict_proba(X)
    asked = clone(pipe).fit(X, lambda i: y[i], activeclassifier__classes=[0, 1])
    assert np.array_equal(asked.predict_proba(X), known)


@pytest.mark.parametrize(
    "estimator",
    [
        HistGradientBoostingClassifier(max_iter=3, max_leaf_nodes=4, min_samples_leaf=2),
        make_pipeline(MaxAbsScaler(), GaussianNB()),
        RidgeClassifier(),
    ],
    ids=["boosting", "pipeline", "ridge"],
)
def test_any_estimator_can_be_the_oracle(estimator, data) -> None:
    X, y = data
    with threadpool_limits(1):
        model = clone(TREE).set_params(estimator=estimator).fit(X[:100], y[:100])
        again = clone(model).fit(X[:100], y[:100])
    assert model.n_labels_ <= 25
    assert np.array_equal(model.predict(X) == 1, model.decision_function(X) > 0)
    assert np.array_equal(model.decision_function(X), again.decision_function(X))
    assert hasattr(model, "predict_proba") == hasattr(estimator, "predict_proba")


@pytest.mark.parametrize("algorithm", BATCH_ALGORITHMS)
def test_every_algorithm_that_learns_in_batches_asks_as_it_does_alone(algorithm, data) -> None:
    X, y = data[0][:200], data[1][:200]
    few = {"probes": 1}
    tree = DecisionTreeClassifier(max_depth=3, random_state=0)
    model = ActiveClassifier(algorithm, estimator=tree, parameters=few, shuffle=False).fit(X, y)
    alone = askance.make_learner(algorithm, n_features=6, estimator=tree, dense=True, **few)
    coins, asked = np.random.default_rng(0).random(len(X)), {}
    run_blocks(
        alone,
        sp.csr_array(X),
        coins,
        lambda row: 1 if y[row] else -1,
        on_query=asked.__setitem__,
    )
    assert model.queried_.tolist() == list(asked)
    assert model.weights_.tolist() == [1 / probability for probability in asked.values()]
    assert np.array_equal(model.predict(X), alone.refit().predict_many(sp.csr_array(X)) > 0)


def test_parameters_of_the_estimator_can_be_searched(data) -> None:
    X, y = data
    search = GridSearchCV(TREE, {"estimator__max_depth": [1, 4]}, cv=2).fit(X[:120], y[:120])
    assert search.best_params_["estimator__max_depth"] in (1, 4)
    assert TREE.estimator.max_depth == 3
    assert not hasattr(TREE.estimator, "classes_")


def test_sparse_rows_reach_an_estimator_that_takes_them(data) -> None:
    X, y = data
    model = clone(TREE).set_params(estimator=BernoulliNB(), label_budget=12)
    assert model.fit(sp.csr_array(X), y).predict_proba(sp.csr_array(X)).shape == (len(y), 2)
    with pytest.raises(TypeError, match=r"[Ss]parse"):
        model.set_params(estimator=HistGradientBoostingClassifier()).fit(sp.csr_array(X), y)


@kinds
def test_one_class_is_predicted_everywhere(model, data) -> None:
    X, _ = data
    fitted = clone(model).fit(X, ["only"] * len(X))
    assert set(fitted.predict(X)) == {"only"}
    assert np.array_equal(fitted.predict_proba(X), np.ones((len(X), 1)))


@kinds
def test_states_other_than_whole_numbers_are_taken(model, data) -> None:
    X, y = data
    first, second = (
        clone(model).set_params(random_state=np.random.RandomState(3)).fit(X, y) for _ in range(2)
    )
    assert np.array_equal(first.queried_, second.queried_)
    assert clone(model).set_params(random_state=None, label_budget=3).fit(X, y).n_labels_ == 3
    other = clone(model).set_params(random_state=1).fit(X, y)
    assert not np.array_equal(other.queried_, clone(model).fit(X, y).queried_)


def test_the_package_has_it_without_importing_scikit_learn_for_everyone() -> None:
    assert askance.ActiveClassifier is ActiveClassifier
    with pytest.raises(AttributeError, match="has no attribute 'ActiveRegressor'"):
        askance.ActiveRegressor  # noqa: B018


# ---------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("model", "y", "classes", "message"),
    [
        (
            ActiveClassifier("online_active_cover"),
            [0, 1, 2, 0],
            None,
            "Only binary classification is supported",
        ),
        (
            ActiveClassifier("online_active_cover"),
            [0, 1, 1, 0],
            [0, 1, 2],
            "Only binary .* 3 classes",
        ),
        (ActiveClassifier(), lambda i: 0, None, "classes must be given where y is a function"),
        (ActiveClassifier(), None, [0, 1], "labels are needed"),
        (ActiveClassifier(), [0, 1, 1], [0, 1], "inconsistent numbers of samples"),
        (ActiveClassifier(label_budget=0), [0, 1, 1, 0], None, "label_budget must be .* got 0"),
        (ActiveClassifier("iwal2"), [0, 1, 1, 0], None, "algorithm must be one of"),
        (ActiveClassifier("iwal1", c0=-1.0), [0, 1, 1, 0], None, "c0 must be positive"),
        (ActiveClassifier(c0=1.0), [0, 1, 1, 0], None, "auto has no parameter 'c0'"),
        (ActiveClassifier("passive", c0=1.0), [0, 1, 1, 0], None, "passive has no parameter"),
        (
            clone(TREE).set_params(algorithm="iwal1"),
            [0, 1, 1, 0],
            None,
            "must be one of auto, active_cover, batch",
        ),
        (clone(TREE).set_params(parameters={"depth": 1}), [0, 1, 1, 0], None, "has no parameter"),
        (clone(TREE).set_params(learning_rate=1.0), [0, 1, 1, 0], None, "has no parameter"),
        (ActiveClassifier(estimator=KNeighborsClassifier()), [0, 1, 1, 0], None, "sample_weight"),
    ],
)
def test_bad_input_is_named(model, y, classes, message) -> None:
    with pytest.raises(ValueError, match=message):
        model.fit(np.eye(4), y, classes=classes)


@pytest.mark.parametrize("label", ["maybe", None, float("nan"), ["no"], 2])
def test_a_label_that_is_no_class_is_named(label) -> None:
    with pytest.raises(InvalidLabel, match=r"the label of row \d must be 'no' or 'yes', got "):
        ActiveClassifier().fit(np.eye(4), lambda i: label, classes=["yes", "no"])


def test_classes_are_told_once() -> None:
    model = ActiveClassifier()
    with pytest.raises(InvalidParameter, match="classes must be passed on the first call"):
        model.partial_fit(np.eye(2), [0, 1])
    model.partial_fit(np.eye(2), [0, 1], classes=[1, 0]).partial_fit(np.eye(2), [0, 1])
    with pytest.raises(InvalidParameter, match=r"classes must stay \[0, 1\], got \[0, 2\]"):
        model.partial_fit(np.eye(2), [0, 2], classes=[0, 2])


@kinds
def test_labels_bought_before_a_failure_stay_bought(model, data):
    X, y = data
    given: list[int] = []

    def ask(row: int) -> int:
        if len(given) == 4:
            raise KeyboardInterrupt
        given.append(row)
        return int(y[row])

    active = clone(model)
    with pytest.raises(KeyboardInterrupt):
        active.partial_fit(X[:200], ask, classes=[0, 1])
    assert active.queried_.tolist() == given
    assert (active.n_labels_, len(active.weights_)) == (4, 4)
    assert given[-1] < active.n_offered_ <= 200
    assert set(active.predict(X)) <= {0, 1}
    active.partial_fit(X[200:], y[200:])
    assert active.n_labels_ == len(active.queried_) > 4
    assert active.queried_[4] >= 200
    if active.estimator is None:
        stats = active._learner.stats()
        assert (stats.answered, stats.pending, stats.withdrawn) == (active.n_labels_, 0, 1)


def test_the_docstring_says_what_is_run_over_an_estimator() -> None:
    """Each shortcut of the preset, and how the letter differs from it."""
    said, run = " ".join(str(ActiveClassifier.__doc__).split()), suggested("active_cover", {})
    assert f'region="{run["region"]}"' in said
    for name, steps in (("probes", "16"), ("unlabeled", "2,000"), ("max_iterations", "1,000")):
        assert f"{run[name]:,}" == steps
        assert steps in said
        assert f"``{name}``" in said
    bare = inspect.signature(ActiveCover).parameters
    assert f'"max_iterations": {bare["max_iterations"].default:_}' in said


def test_the_default_spreads_its_budget_over_all_rows() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1500, 3))
    y = np.where(X[:, 0] + X[:, 1] > 0, "yes", "no")
    model = ActiveClassifier(
        estimator=GaussianNB(), label_budget=120, shuffle=False, random_state=1
    ).fit(X, y)
    assert 100 <= model.n_labels_ <= 120
    assert model.queried_.max() > 1300
    # A tenth of the budget is uniform, so no label stands for more than ten times N/B rows.
    assert model.weights_.max() <= 10 * 1500 / 120 * (1 + 1e-9)
    shares = model.predict_proba(X)
    assert (model.classes_[shares.argmax(axis=1)] == model.predict(X)).all()
    # All labels speak, the last ones too.
    twin = GaussianNB().fit(X[model.queried_], y[model.queried_])
    np.testing.assert_allclose(shares, twin.predict_proba(X), atol=1e-6)


def test_a_budget_alone_gives_a_good_classifier_and_none_asks_for_a_tenth() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    model = ActiveClassifier(label_budget=30).fit(X, y)
    assert model.n_labels_ == 30
    assert model.algorithm == "auto"
    # At ten seeds the least was 0.954; the majority has 0.63.
    assert model.score(X, y) > 0.9
    # 20 to begin with, then a tenth of the others: four standard deviations.
    few = ActiveClassifier(estimator=GaussianNB()).fit(X, y)
    assert abs(few.n_labels_ - 20 - 0.1 * (len(y) - 20)) < 4 * np.sqrt(0.09 * len(y))


@pytest.mark.parametrize("algorithm", ["auto", "coal", "iwal1"])
def test_three_classes_with_names_and_costs(algorithm) -> None:
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])
    costs = [[0, 1, 1], [1, 0, 1], [8, 8, 0]]
    plain, costly = (
        ActiveClassifier(algorithm, cost_matrix=given, label_budget=100).fit(X, names[y])
        for given in (None, costs)
    )
    assert plain.score(X, names[y]) > 0.75
    assert plain.predict_proba(X).shape == plain.decision_function(X).shape == (150, 3)
    assert np.allclose(plain.predict_proba(X).sum(axis=1), 1)
    missed = [np.mean(one.predict(X[y == 2]) != "virginica") for one in (plain, costly)]
    assert missed[1] <= missed[0]
    best = plain.classes_[np.argmax(plain.decision_function(X), axis=1)]
    assert (plain.predict(X) == best).all()


@kinds
def test_who_knows_two_classes_refuses_a_third_and_names_others(model) -> None:
    X, y = load_iris(return_X_y=True)
    if get_tags(model).classifier_tags.multi_class:
        assert len(clone(model).fit(X, y).classes_) == 3
    else:
        with pytest.raises(InvalidParameter, match=r"Only binary classification.*use auto"):
            clone(model).fit(X, y)
