"""``askance study``: run a study, look at it, export it, report on it, verify it."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from askance.cli.options import (
    AsJson,
    DataDir,
    Raw,
    flat,
    open_console,
    progress_bar,
    say,
    say_json,
)
from askance.terminal.visible import visible

if TYPE_CHECKING:
    from askance.study.design import Cell, Study
    from askance.study.execute import Task
    from askance.study.store import Store

__all__ = ["study_app"]

study_app = typer.Typer(
    help="Run experiments over data sets, permutations and grids of settings.\n\n"
    "Example: `askance study run studies/smoke.toml`",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)

StudyFile = Annotated[Path, typer.Argument(dir_okay=False, help="The study's TOML file.")]
StoreFolder = Annotated[Path, typer.Argument(file_okay=False, help="Folder of results.")]

StoreOption = Annotated[
    Path | None,
    typer.Option(file_okay=False, help="Folder of results; stores/NAME if not given."),
]


_PART = {"rich_help_panel": "Run only a part"}


@dataclass(frozen=True, slots=True)
class PartOptions:
    """Which part of a study is run."""

    permutations: Annotated[
        int | None, typer.Option(min=1, help="The first so many permutations.", **_PART)
    ] = None
    data: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="This data set; repeatable.", **_PART),
    ] = None
    contestant: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="This contestant, and the base; repeatable.", **_PART),
    ] = None


@study_app.command()
@flat
def run(
    file: StudyFile,
    *,
    data_dir: DataDir = None,
    store: StoreOption = None,
    jobs: Annotated[int, typer.Option(help="Number of processes; -1 for one per core.")] = -1,
    dask: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Run on this Dask cluster.")
    ] = None,
    retry: Annotated[bool, typer.Option("--retry", help="Run failed cells again.")] = False,
    part: PartOptions,
    as_json: AsJson = False,
) -> None:
    """Run the missing cells of a study; if stopped, it picks up where it left off.

    Example: `askance study run studies/smoke.toml --store smoke`
    """
    from askance.study import execute
    from askance.study.design import part_of, read_study
    from askance.study.store import Store

    whole = read_study(file)
    study = part_of(
        whole,
        permutations=part.permutations,
        datasets=part.data or (),
        contestants=part.contestant or (),
    )
    results = Store(store or _default(study))
    with results.writing(study.text):
        if study.results is not None:
            results.adopt(study.results)
        todo = list(execute.missing(study, results, data_dir, retry=retry))
        tasks = list(execute.plan(study, todo, data_dir))
        with _bar(sum(task.work for task in tasks)) as advance, _interruptible():
            execute.run(tasks, results, jobs=jobs, dask=dask, on_task=lambda task, _: advance(task))
        results.compact()
    _exit_if(_summarise(study, results, data_dir, as_json))


@contextmanager
def _bar(total: float) -> Iterator[Callable[["Task"], None]]:
    with progress_bar() as bar:
        line = bar.add_task("Running", total=total)

        def advance(task: "Task") -> None:
            cell = task.cells[0]
            name = escape(visible(cell.dataset))
            bar.update(line, advance=task.work, description=f"{name} {cell.permutation}")

        yield advance


@contextmanager
def _interruptible() -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        typer.echo("stopped; the same command picks up from here", err=True)
        raise typer.Exit(130) from None


@study_app.command()
def status(
    file: StudyFile,
    data_dir: DataDir = None,
    store: StoreOption = None,
    as_json: AsJson = False,
) -> None:
    """Show how many cells of each data set are done, failed and missing.

    Example: `askance study status studies/smoke.toml --store smoke`
    """
    from askance.study.design import read_study
    from askance.study.store import Store

    study = read_study(file)
    _summarise(study, Store(store or _default(study)), data_dir, as_json)


def _summarise(study: "Study", store: "Store", data_dir: Path | None, as_json: bool) -> str:
    """Print what is done of a study; return what is not, which is empty if all is."""
    from askance.study.origins import absent
    from askance.study.status import failures, progress, shortfall

    lines = list(progress(study, store, data_dir))
    away = absent(study.origins, data_dir)
    # "all" of the catalog means those that are here.
    asked = {origin.name for origin in study.origins}
    short = shortfall(lines, [name for name in away if name in asked])
    failed = [(*_named(cell), failure) for cell, failure in failures(store)]
    if as_json:
        by_set = [line._asdict() for line in lines]
        wrong = [dict(zip((*_CELL, "failure"), row, strict=True)) for row in failed]
        say_json({"data_sets": by_set, "absent": away, "failures": wrong})
        return short
    table = Table("data set", "done", "failed", "missing", "seconds")
    for line in lines:
        counts = map(str, line[1:4])
        table.add_row(Text(visible(line.dataset)), *counts, f"{line.seconds:.1f}")
    open_console().print(table)
    if away:
        say(f"not found: {', '.join(away)}")
    for *where, failure in failed:
        say(f"failed: {' '.join(map(str, where))}: {failure}")
    return short


def _exit_if(short: str) -> None:
    """End with exit code 1, and say why, if something is missing."""
    if short:
        typer.echo(visible(short), err=True)
        raise typer.Exit(1)


_CELL = ("dataset", "permutation", "algorithm", "setting")


def _named(cell: "Cell") -> tuple[str, int, str, str]:
    return cell.dataset, cell.permutation, cell.algorithm, cell.setting


def _say_written(paths: Iterable[Path], as_json: bool) -> None:
    written = [str(path) for path in paths]
    if as_json:
        say_json({"files": written})
        return
    for path in written:
        say(f"wrote {path}")


@study_app.command()
def export(
    store: StoreFolder,
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", help="A .csv or .parquet file, or a folder for Parquet files."
        ),
    ],
    raw: Raw = False,
    as_json: AsJson = False,
) -> None:
    """Write all results as one table, or as a folder with one compact file per data set.

    Where results are missing it writes what there is, and ends with exit code 1.

    Example: `askance study export smoke -o smoke.csv`
    """
    from askance.study.design import read_study
    from askance.study.results import collect, holes
    from askance.study.store import export_results

    opened = _opened(store)
    _say_written(export_results(opened, output, raw=raw), as_json)
    lacks = holes(collect(read_study(opened.study_path), opened.table()))
    _exit_if(" ".join(["The results are incomplete.", *lacks]) if lacks else "")


@study_app.command()
def report(
    store: StoreFolder,
    output: Annotated[Path, typer.Option("--output", "-o", file_okay=False, help="Output folder.")],
    as_json: AsJson = False,
) -> None:
    """Write a page with the paper's figures and tables, made from these results.

    Example: `askance study report smoke -o smoke-report`
    """
    from askance.study.report import write_report

    _say_written([write_report(_opened(store), output)], as_json)


@study_app.command()
def verify(
    file: StudyFile,
    data_dir: DataDir = None,
    store: Annotated[
        Path | None,
        typer.Option(file_okay=False, help="The results; by default those that the study names."),
    ] = None,
    sample: Annotated[int, typer.Option(min=1, help="Number of cells to run again.")] = 50,
    seed: Annotated[int, typer.Option(min=0, help="Random seed that chooses the cells.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Run random cells again, each on its own, and check that they give the same bits.

    Example: `askance study verify studies/smoke.toml --store smoke --sample 5`
    """
    from askance.study.design import read_study
    from askance.study.status import verify_sample
    from askance.study.store import Store

    study = read_study(file)
    results = Store(store or study.results or _default(study))
    options = {"sample": sample, "seed": seed}
    checked, foreign, wrong = verify_sample(study, results, data_dir, **options)
    if as_json:
        differing = [dict(zip(_CELL, _named(cell), strict=True)) for cell in wrong]
        say_json({"checked": checked, "other_version": foreign, "differing": differing})
    else:
        _say_verified(checked, foreign, wrong)
    raise typer.Exit(1 if wrong else 0)


def _say_verified(checked: int, foreign: int, wrong: "Sequence[Cell]") -> None:
    if foreign:
        say(f"{foreign} of {checked} cells were made by another version of the code")
    for cell in wrong:
        say(f"differs: {' '.join(map(str, _named(cell)))}")
    say(f"{checked - len(wrong)} of {checked} cells have equal bits")


def _default(study: "Study") -> Path:
    return Path("stores") / study.name


def _opened(folder: Path) -> "Store":
    from askance.errors import FileUnreadable
    from askance.study.store import Store

    store = Store(folder)
    if not store.study_path.is_file():
        raise FileUnreadable(f"{folder} is not a store of a study: it has no study.toml")
    return store
