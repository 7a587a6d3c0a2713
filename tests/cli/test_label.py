"""The real thing: keys, pipes, signals and kills."""

import csv
import json
import os
import random
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path

import pexpect
import pytest
from typer.testing import CliRunner

from askance import ActiveLearner
from askance.cli import app
from askance.labelling.journal import Journal
from askance.labelling.session import Session
from askance.labelling.settings import LAG

COMMAND = [sys.executable, "-m", "askance", "label"]
SMALL = ["--bits", "8", "--algorithm", "online_active_cover", "--cover-size", "2"]

# Python 3.12 warns of forking a process that has threads; pexpect replaces it at once.
pytestmark = pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")


@pytest.fixture
def tickets(tmp_path) -> Path:
    """Made by hand: text, a category, a number, one nasty record."""
    draw = random.Random(11)
    path = tmp_path / "tickets.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["subject", "team", "hours"])
        writer.writerow(["\x1b[2J\x1b]0;pwned\x07 \u202enasty", "ops", 1.5])
        for _ in range(150):
            words = draw.choices(["fire", "slow", "lunch", "password", "printer", "the"], k=6)
            writer.writerow([" ".join(words), draw.choice(["ops", "web"]), draw.randint(1, 40)])
    return path


def run(*arguments, answers=""):
    return CliRunner().invoke(app, ["label", *map(str, arguments)], input=answers)


def folder_of(file):
    return file.with_name(f"{file.name}.askance")


def rows_of(file):
    with (folder_of(file) / "labels.csv").open(newline="", encoding="utf-8") as opened:
        return list(csv.DictReader(opened))


def answers_of(file):
    return [given.answer for given in Journal(folder_of(file) / "journal.jsonl").answers]


class Terminal:
    """A process in a terminal of 24 lines of 80."""

    def __init__(self, command):
        self.child = pexpect.spawn(
            command[0],
            [str(part) for part in command[1:]],
            dimensions=(24, 80),
            encoding="utf-8",
            timeout=90,
            env={**os.environ, "TERM": "xterm"},
        )

    def sees(self, text):
        self.child.expect_exact(text)
        return self

    def presses(self, keys):
        self.child.send(keys)
        return self

    def ends(self):
        self.child.expect(pexpect.EOF)
        self.child.close()
        return self.child.exitstatus


@pytest.fixture
def terminal():
    opened = []

    def start(*command):
        opened.append(Terminal(command))
        return opened[-1]

    yield start
    for each in opened:
        each.child.close(force=True)


def test_label_quit_go_on_undo_and_finish_in_a_terminal(tickets, terminal):
    command = [*COMMAND, tickets, "--budget", "6", "--positive", "urgent", *SMALL]
    first = terminal(*command)
    first.sees("0 of 6 labels given").sees("\\x1b[2J\\x1b]0;pwned\\x07 \\u202enasty")
    first.presses("y").sees("Saved: record 1 is urgent.")
    first.presses("?").sees("any key").presses("x")
    first.presses("n").sees("is no.").presses("s").sees("was skipped").presses("z").sees("'z'")
    first.presses("q").sees("2 labels given, 1 skipped").sees(
        "The same command picks up where you left off"
    )
    assert first.ends() == 0
    assert answers_of(tickets) == ["yes", "no", "skip"]

    second = terminal(*COMMAND, tickets)
    second.sees("2 of 6 labels given").presses("u").sees("Undone").presses("u").sees("is no.")
    second.presses("y").sees("Saved").presses("\x1b[A").sees("That key").presses("yn")
    second.sees("4 of 6").presses("nn").sees("The label budget is spent.")
    second.presses("u").sees("Undone").presses("y").sees("budget is spent").presses("q")
    second.sees("6 labels given")
    assert second.ends() == 0

    expected = ["yes", "yes", "yes", "no", "no", "yes"]
    assert answers_of(tickets) == expected
    rows = rows_of(tickets)
    assert [row["label"] for row in rows] == ["urgent" if a == "yes" else "no" for a in expected]
    assert rows[0]["subject"] == "\x1b[2J\x1b]0;pwned\x07 \u202enasty"
    model = ActiveLearner.load(folder_of(tickets) / "model.askance")
    assert model.classes == ("no", "urgent")
    assert model.stats().answered == 6


