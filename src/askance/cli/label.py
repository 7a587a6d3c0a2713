"""``askance label``: label a file by hand, one key a record."""

import contextlib
import logging
import re
import shutil
import signal
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, Any, TextIO

import typer
from rich.console import Console

from askance.cli.options import (
    AsJson,
    FileArgument,
    LearnerOptions,
    Raw,
    ReadingOptions,
    Seed,
    flat,
    say,
    say_json,
)
from askance.data.reading.intake import Intake
from askance.errors import FileUnreadable, InvalidParameter
from askance.labelling.outputs import write_outputs
from askance.labelling.session import Session
from askance.labelling.settings import Settings
from askance.presets import suggested
from askance.storage.files import write_atomically
from askance.storage.locks import held
from askance.terminal.dialogue import Dialogue
from askance.terminal.interrupts import Interrupts
from askance.terminal.keys import line_keys, terminal_keys
from askance.terminal.pages import Layout, counted
from askance.terminal.screen import PlainScreen, TerminalScreen
from askance.terminal.visible import visible

__all__ = ["label"]

_LEFTOVER = re.compile(r"\..+\.[0-9a-f]{32}")
"""What a process that was killed while it wrote a file may leave."""

_COPY = "input"
"""What came from standard input, in the folder of its labelling."""

_SILENCE = logging.NullHandler()
_TERMINAL = "CONIN$" if sys.platform == "win32" else "/dev/tty"


@dataclass
class LabellingOptions:
    """What is labelled, and where that is kept."""

    budget: Annotated[
        int | None, typer.Option(min=1, help="Labels to give in all; without one, until you quit.")
    ] = None
    session: Annotated[
        Path | None,
        typer.Option(
            file_okay=False, help="Folder of answers and outputs; FILE.askance if not given."
        ),
    ] = None
    label: Annotated[
        str | None,
        typer.Option(metavar="COL", help="A column of labels that the file has; it is left out."),
    ] = None
    positive: Annotated[str, typer.Option(metavar="NAME", help="What the key y stands for.")] = (
        "yes"
    )
    negative: Annotated[str, typer.Option(metavar="NAME", help="What the key n stands for.")] = "no"
    raw: Raw = False
    seed: Seed = 0

    def folder(self, file: str) -> Path:
        """Where the answers are kept."""
        if self.session is not None:
            return self.session
        if file == "-":
            raise typer.BadParameter("standard input has no name to keep answers under: --session")
        return Path(f"{file}.askance")

    def settings(self, reading: ReadingOptions, learner: LearnerOptions) -> Settings:
        """What a new labelling begins with."""
        return Settings(
            algorithm=learner.algorithm,
            parameters=suggested(learner.algorithm, learner.parameters()),
            seed=self.seed,
            classes=(self.negative, self.positive),
            reading=replace(reading.reading(), label=self.label).unlabelled(),
        )


@flat
def label(
    ctx: typer.Context,
    file: FileArgument,
    labelling: LabellingOptions,
    reading: ReadingOptions,
    learner: LearnerOptions,
    as_json: AsJson = False,
) -> None:
    """Label a file by hand: one key for each record that is worth asking about.

    y yes, n no, s skip, u undo, q quit. Every answer is saved at once; the same command goes on
    where you left. Without a terminal, answers are read from standard input, one on each line.
    Leaves labels.csv, sample.parquet and model.askance in the folder of the session.

    Example: `askance label tickets.csv --budget 200 --positive urgent --negative other`
    """
    folder = labelling.folder(file)
    wanted = labelling.settings(reading, learner)
    given = {name for name in ctx.params if _is_given(ctx, name)} | learner.parameters().keys()
    if file != "-" and not Session.exists(folder):
        wanted = wanted.settled(file)
    folder.mkdir(parents=True, exist_ok=True)
    with held(folder / ".lock", f"{folder} is in use: another process labels there"):
        session = _opened(file, folder, wanted, given)
        if labelling.budget is not None:
            session.set_budget(labelling.budget)
        try:
            name = "standard input" if file == "-" else Path(file).name
            interrupts = _converse(session, name, as_json=as_json)
        finally:
            # Also if the file turns out to be broken further on.
            paths = write_outputs(session, raw=labelling.raw)
    _report(session, paths, as_json=as_json)
    if interrupts.received not in (None, signal.SIGINT):
        raise typer.Exit(128 + interrupts.received)


