"""A file, samples that were bought from it, and predictions of a rule that nothing has taught."""

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from askance.data.features import FeatureMap
from askance.data.features.records import Record
from askance.data.reading.intake import Reading
from askance.exports import record_columns, write_model_sample
from askance.live import ActiveLearner


def people(n: int, seed: int = 0) -> list[Record]:
    """Records with a number, a word that a spreadsheet would run, and a column named ``n``."""
    rng = np.random.default_rng(seed)
    return [
        Record(f"p{i}", None, {"age": float(rng.integers(20, 80)), "job": job, "n": float(size)})
        for i, (job, size) in enumerate(
            zip(rng.choice(["=clerk", "baker"], n), rng.normal(size=n).round(3), strict=True)
        )
    ]


def label_of(record: Record, rng: np.random.Generator) -> int:
    assert not hasattr(record.fields, "indices")
    old = record.fields["age"] > 50
    return 1 if old != (rng.random() < 0.1) else -1


def rule(record: Record) -> str:
    return "yes" if record.fields["age"] + 5 * record.fields["n"] > 52 else "no"


def _labelled(
    name: str, seed: int = 0, n: int = 400, **parameters: Any
) -> tuple[ActiveLearner, list[Record], list[Record]]:
    """A learner that has bought labels, the records of these, and all records."""
    reading = Reading(label="old", id="key").as_state()
    live = ActiveLearner(
        name,
        features=FeatureMap(),
        classes=("no", "yes"),
        random_state=seed,
        reading=reading,
        **parameters,
    )
    rng = np.random.default_rng([seed, 1])
    records, bought = people(n, seed), []
    for record in records:
        question = live.ask(record)
        label = label_of(record, rng)
        if question.wanted:
            live.tell(question, label)
            bought.append(record)
    return live, bought, records


def _write_both(live: ActiveLearner, bought: list[Record], records: list[Record]) -> None:
    """``sample.csv`` and ``mine.csv``, where we are."""
    columns = record_columns(bought)
    write_model_sample("sample.csv", live, ids=[one.id for one in bought], columns=columns)
    with Path("mine.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("id", "said"), *((one.id, rule(one)) for one in records)])


Labelled = Callable[..., tuple[ActiveLearner, list[Record], list[Record]]]


@pytest.fixture
def labelled() -> Labelled:
    """Makes a learner that has bought labels."""
    return _labelled


@pytest.fixture
def write_both() -> Callable[[ActiveLearner, list[Record], list[Record]], None]:
    """Writes its sample, and predictions of a rule."""
    return _write_both


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of one's own, so that messages have short names."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def margin_sample(here: Path) -> ActiveLearner:
    """The learner whose ``sample.csv`` is here, with ``mine.csv`` beside it."""
    live, bought, records = _labelled("margin")
    _write_both(live, bought, records)
    return live