@pytest.mark.parametrize(
    ("aim", "reason"),
    [
        (["--until-error", "45%", "--algorithm", "passive"], "the error is at most"),
        (["--until-width", "0.6", "--algorithm", "passive"], "the interval of the mean error"),
    ],
)
def test_a_labelling_stops_when_what_was_aimed_at_is_reached(tickets, aim, reason):
    done = run(tickets, "--bits", "8", *aim, answers="y\n" * 150)
    text = " ".join(done.stdout.split())
    assert done.exit_code == 0, done.output
    assert f"They are enough: {reason}" in text
    assert ("takes at least 9 labels that are held out" in text) == ("--until-error" in aim)
    given = len(answers_of(tickets))
    assert 5 < given < 140
    # The same command goes on with the same aim, and asks nothing more.
    again = run(tickets, answers="y\n" * 5)
    assert "They are enough" in again.stdout
    assert len(answers_of(tickets)) == given


def test_the_terminal_is_left_as_it_was_found(tickets, terminal):
    line = " ".join(map(str, [*COMMAND, tickets, *SMALL]))
    shell = terminal("/bin/sh", "-c", f"trap : INT; stty -a; {line}; echo code $?; stty -a")
    shell.sees(" echo ").sees(" help").presses("y").sees("Saved").presses("\x03")
    shell.sees("1 label given").sees("code 0")
    shell.child.expect(r" icanon .* echo ")
    assert shell.ends() == 0


def test_a_process_that_is_told_to_end_saves_and_says_so(tickets, terminal):
    started = terminal(*COMMAND, tickets, *SMALL)
    started.sees(" help").presses("n").sees("Saved")
    started.child.kill(signal.SIGTERM)
    started.sees("1 label given")
    assert started.ends() == 128 + signal.SIGTERM
    assert [row["label"] for row in rows_of(tickets)] == ["no"]


def state_of(pid):
    shown = subprocess.run(["ps", "-o", "state=", "-p", str(pid)], capture_output=True, text=True)
    return shown.stdout.strip()


def test_ctrl_z_gives_the_terminal_back_and_it_goes_on_with_the_same_question(tickets, terminal):
    started = terminal(*COMMAND, tickets, *SMALL)
    started.sees(" help").presses("y").sees("Saved: record 1 is yes.").presses("\x1a")
    started.sees("\x1b[?1049l").sees("\x1b[?25h")
    until = time.monotonic() + 30
    while state_of(started.child.pid) != "T":
        assert time.monotonic() < until
        time.sleep(0.05)
    assert termios.tcgetattr(started.child.child_fd)[3] & termios.ICANON
    started.child.kill(signal.SIGCONT)
    started.sees("\x1b[?1049h").sees("Saved: record 1 is yes.").sees(" help")
    assert not termios.tcgetattr(started.child.child_fd)[3] & termios.ICANON
    started.presses("n").sees("Saved").presses("q").sees("2 labels given")
    assert started.ends() == 0
    assert answers_of(tickets) == ["yes", "no"]


def test_a_pipe_is_refused_since_it_can_be_read_only_once(tmp_path):
    os.mkfifo(tmp_path / "pipe.csv")
    done = run(tmp_path / "pipe.csv", answers="y\n")
    assert done.exit_code == 1
    assert "pipe.csv is not a regular file and can be read only once" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["pipe.csv"]


