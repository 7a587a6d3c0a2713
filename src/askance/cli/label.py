"""``askance label``: label a file by hand, one key per record."""

import signal
import sys
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from askance.cli.options import (
    AimedOptions,
    AsJson,
    FileArgument,
    Raw,
    ReadingOptions,
    Seed,
    flat,
    say,
    say_json,
)

if TYPE_CHECKING:
    from askance.labelling.session import Session
    from askance.labelling.settings import Settings

__all__ = ["label"]

_MEANINGS = {
    "labels": "labels with their records",
    "sample": "the same, for programs",
    "model": "model for askance predict",
}


@dataclass
class LabellingOptions:
    """What is labelled, and where that is kept."""

    budget: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Label budget, which auto spreads over the file; without one, until you quit.",
        ),
    ] = None
    session: Annotated[
        Path | None,
        typer.Option(
            file_okay=False, help="Folder of answers and outputs; FILE.askance if not given."
        ),
    ] = None
    label: Annotated[
        str | None,
        typer.Option(metavar="COL", help="Label column of the file, to be left out."),
    ] = None
    positive: Annotated[
        str, typer.Option(metavar="NAME", help="Name of the class behind the key y.")
    ] = "yes"
    negative: Annotated[
        str, typer.Option(metavar="NAME", help="Name of the class behind the key n.")
    ] = "no"
    classes: Annotated[
        str | None,
        typer.Option(
            metavar="A=a,B=b,...",
            help="Names of the classes, if they are not two, each with its key; without keys they "
            "are numbered.",
        ),
    ] = None
    costs: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Table of what each prediction, by columns, costs for each label, by rows.",
        ),
    ] = None
    raw: Raw = False
    seed: Seed = 0

    def folder(self, file: str) -> Path:
        """Where the answers are kept."""
        if self.session is not None:
            return self.session
        if file == "-":
            raise typer.BadParameter("standard input needs a folder for the answers: --session")
        return Path(f"{file}.askance")

    def settings(
        self,
        reading: ReadingOptions,
        algorithm: str,
        parameters: dict[str, Any],
        judging: dict[str, Any],
    ) -> "Settings":
        """What a new labelling begins with."""
        from askance.labelling.settings import LAG, Settings
        from askance.presets import suggested

        parameters = {"lag": LAG, **parameters} if algorithm == "auto" else dict(parameters)
        reading.refuse_as_label(self.label)
        classes: tuple[str, ...] = (self.negative, self.positive)
        keys: tuple[str, ...] = ()
        if self.classes is not None:
            from askance.terminal.choices import parse_classes

            classes, keys = parse_classes(self.classes)
        if self.costs is not None:
            from askance.evaluation.costs import read_costs
            from askance.rehearsal.held import costs_of

            parameters["cost_matrix"] = costs_of(read_costs(self.costs), classes).tolist()
        return Settings(
            algorithm=algorithm,
            parameters=suggested(algorithm, parameters),
            seed=self.seed,
            classes=classes,
            keys=keys,
            reading=replace(reading.reading(), label=self.label).unlabelled(),
            judging={
                name: asdict(given) if name == "until" else given for name, given in judging.items()
            },
        )


@flat
def label(
    ctx: typer.Context,
    file: FileArgument,
    labelling: LabellingOptions,
    reading: ReadingOptions,
    learner: AimedOptions,
    as_json: AsJson = False,
) -> None:
    """Label a file by hand: one key for each record that is worth asking about.

    y yes, n no, s skip, u undo, q quit; with --classes a key for each class, the most possible
    first, and / to search for one by its name or to add one. Every answer is saved at once. The
    same command picks up where you left off. Without a terminal, answers are read from standard
    input, one per line. The file is counted first, so that the budget lasts until its end.
    Writes labels.csv, sample.parquet and model.askance to the session folder.

    Example: `askance label tickets.csv --budget 200 --positive urgent --negative other`
    """
    # Here, so that help and the other commands do not wait for it.
    from askance.labelling.opening import opened
    from askance.labelling.outputs import write_outputs
    from askance.terminal.conversation import converse, keyboard

    folder, parameters = labelling.folder(file), learner.parameters()
    wanted = labelling.settings(reading, learner.algorithm, parameters, learner.chosen())
    if (warning := learner.forewarning()) and not as_json:
        say(warning)
    chosen = {name for name in ctx.params if _is_given(ctx, name)} | parameters.keys()
    is_stream = file == "-"
    source, name = (sys.stdin.buffer, "standard input") if is_stream else (Path(file), file)
    # A report in JSON has standard output for itself.
    console = Console(stderr=as_json)
    with opened(source, folder, wanted, chosen) as session:
        if labelling.budget is not None:
            session.set_budget(labelling.budget)
        try:
            with keyboard(input_is_data=is_stream) as stream:
                ended_by = converse(session, Path(name).name, console, stream)
        finally:
            # Also if the file turns out to be broken further on.
            paths = write_outputs(session, raw=labelling.raw)
    _report(session, paths, as_json=as_json)
    if ended_by not in (None, signal.SIGINT):
        raise typer.Exit(128 + ended_by)


def _is_given(ctx: typer.Context, name: str) -> bool:
    source = ctx.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def _report(session: "Session", paths: dict[str, Path], *, as_json: bool) -> None:
    from askance.estimate import sentence
    from askance.terminal.pages import counted

    standing = session.standing()
    if as_json:
        counts = {name: getattr(standing, name) for name in ("spent", "left", "skipped", "seen")}
        files = {name: str(path) for name, path in paths.items()}
        error = None if standing.error is None else standing.error._asdict()
        known = {"mean_error": standing.mean_error, "error": error, "reason": standing.reason}
        say_json({**counts, **known, "ended": session.ended, **files})
        return
    skipped = f", {standing.skipped:,} skipped" if standing.skipped else ""
    read = counted(standing.seen, "record")
    say(f"{counted(standing.spent, 'label')} given{skipped}, {read} read.")
    if standing.error is not None:
        say(f"By these labels: {sentence(standing.error)}.")
    if standing.reason:
        say(f"They are enough: {standing.reason}.")
    for unseen in _unseen(session) if standing.spent else ():
        say(f"Note: no label is {unseen!r}, so that class was not learned.")
    for name, path in paths.items():
        say(f"{_MEANINGS[name]:28} {path}")
    if session.ended is None:
        say("The same command picks up where you left off.")


def _unseen(session: "Session") -> list[str]:
    """Which of three classes or more has no label."""
    from askance.labelling.journal import class_of

    classes = session.learner.classes
    seen = {class_of(given.answer) for given in session.journal.answers}
    return [name for name in classes if name not in seen] if len(classes) > 2 else []
