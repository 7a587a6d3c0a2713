"""The hard instance, small in the suite and whole behind the marker."""

import numpy as np
import pytest

from askance.theory.hard import hard_run, summarise


def test_a_small_hard_instance() -> None:
    run = hard_run(size=301, seed=0, n=6000)
    cover = run.contestants["Active Cover"]
    assert cover.slope < 0.75
    assert cover.kept_best
    assert cover.queries[-1] < 600
    for name in ("IWAL0", "IWAL1", "Oracular CAL 0", "Oracular CAL 1"):
        assert run.contestants[name].slope > 0.95
    # P never falls below its floor, so queries cannot lie far below what the floor gives.
    assert cover.queries[-1] > 0.8 * cover.floor_queries[-1]
    assert np.all(np.diff(cover.floor_queries) > 0)


def test_the_same_seed_gives_the_same_bits() -> None:
    assert hard_run(51, 3, 1000) == hard_run(51, 3, 1000)


def test_the_summary_counts_seeds() -> None:
    runs = [hard_run(51, seed, 1000) for seed in range(2)]
    line = summarise(runs)[0]
    slopes = [run.contestants["Active Cover"].slope for run in runs]
    assert line.algorithm == "Active Cover"
    assert line.seeds == 2
    assert line.mean_slope == pytest.approx(sum(slopes) / 2)
    assert line.largest_slope == max(slopes)


@pytest.mark.slow
@pytest.mark.parametrize("size", [1001, 3001])
def test_the_hard_instance_as_documented(size: int) -> None:
    lines = {
        line.algorithm: line for line in summarise([hard_run(size, s, 100_000) for s in range(20)])
    }
    cover = lines.pop("Active Cover")
    assert cover.mean_slope < 0.6
    assert cover.largest_slope <= 0.65
    assert cover.kept_best >= 19
    assert all(line.mean_slope > 0.95 for line in lines.values())
