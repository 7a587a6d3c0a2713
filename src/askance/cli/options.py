"""Options that several commands share, and how many of them become one parameter.

A command whose parameter is a dataclass is decorated with :func:`flat`: each field of the dataclass
is then an option of its own.
"""

import dataclasses
import functools
import inspect
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from askance.cli.choices import ALGORITHMS, FORMATS, MOST_NGRAMS
from askance.errors import InvalidParameter
from askance.terminal.visible import visible

if TYPE_CHECKING:
    from rich.progress import Progress

    from askance.data.reading.intake import Reading
    from askance.evaluation.costs import Costs
    from askance.scale import Workers

__all__ = [
    "Algorithm",
    "AsJson",
    "DataDir",
    "FileArgument",
    "FilesArgument",
    "Force",
    "LabelledOptions",
    "LearnerOptions",
    "OptionalFiles",
    "OutputOptions",
    "Raw",
    "ReadingOptions",
    "Seed",
    "TableOptions",
    "WorkOptions",
    "choice",
    "flat",
    "mixture_text",
    "open_console",
    "parameter",
    "progress_bar",
    "refuse_existing",
    "say",
    "say_json",
]

NARROWEST, USUAL_WIDTH = 20, 80
"""Columns of a window below which no table fits, and those that it is then drawn for."""

_TAKEN = {
    "n_features": "the number of features comes from the file and --bits",
    "algorithm": "the option --algorithm names it",
    "learner": "the option --algorithm names it",
    "random_state": "the option --seed sets it",
    "budget": "the option --budget sets it",
    "horizon": "the number of examples comes from the file",
    "features": "the features come from the file",
    "estimator": "commands choose the classifier by the algorithm",
    "classes": "the classes come from the labels",
    "reading": "the options say how the file is read",
    "hold_out": "the option --hold-out sets it",
    "audit": "the option --audit sets it",
    "until": "the options --until-error, --until-width and --until-flat set it",
}
"""What :class:`askance.ActiveLearner` takes beside the algorithm's own parameters."""

_READING = {"rich_help_panel": "How the file is read"}
_LEARNING = {"rich_help_panel": "How it is learned from"}


def share(text: str) -> float:
    """A share as people write it.

    >>> share("8%"), share("0.08")
    (0.08, 0.08)
    """
    number = text.strip()
    try:
        return float(number[:-1]) / 100 if number.endswith("%") else float(number)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is no share, such as 0.08 or 8%.") from None


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
FilesArgument = Annotated[
    list[str],
    typer.Argument(
        metavar="FILES",
        help="Files, patterns such as 'big/*.parquet', or addresses such as s3://bucket/*.parquet, "
        "read in the order of their names; - is standard input.",
    ),
]
OptionalFiles = Annotated[
    list[str] | None,
    typer.Argument(metavar="FILES", help="The pool: files, patterns in quotes, or addresses."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print machine-readable JSON.")]
Seed = Annotated[int, typer.Option(min=0, help="Random seed for coins and permutations.")]
Raw = Annotated[
    bool,
    typer.Option("--raw", help="Leave CSV cells that look like formulas as they are."),
]
Force = Annotated[bool, typer.Option("--force", help="Overwrite existing files.")]
DataDir = Annotated[
    Path | None,
    typer.Option(
        envvar="ASKANCE_DATA", exists=True, file_okay=False, help="Folder of the raw data files."
    ),
]


@dataclass
class WorkOptions:
    """Who does the work; it changes the time and no bit."""

    jobs: Annotated[int, typer.Option(min=1, help="Processes that do the work.")] = 1
    cluster: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS", help="Dask scheduler whose workers do it; needs askance[dask]."
        ),
    ] = None

    def workers(self) -> "Workers":
        """As the library takes it."""
        from askance.scale import Workers

        if self.cluster is not None and self.jobs > 1:
            raise typer.BadParameter("--jobs and --cluster exclude each other.")
        return Workers(self.jobs, self.cluster)


