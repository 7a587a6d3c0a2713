"""Predictions find their labels, and a model is known by what has taught it."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from askance.cli import app
from askance.errors import BadRecord
from askance.evaluation.predicted import predicted_by_file, predicted_by_model
from askance.evaluation.stored_sample import StoredSample, read_sample
from askance.exports import write_model_sample
from askance.live import ActiveLearner


@pytest.fixture
def sample(margin_sample: ActiveLearner) -> StoredSample:
    return read_sample("sample.csv")


def test_predictions_are_found_by_id(sample: StoredSample) -> None:
    lines = Path("mine.csv").read_text().splitlines()
    Path("mixed.csv").write_text("\n".join([lines[0], *sorted(lines[1:], reverse=True)]) + "\n")
    said = predicted_by_file(sample, "mixed.csv", "said")
    known = dict(line.split(",") for line in lines)
    assert said.predictions == [known[id] for id in sample.ids]
    assert not said.taught.any()
    # 1.0 and +1 are the same class.
    numbers = {"yes": "1.0", "no": "-1"}
    coded = [f"{id},{numbers.get(one, one)}" for id, one in (line.split(",") for line in lines)]
    Path("coded.csv").write_text("\n".join(coded) + "\n")
    relabelled = Path("sample.csv").read_text().replace(",yes,", ",+1,").replace(",no,", ",-1,")
    Path("relabelled.csv").write_text(relabelled)
    again = predicted_by_file(read_sample("relabelled.csv"), "coded.csv", "said")
    assert again.predictions == [label_of[one] for one in said.predictions]


label_of = {"yes": "1", "no": "-1"}


def test_predictions_that_do_not_fit_take_one_sentence(sample: StoredSample, refused: Any) -> None:
    text = Path("mine.csv").read_text()
    first = sample.ids[0]
    line = next(line for line in text.splitlines() if line.startswith(f"{first},"))
    for change, parts in {
        ("id,said", "id,told"): ["p.csv has no column 'said' of predictions, it has id, told"],
        ("id,said", "key,said"): ["p.csv has no column 'id' of ids, it has key, said"],
        (f"{line}\n", ""): ["no prediction for 1 of the", f"such as that of the id {first!r}"],
        (line, f"{line}\n{line}"): [f"p.csv has the id {first!r} twice, ids must differ"],
        (line, f"{first},"): [f"no prediction for the id {first!r}, each label needs one"],
        ("\np", "\nq"): ["no prediction for any of the", "labels of sample.csv"],
    }.items():
        changed = text.replace(*change)
        assert changed != text
        Path("p.csv").write_text(changed)
        with refused(BadRecord, *parts):
            predicted_by_file(sample, "p.csv", "said")
    shares = "".join(f"{id},0.{i}\n" for i, id in enumerate(sample.ids))
    Path("p.csv").write_text(f"id,said\n{shares}")
    with refused(BadRecord, "the column 'said' of p.csv predicts '0', '0.1'", "are 'no', 'yes'"):
        predicted_by_file(sample, "p.csv", "said")
    Path("p.csv").write_text("")
    with refused(BadRecord, "p.csv is empty, a header line was expected"):
        predicted_by_file(sample, "p.csv", "said")
    doubled = Path("sample.csv").read_text().replace(f"\n{sample.ids[1]},", f"\n{first},")
    Path("doubled.csv").write_text(doubled)
    with refused(BadRecord, f"doubled.csv has the id {first!r} twice"):
        predicted_by_file(read_sample("doubled.csv"), "mine.csv", "said")


def test_a_model_is_known_by_what_has_taught_it(
    sample: StoredSample, margin_sample: ActiveLearner, labelled: Any, refused: Any
) -> None:
    margin_sample.save("same")
    same = predicted_by_model(sample, ActiveLearner.load("same"))
    assert same.taught.all()
    assert same.classes == ("no", "yes")
    X = margin_sample.weighted_sample().X
    assert same.predictions == np.array(["no", "yes"])[(margin_sample.margins(X) > 0) * 1].tolist()
    # The same records in another run, with other questions at other probabilities.
    other, bought, records = labelled("iwal1", c0=0.001)
    assert len(bought) < len(records)
    taught = predicted_by_model(sample, other).taught
    known = {one.id for one in bought}
    assert taught.tolist() == [id in known for id in sample.ids]
    # Other records.
    stranger, _, _ = labelled("margin", seed=7)
    assert not predicted_by_model(sample, stranger).taught.any()
    stranger.classes = ("good", "bad")
    with refused(BadRecord, "the model predicts 'bad', 'good', but the labels of sample.csv are"):
        predicted_by_model(sample, stranger)


def test_a_model_needs_its_columns(sample: StoredSample, labelled: Any, refused: Any) -> None:
    stranger, _, _ = labelled("margin", seed=7)
    text = Path("sample.csv").read_text()
    Path("s.csv").write_text(text.replace(",job,", ",trade,"))
    with refused(BadRecord, "s.csv has no column 'job' as the model expects, its records have age"):
        predicted_by_model(read_sample("s.csv"), stranger)
    age = sample.records["age"][0]
    Path("s.csv").write_text(text.replace(f",{age},", ",old,", 1))
    with refused(BadRecord, "column 'age' of s.csv has 'old' where a number was expected"):
        predicted_by_model(read_sample("s.csv"), stranger)
    write_model_sample("s.csv", stranger)
    with refused(BadRecord, "s.csv has no column 'age', 'job', 'n' as the model expects"):
        predicted_by_model(read_sample("s.csv"), stranger)


def test_numbered_features(here: Path) -> None:
    rng = np.random.default_rng(0)
    two = [ActiveLearner("margin", n_features=3, random_state=i) for i in range(2)]
    for live in two:
        for _ in range(150):
            x = rng.normal(size=3)
            question = live.ask(x)
            if question.wanted:
                live.tell(question, 1 if x[0] > 0 else -1)
    write_model_sample("s.csv", two[0])
    sample = read_sample("s.csv")
    own, other = (predicted_by_model(sample, live) for live in two)
    assert own.taught.all()
    assert not other.taught.any()
    said = (two[1].margins(two[0].weighted_sample().X) > 0).astype(int)
    assert other.predictions == np.array(["-1", "1"])[said].tolist()


def some_files() -> dict[str, str]:
    numbers = [(i, i % 17, i % 17 > 8) for i in range(300)]
    table = [f"k{i},{size},{'=x' if i % 3 else 'the y'} w{i},{big}" for i, size, big in numbers]
    records = [
        {"key": f"k{i}", "size": size, "tags": [f"t{i % 5}"], "sub": {"b": f"w{i}"}, "big": big}
        for i, size, big in numbers
    ]
    svm = [f"{2 * big - 1} 1:{size} {2 + i}:0.1" for i, size, big in numbers]
    vw = [f"{2 * big - 1} k{i}|s size:{size} |t w{i} u" for i, size, big in numbers]
    lines = {
        "a.csv": ["key,size,name,big", *table],
        "a.jsonl": map(json.dumps, records),
        "a.svm": svm,
        "a.vw": vw,
    }
    return {name: "\n".join(each) for name, each in lines.items()}


FILES = some_files()


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize("name", FILES)
def test_a_run_cannot_be_judged_by_its_own_labels(here: Path, name: str, kind: str) -> None:
    """Whatever the format: records come back from the sample as they were learned."""
    Path(name).write_text(FILES[name] + "\n")
    columns = ["--label", "big", "--id", "key"] if name in ("a.csv", "a.jsonl") else []
    run = ["run", name, *columns, "--algorithm", "margin", "--budget", "90", "--no-match"]
    table = f"s.{kind}"
    done = CliRunner().invoke(app, [*run, "--output", "o", "--queried", table])
    assert done.exit_code == 0, done.output
    live = ActiveLearner.load("o/model.askance")
    said = predicted_by_model(read_sample(table), live)
    assert said.taught.all()
    X = live.weighted_sample().X
    names = np.array(live.classes)
    assert said.predictions == names[(live.margins(X) > 0).astype(int)].tolist()
