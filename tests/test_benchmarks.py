"""What the benchmarks compute, apart from timings, on data made for the tests."""

import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from askance.oracles.estimator import EstimatorOracle
from askance.sparse import from_dense
from askance.theory.report import load_result

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def real_data() -> dict[str, Any]:
    return runpy.run_path(str(ROOT / "benchmarks" / "real_data.py"))


def test_both_curves_of_real_data_learn(real_data: dict[str, Any]) -> None:
    rng = np.random.default_rng(0)
    y = rng.choice([-1, 1], size=200)
    X = from_dense(rng.normal(size=(200, 3)) + 1.5 * y[:, None])
    trial = real_data["Trial"](X[:140], y[:140], rng.random(140), X[140:], y[140:])
    oracle = EstimatorOracle(GaussianNB(), n_features=3, dense=True)
    passive = real_data["passive_curve"](trial, oracle)
    assert [point.labels for point in passive] == [3, 6, 12, 24, 48, 96, 140]
    # A classifier that knows nothing has 0.5, the best one 0.005.
    assert passive[-1].error < 0.2
    active = real_data["active_curve"](trial, oracle, c0=1.0, audit=2)
    assert active.points[-1].error < 0.2
    assert active.points[-1].labels == sum(e.queries for e in active.epochs) < 110
    assert all(audit.points == 2 for audit in active.audits)
    one = real_data["TrialCurves"]("blobs", "bayes", 1.0, passive, active)
    two = [one, one._replace(active=active._replace(audits=[]))]
    result = real_data["summarise_real"](two)
    line = result.table[0]
    assert line.permutations == 2
    assert line.error == active.points[-1].error
    assert line.passive_labels >= line.labels
    assert result.more["audits"][0].points == 2 * len(active.audits)
    committed = load_result(ROOT / "docs" / "theory" / "real_data_logistic_regression.json")
    found = result.state()
    assert list(found) == list(committed)
    for key in ("table", "audits"):
        assert list(found[key][0]) == list(committed[key][0])
    assert list(found["figure"]["panels"][0]) == list(committed["figure"]["panels"][0])
    assert found["figure"]["panels"][0]["passive"]["labels"] == [3, 6, 12, 24, 48, 96, 140]


def test_tables_of_estimates_go_between_their_marks(tmp_path: Path) -> None:
    estimates = runpy.run_path(str(ROOT / "benchmarks" / "estimates.py"))
    committed = (ROOT / "docs" / "how-good.md").read_text()
    page = tmp_path / "page.md"
    page.write_text(committed)
    estimates["main"](runs=2, page=page)
    found = page.read_text()
    begin, end = (mark.strip() for mark in estimates["MARKS"])
    assert found.partition(begin)[0] == committed.partition(begin)[0]
    assert found.partition(end)[2] == committed.partition(end)[2]
    # The same rows, whose figures differ.
    first = [[line.split("|")[1:4] for line in text.splitlines()] for text in (found, committed)]
    assert [row for row in first[0] if "%" in "".join(row)] == [
        row for row in first[1] if "%" in "".join(row)
    ]


def test_samples_of_estimates_have_the_error_that_they_say() -> None:
    estimates = runpy.run_path(str(ROOT / "benchmarks" / "estimates.py"))
    for draw in estimates["SAMPLES"].values():
        for error in estimates["ERRORS"]:
            samples = [draw(error, np.random.default_rng(run)) for run in range(40)]
            sums = [np.sum(one.losses / one.P) / (one.positions[-1] + 1) for one in samples]
            spread = np.std(sums) / np.sqrt(len(sums))
            assert abs(np.mean(sums) - error) < 4 * spread
            assert all((one.floor <= one.P).all() for one in samples)
            assert all(len(one.P) >= max(estimates["LABELS"]) for one in samples)
