from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq

from askance.data.features.records import Record
from askance.exports import (
    record_columns,
    write_sample,
)
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
