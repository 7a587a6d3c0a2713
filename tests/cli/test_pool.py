"""`askance ask` and `askance tell`, as a person uses them."""

import csv
import json
import os
import random
import signal
import subprocess
import sys
import time

import pytest
from tests.scale.conftest import model, pool, truth
from typer.testing import CliRunner

from askance.cli import app

__all__ = ["model", "pool"]


def run(*arguments, code=0):
    found = CliRunner().invoke(app, list(map(str, arguments)))
    assert found.exit_code == code, found.output
    return found.output


def ask(pool, model, output, *more, **kwargs):
    return run("ask", pool, "--model", model, "-o", output, *more, **kwargs)


def answered(questions, answers, count=None):
    """Fill the labels in, as a person does in a spreadsheet."""
    with questions.open() as file:
        rows = list(csv.DictReader(file))[:count]
    for row in rows:
        row["label"] = truth({"x": float(row["x"]), "y": float(row["y"])})
    with answers.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return len(rows)


PLAN = ("--budget", 90, "--questions", 30, "--id", "doc", "--bits", 8)
NAMES = ("--classes", "down,up")


def test_questions_out_answers_in(pool, model, tmp_path):
    questions, answers = tmp_path / "q.csv", tmp_path / "a.csv"
    said = ask(pool, model, questions, *PLAN, *NAMES)
    assert said.startswith("round 1 of 3: ")
    count = answered(questions, answers)
    assert f" {count} questions about " in said
    assert f"learned {count} labels: {count} in all, 0 pending" in run("tell", model, answers)
    assert f"{count} known before" in run("tell", model, answers)
    assert "already exists" in ask(pool, model, questions, code=1)
    assert "round 2 of 3" in ask(pool, model, questions, "--force")
    left = json.loads(run("ask", pool, "--model", model, "--again", "--json"))
    assert left["questions"] == len(left["listed"]) > 0
    assert "questions closed" in run("tell", model, "--close")
    assert "up (positive)" in run("inspect", model, "--top", 0)


def test_a_question_is_written_again_and_as_tasks(pool, model, tmp_path):
    ask(pool, model, tmp_path / "q.csv", *PLAN, *NAMES)
    ask(pool, model, tmp_path / "again.csv", "--again")
    assert (tmp_path / "again.csv").read_text() == (tmp_path / "q.csv").read_text()
    ask(pool, model, tmp_path / "q.json", "--again")
    tasks = json.loads((tmp_path / "q.json").read_text())
    for task in tasks:
        choice = {"type": "choices", "value": {"choices": [truth(task["data"])]}}
        task["annotations"] = [{"result": [choice], "was_cancelled": False}]
    (tmp_path / "export.json").write_text(json.dumps(tasks))
    told = json.loads(run("tell", model, tmp_path / "export.json", "--json"))
    assert (told["learned"], told["pending"]) == (len(tasks), 0)


def test_what_a_person_gets_wrong_is_said_in_one_sentence(pool, model, tmp_path):
    output = tmp_path / "q.csv"
    assert "the first round needs a plan" in ask(pool, model, output, code=1)
    assert "--budget and --questions" in ask(pool, model, output, "--budget", 9, code=2)
    assert "different names" in ask(pool, model, output, *PLAN, "--classes", "a", code=1)
    assert "must end in" in ask(pool, model, tmp_path / "q.xls", *PLAN, code=1)
    assert "no file matches" in ask(tmp_path / "*.tsv", model, output, *PLAN, code=1)
    assert "name files of answers" in run("tell", model, code=2)
    assert "does not exist" in run("tell", model, "--close", code=1)
    ask(pool, model, output, *PLAN)
    answered(output, tmp_path / "a.csv")
    assert "known are none yet" in run("tell", model, tmp_path / "a.csv", code=1)
    assert "--again" in ask(pool, model, tmp_path / "q2.csv", code=1)
    run("tell", model, tmp_path / "a.csv", "--new-classes")


COMMAND = """
import sys
from askance.cli import app
app(sys.argv[1:], standalone_mode=False)
"""


def child(arguments, seconds=None):
    """Run a command by itself, killed after some seconds; whether it came to its end, and when."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", COMMAND, *map(str, arguments)]
    quiet = subprocess.DEVNULL
    start = time.monotonic()
    process = subprocess.Popen(command, env=environment, stdout=quiet, stderr=quiet)
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
        process.wait()
    return process.returncode == 0, time.monotonic() - start


@pytest.mark.slow
def test_kills_lose_nothing_and_nothing_is_asked_twice(pool, model, tmp_path):
    """Commands are killed at random moments and repeated; the rounds are those without kills."""
    rng = random.Random(0)
    plain = tmp_path / "plain.askance"
    asked, hits = {plain: [], model: []}, 0
    for number in range(3):
        options = (*PLAN, *NAMES) if number == 0 else ()
        lengths = []
        for path in (plain, model):
            out = tmp_path / f"{path.stem}-{number}.csv"
            answers = out.with_suffix(".answers.csv")
            ask_it = ("ask", pool, "--model", path, "-o", out, "--force", *options)
            tell_it = ("tell", path, answers)
            for step, command in enumerate((ask_it, tell_it)):
                if path == plain:
                    done, seconds = child(command)
                    assert done
                    lengths.append(seconds)
                else:
                    for _ in range(5):
                        hits += not child(command, 1.2 * rng.random() * lengths[step])[0]
                    if not child(command)[0]:
                        # A killed command had asked already: its questions are in the model.
                        ask(pool, path, out, "--again", "--force")
                if step == 0:
                    answered(out, answers)
            asked[path].append(out.read_text())
    assert asked[plain] == asked[model]
    assert hits > 5


def test_several_files_are_predicted_and_rehearsed(pool, model, tmp_path):
    questions, answers = tmp_path / "q.csv", tmp_path / "a.csv"
    ask(pool, model, questions, *PLAN, *NAMES)
    answered(questions, answers)
    run("tell", model, answers)
    said = run("predict", model, pool, "--id", "doc", "-o", tmp_path / "p.csv")
    assert "1,200 predictions" in said
    more = ("--jobs", 2, "-o", tmp_path / "p2.csv")
    run("predict", model, pool, "--id", "doc", *more)
    assert (tmp_path / "p.csv").read_text() == (tmp_path / "p2.csv").read_text()
    for part in "ab":
        lines = [f"{i},{'yes' if i % 5 else 'no'}\n" for i in range(150)]
        (tmp_path / f"known-{part}.csv").write_text("size,label\n" + "".join(lines))
    options = ("--output", tmp_path / "run", "--no-match", "--algorithm", "passive", "--json")
    found = json.loads(run("run", tmp_path / "known-*.csv", *options))
    assert found["examples"] + found["tested"] == 300
