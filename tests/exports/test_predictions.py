"""Predictions for files of every kind, and the description of a learner."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from askance.data.features import FeatureMap
from askance.data.features.indexers import Hashing
from askance.data.reading.intake import Reading
from askance.errors import BadRecord
from askance.exports.predictions import described, predictions
from askance.live import ActiveLearner
from askance.live.budget import Budget

PEOPLE = [
    {"age": 20 + (i * 7) % 60, "job": ("clerk", "baker")[i % 3 == 0], "key": f"p{i}"}
    for i in range(30)
]


def taught(**settings: Any) -> ActiveLearner:
    reading = Reading(label="rich", id="key", positive="yes").as_state()
    live = ActiveLearner(
        "passive",
        features=FeatureMap(Hashing(bits=10)),
        classes=("no", "yes"),
        reading=reading,
        **settings,
    )
    for person in PEOPLE:
        record = {"age": person["age"], "job": person["job"]}
        live.tell(live.ask(record), 1 if person["job"] == "baker" else -1)
    return live


def gathered(chunks: Any) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for chunk in chunks:
        for name, values in chunk.items():
            found.setdefault(name, []).extend(values.tolist())
    return found


def test_who_has_learned_nothing_predicts_the_negative_class(tmp_path: Path) -> None:
    """The margin is 0, which counts as -1, as everywhere."""
    (tmp_path / "people.csv").write_text("age\n39\n50\n")
    live = ActiveLearner("passive", features=FeatureMap(Hashing(bits=4)), classes=("no", "yes"))
    found = gathered(predictions(live, tmp_path / "people.csv"))
    assert found == {"id": ["1", "2"], "prediction": ["no"] * 2, "probability_yes": [0.5] * 2}


@pytest.mark.parametrize("labelled", [False, True])
@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_predictions_are_those_of_each_record(kind: str, labelled: bool, tmp_path: Path) -> None:
    """The label column may be there, and may hold anything."""
    live = taught()
    people = [{**person, "rich": f"maybe {i}"} for i, person in enumerate(PEOPLE)]
    records = people if labelled else PEOPLE
    file = tmp_path / f"people.{kind}"
    if kind == "csv":
        lines = [",".join(records[0]), *(",".join(map(str, r.values())) for r in records)]
    else:
        lines = [json.dumps(record) for record in records]
    file.write_text("\n".join(lines))
    found = gathered(predictions(live, file))
    assert list(found) == ["id", "prediction", "probability_yes"]
    assert found["id"] == [person["key"] for person in PEOPLE]
    fields = [{"age": person["age"], "job": person["job"]} for person in PEOPLE]
    assert found["prediction"] == [live.classes[live.predict(f) > 0] for f in fields]
    assert found["probability_yes"] == pytest.approx([live.probability(f) for f in fields])
    assert len(set(found["prediction"])) == 2


def test_without_a_feature_map_features_have_numbers(tmp_path: Path) -> None:
    live = ActiveLearner("passive", n_features=3)
    live.tell(live.ask([0.0, 1.0, 0.0]), 1)
    (tmp_path / "x.libsvm").write_text("1 2:1\n-1 1:1 9:5\n")
    found = gathered(predictions(live, tmp_path / "x.libsvm"))
    assert found["prediction"] == ["+1", "+1"]
    expected = [live.probability([0, 1.0, 0]), live.probability([1.0, 0, 0])]
    assert found["probability_+1"] == pytest.approx(expected)


def test_records_of_json_may_lack_fields_but_not_all(tmp_path: Path, refused: Any) -> None:
    (tmp_path / "some.jsonl").write_text('{"key": "a", "age": 30}\n{"key": "b", "new": 1}\n')
    assert gathered(predictions(taught(), tmp_path / "some.jsonl"))["id"] == ["a", "b"]
    (tmp_path / "none.jsonl").write_text('{"key": "a", "size": 30}\n')
    with refused(BadRecord, "has no column 'age', 'job' as the model expects, its columns are siz"):
        list(predictions(taught(), tmp_path / "none.jsonl"))


def test_another_id_and_format_can_be_said(tmp_path: Path) -> None:
    live = taught()
    (tmp_path / "people").write_text("name,age,job\nann,30,clerk\n")
    found = gathered(predictions(live, tmp_path / "people", format="csv", id="name"))
    assert found["id"] == ["ann"]


def test_a_description_is_plain_and_whole() -> None:
    live = taught(budget=Budget(total=40))
    found = described(live, top=2)
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert found["learner"] == {
        "algorithm": "passive",
        "learning_rate": 1.6,
        "n_features": 1024,
    }
    assert found["classes"] == {"negative": "no", "positive": "yes"}
    assert found["columns"] == {"age": "number", "job": "category"}
    assert (found["stats"]["answered"], found["budget"]["total"]) == (30, 40)
    assert found["weights_learned"] == 3
    assert [weight["feature"] for weight in found["weights"]] == ["job=clerk", "job=baker"]
    assert described(live, top=0)["weights"] == []


def test_weights_without_scales_have_no_largest_value() -> None:
    live = ActiveLearner("passive", n_features=1, rates="constant")
    live.tell(live.ask([1.0]), 1)
    assert [weight["largest"] for weight in described(live)["weights"]] == [None]
    assert not np.isnan(described(live)["weights"][0]["coefficient"])
    assert math.isfinite(described(live)["weights"][0]["coefficient"])
