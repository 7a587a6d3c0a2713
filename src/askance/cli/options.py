"""Options that several commands share, and how many of them become one parameter.

A command whose parameter is a dataclass is decorated with :func:`flat`: each field of the dataclass
is then an option of its own.
"""

import dataclasses
import functools
import inspect
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import Progress, TimeElapsedColumn

from askance.data.reading.intake import Reading
from askance.errors import InvalidParameter
from askance.presets import ALGORITHMS
from askance.terminal.visible import visible

__all__ = [
    "AsJson",
    "FileArgument",
    "Force",
    "LabelledOptions",
    "LearnerOptions",
    "OutputOptions",
    "Raw",
    "ReadingOptions",
    "Seed",
    "TableOptions",
    "choice",
    "flat",
    "parameter",
    "progress_bar",
    "refuse_existing",
    "say",
    "say_json",
]

FORMATS = ("csv", "tsv", "parquet", "jsonl", "libsvm", "libsvm0", "vw")

_READING = {"rich_help_panel": "How the file is read"}
_LEARNING = {"rich_help_panel": "How it is learned from"}


def choice(names: Sequence[str], help: str, **options: Any) -> Any:
    """An option that takes one of some names, which the shell completes."""

    def check(value: str | None) -> str | None:
        if value is not None and value not in names:
            raise typer.BadParameter(f"{value!r} is not one of {', '.join(names)}.")
        return value

    def complete(incomplete: str) -> list[str]:
        return [name for name in names if name.startswith(incomplete)]

    return typer.Option(
        callback=check,
        autocompletion=complete,
        metavar="NAME",
        help=f"{help.rstrip('.')}: {', '.join(names)}.",
        **options,
    )


FileArgument = Annotated[
    str,
    typer.Argument(
        metavar="FILE",
        help="CSV, TSV, Parquet, JSON lines, LIBSVM or VW text, compressed or not; - is standard "
        "input.",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON value, for machines.")]
Seed = Annotated[int, typer.Option(min=0, help="Another seed: other coins, other permutations.")]
Raw = Annotated[
    bool,
    typer.Option(
        "--raw", help="Keep texts in CSV that a spreadsheet would run as formulas, without a mark."
    ),
]
Force = Annotated[bool, typer.Option("--force", help="Write over what is already there.")]


@dataclass
class ReadingOptions:
    """How a file is read, where labels play no part."""

    format: Annotated[
        str | None,
        choice(FORMATS, "The format, if the file's name does not say", **_READING),
    ] = None
    id: Annotated[
        str | None,
        typer.Option(
            metavar="COL", help="The column of ids; rows are numbered without one.", **_READING
        ),
    ] = None
    strings: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COL", help="Categories, although they look like numbers; repeat.", **_READING
        ),
    ] = None
    text: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COL", help="Text to cut into words; recognised if none is named.", **_READING
        ),
    ] = None
    ignore: Annotated[
        list[str] | None,
        typer.Option(metavar="COL", help="A column to leave out; repeat.", **_READING),
    ] = None
    ngrams: Annotated[
        int, typer.Option(min=1, help="The longest run of words to learn.", **_READING)
    ] = 1
    bits: Annotated[
        int, typer.Option(min=1, max=30, help="Features are hashed to 2^BITS columns.", **_READING)
    ] = 18

    def reading(self) -> Reading:
        """As the library takes it."""
        given = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        for name in ("strings", "ignore"):
            given[name] = tuple(given[name] or ())
        given["text"] = tuple(self.text) if self.text else None
        return Reading(**given)


@dataclass
class LabelledOptions(ReadingOptions):
    """How a labelled file is read."""

    label: Annotated[
        str, typer.Option(metavar="COL", help="The column of labels, where the format has columns.")
    ] = "label"
    positive: Annotated[
        str | None,
        typer.Option(
            metavar="VALUE",
            help="The label of the positive class; needed unless the labels are 0/1, -1/+1, yes/no "
            "or true/false.",
        ),
    ] = None


