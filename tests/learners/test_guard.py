"""The guard: its test against SciPy's, and which labels it fits and judges by."""

import numpy as np
import pytest
from scipy.stats import binomtest

from askance import as_row
from askance.learners.guard import (
    FEWEST,
    LEVEL,
    MOST_UNIFORM,
    _sign_test,
    guarded_share,
    held_by_guard,
    sample_of_guard,
)
from askance.learners.label_store import LabelStore
from askance.types import Decision


@pytest.mark.parametrize(("worse", "better"), [(0, 0), (3, 0), (7, 2), (2, 7), (30, 10)])
def test_sign_test(worse, better):
    n = worse + better
    expected = binomtest(worse, n, alternative="greater").pvalue if n else 1.0
    assert _sign_test(worse, better) == pytest.approx(expected)


@pytest.mark.parametrize(("worse", "better"), [(0, 0), (4, 0), (5, 0), (9, 3), (10, 2), (2, 10)])
@pytest.mark.parametrize("share", [0.1, 0.3])
def test_the_share_is_doubled_up_to_the_most_where_the_test_says_so(share, worse, better):
    right = np.repeat([True, False, True], [worse, better, 7])
    was_right = np.repeat([False, True, True], [worse, better, 7])
    harm = worse > better and _sign_test(worse, better) < LEVEL
    expected = min(2 * share, MOST_UNIFORM) if harm else share
    assert guarded_share(share, right, was_right) == expected


def stored(uniform, labels=None):
    store = LabelStore()
    for i, marked in enumerate(uniform):
        decision = Decision(1, True, 0.5, True, i, 0.0, 0.1, bool(marked))
        label = 1 if labels is None else labels[i]
        store.append(as_row([float(i)]), label, decision)
    return store


def test_it_fits_to_the_first_half_of_the_uniform_labels_and_judges_by_the_second():
    """Of the first so many labels; those that came later do not count."""
    store = stored([True, False] * 3 * FEWEST, [1, 1, -1, -1] * (3 * FEWEST // 2))
    X, targets, importance = sample_of_guard(store, 4 * FEWEST, 0.1)
    assert X.toarray()[:, 0].tolist() == [2.0 * i for i in range(FEWEST)]
    assert targets.tolist() == [1, -1] * (FEWEST // 2)
    assert importance.tolist() == [2.0] * FEWEST
    expected = [2 * i for i in range(FEWEST, 2 * FEWEST)]
    assert held_by_guard(store, 4 * FEWEST).tolist() == expected


def test_it_wants_no_classifier_of_few_labels_of_one_class_or_at_the_most():
    mixed = [1, -1] * FEWEST
    assert sample_of_guard(stored([True] * 2 * FEWEST, mixed), 2 * FEWEST, 0.1) is not None
    assert sample_of_guard(stored([True] * 2 * FEWEST, mixed), 2 * FEWEST - 1, 0.1) is None
    assert sample_of_guard(stored([True] * 2 * FEWEST, mixed), 2 * FEWEST, MOST_UNIFORM) is None
    assert sample_of_guard(stored([True] * 2 * FEWEST), 2 * FEWEST, 0.1) is None
