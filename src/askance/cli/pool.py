"""``askance ask`` and ``askance tell``: a pool of any size, in rounds of questions."""

import errno
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from askance.cli.choices import FORMATS
from askance.cli.options import (
    AsJson,
    Force,
    OptionalFiles,
    Raw,
    ReadingOptions,
    WorkOptions,
    choice,
    flat,
    progress_bar,
    refuse_existing,
    say,
    say_json,
)
from askance.errors import FileUnreadable, InvalidParameter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from askance.scale import PoolPlan, PoolQuestion

__all__ = ["ask", "tell"]


@dataclass
class PoolOptions:
    """What is asked for, and where the questions go."""

    model: Annotated[
        Path, typer.Option(metavar="MODEL", dir_okay=False, help="Model file, which keeps it all.")
    ]
    budget: Annotated[
        int | None, typer.Option(min=1, help="About how many labels to ask for in all rounds.")
    ] = None
    questions: Annotated[
        int | None, typer.Option(min=1, help="About how many labels to ask for in each round.")
    ] = None
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            help="A .csv, .tsv or .parquet file, or .json for Label Studio; - is standard output.",
        ),
    ] = Path("-")
    again: Annotated[
        bool, typer.Option("--again", help="Ask nothing: write the pending questions again.")
    ] = False
    classes: Annotated[
        str | None,
        typer.Option(
            metavar="A,B",
            help="Names of the classes; of two the second is the positive one. Without them, "
            "answers may have two.",
        ),
    ] = None
    label: Annotated[
        str | None,
        typer.Option(metavar="COL", help="Label column of the pool, to be left out."),
    ] = None
    seed: Annotated[
        int | None, typer.Option(min=0, help="Random seed of the draws, 0 if not given.")
    ] = None

    def plan(self, reading: ReadingOptions) -> "PoolPlan":
        """What a first round begins with; later ones know it from the model file."""
        from dataclasses import replace

        from askance.scale import PoolPlan

        if (self.budget is None) != (self.questions is None):
            raise typer.BadParameter("--budget and --questions go together.")
        reading.refuse_as_label(self.label)
        return PoolPlan(
            budget=self.budget,
            questions=self.questions,
            reading=replace(reading.reading(), label=self.label),
            classes=None if self.classes is None else self.classes.split(","),
            seed=self.seed,
        )


