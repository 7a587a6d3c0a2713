"""The command line: parse, call, print.

Each group of commands is a typer application of its own that is added to :data:`app`. An
:class:`~askance.errors.AskanceError` becomes one sentence on stderr and exit code 1, and so does a
file that cannot be written; a command that cannot be parsed is exit code 2.
"""

import contextlib
import errno
import os
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from typer.core import TyperGroup

import askance
from askance.cli.data import data_app
from askance.cli.evaluate import evaluate
from askance.cli.label import label
from askance.cli.model import export, inspect, predict
from askance.cli.options import NARROWEST, AsJson, Seed, open_console, progress_bar, say, say_json
from askance.cli.pool import ask, tell
from askance.cli.run import compare, run
from askance.cli.serve import replay, serve
from askance.cli.study import study_app
from askance.cli.theory import theory_app
from askance.errors import AskanceError
from askance.terminal.visible import visible

__all__ = ["app"]


LARGEST_WINDOW = 10_000
"""Columns or lines that a terminal may have."""


def _complain(sentence: str) -> None:
    Console(stderr=True, soft_wrap=True).print(
        f"askance: {visible(sentence)}", style="red", markup=False, highlight=False
    )


class _OneSentence(TyperGroup):
    """Answers what went wrong on purpose in one sentence, without a traceback."""

    def main(self, *args: Any, **kwargs: Any) -> Any:
        # A size that holds no line hides all that is said, and one without end fills the memory.
        for name, least in (("COLUMNS", NARROWEST), ("LINES", 1)):
            size = os.environ.get(name, "")
            if size.isdigit() and not least <= int(size[:9]) <= LARGEST_WINDOW:
                del os.environ[name]
        return super().main(*args, **kwargs)

    def invoke(self, ctx: Any) -> Any:
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
            return result
        except AskanceError as error:
            _complain(str(error))
            raise typer.Exit(1) from error
        except OSError as error:
            # A reader of our output who left early is no failure, and typer knows of it.
            if error.errno == errno.EPIPE:
                raise
            if error.filename is None:
                # Else Python would try again to write what could not be written.
                with contextlib.suppress(OSError):
                    sys.stdout.close()
            name = error.filename or "standard output"
            _complain(f"cannot use {name}: {error.strerror or error}")
            raise typer.Exit(1) from error


app = typer.Typer(
    cls=_OneSentence,
    no_args_is_help=True,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.add_typer(data_app, name="data")
app.add_typer(study_app, name="study")
app.add_typer(theory_app, name="theory")
app.command()(run)
app.command()(compare)
app.command()(label)
app.command()(ask)
app.command()(tell)
app.command()(predict)
app.command()(inspect)
app.command()(export)
app.command()(evaluate)
app.command()(serve)
app.command()(replay)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"askance {askance.__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Learn a classifier from a stream, asking for few labels.

    Example: `askance demo`
    """


@app.command()
def demo(
    output: Annotated[
        Path,
        typer.Option(file_okay=False, help="Folder for the plot, created if it does not exist."),
    ] = Path("demo"),
    seed: Seed = 0,
    quick: Annotated[bool, typer.Option("--quick", help="Use a small part of the data.")] = False,
    as_json: AsJson = False,
) -> None:
    """Compare four algorithms on patches of two photographs: a table and a plot.

    Online Active Cover, IWAL, margin sampling and passive learning see the same permutations of
    the same stream with the same coins. No network is needed.

    Example: `askance demo --output plots --quick`
    """
    # Here, so that help and the other commands do not wait for it.
    from askance.plots.curve_table import table
    from askance.plots.figure import Look, draw, save_plot
    from askance.rehearsal.demo import DEMO_CONTESTANTS, FULL, QUICK, TARGET, describe, run_demo

    size = QUICK if quick else FULL
    with progress_bar() as bar:
        task = bar.add_task("Learning", total=size.permutations * len(DEMO_CONTESTANTS))
        curves = run_demo(size=size, seed=seed, on_run=lambda: bar.advance(task))
    subtitle = f"{describe(size)}\nMedian with quartiles; a curve ends with its stream."
    look = Look("How far does a label go?", subtitle, logarithmic=True)
    paths = [str(path) for path in save_plot(draw(curves, look), output, "demo")]
    if as_json:
        say_json({"curves": [curve.as_json() for curve in curves], "files": paths})
        return
    say(describe(size))
    open_console().print(table(curves, TARGET, step=2))
    for path in paths:
        say(f"wrote {path}")
