import numpy as np
import pytest
from tests.scale.conftest import ROWS

from askance import ActiveLearner
from askance.data.features import FeatureMap
from askance.data.features.indexers import Hashing
from askance.scale import Workers, predict_pool


@pytest.fixture
def live():
    learner = ActiveLearner(
        "passive", features=FeatureMap(Hashing(8)), classes=("down", "up"), reading={"id": "doc"}
    )
    for i in range(50):
        record = {"x": float(i % 7 - 3), "y": 0.5}
        learner.tell(learner.ask(record), 1 if record["x"] > 0 else -1)
    return learner


def columns(chunks):
    parts = list(chunks)
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def test_files_are_predicted_in_their_order_by_any_workers(live, pool):
    here = columns(predict_pool(live, pool))
    assert here["id"].tolist() == [f"={part}{i}" for part in "ab" for i in range(ROWS // 2)]
    there = columns(predict_pool(live, pool, Workers(2)))
    for name, values in here.items():
        assert (values == there[name]).all(), name


def test_rows_without_ids_are_numbered_through(live, pool):
    live.reading["id"], live.reading["ignore"] = None, ["doc"]
    for workers in (None, Workers(2)):
        ids = columns(predict_pool(live, pool, workers))["id"]
        assert ids.tolist() == [str(i) for i in range(1, ROWS + 1)]