@flat
def ask(
    files: OptionalFiles = None,
    *,
    options: PoolOptions,
    reading: ReadingOptions,
    work: WorkOptions,
    raw: Raw = False,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Ask about the rows of a pool that are worth a label, in rounds: questions out.

    Each round decides over a fresh part of the pool, so that a row is decided once and its
    probability keeps its meaning; the first round asks about all rows alike. How many questions a
    round has is random. Give the same pool each time. `askance tell` learns the answers. Memory
    stays constant, however large the pool is.

    Example: `askance ask 'big/*.parquet' --model m.askance --budget 1000 --questions 200 -o q.csv`
    """
    # Here, so that help and the other commands do not wait for it.
    from askance.scale import ask_pool, pending_questions

    _check_output(options.output, files or [], options.model, force=force)
    if not files and not options.again:
        raise typer.BadParameter("name the files of the pool, or --again.")
    if options.again:
        questions = pending_questions(options.model)
        summary = f"{len(questions):,} questions are pending"
        facts = {"questions": len(questions), "pending": len(questions)}
    else:
        plan = options.plan(reading)
        with progress_bar(quiet=as_json) as bar:
            task = bar.add_task("Deciding", total=None)
            found = ask_pool(
                files or [],
                options.model,
                plan,
                workers=work.workers(),
                report=lambda rows, total: bar.update(task, completed=rows, total=total),
            )
        questions = found.questions
        earlier = found.pending - len(questions)
        late = f"; {earlier:,} of earlier rounds are pending" if earlier else ""
        summary = (
            f"round {found.number} of {found.rounds}: {len(questions):,} questions about "
            f"{found.examples:,} rows{late}"
        )
        facts = {
            "round": found.number,
            "rounds": found.rounds,
            "examples": found.examples,
            "questions": len(questions),
            "pending": found.pending,
        }
    _show(questions, summary, facts, options.output, raw=raw, as_json=as_json)


def _check_output(
    output: Path, sources: "Sequence[str | Path]", model: Path, *, force: bool
) -> None:
    """Find out what keeps questions from being written before a round is asked."""
    from askance.data.reading.files import find_files
    from askance.scale.exchange import check_questions_path

    check_questions_path(output)
    refuse_existing([output] if output.is_file() else [], force=force)
    if str(output) == "-":
        return
    if not output.parent.is_dir():
        raise InvalidParameter(f"the folder of {output} does not exist")
    if output.resolve() in {Path(file).resolve() for file in [*find_files(sources), str(model)]}:
        raise InvalidParameter(f"{output} is read from, and cannot be written to")
    try:
        if not output.exists() or output.is_file():
            tempfile.TemporaryFile(dir=output.resolve().parent).close()
        elif output.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    except OSError as error:
        raise InvalidParameter(f"{output} cannot be written: {error.strerror}") from error


def _show(
    questions: "list[PoolQuestion]",
    summary: str,
    facts: dict[str, int],
    output: Path,
    *,
    raw: bool,
    as_json: bool,
) -> None:
    from askance.scale.exchange import write_questions

    if str(output) != "-":
        try:
            write_questions(output, questions, raw=raw)
        except OSError as error:
            raise FileUnreadable(
                f"{output} cannot be written: {error.strerror}; the model keeps the questions, "
                "write them elsewhere with --again"
            ) from error
    if as_json:
        listed = [question._asdict() for question in questions] if str(output) == "-" else None
        say_json(facts | ({"output": str(output)} if listed is None else {"listed": listed}))
    elif str(output) == "-":
        write_questions(output, questions, raw=raw)
        typer.echo(summary, err=True)
    else:
        say(f"{summary}: wrote {output}")


def tell(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="A model of `askance ask`.")],
    answers: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="ANSWERS",
            help="Files with an id and a label in each row, or Label Studio's JSON exports.",
        ),
    ] = None,
    *,
    id: Annotated[str, typer.Option(metavar="COL", help="Id column of the answers.")] = "id",
    label: Annotated[
        str, typer.Option(metavar="COL", help="Label column of the answers.")
    ] = "label",
    format: Annotated[
        str | None, choice(FORMATS, "File format, if the name does not tell.")
    ] = None,
    new_classes: Annotated[
        bool,
        typer.Option("--new-classes", help="Take labels that were never heard of for classes."),
    ] = False,
    close: Annotated[
        bool,
        typer.Option("--close", help="Withdraw the questions that are still without an answer."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Learn the answers to questions of `askance ask`: in part, late and in any order.

    A row without a label is left pending. The same answer twice does no harm; another one is an
    error, and then nothing of the files is learned.

    Example: `askance tell m.askance answers.csv`
    """
    # Here, so that help and the other commands do not wait for it.
    from askance.data.reading.files import find_files
    from askance.scale import tell_pool
    from askance.scale.exchange import read_answers

    if not answers and not close:
        raise typer.BadParameter("name files of answers, or --close what is pending.")
    given = [
        pair
        for file in find_files(answers or [])
        for pair in read_answers(file, id=id, label=label, format=format)
    ]
    told = tell_pool(model, given, new_classes=new_classes, close=close)
    if as_json:
        say_json({"model": str(model), **told._asdict()})
        return
    known = f", {told.repeated:,} known before" if told.repeated else ""
    closed = f", {told.closed:,} questions closed" if told.closed else ""
    say(
        f"learned {told.learned:,} labels{known}{closed}: {told.answered:,} in all, "
        f"{told.pending:,} pending"
    )
