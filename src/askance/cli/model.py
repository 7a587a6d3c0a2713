"""``askance predict``, ``inspect`` and ``export``: what a saved model is good for."""

import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from askance.cli.choices import FORMATS
from askance.cli.options import (
    AsJson,
    FilesArgument,
    Force,
    Raw,
    WorkOptions,
    choice,
    flat,
    mixture_text,
    open_console,
    progress_bar,
    refuse_existing,
    say,
    say_json,
)
from askance.terminal.visible import visible

if TYPE_CHECKING:
    from askance.storage.tables import Chunk
    from askance.types import State

__all__ = ["export", "inspect", "predict"]

Model = Annotated[
    Path, typer.Argument(metavar="MODEL", help="A model saved by `askance run` or `askance label`.")
]


@dataclass
class PredictOptions(WorkOptions):
    """How files are read and predicted."""

    format: Annotated[str | None, choice(FORMATS, "File format, if the name does not tell.")] = None
    id: Annotated[
        str | None,
        typer.Option(metavar="COL", help="Id column, if it is not the one that the model knows."),
    ] = None


@flat
def predict(
    model: Model,
    files: FilesArgument,
    *,
    output: Annotated[
        Path,
        typer.Option("--output", "-o", help="A .csv, .tsv or .parquet file; - is standard output."),
    ] = Path("-"),
    read: PredictOptions,
    raw: Raw = False,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Predict the class of every record of some files, and the probability of the positive class.

    Of three classes or more, each has its probability.

    Memory stays constant, however long the files are. They need the columns that the model was
    trained on; a column of labels is ignored. With `--json`, the predictions are printed as one
    JSON list, or a summary if they go to a file.

    Example: `askance predict spam.askance new-mail.csv --output predictions.parquet`
    """
    from askance.live import ActiveLearner
    from askance.scale import predict_pool
    from askance.storage.tables import check_table_path, write_table

    check_table_path(output)
    _refuse(output, force=force)
    live = ActiveLearner.load(model)
    chunks = predict_pool(live, files, read.workers(), format=read.format, id=read.id)
    if str(output) != "-":
        with write_table(output, raw=raw) as write:
            summary = _written(chunks, write, live.classes, quiet=as_json)
        summary = {"output": str(output), **summary}
        if as_json:
            say_json(summary)
        else:
            counts = summary["classes"] if len(live.classes) > 2 else {}
            found = [f"{count:,} {name}" for name, count in counts.items() if count]
            found = found or [f"{summary['positive']:,} of them {live.classes[1]}"]
            say(f"wrote {output}: {summary['predicted']:,} predictions, {', '.join(found)}")
    elif as_json:
        _print_list(chunks)
    else:
        with write_table("-", raw=raw) as write:
            for chunk in chunks:
                write(chunk)


def _written(
    chunks: "Iterable[Chunk]",
    write: "Callable[[Chunk], None]",
    classes: Sequence[str],
    *,
    quiet: bool,
) -> "State":
    """Write predictions, counting them."""
    total, counts = 0, dict.fromkeys(classes, 0)
    with progress_bar(quiet=quiet) as bar:
        task = bar.add_task("Predicting", total=None)
        for chunk in chunks:
            write(chunk)
            total += len(chunk["id"])
            for name in classes:
                counts[name] += int((chunk["prediction"] == name).sum())
            bar.update(task, completed=total)
    if len(classes) == 2:
        return {"predicted": total, "positive": counts[classes[1]]}
    return {"predicted": total, "classes": counts}


def _print_list(chunks: "Iterable[Chunk]") -> None:
    """Print a JSON list as it grows."""
    import json

    start = "[\n"
    for chunk in chunks:
        for values in zip(*(column.tolist() for column in chunk.values()), strict=True):
            sys.stdout.write(start + json.dumps(dict(zip(chunk, values, strict=True))))
            start = ",\n"
    sys.stdout.write("\n]\n")


def inspect(
    model: Model,
    top: Annotated[
        int, typer.Option(min=0, help="Number of largest weights or importances to show.")
    ] = 20,
    as_json: AsJson = False,
) -> None:
    """Show what a model has seen, asked and learned, and what it looks at.

    Where labels were held out, a table says how often each class is taken for which, with
    intervals. Weights are per unit of their feature, counted from its centre if it has one. They
    are sorted by how far each can move the score: the weight times the largest value seen, from the
    centre. A positive weight speaks for the positive class, or where each class has weights for
    that one. A mixture has no weights but importances: how far the probability moves, on average
    over rows that the model keeps, where a feature's values are shuffled among them.

    Example: `askance inspect spam.askance --top 10`
    """
    from askance.exports.predictions import described
    from askance.live import ActiveLearner

    found = described(ActiveLearner.load(model), top)
    if as_json:
        say_json({"model": str(model), **found})
        return
    console = open_console()
    console.print(_overview(found))
    if found["stats"]["warning"]:
        say(found["stats"]["warning"])
    if found["confusion"]:
        console.print(_confusion(found))
    if found["weights"]:
        console.print(_weights(found))
    if found["importances"]:
        console.print(_importances(found))


def _overview(found: "State") -> Table:
    table = Table(show_header=False, box=None, pad_edge=False)
    table.add_column(style="bold")
    table.add_column(overflow="fold")
    for name, value in _lines(found):
        table.add_row(name, _plain(value))
    return table


def _plain(text: str) -> Text:
    """Text of a stranger's file: neither markup nor control characters are obeyed."""
    return Text(visible(text))


def _lines(found: "State") -> list[tuple[str, str]]:
    from askance.estimate import sentence
    from askance.types import Interval

    stats, classes = found["stats"], found["classes"]
    learner = dict(found["learner"])
    settings = [f"{name}={value}" for name, value in learner.items() if name != "algorithm"]
    counts = {name: value for name, value in stats.items() if isinstance(value, int)}
    told = {name: f"{value:,}" for name, value in counts.items()}
    total = found["budget"]["total"]
    left = "" if total is None else f", of a budget of {total:,}"
    columns = [f"{name} ({kind})" for name, kind in found["columns"].items()]
    return [
        ("algorithm", f"{learner['algorithm']} ({', '.join(settings)})"),
        ("classes", _class_names(classes)),
        *([("columns", ", ".join(columns))] if columns else []),
        ("examples", f"{told['seen']} seen, {told['learned']} learned, {told['refused']} refused"),
        (
            "labels",
            f"{told['asked']} asked{left}: {told['answered']} answered, {told['pending']} pending, "
            f"{told['withdrawn']} withdrawn",
        ),
        ("asked for", f"{stats['query_rate']:.1%} of the examples"),
        ("own guesses", f"{stats['predicted_share']:.1%} of what was learned"),
        ("mean error", f"{stats['mean_error']:.2%}, as estimated while learning"),
        *(
            ("judged", sentence(Interval(**stats[name])))
            for name in ("error", "current", "crossfit")
            if stats[name]
        ),
        *(
            [("classifier", mixture_text(found["members"]))]
            if found["members"]
            else [("weights", f"{found['weights_learned']:,} that are not zero")]
        ),
    ]


def _class_names(classes: Any) -> str:
    if isinstance(classes, dict):
        return f"{classes['positive']} (positive), {classes['negative']} (negative)"
    return ", ".join(classes)


def _confusion(found: "State") -> Table:
    from askance.cli.evaluate import confusion_view
    from askance.types import Interval

    names, known = found["classes"], found["confusion"]
    if isinstance(names, dict):
        names = [names["negative"], names["positive"]]
    cells = [[Interval(**cell) for cell in row] for row in known["cells"]]
    return confusion_view(names, known["n"], cells)


def _weights(found: "State") -> Table:
    several = "class" in found["weights"][0]
    one = "their class" if several else found["classes"]["positive"]
    title = f"Largest weights; those above zero speak for {one}"
    # Else a title is broken to the width of a narrow table.
    table = Table(title=_plain(title), min_width=cell_len(title))
    if several:
        table.add_column("class", overflow="fold")
    table.add_column("feature", overflow="fold")
    is_centred = any(weight["centre"] for weight in found["weights"])
    for name in ("weight", *(["centre"] if is_centred else []), "largest value"):
        table.add_column(name, justify="right")
    for weight in found["weights"]:
        others = "".join(f" or {name}" for name in weight["shared_with"])
        largest = "" if weight["largest"] is None else f"{weight['largest']:g}"
        centre = [f"{weight['centre']:.4g}" if weight["centre"] else ""] if is_centred else []
        coefficient = f"{weight['coefficient']:+.4g}"
        named = [_plain(weight["class"])] if several else []
        table.add_row(*named, _plain(weight["feature"] + others), coefficient, *centre, largest)
    return table


def _importances(found: "State") -> Table:
    classes = found["classes"]
    of = f"probability of {classes['positive']} moves" if isinstance(classes, dict) else ""
    title = f"How far the {of or 'probabilities of the classes move'} if shuffled"
    table = Table(title=_plain(title), min_width=cell_len(title))
    table.add_column("feature", overflow="fold")
    table.add_column("importance", justify="right")
    for one in found["importances"]:
        others = "".join(f" or {name}" for name in one["shared_with"])
        table.add_row(_plain(one["feature"] + others), f"{one['change']:.4f}")
    return table


def export(
    model: Model,
    *,
    coefficients: Annotated[
        Path | None, typer.Option(help="Write the weights by feature name to this .json file.")
    ] = None,
    onnx: Annotated[
        Path | None,
        typer.Option(help="Write the classifier to this ONNX file; needs askance[onnx]."),
    ] = None,
    member: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Member of a mixture to write to the ONNX file, such as forest."
        ),
    ] = None,
    sample: Annotated[
        Path | None,
        typer.Option(help="Write labels and weights to this .csv, .tsv or .parquet file."),
    ] = None,
    raw: Raw = False,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Write a model for other programs: weights by name, ONNX, or the weighted sample.

    A mixture is written as ONNX one member at a time, each of which is a classifier by itself.

    Example: `askance export spam.askance --coefficients weights.json --sample sample.csv`
    """
    from askance.exports import write_coefficients, write_model_sample, write_onnx
    from askance.live import ActiveLearner
    from askance.storage.tables import check_table_path

    wanted: dict[str, tuple[Path | None, Any]] = {
        "coefficients": (coefficients, write_coefficients),
        "onnx": (onnx, partial(write_onnx, member=member)),
        "sample": (sample, partial(write_model_sample, raw=raw)),
    }
    chosen = {name: (path, write) for name, (path, write) in wanted.items() if path is not None}
    if not chosen:
        raise typer.BadParameter("choose what to write: --coefficients, --onnx or --sample.")
    if member is not None and onnx is None:
        raise typer.BadParameter("--member goes with --onnx.")
    if sample is not None:
        check_table_path(sample)
    _refuse(*(path for path, _ in chosen.values()), force=force)
    live = ActiveLearner.load(model)
    for path, write in chosen.values():
        write(path, live)
        if not as_json:
            say(f"wrote {path}")
    if as_json:
        say_json({name: str(path) for name, (path, _) in chosen.items()})


def _refuse(*paths: Path, force: bool) -> None:
    """Keep existing files; a pipe or a device is there to be written to."""
    refuse_existing([path for path in paths if path.is_file()], force=force)
