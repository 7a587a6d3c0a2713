import contextlib
from pathlib import Path

import numpy as np
import pytest
from tests.scale.conftest import ROWS

from askance import ActiveLearner
from askance.data.features import FeatureMap
from askance.data.features.indexers import Hashing
from askance.scale import Workers, predict_pool, predicting


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


def test_predictions_of_a_large_file_do_not_pile_up(live, pool, tmp_path, monkeypatch):
    """No worker puts them together; small files on either side are still spread."""
    monkeypatch.setattr(predicting, "MOST_ROWS", 1000)
    small = (tmp_path / "pool-a.csv").read_text()
    rows = "".join(f"m{i},1.0,{i % 3}\n" for i in range(90_000))
    (tmp_path / "pool-ab.csv").write_text("doc,x,y\n" + rows)
    (tmp_path / "pool-z.csv").write_text(small)
    whole = columns(predict_pool(live, pool))
    chunks = list(predict_pool(live, pool, Workers(2)))
    for name, values in columns(chunks).items():
        assert (values == whole[name]).all(), name
    sent = []

    class Listening(Workers):
        def running(self):
            return contextlib.nullcontext(
                lambda f, job, some: (sent.append(p) or f(job, p) for p in some)
            )

    walk = predict_pool(live, pool, Listening(2))
    assert len(next(walk)["id"]) == ROWS // 2
    part = next(walk)
    assert part["id"][0] == "m0"
    assert len(part["id"]) < 90_000
    assert len(list(walk)) > 2
    assert [Path(piece.source).name for piece in sent] == [f"pool-{x}.csv" for x in ("a", "b", "z")]
