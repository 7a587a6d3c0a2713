"""Measures from weights: plain counts where all is labelled, a bootstrap, and coverage."""

import math

import numpy as np
import pytest
from scipy.stats import binomtest
from sklearn import metrics

from askance.errors import InvalidLabel, InvalidParameter
from askance.estimate import (
    confusion,
    confusion_table,
    cost,
    crossfit_error,
    error_of_sample,
    measures,
)
from askance.estimate.measures import ratios_of, wilson

# Cells (predicted, label): their shares in the stream, and how often each is asked about.
SIGNS = np.array([(1, 1), (1, -1), (-1, 1), (-1, -1)])
SHARES = np.array([0.18, 0.06, 0.04, 0.72])
ASKED = np.array([0.2, 0.5, 0.4, 0.1])

RATIOS = ratios_of((-1, 1))


def some_sample(seed, n=6000, shares=SHARES, asked=ASKED):
    """The classifier is the better the surer it is; more is asked where it is not."""
    generator = np.random.default_rng(seed)
    cells = generator.choice(4, n, p=shares)
    kept = cells[generator.random(n) < asked[cells]]
    return SIGNS[kept, 0], SIGNS[kept, 1], 1 / asked[kept], n


def truth(name, shares=SHARES):
    tp, fp, fn, tn = shares
    recall = tp / (tp + fn)
    return {
        "error": fp + fn,
        "base rate": tp + fn,
        "precision": tp / (tp + fp),
        "recall": recall,
        "F1": 2 * tp / (2 * tp + fp + fn),
        "balanced accuracy": (recall + tn / (tn + fp)) / 2,
    }[name]


def test_all_labels_give_the_plain_measures():
    predicted, labels, weights, n = some_sample(0, 500, asked=np.ones(4))
    found = measures(predicted, labels, weights, n)
    expected = {
        "error": 1 - metrics.accuracy_score(labels, predicted),
        "base rate": np.mean(labels > 0),
        "precision": metrics.precision_score(labels, predicted),
        "recall": metrics.recall_score(labels, predicted),
        "F1": metrics.f1_score(labels, predicted),
        "balanced accuracy": metrics.balanced_accuracy_score(labels, predicted),
    }
    assert found.keys() == expected.keys() == RATIOS.keys()
    for name, one in found.items():
        assert math.isclose(one.estimate, expected[name])
        assert one.of == name
        assert one.holds == "at a fixed time"
        assert one.low < one.estimate < one.high
    # Shares among plain labels have Wilson's interval itself.
    among = {"error": n, "base rate": n, "precision": sum(predicted > 0), "recall": sum(labels > 0)}
    for name, count in among.items():
        wanted = binomtest(round(expected[name] * count), count).proportion_ci(0.95, "wilson")
        assert np.allclose(found[name][1:3], wanted, atol=1e-9)


def test_confusion_counts_the_stream():
    predicted, labels, weights, n = some_sample(1)
    found = confusion(predicted, labels, weights, n)
    table = metrics.confusion_matrix(labels, predicted, sample_weight=weights)
    (tn, fp), (fn, tp) = table.tolist()
    assert [one.estimate for one in found.values()] == pytest.approx([tp, fp, fn, tn])
    for one, share in zip(found.values(), SHARES, strict=True):
        assert one.low < n * share < one.high < n


@pytest.mark.parametrize("name", RATIOS)
def test_the_variance_is_that_of_a_bootstrap_over_examples(name):
    predicted, labels, weights, n = some_sample(2)
    one = measures(predicted, labels, weights, n)[name]
    generator = np.random.default_rng(0)
    drawn = []
    for _ in range(800):
        # Examples without a label are drawn too: then the draw is left out.
        places = generator.integers(n, size=n)
        places = places[places < len(weights)]
        again = measures(predicted[places], labels[places], weights[places], n, names=[name])
        drawn.append(again[name].estimate)
    half = 1.96 * np.std(drawn)
    assert np.allclose((one.high - one.low) / 2, half, rtol=0.1)


