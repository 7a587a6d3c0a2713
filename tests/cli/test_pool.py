"""`askance ask` and `askance tell`, as a person uses them."""

import csv
import itertools
import json
import os
import signal
import subprocess
import sys

import pytest
from tests.data.reading.test_s3 import bucket
from tests.scale.conftest import model, pool, truth
from typer.testing import CliRunner

from askance import ActiveLearner
from askance.cli import app

__all__ = ["bucket", "model", "pool"]


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
    # The questions are in the model: no pool is needed.
    run("ask", "--model", model, "-o", tmp_path / "q.json", "--again")
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
    assert "name the files of the pool" in run("ask", "--model", model, code=2)
    assert "does not exist" in ask(pool, model, tmp_path / "no" / "q.csv", *PLAN, code=1)
    both = ("--jobs", 2, "--cluster", "tcp://127.0.0.1:9")
    assert "exclude each other" in ask(pool, model, output, *PLAN, *both, code=2)
    assert not model.exists()
    assert "does not exist" in run("tell", model, "--close", code=1)
    ask(pool, model, output, *PLAN)
    answered(output, tmp_path / "a.csv")
    assert "known are none yet" in run("tell", model, tmp_path / "a.csv", code=1)
    assert "--again" in ask(pool, model, tmp_path / "q2.csv", code=1)
    run("tell", model, tmp_path / "a.csv", "--new-classes")


def test_where_questions_cannot_go_is_said_before_they_are_asked(pool, model, tmp_path):
    (tmp_path / "folder.csv").mkdir()
    first = tmp_path / "pool-a.csv"
    before = first.read_text()
    assert "cannot be written" in ask(pool, model, "/proc/q.csv", *PLAN, code=1)
    assert "cannot be written" in ask(pool, model, tmp_path / "folder.csv", *PLAN, code=1)
    said = ask(pool, model, tmp_path / "." / "pool-a.csv", *PLAN, "--force", code=1)
    assert "is read from, and cannot be written to" in said
    assert first.read_text() == before
    assert not model.exists()
    # What only writing can tell comes after the round, which is not lost.
    full = tmp_path / "full.csv"
    full.symlink_to("/dev/full")
    assert "with --again" in ask(pool, model, full, *PLAN, code=1)
    assert "questions are pending" in ask(pool, model, tmp_path / "q.csv", "--again")


def test_what_cannot_go_on_is_said_in_one_sentence(pool, model, tmp_path):
    plain = tmp_path / "plain.askance"
    ActiveLearner("passive", n_features=2).save(plain)
    assert "was not made by askance ask" in run("ask", "--again", "--model", plain, code=1)
    nowhere = tmp_path / "no" / "m.askance"
    assert "the folder of" in ask(pool, nowhere, tmp_path / "q.csv", *PLAN, code=1)
    assert "can be read only once" in ask("-", model, tmp_path / "q.csv", *PLAN, code=1)
    ask(pool, model, tmp_path / "q.csv", *PLAN, *NAMES)
    answered(tmp_path / "q.csv", tmp_path / "a.csv")
    run("tell", model, tmp_path / "a.csv")
    for option in (("--seed", 3), ("--id", "x"), ("--classes", "up,down"), ("--strings", "x")):
        said = ask(pool, model, tmp_path / "q2.csv", *option, code=1)
        assert f"began with {option[0][2:]}" in said
    assert "round 2 of 3" in ask(pool, model, tmp_path / "q2.csv", "--seed", 0, "--id", "doc")


def test_a_sample_is_exported_with_the_ids_of_the_pool(pool, model, tmp_path):
    ask(pool, model, tmp_path / "q.csv", *PLAN, *NAMES)
    answered(tmp_path / "q.csv", tmp_path / "a.csv")
    run("tell", model, tmp_path / "a.csv")
    run("export", model, "--sample", tmp_path / "sample.csv")
    ids = [
        {row["id"] for row in csv.DictReader((tmp_path / name).read_text().splitlines())}
        for name in ("sample.csv", "a.csv")
    ]
    assert ids[0] == ids[1]


def test_a_name_with_brackets_is_a_name(pool, tmp_path):
    model = tmp_path / "m[1].askance"
    ask(pool, model, tmp_path / "q.csv", *PLAN, *NAMES)
    assert model.exists()


def test_two_that_tell_at_once_do_not_lose_a_label(pool, model, tmp_path):
    """One of them may be told to wait; what it is told then is there."""
    ask(pool, model, tmp_path / "q.csv", *PLAN, *NAMES)
    count = answered(tmp_path / "q.csv", tmp_path / "a.csv")
    head, *rows = (tmp_path / "a.csv").read_text().splitlines()
    halves = [tmp_path / "a1.csv", tmp_path / "a2.csv"]
    for path, some in zip(halves, (rows[::2], rows[1::2]), strict=True):
        path.write_text("\n".join([head, *some]) + "\n")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-m", "askance", "tell", str(model)]
    running = [
        subprocess.Popen([*command, str(path)], env=environment, stderr=subprocess.PIPE, text=True)
        for path in halves
    ]
    said = [process.communicate()[1] for process in running]
    for process, path, error in zip(running, halves, said, strict=True):
        if process.returncode:
            assert "is in use: another process asks or tells" in error
            run("tell", model, path)
    stats = ActiveLearner.load(model).stats()
    assert (stats.answered, stats.pending) == (count, 0)