def test_a_labelling_with_damaged_snapshots_resumes_from_its_journal(tickets):
    wanted = ["y", "n"] * 22
    assert run(tickets, "--c0", "99", *SMALL, answers="\n".join(wanted)).exit_code == 0
    before = (folder_of(tickets) / "model.askance").read_bytes()
    snapshots = list(folder_of(tickets).glob("snapshot-*.askance"))
    assert snapshots
    for path in snapshots:
        content = bytearray(path.read_bytes())
        content[len(content) // 2] ^= 255
        path.write_bytes(content)
    done = run(tickets, answers="q\n")
    assert done.exit_code == 0, done.output
    assert len(answers_of(tickets)) == len(wanted)
    assert (folder_of(tickets) / "model.askance").read_bytes() == before


def test_a_kill_loses_at_most_the_answer_being_typed(tickets, terminal):
    draw = random.Random(1)
    wanted = draw.choices("yns", k=9)
    names = {"y": "yes", "n": "no", "s": "skip"}
    done = 0
    while done < len(wanted):
        process = terminal(*COMMAND, tickets, *SMALL)
        process.sees(" help")
        for key in wanted[done : done + draw.randint(2, 3)]:
            process.presses(key).sees("Saved")
            done += 1
        process.presses("".join(wanted[done : done + 1]))
        time.sleep(draw.random() / 50)
        process.child.kill(signal.SIGKILL)
        process.ends()
        known = answers_of(tickets)
        assert known == [names[key] for key in wanted[: len(known)]]
        assert len(known) in (done, done + 1)
        done = len(known)
    assert run(tickets, answers="q\n").exit_code == 0

    undisturbed = tickets.with_name("copy.csv")
    undisturbed.write_bytes(tickets.read_bytes())
    assert run(undisturbed, *SMALL, answers="\n".join([*wanted, "q"])).exit_code == 0
    files = [folder_of(file) / "model.askance" for file in (tickets, undisturbed)]
    assert files[0].read_bytes() == files[1].read_bytes()
    assert rows_of(tickets) == rows_of(undisturbed)


def test_a_changed_budget_and_a_kill_lead_to_the_same_questions(tickets, terminal):
    """By default the budget is spread over the file, so what is asked depends on it."""
    undisturbed = tickets.with_name("copy.csv")
    undisturbed.write_bytes(tickets.read_bytes())
    for file in (tickets, undisturbed):
        first = run(file, "--bits", 8, "--budget", 10, answers="y\nn\n" * 3)
        assert first.exit_code == 0, first.stderr
        settings = Journal(folder_of(file) / "journal.jsonl").settings
        assert (settings["algorithm"], settings["horizon"]) == ("auto", 151)
        assert settings["parameters"] == {"lag": LAG}
    process = terminal(*COMMAND, tickets, "--budget", "120").sees("6 of 120 labels")
    process.presses("n").sees("Saved").presses("y").sees("8 of 120")
    process.child.kill(signal.SIGKILL)
    process.ends()
    # Later than the lag: what was learned before the kill has a say in what is asked.
    rest = ["y", "n", "n"] * 4
    assert run(tickets, answers="\n".join(rest)).exit_code == 0
    straight = run(undisturbed, "--budget", 120, answers="\n".join(["n", "y", *rest]))
    assert straight.exit_code == 0
    assert len(answers_of(tickets)) == 8 + len(rest)
    assert rows_of(tickets) == rows_of(undisturbed)
    files = [folder_of(file) / "model.askance" for file in (tickets, undisturbed)]
    assert files[0].read_bytes() == files[1].read_bytes()


def test_leaving_in_the_middle_of_a_refit_loses_nothing(tickets, terminal):
    """Ctrl-C, then a kill: nothing hangs, and the same questions come as without them."""
    undisturbed = tickets.with_name("copy.csv")
    undisturbed.write_bytes(tickets.read_bytes())
    options = ["--bits", "8", "--budget", "20"]
    first = terminal(*COMMAND, tickets, *options).sees("0 of 20 labels")
    # With the fourth label the first classifier is begun; it serves after some more.
    for count, key in enumerate("ynyn", start=1):
        first.presses(key).sees(f"{count} of 20 labels")
    first.presses("\x03").sees("4 labels given")
    assert first.ends() == 0
    second = terminal(*COMMAND, tickets).sees("4 of 20 labels").presses("y").sees("5 of 20 labels")
    second.child.kill(signal.SIGKILL)
    second.ends()
    for each in (first, second):
        with pytest.raises(ProcessLookupError):
            os.killpg(each.child.pid, 0)
    rest = ["n", "n", "y", "n", "y"]
    assert run(tickets, answers="\n".join(rest)).exit_code == 0
    straight = run(undisturbed, *options, answers="\n".join([*"ynyny", *rest]))
    assert straight.exit_code == 0
    assert rows_of(tickets) == rows_of(undisturbed)
    files = [folder_of(file) / "model.askance" for file in (tickets, undisturbed)]
    assert files[0].read_bytes() == files[1].read_bytes()


def test_a_second_process_is_refused(tickets, terminal):
    first = terminal(*COMMAND, tickets, *SMALL).sees(" help").presses("y").sees("Saved")
    second = run(tickets, answers="n\n")
    assert second.exit_code == 1
    assert "is in use: another process labels there" in second.stderr
    first.child.kill(signal.SIGKILL)
    first.ends()
    assert run(tickets, answers="n\n").exit_code == 0
    assert answers_of(tickets) == ["yes", "no"]


def test_standard_input_is_labelled_from_the_terminal(tickets, terminal, tmp_path):
    line = " ".join(map(str, [*COMMAND, "-", "--format", "csv", "--session", tmp_path / "kept"]))
    for answers in (1, 2):
        shell = terminal("/bin/sh", "-c", f"cat {tickets} | {line} {' '.join(SMALL)}")
        shell.sees("standard input").sees(" help").presses("y").sees("Saved").presses("q")
        shell.sees(f"{answers} label")
        assert shell.ends() == 0
    assert len(Journal(tmp_path / "kept" / "journal.jsonl").answers) == 2


def test_standard_input_needs_a_name_and_a_terminal_for_answers(tickets, tmp_path):
    nameless = run("-", "--format", "csv")
    assert nameless.exit_code == 2
    assert "--session" in nameless.stderr
    mute = subprocess.run(
        [*COMMAND, "-", "--format", "csv", "--session", str(tmp_path / "kept")],
        input=tickets.read_bytes(),
        capture_output=True,
        start_new_session=True,
    )
    assert mute.returncode == 1
    assert "there is no terminal to answer from" in mute.stderr.decode()
    assert len(mute.stderr.splitlines()) == 1


def test_piped_answers_are_plain_and_resume(tickets):
    first = run(tickets, "--budget", 4, *SMALL, answers="y\nno\nperhaps\nu\nskip\n")
    assert first.exit_code == 0
    assert "\x1b" not in first.stdout
    assert "'perhaps' does nothing here" in first.stdout
    assert answers_of(tickets) == ["yes", "skip"]
    second = run(tickets, "--json", answers="y\n" * 50)
    assert second.exit_code == 0
    summary = json.loads(second.stdout)
    assert (summary["spent"], summary["left"], summary["skipped"]) == (4, 0, 1)
    assert summary["ended"] == "budget"
    assert [row["label"] for row in rows_of(tickets)] == ["yes"] * 4
    third = run(tickets, "--budget", 5, answers="n\n")
    assert "budget is spent" in third.stdout
    assert answers_of(tickets) == ["yes", "skip", "yes", "yes", "yes", "no"]


def test_a_column_of_labels_is_left_out(tmp_path):
    path = tmp_path / "some.csv"
    path.write_text("size,kind\n" + "3,a\n5,b\n8,c\n" * 10)
    assert run(path, "--label", "kind", *SMALL, answers="y\nn\n").exit_code == 0
    assert "kind" not in rows_of(path)[0]
    assert run(path, "--label", "kind", answers="y\n").exit_code == 0
    predicted = CliRunner().invoke(
        app, ["predict", str(folder_of(path) / "model.askance"), str(path)]
    )
    assert predicted.exit_code == 0
    assert len(predicted.stdout.splitlines()) == 31


def test_a_column_to_leave_out_must_be_there(tickets):
    done = run(tickets, "--label", "urgent")
    assert done.exit_code == 1
    assert "has no column 'urgent' to ignore, its columns are" in done.stderr


def test_ids_that_are_learned_from_are_named_before_the_first_answer(tmp_path):
    file = tmp_path / "pumps.csv"
    rows = [f"P{number},{number % 7}" for number in range(40)]
    file.write_text("\n".join(["key,age", *rows, ""]))
    note = "key looks like an id, but is learned from"
    assert " ".join(run(file, answers="y\n").stdout.split()).count(note) == 1
    assert note not in " ".join(run(file, answers="n\n").stdout.split())
    other = run(file, "--id", "key", "--session", tmp_path / "other", answers="y\n")
    assert "looks like an id" not in other.stdout


def test_other_options_than_those_it_began_with_are_refused(tickets):
    run(tickets, *SMALL, "--positive", "urgent", answers="y\n")
    for option, value in (("--seed", 3), ("--positive", "late"), ("--cover-size", 5)):
        refused = run(tickets, option, value, answers="y\n")
        assert refused.exit_code == 1
        assert "began with" in refused.stderr
    assert run(tickets, "--positive", "urgent", "--cover-size", 2, answers="y\n").exit_code == 0
    assert answers_of(tickets) == ["yes", "yes"]


def test_what_a_killed_writer_left_is_cleared_away(tickets, killed_while_writing):
    run(tickets, *SMALL, answers="y\n")
    leftover = killed_while_writing(folder_of(tickets) / "snapshot-9-0f.askance")
    run(tickets, answers="y\n")
    assert not leftover.exists()


def test_a_budget_below_what_was_given_is_refused(tickets):
    assert run(tickets, "--budget", 3, *SMALL, answers="y\ny\n").exit_code == 0
    lower = run(tickets, "--budget", 1)
    assert lower.exit_code == 1
    assert "at least the 2 labels already given" in lower.stderr


def test_a_changed_file_is_refused(tickets):
    run(tickets, *SMALL, answers="y\ny\n")
    tickets.write_text(tickets.read_text().replace("nasty", "nice"))
    refused = run(tickets, answers="y\n")
    assert refused.exit_code == 1
    assert "has changed since its record" in refused.stderr
    assert answers_of(tickets) == ["yes", "yes"]


def test_a_session_begun_here_is_one_of_the_library(tickets):
    run(tickets, *SMALL, answers="y\nn\n")
    session = Session(folder_of(tickets), tickets)
    assert session.standing().spent == 2


def test_a_file_that_is_broken_further_on_loses_no_label(tmp_path):
    path = tmp_path / "some.jsonl"
    path.write_text('{"size": 1, "tags": ["a", "b"], "from": {"age": 3}}\n' * 1500 + "{oops\n")
    done = run(path, "--c0", "1e-9", *SMALL, answers="y\n" * 1500)
    assert done.exit_code == 1
    assert "line 1,501 of" in done.stderr
    assert len(rows_of(path)) == len(answers_of(path)) > 0


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("rows.libsvm", "1 1:0.5 7:2\n-1 2:1\n" * 9),
        ("rows.vw", "1 'one|user age:3 job=clerk |text a b c\n" * 9),
        ("rows.tsv", "a\tb\n" + "1\tx y z\n" * 9),
    ],
)
def test_other_formats(tmp_path, name, content):
    path = tmp_path / name
    path.write_text(content)
    done = run(path, *SMALL, answers="y\nn\n")
    assert done.exit_code == 0, done.stderr
    assert [row["label"] for row in rows_of(path)] == ["yes", "no"]


