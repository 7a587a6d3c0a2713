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
