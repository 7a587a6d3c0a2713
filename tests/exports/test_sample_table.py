from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq

from askance.data.features.records import Record
from askance.exports import (
    record_columns,
    write_model_sample,
    write_sample,
)
from askance.live import ActiveLearner
from askance.types import Row

SAMPLE: dict[str, Any] = {
    "ids": ["ann", "007"],
    "labels": ["spam", "ham"],
    "weights": np.array([1.0, 3.0]),
    "probabilities": np.array([1.0, 1 / 3]),
    "n": 12,
}


def test_a_sample_carries_the_owners_names(tmp_path: Path) -> None:
    columns = {"age": [39.0, None], "label": ["a", "b"], "_label": [1, 2]}
    write_sample(tmp_path / "s.parquet", **SAMPLE, columns=columns)
    table = pq.read_table(tmp_path / "s.parquet")
    assert table.to_pydict() == {
        "id": ["ann", "007"],
        "label": ["spam", "ham"],
        "weight": [1.0, 3.0],
        "probability": [1.0, 1 / 3],
        "n": [12, 12],
        "age": [39.0, None],
        "__label": ["a", "b"],
        "_label": [1, 2],
    }


def test_records_become_columns(tmp_path: Path) -> None:
    row = Row(np.array([2, 5]), np.array([0.1, 12345678], np.float32))
    assert record_columns([Record("1", None, row)]) == {"features": ["2:0.1 5:1.2345678e+07"]}
    assert record_columns([]) == {}
    write_sample(tmp_path / "s.csv", **SAMPLE)
    assert (tmp_path / "s.csv").read_text() == (
        f"id,label,weight,probability,n\nann,spam,1,1,12\n007,ham,3,{1 / 3},12\n"
    )


def test_a_learners_sample_says_where_its_labels_stood(tmp_path: Path) -> None:
    live = ActiveLearner("margin", n_features=1, random_state=1, classes=("ham", "spam"))
    positions, offered = [], []
    for i in range(200):
        question = live.ask([float(i % 3)])
        offered.append(question.probability)
        if question.wanted and i % 5 == 1:
            live.withdraw(question)
        elif question.wanted:
            live.tell(question, 1 if i % 3 else -1)
            positions.append(i)
    write_model_sample(tmp_path / "s.parquet", live, columns={"floor": ["low"] * len(positions)})
    table = pq.read_table(tmp_path / "s.parquet").to_pydict()
    assert table["position"] == positions
    assert table["id"] == [str(position) for position in positions]
    assert set(table["algorithm"]) == {"margin"}
    assert set(table["floor"]) == {None}
    assert set(table["_floor"]) == {"low"}
    assert table["n"] == [200] * len(positions)
    missing = [float(one) for cell in table["unanswered"] for one in cell.split()]
    assert missing
    assert set(missing) <= set(offered)
    places = live.label_places()
    assert places is not None
    assert table["least"] == places.least.tolist()


def test_a_sample_of_a_pool_has_the_ids_of_its_rows(tmp_path):
    live = ActiveLearner("passive", n_features=1)
    for value in (1.0, 2.0, 3.0):
        live.tell(live.ask([value]), 1)
    first, *_ = live.weighted_sample().ids.tolist()
    live.pool = {"asked": [[first, "=doc 7", 1]]}
    write_model_sample(tmp_path / "sample.csv", live, raw=True)
    ids = [line.split(",")[0] for line in (tmp_path / "sample.csv").read_text().splitlines()]
    assert ids == ["id", "=doc 7", *map(str, live.weighted_sample().ids.tolist()[1:])]
