from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askance.errors import InvalidParameter
from askance.plots.figure import Look, draw, save_plot, spread_apart

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