def test_a_key_for_each_class_a_search_and_a_new_class_in_a_terminal(tickets, terminal):
    classes = ["--classes", "fire=f,slow=s,lunch=l", "--algorithm", "passive", "--bits", "8"]
    first = terminal(*COMMAND, tickets, "--budget", "9", *classes)
    first.sees("0 of 9 labels given").sees(" f ").sees("fire")
    first.presses("s").sees("Saved: record 1 is slow.")
    first.presses("-").sees("Saved: record 2 was skipped.")
    first.presses("/").sees("Class: _").presses("un").sees("lunch").presses("\r")
    first.sees("Saved: record 3 is lunch.")
    first.presses("/").presses("pass").sees("add the class pass").presses("\r")
    first.sees("Saved: record 4 is pass.").presses("u").sees("Undone: record 4 is pass.")
    first.presses("/").presses("web").sees("add the class web").presses("\r")
    first.sees("Saved: record 4 is web.").presses("q").sees("3 labels given")
    again = terminal(*COMMAND, tickets)
    again.sees("3 of 9 labels given").presses("f").sees("Saved: record 5 is fire.").presses("q")
    again.sees("4 labels given")
    assert answers_of(tickets) == ["is slow", "skip", "is lunch", "is web", "is fire"]
    assert [row["label"] for row in rows_of(tickets)] == ["slow", "lunch", "web", "fire"]
    model = ActiveLearner.load(folder_of(tickets) / "model.askance")
    assert model.classes == ("fire", "slow", "lunch", "web")


