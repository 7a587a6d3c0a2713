"""The hard instance, small in the suite and whole behind the marker."""

import numpy as np
import pytest

from askance.kernels.formulas import min_query_probability
from askance.theory.contestants import ABLATION
from askance.theory.hard import (
    EPSILONS,
    hard_run,
    predicted_queries,
    slope_lines,
    summarise,
)


def test_a_small_hard_instance() -> None:
    run = hard_run(size=301, seed=0, n=2**13, epsilon=0.01)
    assert run.n == [2**k for k in range(5, 14)]
    cover = run.contestants["Active Cover"]
    assert cover.kept_best
    assert cover.queries[-1] < 600
    for name in ("IWAL0", "IWAL1", "Oracular CAL 0", "Oracular CAL 1", ABLATION):
        assert run.contestants[name].queries[-1] > 0.95 * 2**13
    # P never falls below its floor, so queries cannot lie far below what the floor gives.
    assert cover.queries[-1] > 0.8 * cover.floor_queries[-1]
    assert np.all(np.diff(cover.floor_queries) > 0)
    assert cover.queries <= cover.inside <= run.n


def test_the_same_seed_gives_the_same_bits() -> None:
    assert hard_run(51, 3, 1024, 0.01) == hard_run(51, 3, 1024, 0.01)


def test_what_the_region_saves_and_what_p_saves_is_what_is_saved() -> None:
    runs = [hard_run(51, seed, 1024, 0.02) for seed in range(2)]
    lines = {line.algorithm: line for line in summarise(runs)}
    cover = lines["Active Cover"]
    asked = [run.contestants["Active Cover"].queries[-1] for run in runs]
    assert cover.seeds == 2
    assert cover.labels == np.mean(asked)
    assert cover.saved_by_region * cover.saved_by_P == pytest.approx(1024 / cover.labels)
    assert lines[ABLATION].saved_by_P == 1.0
    slopes = slope_lines(runs)
    assert [line.n for line in slopes] == [8, 16, 32, 64, 128, 256, 512, 1024]
    assert slopes[-1].labels == cover.labels
    before = np.mean([run.contestants["Active Cover"].queries[-2] for run in runs])
    assert slopes[-1].slope == pytest.approx(np.log2(cover.labels / before))
    inside = np.mean([np.diff(run.contestants["Active Cover"].inside)[-1] for run in runs])
    assert slopes[-1].region_share == pytest.approx(inside / 512)


def test_the_prediction_is_a_sum_of_floors_and_grows_like_the_root_in_the_end() -> None:
    by_hand = 3.0
    for start in (3, 6):
        floor = min_query_probability(0.495, float(start))
        by_hand += start * 2 * floor / (1 + 2 * floor)
    assert predicted_queries(0.01, np.array([12])).tolist() == pytest.approx([by_hand])
    at = 2 ** np.arange(10, 25)
    slopes = np.diff(np.log2(predicted_queries(0.01, at)))
    assert np.all(np.diff(slopes) < 0)
    assert 0.5 < slopes[-1] < 0.52
    assert slopes[0] > 0.6


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_the_hard_instance_as_documented(epsilon: float) -> None:
    runs = [hard_run(3001, seed, 2**18, epsilon) for seed in range(2)]
    lines = {line.algorithm: line for line in summarise(runs)}
    cover = lines["Active Cover"]
    assert cover.kept_best == 2
    assert cover.saved_by_P > 15
    slopes = slope_lines(runs)
    for line in slopes:
        # While the region is everything P does what the paper says, and then the region goes.
        if line.region_share > 0.99:
            assert line.slope == pytest.approx(line.predicted_slope, abs=0.15)
    if epsilon == EPSILONS[-1]:
        assert slopes[-1].slope < 0.2
        assert slopes[-1].predicted_slope > 0.5
        assert slopes[-1].region_share < 0.05
