import inspect
from typing import Annotated, Any

import pytest
import typer
from typer.testing import CliRunner

from askance import ActiveLearner
from askance.cli.options import (
    AsJson,
    FileArgument,
    LabelledOptions,
    LearnerOptions,
    flat,
    open_console,
    parameter,
    progress_bar,
    refuse_existing,
    say,
    say_json,
)
from askance.data.reading.intake import Reading
from askance.errors import InvalidParameter

app = typer.Typer()


@app.command()
@flat
def show(
    file: FileArgument,
    read: LabelledOptions,
    learn: LearnerOptions,
    size: Annotated[int, typer.Option(min=1)] = 3,
    as_json: AsJson = False,
) -> None:
    """Show what came."""
    found = [file, repr(read.reading()), learn.algorithm, learn.parameters(), size]
    if as_json:
        say_json(found)
    else:
        say(f"[red]{found}")


def run(*arguments):
    return CliRunner().invoke(app, list(arguments))


def test_fields_of_a_dataclass_are_options_with_their_defaults():
    result = run("a.csv")
    reading = Reading(label="label")
    expected = ["a.csv", repr(reading), "auto", {}, 3]
    assert result.stdout == f"[red]{expected}\n"


def test_options_arrive_where_they_belong():
    result = run(
        "-", "--format", "tsv", "--text", "a", "--text", "b", "--strings", "c", "--positive", "x",
        "--algorithm", "margin", "--param", "b=0.5", "--learning-rate", "2", "--size", "4",
    )  # fmt: skip
    reading = Reading(format="tsv", text=("a", "b"), strings=("c",), positive="x", label="label")
    expected = ["-", repr(reading), "margin", {"b": 0.5, "learning_rate": 2.0}, 4]
    assert result.stdout == f"[red]{expected}\n"


@pytest.mark.parametrize("option", [["--format", "xls"], ["--algorithm", "iwal2"]])
def test_a_wrong_choice_is_a_wrong_call(option):
    result = run("a.csv", *option)
    assert result.exit_code == 2
    assert option[1] in result.stderr
    assert option[0] in result.stderr


@pytest.mark.parametrize("text", ["b", "b=", "=3"])
def test_a_parameter_has_a_name_and_a_value(text, refused):
    with refused(InvalidParameter, "NAME=VALUE", repr(text)):
        LearnerOptions(param=[text]).parameters()


@pytest.mark.parametrize("name", ["n_features", "random_state", "budget", "features", "classes"])
def test_a_parameter_that_the_command_sets_itself_is_refused(name, refused):
    with refused(InvalidParameter, f"{name} cannot be set as a parameter"):
        LearnerOptions(param=[f"{name}=3"]).parameters()


def test_every_argument_of_a_learner_that_is_no_parameter_is_refused(refused):
    taken = set(inspect.signature(ActiveLearner).parameters) - {"parameters"}
    for name in taken | {"n_features", "algorithm"}:
        with refused(InvalidParameter, "cannot be set as a parameter"):
            parameter(f"{name}=1")


def test_one_column_cannot_be_label_and_id(refused):
    for options in (LabelledOptions(label="id", id="id"), LabelledOptions(id="label")):
        with refused(InvalidParameter, "--label and --id must name different columns"):
            options.reading()
    assert LabelledOptions(label="spam", id="id").reading().id == "id"


def test_what_is_there_is_refused_unless_forced(tmp_path, refused):
    paths = [tmp_path / "a", tmp_path / "b"]
    refuse_existing(paths, force=False)
    paths[1].touch()
    refuse_existing(paths, force=True)
    with refused(InvalidParameter, str(paths[1]), "--force"):
        refuse_existing(paths, force=False)


def test_what_a_file_says_is_shown_and_not_obeyed(capsys):
    say("column \x1b[31mred\x1b[0m")
    assert "\x1b" not in capsys.readouterr().out


@pytest.mark.parametrize(("width", "used"), [("1", 80), ("19", 80), ("20", 20), ("132", 132)])
def test_a_table_in_a_window_that_holds_none_is_drawn_for_a_usual_one(monkeypatch, width, used):
    monkeypatch.setenv("COLUMNS", width)
    assert open_console().width == used


def test_there_is_no_bar_where_nobody_looks(capsys):
    with progress_bar() as bar:
        bar.advance(bar.add_task("Working", total=1))
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("text", ["n_features=3", "estimator=1"])
def test_what_a_command_finds_out_by_itself_is_no_parameter(text: str, refused: Any) -> None:
    name = text.partition("=")[0]
    with refused(InvalidParameter, f"{name} cannot be set as a parameter: "):
        LearnerOptions(param=[text]).parameters()