@pytest.mark.parametrize("name", RATIOS)
def test_intervals_hold_about_as_often_as_they_say(name):
    def missed(n, scale=1.0):
        wrong = 0
        for seed in range(600):
            predicted, labels, weights, n = some_sample(seed, n)
            one = measures(predicted, labels, weights**scale, n, alpha=0.1, names=[name])[name]
            wrong += not one.low <= truth(name) <= one.high
        return wrong / 600

    assert 0.06 < missed(3000) < 0.14
    # With 1/sqrt(P) they do not.
    assert missed(3000, 0.5) > 0.2


def test_costs():
    predicted, labels, weights, n = some_sample(3)
    found = cost(predicted, labels, weights, n, costs=np.array([[0.0, 1.0], [10.0, 0.0]]))
    assert found.low < 10 * SHARES[2] + SHARES[1] < found.high
    wrong = np.where(predicted < labels, 10.0, 1.0) * (predicted != labels)
    assert math.isclose(found.estimate, np.sum(weights * wrong) / n)
    # What every example costs, or earns, is added; a plain cost is the error.
    earned = cost(predicted, labels, weights, n, costs=np.array([[-3.0, -2.0], [7.0, -3.0]]))
    assert np.allclose(earned[:3], np.array(found[:3]) - 3)
    plain = cost(predicted, labels, weights, n, costs=np.array([[0, 1], [1, 0]]))
    assert np.allclose(plain[:3], measures(predicted, labels, weights, n)["error"][:3])


def test_no_mistake_is_not_no_error():
    one = np.array([1, -1] * 50)
    found = measures(one, one, np.full(100, 2.0), 200)
    for name in ("error", "precision", "recall", "F1", "balanced accuracy"):
        assert found[name].high - found[name].low > 0.03
    assert found["error"].low == 0
    assert wilson(1.0, 50, 0.05)[1] == 1


def test_the_error_of_a_sample_at_any_time():
    predicted, labels, weights, n = some_sample(4)
    wrong = (predicted != labels).astype(float)
    fixed = measures(predicted, labels, weights, n)["error"]
    found = error_of_sample(wrong, weights, n, floor=0.1)
    assert math.isclose(found.estimate, fixed.estimate)
    assert found.low < fixed.low < fixed.high < found.high < fixed.high + 0.05
    assert found.holds == "at any time"
    blind = error_of_sample(wrong, weights, n)
    assert blind.low == found.low
    assert blind.high > found.high + 0.02


def test_bad_input(refused):
    predicted, labels, weights, n = some_sample(5, 200)
    none = np.zeros(0)
    with refused(InvalidParameter, "a sample must hold labels"):
        measures(none, none, none, 10)
    for bad in (None, len(weights) - 1, 10.5, math.nan):
        with refused(InvalidParameter, "n must be a whole number from", "got"):
            measures(predicted, labels, weights, bad)
        with refused(InvalidParameter, "n must be a whole number from", "got"):
            error_of_sample(1.0 * (predicted > 0), weights, bad)
    for bad in (0.5, 0.0, -1.0, math.nan, math.inf):
        with refused(InvalidParameter, "weights must be finite and at least 1", str(bad)):
            measures(predicted, labels, np.append(weights[1:], bad), n)
    with refused(InvalidLabel, "a label must be -1 or +1, got 0"):
        measures(predicted, 0 * labels, weights, n)
    with refused(InvalidLabel, "nan"):
        measures(predicted * math.nan, labels, weights, n)
    with refused(InvalidParameter, "one prediction", f"got {len(labels)} labels"):
        measures(predicted[1:], labels, weights, n)
    with refused(InvalidParameter, "alpha"):
        measures(predicted, labels, weights, n, alpha=1)
    with refused(InvalidParameter, "costs must be 2 rows of 2"):
        cost(predicted, labels, weights, n, costs=np.ones((2, 2)))


def test_classes_without_labels_or_predictions(refused):
    predicted, labels, weights, n = some_sample(5, 200)
    # One class: its share and the error are known, recall is not.
    one = 0 * labels - 1
    assert measures(predicted, one, weights, n, names=["base rate"])["base rate"].estimate == 0
    with refused(InvalidParameter, "the recall needs labels of all classes"):
        measures(predicted, one, weights, n)
    # A class that is never predicted has no precision.
    blind = measures(one, labels, weights, n)
    assert math.isnan(blind["precision"].estimate)
    assert blind["precision"][1:3] == (0.0, 1.0)
    assert blind["recall"].estimate == 0
    with refused(InvalidLabel, "a label must be one of", "got 'd'"):
        measures("abc", "abd", np.ones(3), 3, classes="abc")
    with refused(InvalidParameter, "classes must be two or more"):
        measures("aa", "aa", np.ones(2), 2, classes="a")


