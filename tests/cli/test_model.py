"""Predict, inspect, export: as a shell starts them, with good and with bad input."""

import json
import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from askance.cli import app
from askance.data.features import FeatureMap
from askance.data.features.indexers import Hashing
from askance.data.reading.intake import Reading
from askance.live import ActiveLearner
from askance.live.budget import Budget
from askance.storage.states import VERSION

PEOPLE = [
    {"key": f"p{i}", "age": 20 + (i * 7) % 60, "job": ("clerk", "baker")[i % 3 == 0]}
    for i in range(30)
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: Any) -> Path:
    """A model and a file to predict for."""
    place: Path = tmp_path_factory.mktemp("model")
    live = ActiveLearner(
        "iwal1",
        features=FeatureMap(Hashing(bits=10)),
        classes=("poor", "rich"),
        reading=Reading(label="money", id="key", positive="rich").as_state(),
        budget=Budget(total=40),
    )
    for person in PEOPLE:
        question = live.ask({"age": person["age"], "job": person["job"]})
        if question.wanted:
            live.tell(question, 1 if person["job"] == "baker" else -1)
    live.save(place / "model")
    lines = ["key,age,job", *(",".join(map(str, person.values())) for person in PEOPLE)]
    (place / "people.csv").write_text("\n".join(lines) + "\n")
    return place