@dataclass
class LearnerOptions:
    """An algorithm with its parameters."""

    algorithm: Annotated[str, choice(ALGORITHMS, "How labels are chosen", **_LEARNING)] = (
        "online_active_cover"
    )
    c0: Annotated[
        float | None,
        typer.Option(
            help="Scale of the cover's and IWAL's threshold: larger asks more.", **_LEARNING
        ),
    ] = None
    cover_size: Annotated[
        int | None,
        typer.Option(min=0, help="Members of the cover of online_active_cover.", **_LEARNING),
    ] = None
    learning_rate: Annotated[
        float | None, typer.Option(help="Of the linear classifier.", **_LEARNING)
    ] = None
    param: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUE", help="Any other parameter of the algorithm; repeat.", **_LEARNING
        ),
    ] = None

    def parameters(self) -> dict[str, Any]:
        """What :func:`askance.make_learner` takes beside the name.

        >>> LearnerOptions(c0=0.5, param=["alpha=2", "disagreement=margin"]).parameters()
        {'alpha': 2, 'disagreement': 'margin', 'c0': 0.5}
        """
        named = {name: getattr(self, name) for name in ("c0", "cover_size", "learning_rate")}
        given = {name: value for name, value in named.items() if value is not None}
        found = dict(map(parameter, self.param or ()))
        for name in ("n_features", "estimator"):
            if name in found:
                raise InvalidParameter(f"{name} is no parameter of a command: leave --param {name}")
        return found | given


@dataclass
class OutputOptions:
    """Where results go."""

    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            file_okay=False,
            metavar="DIR",
            help="Folder for what is written; named after the file if not given.",
            show_default=False,
        ),
    ] = None
    force: Force = False
    as_json: AsJson = False

    def folder(self, file: str, command: str) -> Path:
        """The folder for the results of a command on a file.

        >>> OutputOptions().folder("data/mail.csv.gz", "run").name
        'mail-run'
        """
        stem = "askance" if file == "-" else Path(file).name.partition(".")[0]
        return self.output or Path(f"{stem or 'askance'}-{command}")


@dataclass
class TableOptions(OutputOptions):
    """Where results go, tables among them."""

    raw: Raw = False


def parameter(text: str) -> tuple[str, Any]:
    """Read NAME=VALUE, the value as JSON if it is any.

    >>> parameter("b=0.3"), parameter("rates=constant")
    (('b', 0.3), ('rates', 'constant'))
    """
    name, equals, value = text.partition("=")
    if not (name and equals and value):
        raise InvalidParameter(f"a parameter is written NAME=VALUE, got {text!r}")
    try:
        return name.strip(), json.loads(value)
    except ValueError:
        return name.strip(), value


def flat(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command one option for each field of those of its parameters that are dataclasses.

    >>> @flat
    ... def greet(reading: ReadingOptions, seed: int = 0) -> None: ...
    >>> list(inspect.signature(greet).parameters)[-3:]
    ['ngrams', 'bits', 'seed']
    """
    groups: dict[str, tuple[type[Any], list[str]]] = {}
    flattened: list[inspect.Parameter] = []
    for parameter in inspect.signature(command).parameters.values():
        fields, kind = [parameter], parameter.annotation
        if isinstance(kind, type) and dataclasses.is_dataclass(kind):
            fields = list(inspect.signature(kind).parameters.values())
            groups[parameter.name] = kind, [field.name for field in fields]
        flattened += [field.replace(kind=inspect.Parameter.KEYWORD_ONLY) for field in fields]

    @functools.wraps(command)
    def gathered(**given: Any) -> None:
        built = {
            name: kind(**{field: given.pop(field) for field in fields})
            for name, (kind, fields) in groups.items()
        }
        command(**given, **built)

    gathered.__signature__ = inspect.Signature(flattened)  # type: ignore[attr-defined]
    gathered.__annotations__ = {field.name: field.annotation for field in flattened}
    return gathered


def progress_bar(*, quiet: bool = False) -> Progress:
    """A bar on standard error that is gone when it is done; none where nobody looks."""
    console = Console(stderr=True)
    columns = (*Progress.get_default_columns(), TimeElapsedColumn())
    return Progress(
        *columns, console=console, transient=True, disable=quiet or not console.is_terminal
    )


def say(sentence: str = "") -> None:
    """Print a sentence as it is: nothing in it is markup or obeyed, only the terminal breaks it."""
    Console(soft_wrap=True).print(visible(sentence), markup=False, highlight=False)


def say_json(value: Any) -> None:
    """Print one JSON value on standard output, in characters that every terminal has."""
    json.dump(value, sys.stdout, indent=1)
    sys.stdout.write("\n")


def refuse_existing(paths: list[Path], *, force: bool) -> None:
    """Say that something is already there, before any work is done."""
    there = [path for path in paths if path.exists()]
    if there and not force:
        raise InvalidParameter(
            f"{there[0]} is already there: choose another place, or --force to write over it"
        )
