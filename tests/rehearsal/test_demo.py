import os

import numpy as np
import pytest

from askance.rehearsal.demo import DEMO_BUDGETS, FULL, N_FEATURES, patches, photographs, run_demo


def test_patches_are_described_by_their_colours_and_edges():
    left_half_red = np.zeros((8, 8, 3))
    left_half_red[:, :4, 0] = 255.0
    (found,) = patches(left_half_red)
    red_mean, red_spread = 0.5, 0.5
    one_step_in_seven, third_of_the_colours = 1 / 7, 1 / 3
    edge = one_step_in_seven * third_of_the_colours
    expected = [red_mean, 0, 0, red_spread, 0, 0, edge, 0, red_mean**2, 0, 0, 0, 0, 0]
    np.testing.assert_allclose(found, expected, atol=1e-15)


def test_the_photographs_are_whole_and_balanced():
    rows, labels = photographs()
    assert len(rows) == len(labels) == 2 * (427 // 8) * (640 // 8)
    assert labels.count(1) == labels.count(-1)
    assert max(int(row.indices[-1]) for row in rows) == N_FEATURES - 1


def test_the_same_seed_gives_the_same_curves_and_another_seed_others(curves, small, fast):
    again = run_demo(fast[:1], size=small, seed=5)[0]
    assert again.median.tolist() == curves[0].median.tolist()
    other = run_demo(fast[:1], size=small, seed=6)[0]
    assert other.median.tolist() != curves[0].median.tolist()


def test_passive_asks_for_everything_and_learns(curves, small):
    margin, passive = curves
    assert passive.asked == small.stream
    assert margin.asked < small.stream
    for one in curves:
        assert one.final < one.median[0]
        assert one.budgets == DEMO_BUDGETS
        assert (one.lower <= one.median).all()
        assert (one.median <= one.upper).all()


def test_progress_counts_every_run(small, fast):
    ticks = []
    run_demo(fast[:1], size=small, on_run=lambda: ticks.append(None))
    assert len(ticks) == 2


@pytest.mark.skipif("NUMBA_DISABLE_JIT" in os.environ, reason="a whole stream needs compiled code")
def test_the_settings_ask_more_than_the_three_first_labels():
    """No contestant of the demo may collapse into its own guesses."""
    for found in run_demo(size=FULL._replace(permutations=1)):
        assert found.asked > 1000
        # Guessing has 0.5; at six seeds the largest was 0.034.
        assert found.final < 0.1