@pytest.fixture(autouse=True)
def _here(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(folder)
    yield
    for path in folder.iterdir():
        if path.is_dir():
            shutil.rmtree(path)
        elif path.name not in ("model", "people.csv"):
            path.unlink()


def invoke(*arguments: str, **more: Any) -> Any:
    return CliRunner().invoke(app, arguments, **more)


def said(*arguments: str, **more: Any) -> str:
    result = invoke(*arguments, **more)
    assert result.exit_code == 0, result.output
    return str(result.stdout)


def refusal(*arguments: str) -> str:
    """The one sentence of a failure."""
    result = invoke(*arguments)
    assert result.exit_code == 1, result.output
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    assert result.stderr.startswith("askance: ")
    return str(result.stderr)


# What they do


def test_predictions_to_standard_output_and_to_files_are_the_same() -> None:
    printed = said("predict", "model", "people.csv").splitlines()
    assert printed[0] == "id,prediction,probability_rich"
    assert [line.split(",")[0] for line in printed[1:]] == [person["key"] for person in PEOPLE]
    assert {line.split(",")[1] for line in printed[1:]} == {"poor", "rich"}
    message = said("predict", "model", "people.csv", "--output", "p.csv")
    positive = sum(",rich," in line for line in printed)
    assert message == f"wrote p.csv: 30 predictions, {positive} of them rich\n"
    assert Path("p.csv").read_text().splitlines() == printed
    summary = json.loads(said("predict", "model", "people.csv", "-o", "p.parquet", "--json"))
    assert summary == {"output": "p.parquet", "predicted": 30, "positive": positive}
    rows = pq.read_table("p.parquet").to_pylist()
    assert [",".join(map(str, row.values())) for row in rows] == printed[1:]
    assert json.loads(said("predict", "model", "people.csv", "--json")) == rows


def test_standard_input_is_read() -> None:
    with Path("people.csv").open() as people:
        piped = started(
            "predict", "model", "-", "--format", "csv", stdin=people, stdout=subprocess.PIPE
        )
    assert (piped.returncode, piped.stderr) == (0, "")
    # What is not compiled may round another way.
    expected = json.loads(said("predict", "model", "people.csv", "--json"))
    found = [line.split(",") for line in piped.stdout.splitlines()[1:]]
    assert [row[:2] for row in found] == [[row["id"], row["prediction"]] for row in expected]
    probabilities = [row["probability_rich"] for row in expected]
    assert [float(row[2]) for row in found] == pytest.approx(probabilities, abs=1e-6)


def test_inspect_says_what_was_seen_asked_and_learned() -> None:
    live = ActiveLearner.load("model")
    stats = live.stats()
    shown = said("inspect", "model", "--top", "2")
    for part in (
        "iwal1",
        "rich (positive), poor (negative)",
        "30 seen, 30 learned, 0 refused",
        f"{stats.asked} asked, of a budget of 40: {stats.answered} answered, 0 pending",
        "3 that are not zero",
        "age (number), job (category)",
        "(95%, whenever you look)",
    ):
        assert part in shown
    found = json.loads(said("inspect", "model", "--json", "--top", "2"))
    assert found["model"] == "model"
    assert found["stats"]["answered"] == stats.answered
    assert stats.error is not None
    assert found["stats"]["error"] == stats.error._asdict()
    assert len(found["weights"]) == 2
    assert all(weight["feature"] in shown for weight in found["weights"])


def test_what_a_terminal_would_obey_is_shown_as_it_is() -> None:
    live = ActiveLearner("passive", features=FeatureMap(), classes=("[red]no", "yes\x1b[31m"))
    live.tell(live.ask({"job": "[bold]\x1b[2Jclerk"}), 1)
    live.save("odd")
    shown = said("inspect", "odd")
    assert "\x1b" not in shown
    for part in ("[red]no", "yes\\x1b[31m", "job=[bold]\\x1b[2Jclerk"):
        assert part in shown


def test_export_writes_what_is_asked_for() -> None:
    wanted = ["--coefficients", "c.json", "--sample", "s.parquet"]
    assert said("export", "model", *wanted) == "wrote c.json\nwrote s.parquet\n"
    assert json.loads(Path("c.json").read_text())["classes"]["positive"] == "rich"
    live = ActiveLearner.load("model")
    sample = live.weighted_sample()
    table = pq.read_table("s.parquet")
    assert table["id"].to_pylist() == list(map(str, sample.ids.tolist()))
    assert table["weight"].to_pylist() == sample.weight.tolist()
    assert set(table["n"].to_pylist()) == {30}
    for i, row in enumerate(table.to_pylist()):
        person = PEOPLE[int(row["id"])]
        assert row["label"] == ("rich" if person["job"] == "baker" else "poor")
        assert json.loads(row["features"]) == {"age": person["age"], f"job={person['job']}": 1.0}
        assert row["probability"] == 1 / sample.weight[i]
    written = json.loads(said("export", "model", *wanted, "--force", "--json"))
    assert written == {"coefficients": "c.json", "sample": "s.parquet"}


def test_export_as_onnx() -> None:
    onnx = pytest.importorskip("onnx")
    assert said("export", "model", "--onnx", "m.onnx") == "wrote m.onnx\n"
    onnx.checker.check_model(onnx.load("m.onnx"))


@pytest.mark.usefixtures("small_trees")
def test_a_mixture_is_inspected_and_exported_by_its_members() -> None:
    lines = [f"{i % 7},{(3 * i) % 5},{'yes' if i % 7 > 2 else 'no'}" for i in range(90)]
    Path("mixed.csv").write_text("\n".join(["size,age,label", *lines]))
    said("run", "mixed.csv", "--budget", "25", "--no-match", "--output", "mixed")
    shown = said("inspect", "mixed/model.askance")
    assert "How far the probability of yes moves if shuffled" in shown
    assert "│ size " in shown
    found = json.loads(said("inspect", "mixed/model.askance", "--json", "--top", "1"))
    assert [one["feature"] for one in found["importances"]] == ["size"]
    assert found["importances"][0]["change"] > 0.2
    pytest.importorskip("onnx")
    wrote = said("export", "mixed/model.askance", "--onnx", "f.onnx", "--member", "forest")
    assert wrote == "wrote f.onnx\n"
    sentence = refusal("export", "mixed/model.askance", "--onnx", "g.onnx")
    assert "one member at a time, got no member; it has " in sentence
    assert "forest" in sentence
    assert "Auto has no coefficients" in refusal(
        "export", "mixed/model.askance", "--coefficients", "c.json"
    )
    assert not Path("g.onnx").exists()


MAIL = [
    (
        f"m{i}",
        f"{word} {('today', 'soon', 'again')[i % 3]} number {i}",
        i % 7,
        ("ann", "bob")[i % 2],
    )
    for i, word in enumerate(["win cash", "lunch", "free prize", "meeting"] * 30)
]


def test_from_a_file_made_by_hand_to_predictions() -> None:
    """Text, numbers and categories, as `askance run` leaves them, for a file without labels."""
    header = "key,subject,size,sender"
    rows = [",".join(map(str, row)) for row in MAIL]
    kinds = ["spam" if "win" in row[1] or "free" in row[1] else "ham" for row in MAIL]
    labelled = [f"{row},{kind}" for row, kind in zip(rows, kinds, strict=True)]
    Path("mail.csv").write_text("\n".join([f"{header},kind", *labelled]))
    Path("new.csv").write_text("\n".join([header, *rows]))
    said("run", "mail.csv", "--label", "kind", "--positive", "spam", "--id", "key",
         "--budget", "60", "--output", "out", "--force", "--algorithm", "iwal1")  # fmt: skip
    found = json.loads(said("predict", "out/model.askance", "new.csv", "--json"))
    assert found == json.loads(said("predict", "out/model.askance", "mail.csv", "--json"))
    assert [row["id"] for row in found] == [row[0] for row in MAIL]
    right = [row["prediction"] == kind for row, kind in zip(found, kinds, strict=True)]
    assert sum(right) > 100
    weights = json.loads(said("inspect", "out/model.askance", "--json"))["weights"]
    assert "subject^free" in [weight["feature"] for weight in weights]


# Bad input: one sentence


@pytest.mark.parametrize("command", ["predict", "inspect", "export"])
def test_a_model_that_cannot_be_read(command: str) -> None:
    more = {"predict": ["people.csv"], "export": ["--sample", "s.csv"], "inspect": []}[command]
    assert "nowhere does not exist" in refusal(command, "nowhere", *more)
    Path("garbage").write_bytes(os.urandom(2000))
    assert "garbage is damaged or was not saved by askance" in refusal(command, "garbage", *more)
    assert "people.csv is damaged or was not" in refusal(command, "people.csv", *more)
    Path("empty").touch()
    assert "empty is damaged" in refusal(command, "empty", *more)
    Path("folder").mkdir()
    assert "folder is a folder, expected a file" in refusal(command, "folder", *more)
    _make_newer(Path("model"), Path("newer"))
    sentence = refusal(command, "newer", *more)
    assert f"newer has format version {VERSION + 1}, newer than {VERSION}" in sentence


def _make_newer(model: Path, newer: Path) -> None:
    with np.load(model) as archive:
        members = {name: archive[name] for name in archive.files}
    header = json.loads(members["header"].tobytes())
    header["version"] += 1
    members["header"] = np.frombuffer(json.dumps(header).encode(), np.uint8)
    with newer.open("wb") as file:
        np.savez(file, **members)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", "bad.csv"),
        (b"key,age,job\n", "bad.csv holds no records"),
        (b"age,job\n30,clerk\n", "bad.csv has no id column 'key', it has age, job"),
        (
            b"key,size,age\nann,3,4\n",
            "bad.csv has no column 'job' as the model expects, its columns are size, age",
        ),
        (b"key,age,job\nann,old,clerk\n", "has a string in column 'age', where a number was"),
        (bytes(range(256)) * 20, "bad.csv"),
    ],
    ids=["empty", "header", "id", "columns", "kind", "garbage"],
)
def test_a_file_that_cannot_be_predicted_for(content: bytes, expected: str) -> None:
    Path("bad.csv").write_bytes(content)
    assert expected in refusal("predict", "model", "bad.csv", "--output", "p.csv")
    assert not Path("p.csv").exists()