@dataclass
class ReadingOptions:
    """How a file is read, labels aside."""

    format: Annotated[
        str | None,
        choice(FORMATS, "File format, if the name does not tell", **_READING),
    ] = None
    id: Annotated[
        str | None,
        typer.Option(
            metavar="COL", help="Id column; rows are numbered if there is none.", **_READING
        ),
    ] = None
    strings: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COL",
            help="Column of categories that look like numbers; repeatable.",
            **_READING,
        ),
    ] = None
    text: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COL",
            help="Column of text to split into words; repeatable, detected if not given.",
            **_READING,
        ),
    ] = None
    ignore: Annotated[
        list[str] | None,
        typer.Option(metavar="COL", help="Column to leave out; repeatable.", **_READING),
    ] = None
    ngrams: Annotated[
        int,
        typer.Option(
            min=1, max=MOST_NGRAMS, help="Longest run of words to learn from.", **_READING
        ),
    ] = 1
    bits: Annotated[
        int, typer.Option(min=1, max=30, help="Hash features to 2^BITS columns.", **_READING)
    ] = 18
    scale: Annotated[
        bool,
        typer.Option(
            "--scale/--no-scale",
            help="Centre and scale numbers, and weigh words, by the first 1,000 rows.",
            **_READING,
        ),
    ] = True

    def reading(self) -> "Reading":
        """As the library takes it."""
        from askance.data.reading.intake import Reading

        given = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        given.pop("costs", None)
        for name in ("strings", "ignore"):
            given[name] = tuple(given[name] or ())
        given["text"] = tuple(self.text) if self.text else None
        return Reading(**given)

    def refuse_as_label(self, label: str | None) -> None:
        """Refuse a label column that is the id column too: its ids would be thrown away."""
        if label is not None and label == self.id:
            raise InvalidParameter(
                f"--label and --id must name different columns, got {label!r} for both"
            )


@dataclass
class LabelledOptions(ReadingOptions):
    """How a labelled file is read."""

    label: Annotated[
        str, typer.Option(metavar="COL", help="Label column, where the format has columns.")
    ] = "label"
    positive: Annotated[
        str | None,
        typer.Option(
            metavar="VALUE",
            help="Label of the positive class; needed where there are two, unless they are 0/1, "
            "-1/+1, yes/no or true/false.",
        ),
    ] = None
    classes: Annotated[
        str | None,
        typer.Option(
            metavar="A,B,...",
            help="All labels, in this order; told from the file if not given.",
        ),
    ] = None
    costs: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Table of what each prediction, by columns, costs for each label, by rows. Then "
            "costs are shown in place of errors.",
        ),
    ] = None

    def reading(self) -> "Reading":
        """As the library takes it."""
        self.refuse_as_label(self.label)
        names = None if self.classes is None else [one.strip() for one in self.classes.split(",")]
        given = dataclasses.replace(self, classes=None, costs=None)
        return dataclasses.replace(
            ReadingOptions.reading(given), classes=None if names is None else tuple(names)
        )

    def read_costs(self) -> "Costs | None":
        """The table of costs, if there is one."""
        from askance.evaluation.costs import read_costs

        return None if self.costs is None else read_costs(self.costs)


Algorithm = Annotated[str, choice(ALGORITHMS, "Algorithm that chooses what to ask", **_LEARNING)]


@dataclass
class LearnerOptions:
    """An algorithm with its parameters."""

    algorithm: Algorithm = "auto"
    c0: Annotated[
        float | None,
        typer.Option(
            help="Scale of the threshold of cover and IWAL: a larger value asks for more labels.",
            **_LEARNING,
        ),
    ] = None
    cover_size: Annotated[
        int | None,
        typer.Option(min=0, help="Classifiers in the cover of online_active_cover.", **_LEARNING),
    ] = None
    learning_rate: Annotated[
        float | None, typer.Option(help="Learning rate of the linear classifier.", **_LEARNING)
    ] = None
    param: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUE", help="Another algorithm parameter; repeatable.", **_LEARNING
        ),
    ] = None

    def parameters(self) -> dict[str, Any]:
        """What :func:`askance.make_learner` takes beside the name.

        >>> LearnerOptions(c0=0.5, param=["alpha=2", "disagreement=margin"]).parameters()
        {'alpha': 2, 'disagreement': 'margin', 'c0': 0.5}
        """
        named = {name: getattr(self, name) for name in ("c0", "cover_size", "learning_rate")}
        given = {name: value for name, value in named.items() if value is not None}
        return dict(map(parameter, self.param or ())) | given


