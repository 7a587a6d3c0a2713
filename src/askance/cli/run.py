"""``askance run`` and ``askance compare``: a labelled file, as if its labels had to be bought."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from askance.cli.choices import (
    ALGORITHMS,
    CONTESTANTS,
    MANY_CONTESTANTS,
    MOST_PERMUTATIONS,
    USUAL_BUDGET,
)
from askance.cli.options import (
    AimedOptions,
    FileArgument,
    FilesArgument,
    LabelledOptions,
    OutputOptions,
    Seed,
    TableOptions,
    flat,
    mixture_text,
    open_console,
    parameter,
    progress_bar,
    refuse_existing,
    say,
    say_json,
)
from askance.terminal.visible import visible

if TYPE_CHECKING:
    from askance.data.reading.intake import Intake
    from askance.plots.curve import Curve
    from askance.rehearsal.rehearse import Plan, Rehearsal
    from askance.simulate import Contestant

__all__ = ["compare", "run"]

LARGEST = 2**30
"""Bytes of a file up to which it is held in memory unless told otherwise."""


@dataclass
class RunOptions(AimedOptions):
    """An algorithm with its parameters, and its rival."""

    match: Annotated[
        bool,
        typer.Option(
            "--match/--no-match",
            help="Look for the number of labels, asked at random, that give as low an error, up to "
            "ten times as many; takes some seconds, and needs examples that are held out.",
        ),
    ] = True


@flat
def run(
    files: FilesArgument,
    *,
    read: LabelledOptions,
    learn: RunOptions,
    out: TableOptions,
    budget: Annotated[
        int | None,
        typer.Option(
            min=1,
            help=f"Label budget; by default {USUAL_BUDGET}, and 500 on standard input.",
            show_default=False,
        ),
    ] = None,
    progressive: Annotated[
        bool | None,
        typer.Option(
            "--progressive/--held-out",
            help="Score each prediction before its label is known, in file order; otherwise a "
            "fifth of the shuffled file is held out (the default unless the file is standard "
            "input or larger than 1 GiB).",
            show_default=False,
        ),
    ] = None,
    queried: Annotated[
        Path | None,
        typer.Option(
            dir_okay=False,
            help="File for the bought labels, .csv or .parquet; queried.csv in the output folder "
            "if not given.",
            show_default=False,
        ),
    ] = None,
    seed: Seed = 0,
) -> None:
    """Try active learning on labelled files, as if each label had to be bought.

    The algorithm sees only the labels that it asks for. Shows its error beside that of as many
    labels asked at random, and writes a plot, the model, and the bought labels with their weights.

    Example: `askance run mail.csv --label spam --budget 300`
    """
    # Here, so that help and the other commands do not wait for it.
    from askance.data.reading.files import find_files
    from askance.data.reading.intake import Intake
    from askance.rehearsal.rehearse import Plan
    from askance.storage.tables import check_table_path

    found_files = find_files(files)
    folder = out.folder(found_files[0], "run")
    sample = queried or folder / "queried.csv"
    check_table_path(sample)
    paths = [folder / name for name in ("model.askance", "curve.png", "curve.svg", "summary.json")]
    refuse_existing([*paths, sample], force=out.force)
    plan = Plan(learn.algorithm, learn.parameters(), budget, seed, learn.chosen())
    if (warning := learn.forewarning()) and not out.as_json:
        say(warning)
    intake = Intake(found_files, read.reading())
    stream = _is_stream(found_files) if progressive is None else progressive
    costs = read.read_costs()
    if stream and costs is not None:
        raise typer.BadParameter("--costs goes with --held-out.")
    found = _rehearsed(intake, plan, costs, stream=stream, match=learn.match)
    summary = _summary(found, intake, [*map(str, paths), str(sample)])
    _write(found, folder, sample, summary, raw=out.raw)
    if out.as_json:
        say_json(summary)
    else:
        _show(summary, folder)


def _is_stream(files: list[str]) -> bool:
    """Whether files are better not held in memory, or cannot be measured."""
    paths = [Path(file) for file in files]
    is_known = all(path.is_file() for path in paths)
    return not is_known or sum(path.stat().st_size for path in paths) > LARGEST


def _rehearsed(
    intake: "Intake", plan: "Plan", costs: Any, *, stream: bool, match: bool
) -> "Rehearsal":
    from askance.rehearsal.held import hold
    from askance.rehearsal.rehearse import rehearse, rehearse_stream

    with progress_bar() as bar:
        task = bar.add_task("Reading", total=None)

        def step(examples: int, labels: int) -> None:
            text = f"{examples:,} examples, {labels:,} labels"
            bar.update(task, description=text, total=plan.budget, completed=labels)

        if stream:
            return rehearse_stream(intake, plan, step)
        return rehearse(intake, hold(intake, costs), plan, step, match=match)


def _summary(found: "Rehearsal", intake: "Intake", files: list[str]) -> dict[str, Any]:
    end, passive = found.active, found.passive
    bought = Counter(found.learner.name_of(one.label) for one in found.bought)
    stats = found.learner.stats()
    return {
        "file": intake.source,
        "columns": intake.columns,
        "likely_ids": intake.likely_ids(),
        "classes": list(found.learner.classes),
        "unlabelled": found.unlabelled,
        "algorithm": found.plan.algorithm,
        "parameters": found.plan.setting,
        "budget": found.plan.budget,
        "seed": found.plan.seed,
        "measure": found.measure,
        "examples": found.examples,
        "tested": found.tested,
        "seen": stats.seen - stats.refused,
        "labels": end.queries,
        "error": end.error,
        "passive": {"labels": passive.queries, "error": passive.error},
        "all_labels": {"labels": found.everything.queries, "error": found.everything.error},
        "majority_class": {"labels": 0, "error": found.majority},
        "needed_at_random": None if found.needed is None else found.needed._asdict(),
        "curves": [curve.as_json() for curve in found.curves()],
        "members": found.learner.members(),
        "giveaways": found.giveaways,
        "sorted_by": found.sorted_by,
        "bought": [bought[name] for name in found.learner.classes],
        "warning": stats.warning,
        "judged": [
            one._asdict() for one in (stats.error, stats.current, stats.crossfit) if one is not None
        ],
        "held_out": stats.held_out,
        "audited": {"labels": stats.audited, "contradicted": stats.contradicted},
        "ended": end.ended,
        "aimed_at": found.learner.until is not None,
        "reason": found.learner.done(),
        "files": files,
    }


def _write(
    found: "Rehearsal", folder: Path, sample: Path, summary: dict[str, Any], *, raw: bool
) -> None:
    import json

    from askance.exports import record_columns, write_model_sample
    from askance.plots.figure import Look, draw, save_plot
    from askance.storage.files import write_atomically

    folder.mkdir(parents=True, exist_ok=True)
    parts = f"{found.examples:,} examples, each predicted before it is learned"
    if found.measure != "progressive error":
        parts = f"{found.examples:,} examples to learn from, {found.tested:,} held out"
    look = Look(
        title=f"{visible(Path(summary['file']).name)}: {found.active.queries:,} labels",
        subtitle=f"{parts}; seed {found.plan.seed}.",
        measure=found.measure,
        reference=(
            found.everything.error,
            f"{_all_labels(found.plan.algorithm)}: {found.everything.queries:,}",
        ),
    )
    save_plot(draw(found.curves(), look), folder, "curve")
    write_model_sample(
        sample,
        found.learner,
        ids=[one.record.id for one in found.bought],
        columns=record_columns(one.record for one in found.bought),
        raw=raw,
    )
    found.learner.save(folder / "model.askance")
    with write_atomically(folder / "summary.json") as file:
        file.write(json.dumps(summary, indent=1).encode())


def _show(summary: dict[str, Any], folder: Path) -> None:
    import shlex

    from askance.estimate import sentence
    from askance.types import Interval

    say(f"{summary['file']}: {_described(summary['columns'])}")
    say(f"{_classes(summary['classes'])}{_left_out(summary['unlabelled'])}")
    say(_what_was_done(summary))
    table = Table("", "labels", summary["measure"])
    for column in table.columns[1:]:
        column.justify = "right"
    rows = {
        summary["algorithm"]: summary,
        _passive_name(summary): summary["passive"],
        _all_labels(summary["algorithm"]): summary["all_labels"],
        _constant_name(summary): summary["majority_class"],
    }
    for name, row in rows.items():
        table.add_row(name, f"{row['labels']:,}", _shown_loss(summary, row["error"]))
    open_console().print(table)
    if summary["needed_at_random"]:
        say(_needed(summary))
    if summary["members"]:
        say(f"The classifier of {summary['algorithm']}: {mixture_text(summary['members'])}.")
    for one in summary["judged"]:
        say(f"By its labels: {sentence(Interval(**one))}.")
    if summary["reason"]:
        say(f"Stopped: {summary['reason']}.")
    for note in _notes(summary):
        say(f"Note: {note}.")
    say(f"Wrote {', '.join(summary['files'])}.")
    say(f"Next: askance predict {shlex.quote(str(folder / 'model.askance'))} NEW_FILE")


def _classes(names: list[str]) -> str:
    if len(names) == 2:
        return f"Classes: {names[1]!r} (positive) and {names[0]!r}."
    return f"{len(names)} classes: {_some(list(map(repr, names)), 12)}."


def _shown_loss(summary: dict[str, Any], loss: float) -> str:
    from askance.plots.curve import cost_text

    return cost_text(loss) if summary["measure"] == "test cost" else f"{loss:.1%}"


def _constant_name(summary: dict[str, Any]) -> str:
    costs = summary["measure"] == "test cost"
    return "always the cheapest class" if costs else "always the majority class"


def _passive_name(summary: dict[str, Any]) -> str:
    same = summary["algorithm"] == "auto" and summary["measure"] != "progressive error"
    return "the same, asked at random" if same else "passive"


def _all_labels(algorithm: str) -> str:
    """Passive learning by the online linear oracle, which for ``auto`` is another classifier."""
    return f"{'online linear' if algorithm == 'auto' else 'passive'}, all labels"


def _needed(summary: dict[str, Any]) -> str:
    labels, reached = summary["needed_at_random"].values()
    what = "a cost" if summary["measure"] == "test cost" else "an error"
    if reached:
        return f"Asked at random, {labels:,} labels give as low {what}."
    return f"Asked at random, {labels:,} labels do not yet give as low {what}."


def _notes(summary: dict[str, Any]) -> Iterator[str]:
    for name in summary["likely_ids"]:
        yield f"{name} looks like an id, but was learned from: --id or --ignore leaves it out"
    for name in summary["giveaways"]:
        yield f"{name} alone tells every label: if it comes with the label, --ignore leaves it out"
    if summary["sorted_by"] is not None:
        first = summary["sorted_by"]
        yield f"the file begins with {first!r} only and seems to be sorted: --held-out shuffles it"
    for name, count in zip(summary["classes"], summary["bought"], strict=True):
        if count < 5:
            yield f"only {count} of the labels bought are {name!r}, too few to learn that class by"
    yield from _notes_of_the_end(summary)
    if summary["warning"]:
        yield summary["warning"]


def _notes_of_the_end(summary: dict[str, Any]) -> Iterator[str]:
    unspent, algorithm = _unspent(summary), summary["algorithm"]
    # A budget that is spread over a file may end with a few labels left.
    if unspent > (summary["budget"] // 20 if algorithm == "auto" else 0):
        left = f"{unspent:,} labels are left over"
        name = {"margin": "b", "passive": None, "auto": None}.get(algorithm, "c0")
        more = f": a larger {name} asks for more" if name else ""
        yield f"the examples ended before the budget was spent, and {left}{more}"
    if summary["aimed_at"] and not summary["reason"]:
        yield "what was aimed at was not reached, more labels are needed for it"


def _unspent(summary: dict[str, Any]) -> int:
    """Labels that were wanted and not bought."""
    left: int = summary["budget"] - summary["labels"]
    return 0 if summary["ended"] == "target reached" else left


def _described(columns: dict[str, str]) -> str:
    """Which columns are read as what, each kind once."""
    kinds: dict[str, list[str]] = {}
    for name, kind in columns.items():
        kinds.setdefault(kind, []).append(name)
    if not kinds:
        return "numbered or named features."
    return "; ".join(f"{kind} {_some(names)}" for kind, names in kinds.items()) + "."


def _some(names: list[str], most: int = 4) -> str:
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")


def _left_out(unlabelled: int) -> str:
    return f" {unlabelled:,} records without a label were left out." if unlabelled else ""


def _what_was_done(summary: dict[str, Any]) -> str:
    labels, seen, examples = (f"{summary[name]:,}" for name in ("labels", "seen", "examples"))
    bought = f"{summary['algorithm']} bought {labels} labels"
    done = f"{bought} among the first {seen} of {examples} examples"
    if summary["measure"] != "progressive error":
        return f"{done}; {summary['tested']:,} others were held out to test on."
    return f"{done}; every prediction was made before its label was known."


@flat
def compare(
    file: FileArgument,
    *,
    read: LabelledOptions,
    out: OutputOptions,
    algorithm: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME[:K=V,...]",
            help=f"One of {', '.join(ALGORITHMS)}, with or without parameters; repeatable. "
            f"By default {' '.join(CONTESTANTS)}; the second is the classifier of auto, of labels "
            "asked at random. Of more than two classes, and with costs, "
            f"{' '.join(MANY_CONTESTANTS)}.",
            show_default=False,
        ),
    ] = None,
    budget: Annotated[
        int | None,
        typer.Option(
            min=1,
            help=f"Label budget of each contestant; by default {USUAL_BUDGET}.",
            show_default=False,
        ),
    ] = None,
    permutations: Annotated[
        int, typer.Option(min=1, max=MOST_PERMUTATIONS, help="Shuffles of the file, at most 1,000.")
    ] = 9,
    seed: Seed = 0,
) -> None:
    """Compare algorithms on a labelled file: test error against labels, as a table and a plot.

    All contestants see the same shuffles of the file and the same coins; a fifth of the file is
    held out each time.

    Example: `askance compare mail.csv --label spam --algorithm auto --algorithm margin:b=0.1`
    """
    from askance.data.reading.intake import Intake
    from askance.plots.curve_table import table
    from askance.plots.figure import Look, draw, save_plot
    from askance.rehearsal import comparison
    from askance.rehearsal.held import hold, usual_budget

    contestants = [_contestant(text) for text in algorithm or ()]
    folder = out.folder(file, "compare")
    refuse_existing([folder / f"compare.{kind}" for kind in ("png", "svg")], force=out.force)
    intake = Intake(file, read.reading())
    with progress_bar() as bar:
        task = bar.add_task("Reading", total=None)
        held = hold(intake, read.read_costs())
        usual = MANY_CONTESTANTS if held.about_classes else CONTESTANTS
        contestants = contestants or [_contestant(text) for text in usual]
        total = permutations * len(contestants)
        bar.update(task, description="Comparing", total=total)
        train, test = map(len, held.split(seed))
        curves = comparison.compare(
            held,
            contestants,
            budget=budget or usual_budget(train),
            permutations=permutations,
            seed=seed,
            on_run=lambda: bar.advance(task),
        )
    shuffles = f"{permutations} shuffle{'s' if permutations > 1 else ''}"
    done = f"{shuffles} of {intake.source}: {train:,} examples to learn from, {test:,} to test on."
    look = Look(
        f"{visible(Path(intake.source).name)}: {held.measure.split()[1]} against labels",
        f"{done}\nMedians with quartiles; a curve ends with its stream.",
        measure=held.measure,
    )
    written = [str(path) for path in save_plot(draw(curves, look), folder, "compare")]
    if out.as_json:
        found = [curve.as_json() for curve in curves]
        sizes = {"permutations": permutations, "examples": train, "tested": test, "seed": seed}
        say_json({"file": intake.source, **sizes, "curves": found, "files": written})
        return
    say(done + _left_out(held.unlabelled) + _by_test(curves[0], held.measure, test))
    open_console().print(table(curves, measure=held.measure))
    say(f"{_by_labels(curves)}Wrote {', '.join(written)}.")


def _by_test(curve: "Curve", measure: str, tested: int) -> str:
    """What so many examples to test on say of an error."""
    from askance.estimate import sentence
    from askance.estimate.measures import wilson
    from askance.types import Interval

    if measure != "test error":
        return ""
    low, high = wilson(curve.final, tested, 0.05)
    of = f"error of {curve.name}"
    said = Interval(curve.final, low, high, 0.95, of, "at a fixed time")
    return f" By the test, {sentence(said)}."


def _by_labels(curves: "list[Curve]") -> str:
    """What the last row of the table is."""
    if not any(curve.judged for curve in curves):
        return ""
    return (
        "By labels: mean error of the classifiers so far in the first shuffle, by the labels asked "
        "alone, between its bounds (95%, whenever you look).\n"
    )


def _contestant(text: str) -> "Contestant":
    from askance.rehearsal.comparison import contestant

    name, _, given = text.partition(":")
    if name not in ALGORITHMS:
        raise typer.BadParameter(f"{name!r} is not one of {', '.join(ALGORITHMS)}.")
    found = contestant(name, dict(map(parameter, given.split(",") if given else ())))
    found.learner(n_features=0)  # wrong parameters are refused before any data is read
    return found