COMMAND = """
import os, signal, sys

folder, left = sys.argv[1], int(sys.argv[2])


def strike(descriptor=None):
    global left
    left -= 1
    if left == 0:
        if descriptor is not None:
            os.ftruncate(descriptor, os.fstat(descriptor).st_size // 2)
        os.kill(os.getpid(), signal.SIGKILL)


def watch(event, arguments):
    writes = event == "open" and (arguments[2] or 0) & (os.O_WRONLY | os.O_RDWR)
    if (writes or event in ("os.rename", "os.remove")) and folder in str(arguments[0]):
        strike()


def half(descriptor, flush=os.fsync):
    strike(descriptor)
    flush(descriptor)


from askance.cli import app

os.fsync = half
sys.addaudithook(watch)
app(sys.argv[3:], standalone_mode=False)
strike()
"""


def child(folder, arguments, moment=0):
    """Run a command by itself; whether it came to its end.

    It is killed just before it opens a file of the folder for writing, moves or removes one, or
    when half of one is written, or at its end: at the first, second ... of these, or never.
    """
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", COMMAND, str(folder), str(moment), *map(str, arguments)]
    done = subprocess.run(command, env=environment, capture_output=True, check=False)
    assert done.returncode in (0, -signal.SIGKILL), done.stderr
    return done.returncode == 0


def restore(path, content):
    if content is None:
        path.unlink(missing_ok=True)
    else:
        path.write_bytes(content)


@pytest.mark.slow
def test_a_kill_at_any_moment_loses_nothing_and_asks_nothing_twice(pool, model, tmp_path):
    """Whenever a command is killed, it and ``--again`` lead to where it would have led."""
    answers = tmp_path / "a.csv"
    for number in range(2):
        out = tmp_path / f"q{number}.csv"
        options = (*PLAN, *NAMES) if number == 0 else ()
        again = ("ask", pool, "--model", model, "-o", out, "--again", "--force")
        kill_everywhere(("ask", pool, "--model", model, "-o", out, "--force", *options), out, again)
        answered(out, answers)
        tell_it = ("tell", model, answers)
        kill_everywhere(tell_it, model, tell_it)


def kill_everywhere(command, out, if_saved):
    """Kill a command at every moment that there is; see what it and ``if_saved`` do after it."""
    model = out.with_name("m.askance")
    before = model.read_bytes() if model.exists() else None
    assert child(model.parent, command)
    after, written = model.read_bytes(), out.read_bytes()
    saved, halves = [], 0
    for moment in itertools.count(1):
        restore(model, before)
        if child(model.parent, command, moment):
            break
        now = model.read_bytes() if model.exists() else None
        assert now in (before, after)
        saved.append(now == after)
        halves += any(len(path.read_bytes()) < len(after) for path in left_by(model))
        if now == after and command is not if_saved:
            assert "has an answer yet" in run(*command, code=1)
        run(*(if_saved if now == after else command))
        assert model.read_bytes() == after
        assert out.read_bytes() == written
        assert not left_by(model)
    # Before the save, in the middle of it and after it.
    assert (saved[0], halves > 0, saved[-1]) == (False, True, True)


def left_by(model):
    """What writers that died have left beside a model."""
    return [path for path in model.parent.glob(f".{model.name}.*") if path.suffix != ".lock"]


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


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
def test_every_command_takes_addresses(bucket, pool, model, tmp_path):
    questions, answers = tmp_path / "q.csv", tmp_path / "a.csv"
    ask(pool, tmp_path / "here.askance", tmp_path / "here.csv", *PLAN, *NAMES)
    for part in "ab":
        bucket.put(str(tmp_path / f"pool-{part}.csv"), f"pool/{part}.csv")
    ask("s3://pool/*.csv", model, questions, *PLAN, *NAMES)
    assert questions.read_text() == (tmp_path / "here.csv").read_text()
    count = answered(questions, answers)
    bucket.put(str(answers), "pool/answers/a.csv")
    assert f"learned {count} labels" in run("tell", model, "s3://pool/answers/*.csv")
    predicted = run("predict", model, "s3://pool/*.csv", "-o", tmp_path / "p.csv")
    assert "1,200 predictions" in predicted
    options = ("--id", "id", "--positive", "up", "--output", tmp_path / "run", "--no-match")
    found = json.loads(run("run", "s3://pool/answers/*.csv", *options, "--json"))
    assert found["examples"] == count
