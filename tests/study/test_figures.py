import numpy as np
import pytest

from askance.study.design import read_study
from askance.study.figures import draw_cover_sizes, draw_errors, draw_gains, save, style_of
from askance.study.results import Curves, Results
from askance.study.summary import LABELS, median_curves

TEXT = """
permutations = 2
budgets = [10, 20, 40]
[[data]]
embedded = ["digits"]
[[learners]]
algorithm = "passive"
learning_rate = [0.4, 0.8]
[[learners]]
algorithm = "online_active_cover"
cover_size = [3, 6]
"""


@pytest.fixture
def results():
    rng = np.random.default_rng(0)
    errors = rng.uniform(0.1, 0.5, (2, 4, 3))
    queries = np.tile([10, 20, 40], (2, 4, 1))
    curves = [Curves(name, [1, 2], errors, queries, np.ones((2, 4))) for name in ("a", "b")]
    return Results(read_study("study.toml", TEXT), curves, {})


def test_gains_have_three_panels_with_the_medians_in_the_first(results):
    median, first, quartiles = draw_gains(results, "fixed", None).axes
    drawn = {line.get_label(): line.get_ydata() for line in median.get_lines()[:2]}
    expected = median_curves(results, "fixed", None)
    assert np.array_equal(drawn["OAC"], expected["online_active_cover"])
    assert np.array_equal(drawn["passive"], expected["passive"])
    assert len(quartiles.containers) == 2
    assert [axes.get_title() for axes in (first, quartiles)] == [
        "the first permutation",
        "three quartiles",
    ]


def test_quartiles_are_bars_around_the_medians(results):
    bars = draw_gains(results, "fixed", None).axes[2].containers
    (segments,) = bars[0].lines[2]
    ends = np.array(segments.get_segments())[:, :, 1]
    middle = median_curves(results, "fixed", None)["online_active_cover"]
    # Of two permutations the quartiles lie as far below as above the median.
    assert ends.mean(axis=1) == pytest.approx(middle)


def test_a_study_of_other_names_has_quartiles_too(results):
    text = TEXT.replace('algorithm = "p', 'name = "x"\nalgorithm = "p').replace(
        'algorithm = "o', 'name = "y"\nalgorithm = "o'
    )
    other = Results(read_study("study.toml", text), results.curves, {})
    assert len(draw_gains(other, "fixed", None).axes[2].containers) == 2


def test_styles_differ():
    styles = [style_of(name, 0) for name in LABELS]
    assert len(set(styles)) == len({style.marker for style in styles}) == len(LABELS)


def test_errors_have_a_panel_for_each_data_set(results):
    names = ["passive", "online_active_cover"]
    figure = draw_errors(results, "per_data", ["b", "a"], names)
    assert [axes.get_title() for axes in figure.axes] == ["b", "a"]
    assert all(len(axes.get_lines()) == 2 for axes in figure.axes)


def test_cover_sizes_have_gain_and_time(results):
    gain, spent = draw_cover_sizes(results, "online_active_cover").axes
    assert gain.get_lines()[0].get_xdata().tolist() == [3, 6]
    assert spent.get_lines()[0].get_ydata().tolist() == [1.0, 1.0]


def test_figures_are_written_twice_and_repeat(results, tmp_path):
    first = save(draw_gains(results, "fixed", 1), tmp_path, "one")
    second = save(draw_gains(results, "fixed", 1), tmp_path, "two")
    assert first.read_bytes() == second.read_bytes()
    assert (tmp_path / "one.png").stat().st_size > 1000
