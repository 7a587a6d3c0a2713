"""Evaluate: as a shell starts it, on samples that run, label and export wrote."""

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from askance.cli import app


@pytest.fixture(scope="module")
def folder(tmp_path_factory: Any) -> Path:
    """A file, a sample of its labels, the model that they taught, and predictions of a rule."""
    place: Path = tmp_path_factory.mktemp("evaluate")
    rng = np.random.default_rng(0)
    rows = [
        (f"p{i}", round(float(x), 3), "yes" if x + rng.normal() / 2 > 0 else "no")
        for i, x in enumerate(rng.normal(size=600))
    ]
    with (place / "people.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("key", "size", "big"), *rows])
    with (place / "mine.csv").open("w", newline="") as file:
        said = [(key, "yes" if size > 0.3 else "no") for key, size, _ in rows]
        csv.writer(file).writerows([("key", "prediction"), *said])
    (place / "costs.csv").write_text("label,no,yes\nno,0,1\nyes,10,0\n")
    run = ["run", str(place / "people.csv"), "--label", "big", "--id", "key", "--no-match"]
    for name in ("margin", "online_active_cover"):
        more = ["--algorithm", name, "--output", str(place / name), "--budget", "200"]
        result = CliRunner().invoke(app, [*run, *more])
        assert result.exit_code == 0, result.output
    return place


@pytest.fixture(autouse=True)
def _here(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)


def said(*arguments: str) -> str:
    result = CliRunner().invoke(app, ["evaluate", *arguments])
    assert result.exit_code == 0, result.output
    return str(result.stdout)


def refusal(*arguments: str) -> str:
    """The one sentence of a failure."""
    result = CliRunner().invoke(app, ["evaluate", *arguments])
    assert result.exit_code == 1, result.output
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    return str(result.stderr)


MINE = ("margin/queried.csv", "--predictions", "mine.csv", "--id", "key")


def test_a_table_a_picture_and_json_say_the_same(tmp_path: Path) -> None:
    out = ("--output", str(tmp_path / "o"))
    shown = said(*MINE, *out, "--costs", "costs.csv")
    found = json.loads(said(*MINE, *out, "--costs", "costs.csv", "--json", "--force"))
    assert [Path(path).name for path in found["files"]] == ["error.png", "error.svg"]
    assert all(Path(path).stat().st_size > 1000 for path in found["files"])
    error, cost, *fixed = found["measures"]
    assert (error["of"], error["holds"]) == ("error", "at any time")
    assert (cost["of"], cost["holds"]) == ("cost", "at any time")
    assert len(fixed) == 6
    assert f"error about {100 * error['estimate']:.0f}%" in shown
    assert "whenever you look" in shown
    for one in fixed:
        line = next(line for line in shown.splitlines() if one["of"] in line and "fixed" in line)
        for value in (one["estimate"], one["low"], one["high"]):
            assert f"{value:.1%}" in line
    with Path("margin/queried.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    with Path("mine.csv").open(newline="") as file:
        predicted = {row["key"]: row["prediction"] for row in csv.DictReader(file)}
    wrong = sum(float(row["weight"]) for row in rows if predicted[row["id"]] != row["label"])
    assert error["estimate"] == pytest.approx(wrong / int(rows[0]["n"]))
    assert found["narrowing"]["high"][-1] == pytest.approx(error["high"])
    wide = json.loads(said(*MINE, *out, "--force", "--json", "--level", "0.99"))["measures"][0]
    assert wide["level"] == pytest.approx(0.99)
    assert wide["low"] < error["low"] < error["high"] < wide["high"]


def test_what_is_refused_takes_one_sentence(tmp_path: Path) -> None:
    out = ("--output", str(tmp_path / "o"))
    taught = refusal("margin/queried.csv", "--model", "margin/model.askance", *out)
    assert "the model was taught by" in taught
    blind = refusal("online_active_cover/queried.csv", *MINE[1:], *out)
    assert "asked by online_active_cover, which never asks about some examples" in blind
    assert "is no weighted sample of askance" in refusal("people.csv", *MINE[1:], *out)
    assert "has no column 'spam' of predictions" in refusal(*MINE, "--column", "spam", *out)
    assert "nowhere.csv" in refusal("nowhere.csv", *MINE[1:], *out)
    assert not (tmp_path / "o").exists()
    said(*MINE, *out)
    assert "error.png already exists" in refusal(*MINE, *out)
    for wrong in (MINE[:1], (*MINE, "--model", "margin/model.askance")):
        result = CliRunner().invoke(app, ["evaluate", *wrong])
        assert result.exit_code == 2
        assert "choose what to judge" in result.stderr


def test_another_model_is_judged_by_its_own_columns(tmp_path: Path) -> None:
    """One that was taught by other records: nothing but the columns is the same."""
    rng = np.random.default_rng(9)
    rows = [(f"q{i}", x, "yes" if x > 0 else "no") for i, x in enumerate(rng.normal(size=200))]
    with (tmp_path / "other.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("key", "size", "big"), *rows])
    run = ["run", str(tmp_path / "other.csv"), "--label", "big", "--id", "key", "--no-match"]
    more = ["--algorithm", "passive", "--output", str(tmp_path / "m"), "--budget", "100"]
    assert CliRunner().invoke(app, [*run, *more]).exit_code == 0
    model = ("--model", str(tmp_path / "m" / "model.askance"))
    found = json.loads(said("margin/queried.csv", *model, "--json", "-o", str(tmp_path / "o")))
    assert 0.05 < found["measures"][0]["estimate"] < 0.3
    assert found["classes"] == ["no", "yes"]
