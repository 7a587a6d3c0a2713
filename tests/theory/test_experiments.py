from pathlib import Path

import pytest

from askance.theory.experiments import EXPERIMENTS
from askance.theory.figures import DRAW
from askance.theory.report import load_result, save_result

DOCS = Path(__file__).parents[2] / "docs" / "theory"
SMALL = Path(__file__).parent / "small"
"""What each experiment found with one seed and a short stream, as it was written first."""


@pytest.mark.parametrize("name", ["tsybakov", "guarantees", "labels", "choices"])
def test_a_small_run_has_the_shape_of_the_committed_one(name: str) -> None:
    experiment = EXPERIMENTS[name](1, 1 / 32)
    committed = load_result(DOCS / f"{name}.json")
    epochs, result = experiment.by_epoch, experiment.state()
    assert {line.epoch for line in epochs} >= {1, 2, 3}
    assert all(line.P == "1 1 1 1 1" for line in epochs if line.epoch == 1)
    assert list(result) == list(committed)
    assert [list(line) for line in result["table"]] == [list(line) for line in committed["table"]]


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_a_small_run_writes_the_bytes_that_it_wrote_before(name: str, tmp_path: Path) -> None:
    save_result(EXPERIMENTS[name](1, 1 / 32).state(), tmp_path / "found.json")
    expected = SMALL / f"{name}.json"
    assert (tmp_path / "found.json").read_text() == expected.read_text()


def test_every_figure_has_an_experiment_or_a_benchmark() -> None:
    assert set(DRAW) - set(EXPERIMENTS) == {"real_data"}
