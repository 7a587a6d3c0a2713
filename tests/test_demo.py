"""The demo: its numbers without a picture, and the picture it writes."""

import os
import subprocess
import sys
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from askance.demo.figure import draw, save, spread
from askance.demo.runs import (
    BUDGETS,
    FULL,
    N_FEATURES,
    Contestant,
    Curve,
    Size,
    compare,
    patches,
    photographs,
    sum_up,
)
from askance.demo.table import TARGET, table
from askance.errors import InvalidParameter
from askance.types import ResultRow

SMALL = Size(permutations=2, stream=300, test=200)

FAST = (
    Contestant("margin sampling", "margin", {"b": 0.1}),
    Contestant("passive", "passive", {}),
)


@pytest.fixture(scope="module")
def curves():
    return compare(FAST, size=SMALL, seed=5)


def curve(medians, asked, final=0.02):
    median = np.array(medians)
    budgets = tuple(10 * 2**q for q in range(len(medians)))
    return Curve("one", budgets, 0.8 * median, median, 1.2 * median, asked, final)


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


def test_quartiles_are_over_the_runs_and_the_last_budget_is_the_end():
    runs = [
        [ResultRow(10, 10, 50, error, True), ResultRow(99, asked, 90, error / 2, False)]
        for error, asked in [(0.1, 30), (0.2, 20), (0.3, 40), (0.4, 50), (0.5, 60)]
    ]
    found = sum_up("one", runs)
    assert found.budgets == (10,)
    assert [found.lower[0], found.median[0], found.upper[0]] == [0.2, 0.3, 0.4]
    assert (found.asked, found.final) == (40.0, 0.15)


def test_labels_to_reach_an_error():
    found = curve([0.3, 0.1, 0.05, 0.03], asked=45)
    assert found.labels_to_reach(0.2) == 20
    assert found.labels_to_reach(0.05) == 40
    assert found.labels_to_reach(0.03) is None, "budget 80 was never asked"


def test_the_same_seed_gives_the_same_curves_and_another_seed_others(curves):
    again = compare(FAST[:1], size=SMALL, seed=5)[0]
    assert again.median.tolist() == curves[0].median.tolist()
    other = compare(FAST[:1], size=SMALL, seed=6)[0]
    assert other.median.tolist() != curves[0].median.tolist()


def test_passive_asks_for_everything_and_learns(curves):
    margin, passive = curves
    assert passive.asked == SMALL.stream
    assert margin.asked < SMALL.stream
    for one in curves:
        assert one.final < one.median[0]
        assert one.budgets == BUDGETS
        assert (one.lower <= one.median).all()
        assert (one.median <= one.upper).all()


def test_progress_counts_every_run():
    ticks = []
    compare(FAST[:1], size=SMALL, on_run=lambda: ticks.append(None))
    assert len(ticks) == 2


def test_the_table_has_a_row_for_each_doubling_and_says_how_it_ended():
    console = Console(width=100)
    with console.capture() as capture:
        console.print(table([curve([0.3, 0.1, 0.05, 0.03], asked=85)]))
    text = capture.get()
    lines = [line.split("│")[1:3] for line in text.splitlines() if line.startswith("│")]
    cells = {left.strip(): right.strip() for left, right in lines}
    assert cells["10"] == "30 (24-36)"
    assert cells["40"] == "5.0 (4.0-6.0)"
    assert "20" not in cells, "two budgets for each doubling, one of them shown"
    assert cells["at the end"] == "2.0"
    assert cells["labels asked"] == "85"
    assert cells[f"labels for {100 * TARGET:g}"] == "80"


def test_a_budget_that_was_not_reached_has_no_error_in_the_table():
    errors = [0.3, 0.1, 0.05, 0.03, 0.02]
    console = Console(width=100)
    with console.capture() as capture:
        console.print(table([curve(errors, asked=25), curve(errors, asked=45)]))
    lines = [line.split("│") for line in capture.get().splitlines() if line.startswith("│")]
    cells = {line[1].strip(): [cell.strip() for cell in line[2:4]] for line in lines}
    assert cells["40"] == ["-", "5.0 (4.0-6.0)"]
    assert "160" not in cells, "nobody asked so many"


@given(
    st.lists(st.floats(0, 1), min_size=1, max_size=6),
    st.floats(0, 0.3),
)
def test_spread_keeps_order_mean_and_distance(heights, gap):
    given_heights = np.array(heights)
    found = spread(given_heights, gap)
    assert np.isclose(found.mean(), given_heights.mean())
    in_order = np.sort(found)
    assert (np.diff(in_order) >= gap - 1e-9).all()
    order = np.argsort(given_heights, kind="stable")
    assert found[order].tolist() == in_order.tolist()


def test_the_figure_is_written_twice_and_the_same_each_time(tmp_path, curves):
    written = [
        save(draw(curves, SMALL), tmp_path / folder, "demo") for folder in ("first", "second/deep")
    ]
    assert [path.name for path in written[0]] == ["demo.png", "demo.svg"]
    for one, two in zip(*written, strict=True):
        assert one.read_bytes() == two.read_bytes()
    assert written[0][0].read_bytes().startswith(b"\x89PNG")
    assert ElementTree.fromstring(written[0][1].read_text()).tag.endswith("svg")


def test_a_folder_that_cannot_be_made_gets_one_sentence(tmp_path, curves):
    (tmp_path / "file").write_text("")
    with pytest.raises(InvalidParameter, match="output must be a folder that can be written to"):
        save(draw(curves, SMALL), tmp_path / "file" / "inside", "demo")


@pytest.mark.skipif("NUMBA_DISABLE_JIT" in os.environ, reason="a whole stream needs compiled code")
def test_the_settings_ask_more_than_the_three_first_labels():
    """No contestant of the demo may collapse into its own guesses."""
    for found in compare(size=FULL._replace(permutations=1)):
        assert found.asked > 1000
        assert found.final < 0.05


def test_the_command_prints_a_table_and_writes_both_files(tmp_path):
    command = [sys.executable, "-m", "askance", "demo", "--quick", "--output", str(tmp_path)]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "labels asked" in result.stdout
    assert str(tmp_path / "demo.svg") in result.stdout
    assert sorted(path.name for path in tmp_path.iterdir()) == ["demo.png", "demo.svg"]
