from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askance.errors import InvalidParameter
from askance.plots.curve import Band
from askance.plots.figure import Look, draw, draw_band, save_plot, spread_apart

LOOK = Look("A title", "A subtitle", reference=(0.05, "all labels"))


@given(
    st.lists(st.floats(0, 1), min_size=1, max_size=6),
    st.floats(0, 0.3),
)
def test_spread_keeps_order_mean_and_distance(heights, gap):
    given_heights = np.array(heights)
    found = spread_apart(given_heights, gap)
    assert np.isclose(found.mean(), given_heights.mean())
    in_order = np.sort(found)
    assert (np.diff(in_order) >= gap - 1e-9).all()
    order = np.argsort(given_heights, kind="stable")
    assert found[order].tolist() == in_order.tolist()


def test_the_figure_is_written_twice_and_the_same_each_time(tmp_path, two_curves):
    written = [
        save_plot(draw(two_curves, LOOK), tmp_path / folder, "demo")
        for folder in ("first", "second/deep")
    ]
    assert [path.name for path in written[0]] == ["demo.png", "demo.svg"]
    for one, two in zip(*written, strict=True):
        assert one.read_bytes() == two.read_bytes()
    assert written[0][0].read_bytes().startswith(b"\x89PNG")
    assert ElementTree.fromstring(written[0][1].read_text()).tag.endswith("svg")


def test_a_folder_that_cannot_be_made_gets_one_sentence(tmp_path, two_curves):
    (tmp_path / "file").write_text("")
    with pytest.raises(InvalidParameter, match="output must be a folder that can be written to"):
        save_plot(draw(two_curves, LOOK), tmp_path / "file" / "inside", "demo")


def some_band(count):
    labels = np.arange(1, count + 1)
    return Band(labels, np.full(count, 0.1), 0.1 - 0.1 / labels, 0.1 + 0.9 / labels)


def test_a_band_shows_its_bounds_and_says_where_they_end():
    band = some_band(2000)
    axes = draw_band(band, LOOK).axes[0]
    low, high, estimate = (line.get_xydata() for line in axes.lines)
    assert len(low) <= 500
    for drawn, values in ((low, band.low), (high, band.high), (estimate, band.estimate)):
        places = drawn[:, 0].astype(int) - 1
        assert places[0] == 9
        assert places[-1] == 1999
        assert np.array_equal(drawn[:, 1], values[places])
    said = [text.get_text() for text in axes.texts]
    assert said == ["at most 10.0%", "about 10.0%", "at least 10.0%"]
    heights = [text.xy[1] for text in axes.texts]
    assert heights == sorted(heights, reverse=True)
    bottom, top = axes.get_ylim()
    assert bottom < 0 < high[-1, 1] < top < 0.5


@pytest.mark.parametrize("count", [1, 2, 9, 10, 11])
def test_a_band_of_few_labels_is_drawn_too(tmp_path, count):
    written = save_plot(draw_band(some_band(count), LOOK), tmp_path, "error")
    assert all(path.stat().st_size > 1000 for path in written)