# Three classes: shares of (label, prediction) in the stream, and how often each is asked about.
THREE = np.array([[0.30, 0.05, 0.02], [0.04, 0.25, 0.03], [0.06, 0.05, 0.20]])
ASKED_OF_THREE = np.array([[0.1, 0.5, 0.4], [0.5, 0.2, 0.5], [0.3, 0.4, 0.2]])


def three_classes(seed, n=6000, asked=ASKED_OF_THREE):
    generator = np.random.default_rng(seed)
    cells = generator.choice(9, n, p=THREE.ravel())
    kept = cells[generator.random(n) < asked.ravel()[cells]]
    names = np.array(["ant", "bee", "cow"])
    return names[kept % 3].tolist(), names[kept // 3].tolist(), 1 / asked.ravel()[kept], n


def test_any_number_of_classes_gives_the_plain_measures():
    predicted, labels, weights, n = three_classes(0, 900)
    found = measures(predicted, labels, weights, n, classes=("ant", "bee", "cow"))
    weighted = {"sample_weight": weights}
    scores = metrics.precision_recall_fscore_support(labels, predicted, **weighted)
    expected = {
        "balanced accuracy": np.mean(scores[1]),
        "macro precision": np.mean(scores[0]),
        "macro F1": np.mean(scores[2]),
        **{
            f"{name} of {one}": scores[row][i]
            for row, name in enumerate(("precision", "recall"))
            for i, one in enumerate(("ant", "bee", "cow"))
        },
    }
    for name, value in expected.items():
        assert math.isclose(found[name].estimate, value), name
    wrong = np.array(predicted) != np.array(labels)
    assert math.isclose(found["error"].estimate, weights[wrong].sum() / n)
    table = confusion_table(predicted, labels, weights, n, classes=("ant", "bee", "cow"))
    plain = metrics.confusion_matrix(labels, predicted, **weighted)
    assert np.allclose([[cell.estimate for cell in row] for row in table], plain)
    assert table[0][2].of == "ant predicted as cow"
    costs = np.arange(9.0).reshape(3, 3)
    mean = cost(predicted, labels, weights, n, costs=costs, classes=("ant", "bee", "cow"))
    assert math.isclose(mean.estimate, np.sum(plain * costs) / n)


@pytest.mark.parametrize("name", ["error", "macro F1", "macro precision", "recall of cow"])
def test_intervals_of_three_classes_hold_about_as_often_as_they_say(name):
    true, said = THREE.sum(axis=1), THREE.sum(axis=0)
    hits = np.diag(THREE)
    truths = {
        "error": 1 - hits.sum(),
        "macro F1": np.mean(2 * hits / (true + said)),
        "macro precision": np.mean(hits / said),
        "recall of cow": hits[2] / true[2],
    }
    wrong = 0
    for seed in range(500):
        predicted, labels, weights, n = three_classes(seed, 2000)
        classes = ("ant", "bee", "cow")
        one = measures(predicted, labels, weights, n, classes=classes, alpha=0.1, names=[name])
        wrong += not one[name].low <= truths[name] <= one[name].high
    assert 0.06 < wrong / 500 < 0.14


def test_cross_fitting_weighs_labels_and_promises_nothing():
    losses, weights = np.array([1.0, 0.0, 0.0, 1.0] * 30), np.array([1.0, 3.0, 5.0, 1.0] * 30)
    found = crossfit_error(losses, weights)
    assert math.isclose(found.estimate, 0.2)
    assert found.holds == "without a guarantee"
    # The variance of a ratio, by drawing labels again.
    generator = np.random.default_rng(0)
    drawn = generator.integers(120, size=(4000, 120))
    ratios = (weights * losses)[drawn].sum(axis=1) / weights[drawn].sum(axis=1)
    assert math.isclose(found.high - found.low, 2 * 1.96 * ratios.std(), rel_tol=0.1)
    none = crossfit_error(np.zeros(50), np.ones(50))
    assert (none.estimate, none.low) == (0.0, 0.0)
    assert 0.02 < none.high < 0.1
