import csv
import json
import random
import re
import subprocess
import sys

import pyarrow.parquet
import pytest
from typer.testing import CliRunner

from askance import ActiveLearner
from askance.cli import app
from askance.presets import SUGGESTED

pytestmark = pytest.mark.usefixtures("small_trees")

COVER = ["--algorithm", "online_active_cover"]
FILES = ["curve.png", "curve.svg", "model.askance", "queried.csv", "summary.json"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A working folder with a file in it, as a user would have made it."""
    draw = random.Random(3)
    lines = ["id,subject,sender,size,spam"]
    for i in range(250):
        spam = draw.random() < 0.4
        words = draw.choices(["win", "cash"] if spam else ["lunch", "notes"], k=2)
        subject = f'"{words[0]}, {draw.choice(["the", "a"])} {words[1]} é{i}"'
        size = draw.choice(["", "3", "4.5"])
        lines.append(f"m{i},{subject},{draw.choice(['shop', 'list'])},{size},{'ny'[spam]}")
    (tmp_path / "mail.csv").write_text("\ufeff" + "\n".join(lines) + "\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def askance(*arguments, code=0):
    done = CliRunner().invoke(app, [str(a) for a in arguments])
    assert done.exit_code == code, done.output
    return done


def test_from_a_file_to_a_plot_a_model_and_the_labels(folder):
    done = askance("run", "mail.csv", "--label", "spam", "--id", "id", "--budget", 40)
    assert sorted(path.name for path in (folder / "mail-run").iterdir()) == FILES
    assert "text subject; category sender; number size" in done.stdout
    assert "'y' (positive) and 'n'" in done.stdout
    assert "auto bought 40 labels among the first" in done.stdout
    assert "of 200 examples; 50 others were held out" in done.stdout
    assert "the same, asked at random │" in done.stdout
    assert "online linear, all labels │    200 │" in done.stdout
    assert "labels give as low an error" in done.stdout
    assert "The classifier of auto: " in done.stdout
    assert "askance predict mail-run/model.askance NEW_FILE" in done.stdout
    assert "\x1b" not in done.stdout
    assert done.stderr == ""
    with (folder / "mail-run" / "queried.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    with (folder / "mail.csv").open(newline="", encoding="utf-8-sig") as file:
        original = {row["id"]: row for row in csv.DictReader(file)}
    assert len({row["id"] for row in rows}) == len(rows) == 40
    for row in rows:
        known = original[row["id"]]
        assert row["label"] == known["spam"]
        assert row["subject"] == known["subject"]
        assert row["size"] == known["size"]
        assert float(row["weight"]) == pytest.approx(1 / float(row["probability"]))
    model = ActiveLearner.load(folder / "mail-run" / "model.askance")
    assert model.classes == ("n", "y")
    assert model.weighted_sample().y.tolist() == [1 if row["label"] == "y" else -1 for row in rows]
    assert model.predict({"subject": "win cash", "sender": "shop", "size": 3}) == 1


def test_the_model_predicts_a_file_without_labels(folder):
    askance("run", "mail.csv", "--label", "spam", "--id", "id", "--budget", 60, *COVER)
    lines = (folder / "mail.csv").read_text(encoding="utf-8-sig").splitlines()
    new = [line.rpartition(",")[0] for line in lines[:50]]
    (folder / "new.csv").write_text("\n".join(new) + "\n", encoding="utf-8")
    found = askance("predict", "mail-run/model.askance", "new.csv").stdout
    rows = list(csv.DictReader(found.splitlines()))
    truth = [line.rpartition(",")[2] for line in lines[1:50]]
    assert [row["id"] for row in rows] == [f"m{i}" for i in range(49)]
    right = sum(row["prediction"] == label for row, label in zip(rows, truth, strict=True))
    assert right >= 45


def test_json_is_the_summary_that_is_written(folder):
    done = askance("run", "mail.csv", "--label", "spam", "--ignore", "id", "--algorithm", "margin",
                   "--param", "b=0.5", "--budget", 30, "--json", "-o", "out")  # fmt: skip
    found = json.loads(done.stdout)
    assert found == json.loads((folder / "out" / "summary.json").read_text())
    assert found["parameters"] == {**SUGGESTED["margin"], "b": 0.5}
    assert found["labels"] == 30
    assert found["passive"]["labels"] == 30
    assert found["all_labels"]["labels"] == 200
    assert found["curves"][0]["budgets"] == [10, 20, 30]
    assert found["columns"] == {"subject": "text", "sender": "category", "size": "number"}


def test_the_same_seed_writes_the_same_numbers(folder):
    runs = [
        askance("run", "mail.csv", "--label", "spam", *COVER, "--seed", seed, "-o", f"o{i}").stdout
        for i, seed in enumerate([5, 5, 6])
    ]
    queried = [(folder / f"o{i}" / "queried.csv").read_text() for i in range(3)]
    assert queried[0] == queried[1] != queried[2]
    assert runs[0].replace("o0", "o1") == runs[1]
    assert (folder / "o0/model.askance").read_bytes() == (folder / "o1/model.askance").read_bytes()


def test_what_is_there_is_kept_unless_forced(folder):
    command = ["run", "mail.csv", "--label", "spam", "--budget", 20, *COVER]
    askance(*command)
    before = {path: path.read_bytes() for path in (folder / "mail-run").iterdir()}
    done = askance(*command, "--seed", 1, code=1)
    assert "already exists" in done.stderr
    assert before == {path: path.read_bytes() for path in (folder / "mail-run").iterdir()}
    askance(*command, "--seed", 1, "--force")
    assert before != {path: path.read_bytes() for path in (folder / "mail-run").iterdir()}


def test_standard_input_is_measured_as_it_comes(folder):
    content = (folder / "mail.csv").read_bytes()
    command = [sys.executable, "-m", "askance", "run", "-", "--format", "csv", "--label", "spam",
               "--budget", "25", "--queried", "bought.parquet", "--json", *COVER]  # fmt: skip
    found = json.loads(
        subprocess.run(command, input=content, capture_output=True, check=True).stdout
    )
    assert found["measure"] == "progressive error"
    assert found["examples"] == found["tested"] == 250
    assert found["seen"] < 250
    table = pyarrow.parquet.read_table(folder / "bought.parquet")
    assert table.num_rows == 25
    model = ActiveLearner.load(folder / "askance-run" / "model.askance")
    assert set(table["n"].to_pylist()) == {found["seen"]} == {model.weighted_sample().n}
    assert table.column_names[:3] == ["id", "label", "weight"]
    assert sorted(path.name for path in (folder / "askance-run").iterdir()) == sorted(
        {*FILES} - {"queried.csv"}
    )
    same = askance("run", "mail.csv", "--progressive", "--label", "spam", "--budget", 25, "--json",
                   *COVER)  # fmt: skip
    assert json.loads(same.stdout)["curves"] == found["curves"]


def test_a_budget_that_was_not_spent_is_said(folder):
    done = askance("run", "mail.csv", "--label", "spam", "--algorithm", "margin", "--param",
                   "b=0.0001", "--budget", 100)  # fmt: skip
    assert "labels are left over: a larger b asks for more" in done.stdout


def test_an_id_that_was_learned_from_is_said(folder):
    done = askance("run", "mail.csv", "--label", "spam", "--budget", 20, *COVER)
    assert "id looks like an id, but was learned from" in done.stdout


def test_what_is_odd_about_a_file_is_said_in_a_sentence(folder):
    lines = [f"{i % 9},{'ab'[i >= 60]},{'ny'[i >= 60]}" for i in range(120)]
    (folder / "odd.csv").write_text("\n".join(["size,kind,label", *lines]) + "\n")
    done = askance("run", "odd.csv", "--budget", 9, *COVER, "--positive", "y")
    assert "Note: kind alone tells every label: if it comes with the label, --ignore" in done.stdout
    assert "size alone" not in done.stdout
    done = askance("run", "odd.csv", "--budget", 9, "--algorithm", "passive", "--positive", "y",
                   "--progressive", "--force")  # fmt: skip
    assert "Note: the file begins with 'n' only and seems to be sorted: --held-out" in done.stdout
    assert "Note: only 0 of the labels bought are 'y', too few to learn" in done.stdout


def test_formats_without_columns_need_no_label_option(folder):
    lines = [f"{1 if i % 3 else -1} 1:{i % 3} 7:1" for i in range(40)]
    (folder / "some.svm").write_text("\n".join(lines) + "\n")
    done = askance("run", "some.svm", "--budget", 10)
    assert "numbered or named features" in done.stdout
    assert "'1' (positive) and '-1'" in done.stdout


def test_algorithms_side_by_side(folder):
    done = askance("compare", "mail.csv", "--label", "spam", "--permutations", 1)
    for words in ("auto", "auto at random", "online active cover", "iwal1"):
        for word in words.split():
            assert f" {word} " in done.stdout
    # A tenth of the examples.
    assert re.search(r"asked │ .* 20 │", done.stdout)
    # What labels say by themselves.
    assert re.search(r"by labels, % │( +[\d.]+ \([\d.]+-[\d.]+\) │){4}", done.stdout)
    assert "first shuffle, by the labels asked alone" in " ".join(done.stdout.split())
    assert "1 shuffle of mail.csv: 200 examples to learn from, 50 to test on" in done.stdout
    askance("compare", "mail.csv", "--label", "spam", "--permutations", 1, code=1)
    written = sorted(path.name for path in (folder / "mail-compare").iterdir())
    assert written == ["compare.png", "compare.svg"]
    assert done.stderr == ""


def test_a_comparison_as_json_agrees_with_a_run(folder):
    chosen = ["--algorithm", "margin:b=0.5,learning_rate=1.0", "--algorithm", "passive"]
    done = askance("compare", "mail.csv", "--label", "spam", *chosen, "--permutations", 1,
                   "--budget", 40, "--seed", 2, "--json")  # fmt: skip
    found = json.loads(done.stdout)
    names = [curve["name"] for curve in found["curves"]]
    assert names == [
        "margin b=0.5,learning_rate=1.0",
        "passive",
    ]
    same = ["--algorithm", "margin", "--param", "b=0.5", "--learning-rate", 1.0]
    done = askance("run", "mail.csv", "--label", "spam", *same, "--budget", 40, "--seed", 2,
                   "--json")  # fmt: skip
    alone = json.loads(done.stdout)
    assert alone["curves"][0]["median"] == found["curves"][0]["median"]
    assert [found["curves"][0]["judged"]] == alone["judged"]


@pytest.mark.parametrize(
    ("aim", "reason"),
    [
        (["--until-error", "45%", "--algorithm", "passive"], "the error is at most"),
        (["--until-width", "0.6", "--algorithm", "passive"], "the interval of the mean error"),
    ],
)
def test_a_run_stops_when_what_was_aimed_at_is_reached(folder, aim, reason):
    given = ["run", "mail.csv", "--label", "spam", "--budget", 150, "--no-match", "--force"]
    done = askance(*given, *aim)
    text = " ".join(done.stdout.split())
    assert f"Stopped: {reason}" in text
    assert "not reached" not in text
    assert ("takes at least 9 labels that are held out" in text) == ("--until-error" in aim)
    found = json.loads((folder / "mail-run" / "summary.json").read_text())
    assert found["reason"].startswith(reason)
    assert found["aimed_at"]
    assert found["labels"] < 150
    assert (found["held_out"] > 0) == ("--until-error" in aim)


def test_a_run_stops_when_predictions_no_longer_change(folder):
    lines = [f"{i * 0.618 % 1:.3f},{'yes' if i * 0.618 % 1 > 0.5 else 'no'}" for i in range(700)]
    (folder / "easy.csv").write_text("\n".join(["x,big", *lines]) + "\n")
    done = askance("run", "easy.csv", "--label", "big", "--budget", 300, "--until-flat",
                   "--no-match", "--json")  # fmt: skip
    found = json.loads(done.stdout)
    assert found["reason"].startswith("under 1% of 1,000 predictions changed in 3 refits running")
    assert found["labels"] < 300
    done = askance("run", "easy.csv", "--label", "big", "--algorithm", "iwal1", "--until-flat",
                   "--force", code=1)  # fmt: skip
    assert "a learner must refit now and then as auto does, got IWAL1" in done.stderr


def test_a_run_says_that_what_was_aimed_at_was_not_reached(folder):
    done = askance("run", "mail.csv", "--label", "spam", "--budget", 20, "--until-error", 0.01,
                   "--no-match")  # fmt: skip
    text = " ".join(done.stdout.split())
    assert "An error of at most 1.0% takes at least 369 labels" in text
    assert "Note: what was aimed at was not reached" in text
    done = askance("run", "mail.csv", "--label", "spam", "--until-error", "8 percent", code=2)
    assert "'8 percent' is no share" in done.stderr


@pytest.mark.parametrize("text", ["iwal2", "margin:b", "passive:c0=1"])
def test_a_contestant_that_is_none(folder, text):
    done = askance("compare", "mail.csv", "--label", "spam", "--algorithm", text,
                   code=2 if text == "iwal2" else 1)  # fmt: skip
    assert text.partition(":")[0] in done.stderr or text.partition(":")[2] in done.stderr
    assert [path.name for path in folder.iterdir()] == ["mail.csv"]


@pytest.fixture
def desk(tmp_path):
    """Five classes, two of them rare, and what it costs to miss these."""
    draw = random.Random(3)
    words = {
        "billing": ["invoice", "refund"],
        "login": ["password", "locked"],
        "bug": ["crash", "button"],
        "outage": ["down", "offline"],
        "legal": ["lawyer", "court"],
    }
    names = list(words)
    lines = ["text,minutes,team"]
    for _ in range(400):
        name = draw.choices(names, [45, 30, 17, 5, 3])[0]
        text = draw.choices(words[name], k=2) + draw.choices(["please", "the", "we"], k=3)
        lines.append(f"{' '.join(text)},{draw.random():.2f},{name}")
    file, costs = tmp_path / "desk.csv", tmp_path / "costs.csv"
    file.write_text("\n".join(lines) + "\n")
    rows = [",".join(["team", *names])]
    for true in names:
        dear = 20 if true in ("outage", "legal") else 1
        rows.append(",".join([true, *("0" if true == said else str(dear) for said in names)]))
    costs.write_text("\n".join(rows) + "\n")
    return file, costs


@pytest.mark.parametrize("algorithm", ["passive", "coal", "auto"])
def test_five_classes_with_costs_from_run_to_predict(desk, tmp_path, algorithm):
    file, costs = desk
    out = tmp_path / "out"
    given = ["--label", "team", "--costs", costs, "--budget", 60, "--no-match", "--bits", 10]
    done = CliRunner().invoke(
        app, [*map(str, ["run", file, *given, "--algorithm", algorithm, "-o", out]), "--json"]
    )
    assert done.exit_code == 0, done.output
    summary = json.loads((out / "summary.json").read_text())
    assert summary["classes"] == ["billing", "bug", "legal", "login", "outage"]
    assert summary["measure"] == "test cost"
    assert sum(summary["bought"]) == summary["labels"]
    # The best constant answer costs about 1.3; whoever learns anything is well below.
    assert summary["error"] < 0.8 < summary["majority_class"]["error"]
    said = CliRunner().invoke(
        app, [*map(str, ["predict", out / "model.askance", file, "-o", tmp_path / "p.csv"])]
    )
    assert said.exit_code == 0, said.output
    assert "400 predictions" in said.output
    head = (tmp_path / "p.csv").read_text().partition("\n")[0]
    assert head == "id,prediction," + ",".join(f"probability_{n}" for n in summary["classes"])


def test_a_cost_for_each_class_is_wanted_and_nothing_else(desk):
    file, costs = desk
    costs.write_text("team,billing,login\nbilling,0,1\nlogin,1,0\n")
    done = CliRunner().invoke(app, ["run", str(file), "--label", "team", "--costs", str(costs)])
    assert done.exit_code != 0
    assert "costs must be given for each class, got none for 'bug'" in " ".join(done.output.split())


def test_a_stream_of_several_classes_finds_more_on_the_way(tmp_path):
    draw = random.Random(1)
    rows = [f"{draw.random():.3f},{draw.choice('abc')}" for _ in range(1500)]
    rows[1400:] = [f"{2 + draw.random():.3f},new" for _ in range(100)]
    file, out = tmp_path / "late.csv", tmp_path / "late"
    file.write_text("x,y\n" + "\n".join(rows) + "\n")
    done = CliRunner().invoke(
        app,
        [*map(str, ["run", file, "--label", "y", "--progressive", "--algorithm", "margin"]),
         "--budget", "900", "--param", "b=100", "-o", str(out)],
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    summary = json.loads((out / "summary.json").read_text())
    assert summary["classes"] == ["a", "b", "c", "new"]
