import itertools
import math
import statistics
from collections import Counter

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


# Two data sets with two and three permutations of three settings; no two sums are the same.
SMALL = [
    np.array([[0.11, 0.02, 0.08], [0.01, 0.17, 0.32]]),
    np.array([[0.40, 0.05, 0.29], [0.03, 0.23, 0.36], [0.37, 0.61, 0.13]]),
]


def every_resample(by_data):
    """All resamples that can be drawn with their probabilities, as plain lists."""
    for sets in itertools.product(by_data, repeat=len(by_data)):
        draws = [list(itertools.product(some.tolist(), repeat=len(some))) for some in sets]
        for drawn in itertools.product(*draws):
            yield drawn, 1 / len(by_data) ** len(by_data) / math.prod(map(len, draws))


def mean_of_medians(drawn, setting):
    return statistics.mean(statistics.median(run[setting] for run in some) for some in drawn)


def exact_distribution(by_data, value):
    found = Counter()
    for drawn, probability in every_resample(by_data):
        found[round(value(drawn), 9)] += probability
    assert math.isclose(sum(found.values()), 1.0)
    return found


def assert_drawn_from(draws, exact):
    """Each value is as frequent as it is likely, within five standard errors."""
    seen = Counter(draws.round(9).tolist())
    assert seen.keys() <= exact.keys()
    for value, likely in exact.items():
        error = math.sqrt(likely * (1 - likely) / len(draws))
        assert abs(seen[value] / len(draws) - likely) < 5 * error


@pytest.mark.parametrize("setting", [0, 1, 2])
def test_resamples_keep_a_setting_as_counting_all_of_them_says(setting):
    exact = exact_distribution(SMALL, lambda drawn: mean_of_medians(drawn, setting))
    kept = metrics.keeping(SMALL, [setting, setting])
    assert_drawn_from(metrics.resamples(kept, metrics.auc_gain, repeats=3000), exact)


def test_resamples_choose_anew_as_counting_all_of_them_says():
    exact = exact_distribution(
        SMALL, lambda drawn: max(mean_of_medians(drawn, setting) for setting in range(3))
    )
    anew = metrics.resamples(SMALL, metrics.auc_gain, repeats=3000)
    assert_drawn_from(anew, exact)
    # On the same draws the setting that is best for all never gains more than the one chosen anew.
    best = [metrics.best_fixed(SMALL)] * 2
    kept = metrics.resamples(metrics.keeping(SMALL, best), metrics.auc_gain, repeats=3000)
    assert (kept <= anew + 1e-12).all()
    assert (kept < anew - 1e-3).mean() > 0.2


def halves_one_by_one(medians):
    """What every half of a list of lists gains with the setting that all the others choose."""
    n, settings = len(medians), range(len(medians[0]))
    found = {}
    for size in {n // 2, n - n // 2}:
        for judges in itertools.combinations(range(n), size):
            choosers = [medians[d] for d in range(n) if d not in judges]
            means = [statistics.mean(line[p] for line in choosers) for p in settings]
            chosen = means.index(max(means))
            found[judges] = round(statistics.mean(medians[d][chosen] for d in judges), 9)
    return found


def test_halves_are_judged_by_the_setting_of_the_others():
    rng = np.random.default_rng(3)
    by_data = [rng.normal(0.0, 0.2, (3, 4)) for _ in range(5)]
    medians = [[statistics.median(c) for c in zip(*d.tolist(), strict=True)] for d in by_data]
    expected = halves_one_by_one(medians)
    found = metrics.halves(by_data, repeats=200).round(9)
    assert len(found) == 400
    # Two sets judge, then the other three; every one of the 20 halves comes up.
    assert set(found[::2]) == {v for judges, v in expected.items() if len(judges) == 3}
    assert set(found[1::2]) == {v for judges, v in expected.items() if len(judges) == 2}
    pairs = {(v, expected[tuple(sorted({*range(5)} - {*j}))]) for j, v in expected.items()}
    assert set(zip(found[::2].tolist(), found[1::2].tolist(), strict=True)) <= pairs
    # Each of the ten halves comes up as often as any other, within five standard errors.
    counts = Counter(found[1::2].tolist())
    assert all(abs(counts[v] - 20) < 20 for v in counts)


def test_settings_that_help_half_of_the_sets_gain_nothing_on_the_others():
    # Each setting suits one set and harms the other three.
    by_data = [np.full((1, 4), -0.1) + 0.5 * np.eye(4)[d] for d in range(4)]
    assert metrics.auc_gain(by_data) > 0
    assert metrics.halves(by_data).tolist() == pytest.approx([-0.1] * 100)


def test_halves_repeat_are_the_same_for_all_and_need_two_sets():
    by_data = [np.array([[value]]) for value in (0.1, 0.2, 0.4, 0.8)]
    found = metrics.halves(by_data)
    assert np.array_equal(found, metrics.halves(by_data))
    # With one setting the two halves tell what the mean of all does.
    assert (found[::2] + found[1::2]).tolist() == pytest.approx([0.75] * 50)
    doubled = metrics.halves([np.hstack([some, some - 1]) for some in by_data])
    assert np.array_equal(doubled, found)
    assert len(metrics.halves(by_data[:1])) == 0
