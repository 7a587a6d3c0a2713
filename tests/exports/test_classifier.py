"""The sample as a table, and the classifier by name, as scikit-learn's and as ONNX."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.special import expit

from askance.data.features import FeatureMap
from askance.data.features.indexers import Hashing
from askance.errors import InvalidParameter
from askance.exports import (
    coefficients,
    named_weights,
    to_onnx,
    to_sklearn,
    write_coefficients,
)
from askance.learners.passive import Passive
from askance.live import ActiveLearner
from askance.types import State

# The classifier

JOBS = ("clerk", "baker", "smith")


def people(count: int, seed: int = 0) -> list[dict[str, Any]]:
    generator = np.random.default_rng(seed)
    ages, jobs = generator.integers(18, 90, count).tolist(), generator.choice(JOBS, count).tolist()
    return [{"age": age, "job": job} for age, job in zip(ages, jobs, strict=True)]


def taught(features: FeatureMap | None = None, **settings: Any) -> ActiveLearner:
    """A learner who has met 200 people, the oldest first; smiths and the old are positive."""
    live = ActiveLearner(
        "passive", **({"features": features or FeatureMap.fit(people(200))} | settings)
    )
    for person in sorted(people(200), key=lambda person: -person["age"]):
        label = 1 if person["age"] > 60 or person["job"] == "smith" else -1
        live.tell(live.ask(person), label)
    return live


def rows_of_people(live: ActiveLearner) -> Any:
    assert live.features is not None
    return live.features.encode_many(people(300, seed=1))


def score(exported: State, person: dict[str, Any]) -> float:
    """The score by the rule that the file's documentation gives."""
    values = {"age": person["age"], f"job={person['job']}": 1.0}
    total = exported["intercept"]
    for weight in exported["coefficients"]:
        if weight["feature"] in values:
            cut = weight["largest"] or np.inf
            value = values[weight["feature"]] - weight["centre"]
            total += weight["coefficient"] * np.clip(value, -cut, cut)
    return float(total)


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"dtype": "float64"},
        {"features": FeatureMap(Hashing(bits=12))},
        {"rates": "decaying", "learning_rate": 0.001},
        {"features": FeatureMap.fit(people(200)).learn_scales(people(150))},
        {"features": FeatureMap(Hashing(bits=12)).learn_scales(people(150))},
    ],
    ids=["fitted", "double", "hashed", "unscaled", "centred", "centred and hashed"],
)
def test_coefficients_by_name_give_the_score(settings: Any, tmp_path: Path) -> None:
    live = taught(**settings)
    write_coefficients(tmp_path / "c.json", live)
    exported = json.loads((tmp_path / "c.json").read_text())
    # Beyond the oldest too.
    for person in [{"age": age, "job": job} for age in (0, 39, 500) for job in JOBS]:
        assert score(exported, person) == pytest.approx(live.margin(person), rel=1e-4, abs=1e-5)
    names = {weight["feature"] for weight in exported["coefficients"]}
    assert names == {"age", "job=clerk", "job=baker", "job=smith"}


def test_weights_are_in_the_units_of_the_records() -> None:
    """A word counts less the commoner it is, a sparse number by its size; a centre is taken off."""
    made = [
        {"age": 20 + i % 9, "fee": 500.0 if i % 4 == 0 else 0, "t": "to be" if i % 3 else "to"}
        for i in range(90)
    ]
    live = ActiveLearner("passive", features=FeatureMap.fit(made, text=["t"]).learn_scales(made))
    for i, record in enumerate(made):
        live.tell(live.ask(record), 1 if i % 3 else -1)
    exported = {weight.feature: weight for weight in named_weights(live)}
    assert set(exported) == {"age", "fee", "t^to", "t^be"}
    assert (exported["age"].centre, exported["fee"].centre) == (24.0, 0.0)
    assert exported["fee"].largest == pytest.approx(500.0)
    assert exported["age"].largest == pytest.approx(4.0)
    assert exported["t^be"].largest == pytest.approx(1.0)
    for record in ({"age": 22}, {"fee": 300.0}, {"t": "to be"}, {"age": 27, "fee": 1.0, "t": "be"}):
        values = {k: v for k, v in record.items() if k != "t"} | {
            f"t^{word}": 1.0 for word in str(record.get("t", "")).split()
        }
        total = coefficients(live)["intercept"] + sum(
            exported[name].coefficient * (value - exported[name].centre)
            for name, value in values.items()
        )
        assert total == pytest.approx(live.margin(record), rel=1e-4, abs=1e-5)


def test_names_that_share_a_column_have_its_weight_with_their_signs() -> None:
    live = taught(features=FeatureMap(Hashing(bits=1)))
    assert live.features is not None
    weights = to_sklearn(live).coef_[0]
    assert len(named_weights(live)) == 4
    for weight in named_weights(live):
        row = live.features.encode(
            {"age": 1} if weight.feature == "age" else {"job": weight.feature.removeprefix("job=")}
        )
        assert row.indices.tolist() == [weight.column]
        assert weight.coefficient == row.values[0] * weights[weight.column]
        together = {w.feature for w in named_weights(live) if w.column == weight.column}
        assert {weight.feature, *weight.shared_with} == together


def test_the_most_influential_come_first_and_unknown_names_are_numbers() -> None:
    live = taught(features=FeatureMap(Hashing(bits=12, capacity=1)))
    found = named_weights(live)
    influence = [abs(weight.coefficient) * weight.largest for weight in found]
    assert influence == sorted(influence, reverse=True)
    assert sorted(weight.feature[0] for weight in found) == ["#", "#", "#", "a"]
    assert all(w.feature in ("age", f"#{w.column}") for w in found)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("classes", [("-1", "+1"), ("young", "old"), ("b", "a")])
def test_logistic_regression_agrees(classes: tuple[str, str], dtype: str) -> None:
    live = taught(classes=classes, dtype=dtype)
    model, X = to_sklearn(live), rows_of_people(live)
    margins = live.margins(X)
    rounding = 1e-5 if dtype == "float32" else 1e-12
    assert np.allclose(model.decision_function(X), margins, rtol=rounding, atol=rounding)
    positive = list(model.classes_).index(1 if classes[1] == "+1" else classes[1])
    assert positive == 1
    assert np.allclose(model.predict_proba(X)[:, 1], expit(margins), atol=rounding)
    names = np.array([-1, 1] if classes[1] == "+1" else classes)
    clear = np.abs(margins) > 1e-5
    assert (model.predict(X) == names[(margins > 0).astype(int)])[clear].all()
    assert len(set(model.predict(X))) == 2


def test_onnx_agrees() -> None:
    runtime = pytest.importorskip("onnxruntime")
    live = taught(classes=("young", "old"))
    X = rows_of_people(live)
    session = runtime.InferenceSession(to_onnx(live), providers=["CPUExecutionProvider"])
    labels, probabilities = session.run(None, {"X": X.toarray().astype(np.float32)})
    margins = live.margins(X)
    assert np.allclose(probabilities[:, 1], expit(margins), atol=1e-5)
    clear = np.abs(margins) > 1e-5
    assert clear.sum() > 290
    assert (labels == np.array(["young", "old"])[(margins > 0).astype(int)])[clear].all()


def test_what_is_not_linear_has_no_coefficients(refused: Any, scripted: Any) -> None:
    live = ActiveLearner(Passive(scripted()))
    for call in (named_weights, coefficients, to_sklearn, to_onnx):
        with refused(InvalidParameter, "Passive has no coefficients, as it is not over a linear"):
            call(live)