@dataclass
class JudgingOptions:
    """Labels that only judge, and when they are enough."""

    hold_out: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            max=0.99,
            metavar="SHARE",
            help="Share of the labels that only judges the classifier: the learner never sees "
            "them. By default 0.3 with --until-error, else 0.",
            show_default=False,
            rich_help_panel="Judging and stopping",
        ),
    ] = None
    audit: Annotated[
        float,
        typer.Option(
            min=0.0,
            max=0.99,
            metavar="P",
            help="Probability with which labels are asked for where coal, the cover and the "
            "Oracular variants never ask, to judge only.",
            rich_help_panel="Judging and stopping",
        ),
    ] = 0.0
    until_error: Annotated[
        float | None,
        typer.Option(
            parser=share,
            metavar="SHARE",
            help="Stop when the error of the classifier is at most this, by its guaranteed upper "
            "bound (95%, whenever it is reached).",
            show_default=False,
            rich_help_panel="Judging and stopping",
        ),
    ] = None
    until_width: Annotated[
        float | None,
        typer.Option(
            parser=share,
            metavar="SHARE",
            help="Stop when the interval of the error is as narrow as this.",
            show_default=False,
            rich_help_panel="Judging and stopping",
        ),
    ] = None
    until_flat: Annotated[
        bool,
        typer.Option(
            "--until-flat",
            help="Stop when under 1% of 1,000 predictions change in three refits running; this is "
            "a heuristic and promises nothing.",
            rich_help_panel="Judging and stopping",
        ),
    ] = False

    def chosen(self) -> dict[str, Any]:
        """What :class:`askance.ActiveLearner` takes.

        >>> JudgingOptions(until_error=0.1).chosen()
        {'hold_out': 0.3, 'until': Until(error=0.1, width=None, flat=False)}
        """
        from askance.live.judging import USUAL
        from askance.live.stopping import Until

        held = self.hold_out
        if held is None:
            held = 0.0 if self.until_error is None else USUAL
        until = Until(error=self.until_error, width=self.until_width, flat=self.until_flat)
        given = {"hold_out": held, "audit": self.audit}
        found: dict[str, Any] = {name: share for name, share in given.items() if share}
        return found if until == Until() else {**found, "until": until}

    def forewarning(self) -> str | None:
        """How many labels an error takes at least."""
        from askance.live.stopping import labels_at_least

        chosen = self.chosen()
        if self.until_error is None or "hold_out" not in chosen:
            return None
        held, labels = labels_at_least(self.until_error, chosen["hold_out"])
        return (
            f"An error of at most {self.until_error:.1%} takes at least {held:,} labels that are "
            f"held out, without a mistake among them: {labels:,} in all, and several times as many "
            "where it makes some."
        )


@dataclass
class AimedOptions(LearnerOptions, JudgingOptions):
    """An algorithm, its judge, and its aim."""


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
            help="Output folder; named after the file if not given.",
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
    import json

    name, equals, value = text.partition("=")
    name = name.strip()
    if not (name and equals and value):
        raise InvalidParameter(f"a parameter must have the form NAME=VALUE, got {text!r}")
    if name in _TAKEN:
        raise InvalidParameter(f"{name} cannot be set as a parameter: {_TAKEN[name]}")
    try:
        return name, json.loads(value)
    # Deeply nested brackets are no number either.
    except (ValueError, RecursionError):
        return name, value


def flat(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command one option for each field of those of its parameters that are dataclasses.

    >>> @flat
    ... def greet(reading: ReadingOptions, seed: int = 0) -> None: ...
    >>> list(inspect.signature(greet).parameters)[-3:]
    ['bits', 'scale', 'seed']
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


def open_console(*, stderr: bool = False) -> Console:
    """Where tables go; in a window too narrow for them, lines are left to the terminal to break.

    >>> open_console().width >= NARROWEST
    True
    """
    console = Console(stderr=stderr)
    if console.width < NARROWEST:
        console.width = USUAL_WIDTH
    return console


def progress_bar(*, quiet: bool = False) -> "Progress":
    """A bar on standard error that is gone when it is done; none where nobody looks."""
    from rich.progress import Progress, TimeElapsedColumn

    console = open_console(stderr=True)
    columns = (*Progress.get_default_columns(), TimeElapsedColumn())
    return Progress(
        *columns, console=console, transient=True, disable=quiet or not console.is_terminal
    )


def mixture_text(members: dict[str, float]) -> str:
    """What a mixture is made of, in words.

    >>> mixture_text({"forest": 0.7, "logistic regression": 0.3})
    '70% forest, 30% logistic regression'
    """
    ranked = sorted(members.items(), key=lambda pair: -pair[1])
    return ", ".join(f"{share:.0%} {name}" for name, share in ranked)


def say(sentence: str = "") -> None:
    """Print a sentence as it is: nothing in it is markup or obeyed, only the terminal breaks it."""
    Console(soft_wrap=True).print(visible(sentence), markup=False, highlight=False)


def say_json(value: Any) -> None:
    """Print one JSON value on standard output, in characters that every terminal has."""
    import json

    json.dump(value, sys.stdout, indent=1)
    sys.stdout.write("\n")


def refuse_existing(paths: list[Path], *, force: bool) -> None:
    """Refuse to overwrite a file, before any work is done."""
    there = [path for path in paths if path.exists()]
    if there and not force:
        raise InvalidParameter(
            f"{there[0]} already exists: choose another place, or overwrite it with --force"
        )
