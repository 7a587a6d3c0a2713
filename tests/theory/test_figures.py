from pathlib import Path

import pytest

from askance.theory.figures import DRAW
from askance.theory.report import load_result

DOCS = Path(__file__).parents[2] / "docs" / "theory"


@pytest.mark.parametrize("name", sorted(set(DRAW) - {"real_data"}))
def test_the_committed_numbers_can_be_drawn_and_twice_alike(name: str, tmp_path: Path) -> None:
    figure = load_result(DOCS / f"{name}.json")["figure"]
    first, second = tmp_path / "a.svg", tmp_path / "b.svg"
    DRAW[name](figure, first)
    DRAW[name](figure, second)
    assert first.read_bytes() == second.read_bytes()
    assert first.read_text(encoding="utf-8").count("<path") > 10


def test_curves_of_real_data(tmp_path: Path) -> None:
    curve = {"labels": [1, 10], "error": [0.5, 0.1]}
    panel = {"dataset": "d", "oracle": "o", "active": curve, "passive": curve}
    DRAW["real_data"]({"panels": [panel]}, tmp_path / "x.svg")
    assert "d, o" in (tmp_path / "x.svg").read_text(encoding="utf-8")
