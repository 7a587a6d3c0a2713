import json
import os
import re
import subprocess
import sys

import pytest
import typer
from typer.testing import CliRunner

import askance
from askance.cli import app
from askance.errors import InvalidParameter

COMMANDS = sorted(typer.main.get_command(app).commands)


def run(*arguments, **environment):
    """The command in a process of its own, as a shell would start it."""
    return subprocess.run(
        [sys.executable, "-m", "askance", *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environment},
    )


def test_version_is_that_of_the_package():
    result = run("--version")
    assert result.returncode == 0
    assert result.stdout == f"askance {askance.__version__}\n"
    assert result.stderr == ""


def test_version_inside_this_process():
    result = CliRunner().invoke(app, ["--version"])
    assert (result.exit_code, result.stdout) == (0, f"askance {askance.__version__}\n")


def test_no_arguments_show_the_help():
    result = CliRunner().invoke(app, [])
    assert result.exit_code == 2
    for command in COMMANDS:
        assert command in result.output


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_an_example(command):
    result = CliRunner().invoke(app, [command, "--help"])
    assert result.exit_code == 0
    assert f"askance {command}" in re.sub(r"\s+", " ", result.output).split("Example:")[1]


@pytest.mark.parametrize(
    "arguments", [["demo", "--seed", "-1"], ["demo", "--seed", "x"], ["no-such-command"]]
)
def test_usage_errors_are_two(arguments):
    result = run(*arguments)
    assert result.returncode == 2
    assert "Traceback" not in result.stderr
    assert result.stdout == ""


def test_an_output_that_is_a_file_is_a_usage_error(tmp_path):
    (tmp_path / "file").write_text("")
    result = run("demo", "--quick", "--output", str(tmp_path / "file"))
    assert result.returncode == 2
    assert "Traceback" not in result.stderr


def test_an_error_on_purpose_is_one_sentence_and_one():
    @app.command("fail-for-a-test")
    def fail():
        raise InvalidParameter("c0 must be [positive], got -1")

    try:
        result = CliRunner().invoke(app, ["fail-for-a-test"])
    finally:
        app.registered_commands.pop()
    assert result.exit_code == 1
    assert result.stderr == "askance: c0 must be [positive], got -1\n"
    assert result.stdout == ""


def test_no_color_is_honoured():
    coloured = re.compile(r"\x1b\[[0-9;]*3[0-9]")
    terminal = {"FORCE_COLOR": "1", "TERM": "xterm-256color"}
    assert coloured.search(run("demo", "--help", **terminal).stdout)
    assert not coloured.search(run("demo", "--help", NO_COLOR="1", **terminal).stdout)


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("askance co", ["compare"]),
        ("askance run mail.csv --algorithm iw", ["iwal0", "iwal1"]),
        ("askance compare mail.csv --form", ["--format"]),
        ("askance study ver", ["verify"]),
    ],
)
def test_the_shell_completes(typed, expected):
    asked = {"COMP_WORDS": typed, "COMP_CWORD": str(typed.count(" "))}
    done = subprocess.run(
        [sys.executable, "-c", "from askance.cli import app; app(prog_name='askance')"],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "_ASKANCE_COMPLETE": "complete_bash", **asked},
    )
    assert done.stdout.split() == expected


def test_results_have_no_colour_where_none_is_wanted(tmp_path):
    rows = "".join(f"{i % 7},{i % 2}\n" for i in range(60))
    (tmp_path / "some.csv").write_text("x,label\n" + rows)
    command = ["run", str(tmp_path / "some.csv"), "--budget", "10", "--output", str(tmp_path / "o")]
    terminal = {"FORCE_COLOR": "1", "TERM": "xterm-256color"}
    shown = run(*command, NO_COLOR="1", **terminal)
    assert shown.returncode == 0
    assert not re.search(r"\x1b\[[0-9;]*3[0-9]", shown.stdout + shown.stderr)
    wrong = run(*command, **terminal)
    assert "\x1b[31m" in wrong.stderr
    assert "\x1b" not in run(*command, NO_COLOR="1", **terminal).stderr


@pytest.mark.parametrize("size", ["0", "1", "19", "100000000000000000000", "many", "-3"])
def test_a_window_of_an_absurd_size_hides_nothing(size):
    narrow = {"COLUMNS": size, "LINES": size}
    assert "compare" in run("--help", **narrow).stdout
    wrong = run("demo", "--seed", "x", **narrow)
    assert (wrong.returncode, "--seed" in wrong.stderr) == (2, True)
    failed = run("inspect", "nothing", **narrow)
    assert failed.stderr.startswith("askance: nothing does not exist")


SLOW = ("numba", "numpy", "scipy", "sklearn", "matplotlib", "pyarrow", "pandas")
STARTED = (
    "import contextlib, io, sys, askance.cli\n"
    "with contextlib.suppress(SystemExit), contextlib.redirect_stdout(io.StringIO()):\n"
    "    askance.cli.app({arguments!r})\n"
    "print(*({slow!r} & sys.modules.keys()))\n"
)


@pytest.mark.parametrize(
    "arguments", [["--help"], ["--version"], *([command, "--help"] for command in COMMANDS)]
)
def test_help_and_version_wait_for_no_slow_import(arguments):
    code = STARTED.format(arguments=arguments, slow=set(SLOW))
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout == "\n"


def test_the_demo_prints_a_table_and_writes_both_files(tmp_path):
    result = CliRunner().invoke(app, ["demo", "--quick", "--output", str(tmp_path)])
    assert result.exit_code == 0
    assert "labels asked" in result.stdout
    assert str(tmp_path / "demo.svg") in result.stdout
    assert sorted(path.name for path in tmp_path.iterdir()) == ["demo.png", "demo.svg"]
    again = CliRunner().invoke(app, ["demo", "--quick", "--json", "--output", str(tmp_path)])
    found = json.loads(again.stdout)
    names = [curve["name"] for curve in found["curves"]]
    assert names == ["Online Active Cover", "IWAL", "margin sampling", "passive"]
    assert found["curves"][3]["labels"] == 600
    assert found["files"] == [str(tmp_path / "demo.png"), str(tmp_path / "demo.svg")]
