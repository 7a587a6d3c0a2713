"""``askance data``: list and fetch the paper's data sets."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TaskID, TextColumn

from askance.cli.options import AsJson, say_json
from askance.data.catalog import CATALOG, entry_of, find, prepare, printed
from askance.data.catalog.dataset import Dimensions
from askance.data.catalog.entries import Entry
from askance.data.catalog.fetch import Progress as Report
from askance.data.catalog.fetch import fetch
from askance.errors import AskanceError

__all__ = ["data_app"]

data_app = typer.Typer(
    help="The paper's data sets: list, fetch.\n\nExample: `askance data list`",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)

_LAYOUT = "{:14} {:7} {:>7} {:>7} {:>8} {:>8} {:>6} {:>6} {:>5} {:>5} {}"
_HEADINGS = ("n", "paper", "s", "paper", "d", "paper", "r", "paper")

DataDir = Annotated[
    Path | None,
    typer.Option(
        envvar="ASKANCE_DATA",
        exists=True,
        file_okay=False,
        help="A folder that already holds the raw files.",
    ),
]


@contextmanager
def _one_sentence() -> Iterator[None]:
    """Turn an expected failure into one sentence and exit code 1."""
    try:
        yield
    except AskanceError as error:
        typer.echo(f"error: {error}", err=True)
        raise typer.Exit(1) from None


@data_app.command("list")
def list_sets(
    data_dir: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """Show the 22 data sets: our numbers beside the paper's, and what is present.

    The first time, this prepares every set that is present.

    Example: `askance data list --data-dir data`
    """
    with Console(stderr=True).status("preparing"):
        rows = [_described(entry, data_dir) for entry in CATALOG.values()]
    if as_json:
        say_json(rows)
        return
    typer.echo(_LAYOUT.format("data set", "here", *_HEADINGS, "address"))
    for row in rows:
        typer.echo(_line(row))
    typer.echo("")
    for row in rows:
        remarks = [row[key] for key in ("special", "note", "error") if row[key]]
        if remarks:
            typer.echo(f"{row['name']}: {'; '.join(remarks)}")


def _described(entry: Entry, data_dir: Path | None) -> dict[str, Any]:
    found = find(entry, data_dir)
    found_here: Dimensions | None = None
    error = None
    try:
        found_here = prepare(entry, *found).dimensions if found else None
    except AskanceError as problem:
        error = str(problem)
    paper = {f"paper_{key}": value for key, value in entry.paper._asdict().items()}
    ours = found_here._asdict() if found_here else dict.fromkeys(Dimensions._fields)
    return {
        "name": entry.name,
        "present": found is not None,
        **ours,
        **paper,
        "verified": entry.verified,
        "origin": [file.url for file in entry.origin],
        "licence": entry.licence,
        "note": entry.note,
        "special": entry.special,
        "error": error,
    }


def _line(row: dict[str, Any]) -> str:
    paper = printed(Dimensions(*(row[f"paper_{key}"] for key in Dimensions._fields)))
    known = row["n"] is not None
    ours = printed(Dimensions(*(row[key] for key in Dimensions._fields))) if known else ("-",) * 4
    present = "damaged" if row["error"] else "yes" if row["present"] else "no"
    address = "verified" if row["verified"] else "unverified" if row["origin"] else "none"
    figures = [figure for pair in zip(ours, paper, strict=True) for figure in pair]
    return _LAYOUT.format(row["name"], present, *figures, address)


@data_app.command("fetch")
def fetch_set(
    name: Annotated[str, typer.Argument(help="As in `askance data list`.")],
    data_dir: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """Download a data set from its public address into the user's cache, and verify it.

    Example: `askance data fetch mushroom`
    """
    with _one_sentence(), _progress_bar() as progress:
        folder = fetch(entry_of(name), data_dir, _reporter(progress))
    if as_json:
        say_json({"name": name, "folder": str(folder)})
    else:
        typer.echo(f"{name} is in {folder}")


def _progress_bar() -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn())
    console = Console(stderr=True)
    return Progress(*columns, console=console, disable=not console.is_terminal)


def _reporter(progress: Progress) -> Report:
    tasks: dict[str, TaskID] = {}

    def report(name: str, done: int, total: int | None) -> None:
        if name not in tasks:
            tasks[name] = progress.add_task(name, total=total)
        progress.update(tasks[name], completed=done, total=total)

    return report
