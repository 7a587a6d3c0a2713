from pathlib import Path

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from askance.oracles.estimator import EstimatorOracle
from askance.sparse import from_dense
from askance.theory.real_data import (
    Trial,
    TrialCurves,
    active_curve,
    passive_curve,
    summarise_real,
)
from askance.theory.report import load_result

DOCS = Path(__file__).parents[2] / "docs" / "theory"


@pytest.fixture(scope="module")
def trial() -> Trial:
    rng = np.random.default_rng(0)
    y = rng.choice([-1, 1], size=200)
    X = from_dense(rng.normal(size=(200, 3)) + 1.5 * y[:, None])
    return Trial(X[:140], y[:140], rng.random(140), X[140:], y[140:])


def test_both_curves_learn(trial: Trial) -> None:
    oracle = EstimatorOracle(GaussianNB(), n_features=3, dense=True)
    passive = passive_curve(trial, oracle)
    assert [point.labels for point in passive] == [3, 6, 12, 24, 48, 96, 140]
    # A classifier that knows nothing has 0.5, the best one 0.005.
    assert passive[-1].error < 0.2
    active = active_curve(trial, oracle, c0=1.0, audit=2)
    assert active.points[-1].error < 0.2
    assert active.points[-1].labels == sum(e.queries for e in active.epochs) < 110
    assert all(audit.points == 2 for audit in active.audits)
    one = TrialCurves("blobs", "bayes", 1.0, passive, active)
    result = summarise_real([one, one._replace(active=active._replace(audits=[]))])
    line = result.table[0]
    assert line.permutations == 2
    assert line.error == active.points[-1].error
    assert line.passive_labels >= line.labels
    assert result.more["audits"][0].points == 2 * len(active.audits)
    committed = load_result(DOCS / "real_data_logistic_regression.json")
    found = result.state()
    assert list(found) == list(committed)
    for key in ("table", "audits"):
        assert list(found[key][0]) == list(committed[key][0])
    assert list(found["figure"]["panels"][0]) == list(committed["figure"]["panels"][0])
    assert found["figure"]["panels"][0]["passive"]["labels"] == [3, 6, 12, 24, 48, 96, 140]
