"""``askance data``: list and fetch the paper's data sets."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from askance.cli.options import AsJson, DataDir, open_console, say, say_json
from askance.errors import AskanceError

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from askance.data.catalog.entries import Entry
    from askance.data.catalog.fetch import Progress as Report

__all__ = ["data_app"]

data_app = typer.Typer(
    help="List and fetch the paper's data sets.\n\nExample: `askance data list`",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)

_LAYOUT = "{:14} {:7} {:>7} {:>7} {:>8} {:>8} {:>6} {:>6} {:>5} {:>5} {}"
_HEADINGS = ("n", "paper", "s", "paper", "d", "paper", "r", "paper")


@data_app.command("list")
def list_sets(
    data_dir: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """Show the 22 data sets: which are here, and our numbers beside the paper's.

    The first call prepares every set that is here, which takes a while.

    Example: `askance data list --data-dir data`
    """
    from askance.data.catalog import CATALOG

    with open_console(stderr=True).status("preparing"):
        rows = [_described(entry, data_dir) for entry in CATALOG.values()]
    if as_json:
        say_json(rows)
        return
    say(_LAYOUT.format("data set", "here", *_HEADINGS, "address"))
    for row in rows:
        say(_line(row))
    say()
    for row in rows:
        remarks = [row[key] for key in ("special", "note", "error") if row[key]]
        if remarks:
            say(f"{row['name']}: {'; '.join(remarks)}")


def _described(entry: "Entry", data_dir: Path | None) -> dict[str, Any]:
    from askance.data.catalog import find, prepare
    from askance.data.catalog.dataset import Dimensions

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
    from askance.data.catalog import printed
    from askance.data.catalog.dataset import Dimensions

    paper = printed(Dimensions(*(row[f"paper_{key}"] for key in Dimensions._fields)))
    known = row["n"] is not None
    ours = printed(Dimensions(*(row[key] for key in Dimensions._fields))) if known else ("-",) * 4
    present = "damaged" if row["error"] else "yes" if row["present"] else "no"
    address = "verified" if row["verified"] else "unverified" if row["origin"] else "none"
    figures = [figure for pair in zip(ours, paper, strict=True) for figure in pair]
    return _LAYOUT.format(row["name"], present, *figures, address)


@data_app.command("fetch")
def fetch_set(
    name: Annotated[str, typer.Argument(help="A name that `askance data list` shows.")],
    data_dir: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """Download a data set from its public address into your cache, and verify it.

    Example: `askance data fetch mushroom`
    """
    from askance.data.catalog import entry_of
    from askance.data.catalog.fetch import fetch

    with _download_bar() as progress:
        folder = fetch(entry_of(name), data_dir, _reporter(progress))
    if as_json:
        say_json({"name": name, "folder": str(folder)})
    else:
        say(f"{name} is in {folder}")


def _download_bar() -> "Progress":
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn

    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn())
    console = open_console(stderr=True)
    return Progress(*columns, console=console, disable=not console.is_terminal)


def _reporter(progress: "Progress") -> "Report":
    tasks: dict[str, TaskID] = {}

    def report(name: str, done: int, total: int | None) -> None:
        if name not in tasks:
            tasks[name] = progress.add_task(name, total=total)
        progress.update(tasks[name], completed=done, total=total)

    return report
