"""``askance theory``: run the experiments of :mod:`askance.theory`, write numbers and figures."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from askance.cli.choices import EXPERIMENTS
from askance.cli.options import AsJson, open_console, say_json

if TYPE_CHECKING:
    from askance.types import State

__all__ = ["theory_app"]

theory_app = typer.Typer(
    help="Run the paper's claims as experiments.\n\nExample: `askance theory run hard --seeds 2`",
    no_args_is_help=True,
)

# Shorter streams have no epochs to speak of.
_LEAST_SCALE = 1 / 64

Names = Annotated[
    list[str] | None, typer.Argument(help=f"Any of {', '.join(EXPERIMENTS)}; all by default.")
]
Folder = Annotated[Path, typer.Option(help="Folder for numbers (JSON) and figures (SVG).")]


@theory_app.command()
def run(
    names: Names = None,
    out: Folder = Path("docs/theory"),
    seeds: Annotated[int, typer.Option(min=1, help="Number of random seeds.")] = 20,
    scale: Annotated[
        float,
        typer.Option(min=_LEAST_SCALE, help="Length of the streams; 1 for that of the documents."),
    ] = 1.0,
    verbose: Annotated[bool, typer.Option(help="Print every epoch of every run.")] = False,
    as_json: AsJson = False,
) -> None:
    """Run experiments, and write the numbers and the figure of each.

    Also prints Active Cover's epochs, as means over seeds: examples, share of the region, queries,
    and quantiles of P inside the region (least, quartiles, greatest).

    Example: `askance theory run labels --seeds 2 --scale 0.1 --out theory`
    """
    # Here, so that help and the other commands do not wait for it.
    from askance.theory.experiments import EXPERIMENTS
    from askance.theory.report import rows, save_result

    console = open_console()
    if verbose:
        _log_to(open_console(stderr=True) if as_json else console)
    found: dict[str, Any] = {}
    for name in _chosen(names):
        experiment = EXPERIMENTS[name](seeds, scale)
        result, epochs = experiment.state(), rows(experiment.by_epoch)
        save_result(result, out / f"{name}.json")
        _draw(name, result, out)
        found[name] = {"epochs": epochs, "table": result["table"]}
        if as_json:
            continue
        console.print(_table(f"{name}: epochs of Active Cover", epochs))
        console.print(_table(name, result["table"]))
    if as_json:
        say_json(found)


@theory_app.command()
def document(
    path: Annotated[
        Path, typer.Argument(exists=True, dir_okay=False, help="Document with table markers.")
    ],
    out: Folder = Path("docs/theory"),
    as_json: AsJson = False,
) -> None:
    """Fill the tables of a document and redraw the figures from the numbers on disk.

    Example: `askance theory document docs/theory.md`
    """
    from askance.theory.report import fill_tables, load_result, write_text

    text = path.read_text(encoding="utf-8")
    files = sorted(out.glob("*.json"))
    for file in files:
        result = load_result(file)
        text = fill_tables(text, file.stem, result)
        _draw(file.stem, result, out)
    write_text(path, text)
    if as_json:
        say_json({"document": str(path), "experiments": [file.stem for file in files]})


def _log_to(console: Console) -> None:
    import logging

    from rich.logging import RichHandler

    logging.basicConfig(level=logging.INFO, handlers=[RichHandler(console=console)])


def _chosen(names: list[str] | None) -> list[str]:
    chosen = names or list(EXPERIMENTS)
    for name in chosen:
        if name not in EXPERIMENTS:
            raise typer.BadParameter(
                f"no experiment is called {name!r}: choose from {', '.join(EXPERIMENTS)}"
            )
    return chosen


def _draw(name: str, result: "State", out: Path) -> None:
    from askance.theory.figures import DRAW

    if name in DRAW:
        DRAW[name](result["figure"], out / f"{name}.svg")


def _table(title: str, lines: list["State"]) -> Table:
    from askance.theory.report import cell_text

    table = Table(title=title)
    for name in lines[0]:
        table.add_column(name.replace("_", " "))
    for line in lines:
        table.add_row(*(cell_text(value) for value in line.values()))
    return table
