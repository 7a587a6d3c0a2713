import math
import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from askance.study import metrics

BUDGETS = [10, 20, 40, 80]
ERRORS = st.floats(0.01, 1.0)


def slow_area(errors, queries):
    """The paper's sum, term by term."""
    total = 0.0
    for q in range(len(errors) - 1):
        total += (errors[q + 1] + errors[q]) * math.log2(queries[q + 1] / queries[q]) / 2
    return total


@st.composite
def studies(draw, reached=False):
    """Errors and queries [data set][permutation, setting, budget], setting 0 being the base."""
    settings = draw(st.integers(1, 4))
    found = []
    for _ in range(draw(st.integers(1, 3))):
        shape = (draw(st.integers(1, 5)), settings + 1, len(BUDGETS))
        errors = draw(hnp.arrays(float, shape, elements=ERRORS))
        asked = draw(hnp.arrays(int, shape[:2], elements=st.integers(11, 90)))
        asked = np.full(shape[:2], 1000) if reached else asked
        found.append((errors, np.minimum(asked[..., None], BUDGETS)))
    return found


@given(studies())
def test_areas_are_the_papers_sum(study):
    for errors, queries in study:
        literal, whole = metrics.auc_literal(errors, queries), metrics.auc(errors, BUDGETS)
        for at in np.ndindex(literal.shape):
            assert literal[at] == pytest.approx(slow_area(errors[at], queries[at]), rel=1e-12)
            assert whole[at] == pytest.approx(slow_area(errors[at], BUDGETS), rel=1e-12)


@given(studies(reached=True))
def test_the_two_areas_agree_where_every_budget_is_reached(study):
    for errors, queries in study:
        whole, literal = metrics.auc(errors, BUDGETS), metrics.auc_literal(errors, queries)
        assert np.array_equal(whole, literal)


@given(studies())
def test_gains_and_choices_are_the_definitions(study):
    by_data, medians = [], []
    for errors, _ in study:
        areas = metrics.auc(errors, BUDGETS)
        by_data.append(metrics.gains(areas[:, 0], areas[:, 1:]))
        medians.append(
            [
                statistics.median(
                    (slow_area(run[0], BUDGETS) - slow_area(run[p], BUDGETS))
                    / slow_area(run[0], BUDGETS)
                    for run in errors.tolist()
                )
                for p in range(1, errors.shape[1])
            ]
        )
    per_data = statistics.mean(max(line) for line in medians)
    means = [statistics.mean(line[p] for line in medians) for p in range(len(medians[0]))]
    assert metrics.auc_gain_per_data(by_data) == pytest.approx(per_data, abs=1e-12)
    assert metrics.auc_gain(by_data) == pytest.approx(max(means), abs=1e-12)
    assert means[metrics.best_fixed(by_data)] == pytest.approx(max(means), abs=1e-12)
    for line, best in zip(medians, metrics.best_per_data(by_data), strict=True):
        assert line[best] == pytest.approx(max(line), abs=1e-12)
    assert metrics.auc_gain(by_data) <= metrics.auc_gain_per_data(by_data) + 1e-12


@given(studies(), st.sampled_from([None, 0, 2]))
def test_curves_are_the_definition(study, divisor):
    base = [errors[:, 0] for errors, _ in study]
    ours = [errors[:, 1] for errors, _ in study]
    found = metrics.gain_curve(base, ours, metrics.quartile(0.5), divisor)
    for q in range(len(BUDGETS)):
        expected = statistics.mean(
            statistics.median(
                (b[q] - o[q]) / b[q if divisor is None else divisor]
                for b, o in zip(before.tolist(), after.tolist(), strict=True)
            )
            for before, after in zip(base, ours, strict=True)
        )
        assert found[q] == pytest.approx(expected, abs=1e-12)


def test_an_area_by_hand():
    errors = np.array([0.4, 0.2, 0.1])
    # Two doublings: (0.4 + 0.2) / 2 and (0.2 + 0.1) / 2.
    assert float(metrics.auc(errors, [10, 20, 40])) == pytest.approx(0.45)
    # The last budget is never reached: 15 labels are log2(1.5) doublings, then none.
    literal = float(metrics.auc_literal(errors, np.array([10, 15, 15])))
    assert literal == pytest.approx(0.3 * math.log2(1.5))


def test_to_the_letter_who_does_not_ask_wins_all():
    base = metrics.auc_literal(np.full((1, 3), 0.1), np.array([[10, 20, 40]]))
    silent = metrics.auc_literal(np.full((1, 1, 3), 0.5), np.array([[[4, 4, 4]]]))
    assert metrics.gains(base, silent).tolist() == [[1.0]]


def test_nothing_asked_at_all_is_no_area():
    assert float(metrics.auc_literal(np.array([0.5, 0.5]), np.array([0, 0]))) == 0.0


def test_a_base_without_mistakes_is_left_out_of_curves():
    perfect, other = np.array([[0.0, 0.0]]), np.array([[0.2, 0.2]])
    found = metrics.gain_curve([perfect, other], [other, other / 2], metrics.quartile(0.5))
    assert found.tolist() == [0.5, 0.5]
    assert np.isnan(metrics.gain_curve([perfect], [other], metrics.quartile(0.5))).all()


def test_intervals_repeat_and_hold_what_never_varies():
    rng = np.random.default_rng(0)
    by_data = [rng.normal(0.1, 0.05, (9, 3)) for _ in range(6)]
    draws = metrics.resamples(by_data, metrics.auc_gain, repeats=50)
    assert np.array_equal(draws, metrics.resamples(by_data, metrics.auc_gain, repeats=50))
    low, high = metrics.interval(draws)
    assert low < metrics.auc_gain(by_data) < high + 0.05
    constant = [np.full((9, 3), 0.25)] * 4
    assert metrics.resamples(constant, metrics.auc_gain, repeats=5).tolist() == [0.25] * 5


def test_permutations_are_resampled_within_a_data_set():
    """Of one data set alone, each draw has the median of nine permutations drawn from its nine."""
    by_data = [np.arange(9.0)[:, None]]
    draws = metrics.resamples(by_data, metrics.auc_gain, repeats=200)
    assert set(draws.tolist()) <= set(range(9))
    assert len(set(draws.tolist())) > 3