def test_a_missing_file_and_an_unknown_format() -> None:
    assert "nowhere.csv does not exist" in refusal("predict", "model", "nowhere.csv")
    assert "format must be one of" in refusal("predict", "model", "model")
    assert "p.xls must end in .csv" in refusal("predict", "model", "people.csv", "-o", "p.xls")
    assert "cannot use nowhere/p.csv: No such file" in refusal(
        "predict", "model", "people.csv", "-o", "nowhere/p.csv"
    )


def test_what_is_there_is_kept() -> None:
    Path("p.csv").write_text("mine")
    assert "p.csv already exists" in refusal("predict", "model", "people.csv", "-o", "p.csv")
    assert "p.csv already exists" in refusal("export", "model", "--sample", "p.csv")
    assert Path("p.csv").read_text() == "mine"
    said("predict", "model", "people.csv", "-o", "p.csv", "--force")
    assert Path("p.csv").read_text() != "mine"


@pytest.mark.parametrize(
    "arguments",
    [
        ["export", "model"],
        ["predict", "model"],
        ["predict", "model", "people.csv", "--format", "xls"],
        ["inspect", "model", "--top", "-1"],
    ],
)
def test_usage_errors_are_two(arguments: list[str]) -> None:
    result = invoke(*arguments)
    assert result.exit_code == 2
    assert "Traceback" not in result.stderr


# Files and pipes that take no more


def started(*arguments: str, **more: Any) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own; what it compiles would take longer than it runs."""
    return subprocess.run(
        [sys.executable, "-m", "askance", *arguments],
        stderr=subprocess.PIPE,
        text=True,
        check=False,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        **more,
    )


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        (["predict", "model", "people.csv", "-o", "p.csv"], "p.csv"),
        (["predict", "model", "people.csv", "-o", "p.parquet"], "p.parquet"),
        (["export", "model", "--sample", "s.parquet"], "s.parquet"),
        (["export", "model", "--coefficients", "c.json"], "c.json"),
    ],
)
def test_a_full_disk_leaves_no_torn_file(arguments: list[str], name: str) -> None:
    """A limit on the size of files stands in for the disk."""
    said(*arguments)
    Path(name).unlink()
    before = sorted(Path().iterdir())
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, limits[1]))
    try:
        sentence = refusal(*arguments)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert sentence == f"askance: cannot use {name}: File too large\n"
    assert sorted(Path().iterdir()) == before


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no full device")
def test_a_full_standard_output() -> None:
    with Path("/dev/full").open("w") as full:
        result = started("inspect", "model", stdout=full)
    assert (result.returncode, result.stderr) == (
        1,
        "askance: cannot use standard output: No space left on device\n",
    )


def test_a_reader_who_leaves_early_is_no_failure_of_ours() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    result = started("predict", "model", "people.csv", stdout=writer)
    os.close(writer)
    assert result.stderr == ""
