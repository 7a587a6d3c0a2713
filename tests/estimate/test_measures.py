"""Measures from weights: plain counts where all is labelled, a bootstrap, and coverage."""

import math

import numpy as np
import pytest
from scipy.stats import binomtest
from sklearn import metrics

from askance.errors import InvalidLabel, InvalidParameter
from askance.estimate import confusion, cost, error_of_sample, measures
from askance.estimate.measures import RATIOS, wilson

# Cells (predicted, label): their shares in the stream, and how often each is asked about.
SIGNS = np.array([(1, 1), (1, -1), (-1, 1), (-1, -1)])
SHARES = np.array([0.18, 0.06, 0.04, 0.72])
ASKED = np.array([0.2, 0.5, 0.4, 0.1])


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
    found = cost(predicted, labels, weights, n, costs=np.array([[0.0, 10.0], [1.0, 0.0]]))
    assert found.low < 10 * SHARES[2] + SHARES[1] < found.high
    wrong = np.where(predicted < labels, 10.0, 1.0) * (predicted != labels)
    assert math.isclose(found.estimate, np.sum(weights * wrong) / n)
    # What every example costs, or earns, is added; a plain cost is the error.
    earned = cost(predicted, labels, weights, n, costs=np.array([[-3.0, 7.0], [-2.0, -3.0]]))
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
    with refused(InvalidParameter, "costs must be two rows"):
        cost(predicted, labels, weights, n, costs=np.ones((2, 2)))
    # One class: its share and the error are known, recall is not.
    one = 0 * labels - 1
    assert measures(predicted, one, weights, n, names=["base rate"])["base rate"].estimate == 0
    with refused(InvalidParameter, "the recall needs labels", "both classes"):
        measures(predicted, one, weights, n)
    with refused(InvalidParameter, "the precision needs labels", "both classes"):
        measures(one, labels, weights, n)