def _is_given(ctx: typer.Context, name: str) -> bool:
    source = ctx.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def _opened(file: str, folder: Path, wanted: Settings, given: set[str]) -> Session:
    """The labelling of a folder, begun if it was not."""
    for path in folder.iterdir():
        if _LEFTOVER.fullmatch(path.name):
            path.unlink()
    source = Path(file) if file != "-" else folder / _COPY
    if not Session.exists(folder):
        if file == "-":
            _copy(sys.stdin.buffer, source)
            wanted = wanted.settled(source)
        Session.begin(folder, wanted)
    session = Session(folder, source)
    _refuse_others(session, wanted, given)
    return session


def _copy(stream: Any, path: Path) -> None:
    """Keep what comes from standard input: it is read again when answers are undone or gone on."""
    with write_atomically(path) as file:
        shutil.copyfileobj(stream, file)


def _refuse_others(session: Session, wanted: Settings, given: set[str]) -> None:
    """Refuse options that are not those of the labelling that is there."""
    ours, theirs = _named(session.settings), _named(wanted)
    # A column of labels is one of those left out.
    names = {"ignore" if name == "label" else name for name in given}
    for name in sorted(names & (ours.keys() | theirs.keys())):
        if ours.get(name) != theirs.get(name):
            raise InvalidParameter(
                f"{session.folder} was begun with {name} {ours.get(name)!r}, got "
                f"{theirs.get(name)!r}: leave the option out to go on, or choose another --session"
            )


def _named(settings: Settings) -> dict[str, Any]:
    reading = {
        name: sorted(value) if isinstance(value, tuple) else value
        for name, value in asdict(settings.reading).items()
    }
    negative, positive = settings.classes
    named = {**reading, "algorithm": settings.algorithm, "seed": settings.seed}
    return {**named, **settings.parameters, "positive": positive, "negative": negative}


def _converse(session: Session, name: str, *, as_json: bool) -> Interrupts:
    # A report in JSON has standard output for itself.
    console = Console(stderr=as_json)
    layout = Layout(name, session.settings.classes, console.encoding)
    note = _beware_of_ids(session)
    with Interrupts() as interrupts, _keyboard(session) as stream:
        if console.is_terminal and not console.is_dumb_terminal and stream.isatty():
            # The page shows the learner's warning; the log would write across it.
            logging.getLogger("askance").addHandler(_SILENCE)
            terminal = TerminalScreen(console, layout)
            with terminal_keys(stream.fileno()) as read, terminal.opened() as screen:
                Dialogue(session, read, screen, interrupts, message=note).run()
        else:
            plain = PlainScreen(console, layout)
            keys = line_keys(stream)
            Dialogue(session, keys, plain, interrupts, patient=False, message=note).run()
    return interrupts


def _beware_of_ids(session: Session) -> str:
    """Say that ids are learned from while no answer is lost by beginning again."""
    if session.journal.answers:
        return ""
    names = Intake(session.source, session.settings.reading).likely_ids()
    if not names:
        return ""
    return (
        f"{names[0]} looks like an id, and is learned from: to leave it out, quit and begin again "
        "with --id or --ignore in another --session."
    )


@contextlib.contextmanager
def _keyboard(session: Session) -> Iterator[TextIO]:
    """Standard input, or the terminal itself where standard input is what is labelled."""
    if session.source != session.folder / _COPY:
        yield sys.stdin
        return
    with contextlib.ExitStack() as stack:
        try:
            terminal = stack.enter_context(Path(_TERMINAL).open())
        except OSError:
            raise FileUnreadable(
                "standard input is what is labelled, and there is no terminal to answer from"
            ) from None
        yield terminal


def _report(session: Session, paths: dict[str, Path], *, as_json: bool) -> None:
    standing = session.standing()
    if as_json:
        counts = {name: getattr(standing, name) for name in ("spent", "left", "skipped", "seen")}
        files = {name: str(path) for name, path in paths.items()}
        say_json({**counts, "mean_error": standing.mean_error, "ended": session.ended, **files})
        return
    skipped = f", {standing.skipped:,} skipped" if standing.skipped else ""
    read = counted(standing.seen, "record")
    say(f"{counted(standing.spent, 'label')} given{skipped}, {read} read.")
    for name, path in paths.items():
        say(f"{_MEANINGS[name]:28} {visible(str(path))}")
    if session.ended is None:
        say("The same command goes on where you left.")


_MEANINGS = {
    "labels": "labels with their records",
    "sample": "the same, for programs",
    "model": "model for askance predict",
}