def test_lines_name_classes_and_add_them(tickets):
    names = ",".join(f"kind{i}" for i in range(12))
    given = [tickets, "--classes", names, "--algorithm", "passive", "--bits", "8"]
    done = run(*given, answers="Kind11\n+Other One\nskip\nkind0\nq\n")
    assert done.exit_code == 0, done.output
    assert answers_of(tickets) == ["is kind11", "is Other One", "skip", "is kind0"]
    other = run(tickets, "--classes", "a,b,c")
    assert other.exit_code != 0
    assert "began with classes" in other.output


def test_costs_go_into_the_model_and_no_class_without_them_is_added(tickets, tmp_path):
    costs = tmp_path / "costs.csv"
    costs.write_text("kind,slow,fire,lunch\nslow,0,1,2\nfire,30,0,40\nlunch,5,6,0\n")
    given = [tickets, "--classes", "fire,slow,lunch", "--algorithm", "coal", "--bits", "8"]
    done = run(*given, "--costs", costs, answers="slow\n+web\nfire\nq\n")
    assert done.exit_code == 0, done.output
    assert answers_of(tickets) == ["is slow", "is fire"]
    assert "No class can be added: the costs have none of it." in done.output
    assert "Note: no label is 'lunch', so that class was not learned." in done.output
    assert "no label is 'fire'" not in done.output
    model = ActiveLearner.load(folder_of(tickets) / "model.askance")
    # By rows and columns in the order of --classes, not of the table.
    ordered = [[0, 30, 40], [1, 0, 2], [6, 5, 0]]
    assert model.preset["cost_matrix"] == ordered
    costs.write_text("kind,slow,fire,lunch\nslow,0,1,2\nfire,3,0,40\nlunch,5,6,0\n")
    other = run(tickets, "--costs", costs, "--classes", "fire,slow,lunch")
    assert other.exit_code != 0
    assert "began with costs" in other.output
    assert run(tickets, answers="q\n").exit_code == 0
